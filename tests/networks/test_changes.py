"""What befalls a game while it is played: another address, a cable out, a computer that sleeps, a player that is
killed. Links come back by themselves, and the seats with them."""

import os
import signal
import time
from collections.abc import Sequence

import pytest

from tests.games.tablehouse import Seat
from tests.networks.lan import Computer, Lan, within
from tests.networks.playing import QUICK, causes, doctor, find, host, join, one_clean_game

SLOW = ("--pace", "0.5", "--set", "starting_dice=3")  # a game that goes on for half a minute


def slow_game(computers: Sequence[Computer]) -> list[Seat]:
    """A game in its first round, from which half a minute of play is left."""
    seats = [host(computers[0], len(computers), *SLOW)]
    seats += [join(computer, "--pace", "0.5") for computer in computers[1:]]
    for seat in seats:
        seat.event("action")
    return seats


def assert_broken(seats: Sequence[Seat]) -> None:
    """The links were really lost in mid-game, and came back."""
    lines = [line for seat in seats for line in seat.lines]
    assert any('"event":"lost"' in line for line in lines)
    assert any('"event":"back"' in line for line in lines)


def move(computer: Computer, last: int, *, card: str = "eth0") -> None:
    """As after a new lease: the old address is gone, a moment later there is another one."""
    computer.ip("addr", "flush", "dev", card)
    time.sleep(1)
    computer.ip("addr", "add", f"10.77.0.{last}/24", "brd", "+", "dev", card)


@pytest.mark.parametrize("who", ["guest", pytest.param("host", marks=pytest.mark.long)])
def test_a_new_address_in_mid_game(net: Lan, who: str) -> None:
    """The one who moved dials the others, whom it knows; nobody waits for silence to show it."""
    computers = [net.computer() for _ in range(3)]
    seats = slow_game(computers)
    with within(90):
        move(computers[0 if who == "host" else 1], 50)
        one_clean_game(seats)
    assert_broken(seats)


@pytest.mark.long
def test_everyone_moves_at_once(net: Lan) -> None:
    """Other Wi-Fi: nobody knows anybody's address, and the players of the game find each other by multicast."""
    computers = [net.computer() for _ in range(3)]
    seats = slow_game(computers)
    with within(120):
        for computer in computers:
            computer.ip("addr", "flush", "dev", "eth0")
        for computer in computers:
            computer.ip("addr", "add", f"10.76.0.{computer.number + 20}/24", "brd", "+", "dev", "eth0")
        one_clean_game(seats)
    assert_broken(seats)


@pytest.mark.long
def test_a_new_address_before_the_game(net: Lan) -> None:
    """The host's screen shows the new line, and the table is found there."""
    table, guest = net.computer(), net.computer()
    hosting = host(table, 2)
    assert "10.77.0.1:" in hosting.event("listening")["line"]
    with within(40):
        move(table, 50)
        told = next(line for line in hosting.output() if "10.77.0.50:" in line)
        assert '"listening"' in told
        one_clean_game([hosting, join(guest)])


@pytest.mark.long
def test_a_network_that_comes_late(net: Lan) -> None:
    """The table was opened in the train; it is found once there is a network."""
    table, guest = net.computer(network=False), net.computer()
    hosting = host(table, 2)
    hosting.event("listening")
    with within(40):
        table.card("eth0", "first", 77, "4")
        one_clean_game([hosting, join(guest)])


@pytest.mark.long
def test_a_cable_out_for_five_seconds(net: Lan) -> None:
    """Nobody notices more than a pause."""
    computers = [net.computer() for _ in range(3)]
    seats = slow_game(computers)
    with within(90):
        computers[1].cut()
        time.sleep(5)
        computers[1].plug()
        one_clean_game(seats)


@pytest.mark.long
def test_a_cable_out_for_a_minute(net: Lan) -> None:
    """Shorter than the time after which silence may cost a seat: nobody loses anything by it."""
    computers = [net.computer() for _ in range(3)]
    seats = slow_game(computers)
    computers[1].cut()
    time.sleep(60)
    computers[1].plug()
    with within(120):
        one_clean_game(seats)
    assert_broken(seats)
    for seat in seats:
        assert set(seat.report().standings.values()) == {"clean"}
        assert not any('"event":"drop"' in line for line in seat.lines)


