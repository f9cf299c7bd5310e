"""Between a driver and a screen: typed lines become the driver's methods, its events become lines.

Knows when a line may be taken; not what a move means (rules), how it travels (driver), nor how lines look (screens).
"""

import asyncio
import contextlib
import signal
from collections.abc import Callable, Iterator, Sequence
from typing import Protocol

from p2pdice.cli import answers, guide, refusals, ruletext, screen, vocabulary
from p2pdice.cli.clean import CHAT_CELLS, clean, clean_name
from p2pdice.cli.commands import Empty, Move, Nonsense, Slash, parse, plain_form
from p2pdice.cli.complaint import INTERRUPTED
from p2pdice.cli.language import _
from p2pdice.cli.table import Table
from p2pdice.protocol import events
from p2pdice.rules import Action, View


class Driver(Protocol):
    """What this layer needs of net.driver; refusals come back as Refused events, never as exceptions."""

    on_event: Callable[[events.Event], None]

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

    def refuse(self, reason: str, message: str) -> None:
        """Say why a line did nothing."""

    async def read(self) -> str | None:
        """The next line; None at the end of input."""

    def open(self) -> contextlib.AbstractContextManager[object]:
        """Holds the terminal while the game runs, and gives it back as it was."""


# A bare interrupt must leave the table with a goodbye, and so must a closed terminal (field experience: without this
# the others wait for a ghost). Windows knows only the first two.
_SIGNALS = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))


class Play:
    """One run of one seat."""

    def __init__(self, driver: Driver, frontend: Frontend, *, auto: bool = False, hints: bool = True) -> None:
        self._driver = driver
        self._frontend = frontend
        self._auto = auto
        self._hints = hints
        self._sent = False  # a move is on its way and no event has answered it
        self._interrupted = False
        self._game: asyncio.Task[int] | None = None
        self._changed = asyncio.Event()
        driver.on_event = self._on_event

    async def run(self) -> int:
        """Play until the driver is done; the exit status."""
        with self._frontend.open(), self._signals():
            self._game = asyncio.create_task(self._driver.run())
            reading = asyncio.create_task(self._read())
            try:
                await asyncio.wait({self._game, reading}, return_when=asyncio.FIRST_COMPLETED)
                if reading.done():
                    reading.result()  # a fault in reading is a fault of this program: let it be seen
                status = await self._game
            except asyncio.CancelledError:
                if not self._interrupted:
                    raise
                status = INTERRUPTED
            finally:
                reading.cancel()
                with contextlib.suppress(asyncio.CancelledError):
                    await reading
        return INTERRUPTED if self._interrupted else status

    def interrupt(self) -> None:
        """Leave with a goodbye, as a signal asks; asked twice, without."""
        if self._interrupted and self._game is not None:
            self._game.cancel()
        self._interrupted = True
        self._driver.quit()

    @contextlib.contextmanager
    def _signals(self) -> Iterator[None]:
        loop = asyncio.get_running_loop()
        caught = [number for number in _SIGNALS if signal.getsignal(number) is not signal.SIG_IGN]  # nohup ignores HUP
        before = {number: signal.getsignal(number) for number in caught}
        for number in caught:
            try:
                loop.add_signal_handler(number, self.interrupt)
            except NotImplementedError:  # Windows
                signal.signal(number, lambda *_: loop.call_soon_threadsafe(self.interrupt))
        try:
            yield
        finally:
            for number in caught:
                with contextlib.suppress(NotImplementedError):
                    loop.remove_signal_handler(number)
                signal.signal(number, before[number])

    def _on_event(self, event: events.Event) -> None:
        if isinstance(event, events.ActionMade | events.Refused | events.TurnBegan | events.MayOblige):
            self._sent = False
        self._frontend.show(event)
        if self._hints and isinstance(event, events.TurnBegan) and event.seat == self._frontend.table.you:
            self._frontend.answer(answers.hint(self._driver.view()))
        self._changed.set()

    async def _read(self) -> None:
        while (line := await self._frontend.read()) is not None:
            await self.line(line)
        # Nobody is left to play the seat, unless a bot does.
        if not self._auto:
            self._driver.quit()

    async def line(self, text: str) -> None:
        """Do what one line says. From a pipe, a move is held until it is due, and the lines after it with it."""
        match parse(text):
            case Move(action):
                while self._frontend.piped and not self._due(action):
                    await self._change()
                self._sent = True
                self._driver.act(action)
            case Slash(name, argument):
                self._slash(name, argument)
            case Empty():
                # Enter accepts the rules, so it counts once they have been shown.
                while self._frontend.piped and self._frontend.table.rules is None:
                    await self._change()
                if not self._frontend.table.playing and self._frontend.table.rules is not None:
                    self._driver.ready()
            case Nonsense(clipped):
                self._refuse("nonsense", guide.nonsense(clipped, self._frontend.table))

    async def _change(self) -> None:
        """Until the next event."""
        self._changed.clear()
        await self._changed.wait()

    def _due(self, action: Action) -> bool:
        table = self._frontend.table
        return (table.to_move and not self._sent) or action in table.may_call

    def _refuse(self, reason: str, message: str) -> None:
        self._frontend.refuse(reason, message)

    def _slash(self, name: str, argument: str) -> None:
        table, driver = self._frontend.table, self._driver
        match name:
            case "help":
                self._frontend.answer(guide.help_lines(table))
            case "rules" if table.rules is not None:
                self._frontend.answer(ruletext.describe(table.rules))
            case "odds":
                self._frontend.answer(answers.odds(driver.view(), argument))
            case "history":
                self._frontend.answer(screen.history(table))
            case "who":
                self._frontend.answer(screen.who(table))
            case "hints":
                self._set_hints(argument)
            case "say" if argument:
                driver.say(clean(argument, CHAT_CELLS))
            case "quit":
                driver.quit()
            case "ready":
                driver.ready()
            case "start":
                driver.start()
            case "bot":
                self._bot(argument)
            case "kick" if argument:
                self._kick(argument)
            case "name" if argument:
                driver.rename(clean_name(argument))
            case _:
                self._refuse("incomplete", guide.usage(name))

    def _kick(self, argument: str) -> None:
        wanted = clean_name(argument).casefold()
        places = [place for place, name in enumerate(self._frontend.table.names) if name.casefold() == wanted]
        if places:
            self._driver.kick(places[0])
        else:
            self._refuse("no-such-player", refusals.refusal("no-such-player", {}))

    def _set_hints(self, argument: str) -> None:
        wish = vocabulary.SWITCHES.get(plain_form(argument), not self._hints)
        self._hints = wish
        self._frontend.answer([_("Hints are on.") if wish else _("Hints are off.")])

    def _bot(self, argument: str) -> None:
        level = vocabulary.LEVELS.get(plain_form(argument)) if argument else None
        if argument and level is None:
            self._refuse("incomplete", guide.usage("bot"))
        else:
            self._driver.add_bot(level)
