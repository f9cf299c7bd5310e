"""Reading lines, whatever arrives and in whatever pieces."""

from p2pdice.cli.lines import LONGEST_LINE, Lines, split
from tests.cli.fakes import pipe


def test_lines_in_pieces() -> None:
    """A line may come in several pieces, several lines in one, the last without an end."""
    assert list(split(iter([b"5", b"x3\ndu", b"do\n\ncalzo"]))) == ["5x3", "dudo", "", "calzo"]


def test_bytes_that_are_no_text() -> None:
    """What is no UTF-8 becomes a mark and never an error."""
    assert list(split(iter([b"\xff\xfe5x3\n"]))) == ["\ufffd\ufffd5x3"]


def test_a_line_without_an_end_does_not_fill_the_memory() -> None:
    """What goes beyond the longest line is dropped; the next line is whole again."""
    first, second = split(iter([b"x" * 50_000] * 4 + [b"\n5x3\n"]))
    assert (len(first), second) == (LONGEST_LINE, "5x3")


async def test_a_stream_that_ends() -> None:
    """After the last line comes None, again and again."""
    with pipe("a\nb\n") as stream:
        lines = Lines(stream)
        assert [await lines.read() for _ in range(4)] == ["a", "b", None, None]
