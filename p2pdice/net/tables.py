"""The tables on this network: hints from discovery, each asked for its card before anybody believes it."""

import asyncio
import contextlib
import secrets
from collections import Counter
from collections.abc import AsyncIterator
from dataclasses import dataclass

from p2pdice.fairness.keys import SigningKey
from p2pdice.net.dial import Address
from p2pdice.net.discovery import Discovery
from p2pdice.net.errors import ChannelError
from p2pdice.net.hints import PLAYING, Hint
from p2pdice.net.look import look
from p2pdice.protocol import frames
from p2pdice.protocol.errors import Malformed

MOST_MISSES = 3


@dataclass(frozen=True, slots=True)
class Found:
    """A table that answered. Texts are uncleaned; `needed` None: it starts when its host says so."""

    id: str
    title: str
    names: tuple[str, ...]
    needed: int | None
    system: str
    state: str
    address: Address
    code: bool = False  # whether it asks for a room code; names, seats and system are not known then


async def tables(wait_s: float | None, *, bind: str | None = None) -> AsyncIterator[Found]:
    """Open tables as they answer, each once, until `wait_s` is over (None: for ever). Raises DiscoveryFailed."""
    discovery = Discovery(bind)
    await discovery.start()
    answers: asyncio.Queue[Found] = asyncio.Queue()
    asking: set[asyncio.Task[None]] = set()
    misses: Counter[str] = Counter()

    async def ask(hint: Hint) -> None:
        found = await ask_card(hint)
        if found is not None:
            answers.put_nowait(found)
            return
        misses[hint.instance] += 1
        if misses[hint.instance] < MOST_MISSES:
            discovery.forget(hint.instance)  # a host may be busy, or just gone; it will be asked again

    def heard(hint: Hint) -> None:
        if hint.state == PLAYING:
            return  # its players look for each other, not for more
        task = asyncio.create_task(ask(hint))
        asking.add(task)
        task.add_done_callback(asking.discard)

    try:
        discovery.browse(heard, lambda instance: None)
        shown: set[str] = set()
        end = None if wait_s is None else asyncio.get_running_loop().time() + wait_s
        while True:
            try:
                async with asyncio.timeout_at(end):  # never around a yield: it would cut off whoever iterates
                    found = await answers.get()
            except TimeoutError:
                return
            if found.id not in shown and found.state == "open":
                shown.add(found.id)
                yield found
    finally:
        for task in asking:
            task.cancel()
        await discovery.aclose()


async def ask_card(hint: Hint) -> Found | None:
    """What the table behind a hint says of itself; None if nothing answers there as that table does."""
    def right(answer: bytes) -> bool:
        # An address that others have too (a tunnel's, a bridge's of their own) leads to some other table.
        card = _card(answer)
        return card is not None and hint.room in ("", card.room.hex())

    key = SigningKey(secrets.token_bytes(32))  # a throw-away one: looking is nobody's business
    try:
        looked = await look(hint.addresses, key, frames.encode(frames.Look()), right=right)
    except ChannelError:
        return None
    card = _card(looked.frame)
    assert card is not None, "it was right"
    port = dict(hint.addresses).get(looked.address, hint.addresses[0][1])
    return Found(card.room.hex(), card.title, card.nicks, card.needed or None, card.system, card.state,
                 (looked.address, port), bool(card.code))


def _card(answer: bytes) -> frames.Card | None:
    with contextlib.suppress(Malformed):
        frame = frames.decode(answer)
        return frame if isinstance(frame, frames.Card) else None
    return None
