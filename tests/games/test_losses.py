"""Real processes that are killed, frozen, told to leave or started again in the middle of a game."""

import os
import random
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.games.tablehouse import ROOT, House, Seat, open_house
from tests.games.test_processes import address

LOCAL = ("--no-mdns", "--bind", "127.0.0.1")


@pytest.fixture
def loopback(tmp_path: Path) -> Iterator[House]:
    with open_house(tmp_path) as made:
        yield made


def table(loopback: House, players: int, *options: str, drop_time_s: int = 3) -> list[Seat]:
    """A host and its guests, bots in all seats, who think for a moment so that there is a middle to every game."""
    host = loopback.start("host", "--json", "--auto", "normal", "--pace", "0.05", "--players", str(players),
                          "--drop-time", str(drop_time_s), *options, *LOCAL)
    where = address(host)
    return [host, *(loopback.start("join", where, "--json", "--auto", "normal", "--pace", "0.05", *LOCAL)
                    for _ in range(players - 1))]


def others_finish(seats: list[Seat], standing: dict[str, int]) -> None:
    """They end with 0, their files are clean and tell of the same game, in which so many stand as they should."""
    assert [seat.status() for seat in seats] == [0] * len(seats), [seat.errors() for seat in seats]
    reports = [seat.report() for seat in seats]
    assert {report.verdict for report in reports} == {"clean"}
    assert len({report.winners for report in reports}) == 1
    for report in reports:
        found = list(report.standings.values())
        assert {kind: found.count(kind) for kind in standing} == standing


def test_the_host_is_killed_in_mid_round_and_then_two_more(loopback: House) -> None:
    """Six processes; the host has no role any more, and its end is one like another's."""
    seats = table(loopback, 6, "--set", "starting_dice=8")
    for number in range(3):
        seats[-1].events("result", number + 1)
        seats[0].process.kill()
        seats[0].process.wait()
        seats = seats[1:]
        seats[-1].events("drop", number + 1)
    others_finish(seats, {"dropped": 3})


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_whoever_is_told_to_go_leaves_by_their_word(loopback: House, how: signal.Signals) -> None:
    """A signal is a goodbye: the others need no vote and no drop time."""
    seats = table(loopback, 4, drop_time_s=60)
    seats[-1].event("result")
    seats[0].process.send_signal(how)
    assert seats[0].status() == 130
    others_finish(seats[1:], {"left": 1})


def test_of_two_the_one_who_stays_has_won(loopback: House) -> None:
    """A LEAVE gives the game to the other, whose prompt comes free."""
    seats = table(loopback, 2, drop_time_s=60)
    seats[1].event("result")
    seats[0].process.send_signal(signal.SIGTERM)
    assert seats[0].status() == 130
    others_finish(seats[1:], {"left": 1})
    assert seats[1].event("closed")["reason"] == "won"


def test_a_frozen_process_is_dropped_and_learns_it_when_it_wakes(loopback: House) -> None:
    """SIGSTOP for longer than the drop time: the others go on; SIGCONT: it follows their decision and ends."""
    seats = table(loopback, 4, "--set", "starting_dice=8")
    seats[-1].event("result")
    seats[0].process.send_signal(signal.SIGSTOP)
    seats[-1].event("drop")
    seats[0].process.send_signal(signal.SIGCONT)
    assert seats[0].event("closed")["reason"] == "dropped"
    assert seats[0].status() == 1
    others_finish(seats[1:], {"dropped": 1})


def crash_and_come_back(loopback: House, seed: int) -> None:
    """kill -9 at a seeded moment, a new process with the same state folder: same game, all files clean and equal."""
    moments = random.Random(seed)
    seats = table(loopback, 3, drop_time_s=60)
    number = moments.randrange(3)
    victim = seats[number]
    lines = moments.randrange(1, 60)
    for _, _ in zip(range(lines), victim.output(), strict=False):
        pass
    while not any(path.stat().st_size for path in victim.state.glob("games/*")):  # until there is a game
        next(victim.output())
    victim.process.kill()
    victim.process.wait()
    seats[number] = loopback.start("join", "--resume", "--json", "--auto", "normal", *LOCAL, state=victim.state)
    others_finish(seats, {"clean": 3})
    files = {next(seat.state.glob("games/*.p2pdice")).read_bytes() for seat in seats}
    assert len(files) == 1


@pytest.mark.parametrize("seed", [1, 2, 3, *(pytest.param(seed, marks=pytest.mark.long) for seed in range(4, 31))])
def test_a_killed_process_comes_back_to_its_seat(loopback: House, seed: int) -> None:
    """Whatever it was doing."""
    crash_and_come_back(loopback, seed)


DIES = """
import os, signal
from p2pdice.net.{module} import {of}
{of}.{at} = lambda *positions, **names: os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.parametrize(("module", "of", "at"), [
    ("store", "Store", "transcript"),  # its part of the toss is out; nothing of the game is on its disk yet
    # What it will say first is on the disk, the transcript is empty.
    pytest.param("files", "Appender", "append", marks=pytest.mark.long),
])
@pytest.mark.parametrize("victim", ["host", "guest"])
def test_a_process_that_dies_while_the_game_begins_comes_back(
        loopback: House, tmp_path: Path, victim: str, module: str, of: str, at: str) -> None:
    """The others have the game already, and wait for this one."""
    (tmp_path / "sitecustomize.py").write_text(DIES.format(module=module, of=of, at=at))
    dies = {"PYTHONPATH": f"{tmp_path}{os.pathsep}{ROOT}"}
    options = ("--json", "--auto", "normal", *LOCAL)
    host = loopback.start("host", "--players", "3", "--drop-time", "60", *options,
                          environment=dies if victim == "host" else None)
    where = address(host)
    guests = [loopback.start("join", where, *options, environment=dies if victim == "guest" and number else None)
              for number in range(2)]
    died, others = (host, guests) if victim == "host" else (guests[1], [host, guests[0]])
    assert died.status() == -signal.SIGKILL
    back = loopback.start("join", "--resume", *options, state=died.state)
    others_finish([back, *others], {"clean": 3})


def test_there_is_nothing_to_resume_after_an_end(loopback: House) -> None:
    """A finished game leaves no secrets behind, and `--resume` says that there is none."""
    seats = table(loopback, 2)
    others_finish(seats, {"clean": 2})
    assert not list(seats[0].state.glob("identity-*/*.ahead"))
    again = loopback.start("join", "--resume", *LOCAL, state=seats[0].state)
    assert again.status() == 3
    assert "interrupted" in again.errors()


def test_a_table_whose_power_failed_is_taken_up_when_all_are_back(loopback: House, tmp_path: Path) -> None:
    """Who is back first finds nobody, ends by itself and loses nothing: another try finds the others."""
    (tmp_path / "sitecustomize.py").write_text("from p2pdice.protocol import clocks\nclocks.UNHEARD_S = 0.0\n")
    impatient = {"PYTHONPATH": f"{tmp_path}{os.pathsep}{ROOT}"}
    seats = table(loopback, 3)
    seats[-1].event("result")
    for seat in seats:
        seat.process.kill()
        seat.process.wait()
    options = ("join", "--resume", "--json", "--auto", "normal", *LOCAL)
    first = loopback.start(*options, state=seats[0].state, environment=impatient)
    assert first.status() == 1
    closed = first.event("closed")
    assert (closed["reason"], closed["again"]) == ("abandoned", True)
    seats = [loopback.start(*options, state=seat.state) for seat in seats]
    others_finish(seats, {"clean": 3})
    assert len({next(seat.state.glob("games/*.p2pdice")).read_bytes() for seat in seats}) == 1
