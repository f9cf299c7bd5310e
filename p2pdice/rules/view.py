"""What one seat may know: the public state, its own dice where it sees them, others' where it sees those.

Bots, hints and screens get this and nothing else, so that what they do not know cannot leak into what they do.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from .actions import Action, Kind
from .engine import legal
from .ruleset import Ruleset, Special
from .state import Game, Stage


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """One seat's knowledge between two actions; tuples go by seat.

    `own` is None where the seat sees no dice of its own, `seen` maps other seats to dice seen before the showdown.
    `direction` is 1 to the left, -1 to the right; `history` holds (seat, action) of this round; `legal` is empty unless
    the seat may act.
    """

    rules: Ruleset
    seat: int
    own: tuple[int, ...] | None
    seen: Mapping[int, tuple[int, ...]]
    dice: tuple[int, ...]
    banked: tuple[int, ...]
    penalties: tuple[int, ...]
    bid: Action | None
    bidder: int | None
    turn: int
    opener: int
    direction: int
    special: Special | None
    stage: Stage
    round_number: int
    last: Kind | None
    passed: tuple[int, ...]
    history: tuple[tuple[int, Action], ...]
    legal: tuple[Action, ...]


def sees(game: Game, seat: int) -> tuple[int, ...]:
    """The seats under whose cups this one looks before the showdown; a seat that is out sees none."""
    if not game.dice[seat]:
        return ()
    if game.special is Special.OPEN:
        return tuple(other for other, dice in enumerate(game.dice) if dice and other != seat)
    if game.special is Special.CLOSED and seat != game.opener:
        return ()
    return (seat,)


def view(game: Game, seat: int, cups: Mapping[int, tuple[int, ...]]) -> View:
    """The view of `seat`, with of `cups` (seat -> dice) only what it may see."""
    known = {other: cups[other] for other in sees(game, seat) if other in cups}
    own = known.pop(seat, None)
    return View(
        rules=game.rules,
        seat=seat,
        own=own,
        seen=known,
        dice=tuple(game.dice),
        banked=tuple(game.banked),
        penalties=tuple(game.penalties),
        bid=game.bid,
        bidder=game.bidder,
        turn=game.turn,
        opener=game.opener,
        direction=game.direction,
        special=game.special,
        stage=game.stage,
        round_number=game.round_number,
        last=game.last,
        passed=game.passed,
        history=tuple(game.history),
        legal=legal(game, seat),
    )
