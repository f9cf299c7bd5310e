"""The programs that _bench_network.py starts: `ours-host`, `ours-seek`, `bare-host`, `bare-seek`. Each imports all it
needs, says "ready", and does its part after a line comes in; another line, or none, ends it.

A host prints when it began to open its table, and once more when all of it is announced. A search prints when it began,
and then when it found a table with an address; where none is there, "open" after two seconds, before that.
"""

import asyncio
import secrets
import socket
import sys
import time
from collections.abc import Callable
from typing import Any

SETTLED_S = 2.0
TYPE = "_bench._tcp.local."


def tell(word: object) -> None:
    """One line to whoever started this."""
    print(word, flush=True)


async def line() -> None:
    """Wait for the next line, or the end of input."""
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.readline)


async def ours_host() -> None:
    """A table as `p2pdice host` opens it."""
    from p2pdice.net.seats import host
    from p2pdice.net.settings import Settings
    from p2pdice.protocol.events import Event, Listening
    from p2pdice.rules import PRESETS

    def listening(event: Event) -> None:
        if isinstance(event, Listening):
            tell(begun)

    tell("ready")
    await line()
    begun = time.monotonic()
    table = host(Settings(name="Ana", folder=None), title="Mesa", rules=PRESETS["perudo"], players=2, bots=0,
                 bot_level="normal", turn_time_s=120, drop_time_s=90)
    table.on_event = listening
    running = asyncio.create_task(table.run())
    await asyncio.sleep(SETTLED_S)
    tell("announced")
    await line()
    table.quit()
    await running


async def ours_seek() -> None:
    """Tables as `p2pdice find` and `join` look for them."""
    from p2pdice.net.tables import tables

    async def search(found: Callable[[], object]) -> None:
        async for _ in tables(None):
            found()

    await _seek(search)


async def bare_host() -> None:
    """A service registered by python-zeroconf as its documentation shows."""
    from zeroconf import ServiceInfo
    from zeroconf.asyncio import AsyncZeroconf

    tell("ready")
    await line()
    tell(time.monotonic())
    zeroconf = AsyncZeroconf()
    name = f"{secrets.token_hex(8)}.{TYPE}"
    info = ServiceInfo(TYPE, name, addresses=[socket.inet_aton("10.77.0.1")], port=47600, properties={"title": "Mesa"})
    await (await zeroconf.async_register_service(info))
    tell("announced")
    await line()
    await zeroconf.async_close()


async def bare_seek() -> None:
    """A browser of python-zeroconf, and the addresses of what it finds."""
    from zeroconf import ServiceStateChange, Zeroconf
    from zeroconf.asyncio import AsyncServiceBrowser, AsyncServiceInfo, AsyncZeroconf

    async def search(found: Callable[[], object]) -> None:
        tasks = []

        async def resolve(zeroconf: Zeroconf, name: str) -> None:
            info = AsyncServiceInfo(TYPE, name)
            if await info.async_request(zeroconf, 3000) and info.parsed_addresses():
                found()

        def changed(zeroconf: Zeroconf, service_type: str, name: str, state_change: ServiceStateChange) -> None:
            if state_change is ServiceStateChange.Added:
                tasks.append(asyncio.create_task(resolve(zeroconf, name)))

        zeroconf = AsyncZeroconf()
        browser = AsyncServiceBrowser(zeroconf.zeroconf, TYPE, handlers=[changed])
        try:
            await asyncio.Event().wait()
        finally:
            await browser.async_cancel()
            await zeroconf.async_close()

    await _seek(search)


async def _seek(search: Callable[[Callable[[], object]], Any]) -> None:
    tell("ready")
    await line()
    loop = asyncio.get_running_loop()
    first: asyncio.Future[float] = loop.create_future()

    def found() -> None:
        if not first.done():
            first.set_result(time.monotonic())

    tell(time.monotonic())
    searching = asyncio.create_task(search(found))
    done, _ = await asyncio.wait([first], timeout=SETTLED_S)
    if not done:
        tell("open")
    tell(await first)
    await line()
    searching.cancel()
    await asyncio.gather(searching, return_exceptions=True)


if __name__ == "__main__":
    asyncio.run({"ours-host": ours_host, "ours-seek": ours_seek, "bare-host": bare_host,
                 "bare-seek": bare_seek}[sys.argv[1]]())
