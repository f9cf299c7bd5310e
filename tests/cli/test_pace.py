"""The pace of a showdown, with a clock that the test turns by hand."""

import asyncio
from collections.abc import Callable

import pytest

from p2pdice.cli.pace import Pacer
from p2pdice.cli.table import Table
from p2pdice.protocol import events
from p2pdice.rules import DUDO, Kind, RoundBegan, RoundSettled, bid, make_ruleset
from tests.cli.stories import formed

RULES = make_ruleset("perudo", {})
CUPS = events.CupsShown({0: (1, 3), 1: (2, 2), 2: (4, 5)})
SETTLED = RoundSettled(
    1, Kind.DUDO, 1, "bid", bid(2, 3), 0, 2, (1,), (), (5, 4, 5), (0, 0, 0), (0, 0, 0), (), None, 1, None, ()
)
CALLED = (
    formed(RULES),
    RoundBegan(1, 0, "left", None),
    events.ActionMade(0, bid(2, 3), auto=False),
    events.ActionMade(1, DUDO, auto=False),
    CUPS,
    SETTLED,
    RoundBegan(2, 1, "left", None),
    events.TurnBegan(1, 100.0, None),
)


class Clock:
    """Timers that go off when the test says so."""

    def __init__(self) -> None:
        self.now = 0.0
        self.timers: list[tuple[float, Callable[[], None]]] = []

    def call_later(self, seconds: float, do: Callable[[], None]) -> asyncio.TimerHandle:
        self.timers.append((self.now + seconds, do))
        loop = asyncio.new_event_loop()
        loop.close()
        return asyncio.TimerHandle(self.now + seconds, do, (), loop)

    def tick(self) -> None:
        """Let the next timer go off."""
        self.now, do = self.timers.pop(0)
        do()


@pytest.fixture
def told() -> list[events.Event]:
    """What has been told so far."""
    return []


def _pacer(told: list[events.Event], clock: Clock, pace_s: float = 1.0) -> Pacer:
    table = Table()

    def tell(event: events.Event) -> None:
        table.follow(event)
        told.append(event)

    return Pacer(tell, table, pace_s, call_later=clock.call_later, clock=lambda: clock.now)


def test_cups_go_up_one_by_one_and_the_bidders_last(told: list[events.Event]) -> None:
    """The call at once, then a cup at a time, the verdict, and only then the next round."""
    clock = Clock()
    pacer = _pacer(told, clock)
    for event in CALLED:
        pacer.put(event)
    assert told[-1] == CALLED[3]
    steps = []
    while pacer.busy:
        before = len(told)
        clock.tick()
        steps.append(told[before:])
    assert [list(step[0].cups) for step in steps[:3] if isinstance(step[0], events.CupsShown)] == [[1], [2], [0]]
    assert steps[3] == [SETTLED]
    assert steps[4][0] == CALLED[6]
    assert not clock.timers


def test_a_clock_runs_on_while_cups_go_up(told: list[events.Event]) -> None:
    """A turn that is told late has as much less time."""
    clock = Clock()
    pacer = _pacer(told, clock)
    for event in CALLED:
        pacer.put(event)
    while pacer.busy:
        clock.tick()
    assert isinstance(told[-1], events.TurnBegan)
    assert told[-1].seconds == pytest.approx(100.0 - clock.now)
    assert 2 < clock.now < 8


def test_skipping_tells_everything_at_once(told: list[events.Event]) -> None:
    """Nothing is lost or told twice, and the next showdown has its pace again."""
    clock = Clock()
    pacer = _pacer(told, clock)
    for event in CALLED:
        pacer.put(event)
    clock.tick()
    pacer.skip()
    assert not pacer.busy
    assert told[-2] == CALLED[-2]
    assert sum(len(event.cups) for event in told if isinstance(event, events.CupsShown)) == 3
    pacer.put(CUPS)
    assert pacer.busy


def test_without_a_pace_all_is_told_as_it_comes(told: list[events.Event]) -> None:
    """Pipes and programs wait for nothing."""
    pacer = _pacer(told, Clock(), pace_s=0.0)
    for event in CALLED:
        pacer.put(event)
    assert told == list(CALLED)


def test_a_full_table_takes_no_longer_than_a_few_seconds(told: list[events.Event]) -> None:
    """Thirty-two cups go up faster than three."""
    clock = Clock()
    pacer = _pacer(told, clock)
    pacer.put(formed(RULES, names=[f"P{seat}" for seat in range(32)]))
    pacer.put(events.CupsShown({seat: (1, 2) for seat in range(32)}))
    while pacer.busy:
        clock.tick()
    assert len(told) == 33
    assert clock.now < 7


async def test_told_waits_for_the_last_line(told: list[events.Event]) -> None:
    """Whoever waits for the end is woken by the last event."""
    clock = Clock()
    pacer = _pacer(told, clock)
    pacer.put(CUPS)
    waiting = asyncio.create_task(pacer.told())
    await asyncio.sleep(0)
    assert not waiting.done()
    pacer.skip()
    await waiting
