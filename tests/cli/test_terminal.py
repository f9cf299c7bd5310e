"""Whole games at real terminals of several sizes, in each language. Run as `python -m tests.cli.test_terminal` to write
the expected screens anew, then read the difference: it is what people will see."""

import os
import re
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import LANGUAGES
from tests.cli.terminal import Terminal

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs pseudo-terminals")

FOLDER = Path(__file__).parent / "terminals"
SIZES = [(80, 24), (40, 12), (120, 40)]
MOVES = ["2x3", "dudo", "1x3", "calzo", "1x2"]  # seat 0's in the story "elimination"
YOURS = {"en": "Your turn", "es": "Es tu turno", "pt": "É a sua vez"}
BETWEEN = "\n" + "=" * 40 + "\n"


def played(columns: int, rows: int, spoken: str) -> str:
    """The screens of a game: at each turn with the move typed but not sent, and at the end."""
    shown = []
    with Terminal(["tests.cli.scripted", "elimination", spoken, "0"], columns, rows) as terminal:
        for move in MOVES:
            terminal.until(_mine)
            terminal.type(move)
            shown.append(terminal.until(f"> {move}"))
            terminal.type("\r")
        assert terminal.end() == 0
        shown.append(terminal.lines())
        assert terminal.widest() <= columns
        assert "\x1b[?1049h" not in terminal.raw
        assert "\x1b[?1000h" not in terminal.raw
    text = BETWEEN.join("\n".join(lines) for lines in shown) + "\n"
    return re.sub(r"\d\d:\d\d:\d\d", "HH:MM:SS", text)


def _mine(lines: list[str]) -> bool:
    return any(line.startswith("* Ana") or ", * Ana" in line for line in lines)


@pytest.mark.parametrize("columns", [columns for columns, _rows in SIZES])
def test_games_look_as_they_should(columns: int, spoken: str) -> None:
    """The screens of a whole game, cell by cell, in three sizes and three languages."""
    rows = dict(SIZES)[columns]
    assert played(columns, rows, spoken) == _expected(columns, rows, spoken).read_text("utf-8")


def watched(spoken: str) -> str:
    """The screens of somebody without a seat, in an open round: before each line, and so what the last one brought."""
    shown = []
    with Terminal(["tests.cli.scripted", "watching", spoken, "0"]) as terminal:
        for line in ("1x5", "/say hola", "/who", "/help", ""):
            terminal.until(lambda lines: any(row.startswith(("Ana 1/2", "* Ana 1/2")) for row in lines))
            terminal.type(line)
            shown.append(terminal.until(f"> {line}".rstrip()))
            terminal.type("\r")
        terminal.until(lambda lines: "> " not in "".join(lines))
        terminal.type("/quit\r")
        assert terminal.end() == 0
        assert terminal.widest() <= 80
    return BETWEEN.join("\n".join(lines) for lines in shown) + "\n"


def test_watching_looks_as_it_should(spoken: str) -> None:
    """A panel without dice, in three languages; moves and talk are refused."""
    assert watched(spoken) == (FOLDER / f"watching.{spoken}.txt").read_text("utf-8")


def _expected(columns: int, rows: int, spoken: str) -> Path:
    return FOLDER / f"{columns}x{rows}.{spoken}.txt"


def _typist(terminal: Terminal, spoken: str) -> int:
    """Play a whole game: open with the lowest bid, doubt every other. The exit status."""
    told = 0
    while terminal.read(0.05):
        everything = terminal.everything()
        if (turns := everything.count(f"\n{YOURS[spoken]}\n")) > told and _mine(terminal.lines()):
            told = turns
            terminal.type("1x2\r" if _NO_BID[spoken] in terminal.lines() else "dudo\r")
        elif "/rematch" in everything or "/revanch" in everything:
            terminal.type("\r")
            return terminal.end()
    return terminal.end()


_NO_BID = {"en": "No bid yet.", "es": "Aún no hay apuesta.", "pt": "Ainda não há aposta."}


@pytest.mark.parametrize(("size", "spoken"), [((80, 24), "es"), ((40, 12), "pt"), ((120, 40), "en")])
def test_a_person_and_bots_play_a_game(size: tuple[int, int], spoken: str, tmp_path: Path) -> None:
    """The command itself, with real dice and a person who types: to its end, and nothing wider than the terminal."""
    command = ["p2pdice", "host", "--bots", "2", "--players", "3", "--no-mdns", "--bind", "127.0.0.1", "--lang", spoken]
    command += ["--name", "Ana", "--pace", "0.02", "--set", "starting_dice=1"]
    with Terminal(command, *size, environment={"P2PDICE_STATE": str(tmp_path)}) as terminal:
        assert _typist(terminal, spoken) == 0
        assert terminal.widest() <= size[0]
        assert "Traceback" not in terminal.raw


def _idles(seconds: float, tmp_path: Path) -> tuple[int, float]:
    """Bytes written and seconds of CPU used while a person thinks so long, at a table with two bots."""
    command = ["p2pdice", "host", "--bots", "2", "--players", "3", "--no-mdns", "--bind", "127.0.0.1", "--lang", "en"]
    with Terminal([*command, "--name", "Ana"], environment={"P2PDICE_STATE": str(tmp_path)}) as terminal:
        terminal.until(lambda lines: _mine(lines) or "doubts." in terminal.everything())
        while not _mine(terminal.until(lambda lines: "Round" in terminal.everything())):
            terminal.type("\r")
        terminal.read(1.0)
        before, used = len(terminal.raw), _cpu_s(terminal.child.pid)
        assert terminal.read(seconds)
        return len(terminal.raw) - before, _cpu_s(terminal.child.pid) - used


def _cpu_s(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_nothing_is_drawn_while_a_person_thinks(tmp_path: Path) -> None:
    """Not a byte in some seconds."""
    assert _idles(3.0, tmp_path)[0] == 0


@pytest.mark.long
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_a_minute_of_thinking_costs_next_to_nothing(tmp_path: Path) -> None:
    """Under a hundred bytes, and less than one per cent of a processor."""
    written, used = _idles(60.0, tmp_path)
    assert written < 100
    assert used < 0.6


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for spoken_here in LANGUAGES:
        for size_here in SIZES:
            _expected(*size_here, spoken_here).write_text(played(*size_here, spoken_here), "utf-8")
        (FOLDER / f"watching.{spoken_here}.txt").write_text(watched(spoken_here), "utf-8")
