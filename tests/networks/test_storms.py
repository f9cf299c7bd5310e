"""Six real processes under seeded weather: killed and started again, cut off, split, with slow and lossy links. Nothing
that was recorded is lost, nobody honest is convicted, all tell the same story, and little is kept."""

import json
import random
import signal
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from p2pdice.protocol.transcript import go_on_with
from p2pdice.rules import Gone, RoundSettled
from tests.games.tablehouse import Seat
from tests.networks.lan import Computer, Lan
from tests.networks.playing import address, host, join
from tests.networks.weather import Wire, wire

PLAYERS = 6
RULES = ("--set", "starting_dice=3", "--pace", "0.1", "--turn-time", "20")
PATIENT, HASTY = ("--drop-time", "30"), ("--drop-time", "5")  # longer than anything lasts here, and shorter than some
STORM_S, AFTERWARDS_S = 40.0, 240.0
MOST_MB, MOST_FILE_BYTES = 128.0, 2**20  # of one process, of all that it keeps


def peak_mb(seat: Seat) -> float:
    """The most memory that a running process has had so far."""
    status = Path(f"/proc/{seat.process.pid}/status").read_text(encoding="ascii")
    return next((int(line.split()[1]) / 1024 for line in status.splitlines() if line.startswith("VmHWM:")), 0.0)


@dataclass
class Player:
    """One seat: the process that plays it now, and those before it."""

    computer: Computer
    seat: Seat
    gone: bool = False  # killed for good
    lines: list[str] = field(default_factory=list)
    peak_mb: float = 0.0
    written: list[bytes] = field(default_factory=list)  # the transcript at each kill, as far as it is whole

    def __post_init__(self) -> None:
        self.read()

    def read(self) -> None:
        """Take in what the process says, so that it never waits for a reader."""
        self._reader = threading.Thread(target=self._take_in, args=(self.seat,))
        self._reader.start()

    def _take_in(self, seat: Seat) -> None:
        self.lines.extend(seat.output())

    @property
    def ended(self) -> bool:
        return not self._reader.is_alive()

    @property
    def closed(self) -> dict[str, Any]:
        """What it said last of all, nothing if it has not."""
        last = json.loads(self.lines[-1]) if self.lines else {}
        return last if last.get("event") == "closed" else {}

    @property
    def place(self) -> int:
        """Its number at the table."""
        table: dict[str, Any] = next(json.loads(line) for line in self.lines if '"event":"table"' in line)
        return int(table["seats"].index(table["you"]))

    @property
    def files(self) -> list[Path]:
        return [path for path in self.seat.state.rglob("*") if path.is_file()]

    @property
    def transcript(self) -> bytes:
        return b"".join(path.read_bytes() for path in self.seat.state.glob("games/*.p2pdice"))

    def kill(self) -> None:
        """Without a warning."""
        self.look()
        self.seat.process.kill()
        self.seat.process.wait()
        self._reader.join()
        raw = self.transcript
        self.written.append(raw[:go_on_with(raw)[1]])

    def come_back(self) -> None:
        """A new process with the same state folder."""
        self.seat = self.computer.start("join", "--resume", "--json", "--auto", "normal", "--pace", "0.1",
                                        state=self.seat.state)
        self.read()

    def look(self) -> None:
        """Measure its memory, if it runs."""
        if self.seat.process.poll() is None:
            self.peak_mb = max(self.peak_mb, peak_mb(self.seat))


