"""Reaching one player who may be at any of several addresses: all are dialled, a quarter of a second apart, and the
first that proves to be the right one is kept. Must not know where the addresses came from."""

import asyncio
import socket
from collections.abc import Callable, Coroutine, Sequence
from typing import Any, TypeVar

from p2pdice.fairness.keys import SigningKey
from p2pdice.net.channel import VERSION, Channel, Version, open_channel
from p2pdice.net.connect import CONNECT_S
from p2pdice.net.errors import ChannelError

STAGGER_S = 0.25
MOST_TARGETS = 16

# When every address failed: which failure tells the person most. Those not named here come last.
_TELLING = ("version", "self", "other-key", "other-table", "bad-handshake", "oversized", "frozen", "closed", "denied",
            "refused", "timeout", "unreachable", "missing-zone", "no-network", "unknown-host")

Address = tuple[str, int]
T = TypeVar("T")


async def dial(addresses: Sequence[Address], key: SigningKey, *, expected: bytes | None = None,
               version: Version = VERSION) -> Channel:
    """A channel to whoever answers first; with `expected`, to the one with that public key only.

    Hosts may be names or numeric. Raises ChannelError with the reason that tells most.
    """
    async def attempt(host: str, port: int) -> Channel:
        return await open_channel(host, port, key, expected=expected, version=version)

    return await race(addresses, attempt, Channel.close)


async def race(addresses: Sequence[Address], attempt: Callable[[str, int], Coroutine[Any, Any, T]],
               discard: Callable[[T], object]) -> T:
    """What the first attempt that succeeds returns; what others return at that same moment is discarded.

    Raises ChannelError with the reason that tells most, when all have failed with one.
    """
    targets = await _resolve(addresses)
    if len(targets) == 1:  # nothing to race with
        return await attempt(*targets[0])
    errors = [] if targets else [ChannelError("unknown-host")]
    running: set[asyncio.Task[T]] = set()
    try:
        while targets or running:
            if targets:
                running.add(asyncio.create_task(attempt(*targets.pop(0))))
            finished, running = await asyncio.wait(
                running, timeout=STAGGER_S if targets else None, return_when=asyncio.FIRST_COMPLETED)
            # Two may arrive at the same moment; `running` keeps those not looked at, so that they get discarded.
            while finished:
                task = finished.pop()
                try:
                    won = task.result()
                except ChannelError as error:
                    errors.append(error)
                    continue
                running |= finished
                return won
    finally:
        await _give_up(running, discard)
    raise min(errors, key=_rank)


async def _give_up(running: set[asyncio.Task[T]], discard: Callable[[T], object]) -> None:
    for task in running:
        task.cancel()
    for outcome in await asyncio.gather(*running, return_exceptions=True):
        if not isinstance(outcome, BaseException):
            discard(outcome)


def _rank(error: ChannelError) -> int:
    return _TELLING.index(error.reason) if error.reason in _TELLING else len(_TELLING)


async def _resolve(addresses: Sequence[Address]) -> list[Address]:
    targets: list[Address] = []
    for host, port in addresses:
        for found in await _numeric(host, port):
            if found not in targets:
                targets.append(found)
    return targets[:MOST_TARGETS]


async def _numeric(host: str, port: int) -> list[Address]:
    if not 0 < port < 2**16:
        return []
    if "%" in host:
        return [(host, port)]  # numeric, with a zone that connecting will judge
    try:
        socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_NUMERICHOST)
        return [(host, port)]
    except (OSError, ValueError):
        pass  # not numeric: a name, which may take its time
    try:
        async with asyncio.timeout(CONNECT_S):
            found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, ValueError):  # a name that cannot be encoded is a ValueError
        return []
    return [(str(address[0]), port) for _, _, _, _, address in found]
