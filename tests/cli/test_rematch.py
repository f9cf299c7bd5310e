"""Another game with the same people: two persons at two terminals, one who watches, and somebody who was not there."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.terminal import Terminal

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs pseudo-terminals")
ALONE = ("--no-mdns", "--bind", "127.0.0.1", "--lang", "en", "--pace", "0.01")


def _sit(name: str, folder: Path, *command: str) -> Terminal:
    state = {"P2PDICE_STATE": str(folder / name)}
    return Terminal(["p2pdice", *command, *ALONE, "--name", name], environment=state)


def _play_out(*terminals: Terminal) -> None:
    """Each opens with the lowest bid and doubts whatever stands, until all are asked for another game."""
    turns = [0] * len(terminals)
    for _step in range(2000):
        asked = 0
        for place, terminal in enumerate(terminals):
            terminal.read(0.02)
            text = terminal.everything()
            asked += "Enter leaves." in text
            if (mine := text.count("\nYour turn\n")) > turns[place] and _at_turn(terminal):
                turns[place] = mine
                terminal.type("1x2\r" if "No bid yet." in terminal.lines() else "dudo\r")
        if asked == len(terminals):
            return
    raise AssertionError("\n\n".join(terminal.everything() for terminal in terminals))


def _second_game(terminal: Terminal) -> None:
    terminal.until(lambda lines: terminal.everything().count("The game begins") == 2)


def _at_turn(terminal: Terminal) -> bool:
    return any(f"* {name} " in line for line in terminal.lines() for name in ("Ana", "Beto"))


@pytest.mark.parametrize("code", [(), ("--code", "bado-bedo-bido")])
def test_the_same_people_play_again_and_nobody_else(tmp_path: Path, code: tuple[str, ...]) -> None:
    """/rematch at both, with a room code or without: the host's table opens for the guest, with other words, and for no
    stranger. Who has watched watches again, however early the question is answered."""
    host_command = ("host", "--players", "3", "--bots", "1", "--set", "starting_dice=1", "--rules", "doodoo", *code)
    with _sit("Ana", tmp_path, *host_command) as ana:
        port = re.search(r"127\.0\.0\.1:(\d+)", "\n".join(ana.until("Others join with")))
        assert port
        where = f"127.0.0.1:{port[1]}"
        with (
            _sit("Beto", tmp_path, "join", where, *code) as beto,
            _sit("Caro", tmp_path, "join", where, "--watch", *code) as caro,
        ):
            beto.until("Press Enter to accept")
            caro.until("At the table: ")
            beto.type("\r")
            _play_out(ana, beto)
            caro.until("watches another game")
            caro.type("/rematch\r")
            ana.type("/rematch\r")
            ana.until(lambda lines: ana.everything().count("Waiting for") > 1)
            stranger = subprocess.run(
                [sys.executable, "-m", "p2pdice", "join", where, *code, *ALONE, "--auto", "easy"],
                env={**ana.environment, "P2PDICE_STATE": str(tmp_path / "stranger")},
                capture_output=True, timeout=60, check=False,
            )
            assert stranger.returncode == 3
            beto.type("/rematch\r")
            for terminal in (ana, beto, caro):
                _second_game(terminal)
            words = [re.findall(r"Table words: ([a-z-]+)", terminal.everything()) for terminal in (ana, beto, caro)]
            assert words[0] == words[1] == words[2]
            assert len(set(words[0])) == 2
            assert "Beto" in ana.everything().rpartition("The game begins")[2]
            for terminal in (ana, beto, caro):
                terminal.type("\x15/quit\r")
                assert terminal.end() in (0, 1)
