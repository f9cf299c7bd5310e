"""Framing: different parts never give the same bytes, and what was framed can be read back."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from p2pdice.fairness.framing import digest, frame, unframe
from p2pdice.fairness.labels import PREFIX, Label

LABELS = st.sampled_from(list(Label))
RAW_PARTS = st.lists(st.binary(max_size=12), max_size=4)


@given(LABELS, RAW_PARTS)
def test_unframe_is_the_inverse(label: Label, parts: list[bytes]) -> None:
    """Label and parts come back as they went in."""
    assert unframe(frame(label, *parts)) == (label.value, parts)


@given(LABELS, RAW_PARTS, LABELS, RAW_PARTS)
def test_framing_is_injective(label: Label, parts: list[bytes], other: Label, others: list[bytes]) -> None:
    """Two lists of parts have equal bytes, and equal hashes, only if they are equal."""
    same = (label, parts) == (other, others)
    assert (frame(label, *parts) == frame(other, *others)) == same
    assert (digest(label, *parts) == digest(other, *others)) == same


@given(st.lists(st.binary(max_size=6), min_size=1, max_size=3), st.data())
def test_moving_a_boundary_changes_the_bytes(parts: list[bytes], data: st.DataObject) -> None:
    """The same concatenation cut elsewhere is another frame: ("ab", "c") is not ("a", "bc")."""
    whole = b"".join(parts)
    cut = data.draw(st.integers(0, len(whole)))
    again = [whole[:cut], whole[cut:]]
    assert (frame(Label.BODY, *parts) == frame(Label.BODY, *again)) == (parts == again)


@given(st.binary(max_size=80))
def test_unframe_takes_only_what_frame_gives(raw: bytes) -> None:
    """Any bytes are refused with ValueError, or frame to themselves again."""
    try:
        name, parts = unframe(raw)
    except ValueError:
        return
    assert _frame_of(name, parts) == raw


@given(LABELS, RAW_PARTS, st.data())
def test_changed_frames_are_refused_or_read_as_what_they_are(label: Label, parts: list[bytes],
                                                             data: st.DataObject) -> None:
    """One changed byte, or an end cut off, is never read as the frame that it was."""
    raw = bytearray(frame(label, *parts))
    place = data.draw(st.integers(0, len(raw) - 1))
    raw[place] ^= data.draw(st.integers(1, 255))
    for changed in (bytes(raw), frame(label, *parts)[:place]):
        try:
            name, found = unframe(changed)
        except ValueError:
            continue
        assert (name, found) != (label.value, parts)
        assert _frame_of(name, found) == changed


def _frame_of(name: str, parts: list[bytes]) -> bytes:
    pieces = [(PREFIX + name).encode(), *parts]
    return b"".join(len(piece).to_bytes(4, "big") + piece for piece in pieces)


def test_whole_numbers_are_eight_bytes_and_text_is_utf_8() -> None:
    """Parts of the three types have the bytes that protocol.md section 2 gives them."""
    assert frame(Label.BODY, 258, "é") == frame(Label.BODY, bytes.fromhex("0000000000000102"), b"\xc3\xa9")
    assert frame(Label.BODY, 2**64 - 1) == frame(Label.BODY, b"\xff" * 8)


@pytest.mark.parametrize("number", [-1, 2**64])
def test_numbers_beyond_eight_bytes_are_refused(number: int) -> None:
    """A number that has no eight-byte form is an error, not another number."""
    with pytest.raises(OverflowError):
        frame(Label.BODY, number)


@pytest.mark.parametrize("raw", [b"", b"\0\0\0\x01x", b"\0\0\0\x0aq2pdice/1/", b"\0\0\0\x0bp2pdice/1/\xff"])
def test_a_frame_begins_with_our_label(raw: bytes) -> None:
    """No label, another program's, or one that is no text: refused."""
    with pytest.raises(ValueError, match=r"label|utf-8"):
        unframe(raw)
