"""The chance that a bid holds, given what a seat sees; exact, from the binomial distribution of the dice it does not.

Bids of others tell something too, but only about people: nothing here listens to them.
"""

from functools import lru_cache
from math import comb

from .actions import Action
from .settle import count
from .view import View


def chance(view: View, bid: Action) -> float:
    """The chance that at least as many dice as bid show the face."""
    needed, unknown, sides = _unknown(view, bid)
    return _at_least(needed, unknown, sides)


def chance_exact(view: View, bid: Action) -> float:
    """The chance that exactly as many dice as bid show the face."""
    needed, unknown, sides = _unknown(view, bid)
    return _at_least(needed, unknown, sides) - _at_least(needed + 1, unknown, sides)


def _unknown(view: View, bid: Action) -> tuple[int, int, int]:
    """Matching dice still needed, dice not seen, and the number of equally likely kinds of which one matches."""
    known = [*view.seen.values(), view.own or ()]
    wild = view.rules.wild_ones and view.special is None
    needed = bid.quantity - count(known, bid.face, wild)
    return needed, sum(view.dice) - sum(map(len, known)), 3 if wild and bid.face != 1 else 6


@lru_cache(maxsize=4096)
def _at_least(needed: int, dice: int, sides: int) -> float:
    ways: int = sum(comb(dice, hits) * (sides - 1) ** (dice - hits) for hits in range(max(needed, 0), dice + 1))
    all_ways: int = sides**dice
    return ways / all_ways
