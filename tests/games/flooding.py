"""A game of real processes at a port that is flooded: how long an action takes, and how much memory the host needs."""

import contextlib
import json
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.games.tablehouse import ROOT, House, Seat

ALONE = ("--auto", "easy", "--no-mdns", "--bind", "127.0.0.1")
# No sealed turns: in those everybody answers, and one who floods takes its time for that too.
RULES = ("--set", "starting_dice=10", "exact=off")
STRANGERS = ("halfopen", "drip", "hello", "connect", "garbage", "watch")
HONEST = 3


@dataclass(frozen=True)
class Played:
    """One game: its processes, and figures of the host."""

    seats: Sequence[Seat]
    actions: int
    seconds: float  # from the first round on
    turn_s: float  # median from an honest guest's turn to its action, as the host tells them
    peak_mb: float

    @property
    def action_s(self) -> float:
        """Seconds for each action, deals included."""
        return self.seconds / self.actions


def play(house: House, kinds: Sequence[str] = (), *, extra: str = "", options: Sequence[str] = ()) -> Played:
    """A game of bots, flooded by a process of each of `kinds` once it has begun. `extra`: one more player, "" for none,
    "player" or "torrent" for one that floods, "honest" for one that does not."""
    players = HONEST + bool(extra)
    host = house.start("host", "--json", "--players", str(players), *RULES, *options, *ALONE)
    port = host.event("listening")["port"]
    with contextlib.ExitStack() as ready:
        floods = [ready.enter_context(_flooder(house, port, kind)) for kind in kinds]
        guests = [f"Guest {number}" for number in range(HONEST - 1)] + ["Guest"] * (extra == "honest")
        seats = [host, *(house.start("join", f"127.0.0.1:{port}", "--name", name, *ALONE) for name in guests)]
        if extra in ("player", "torrent"):
            _begin(ready.enter_context(_flooder(house, port, extra)))
        host.event("round")
        for flood in floods:
            _begin(flood)
        actions, begun, asked, peak_mb = 0, time.monotonic(), 0.0, 0.0
        turns: list[float] = []
        for line in host.output():
            event = json.loads(line)
            match event["event"]:
                case "turn":
                    asked = time.monotonic()
                case "action":
                    actions += 1
                    turns += [time.monotonic() - asked] * (event["by"] in guests)
                case "round":
                    peak_mb = max(peak_mb, _peak_mb(host))
                case "end":
                    break
        seconds = time.monotonic() - begun
        for seat in seats:
            seat.status()
    return Played(seats, actions, seconds, statistics.median(turns), peak_mb)


@contextlib.contextmanager
def _flooder(house: House, port: int, kind: str) -> Iterator[subprocess.Popen[bytes]]:
    command = [*house.prefix(), sys.executable, "-m", "tests.games.flooder", str(port), kind]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        try:
            yield process
        finally:
            process.kill()


def _begin(flooder: subprocess.Popen[bytes]) -> None:
    assert flooder.stdin is not None
    flooder.stdin.write(b"\n")
    flooder.stdin.flush()


def _peak_mb(seat: Seat) -> float:
    """The most memory that a process has had so far; 0 once it has ended."""
    with contextlib.suppress(OSError):
        for line in Path(f"/proc/{seat.process.pid}/status").read_text(encoding="ascii").splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) / 1024
    return 0.0
