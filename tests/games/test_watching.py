"""Real processes that watch: from the lobby on, in mid-game, with a code, and when the one they watch through is
killed. In each game one seat is the test's own, so that nothing ends before those who are to see it are there."""

import json
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.games.tablehouse import House, Seat, open_house

ALONE = ("--no-mdns", "--bind", "127.0.0.1")
BOT = ("--json", "--auto", "easy", *ALONE)
# One process's own news, or a link's.
OWN = ("listening", "lobby", "dice", "may", "watching", "trouble", "lost", "back", "new-key")


@pytest.fixture
def loopback(tmp_path: Path) -> Iterator[House]:
    """This computer's loopback, without mDNS."""
    with open_house(tmp_path) as made:
        yield made


def address(seat: Seat) -> str:
    """Where a host on loopback is reached."""
    return f"127.0.0.1:{seat.event('listening')['port']}"


def read(seat: Seat, start: int) -> Iterator[tuple[int, dict[str, Any]]]:
    """Its JSON objects from a line on, each with the number of the line after it."""
    for number, line in enumerate(seat.output(), 1):
        if number > start:
            yield number, json.loads(line)


def turn(seat: Seat) -> int:
    """Wait until a seat that the test plays is in turn for the first time; the number of that line."""
    return next(number for number, event in read(seat, 0) if event["event"] == "turn" and event["legal"]) - 1


def play(seat: Seat, start: int, most: int = 1000) -> int:
    """Answer the turns of that seat from a line on, to the end of the game: doubt, or bid the least. After so many
    answers: the number of the line of the next turn."""
    for number, event in read(seat, start):
        if event["event"] == "turn" and event["legal"]:
            if not most:
                return number - 1
            most -= 1
            seat.say("dudo" if "dudo" in event["legal"] else event["legal"][0])
    return len(seat.lines)


def course(seat: Seat) -> list[dict[str, Any]]:
    """The moves and what came of them; who voted for a drop may be told otherwise by another player's record."""
    kinds = ("round", "action", "showdown", "result", "drop", "gone", "end")
    return [event | ({"votes": []} if "votes" in event else {}) for event in public(seat) if event["event"] in kinds]


def free_port() -> int:
    """A port that nobody has just now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def public(seat: Seat) -> list[dict[str, Any]]:
    """All that a process was told by JSON, without what is its own."""
    told = [json.loads(line) for line in seat.lines]
    own = {"you": None, "legal": None, "transcript": None}
    return [event | {key: None for key in own if key in event} for event in told if event["event"] not in OWN]


def test_a_game_is_watched_from_the_lobby_and_from_its_middle(loopback: House) -> None:
    """By programs and by a person: the same events, no dice, no legal moves; all end with 0 and a clean record."""
    host = loopback.start("host", "--players", "3", *BOT)
    where = address(host)
    program = loopback.start("join", where, "--watch", "--json", *ALONE)
    program.event("lobby")
    guest, own = loopback.start("join", where, *BOT), loopback.start("join", where, "--json", *ALONE)
    at = play(own, 0, 2)
    person = loopback.start("join", where, "--watch", "--plain", *ALONE)
    late = loopback.start("join", where, "--watch", "--json", *ALONE)
    late.event("round")
    assert any(line.startswith("Round") for line in person.output())
    person.say("5x3", "/say hi", "", "/who")
    assert any(line.startswith("root: ") for line in person.output())
    play(own, at)
    seats = (host, program, guest, own, person, late)
    assert [seat.status() for seat in seats] == [0] * len(seats), [seat.errors() for seat in seats]
    assert {(seat.report().verdict, seat.report().winners) for seat in seats} == {("clean", host.report().winners)}
    assert public(program) == public(host)
    told = [json.loads(line) for line in program.lines]
    assert {(event["own"], tuple(event["seen"])) for event in told if event["event"] == "dice"} == {(None, ())}
    assert {event["legal"] for event in told if event["event"] == "turn"} == {None}
    assert [event["you"] for event in told if event["event"] == "table"] == [None]
    assert told[-1]["event"] == "closed"
    assert course(late) == course(host)[-len(course(late)):]
    text = "\n".join(person.lines)
    assert text.count("You are watching: only those") == 2
    assert "check it with" in text
    counts = {event["count"] for line in host.lines if (event := json.loads(line))["event"] == "watching"}
    assert counts >= {1, 3}
    assert not [line for player in (host, guest, own) for line in player.lines if '"event":"chat"' in line]


@pytest.mark.parametrize("victim", [0, pytest.param(1, marks=pytest.mark.long)])
def test_the_process_that_is_watched_is_killed(loopback: House, victim: int) -> None:
    """The host's, or a guest's that was asked in mid-game: another player's goes on showing the game to its end."""
    players = [loopback.start("host", "--players", "4", "--drop-time", "2", *BOT)]
    where, port = address(players[0]), free_port()
    players += [loopback.start("join", where, "--port", str(port), *BOT), loopback.start("join", where, *BOT)]
    own = loopback.start("join", where, "--json", *ALONE)
    at = turn(own)
    watcher = loopback.start("join", f"127.0.0.1:{port}" if victim else where, "--watch", "--json", *ALONE)
    watcher.event("turn")
    players[victim].process.kill()
    play(own, at)
    assert watcher.status() == 0, watcher.lines[-5:]
    rest = [own, *(player for number, player in enumerate(players) if number != victim)]
    assert [player.status() for player in rest] == [0] * 3
    assert watcher.report().verdict == "clean"
    assert watcher.report().winners == own.report().winners
    assert course(watcher) == course(own)[-len(course(watcher)):]
    assert any(event["event"] == "drop" for event in course(watcher))


@pytest.mark.long  # in memory too: tests/protocol/test_watching.py
def test_a_code_is_asked_of_those_who_watch_too(loopback: House) -> None:
    """In mid-game as well; without it nothing but that there is a table."""
    host = loopback.start("host", "--players", "2", "--set", "starting_dice=2", "--code", "our own words", *BOT)
    where = address(host)
    own = loopback.start("join", where, "--json", "--code", "our-own-words", *ALONE)
    at = turn(own)
    wrong = [loopback.start("join", where, "--watch", "--plain", *code, *ALONE) for code in ((), ("--code", "other"))]
    assert [seat.status() for seat in wrong] == [3, 3]
    assert "--code WORDS" in "\n".join(wrong[0].lines)
    assert "not the room code" in "\n".join(wrong[1].lines)
    assert not any("Round" in line or "bids" in line for seat in wrong for line in seat.lines)
    right = loopback.start("join", where, "--watch", "--json", "--code", "Our own words", *ALONE)
    right.event("turn")
    play(own, at)
    assert [seat.status() for seat in (host, own, right)] == [0, 0, 0]
    assert right.report().verdict == "clean"


def test_whoever_quits_watching_is_missed_by_nobody(loopback: House) -> None:
    """Status 0, the record as far as it went, and the game goes on."""
    host = loopback.start("host", "--players", "2", "--set", "starting_dice=2", *BOT)
    own = loopback.start("join", address(host), "--json", *ALONE)
    at = turn(own)
    watcher = loopback.start("join", address(host), "--watch", "--json", *ALONE)
    watcher.event("turn")
    watcher.say("/quit")
    assert watcher.status() == 0
    assert json.loads(watcher.lines[-1])["reason"] == "left"
    assert watcher.report().verdict == "incomplete"
    play(own, at)
    assert [host.status(), own.status()] == [0, 0]
