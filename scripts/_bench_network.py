"""Discovery (G11, G12, G13, G18), against bare python-zeroconf scripts in the same network namespaces, in turn.

Needs root, iproute2 and nftables; nothing leaves the namespaces. Imports are not timed: every program is up before its
part begins.
"""

import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from _benchmark import Goal, Result, Unable, compare, milliseconds

from tests.networks.lan import Computer, Lan, can_make_lans, lan

PROGRAMS = str(Path(__file__).with_name("_discoverers.py"))
LIMIT_S = 30.0

THERE = Goal("G11", "join sees a table already there", "bare zeroconf", 1.3, 1.05)
NEW = Goal("G12", "a new table appears in an open find", "bare register", 1.1, 0.1)
ONE_COMPUTER = Goal("G13", "two on one computer, worst", "bare, two hosts, median", 3.0, 2.5)
FAMILIES = {
    families: Goal("G18", f"join sees a table already there, {words}", "IPv4, two hosts", 1.5, 1.1)
    for families, words in {"6": "IPv6 only", "l": "link-local only", "two": "two interfaces"}.items()
}
GOALS = (THERE, NEW, ONE_COMPUTER, *FAMILIES.values())


class Program:
    """One of the discoverers on a computer, which has said that it is ready."""

    def __init__(self, computer: Computer, role: str) -> None:
        self._process = subprocess.Popen([*computer.house.prefix(), sys.executable, PROGRAMS, role], text=True,
                                         stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.answer()

    def begin(self) -> None:
        """Let it do its part."""
        assert self._process.stdin is not None
        self._process.stdin.write("\n")
        self._process.stdin.flush()

    def answer(self) -> str:
        """Its next line; a program that says nothing more is an error."""
        assert self._process.stdout is not None
        line = self._process.stdout.readline().strip()
        if not line:
            raise RuntimeError("a discoverer ended without a word")
        return line

    def end(self) -> None:
        """Let it say goodbye, so that the next round finds nothing of it."""
        try:
            self._process.communicate("\n", timeout=LIMIT_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.communicate()
            raise


def there(host: Computer, seeker: Computer, kind: str) -> float:
    """Seconds from the beginning of the search to the table, which is there and all announced."""
    table, search = Program(host, f"{kind}-host"), Program(seeker, f"{kind}-seek")
    table.begin()
    table.answer()
    table.answer()
    search.begin()
    begun, found = float(search.answer()), float(search.answer())
    search.end()
    table.end()
    return found - begun


def new(host: Computer, seeker: Computer, kind: str) -> float:
    """Seconds from opening the table to its being found by a search that has gone on for a while."""
    table, search = Program(host, f"{kind}-host"), Program(seeker, f"{kind}-seek")
    search.begin()
    search.answer()
    search.answer()  # two seconds of it are over
    table.begin()
    begun = float(table.answer())
    found = float(search.answer())
    search.end()
    table.end()
    return found - begun


def pair(net: Lan, families: str) -> tuple[Computer, Computer]:
    """Two computers; with "two" the first has a second card on another network, too."""
    if families != "two":
        return net.computer(families), net.computer(families)
    both = net.computer()
    both.card("eth1", "second", 78, "4")
    return both, net.computer(bridge="second")


def run(short: bool) -> Iterator[Result]:
    """The goals of discovery."""
    if not can_make_lans():
        raise Unable("needs root, network namespaces and nft")
    rounds, namespaces, sorts = (1, 2, 1) if short else (15, 20, 7)
    with tempfile.TemporaryDirectory() as name, lan(Path(name)) as net:
        host, seeker = pair(net, "4")
        ours, bare = in_turn(lambda kind: there(host, seeker, kind), rounds)
        yield compare(THERE, ours, bare)
        floor = statistics.median(bare)
        opened, registered = in_turn(lambda kind: new(host, seeker, kind), rounds)
        yield compare(NEW, opened, registered)
        single = []
        for number in range(namespaces):
            computer = net.computer()
            measure = new if number % 2 else there  # either may be first
            single.append(measure(computer, computer, "ours"))
        yield Result(ONE_COMPUTER, [max(single) / floor], milliseconds([max(single)]), milliseconds([floor]))
        for families, goal in FAMILIES.items():
            other, watcher = pair(net, families)
            here, four = [], []
            for _ in range(sorts):
                here.append(there(other, watcher, "ours"))
                four.append(there(host, seeker, "ours"))
            yield compare(goal, here, four)


def in_turn(measure: Callable[[str], float], rounds: int) -> tuple[list[float], list[float]]:
    """Ours and the bare ones, round by round; whoever goes first changes."""
    ours: list[float] = []
    bare: list[float] = []
    for number in range(rounds):
        for kind, times in sorted((("ours", ours), ("bare", bare)), reverse=bool(number % 2)):
            times.append(measure(kind))
    return ours, bare
