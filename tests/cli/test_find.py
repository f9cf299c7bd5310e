"""Which table is meant: addresses, titles, ids, and what to say when it is not clear."""

import asyncio
import signal
import sys
from collections.abc import AsyncGenerator
from dataclasses import replace
from io import StringIO

import pytest

from p2pdice.cli import find, start
from p2pdice.cli.complaint import NO_TABLE, Complaint
from p2pdice.cli.signals import SIGNALS
from p2pdice.net.cards import Found
from p2pdice.net.errors import DiscoveryFailed, ListenError
from p2pdice.net.hints import Hint
from tests.cli.test_main import run

CAFE = Found("abcdef0123456789" * 2, "Café", ("Ana", "Beto"), 3, "perudo", "open", ("10.0.0.5", 47600))
BAR = Found("abcd000000000000" * 2, "Bar", ("Caro",), None, "dudo", "open", ("fe80::1%eth0", 47601))
EVIL = Found("beef" * 8, "\x1b[2J\u202eCasino", ("x",), None, "\x07perudo", "open", ("10.0.0.6", 47600))


@pytest.mark.parametrize(
    ("target", "address"),
    [
        ("10.0.0.5:47601", ("10.0.0.5", 47601)),
        ("10.0.0.5", ("10.0.0.5", 47600)),
        ("localhost", ("localhost", 47600)),
        ("ana-pc.local:50000", ("ana-pc.local", 50000)),
        ("ana-pc:50000", ("ana-pc", 50000)),
        ("[fe80::1%wlan0]:47600", ("fe80::1%wlan0", 47600)),
        ("[fd77::1]", ("fd77::1", 47600)),
        ("fd77::1", ("fd77::1", 47600)),
        ("Café", None),
        ("abcd", None),
        ("Ana y Beto: la mesa", None),
        ("ana:", ("ana", 47600)),
        ("ana:99999", None),
        ("ana:port", None),
        ("[fd77::1]x", None),
        ("", None),
    ],
)
def test_addresses_are_told_from_titles(target: str, address: tuple[str, int] | None) -> None:
    """HOST, HOST:PORT, IPv6 with and without brackets; all else can only be a table's name."""
    assert find.as_address(target) == address


def test_a_table_is_meant_by_title_or_first_letters_of_its_id() -> None:
    """Capitals do not matter; part of a title is not enough."""
    assert find.fits(CAFE, "café")
    assert find.fits(CAFE, "ABCDE")
    assert not find.fits(CAFE, "Caf")
    assert not find.fits(BAR, "abcde")


def test_the_only_table_is_joined() -> None:
    """No question where there is nothing to ask."""
    assert find.only([CAFE], None) == ("10.0.0.5", 47600)


@pytest.mark.parametrize("target", [None, "Nowhere"])
def test_no_table_is_status_3_with_a_way_out(target: str | None) -> None:
    """Joining by address always works, and the hint says so."""
    with pytest.raises(Complaint) as complaint:
        find.only([], target)
    assert complaint.value.status == NO_TABLE
    assert "p2pdice join HOST:PORT" in complaint.value.hint


def test_several_tables_and_nobody_to_ask_is_status_3_with_a_list() -> None:
    """The list says what to type."""
    with pytest.raises(Complaint) as complaint:
        find.only([CAFE, BAR], None)
    assert complaint.value.status == NO_TABLE
    assert complaint.value.hint.splitlines() == [
        "Café (perudo, 2 of 3 players): p2pdice join abcdef01",
        "Bar (dudo, 1 player): p2pdice join abcd0000",
    ]


def test_several_tables_and_a_person_to_ask() -> None:
    """The answer decides."""
    assert find.only([CAFE, BAR], None, ask=lambda tables: tables[1]) == BAR.address
    with pytest.raises(Complaint):
        find.only([CAFE, BAR], None, ask=lambda tables: None)


