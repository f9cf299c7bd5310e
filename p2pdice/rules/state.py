"""The state of one game: everything all players know, and nothing a cup hides.

Only engine.py and settle.py write it. A slotted object that is changed in place, because that is several times as fast
as a value that is replaced; `copy` and `public` are there for whoever needs a value.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from .actions import Action, CalledOn, Direction, Kind
from .bids import Position, Raising
from .ruleset import Ruleset, Special

# Two engines with one number settle every game alike; it goes into the hash of the rules state.
ENGINE = 1

LEFT, RIGHT = 1, -1

_BID, _PASO = Kind.BID, Kind.PASO  # of the module, where they are found sooner than in their enum


class Stage(StrEnum):
    """What a game waits for."""

    OBLIGE = "oblige"
    DEAL = "deal"
    ACT = "act"
    SHOWDOWN = "showdown"
    OVER = "over"


@dataclass(frozen=True, slots=True)
class Terms:
    """What the rules make of one kind of round.

    `single` is the way of raising for a seat with one die that did not open. `no_pass` is the reason why nobody may
    pass, or "" if one may; `no_exact` the same of exact calls, as far as it does not depend on the dice. `by_seat`: how
    one raises and what one may call depends on whose turn it is. `wild`: ones count for every face.
    """

    opening: Position
    raising: Raising
    after_pass: Raising
    single: Raising
    no_exact: str
    no_pass: str
    by_seat: bool
    wild: bool


class Game:
    """One game; lists and tuples go by seat.

    `turn` is the opener until a round is dealt, then the mover. `round_direction` is the direction when the round
    began: a void round takes its turning back with it. The slots from `active` on only spare work: seats with dice,
    dice in play, `no_exact` (the reason why nobody may call exact in this round, or ""), the terms of this round and
    of a normal one, what the standing bid leaves to the seat in turn, the number of its menu and of every menu after a
    bid; unless `by_seat` says that menus and ways of raising depend on whose turn it is.
    """

    __slots__ = (
        "active",
        "banked",
        "bid",
        "bidder",
        "by_seat",
        "call",
        "call_on",
        "caller",
        "dice",
        "direction",
        "history",
        "last",
        "menu",
        "menu_after_bid",
        "no_exact",
        "normal",
        "opener",
        "penalties",
        "position",
        "round_direction",
        "round_number",
        "rules",
        "seats",
        "special",
        "stage",
        "terms",
        "total",
        "turn",
        "used",
        "winners",
    )

    rules: Ruleset
    seats: int
    stage: Stage
    round_number: int
    opener: int
    direction: int
    round_direction: int
    special: Special | None
    dice: list[int]
    banked: list[int]
    penalties: list[int]
    used: list[bool]
    turn: int
    bid: Action | None
    bidder: int | None
    history: list[tuple[int, Action]]
    last: Kind | None
    caller: int | None
    call: Kind | None
    call_on: CalledOn | None
    winners: tuple[int, ...]
    active: tuple[int, ...]
    total: int
    no_exact: str
    terms: Terms
    normal: Terms
    position: Position
    menu: int
    menu_after_bid: int
    by_seat: bool

    @property
    def bids(self) -> int:
        """Number of bids made in this round so far."""
        return len([action for _, action in self.history if action.kind is _BID])

    @property
    def passed(self) -> tuple[int, ...]:
        """Seats that passed in this round."""
        return tuple([seat for seat, action in self.history if action.kind is _PASO])

    def copy(self) -> "Game":
        """A game that can be played on without changing this one."""
        other = object.__new__(Game)
        for name in Game.__slots__:
            value = getattr(self, name)
            setattr(other, name, value.copy() if isinstance(value, list) else value)
        return other


def direction_name(direction: int) -> Direction:
    """The word for a direction of play: left is clockwise, as seated."""
    return "left" if direction == LEFT else "right"


def after(dice: Sequence[int], seat: int, direction: int) -> int:
    """The next seat with dice; the same one if no other has any."""
    seats = len(dice)
    following = (seat + direction) % seats
    while not dice[following] and following != seat:
        following = (following + direction) % seats
    return following


Canonical = int | str | tuple["Canonical", ...]


@lru_cache(maxsize=16)
def _terms_of(rules: Ruleset) -> tuple[Canonical, ...]:
    """The rules' part of `public`: the same in every slot of a game."""
    return (rules.system, *(text for pair in rules.options().items() for text in pair))


def _seat_or_none(seat: int | None) -> Canonical:
    return () if seat is None else (seat,)


def public(game: Game) -> tuple[Canonical, ...]:
    """The whole public state as one nested tuple of non-negative int and str, equal exactly when two engines agree.

    It goes into every state hash (protocol.md section 5), so that engines that disagree stop at once.
    """
    bid = game.bid
    return (
        ENGINE,
        _terms_of(game.rules),
        (game.stage, game.round_number, game.opener, game.special or ""),
        (direction_name(game.direction), direction_name(game.round_direction)),
        tuple(game.dice),
        tuple(game.banked),
        tuple(game.penalties),
        tuple(map(int, game.used)),
        tuple([seat for seat, dice in enumerate(game.dice) if not dice]),
        (game.turn, game.last or "", game.bids, game.passed),
        () if bid is None else (bid.quantity, bid.face, _seat_or_none(game.bidder)),
        (game.call or "", game.call_on or "", _seat_or_none(game.caller)),
        game.winners,
    )