@pytest.mark.long
@pytest.mark.parametrize(("out_s", "drop_time_s", "pace_s"), [(60, 20, 3.0), (200, 90, 8.0)])
def test_a_cable_out_for_longer_than_the_drop_time(net: Lan, out_s: int, drop_time_s: int, pace_s: float) -> None:
    """The two who are left drop the third by their votes and play on; back, it learns so and ends."""
    computers = [net.computer() for _ in range(3)]
    pace = ("--pace", str(pace_s))
    seats = [host(computers[0], 3, *pace, "--set", "starting_dice=8", "--drop-time", str(drop_time_s))]
    seats += [join(computer, *pace) for computer in computers[1:]]
    for seat in seats:
        seat.event("action")
    begun = time.monotonic()
    computers[1].cut()
    for seat in (seats[0], seats[2]):
        drop = seat.event("drop")
        assert (drop["reason"], len(drop["players"]), len(drop["votes"])) == ("silent", 1, 2)
    assert time.monotonic() - begun < drop_time_s + 30
    time.sleep(max(0.0, begun + out_s - time.monotonic()))
    computers[1].plug()
    with within(30):
        assert seats[1].event("closed")["reason"] == "dropped"
        assert seats[1].status() == 1
    with within(300):
        one_clean_game([seats[0], seats[2]])
    for seat in (seats[0], seats[2]):
        assert sorted(seat.report().standings.values()) == ["clean", "clean", "dropped"]
    assert seats[1].report().findings == []


@pytest.mark.long
def test_a_computer_that_sleeps_for_some_seconds(net: Lan) -> None:
    """Stopped and woken up: the game goes on where it was."""
    computers = [net.computer() for _ in range(2)]
    seats = slow_game(computers)
    with within(90):
        os.kill(seats[1].process.pid, signal.SIGSTOP)
        time.sleep(4)
        os.kill(seats[1].process.pid, signal.SIGCONT)
        one_clean_game(seats)


@pytest.mark.long
def test_a_computer_that_sleeps_until_its_links_are_cut(net: Lan) -> None:
    """The others have hung up on it meanwhile; awake, it dials them, and they it."""
    computers = [net.computer() for _ in range(3)]
    seats = slow_game(computers)
    with within(120):
        os.kill(seats[1].process.pid, signal.SIGSTOP)
        time.sleep(15)
        os.kill(seats[1].process.pid, signal.SIGCONT)
        one_clean_game(seats)
    assert_broken(seats)


def test_a_frozen_host(net: Lan) -> None:
    """It takes connections and says nothing: no table to those who look, and a name to those who ask why."""
    table, guest = net.computer(), net.computer()
    hosting = host(table, 2)
    line = str(hosting.event("listening")["line"]).split()[-1]
    os.kill(hosting.process.pid, signal.SIGSTOP)
    try:
        with within(20):
            searching = guest.start("find", "--wait", "3")
            report, status = doctor(guest, line)
            assert (causes(report)[0], status) == ("frozen", 1)
            assert "p2pdice doctor" in "\n".join(searching.output())
    finally:
        os.kill(hosting.process.pid, signal.SIGCONT)


def test_a_killed_host_is_not_listed(net: Lan) -> None:
    """Its announcement outlives it in everyone's memory; nobody is sent there, and the next table is found."""
    table, guest = net.computer(), net.computer()
    hosting = host(table, 2, *QUICK, "--table", "ghost")
    hosting.event("listening")
    watching = guest.start("join", "--json", "--auto", "easy", "--wait", "60", "alive")
    assert [found["title"] for found in find(guest, 3)] == ["ghost"]
    hosting.process.kill()
    hosting.process.wait()
    with within(30):
        assert find(guest, 2) == []
        one_clean_game([host(table, 2, *QUICK, "--table", "alive"), watching])
