"""What the driver does when something of our own is wrong: it ends, and says so."""

import asyncio
from collections.abc import Callable
from dataclasses import replace

import pytest

from p2pdice.net import driver as driver_module
from p2pdice.net.channel import VERSION
from p2pdice.net.driver import VERSIONS_PER_MINUTE, Driver
from p2pdice.net.errors import ChannelError, ListenError, PortTaken, VersionMismatch
from p2pdice.net.mesh import Mesh
from p2pdice.net.seats import again, host, join
from p2pdice.net.settings import Before, Settings
from p2pdice.protocol import heartbeat
from p2pdice.protocol.events import Event, Listening, LobbyChanged, TableFormed
from p2pdice.protocol.peer import Peer
from p2pdice.rules import PRESETS, make_ruleset


async def test_a_fault_inside_a_callback_ends_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """The event loop would only log it, and the process wait for ever at a table that nobody tends."""
    def broken(peer: Peer, now: float) -> None:
        raise RuntimeError("a bug")

    driver = host(Settings(name="Ana", folder=None, bind="127.0.0.1", port=0, mdns=False), title=None,
                  rules=PRESETS["perudo"], players=2, bots=0, bot_level="easy", turn_time_s=60, drop_time_s=60)
    seen: list[Event] = []
    driver.on_event = seen.append
    monkeypatch.setattr(Peer, "tick", broken)
    with pytest.raises(RuntimeError, match="a bug"):
        async with asyncio.timeout(20):
            await driver.run()
    assert any(isinstance(event, Listening) for event in seen)


async def test_strangers_with_another_version_do_not_fill_the_screen() -> None:
    """A line says that somebody has to update; whoever knocks with a wrong version without end is not told of."""
    driver = host(Settings(name="Ana", folder=None), title=None, rules=PRESETS["perudo"], players=2, bots=0,
                  bot_level="easy", turn_time_s=60, drop_time_s=60)
    seen: list[Event] = []
    driver.on_event = seen.append
    for number in range(100):
        driver._refused(VersionMismatch((number, 1), VERSION), "192.0.2.7")
    assert len(seen) == VERSIONS_PER_MINUTE


async def test_an_address_that_is_none_is_an_error_like_any_other() -> None:
    """What --bind says reaches the network unread."""
    settings = Settings(name="Ana", folder=None, bind="nonsense", mdns=False)
    opening = host(settings, title=None, rules=PRESETS["perudo"], players=2, bots=0, bot_level="easy", turn_time_s=60,
                   drop_time_s=60)
    for driver in (opening, join(settings, ("127.0.0.1", 9), wanted=None)):
        with pytest.raises(ListenError, match="bad-address"):
            await driver.run()


