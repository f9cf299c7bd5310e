"""One look at a table from outside: connect, ask, read the answer, hang up. Frames are bytes here; what the question
and the answer say is the protocol's."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from p2pdice.fairness.keys import SigningKey
from p2pdice.net.channel import VERSION, Channel, Version, open_channel
from p2pdice.net.dial import Address, race
from p2pdice.net.errors import ChannelError

ANSWER_S = 4.0


@dataclass(frozen=True, slots=True)
class Looked:
    """What a table answered, whose key answered, and at which address."""

    frame: bytes
    peer: bytes
    address: str


async def look(addresses: Sequence[Address], key: SigningKey, question: bytes, *,
               right: Callable[[bytes], bool] = lambda answer: True, version: Version = VERSION) -> Looked:
    """Ask at all of these addresses; the first answer that is `right` counts. Raises ChannelError: "frozen" when
    connected but not answered, "other-table" when the answer was not the right one.

    `key` should be a throw-away one: a peer keeps one link per key, so looking under a key that has a link ends that.
    """
    async def attempt(host: str, port: int) -> Looked:
        channel = await open_channel(host, port, key, version=version)
        try:
            answer = await _ask(channel, question)
            if not right(answer):
                raise ChannelError("other-table")
            return Looked(answer, channel.peer, channel.address)
        finally:
            channel.close()

    return await race(addresses, attempt, lambda looked: None)


async def _ask(channel: Channel, question: bytes) -> bytes:
    channel.send(question)
    try:
        async with asyncio.timeout(ANSWER_S):
            while not (frame := await channel.receive()):
                if frame is None:
                    raise ChannelError("closed")
        return frame
    except TimeoutError as error:
        raise ChannelError("frozen") from error
