"""The referee command: the same judging in words and in JSON, and every error named with its line."""

import json
from pathlib import Path

import pytest

from p2pdice.cli import misreadings
from p2pdice.cli.main import main
from tests.cli.test_main import run
from tests.cli.test_refusals import literals

PUB = """\
rules: dudo
players: Ana Beto Caro
banked: 0 1 0
round: Ana=13356 Beto=22456 Caro=11345
Ana: 4x3 right
Caro: ?
Caro: 2x1
Caro: 5x3
Beto: dudo
round: Ana=13356 Beto=22456 Caro=11345
Beto: 6x3
Ana: calzo
"""
RACE = """\
rules: perudo
set: format=points rounds=2
players: Ana Beto
penalties: 1 0
round: Ana=33333 Beto=66666
Ana: 5x3
Beto: dudo
round: Ana=33333 Beto=66666
Beto: 5x6
Ana: calzo
"""
IN_WORDS = [
    "Round 1. Ana opens.",
    "Play goes to the left.",
    "Ana bids 4 threes, to the right.",
    "Caro may say: 3x1",
    "Line 7: 2x1 by Caro is refused. 4 is even, so half and one more: at least 3 aces.",
    "Caro bids 5 threes.",
    "Beto doubts.",
    "Counted: 6 threes. The bid of 5 threes holds.",
    "Beto pays with a die in favour and keeps 5 dice.",
]


def written(folder: Path, text: str) -> str:
    """A file that holds this game."""
    path = folder / "game.dice"
    path.write_bytes(text.encode())
    return str(path)


def test_a_game_in_words(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Refusals say why, results who loses what; a refusal gives status 1 and reading goes on."""
    assert main(["referee", written(tmp_path, PUB)]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert [line.partition(",")[0] if "may say" in line else line for line in lines[:9]] == IN_WORDS
    assert lines[-2:] == ["Ana keeps a die in favour.", "Ana opens the next round."]


@pytest.mark.parametrize(
    ("system", "end", "said"),
    [
        ("perudo", "", ["Ana opens the next round, a palifico."]),
        ("perudo", "gone: Ana\n", ["Out of the game with all dice: Ana.", "Beto opens the next round."]),
        ("perudo", "gone: Beto Caro\n", ["Out of the game with all dice: Beto, Caro.", "Ana wins the game."]),
        ("perudo", "round: Ana=1 Beto=22345 Caro=22345\n",
         ["Round 2. Ana opens.",
          "Palifico: ones are not wild, and nobody may change the face, only raise the quantity."]),
        ("dudo", "", ["Ana may oblige a special round.", "Ana opens the next round."]),
        ("dudo", "oblige: open\n", ["Ana may oblige a special round.", "Ana obliges an open round.",
                                    "Ana opens the next round."]),
    ],
)
def test_how_a_game_goes_on_in_words(
    system: str, end: str, said: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What a result says in JSON about the next round is told too: by that round, or after the last line."""
    fall = "players: Ana Beto Caro\ndice: 2 5 5\nround: Ana=22 Beto=23456 Caro=23456\nAna: 9x2\nBeto: dudo\n"
    assert main(["referee", written(tmp_path, f"rules: {system}\n{fall}{end}")]) == 0
    assert capsys.readouterr().out.splitlines()[-len(said):] == said


def test_the_same_game_in_json(tmp_path: Path, capsys: pytest.CaptureFixture[str], spoken: str) -> None:
    """One object a line; only `message` is in the reader's language."""
    assert main(["--lang", spoken, "referee", "--json", written(tmp_path, PUB)]) == 1
    told = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [event["event"] for event in told[:6]] == ["round", "action", "legal", "action", "action", "action"]
    [refused] = [event for event in told if event.get("legal") is False]
    assert (refused["line"], refused["by"], refused["action"], refused["reason"]) == (7, "Caro", "2x1", "too-few-aces")
    message = {"en": "at least 3 aces", "es": "al menos 3 ases", "pt": "pelo menos 3 ases"}[spoken]
    assert message in refused["message"]


def test_a_points_race_in_words(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Points are given and taken, nobody loses dice, a tie is shared."""
    assert main(["referee", written(tmp_path, RACE)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "Beto gets a penalty point: 1 now." in lines
    assert "A penalty point is taken off Ana: 0 now." in lines
    assert lines[-1] == "Ana wins the game."


def test_a_file_from_an_editor_of_windows_in_words(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A byte-order mark before the first word and CRLF at the ends change nothing of what is told."""
    main(["referee", written(tmp_path, PUB)])
    plain = capsys.readouterr()
    assert main(["referee", written(tmp_path, "\ufeff" + PUB.replace("\n", "\r\n"))]) == 1
    assert capsys.readouterr() == plain


@pytest.mark.smoke
def test_a_game_from_standard_input() -> None:
    """`-` reads what is piped in, in the reader's language."""
    done = run("referee", "-", "--lang", "es", stdin=RACE)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.rstrip().endswith("Ana gana la partida.")


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("rules: poker\nplayers: A B\n", 1, "poker: no such rule system"),
        ("rules: perudo\nplayers: A B\nA: 2x3\n", 3, "no round is open"),
        ("rules: perudo\nplayers: A B\nround: A=11111\n", 3, "cups are missing: B"),
        ("rules: perudo\nplayers: A B\nround: A=11111 B=1111\n", 3, "B has 5 dice, not 4"),
        ("rules: perudo\nplayers: A B\nround: A=11111 B=11117\n", 3, "B: 7 is no die"),
        ("rules: perudo\nplayers: A B\n\x1b[2J\n", 3, "[2J: not understood"),
        ("rules: perudo\nplayers: A\n", 2, "these rules take 2 to 32 players, not 1"),
    ],
)
def test_errors_name_the_line(
    text: str, line: int, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Status 2, one line on standard error, nothing that could draw on the terminal."""
    assert main(["referee", written(tmp_path, text)]) == 2
    [error] = capsys.readouterr().err.splitlines()
    assert error.startswith(f"line {line}: ")
    assert said in error
    assert error.isprintable()


REASONS = literals("rules/header.py", "rules/referee.py", "rules/notation.py") - {"direction-on-question"}
FIELDS = {
    "allowed": ("a", "b"), "dice": 5, "found": 4, "high": 6, "key": "set", "low": 2, "most": 5, "name": "Ana",
    "names": ("Ana", "Beto"), "players": 2, "system": "x", "text": "blah", "ties": ("Ana Beto",), "value": "9",
}


@pytest.mark.parametrize("reason", sorted(REASONS))
def test_every_misreading_has_a_sentence(reason: str, spoken: str) -> None:
    """Every reason of the notation's errors is told with its fields filled in."""
    text = misreadings.misread(reason, FIELDS)
    assert f"({reason})" not in text
    assert "{" not in text


def test_the_misreadings_are_found() -> None:
    """The scan sees the errors of header and rounds."""
    assert {"missing-line", "cups-missing", "inside-a-round", "not-utf-8", "tie-left-open"} <= REASONS
