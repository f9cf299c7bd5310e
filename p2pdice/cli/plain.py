"""The screen without a screen: lines are added, nothing is ever redrawn, no escape sequence is written.

For pipes, files, dumb terminals and screen readers; complete, not a lesser version.
"""

import contextlib
from collections.abc import Sequence
from typing import IO

from p2pdice.cli.lines import Lines
from p2pdice.cli.printing import say
from p2pdice.cli.screen import Screen
from p2pdice.protocol import events


class Plain:
    """A frontend that prints to one text stream and reads lines from another."""

    def __init__(self, stdin: IO[str] | None, stdout: IO[str], *, piped: bool) -> None:
        self._screen = Screen(detailed=True)
        self._lines = Lines(stdin)
        self._stdout = stdout
        self.table = self._screen.table
        self.piped = piped

    def open(self) -> contextlib.AbstractContextManager[object]:
        """Nothing is held: the terminal is left as it is."""
        return contextlib.nullcontext()

    def show(self, event: events.Event) -> None:
        """Print what `event` says."""
        self.answer(self._screen.tell(event))

    def answer(self, lines: Sequence[str]) -> None:
        """Print lines."""
        say(lines, self._stdout)

    def hint(self, lines: Sequence[str], brief: str) -> None:
        """Print what the odds say."""
        self.answer(lines)

    def keep(self, text: str) -> None:
        """A line that was read cannot be given back; the refusal says what to do."""

    def restart(self) -> None:
        """Another table; the lines that follow are for it."""
        self._screen = Screen(detailed=True)
        self.table = self._screen.table

    def refuse(self, reason: str, message: str) -> None:
        """Print why a line did nothing."""
        self.answer([message])

    async def draw(self) -> None:
        """There is nothing to be seen yet."""

    async def read(self) -> str | None:
        """The next line; None at the end of input."""
        return await self._lines.read()
