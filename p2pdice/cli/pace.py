"""When events are told: at once, but a showdown cup by cup at a pace that people can follow. Nothing that comes after
it is told before it is over, so that nothing gives its end away. Knows no screen."""

import asyncio
from collections import deque
from collections.abc import Callable
from dataclasses import replace

from p2pdice.cli.table import Table
from p2pdice.protocol import events
from p2pdice.rules import RoundSettled

# In units of the pace. However many cups there are, all of them together take no longer than ALL_CUPS.
CUP, ALL_CUPS, VERDICT, NEXT = 0.8, 6.0, 1.0, 1.2
TURN = 20.0  # a turn takes at least so many: the clock of the next opener runs meanwhile

Timer = Callable[[float, Callable[[], None]], asyncio.TimerHandle]


class Pacer:
    """Hands events on to `tell`; `table` is what has been told so far."""

    def __init__(
        self,
        tell: Callable[[events.Event], None],
        table: Table,
        pace_s: float,
        *,
        call_later: Timer | None = None,
        clock: Callable[[], float] | None = None,
    ) -> None:
        self._tell = tell
        self._table = table
        self._pace_s = pace_s
        self._call_later = call_later
        self._clock = clock
        self._waiting: deque[tuple[float, float, events.Event]] = deque()  # (pause before it, came at, event)
        self._timer: asyncio.TimerHandle | None = None
        self._settled = False
        self._done = asyncio.Event()
        self._done.set()

    @property
    def busy(self) -> bool:
        """Whether something that has happened is still to be told."""
        return bool(self._waiting)

    def put(self, event: events.Event) -> None:
        """Tell this event, when its time has come."""
        if not self._pace_s:
            self._tell(event)
            return
        if isinstance(event, events.TableFormed) and event.turn_time_s:
            self._pace_s = min(self._pace_s, event.turn_time_s / TURN)
        self._waiting.append((self._pause(event), self._now(), event))
        self._done.clear()
        if self._timer is None:
            self._next()

    def skip(self) -> None:
        """Tell all that waits now."""
        if self._timer:
            self._timer.cancel()
            self._timer = None
        while self._waiting:
            _pause, came, event = self._waiting.popleft()
            self._hand_on(event, came)
        self._done.set()

    async def told(self) -> None:
        """Until nothing waits."""
        await self._done.wait()

    def _now(self) -> float:
        return self._clock() if self._clock else asyncio.get_running_loop().time()

    def _pause(self, event: events.Event) -> float:
        match event:
            case events.CupsShown():
                share = min(CUP, ALL_CUPS / max(1, len(event.cups)))
                return share * self._pace_s
            case RoundSettled():
                self._settled = True
                return VERDICT * self._pace_s
            case _ if self._settled:
                self._settled = False
                return NEXT * self._pace_s
            case _:
                return 0.0

    def _next(self) -> None:
        """Tell what needs no pause, and wait for the first that does."""
        while self._waiting:
            self._one_cup_each()
            pause, came, event = self._waiting[0]
            if pause:
                call_later = self._call_later or asyncio.get_running_loop().call_later
                self._timer = call_later(pause, self._paused)
                return
            self._waiting.popleft()
            self._hand_on(event, came)
        self._done.set()

    def _paused(self) -> None:
        self._timer = None
        _pause, came, event = self._waiting.popleft()
        self._hand_on(event, came)
        self._next()

    def _one_cup_each(self) -> None:
        """Take a showdown that is next apart; its order is known now that the call has been told."""
        pause, came, event = self._waiting[0]
        if isinstance(event, events.CupsShown) and len(event.cups) > 1:
            self._waiting.popleft()
            for seat in reversed(self._table.turned(event.cups)):
                self._waiting.appendleft((pause, came, events.CupsShown({seat: event.cups[seat]})))

    def _hand_on(self, event: events.Event, came: float) -> None:
        if isinstance(event, events.TurnBegan) and event.seconds is not None:
            event = replace(event, seconds=max(0.0, event.seconds - (self._now() - came)))  # it ran on meanwhile
        self._tell(event)
