"""Stand-ins for what is above and below the frontends: a driver that plays a script, a stream that is a pipe."""

import asyncio
import os
from collections.abc import Callable
from io import StringIO
from typing import IO

from p2pdice.protocol import events
from p2pdice.rules import Action, View


class FakeDriver:
    """Remembers what it is asked, and answers with the events that `answers` holds for it, in order."""

    def __init__(self, *first: events.Event) -> None:
        self.on_event: Callable[[events.Event], None] = lambda event: None
        self.telling: Callable[[], bool] = lambda: False
        self.first = first
        self.asked: list[object] = []
        self.answers: list[list[events.Event]] = []
        self.status = 0
        self.seen: View | None = None
        self.done = asyncio.Event()

    async def run(self) -> int:
        """Until `quit` is asked for, or the script has closed the game."""
        self.tell(*self.first)
        await self.done.wait()
        return self.status

    def tell(self, *told: events.Event) -> None:
        """What the table says."""
        for event in told:
            self.on_event(event)
            if isinstance(event, events.Closed):
                self.status = event.status
                self.done.set()

    def _ask(self, *asked: object) -> None:
        self.asked.append(asked[0] if len(asked) == 1 else asked)
        if self.answers:
            self.tell(*self.answers.pop(0))

    def view(self) -> View | None:
        """The view that a test has put here."""
        return self.seen

    def act(self, action: Action) -> None:
        """Remembered as notation."""
        self._ask(str(action))

    def say(self, text: str) -> None:
        """Remembered."""
        self._ask("say", text)

    def ready(self) -> None:
        """Remembered."""
        self._ask("ready")

    def start(self) -> None:
        """Remembered."""
        self._ask("start")

    def add_bot(self, level: str | None) -> None:
        """Remembered."""
        self._ask("bot", level)

    def kick(self, place: int) -> None:
        """Remembered."""
        self._ask("kick", place)

    def rename(self, name: str) -> None:
        """Remembered."""
        self._ask("name", name)

    def hold(self, seat: int, wait: bool) -> None:
        """Remembered."""
        self._ask("hold", seat, wait)

    def pause(self) -> None:
        """Remembered."""
        self._ask("pause")

    def quit(self) -> None:
        """Remembered; the run ends."""
        self._ask("quit")
        self.done.set()


def pipe(text: str) -> IO[str]:
    """A stream that holds these bytes and then ends, as `printf ... |` gives it."""
    reading, writing = os.pipe()
    os.write(writing, text.encode())
    os.close(writing)
    return os.fdopen(reading, encoding="utf-8")


def terminal() -> StringIO:
    """Something to print to."""
    return StringIO()
