"""Which language the reader gets."""

import pytest

from p2pdice.cli import language
from p2pdice.cli.words import cup, dice_count, dice_of, face_name, typed
from p2pdice.rules import CALZO, DUDO, OBLIGE_CLOSED, OBLIGE_NO, OBLIGE_OPEN, PASO, bid


@pytest.mark.parametrize(
    ("asked", "environment", "remembered", "expected"),
    [
        ("pt", {"P2PDICE_LANG": "es"}, "es", "pt"),
        (None, {"P2PDICE_LANG": "es_MX", "LANG": "pt_BR"}, "pt", "es"),
        (None, {"LANG": "es_ES.UTF-8"}, "pt", "pt"),
        (None, {"LANGUAGE": "de:pt_BR:es", "LANG": "es_ES"}, None, "pt"),
        (None, {"LC_ALL": "pt_PT.UTF-8", "LANG": "es_ES"}, None, "pt"),
        (None, {"LANG": "de_DE.UTF-8"}, None, "en"),
        (None, {"LC_ALL": "C", "LANG": "es_ES"}, None, "en"),
        (None, {"P2PDICE_LANG": "klingon", "LANG": "es"}, None, "es"),
    ],
)
def test_wishes_count_in_order(
    asked: str | None, environment: dict[str, str], remembered: str | None, expected: str
) -> None:
    """The flag, the variable, the remembered one, the system's, English."""
    assert language.choose(asked, environment, remembered) == expected


def test_without_any_wish_there_is_still_a_language() -> None:
    """Windows and some terminals set no variable at all."""
    assert language.choose(None, {}) in language.LANGUAGES


@pytest.mark.parametrize(
    ("tag", "name"),
    [
        ("es_MX", "es"),
        ("pt-BR", "pt"),
        ("pt_PT@euro", "pt"),
        ("Spanish_Spain.1252", "es"),
        ("C.UTF-8", None),
        ("", None),
    ],
)
def test_tags_of_all_kinds(tag: str, name: str | None) -> None:
    """Countries, encodings and the names that Windows gives all lead to the language."""
    assert language.known(tag) == name


FACES = {
    "en": ["1 ace", "3 aces", "2 twos", "1 three", "3 threes", "4 fours", "5 fives", "1 six", "6 sixes"],
    "es": ["1 as", "3 ases", "2 doses", "1 tres", "3 treses", "4 cuatros", "5 cincos", "1 seis", "6 seises"],
    "pt": ["1 ás", "3 ases", "2 dois", "1 três", "3 três", "4 quatros", "5 cincos", "1 seis", "6 seis"],
}


def test_faces_have_their_own_plurals(spoken: str) -> None:
    """Each language says a number of dice of one face in its own way."""
    asked = [(1, 1), (3, 1), (2, 2), (1, 3), (3, 3), (4, 4), (5, 5), (1, 6), (6, 6)]
    assert [dice_of(quantity, face) for quantity, face in asked] == FACES[spoken]


def test_a_face_that_does_not_exist_is_shown_as_typed() -> None:
    """Words for a refused bid must not fail themselves."""
    assert dice_of(3, 7) == "3x7"
    assert face_name(0) == "0"


def test_small_words() -> None:
    """Dice are shown in order, unseen ones as a question mark."""
    assert [cup((5, 1, 3)), cup(()), cup(None)] == ["1 3 5", "-", "?"]
    assert [dice_count(1), dice_count(2)] == ["1 die", "2 dice"]


def test_what_is_offered_can_be_typed(spoken: str) -> None:
    """The words on the screen are understood at the prompt."""
    from p2pdice.cli.commands import Move, parse

    for action in (DUDO, CALZO, PASO, OBLIGE_OPEN, OBLIGE_CLOSED, OBLIGE_NO, bid(5, 3), bid(2, 4, "right")):
        assert parse(typed(action)) == Move(action)
    for face in range(1, 7):
        assert parse(dice_of(4, face)) == Move(bid(4, face))
        assert parse(dice_of(1, face)) == Move(bid(1, face))
