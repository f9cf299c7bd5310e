"""Whole games of real processes: found by mDNS or by address, played by bots, by piped lines and by a program."""

import json
import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import require
from tests.games.tablehouse import House, Seat, can_make_namespaces, house, open_house


@pytest.fixture
def network(tmp_path: Path) -> Iterator[House]:
    """A network of its own, where mDNS works and nothing leaves."""
    require(can_make_namespaces(), "needs root and network namespaces")
    with house(tmp_path) as made:
        yield made


@pytest.fixture
def loopback(tmp_path: Path) -> Iterator[House]:
    """This computer's loopback, without mDNS."""
    with open_house(tmp_path) as made:
        yield made


def address(host: Seat) -> str:
    """Where a host on loopback can be joined."""
    return f"127.0.0.1:{host.event('listening')['port']}"


def one_clean_game(seats: list[Seat]) -> None:
    """All ended well, and their transcripts are clean and tell of one game, with the same words and winner."""
    assert [seat.status() for seat in seats] == [0] * len(seats), [seat.errors() for seat in seats]
    reports = [seat.report() for seat in seats]
    assert {report.verdict for report in reports} == {"clean"}
    assert len({report.winners for report in reports}) == 1
    seated = [report.seated for report in reports]
    assert len({(found.game_id, found.words) for found in seated if found}) == 1


@pytest.mark.parametrize("players", [3, 6])
def test_games_found_by_mdns_only(network: House, players: int) -> None:
    """Nobody is told an address: `join` finds the only table."""
    seats = [network.start("host", "--auto", "normal", "--players", str(players))]
    seats += [network.start("join", "--auto", "normal", "--wait", "30") for _ in range(players - 1)]
    one_clean_game(seats)


@pytest.mark.smoke
def test_a_game_by_address_without_mdns(loopback: House) -> None:
    """`join HOST:PORT` needs nothing but the address."""
    host = loopback.start("host", "--json", "--auto", "normal", "--players", "3", "--no-mdns", "--bind", "127.0.0.1")
    where = address(host)
    guests = [loopback.start("join", where, "--auto", "normal", "--no-mdns", "--bind", "127.0.0.1") for _ in range(2)]
    one_clean_game([host, *guests])


def test_a_person_whose_moves_are_piped(loopback: House) -> None:
    """Lines are taken one a turn, whenever the turn comes; nonsense among them costs nothing."""
    host = loopback.start("host", "--json", "--auto", "normal", "--bots", "1", "--players", "3", "--no-mdns", "--bind",
                          "127.0.0.1")
    person = loopback.start("join", address(host), "--plain", "--no-mdns", "--bind", "127.0.0.1")
    person.say("", "what?", "9999x9")
    person.say(*["lo dudo", "uno doses"] * 60)
    one_clean_game([host, person])
    told = "\n".join(person.lines)
    assert "\x1b" not in told
    assert "Your turn" in told


def test_a_small_program_over_json(loopback: House) -> None:
    """A dozen lines are enough to play: read objects, answer `turn` with one of its legal actions."""
    host = loopback.start("host", "--json", "--auto", "normal", "--players", "2", "--no-mdns", "--bind", "127.0.0.1")
    program = loopback.start("join", address(host), "--json", "--no-mdns", "--bind", "127.0.0.1")
    choice = random.Random(1)
    seen = []
    for line in program.output():
        event = json.loads(line)
        seen.append(event["event"])
        if event["event"] == "turn" and event["legal"]:
            program.say(choice.choice(event["legal"]))
        if event["event"] == "closed":
            break
    assert {"lobby", "table", "round", "dice", "turn", "action", "showdown", "result", "end", "closed"} <= set(seen)
    assert seen[-1] == "closed"
    one_clean_game([host, program])


def test_one_process_plays_with_its_bots(loopback: House) -> None:
    """`host --bots 2 --players 3` needs nobody else."""
    one_clean_game([loopback.start("host", "--auto", "hard", "--bots", "2", "--players", "3", "--no-mdns", "--bind",
                                   "127.0.0.1")])


def test_two_terminals_on_one_computer(loopback: House, tmp_path: Path) -> None:
    """With one state folder each process takes an identity of its own."""
    shared = tmp_path / "shared"
    host = loopback.start("host", "--json", "--auto", "easy", "--players", "2", "--no-mdns", "--bind", "127.0.0.1",
                          state=shared)
    guest = loopback.start("join", address(host), "--auto", "easy", "--no-mdns", "--bind", "127.0.0.1", state=shared)
    assert [host.status(), guest.status()] == [0, 0]
    assert len(list((shared / "games").glob("*.p2pdice"))) == 2
    assert sorted(path.name for path in shared.glob("identity-*")) == ["identity-1", "identity-2"]


def test_the_transcript_is_complete_after_kill(loopback: House) -> None:
    """kill -9 in mid-game: the file holds, up to the last entry that was flushed."""
    host = loopback.start("host", "--json", "--auto", "normal", "--bots", "1", "--players", "3", "--no-mdns", "--bind",
                          "127.0.0.1")
    guest = loopback.start("join", address(host), "--json", "--no-mdns", "--bind", "127.0.0.1")
    guest.event("turn")
    guest.process.kill()
    guest.process.wait()
    report = guest.report()
    assert (report.verdict, report.findings) == ("incomplete", [])
    assert report.entries > 5


@pytest.mark.parametrize(("arguments", "status", "text"), [
    (["host", "--rules", "poker"], 2, "poker"),
    (["host", "--set", "wild_ones=maybe"], 2, "wild_ones"),
    (["host", "--set", "aces=on"], 2, "aces"),
    (["host", "--players", "40"], 2, "32"),
    (["join", "127.0.0.1:1"], 3, "port"),
    (["verify", "no-such-file"], 2, "no-such-file"),
])
def test_bad_input_has_one_clear_answer(loopback: House, arguments: list[str], status: int, text: str) -> None:
    """A line that says what is wrong, the status that says whose fault it is, and no traceback."""
    one_clear_answer(loopback.start(*arguments), status, text)


def test_where_nobody_plays_the_answer_says_what_to_ask_for(network: House) -> None:
    """Loopback would not do: others on this computer may play there."""
    one_clear_answer(network.start("join", "--wait", "0.2"), 3, "HOST:PORT")


def one_clear_answer(seat: Seat, status: int, text: str) -> None:
    """It ends by itself, with that status."""
    assert seat.process.stdin is not None
    seat.process.stdin.close()
    seat.process.stdin = None
    assert seat.status() == status
    errors = seat.errors()
    assert text in errors
    assert "Traceback" not in errors


def test_ports(loopback: House) -> None:
    """A taken port: the next of the range, printed; an explicit one: status 2."""
    first = loopback.start("host", "--json", "--players", "2", "--no-mdns", "--bind", "127.0.0.1")
    second = loopback.start("host", "--json", "--players", "2", "--no-mdns", "--bind", "127.0.0.1")
    ports = [first.event("listening")["port"], second.event("listening")["port"]]
    assert ports[0] != ports[1]
    third = loopback.start("host", "--players", "2", "--no-mdns", "--bind", "127.0.0.1", "--port", str(ports[0]))
    assert third.status() == 2
    assert str(ports[0]) in third.errors()
