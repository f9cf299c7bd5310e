"""Tables with a room code, by real processes: who sits down, who is sent away, and what a stranger sees."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import require
from tests.games.tablehouse import House, Seat, can_make_namespaces, house, open_house

ALONE = ("--no-mdns", "--bind", "127.0.0.1")


@pytest.fixture
def loopback(tmp_path: Path) -> Iterator[House]:
    """This computer's loopback, without mDNS."""
    with open_house(tmp_path) as made:
        yield made


def told(seat: Seat) -> str:
    """All that a process had to say, once it has ended."""
    seat.status()
    return "\n".join(seat.lines) + seat.errors()


def test_only_who_knows_the_code_sits_down(loopback: House) -> None:
    """No code, a wrong one, a code for a table without one: status 3 and a sentence. The right one, however typed:
    a game."""
    host = loopback.start("host", "--json", "--auto", "easy", "--players", "3", "--code", *ALONE)
    where = f"127.0.0.1:{host.event('listening')['port']}"
    code = host.event("lobby")["code"]
    assert len(code.split("-")) == 3
    without = loopback.start("join", where, "--auto", "easy", *ALONE)
    wrong = loopback.start("join", where, "--auto", "easy", "--code", "bado bedo bido", *ALONE)
    assert [without.status(), wrong.status()] == [3, 3]
    assert "--code" in told(without)
    assert "not the room code" in told(wrong)
    right = [loopback.start("join", where, "--json", "--auto", "easy", "--code", typed, *ALONE)
             for typed in (code, code.upper().replace("-", " "))]
    assert right[0].event("lobby")["code"] == code
    assert [seat.status() for seat in (host, *right)] == [0, 0, 0]
    assert {seat.report().verdict for seat in (host, *right)} == {"clean"}

    plain = loopback.start("host", "--json", "--auto", "easy", "--players", "2", *ALONE)
    where = f"127.0.0.1:{plain.event('listening')['port']}"
    assert plain.event("lobby")["code"] is None
    surprised = loopback.start("join", where, "--auto", "easy", "--code", code, *ALONE)
    assert surprised.status() == 3
    assert "no room code" in told(surprised)


def test_a_stranger_finds_title_and_state(tmp_path: Path) -> None:
    """`find` names the table and says that it asks for a code; names and rules are not told."""
    require(can_make_namespaces(), "needs root and network namespaces")
    with house(tmp_path) as network:
        host = network.start("host", "--json", "--name", "Ana", "--table", "Mesa", "--rules", "dudo", "--players", "2",
                             "--code", "our own words")
        assert host.event("lobby")["code"] == "our-own-words"
        found = network.start("find", "--json", "--wait", "3")
        assert found.status() == 0
        (table,) = (json.loads(line) for line in found.lines)
        assert (table["title"], table["code"]) == ("Mesa", True)
        assert (table["seats"], table["needed"], table["system"]) == ([], None, "")
        shown = network.start("find", "--wait", "3")
        assert shown.status() == 0
        assert "Ana" not in "\n".join(shown.lines)
        assert "--code" in shown.lines[0]
