"""What a game at this layer is put together from: a driver below, a frontend above. Only their shapes; play.py joins
them, and neither knows the other."""

import contextlib
from collections.abc import Callable, Sequence
from typing import Protocol

from p2pdice.cli.table import Table
from p2pdice.protocol import events
from p2pdice.rules import Action, View


class Driver(Protocol):
    """What this layer needs of net.driver; refusals come back as Refused events, never as exceptions."""

    on_event: Callable[[events.Event], None]
    telling: Callable[[], bool]  # bots of this process wait while people are being told what happened

    async def run(self) -> int:
        """Until the game or the lobby is over, goodbyes said; the exit status."""

    def view(self) -> View | None:
        """What this seat may know of the round, None where there is no game."""

    def act(self, action: Action) -> None:
        """A move of this seat."""

    def say(self, text: str) -> None:
        """A chat line to all."""

    def ready(self) -> None:
        """Accept the rules."""

    def start(self) -> None:
        """Begin with who is here (host only)."""

    def add_bot(self, level: str | None) -> None:
        """Bring one more bot; None for the usual level."""

    def kick(self, place: int) -> None:
        """Send whoever sits at a place of the lobby away (host only)."""

    def rename(self, name: str) -> None:
        """Take another name in the lobby."""

    def hold(self, seat: int, wait: bool) -> None:
        """Wait for a player who is late, or want them out."""

    def pause(self) -> None:
        """Ask for a pause, or end it."""

    def quit(self) -> None:
        """Leave; `run` then ends by itself."""


class Frontend(Protocol):
    """A screen, or a program that reads one."""

    table: Table
    piped: bool  # lines come from a file or another program: a move waits until it is due

    def show(self, event: events.Event) -> None:
        """Follow an event in `table` and tell it."""

    def answer(self, lines: Sequence[str]) -> None:
        """Print what was asked for."""

    def hint(self, lines: Sequence[str], brief: str) -> None:
        """Show what the odds say in this turn; `brief` says the same where there is no room for sentences."""

    def keep(self, text: str) -> None:
        """Put a line that did nothing back under the person's hands, where that can be."""

    def refuse(self, reason: str, message: str) -> None:
        """Say why a line did nothing."""

    async def draw(self) -> None:
        """Be seen already, where there is a screen, before anything can be read or shown."""

    async def read(self) -> str | None:
        """The next line; None at the end of input."""

    def restart(self) -> None:
        """Forget the table: another game begins."""

    def open(self) -> contextlib.AbstractContextManager[object]:
        """Holds the terminal while the game runs, and gives it back as it was."""
