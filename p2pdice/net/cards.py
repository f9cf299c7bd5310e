"""The card of a table, asked for from outside: what it says of itself, before anybody sits down there."""

import contextlib
import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from p2pdice.fairness.keys import SigningKey
from p2pdice.net.dial import Address
from p2pdice.net.errors import ChannelError
from p2pdice.net.hints import Hint
from p2pdice.net.look import look
from p2pdice.protocol import frames
from p2pdice.protocol.errors import Malformed


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


async def card_at(addresses: Sequence[Address], right: Callable[[frames.Card], bool]) -> tuple[frames.Card, str]:
    """The card that a table shows at one of these addresses, and at which. Raises ChannelError, "other-table" if it is
    not the `right` one."""
    def fits(answer: bytes) -> bool:
        card = _card(answer)
        return card is not None and right(card)

    key = SigningKey(secrets.token_bytes(32))  # a throw-away one: looking is nobody's business
    looked = await look(addresses, key, frames.encode(frames.Look()), right=fits)
    card = _card(looked.frame)
    assert card is not None, "it was right"
    return card, looked.address


async def ask_card(hint: Hint) -> Found | None:
    """What the table behind a hint says of itself; None if nothing answers there as that table does."""
    try:
        # An address that others have too (a tunnel's, a bridge's of their own) leads to some other table.
        card, address = await card_at(hint.addresses, lambda card: hint.room in ("", card.room.hex()))
    except ChannelError:
        return None
    port = dict(hint.addresses).get(address, hint.addresses[0][1])
    return Found(card.room.hex(), card.title, card.nicks, card.needed or None, card.system, card.state,
                 (address, port), bool(card.code))


def _card(answer: bytes) -> frames.Card | None:
    with contextlib.suppress(Malformed):
        frame = frames.decode(answer)
        return frame if isinstance(frame, frames.Card) else None
    return None
