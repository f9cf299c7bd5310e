"""Between a driver and a screen: typed lines become the driver's methods, its events become lines.

Knows when a line may be taken; not what a move means (rules), how it travels (driver), nor how lines look (screens).
"""

import asyncio
import contextlib
import signal
from collections.abc import Iterator

from p2pdice.cli import answers, guide, refusals, ruletext, screen, vocabulary
from p2pdice.cli.clean import CHAT_CELLS, clean, clean_name
from p2pdice.cli.commands import Command, Empty, Move, Nonsense, Slash, parse, plain_form
from p2pdice.cli.complaint import INTERRUPTED
from p2pdice.cli.language import _, ngettext
from p2pdice.cli.pace import Pacer
from p2pdice.cli.parts import Driver, Frontend
from p2pdice.cli.signals import SIGNALS
from p2pdice.cli.words import listed
from p2pdice.protocol import events
from p2pdice.rules import Action

# The last seconds of a turn are told, once; nobody needs that in a turn that is short anyway.
LAST_S, SHORT_S = 15.0, 30.0
AGAIN_S = 60.0  # how long a finished game waits to be asked for another one


class Play:
    """One run of one seat.

    `pace_s`: the pace of a showdown, 0 where nobody looks. `offer`: whether a finished game is followed by the question
    for another one. `watching`: there is no seat, and nothing to do but ask.
    """

    def __init__(
        self,
        driver: Driver,
        frontend: Frontend,
        *,
        auto: bool = False,
        hints: bool = True,
        pace_s: float = 0.0,
        offer: bool = False,
        watching: bool = False,
    ) -> None:
        self.again = False  # whether another game was asked for at the end
        self.reason = ""  # how the game or the lobby ended
        self._driver = driver
        self._frontend = frontend
        self._auto = auto
        self._hints = hints
        self._offer = offer
        self._watching = watching
        self._sent = False  # a move is on its way and no event has answered it
        self._interrupted = False
        self._called = ""  # the name that was taken because another had the own
        self._left = False  # whether the person has asked to leave
        self._game: asyncio.Task[int] | None = None
        self._reminder: asyncio.TimerHandle | None = None
        self._asked: asyncio.Event | None = None  # set when the question for another game is answered
        self._changed = asyncio.Event()
        self._pacer = Pacer(self._on_event, frontend.table, pace_s)
        driver.on_event = self._pacer.put
        driver.telling = lambda: self._pacer.busy

    async def run(self) -> int:
        """Play until the driver is done and all is told; the exit status."""
        with self._frontend.open(), self._signals():
            self._game = asyncio.create_task(self._driver.run())
            reading = asyncio.create_task(self._read())
            try:
                await asyncio.wait({self._game, reading}, return_when=asyncio.FIRST_COMPLETED)
                if reading.done():
                    reading.result()  # a fault in reading is a fault of this program: let it be seen
                status = await self._game
                await self._told(reading)
                await self._another(reading)
            except asyncio.CancelledError:
                if not self._interrupted:
                    raise
                status = INTERRUPTED
            finally:
                self._remind(None)
                reading.cancel()
                with contextlib.suppress(asyncio.CancelledError):
                    await reading
        return INTERRUPTED if self._interrupted else status

    async def _told(self, reading: asyncio.Task[None]) -> None:
        """Until the last showdown is told; at once where nobody is there to see it."""
        telling = asyncio.create_task(self._pacer.told())
        await asyncio.wait({telling, reading}, return_when=asyncio.FIRST_COMPLETED)
        self._pacer.skip()
        await telling

    async def _another(self, reading: asyncio.Task[None]) -> None:
        """Ask for another game, once one was played to its end and somebody is left to play it with."""
        table = self._frontend.table
        alone = len(table.gone - {table.you}) == len(table.names) - 1
        if not self._offer or self.reason != "won" or self._left or alone or reading.done():
            return
        self._asked = asyncio.Event()
        self._ask()
        answered = asyncio.create_task(self._asked.wait())
        await asyncio.wait({answered, reading}, timeout=AGAIN_S, return_when=asyncio.FIRST_COMPLETED)
        answered.cancel()

    def interrupt(self) -> None:
        """Leave with a goodbye, as a signal asks; asked twice, without."""
        if self._interrupted and self._game is not None:
            self._game.cancel()
        self._interrupted = True
        self._pacer.skip()
        self._quit()
        if self._asked:
            self._asked.set()

    @contextlib.contextmanager
    def _signals(self) -> Iterator[None]:
        # A bare interrupt must leave the table with a goodbye, and so must a closed terminal (field experience: without
        # this the others wait for a ghost).
        loop = asyncio.get_running_loop()
        caught = [number for number in SIGNALS if signal.getsignal(number) is not signal.SIG_IGN]  # nohup ignores HUP
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
        table = self._frontend.table
        self._frontend.show(event)
        match event:
            case events.TurnBegan():
                self._remind(event.seconds if event.seat == table.you else None)
                view = self._driver.view()
                if self._hints and view is not None and event.seat == table.you == view.turn:
                    self._frontend.hint(answers.hint(view), answers.brief(view))
            case events.PauseWanted():
                self._remind(event.seconds if table.to_move and not event.paused else None)
            case events.ActionMade() | events.Halted() | events.Closed():
                self._remind(None)
            case events.LobbyChanged():
                self._tell_apart(event)
        if isinstance(event, events.Closed):
            self.reason = event.reason
        self._changed.set()

    def _tell_apart(self, event: events.LobbyChanged) -> None:
        """Take the name that is shown for this seat, where an earlier one has the own: seats are drawn, and after that
        the number would go to whoever comes first. Only until the rules are accepted: then the draw may begin."""
        table = self._frontend.table
        if self._auto or self._frontend.piped or table.playing or table.you is None or table.ready[table.you]:
            return
        name = table.name(table.you)
        if name not in (event.names[table.you], self._called):
            self._called = name
            asyncio.get_running_loop().call_soon(self._driver.rename, name)  # not amid the news that tell of it

    def _remind(self, seconds: float | None) -> None:
        """Tell the last seconds of a turn of `seconds`, unless it ends before; None: there is none."""
        if self._reminder:
            self._reminder.cancel()
            self._reminder = None
        if seconds is not None and seconds >= SHORT_S and not self._frontend.piped:
            text = ngettext("{n} second left for your turn.", "{n} seconds left for your turn.", int(LAST_S))
            self._reminder = asyncio.get_running_loop().call_later(
                seconds - LAST_S, lambda: self._frontend.answer([text.format(n=int(LAST_S))])
            )

    async def _read(self) -> None:
        while (line := await self._frontend.read()) is not None:
            await self.line(line)
        # Nobody is left to play the seat, unless a bot does.
        if not self._auto:
            self._quit()

    def _quit(self) -> None:
        # Remembered here: the others may be gone, or the game won, before the driver hears of it.
        self._left = True
        self._driver.quit()

    async def line(self, text: str) -> None:
        """Do what one line says. From a pipe, a move is held until it is due, and the lines after it with it."""
        command = parse(text)
        if self._asked is not None:
            self._answered(command)
            return
        if self._watching and not guide.for_watchers(command):
            if isinstance(command, Empty):
                self._pacer.skip()
            else:
                self._refuse("watching", refusals.refusal("watching", {}))
            return
        if self._pacer.busy:
            self._pacer.skip()
            # What a person types during a showdown was meant for a turn before it.
            if isinstance(command, Move):
                self._refuse("not-now", _("The cups were still going up. Look again before you bid."))
                self._frontend.keep(text)
            if isinstance(command, Move | Empty):
                return
        match command:
            case Move(action):
                while self._frontend.piped and not self._due(action):
                    await self._change()
                self._sent = True
                self._driver.act(action)
                table = self._frontend.table
                if self._sent and action in table.may_call and table.turn is not None and not self._frontend.piped:
                    text = _("Your call is made. It is told once {name} has moved.")
                    self._frontend.answer([text.format(name=table.name(table.turn))])
            case Slash(name, argument):
                self._slash(name, argument)
            case Empty():
                # Enter accepts the rules, so it counts once they have been shown.
                while self._frontend.piped and self._frontend.table.rules is None:
                    await self._change()
                if not self._frontend.table.playing and self._frontend.table.rules is not None:
                    self._driver.ready()
            case Nonsense(clipped):
                self._refuse("nonsense", guide.nonsense(clipped, self._frontend.table, watching=self._watching))

    def _answered(self, command: Command) -> None:
        assert self._asked is not None, "the question was asked"
        match command:
            case Slash(name="rematch"):
                self.again = True
                self._asked.set()
            case Empty() | Slash(name="quit"):
                self._asked.set()
            case _:
                self._ask()

    def _ask(self) -> None:
        if self._watching:
            self._frontend.answer([_("/rematch watches another game of the same people; Enter leaves.")])
        else:
            self._frontend.answer([_("/rematch plays again with the same people; Enter leaves.")])

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
                self._frontend.answer(guide.help_lines(table, watching=self._watching))
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
            case "wait" | "drop" | "pause" if not table.playing:
                self._refuse("no-game-yet", refusals.refusal("no-game-yet", {}))
            case "wait":
                self._hold(argument, wait=True)
            case "drop" if argument:
                self._hold(argument, wait=False)
            case "pause":
                driver.pause()
            case "quit":
                self._quit()
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

    def _hold(self, argument: str, *, wait: bool) -> None:
        """Wait for one player, for all the others when none is named, or want one out."""
        table = self._frontend.table
        # The one who is asked to wait for is a person: what they hear from is their process, with its bots.
        others = {table.owner(seat) for seat in range(len(table.names)) if table.dice[seat]} - {table.you}
        chosen = others if not argument else {table.owner(seat) for seat in self._named(argument)} & others
        if argument and not chosen:
            self._refuse("no-such-player", refusals.refusal("no-such-player", {}))
            return
        for seat in sorted(chosen):
            self._driver.hold(seat, wait)
        names = listed(map(table.name, sorted(chosen)))
        if wait:
            self._frontend.answer([_("You wait for: {names}. /drop NAME ends that.").format(names=names)])
        else:
            self._frontend.answer([_("You want to go on without: {names}. The others decide too.").format(names=names)])

    def _kick(self, argument: str) -> None:
        places = self._named(argument)
        if places:
            self._driver.kick(places[0])
        else:
            self._refuse("no-such-player", refusals.refusal("no-such-player", {}))

    def _named(self, argument: str) -> list[int]:
        """The seats or places of that name: one or none."""
        wanted = clean_name(argument).casefold()
        return [place for place, name in enumerate(self._frontend.table.names) if name.casefold() == wanted]

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
