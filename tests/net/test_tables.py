"""Tables as they answer: each hint is asked, at most three times, before anybody hears of it."""

import asyncio
from collections.abc import Callable

import pytest

from p2pdice.net import tables as module
from p2pdice.net.cards import Found
from p2pdice.net.hints import Hint
from p2pdice.net.tables import tables
from p2pdice.protocol import frames
from tests.net.netkit import HOST, LIMIT_S, Door, key

ROOM = b"r" * 16


def card(state: str = "open", room: bytes = ROOM) -> bytes:
    """What a table answers."""
    return frames.encode(frames.Card(room, "Mesa", state, 4, ("Ana",), "perudo", (), 120, 90))


class FakeDiscovery:
    """Reports the hints of a test, and a forgotten one again, as the real one does."""

    hints: tuple[Hint, ...] = ()
    reported = 0

    def __init__(self, bind: str | None) -> None:
        self._found: Callable[[Hint], None] = lambda hint: None

    async def start(self) -> None:
        """Nothing to open."""

    def browse(self, found: Callable[[Hint], None], gone: Callable[[str], None]) -> None:
        """Report all hints."""
        self._found = found
        for hint in self.hints:
            self._report(hint)

    def forget(self, instance: str) -> None:
        """Report it again."""
        asyncio.get_running_loop().call_soon(self._report, next(h for h in self.hints if h.instance == instance))

    def _report(self, hint: Hint) -> None:
        FakeDiscovery.reported += 1
        self._found(hint)

    async def aclose(self) -> None:
        """Nothing to close."""


@pytest.fixture(autouse=True)
def _fake(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "Discovery", FakeDiscovery)
    monkeypatch.setattr(FakeDiscovery, "reported", 0)


async def answering(door: Door, answers: list[bytes]) -> None:
    """Give each visitor the next answer."""
    for answer in answers:
        visitor = await door.channel()
        assert frames.decode(await visitor.receive() or b"") == frames.Look()
        visitor.send(answer)


async def test_a_table_is_shown_once_however_often_it_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two hints lead to one table, a third to a game that has begun: one table is shown, under a working address."""
    async with Door(key(2)).open() as door:
        answerer = asyncio.create_task(answering(door, [card(), card(), card("playing", b"s" * 16)]))
        monkeypatch.setattr(FakeDiscovery, "hints", tuple(
            Hint(name, ((HOST, door.port),), title="as it says") for name in ("a", "b", "c")))
        seen: list[Found] = [found async for found in tables(0.5)]
        assert seen == [Found(ROOM.hex(), "Mesa", ("Ana",), 4, "perudo", "open", (HOST, door.port))]
        await answerer


async def test_who_iterates_is_not_cut_off_by_the_search_ending(monkeypatch: pytest.MonkeyPatch) -> None:
    """The time of the search runs out while the caller is busy with a table: the caller is not disturbed."""
    async with Door(key(2)).open() as door:
        answerer = asyncio.create_task(answering(door, [card()]))
        monkeypatch.setattr(FakeDiscovery, "hints", (Hint("a", ((HOST, door.port),)),))
        over = asyncio.Event()
        count = 0
        async for _ in tables(0.3):
            count += 1
            asyncio.get_running_loop().call_later(0.4, over.set)
            await over.wait()
        assert count == 1
        await answerer


@pytest.mark.parametrize("answer", [b"", b"\xc0", frames.encode(frames.Look())], ids=["beat", "nothing", "no-card"])
async def test_a_hint_that_leads_nowhere_is_asked_three_times(
        monkeypatch: pytest.MonkeyPatch, answer: bytes) -> None:
    """What answers there is no table, or hangs up: it is left alone after the third time."""
    async with Door(key(2)).open() as door:
        async def hang_up() -> None:
            for _ in range(module.MOST_MISSES):
                visitor = await door.channel()
                visitor.send(answer)
                visitor.close()

        hanging_up = asyncio.create_task(hang_up())
        monkeypatch.setattr(FakeDiscovery, "hints", (Hint("a", ((HOST, door.port),)),))
        assert [found async for found in tables(0.5)] == []
        await asyncio.wait_for(hanging_up, LIMIT_S)
        assert FakeDiscovery.reported == module.MOST_MISSES


async def test_an_address_that_leads_to_another_table_is_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    """Both computers have that address on some bridge: the one announced is shown, under the address that is its."""
    async with Door(key(2)).open() as own, Door(key(3)).open() as right:
        answerers = [asyncio.create_task(answering(own, [card(room=b"o" * 16)])),
                     asyncio.create_task(answering(right, [card()]))]
        monkeypatch.setattr(FakeDiscovery, "hints", (
            Hint("a", ((HOST, own.port), (HOST, right.port)), room=ROOM.hex()),))
        [found] = [found async for found in tables(1.0)]
        assert found.id == ROOM.hex()
        await asyncio.gather(*answerers)


async def test_players_who_look_for_each_other_are_no_table(monkeypatch: pytest.MonkeyPatch) -> None:
    """Their announcements are not asked: a guest answers no stranger."""
    async with Door(key(2)).open() as door:
        monkeypatch.setattr(FakeDiscovery, "hints", (Hint("a", ((HOST, door.port),), state="playing"),))
        assert [found async for found in tables(0.2)] == []
        assert door._outcomes.empty()
