"""What the driver does when something of our own is wrong: it ends, and says so."""

import asyncio

import pytest

from p2pdice.net.driver import Settings, host
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
