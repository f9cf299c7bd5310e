"""What seats do and what happened: frozen records, seats as numbers 0..n-1.

They hold facts only; who may do what is the engine's business, names and words are the screen's. Named tuples,
because a frozen dataclass costs six times as much to build, which would be most of a round's settling.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Literal, NamedTuple

from .ruleset import Special, SpecialRounds


class Kind(StrEnum):
    """The kinds of action."""

    BID = "bid"
    DUDO = "dudo"
    CALZO = "calzo"
    PASO = "paso"
    OBLIGE = "oblige"


class Action(NamedTuple):
    """One act of a seat. `way` is "left" or "right" on an opening bid, "open", "closed" or "no" when obliging."""

    kind: Kind
    quantity: int = 0
    face: int = 0
    way: str = ""

    def __str__(self) -> str:
        """The notation form: "5x3", "5x3 left", "dudo", "oblige open"."""
        word = f"{self.quantity}x{self.face}" if self.kind is Kind.BID else str(self.kind)
        return f"{word} {self.way}" if self.way else word


DUDO = Action(Kind.DUDO)
CALZO = Action(Kind.CALZO)
PASO = Action(Kind.PASO)
OBLIGE_OPEN = Action(Kind.OBLIGE, way="open")
OBLIGE_CLOSED = Action(Kind.OBLIGE, way="closed")
OBLIGE_NO = Action(Kind.OBLIGE, way="no")

FACES = range(1, 7)
MOST_DICE = 32 * 10


class _Bids(dict[tuple[int, int], Action]):
    """The bids that a table can hold, one object each, made when they are first named: most tables are small."""

    def __missing__(self, named: tuple[int, int]) -> Action:
        quantity, face = named
        made = Action(Kind.BID, quantity, face)
        if 0 < quantity <= MOST_DICE and face in FACES:
            self[named] = made
        return made


_BIDS = _Bids()


def bid(quantity: int, face: int, way: str = "") -> Action:
    """A bid, right or wrong; the ones a table can hold are one object each, so that lists of them cost little."""
    return Action(Kind.BID, quantity, face, way) if way else _BIDS[quantity, face]


Direction = Literal["left", "right"]
CalledOn = Literal["bid", "pass"]


class OrderDrawn(NamedTuple):
    """Seats found by an opening roll; `rolls` is empty where it is not to be told, a forfeited roll is 0."""

    order: tuple[int, ...]
    opener: int
    rolls: tuple[Mapping[int, int], ...]


class RoundBegan(NamedTuple):
    """A round that is dealt; `direction` is the one in force before its opening bid."""

    round_number: int
    opener: int
    direction: Direction
    special: Special | None


class RoundSettled(NamedTuple):
    """A called round. `bidder` made what was called, bid or pass; `bid` and `count` are None for a pass.

    `lost` and `gained` hold one seat or none; next_opener and next_special are None once there are winners.
    """

    round_number: int
    call: Kind
    caller: int
    on: CalledOn
    bid: Action | None
    bidder: int
    count: int | None  # type: ignore[assignment]  # hides tuple.count, which nobody asks of a record
    lost: tuple[int, ...]
    gained: tuple[int, ...]
    dice: tuple[int, ...]
    banked: tuple[int, ...]
    penalties: tuple[int, ...]
    out: tuple[int, ...]
    special: Special | None
    next_opener: int | None
    next_special: SpecialRounds | None
    winners: tuple[int, ...]


class Gone(NamedTuple):
    """Seats that left or were dropped; an open round is void with them."""

    seats: tuple[int, ...]
    dice: tuple[int, ...]
    next_opener: int | None
    next_special: SpecialRounds | None
    winners: tuple[int, ...]


class Ended(NamedTuple):
    """The game is over."""

    winners: tuple[int, ...]


Record = OrderDrawn | RoundBegan | RoundSettled | Gone | Ended