@pytest.mark.parametrize(("answer", "table"), [("2", BAR), (" 1 ", CAFE), ("0", None), ("3", None), ("", None)])
def test_asking_a_person(
    answer: str, table: Found | None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Numbered choices; anything else is no choice."""
    monkeypatch.setattr("builtins.input", lambda prompt: answer)
    assert find._ask([CAFE, BAR]) == table
    assert capsys.readouterr().out.startswith("1. Café")


def test_what_strangers_announce_is_inert() -> None:
    """A title cannot repaint the terminal, in words or in JSON."""
    assert find.described(EVIL) == "[2JCasino (perudo, 1 player): p2pdice join beefbeef"


def test_the_json_form_names_an_address_one_can_type() -> None:
    """IPv6 gets its brackets."""
    assert find.as_object(BAR) == {
        "id": BAR.id, "title": "Bar", "seats": ["Caro"], "needed": None, "system": "dudo",
        "address": "[fe80::1%eth0]:47601", "code": False,
    }


@pytest.mark.parametrize(("code", "typed", "given"), [(True, "bido kare muna", "bido kare muna"), (False, "x", "")])
async def test_a_person_is_asked_for_the_code_of_a_table_that_needs_one(
    monkeypatch: pytest.MonkeyPatch, code: bool, typed: str, given: str
) -> None:
    """The table is asked first; nobody is bothered about a code that is not needed."""
    asked: list[Hint] = []

    async def ask_card(hint: Hint) -> Found:
        asked.append(hint)
        return replace(CAFE, code=code)

    monkeypatch.setattr(find, "ask_card", ask_card)
    monkeypatch.setattr("builtins.input", lambda prompt: typed)
    assert await find.ask_code(("10.0.0.5", 47600)) == given
    assert [hint.addresses for hint in asked] == [(("10.0.0.5", 47600),)]


@pytest.mark.parametrize("number", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_a_question_can_be_interrupted(monkeypatch: pytest.MonkeyPatch, number: str) -> None:
    """At once, and not when Enter is pressed at last: asyncio's own answer to a signal is for coroutines that wait."""
    if not hasattr(signal, number):
        pytest.skip("not on this system")
    answered: list[str] = []

    def interrupted(prompt: str) -> str:
        signal.raise_signal(getattr(signal, number))
        return "too late"

    async def ask() -> None:
        start._end_like_ctrl_c()
        answered.append(find._typed("Room code: "))

    monkeypatch.setattr("builtins.input", interrupted)
    before = [signal.getsignal(each) for each in SIGNALS]
    try:
        with pytest.raises(KeyboardInterrupt):
            asyncio.run(ask())
    finally:
        for each, handler in zip(SIGNALS, before, strict=True):
            signal.signal(each, handler)
    assert answered == []


def test_a_table_with_a_code_tells_how_to_join_it() -> None:
    """Who sits there and by which rules is not known before the code is."""
    closed = replace(CAFE, names=(), system="", code=True)
    assert find.described(closed) == "Café (asks for a room code): p2pdice join abcdef01 --code WORDS"


@pytest.mark.parametrize("bind", ["nonsense", "192.0.2.7"])
def test_an_address_that_is_not_this_computers(bind: str) -> None:
    """It is the address that is wrong, not the network: said before anything is looked for, as for a host."""
    done = run("join", "--bind", bind, "--lang", "en", "--name", "Ana")
    assert done.returncode == 2
    assert done.stderr.splitlines() == [f"p2pdice: {bind}: not an address of this computer", "Leave out --bind."]


class _Terminal(StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("stream", [_Terminal, StringIO])
async def test_a_person_is_told_what_is_waited_for(
    monkeypatch: pytest.MonkeyPatch, stream: type[StringIO]
) -> None:
    """Looking may take ten seconds, and listing goes on until it is ended; a pipe needs no such line."""
    async def one(wait_s: float | None, *, bind: str | None) -> AsyncGenerator[Found, None]:
        yield CAFE

    monkeypatch.setattr(find, "tables", one)
    monkeypatch.setattr(sys, "stdout", out := stream())
    assert await find.choose(None, 1.0) == CAFE.address
    assert await find._list(None if out.isatty() else 1.0, as_json=False) == 0
    looking = ["Looking for tables on this network."]
    listing = ["Tables on this network, as they appear; Ctrl-C ends."]
    told = [*looking, *listing] if stream is _Terminal else []
    assert out.getvalue().splitlines() == [*told, find.described(CAFE)]
    assert await find.choose("10.0.0.5", 1.0) == ("10.0.0.5", 47600)
    assert out.getvalue().count("Looking") == len(told) // 2


async def test_an_address_of_this_computer_may_have_no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing can be announced over some: then it is not the address that is wrong."""
    def nowhere(wait_s: float, *, bind: str) -> AsyncGenerator[Found, None]:
        raise DiscoveryFailed("no-interface")

    monkeypatch.setattr(find, "tables", nowhere)
    with pytest.raises(DiscoveryFailed, match="no-interface"):
        await find.choose(None, 1.0, "127.0.0.1")
    with pytest.raises(ListenError, match="bad-address"):
        await find.choose(None, 1.0, "192.0.2.7")
