"""Text from strangers: nothing of it may move a cursor, hide or pretend."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from p2pdice.cli.clean import NAME_CELLS, clean, clean_name, clean_names, clean_title, width
from p2pdice.protocol import frames, messages

HOSTILE = {
    "\x1b[2J\x1b[HAna": "[2J[HAna",
    "A\x07na\x9b31m": "Ana31m",
    "Ana\u202e\u2066oteB": "AnaoteB",
    "A\u200bn\ufeffa": "Ana",
    "A\u034fn\ufe0fa\u17b5\U000e0100": "Ana",
    "Ana\nBeto\r\tCaro": "Ana Beto Caro",
    "  Ana   ": "Ana",
    "Jose\u0301": "José",
    "\ue000\U000f0000Ana\ud800": "Ana",
    "A" + "\u0301" * 50 + "B": "Á\u0301\u0301B",
}


@pytest.mark.parametrize(("text", "expected"), HOSTILE.items())
def test_hostile_text_comes_out_inert(text: str, expected: str) -> None:
    """Controls, direction marks, invisible and unassigned characters go; accents and spaces are made regular."""
    assert clean(text, 80) == expected


@pytest.mark.parametrize("letter", ["x", "ñ", "ก", "กิ่", "q\u0323\u0301", "張", "🎲"])
def test_names_and_titles_are_short_enough_to_travel(letter: str) -> None:
    """Letters of some scripts take nine bytes a cell with their marks. A longer name ended the program of whoever had
    it, and nobody could join a table with a longer title. A number behind an equal name still fits."""
    name, title = clean_name(letter * 500), clean_title(letter * 500)
    assert letter in name
    assert letter in title
    assert len(title.encode()) <= frames.TITLE_BYTES
    for each in clean_names([name] * 12):
        assert len(each.encode()) <= messages.NICK_BYTES
        assert width(each) <= NAME_CELLS


@given(st.text(), st.integers(1, 40))
def test_whatever_comes_in_fits_and_holds_nothing_dangerous(text: str, cells: int) -> None:
    """Cleaned text is one line of at most so many cells, without a character of the dropped categories."""
    result = clean(text, cells)
    assert width(result) <= cells
    assert not {unicodedata.category(char) for char in result} & {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
    assert "  " not in result
    assert result == result.strip()


@given(st.text())
def test_cleaning_twice_changes_nothing(text: str) -> None:
    """A cleaned name survives being cleaned by the next one who sees it."""
    assert clean_name(clean_name(text)) == clean_name(text)


def test_wide_letters_count_two_cells() -> None:
    """A name is cut by what it takes on the screen, not by its number of letters."""
    assert clean("骰" * 40, NAME_CELLS) == "骰" * 12


@pytest.mark.parametrize("text", ["", "\u200b\u202e", "\u3164", "\u2800 \u115f"])
def test_a_name_that_shows_nothing_gets_a_mark(text: str) -> None:
    """Somebody without a visible name can still be spoken of."""
    assert clean_name(text) == "?"


def test_equal_names_get_numbers() -> None:
    """Names that come out equal, or differ in capitals only, are told apart."""
    assert clean_names(["Ana", "An\u200ba", "ANA", "Ana 2"]) == ("Ana", "Ana 2", "ANA 3", "Ana 2 2")


def test_numbered_names_fit_too() -> None:
    """The number is not what is cut off."""
    first, second = clean_names(["M" * 30, "M" * 30])
    assert (width(first), width(second)) == (24, 24)
    assert second.endswith(" 2")


@given(st.lists(st.text(max_size=5), max_size=12))
def test_names_of_one_table_are_all_different(names: list[str]) -> None:
    """Whatever the others call themselves, no two seats have one name."""
    result = clean_names(names)
    assert len(result) == len(names)
    assert len({name.casefold() for name in result}) == len(names)
