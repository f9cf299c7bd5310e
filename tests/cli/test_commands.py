"""Typed lines: what is understood, in which words, and that nothing ever breaks."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from p2pdice.cli import vocabulary
from p2pdice.cli.commands import Empty, Move, Nonsense, Slash, parse
from p2pdice.rules import CALZO, DUDO, OBLIGE_CLOSED, OBLIGE_NO, OBLIGE_OPEN, PASO, Action, bid

ACTIONS = st.one_of(
    st.builds(bid, st.integers(0, 999_999), st.integers(0, 9), st.sampled_from(["", "left", "right"])),
    st.sampled_from([DUDO, CALZO, PASO, OBLIGE_OPEN, OBLIGE_CLOSED, OBLIGE_NO]),
)
BIDS = {
    "5x3": (5, 3), "5 3": (5, 3), " 5 X 3 ": (5, 3), "5×3": (5, 3), "5*3": (5, 3), "12x6": (12, 6),
    "cinco treses": (5, 3), "cinco tres": (5, 3), "five threes": (5, 3), "três ases": (3, 1), "dos trenes": (2, 3),
    "dos sextas": (2, 6), "dos sextos": (2, 6), "3 tontos": (3, 2), "cuatro cuadras": (4, 4), "duas quinas": (2, 5),
    "Quatro Quatros": (4, 4), "un as": (1, 1), "um ás": (1, 1), "one ace": (1, 1), "¡Cinco treses!": (5, 3),
    "seis doses": (6, 2), "sete dois": (7, 2), "once seises": (11, 6), "veintidós doses": (22, 2),
    "treinta y cinco seises": (35, 6), "trinta e duas quinas": (32, 5), "thirty-three threes": (33, 3),
    "thirty three": (30, 3), "cinco x 3": (5, 3), "5 de treses": (5, 3), "five of threes": (5, 3), "CINCO TRÊS": (5, 3),
}
DIRECTED = {
    "5x3 left": "left", "5x3 right": "right", "5x3 izquierda": "left", "5x3 derecha": "right", "5x3 esquerda": "left",
    "5x3 direita": "right", "cinco treses a la derecha": "right", "cinco três para a esquerda": "left",
    "five threes to the right": "right", "cinco três à direita": "right",
}


@given(ACTIONS)
def test_every_action_parses_from_its_notation(action: Action) -> None:
    """What the notation writes, the prompt understands."""
    assert parse(str(action)) == Move(action)


@pytest.mark.parametrize(("text", "expected"), BIDS.items())
def test_bids_in_digits_and_words_of_three_languages(text: str, expected: tuple[int, int]) -> None:
    """Quantity first, then the face, in any of the three languages, with or without accents."""
    assert parse(text) == Move(bid(*expected))


@pytest.mark.parametrize(("text", "way"), DIRECTED.items())
def test_bids_with_a_direction(text: str, way: str) -> None:
    """A direction may follow a bid, with the little words that people put before it."""
    assert parse(text) == Move(bid(5, 3, way))


@pytest.mark.parametrize(
    ("phrase", "action"),
    [
        (phrase, {"dudo": DUDO, "calzo": CALZO, "paso": PASO}[name])
        for name, phrases in vocabulary.CALLS.items()
        for phrase in (*phrases, *(f"¡{p.upper()}!" for p in phrases))
    ],
)
def test_calls_and_their_synonyms(phrase: str, action: Action) -> None:
    """Every synonym of a call is understood, loud and with marks too."""
    assert parse(phrase) == Move(action)


@pytest.mark.parametrize(
    ("text", "action"),
    [
        ("obligo abierto", OBLIGE_OPEN),
        ("obligo cerrado", OBLIGE_CLOSED),
        ("obrigo aberto", OBLIGE_OPEN),
        ("obrigo fechado", OBLIGE_CLOSED),
        ("oblige open", OBLIGE_OPEN),
        ("oblige closed", OBLIGE_CLOSED),
        ("no", OBLIGE_NO),
        ("não", OBLIGE_NO),
        ("oblige no", OBLIGE_NO),
    ],
)
def test_obliging(text: str, action: Action) -> None:
    """The opener's choice is understood in three languages, and so is declining it."""
    assert parse(text) == Move(action)


@given(st.sampled_from(sorted(vocabulary.UNITS)), st.sampled_from(sorted(vocabulary.FACES)))
def test_any_number_word_goes_with_any_face_word(number: str, face: str) -> None:
    """Languages may be mixed in one bid."""
    assert parse(f"{number} {face}") == Move(bid(vocabulary.UNITS[number], vocabulary.FACES[face]))


@pytest.mark.parametrize("word", sorted(vocabulary.SLASHES))
def test_slash_commands_and_their_aliases(word: str) -> None:
    """A slash command keeps what follows it as it was typed."""
    assert parse(f"/{word.upper()}  Hola, ¿Qué tal?") == Slash(vocabulary.SLASHES[word], "Hola, ¿Qué tal?")


def test_accents_of_slash_commands_are_optional() -> None:
    """`/quién` is `/who`."""
    assert parse("/quién") == Slash("who", "")


@pytest.mark.parametrize("text", ["", "   ", "\t\r\n"])
def test_an_empty_line_is_no_nonsense(text: str) -> None:
    """Enter alone has a meaning of its own."""
    assert parse(text) == Empty()


def test_a_question_mark_asks_for_help() -> None:
    """It must not count as an empty line, which accepts the rules."""
    assert parse("?") == Slash("help", "")


@pytest.mark.parametrize(
    "text",
    ["53", "5x", "x3", "3", "treses cinco", "ases 3", "5x33", "-5x3", "5.3", "5-3", "5x3 up", "5x3 left left",
     "1234567x3", "dudo 5x3",
     "treinta y once seises", "/", "/nothing", "!", "...", "٥x٣", "\x1b[2J", "\ud800", "obligo", "oblige maybe"],
)
def test_nonsense_is_told_apart(text: str) -> None:
    """What is no command is never taken for a near one."""
    assert isinstance(parse(text), Nonsense)


@given(st.text(max_size=200))
def test_no_line_raises(text: str) -> None:
    """Whatever is typed gives a command or nonsense."""
    assert isinstance(parse(text), Move | Slash | Empty | Nonsense)


@pytest.mark.parametrize(
    "text", ["x" * 20_000, "5x3 " * 5_000, "/say " + "é" * 20_000, "5" * 20_000 + "x3", "¿" * 20_000]
)
def test_long_lines_are_no_trouble(text: str) -> None:
    """A pasted novel is nonsense or chat, kept short where it is quoted back."""
    command = parse(text)
    assert isinstance(command, Slash) or (isinstance(command, Nonsense) and len(command.text) <= 80)
