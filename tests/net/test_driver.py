"""What the driver does when something of our own is wrong: it ends, and says so."""

import asyncio
from collections.abc import Callable

import pytest

from p2pdice.net.driver import Settings, host
from p2pdice.protocol import peer as peer_module
from p2pdice.protocol.events import Event, Listening
from p2pdice.protocol.peer import Peer
from p2pdice.rules import PRESETS


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


async def test_the_clock_runs_in_a_flood(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each frame may change when the clock has something to do; frames without a pause do not keep it from doing it."""
    driver = host(Settings(name="Ana", folder=None, bind="127.0.0.1", port=0, mdns=False), title=None,
                  rules=PRESETS["perudo"], players=2, bots=0, bot_level="easy", turn_time_s=60, drop_time_s=60)
    monkeypatch.setattr(peer_module, "PING_S", 0.01)
    ticks: list[float] = []

    def ticked(peer: Peer, now: float, tick: Callable[[Peer, float], None] = Peer.tick) -> None:
        ticks.append(now)
        tick(peer, now)

    monkeypatch.setattr(Peer, "tick", ticked)
    running = asyncio.create_task(driver.run())
    async with asyncio.timeout(20):
        while len(ticks) < 5:
            if driver._peer:
                driver._received(bytes(32), b"noise")
            await asyncio.sleep(0)
    driver.quit()
    await running
