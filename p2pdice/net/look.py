"""One look at a table from outside: connect, ask, read the answer, hang up. Frames are bytes here; what the question
and the answer say is the protocol's."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from p2pdice.fairness.keys import SigningKey
from p2pdice.net.channel import VERSION, Version
from p2pdice.net.dial import Address, dial
from p2pdice.net.errors import ChannelError

ANSWER_S = 4.0


@dataclass(frozen=True, slots=True)
class Looked:
    """What a table answered, whose key answered, and at which address."""

    frame: bytes
    peer: bytes
    address: str


async def look(addresses: Sequence[Address], key: SigningKey, question: bytes, *, version: Version = VERSION) -> Looked:
    """Ask whoever answers first at these addresses. Raises ChannelError; "frozen" when connected but not answered.

    `key` should be a throw-away one: a peer keeps one link per key, so looking under a key that has a link ends that.
    """
    channel = await dial(addresses, key, version=version)
    try:
        channel.send(question)
        async with asyncio.timeout(ANSWER_S):
            while not (frame := await channel.receive()):
                if frame is None:
                    raise ChannelError("closed")
        return Looked(frame, channel.peer, channel.address)
    except TimeoutError as error:
        raise ChannelError("frozen") from error
    finally:
        channel.close()