async def test_the_clock_runs_in_a_flood(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each frame may change when the clock has something to do; frames without a pause do not keep it from doing it."""
    driver = host(Settings(name="Ana", folder=None, bind="127.0.0.1", port=0, mdns=False), title=None,
                  rules=PRESETS["perudo"], players=2, bots=0, bot_level="easy", turn_time_s=60, drop_time_s=60)
    monkeypatch.setattr(heartbeat, "PING_S", 0.01)
    ticks: list[float] = []

    def ticked(peer: Peer, now: float, tick: Callable[[Peer, float], None] = Peer.tick) -> None:
        ticks.append(now)
        tick(peer, now)

    monkeypatch.setattr(Peer, "tick", ticked)
    running = asyncio.create_task(driver.run())
    async with asyncio.timeout(20):
        while len(ticks) < 5:
            driver._received(bytes(32), b"noise")
            await asyncio.sleep(0)
    driver.quit()
    await running


SETTINGS = Settings(name="Ana", folder=None, bind="127.0.0.1", mdns=False, consent=True, auto="easy")


async def _begun(players: int = 2) -> tuple[Driver, "asyncio.Task[int]", Driver]:
    """A host, its run and a guest for it; they play by themselves."""
    first = host(SETTINGS, title=None, rules=make_ruleset("doodoo", {"starting_dice": "1"}), players=players, bots=0,
                 bot_level="easy", turn_time_s=0, drop_time_s=60)
    opened = asyncio.get_running_loop().create_future()
    first.on_event = lambda event: opened.set_result(event.port) if isinstance(event, Listening) else None
    hosting = asyncio.create_task(first.run())
    return first, hosting, join(replace(SETTINGS, name="Beto"), ("127.0.0.1", await opened), wanted=None)


async def test_who_plays_again_does_so_at_the_port_it_had() -> None:
    """A guest that takes the first free port takes the host's, when both are on one computer and it is the quicker."""
    async with asyncio.timeout(60):
        first, hosting, guest = await _begun()
        assert [await guest.run(), await hosting] == [0, 0]
    assert [again(driver).settings.port for driver in (first, guest)] == [first.port, guest.port]
    assert first.port != guest.port


async def test_who_plays_again_waits_for_a_host_that_still_tells_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where somebody else has not heard the end yet, the port is that of the finished game for some seconds more."""
    monkeypatch.setattr(driver_module, "AGAIN_PAUSE_S", 0.01)
    async with asyncio.timeout(60):
        first, hosting, guest = await _begun()
        lost: asyncio.Queue[bytes] = asyncio.Queue()
        monkeypatch.setattr(first, "_end", lambda status: None)  # as long as the test likes
        monkeypatch.setattr(first.mesh, "_on_lost", lost.put_nowait)
        assert await guest.run() == 0
        second = asyncio.create_task(again(guest).run())
        assert await lost.get() == guest.identity.key.public
        await lost.get()  # whoever looked there for a new table is gone again
        monkeypatch.undo()
        first._end(0)
        await hosting
        assert [await again(first).run(), await second] == [0, 0]


async def test_who_plays_again_brings_its_bots(monkeypatch: pytest.MonkeyPatch) -> None:
    """A guest too, though it has not seen the table yet when it takes its seats."""
    monkeypatch.setattr(driver_module, "AGAIN_PAUSE_S", 0.01)
    seen: list[Event] = []

    def bring(event: Event) -> None:
        if isinstance(event, LobbyChanged) and not any(isinstance(one, LobbyChanged) for one in seen):
            asyncio.get_running_loop().call_soon(guest.add_bot, "easy")
        seen.append(event)

    async with asyncio.timeout(60):
        first, hosting, guest = await _begun(players=3)
        guest.on_event = bring
        assert [await guest.run(), await hosting] == [0, 0]
        second = again(guest)
        second.on_event = seen.append
        assert list(await asyncio.gather(again(first).run(), second.run())) == [0, 0]
    assert [len(event.names) for event in seen if isinstance(event, TableFormed)] == [3, 3]


async def test_who_plays_again_does_not_wait_at_another_table(monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody else has the host's port now: no seat is taken there, and the user hears of it."""
    monkeypatch.setattr(driver_module, "AGAIN_S", 0.0)
    async with asyncio.timeout(60):
        stranger, hosting, guest = await _begun()
        guest.settings = replace(guest.settings, before=Before(bytes(16), frozenset([bytes(32)])))
        with pytest.raises(ChannelError, match="other-key"):
            await guest.run()
        stranger.quit()
        await hosting


async def test_who_plays_again_waits_for_its_port(monkeypatch: pytest.MonkeyPatch) -> None:
    """Any connection of another program may have that port for a moment; a first game looks for another one at once."""
    monkeypatch.setattr(driver_module, "AGAIN_PAUSE_S", 0.0)
    before = Before(bytes(16), frozenset([bytes(32)]))
    for settings, tries in ((Settings("Ana", None, bind="127.0.0.1", port=0, mdns=False, before=before), 3),
                            (Settings("Ana", None, bind="127.0.0.1", port=0, mdns=False), 1)):
        driver = host(settings, title=None, rules=PRESETS["perudo"], players=2, bots=0, bot_level="easy",
                      turn_time_s=60, drop_time_s=60)
        tried: list[int] = []

        def listen(bind: str | None, port: int | None, driver: Driver = driver, tried: list[int] = tried) -> int:
            tried.append(1)
            if len(tried) < 3:
                raise PortTaken(47600)
            driver.quit()
            return Mesh.listen(driver.mesh, bind, port)

        monkeypatch.setattr(driver.mesh, "listen", listen)
        async with asyncio.timeout(20):
            if tries == 1:
                with pytest.raises(PortTaken):
                    await driver.run()
            else:
                await driver.run()
        assert len(tried) == tries