@dataclass
class Storm:
    """What happens to a table; all of it heals in the end, but for who was killed for good."""

    seed: int
    players: list[Player]
    between: Wire
    patient: bool = True
    story: Counter[str] = field(default_factory=Counter)

    def rage(self) -> None:
        """For a while, or until the game is over."""
        source = random.Random(self.seed)
        end = time.monotonic() + STORM_S
        while time.monotonic() < end and not all(player.ended for player in self.players):
            time.sleep(source.uniform(0.3, 2.0))
            self._happen(source)

    def _happen(self, source: random.Random) -> None:
        player = source.choice(self.players)
        what = source.choices(["kill", "go", "freeze", "cut", "split", "weather"], [4, 0.5, 2, 3, 2, 3])[0]
        if what in ("kill", "go", "freeze") and player.ended:
            return
        self.story[what] += 1
        match what:
            case "kill":
                player.kill()
                time.sleep(source.choice((0.0, 1.0, 5.0)))
                player.come_back()
            case "go":
                if sum(one.gone for one in self.players) < 2:
                    player.kill()
                    player.gone = True
            case "freeze":
                player.seat.process.send_signal(signal.SIGSTOP)
                time.sleep(source.choice((0.5, 3.0, 12.0)))
                player.seat.process.send_signal(signal.SIGCONT)
            case "cut":
                self.between.split([self.players.index(player)])
                time.sleep(source.choice((0.5, 2.0, 8.0)))
                self.between.heal()
            case "split":
                places = source.sample(range(PLAYERS), PLAYERS)
                self.between.split(places[:source.choice((2, 3))])
                time.sleep(source.choice((1.0, 5.0, 15.0)))
                self.between.heal()
            case "weather":
                self.between.weather(delay_ms=source.choice((0, 20, 200)), jitter_ms=source.choice((0, 10)),
                                     loss_percent=source.choice((0, 2, 15)))

    def calm(self) -> None:
        """Everything works again; all that are there come to the end."""
        self.between.weather()
        self.between.heal()
        end = time.monotonic() + AFTERWARDS_S
        while time.monotonic() < end and not all(player.ended for player in self.players):
            for player in self.players:
                player.look()
            time.sleep(0.2)

    def judge(self) -> None:
        """All that must be true."""
        stories, kept = set(), 0
        for number, player in enumerate(self.players):
            who = (self.seed, number, player.closed, self.story)
            assert player.ended, ("hangs", *who)
            assert not any('"event":"fault"' in line for line in player.lines), who
            report = player.seat.report()
            assert report.findings == [], who
            assert all(player.transcript.startswith(before) for before in player.written), ("lost entries", *who)
            assert player.peak_mb < MOST_MB, who
            kept = max(kept, sum(path.stat().st_size for path in player.files))
            if player.gone or player.closed.get("reason") == "dropped":
                continue  # the others' record says so too: see below
            if player.closed.get("again"):
                assert report.verdict == "incomplete", who  # it came back when the others had ended and gone
                continue
            if player.closed.get("reason") == "abandoned":
                self._last_two(player)
                continue
            assert (player.seat.process.wait(10), report.verdict) == (0, "clean"), who
            settled = tuple(event for event in report.events if isinstance(event, RoundSettled))
            stories.add((settled, report.winners, tuple(sorted(report.standings.items()))))
        if any(player.closed.get("reason") == "abandoned" and "again" not in player.closed for player in self.players):
            assert not stories or not self.patient, (self.seed, self.story)
            print(f"seed {self.seed}: {dict(self.story)}, of the last two one is gone")
            return
        assert len(stories) == 1, (self.seed, self.story)
        assert kept < MOST_FILE_BYTES
        (settled, _, standings), = stories
        ends = Counter(end for _, end in standings)
        out = sum(player.gone or player.closed.get("reason") == "dropped" or "again" in player.closed
                  for player in self.players)
        assert ends["dropped"] <= out, (self.seed, ends, self.story)
        print(f"seed {self.seed}: {dict(self.story)}, {len(settled)} rounds, {dict(ends)}, "
              f"at most {max(player.peak_mb for player in self.players):.0f} MB, {kept} bytes of files")


    def _last_two(self, player: Player) -> None:
        """A game is given up only where two had dice, and one of them was silent for the drop time."""
        report = player.seat.report()
        dice = next(event.dice for event in reversed(report.events) if isinstance(event, RoundSettled | Gone))
        playing = {seat for seat, count in enumerate(dice) if count}
        gone = {one.place for one in self.players if one.gone}
        assert report.verdict == "incomplete"
        assert len(playing) == 2, (self.seed, dice, self.story)
        assert playing & gone or not self.patient, (self.seed, dice, self.story)


