"""Tables whose seats are processes of their own, for the benchmarks: p2pdice's, and bare ones (_seats.py)."""

import contextlib
import json
import os
import subprocess
import sys
import time
from collections import defaultdict, deque
from collections.abc import Iterator
from pathlib import Path
from typing import Any

PROGRAMS = str(Path(__file__).with_name("_seats.py"))
# Of tables that play again and again at one port: below those that a computer gives to connections by itself.
PORT = 20000 + 32 * (os.getpid() % 256)
SETTLED_S = 3.0  # until then a table relays what its players may not hear from each other
ROOT = Path(__file__).resolve().parent.parent


class Seat:
    """One process."""

    def __init__(self, *arguments: str) -> None:
        paths = [str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
        self.process = subprocess.Popen([sys.executable, PROGRAMS, *arguments], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True,
                                        env=os.environ | {"PYTHONPATH": os.pathsep.join(paths)})
        self._answers: defaultdict[str, deque[Any]] = defaultdict(deque)

    def say(self, *words: object) -> None:
        """One line to it."""
        assert self.process.stdin is not None
        self.process.stdin.write(" ".join(map(str, words)) + "\n")
        self.process.stdin.flush()

    def hear(self, name: str) -> Any:
        """The next of its answers of that name; others before it are kept."""
        assert self.process.stdout is not None
        while not self._answers[name]:
            line = self.process.stdout.readline()
            if not line:
                raise RuntimeError("a seat ended without a word")
            for said, value in json.loads(line).items():
                self._answers[said].append(value)
        return self._answers[name].popleft()

    def end(self) -> None:
        """End it."""
        self.process.kill()
        self.process.communicate()


class Table:
    """Some seats; `step` has one of them move."""

    def __init__(self, seats: list[Seat], *, ours: bool) -> None:
        self._seats = seats
        self._ours = ours
        self._turn = 0

    def sent(self) -> list[dict[str, int]]:
        """What each seat of ours has sent up to the turn that is on, in bytes and frames."""
        return [seat.hear("sent") for seat in self._seats]

    def step(self, word: str) -> float:
        """Seconds from the moment when whoever is in turn moves ("bid", "dudo") until the last seat has seen the bid,
        or its dice of the next round."""
        if self._ours:
            self._turn = [seat.hear("mine") for seat in self._seats].index(True)
        mover = self._seats[self._turn % len(self._seats)]
        self._turn += 1
        mover.say(word)
        done: list[float] = [seat.hear("done") for seat in self._seats]
        begun: float = mover.hear("begun")
        return max(done) - begun


@contextlib.contextmanager
def ours(count: int, folder: Path) -> Iterator[Table]:
    """A p2pdice table, in its first turn."""
    seats: list[Seat] = []
    with ending(seats):
        port: object = ""
        for number in range(count):
            seats.append(Seat("ours", str(number), str(count), str(folder / f"seat-{number}"), str(port)))
            port = port or seats[0].hear("port")
            seats[-1].hear("seated")  # one after the other: the doors of a table are narrow
        for seat in seats:
            seat.hear("done")  # the first dice
        time.sleep(SETTLED_S)
        yield Table(seats, ours=True)


@contextlib.contextmanager
def bare(count: int, folder: Path | None) -> Iterator[Table]:
    """A bare table; with `folder`, what is sent is on the disk there before."""
    seats: list[Seat] = []
    with ending(seats):
        seats += [Seat("bare", str(number), str(count), str(folder / f"bare-{number}") if folder else "")
                  for number in range(count)]
        introduce(seats)
        for seat in seats:
            seat.hear("linked")
        yield Table(seats, ours=False)


def introduce(seats: list[Seat]) -> None:
    """Tell each of them the keys and ports of all."""
    keys, ports = [seat.hear("key") for seat in seats], [seat.hear("port") for seat in seats]
    for seat in seats:
        seat.say("keys", *keys)
        seat.say("ports", *ports)


def link_up(role: str, count: int) -> float:
    """Seconds until `count` fresh processes ("mesh" or "tls") all have a link to each other."""
    seats: list[Seat] = []
    with ending(seats):
        seats += [Seat(role, str(number), str(count)) for number in range(count)]
        introduce(seats)
        for seat in seats:
            seat.say("go")
        begun: list[float] = [seat.hear("begun") for seat in seats]
        done: list[float] = [seat.hear("done") for seat in seats]
        return max(done) - min(begun)


@contextlib.contextmanager
def games(count: int, folder: Path, number: int, every: int) -> Iterator[list[Seat]]:
    """Bots at a p2pdice table, which play `number` games one after the other; each tells how it is after `every`."""
    seats: list[Seat] = []
    with ending(seats):
        port: object = ""
        for seat in range(count):
            seats.append(Seat("games", str(seat), str(count), str(folder / f"seat-{seat}"), str(port), str(number),
                              str(every), str(PORT + seat)))
            port = port or seats[0].hear("port")
        yield seats


@contextlib.contextmanager
def ending(seats: list[Seat]) -> Iterator[None]:
    """No process outlives its table."""
    try:
        yield
    finally:
        for seat in seats:
            seat.end()
