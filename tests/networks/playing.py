"""Games and searches by real processes on the computers of a test."""

import json
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from tests.games.tablehouse import Seat
from tests.networks.lan import Computer

AUTO = ("--json", "--auto", "normal")
QUICK = ("--set", "starting_dice=2")  # the network is to be seen, not the game


def host(computer: Computer, players: int, *options: str) -> Seat:
    """A table for so many, its seat played by a bot."""
    return computer.start("host", *AUTO, "--players", str(players), *(options or QUICK))


def join(computer: Computer, *options: str) -> Seat:
    """A bot that joins what it finds, or what `options` says."""
    return computer.start("join", *options, *AUTO, "--wait", "60")


def play(computers: Sequence[Computer], *options: str) -> None:
    """A whole game: the first one's table is found by all the others."""
    seats = [host(computers[0], len(computers), *options), *(join(computer) for computer in computers[1:])]
    one_clean_game(seats)


def one_clean_game(seats: Sequence[Seat]) -> None:
    """All ended well, and their transcripts are clean and of one game."""
    assert statuses(seats) == [0] * len(seats), [(seat.lines[-3:], seat.errors()) for seat in seats]
    reports = [seat.report() for seat in seats]
    assert {report.verdict for report in reports} == {"clean"}
    assert len({report.seated.game_id for report in reports if report.seated}) == 1
    assert len({report.winners for report in reports}) == 1


def statuses(seats: Sequence[Seat]) -> list[int]:
    """How all of them end. They are read side by side: one that nobody reads stops when its pipe is full."""
    with ThreadPoolExecutor(len(seats)) as pool:
        return list(pool.map(Seat.status, seats))


def address(seat: Seat) -> str:
    """The address in the line that the host's screen says to type."""
    return str(seat.event("listening")["line"]).removeprefix("p2pdice join ")


def find(computer: Computer, wait_s: float) -> list[dict[str, Any]]:
    """What `find` lists within that time."""
    seat = computer.start("find", "--json", "--wait", str(wait_s))
    return [json.loads(line) for line in seat.output()]


def doctor(computer: Computer, *target: str) -> tuple[dict[str, Any], int]:
    """What `doctor` reports, and its status."""
    return report(ask_doctor(computer, *target))


def ask_doctor(computer: Computer, *target: str) -> Seat:
    """A doctor at work."""
    return computer.start("doctor", *target, "--json")


def report(asked: Seat) -> tuple[dict[str, Any], int]:
    """What a doctor reports in the end, and its status."""
    status = asked.status()
    assert len(asked.lines) == 1, (asked.lines, asked.errors())
    return json.loads(asked.lines[0]), status


def causes(report: dict[str, Any]) -> list[str]:
    """The words for what a doctor found wrong."""
    return [cause["cause"] for cause in report["causes"]]