@pytest.fixture
def table(net: Lan, request: pytest.FixtureRequest) -> Iterator[tuple[list[Player], Wire]]:
    """A game in its first round, on a wire; its parameter are options of the host."""
    computers = [net.computer(network=False) for _ in range(PLAYERS)]
    with ExitStack() as ends:
        between = ends.enter_context(wire(*computers))
        hosting = host(computers[0], PLAYERS, *RULES, *getattr(request, "param", PATIENT))
        line = address(hosting)
        seats = [hosting, *(join(computer, line, "--pace", "0.1") for computer in computers[1:])]
        for seat in seats:
            seat.event("round")
        players = [Player(computer, seat) for computer, seat in zip(computers, seats, strict=True)]
        yield players, between
        for player in players:
            if player.seat.process.poll() is None:
                player.seat.process.kill()


@pytest.mark.long
@pytest.mark.parametrize(("table", "seed"), [
    *((PATIENT, seed) for seed in range(20)), *((HASTY, seed) for seed in range(20, 30))], indirect=["table"])
def test_six_processes_in_a_storm(table: tuple[list[Player], Wire], seed: int) -> None:
    """Twenty games in which whoever comes back finds its seat, and ten in which some are dropped before."""
    storm = Storm(seed, *table, patient=seed < 20)
    started = time.monotonic()
    storm.rage()
    storm.calm()
    storm.judge()
    print(f"{time.monotonic() - started:.0f} s")


def quiet(players: list[Player]) -> None:
    """Nobody plays on: what all have said stays what it is for some seconds."""
    said = [len(player.lines) for player in players]
    time.sleep(5)
    assert [len(player.lines) for player in players] == said


def told(player: Player, event: str) -> bool:
    """Whether a player's process has said such a thing."""
    return any(f'"event":"{event}"' in line for line in player.lines)


def until_told(players: list[Player], event: str, within_s: float) -> None:
    """Wait until all of them have."""
    end = time.monotonic() + within_s
    while not all(told(player, event) for player in players):
        assert time.monotonic() < end, [player.lines[-2:] for player in players]
        time.sleep(0.1)


@pytest.mark.long
def test_halves_pause_and_go_on_when_they_meet(table: tuple[list[Player], Wire]) -> None:
    """3-3: neither half may drop the other, however long it waits; healed, the game goes on with all of them."""
    players, between = table
    storm = Storm(33, players, between)
    between.split((0, 1, 2), (3, 4, 5))
    until_told(players, "halt", 60)
    time.sleep(30)
    quiet(players)
    assert not any(told(player, "drop") or player.ended for player in players)
    between.heal()
    until_told(players, "resume", 60)
    storm.calm()
    storm.judge()
    assert set(players[0].seat.report().standings.values()) == {"clean"}


@pytest.mark.long
def test_four_of_six_go_on_and_two_follow(table: tuple[list[Player], Wire]) -> None:
    """4-2: the four drop the two, who wait; healed, those learn what was decided."""
    players, between = table
    storm = Storm(42, players, between)
    four, two = players[:4], players[4:]
    between.split((0, 1, 2, 3), (4, 5))
    until_told(four, "drop", 90)
    assert not any(told(player, "drop") or player.ended for player in two)
    between.heal()
    until_told(two, "closed", 30)
    storm.calm()
    storm.judge()
    assert Counter(players[0].seat.report().standings.values()) == {"clean": 4, "dropped": 2}
    assert [player.closed["reason"] for player in two] == ["dropped", "dropped"]


@pytest.mark.long
def test_a_third_of_all_packets_lost(table: tuple[list[Player], Wire]) -> None:
    """Links break and come back; the game goes on, or drops whom a majority does not hear, and ends."""
    players, between = table
    storm = Storm(30, players, between)
    between.weather(delay_ms=5, loss_percent=30)
    end = time.monotonic() + AFTERWARDS_S
    while time.monotonic() < end and not all(player.ended for player in players):
        for player in players:
            player.look()
        time.sleep(0.2)
    storm.judge()
