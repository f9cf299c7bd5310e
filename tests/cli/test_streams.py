"""Streams as people have them: none, closed, pipes, poor encodings, no home. Never a traceback, always a clear end."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.terminal import Terminal

HOST = (sys.executable, "-m", "p2pdice", "host", "--no-mdns", "--bind", "127.0.0.1", "--bots", "1", "--lang", "es")
ODD_NAME = "Ñandú 🎲 日本"
posix = pytest.mark.skipif(sys.platform == "win32", reason="needs a POSIX shell")


def _shell(line: str, tmp_path: Path, **changes: str | None) -> subprocess.CompletedProcess[bytes]:
    """A command line as typed into a shell, where "$P" is the host command."""
    environment = {**os.environ, "P2PDICE_STATE": str(tmp_path), "P": " ".join(HOST)}
    for key, value in changes.items():
        environment.pop(key, None)
        environment |= {} if value is None else {key: value}
    return subprocess.run(["sh", "-c", line], capture_output=True, env=environment, timeout=60, check=False)


@posix
@pytest.mark.parametrize(
    ("line", "status"),
    [
        ("$P </dev/null", 0),
        ("$P <&-", 0),
        ("$P </dev/null | cat", 0),
        ("printf '/quien\\nblabla\\n' | $P | cat", 0),
        ("$P --json <&-", 0),
        ("$P --players 2 --auto easy --set starting_dice=1 <&- | cat", 0),
        ("$P </dev/null 2>&-", 0),
        ("$P --players 2 --auto easy --set starting_dice=1 </dev/null | head -n 1", 0),
    ],
)
def test_missing_and_closed_streams(line: str, status: int, tmp_path: Path) -> None:
    """The game goes line by line, and leaves when nobody can type any more."""
    done = _shell(line, tmp_path)
    assert done.returncode == status
    assert b"Traceback" not in done.stderr + done.stdout
    assert b"\x1b" not in done.stdout


@posix
@pytest.mark.parametrize(
    "changes",
    [
        {"PYTHONIOENCODING": "cp1252"},
        {"PYTHONIOENCODING": "ascii"},
        {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
        {"HOME": None, "USER": None, "LOGNAME": None},
        {"HOME": "/dev/null", "P2PDICE_STATE": None, "XDG_STATE_HOME": None},
    ],
    ids=["cp1252", "ascii", "LC_ALL=C", "no HOME", "a HOME that is no folder"],
)
def test_poor_surroundings(changes: dict[str, str | None], tmp_path: Path) -> None:
    """What cannot be shown becomes a question mark, what cannot be kept is said; the game is played to its end."""
    line = f"$P --name '{ODD_NAME}' --players 2 --auto easy --set starting_dice=1 --record {tmp_path}/r.p2pdice <&-"
    done = _shell(line, tmp_path, **changes)
    assert done.returncode == 0, done.stderr
    assert b"Traceback" not in done.stderr
    assert done.stdout.splitlines()[-1].startswith(b"p2pdice verify ")
    rules = _shell("$R rules perudo --lang pt", tmp_path, R=f"{sys.executable} -m p2pdice", **changes)
    assert (rules.returncode, rules.stderr) == (0, b"")


@posix
def test_a_terminal_without_dice_faces_plays_in_ascii() -> None:
    """Digits only, no question marks for faces, and the game goes to its end."""
    surroundings = {"PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii:replace"}
    with Terminal(["tests.cli.scripted", "elimination", "en", "0"], environment=surroundings) as terminal:
        terminal.until("Your dice: 3 3")
        assert "Your dice: 3 3" in terminal.until("* Ana")
        terminal.type("/quit\r")
        assert terminal.end() == 0


@posix
@pytest.mark.parametrize("surroundings", [{"TERM": "dumb"}, {"ACCESSIBLE": "1"}])
def test_plain_mode_chooses_itself(surroundings: dict[str, str], tmp_path: Path) -> None:
    """On a dumb terminal and for screen readers: lines only, the turn on a line of its own."""
    command = ["p2pdice", "host", "--bots", "1", "--players", "2", "--no-mdns", "--bind", "127.0.0.1", "--lang", "en",
               "--set", "starting_dice=2", "--pace", "0.01"]
    with Terminal(command, environment={"P2PDICE_STATE": str(tmp_path), **surroundings}) as terminal:
        terminal.until(lambda lines: "Your turn" in terminal.everything().splitlines())
        terminal.type("/quit\n")
        assert terminal.end() == 0
        assert "\x1b" not in terminal.raw


@posix
def test_no_color_writes_no_colour() -> None:
    """With NO_COLOR no colour is ever set; without it nothing is said by colour alone."""
    with Terminal(["tests.cli.scripted", "race", "en", "0"], environment={"NO_COLOR": "1"}) as terminal:
        terminal.until("* Ana")
        terminal.type("/quit\r")
        terminal.end()
        assert re.findall(r"\x1b\[(?:3|4|9|10)\d[;m]", terminal.raw) == []
