"""Growth (G19): what a table of more seats costs each of them, and what many games in one process leave behind.

Tables of 2 to 32 seats, a process each, on loopback, without mDNS. All say something in each phase and all check it:
n * n messages, so what one seat does should grow like n. The processes share this computer's cores, so the time of a
round divided by n is the time that one seat's work takes. A COMMIT and an OPEN hold a share for each seat, and go to
each: the bytes of a deal grow like n * n for one seat, by design, and those of a bid like n. The ratio is the growth
of a seat's figure from 8 seats to 32, over that of n, or n * n.

The games are the shortest there are, with bots, three processes, each plays all of them: memory and open files after
the last, over those after the tenth part.
"""

import statistics
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from _benchmark import Goal, Result, milliseconds
from _tables import games, ours

SEATS, FEW, MANY = (2, 4, 8, 16, 32), 8, 32
GAMES, TENTH = 2000, 200

NO_WORSE = 1.25  # ratios vary by 15 % from run to run
TIME = Goal("G19", f"time of a dealt round per seat, n = {FEW} to {MANY}", "growth like n", NO_WORSE, 1.0)
FRAMES = Goal("G19", f"frames per seat for it, n = {FEW} to {MANY}", "growth like n", NO_WORSE, 1.0)
DEAL_BYTES = Goal("G19", f"bytes per seat for it, n = {FEW} to {MANY}", "growth like n * n", NO_WORSE, 1.0)
BID_BYTES = Goal("G19", f"bytes for a bid, n = {FEW} to {MANY}", "growth like n", NO_WORSE, 1.0)
FLAT = 1.05
MEMORY = Goal("G19", f"memory after {GAMES} games in one process", f"after {TENTH}", FLAT, 1.0)
FILES = Goal("G19", f"open files after {GAMES} games", f"after {TENTH}", FLAT, 1.0)
GOALS = (TIME, FRAMES, DEAL_BYTES, BID_BYTES, MEMORY, FILES)


@dataclass(frozen=True)
class Costs:
    """What a seat had to do, by round: seconds of a round dealt, bytes sent in it, and bytes sent for a bid."""

    seconds: list[float]
    deal: list[float]
    bid: list[float]
    frames: list[float]


def run(short: bool) -> Iterator[Result]:
    """The goals of growth."""
    low, high = (2, 4) if short else (FEW, MANY)  # the short form only shows that it runs
    found: dict[int, Costs] = {}
    for seats in (low, high) if short else SEATS:
        costs = found[seats] = _costs(seats, 3 if short else 12)
        print(f"n = {seats}: a round dealt {milliseconds(costs.seconds)}; each seat sends "
              f"{statistics.median(costs.deal):.0f} bytes in {statistics.median(costs.frames):.0f} frames for it, all "
              f"together {statistics.median(costs.bid):.0f} bytes for a bid", flush=True)
    few, many = found[low], found[high]
    yield _grown(TIME, [time / low for time in few.seconds], [time / high for time in many.seconds], high / low)
    yield _grown(FRAMES, few.frames, many.frames, (high - 1) / (low - 1))
    yield _grown(DEAL_BYTES, few.deal, many.deal, high * (high - 1) / (low * (low - 1)))
    yield _grown(BID_BYTES, few.bid, many.bid, (high - 1) / (low - 1))
    yield from _kept(20 if short else GAMES, 5 if short else TENTH)


def _grown(goal: Goal, few: list[float], many: list[float], allowed: float) -> Result:
    ratios = [larger / statistics.median(few) / allowed for larger in many]
    return Result(goal, ratios, f"x {statistics.median(many) / statistics.median(few):.1f}", f"x {allowed:.1f}")


def _costs(seats: int, rounds: int) -> Costs:
    seconds: list[float] = []
    deal: list[float] = []
    bid: list[float] = []
    frames: list[float] = []
    with tempfile.TemporaryDirectory() as folder, ours(seats, Path(folder)) as table:
        before = table.sent()
        for _ in range(rounds):
            table.step("bid")
            between = table.sent()
            seconds.append(table.step("dudo"))
            after = table.sent()
            bid.append(sum(after["bytes"] - then["bytes"] for after, then in zip(between, before, strict=True)))
            deal.append(statistics.mean(now["bytes"] - then["bytes"] for now, then in zip(after, between, strict=True)))
            frames.append(statistics.mean(now["frames"] - then["frames"]
                                          for now, then in zip(after, between, strict=True)))
            before = after
    return Costs(seconds, deal, bid, frames)


def _kept(count: int, every: int) -> Iterator[Result]:
    """Memory and open files of processes that go on playing."""
    with tempfile.TemporaryDirectory() as folder, games(3, Path(folder), count, every) as seats:
        told = [[(seat.hear("memory"), seat.hear("files")) for seat in seats] for _ in range(count // every)]
    for place, (goal, unit) in enumerate(((MEMORY, "KiB"), (FILES, "files"))):
        first, last = ([float(seat[place]) for seat in told[at]] for at in (0, -1))
        yield Result(goal, [after / before for after, before in zip(last, first, strict=True)],
                     f"{statistics.median(last):.0f} {unit}", f"{statistics.median(first):.0f} {unit}")
