"""A real terminal for the tests: a program on a pseudo-terminal, what it writes drawn by pyte, keys sent to it."""

import os
import re
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pexpect
import pyte

from p2pdice.cli.clean import width

ROOT = Path(__file__).parents[2]
PATIENCE_S = 30.0
# What moves the cursor or colours, taken out to measure the lines that are left.
_ESCAPES = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]|\x1b[=>]|\x1b\][^\x07]*\x07")


class _Screen(pyte.HistoryScreen):
    """Answers questions for the cursor's place, as terminals do."""

    child: "pexpect.spawn[str]"

    def write_process_input(self, data: str) -> None:
        self.child.send(data)


class Terminal:
    """One program at a terminal of `columns` by `rows`; use it as a context, so that it ends with the test."""

    def __init__(
        self, arguments: Sequence[str], columns: int = 80, rows: int = 24, environment: Mapping[str, str] | None = None
    ) -> None:
        self.raw = ""
        self.environment = {**os.environ, "TERM": "xterm-256color", "PYTHONUTF8": "1", **(environment or {})}
        self.screen = _Screen(columns, rows, history=10_000)
        self._stream = pyte.Stream(self.screen)
        self.child: Any = pexpect.spawn(
            sys.executable,
            ["-m", *arguments],
            dimensions=(rows, columns),
            encoding="utf-8",
            codec_errors="replace",
            cwd=str(ROOT),
            env=self.environment,
            timeout=PATIENCE_S,
        )
        self.child.delaybeforesend = None
        self.screen.child = self.child

    def __enter__(self) -> "Terminal":
        return self

    def __exit__(self, *_error: object) -> None:
        self.child.close(force=True)

    def type(self, text: str) -> None:
        """Press keys."""
        self.child.send(text)

    def read(self, quiet_s: float) -> bool:
        """Draw what comes until nothing has come for `quiet_s`; False once the program has ended."""
        try:
            while True:
                self._draw(self.child.read_nonblocking(65536, quiet_s))
        except pexpect.TIMEOUT:
            return True
        except pexpect.EOF:
            return False

    def until(self, what: str | Callable[[list[str]], bool]) -> list[str]:
        """Wait for a text on the screen, or for a condition on its lines; the screen then, once it is at rest."""
        deadline = time.monotonic() + PATIENCE_S
        while True:
            alive = self.read(0.1)
            lines = self.lines()
            if what in "\n".join(lines) if isinstance(what, str) else what(lines):
                return lines
            assert alive, f"ended before {what!r}:\n{self.everything()}"
            assert time.monotonic() < deadline, f"no {what!r} in time:\n{self.everything()}"

    def end(self) -> int:
        """Wait for the program to end; its exit status, or minus the signal that ended it."""
        deadline = time.monotonic() + PATIENCE_S
        while self.read(0.1):
            assert time.monotonic() < deadline, f"no end in time:\n{self.everything()}"
        self.child.close()
        status: int | None = self.child.exitstatus
        return -self.child.signalstatus if status is None else status

    def resize(self, columns: int, rows: int) -> None:
        """Drag the window's corner."""
        self.child.setwinsize(rows, columns)
        self.screen.resize(rows, columns)

    def lines(self) -> list[str]:
        """What is on the screen, without the empty lines at its end."""
        shown = [line.rstrip() for line in self.screen.display]
        while shown and not shown[-1]:
            shown.pop()
        return shown

    def everything(self) -> str:
        """What has scrolled off the top, and the screen."""
        columns = range(self.screen.columns)
        past = ["".join(line[column].data for column in columns).rstrip() for line in self.screen.history.top]
        return "\n".join([*past, *self.lines()])

    def widest(self) -> int:
        """The widest line that was ever written, in cells; lines with a command to be copied do not count."""
        written = _ESCAPES.sub("\n", self.raw).replace("\r", "\n").split("\n")
        return max(width(line) for line in written if "p2pdice" not in line)

    def _draw(self, text: str) -> None:
        self.raw += text
        self._stream.feed(text)
