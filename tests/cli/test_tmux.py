"""The inline screen in tmux, under a shell with job control: what a terminal is like after it was resized, stopped or
killed."""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.cli.terminal import PATIENCE_S, ROOT
from tests.conftest import require

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX job control")
GAME = f"{sys.executable} -m tests.cli.scripted elimination en 0"  # the exec keeps the number that the shell wrote down


class Tmux:
    """A tmux server of our own, with one shell in it."""

    def __init__(self, socket: Path) -> None:
        self._socket = str(socket)
        self.run("-f", "/dev/null", "new-session", "-d", "-x", "80", "-y", "24", "-s", "t",
                 f"cd {ROOT} && PS1='$ ' exec sh -i")

    def run(self, *arguments: str) -> str:
        """One tmux command."""
        environment = {**os.environ, "LC_ALL": "C.UTF-8", "ENV": "", "TERM": "xterm-256color"}
        command = ["tmux", "-S", self._socket, *arguments]
        return subprocess.run(command, capture_output=True, encoding="utf-8", env=environment, check=True).stdout

    def keys(self, *keys: str) -> None:
        """Press keys, by their tmux names or as text."""
        self.run("send-keys", "-t", "t", *keys)

    def screen(self) -> list[str]:
        """The visible lines."""
        return [line.rstrip() for line in self.run("capture-pane", "-p", "-t", "t").rstrip("\n").split("\n")]

    def past(self) -> str:
        """All lines, with those that scrolled away."""
        return self.run("capture-pane", "-p", "-S", "-", "-t", "t")

    def until(self, what: Callable[[list[str]], bool]) -> list[str]:
        """Wait until the screen is so."""
        deadline = time.monotonic() + PATIENCE_S
        while not what(lines := self.screen()):
            assert time.monotonic() < deadline, "\n".join(lines)
            time.sleep(0.02)
        return lines

    def flags(self) -> str:
        """Alternate screen, mouse, cursor."""
        return self.run("display", "-p", "-t", "t", "#{alternate_on} #{mouse_any_flag} #{cursor_flag}").strip()


@pytest.fixture
def tmux(tmp_path: Path) -> Iterator[Tmux]:
    """A shell in a terminal of 80 by 24, gone after the test."""
    require(shutil.which("tmux"), "needs tmux")
    terminal = Tmux(tmp_path / "s")
    try:
        terminal.until(lambda lines: lines[-1].startswith("$"))
        terminal.keys(f"clear; sh -c 'echo $$ >{tmp_path}/pid; exec {GAME}'", "Enter")
        terminal.until(_at_turn)
        yield terminal
    finally:
        terminal.run("kill-server")


def _at_turn(lines: list[str]) -> bool:
    return any(line.startswith("* Ana") for line in lines)


def _is_clean(tmux: Tmux) -> None:
    """The shell has its terminal back: it echoes, shows its cursor, and nothing strange is left on the screen."""
    tmux.keys("stty -a | tr ' ' '\\n' | grep -cx -e icanon -e echo -e isig", "Enter")
    tmux.until(lambda lines: "3" in lines)
    assert tmux.flags() == "0 0 1"
    assert not any(strange in tmux.past() for strange in ("^[", "\x1b", ";1R", "Traceback", "200~"))


@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP", "SIGINT"])
def test_a_killed_game_leaves_the_terminal_as_it_was(tmux: Tmux, name: str, tmp_path: Path) -> None:
    """Half a line typed, then the signal: the shell's prompt comes back, and status 130."""
    tmux.keys("2x")
    tmux.until(lambda lines: "> 2x" in lines)
    os.kill(int((tmp_path / "pid").read_text()), getattr(signal, name))
    tmux.until(lambda lines: lines[-1] == "$")
    tmux.keys("echo status $?", "Enter")
    tmux.until(lambda lines: "status 130" in lines)
    _is_clean(tmux)


def test_a_stopped_game_goes_on_where_it_was(tmux: Tmux) -> None:
    """Ctrl-Z gives the shell its terminal, fg the game its line, and nothing stands there twice."""
    tmux.keys("2x")
    tmux.until(lambda lines: "> 2x" in lines)
    tmux.keys("C-z")
    tmux.until(lambda lines: any("topped" in line for line in lines) and lines[-1] == "$")
    _is_clean(tmux)
    tmux.keys("clear; fg", "Enter")
    tmux.until(lambda lines: "> 2x" in lines and _at_turn(lines))
    tmux.keys("3", "Enter")
    tmux.until(lambda lines: "Beto bids 2 aces." in tmux.past() and sum(line.startswith(">") for line in lines) == 1)


def _one_prompt_and_panel(lines: list[str]) -> bool:
    if [line for line in lines if line.startswith("> ")] != ["> 2x"]:
        return False
    panel = [line for line in lines[lines.index("> 2x") + 1 :] if line]
    return sum(line.startswith("* Ana") for line in lines) == 1 and 4 <= len(panel) <= 6 and _at_turn(panel[:1])


def test_the_window_is_dragged_while_somebody_types(tmux: Tmux) -> None:
    """From 20 to 300 columns: the typed text stays, one prompt and one panel, six lines of it at most."""
    tmux.keys("2x")
    for columns, rows in ((40, 12), (120, 40), (20, 24), (300, 24), (60, 9), (80, 24)):
        tmux.run("resize-window", "-t", "t", "-x", str(columns), "-y", str(rows))
        tmux.until(_one_prompt_and_panel)
    assert "2x2x" not in tmux.past()
    tmux.keys("C-u", "/quit", "Enter")
    tmux.until(lambda lines: lines[-1] == "$")
    _is_clean(tmux)


def test_tab_shows_the_lowest_bid_on_each_face(tmux: Tmux) -> None:
    """The key itself, on an empty line: the list, above a prompt that is still empty."""
    tmux.keys("Tab", "Tab")
    lines = tmux.until(lambda lines: any(line.split() == ["1x2", "1x3", "1x4", "1x5", "1x6"] for line in lines))
    assert _at_turn(lines) or tmux.until(_at_turn)
