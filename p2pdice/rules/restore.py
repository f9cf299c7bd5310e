"""Reads a game back from its public state, so that a signed hash of one can be judged by whoever is shown what was
hashed (protocol.md section 8). The input is not trusted: what `public` never gives is refused.
"""

from .actions import PASO, CalledOn, Kind, bid
from .engine import new_game, prepare, ways_of
from .errors import RulesError
from .presets import make_ruleset
from .ruleset import Special
from .state import LEFT, RIGHT, Canonical, Game, Stage, public

_DIRECTIONS = {"left": LEFT, "right": RIGHT}
_CALLED_ON: dict[str, CalledOn | None] = {"": None, "bid": "bid", "pass": "pass"}


def restore(value: tuple[Canonical, ...]) -> Game:
    """A game of which `public` gives exactly `value`, and in which everything may be done that may be done there.

    Its history is no more than the public state tells: who passed, and how many bids there were. Raises ValueError.
    """
    try:
        game = _build(value)
    except (RulesError, ValueError, TypeError, KeyError, IndexError, AttributeError) as error:
        raise ValueError("not the public state of a game") from error
    if public(game) != value:
        raise ValueError("not the public state of a game")
    return game


def _build(value: tuple) -> Game:  # type: ignore[type-arg]  # untrusted: any shape, checked by what it gives
    _, (system, *texts), (stage, number, opener, special), (direction, round_direction) = value[:4]
    dice, banked, penalties, used, _, (turn, last, bids, passed), standing, (call, call_on, caller), winners = value[4:]
    rules = make_ruleset(system, dict(zip(texts[::2], texts[1::2], strict=True)))
    game = new_game(rules, len(dice))
    _demand(isinstance(winners, tuple) and {opener, turn, *passed, *caller, *winners} <= set(range(len(dice))))
    _demand(all(0 <= number <= rules.starting_dice for number in dice))
    game.round_number, game.direction = number, _DIRECTIONS[round_direction]
    game.dice, game.banked, game.penalties = list(dice), list(banked), list(penalties)
    game.used = [bool(flag) for flag in used]
    prepare(game, opener, Special(special) if special else None, Stage(stage))
    game.direction = _DIRECTIONS[direction]
    game.last, game.winners = Kind(last) if last else None, winners
    game.history = [(seat, PASO) for seat in passed]
    if standing:
        quantity, face, (author,) = standing
        _demand(0 < quantity <= sum(dice) and 0 < face < 7 and author in range(len(dice)))
        game.bid, game.bidder = bid(quantity, face), author
        game.history += [(author, game.bid)] * min(bids, 1 << 16)
        raising, game.menu = ways_of(game, turn)
        game.position = raising[game.bid]
    game.turn = turn
    game.call, game.call_on = Kind(call) if call else None, _CALLED_ON[call_on]
    game.caller = caller[0] if caller else None
    return game


def _demand(holds: bool) -> None:
    if not holds:
        raise ValueError("out of its range")
