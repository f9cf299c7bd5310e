"""How likely a count is, for a seat that listens: who bids a face is taken to hold more of it than chance gives.

The rules' own odds know only the dice that a seat sees; here what others said counts too, by the weights below. They
were found by playing many games, and are no claim about anybody's honesty.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate
from math import comb

from p2pdice.rules import Kind, Special, View, after, count

# By what factor one bid on a face makes each die of its bidder likelier to match: a free bid, and the lowest raise;
# and the most that all of a seat's bids together make of it.
FREE, PUSHED, MOST = 2.5, 1.3, 3.5

# Chances of 0, 1, ... matching dice, or of that many and more.
Spread = tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Outlook:
    """What a seat expects of one face, and what it thinks that the next player does.

    `seen` dice match in plain sight, `shared` of them in the next player's too. `theirs` is the spread of those that
    only the next player sees. `rest` and `to_them` are chances of so many and more: where neither looks, and wherever
    the next player does not look, the latter by odds alone.
    """

    seen: int
    shared: int
    theirs: Spread
    rest: Spread
    to_them: Spread

    def holds(self, quantity: int) -> float:
        """The chance of `quantity` dice or more."""
        return sum(likely * self.holds_with(quantity, held) for held, likely in enumerate(self.theirs))

    def holds_with(self, quantity: int, held: int) -> float:
        """The same if the next player sees `held` that this seat does not."""
        return _of(self.rest, quantity - self.seen - held)

    def looks(self, quantity: int, held: int) -> float:
        """How likely `quantity` looks to a next player who sees `held` that this seat does not."""
        return _of(self.to_them, quantity - self.shared - held)


def outlook(view: View, face: int) -> Outlook:
    wild = view.rules.wild_ones and view.special is None
    kinds = 3 if wild and face != 1 else 6
    mine = dict(view.seen) if view.own is None else {**view.seen, view.seat: view.own}
    next_sees = set(_seen_by(view, after(view.dice, view.seat, view.direction)))
    told = _told(view, face)
    # Dice are alike that nothing told apart: what one looks for is their number by weight, not whose they are.
    theirs, rest, unseen = Counter[float](), Counter[float](), 0
    for seat, dice in enumerate(view.dice):
        if seat not in mine:
            (theirs if seat in next_sees else rest)[told.get(seat, 1.0)] += dice
        if seat not in next_sees:
            unseen += dice
    return Outlook(
        seen=count(mine.values(), face, wild),
        shared=count((dice for seat, dice in mine.items() if seat in next_sees), face, wild),
        theirs=_together(_alike(dice, kinds, weight) for weight, dice in theirs.items()),
        rest=_and_more(_together(_alike(dice, kinds, weight) for weight, dice in rest.items())),
        to_them=_and_more(_alike(unseen, kinds, 1.0)),
    )


def _told(view: View, face: int) -> dict[int, float]:
    """By what factor the bids so far make `face` likelier under the cups that their bidders saw."""
    told: dict[int, float] = {}
    previous = None
    for seat, action in view.history:
        if action.kind is not Kind.BID:
            continue
        if action.face == face:
            pushed = previous is not None and action.quantity - previous.quantity <= (action.face <= previous.face)
            for other in _seen_by(view, seat):
                told[other] = min(MOST, told.get(other, 1.0) * (PUSHED if pushed else FREE))
        previous = action
    return told


def _seen_by(view: View, seat: int) -> Iterable[int]:
    """The seats whose dice `seat` sees in this round."""
    if view.special is Special.OPEN:
        return (other for other in range(len(view.dice)) if other != seat)
    return () if view.special is Special.CLOSED and seat != view.opener else (seat,)


@lru_cache(maxsize=4096)
def _alike(dice: int, kinds: int, weight: float) -> Spread:
    """The spread of dice of which each matches `weight` times as readily as one in `kinds`."""
    chance = weight / (weight + kinds - 1)
    return tuple(comb(dice, hits) * chance**hits * (1 - chance) ** (dice - hits) for hits in range(dice + 1))


def _together(spreads: Iterable[Spread]) -> Spread:
    """The spread of the sum of independent counts."""
    result = [1.0]
    for spread in spreads:
        longer = [0.0] * (len(result) + len(spread) - 1)
        for one, first in enumerate(result):
            for other, second in enumerate(spread):
                longer[one + other] += first * second
        result = longer
    return tuple(result)


def _and_more(spread: Spread) -> Spread:
    return tuple(accumulate(reversed(spread)))[::-1]


def _of(tail: Spread, needed: int) -> float:
    return 1.0 if needed <= 0 else tail[needed] if needed < len(tail) else 0.0
