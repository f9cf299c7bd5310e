"""The order of bids: what may open, what may follow a bid, and why another bid may not.

Everything comes from one table per way of raising: the least quantity for each face. It knows no seats and no options.
"""

from enum import IntEnum
from functools import lru_cache

from .actions import CALZO, DUDO, FACES, MOST_DICE, PASO, Action, bid

# A face that may not be named at all: more than any table has dice.
NEVER = MOST_DICE + 1

# Least quantity by face; index 0 is no face.
Least = tuple[int, ...]


class Raising(IntEnum):
    """Which bids may come now; an int, since it is part of a cache key on every move."""

    OPEN = 1
    OPEN_NOT_ON_ONES = 2
    PLAIN = 3
    HALF = 4
    HALF_PLUS_ONE = 5
    AFTER_PASS = 6
    FACE_FIXED = 7
    FACE_CHANGE = 8


_OPENINGS = {Raising.OPEN: (NEVER, 1, 1, 1, 1, 1, 1), Raising.OPEN_NOT_ON_ONES: (NEVER, NEVER, 1, 1, 1, 1, 1)}


def _ones_after(raising: Raising, quantity: int) -> int:
    """Fewest ones over `quantity` dice of another face, where ones are wild (worked cases 1 to 3, 8)."""
    if raising is Raising.HALF:
        return (quantity + 1) // 2
    if raising is Raising.HALF_PLUS_ONE:
        return quantity // 2 + 1
    return quantity + 1


@lru_cache(maxsize=8192)
def least(raising: Raising, standing: Action | None) -> Least:
    """The least quantity for each face over the standing bid, or for an opening bid over None."""
    if standing is None:
        return _OPENINGS[raising]
    quantity, face = standing.quantity, standing.face
    more = quantity + 1
    if raising is Raising.FACE_FIXED:
        return (NEVER, *(more if other == face else NEVER for other in FACES))
    if raising is Raising.FACE_CHANGE:
        return (NEVER, *(more for _ in FACES))
    if raising is Raising.PLAIN:
        return (NEVER, *(quantity if other > face else more for other in FACES))
    if face == 1:
        return (NEVER, more, *(2 * quantity + 1 for _ in FACES[1:]))
    return (NEVER, _ones_after(raising, quantity), *(quantity if other > face else more for other in FACES[1:]))


def shortfall(raising: Raising, standing: Action | None, face: int) -> str:
    """The reason why a bid on `face` below its least quantity is refused."""
    if standing is None:
        return "opens-on-ones"
    if raising is Raising.FACE_FIXED and face != standing.face:
        return "face-fixed"
    if raising is Raising.FACE_CHANGE and face != standing.face:
        return "too-few-to-change-face"
    if raising in (Raising.HALF, Raising.HALF_PLUS_ONE, Raising.AFTER_PASS) and standing.face != face:
        if standing.face == 1:
            return "too-few-after-aces"
        if face == 1:
            return "too-few-aces-after-pass" if raising is Raising.AFTER_PASS else "too-few-aces"
    return "not-higher"


# Bounded, because a table of 32 with ten dice each has more positions than a process should remember.
@lru_cache(maxsize=8192)
def options(bound: Least, dice: int, doubt: bool, exact: bool, passing: bool) -> tuple[Action, ...]:
    """All that may be done in turn with `dice` in play: bids by quantity then face, dudo, calzo, paso."""
    quantities = range(min(bound), dice + 1)
    bids = [bid(quantity, face) for quantity in quantities for face in FACES if quantity >= bound[face]]
    calls = ((DUDO, doubt), (CALZO, exact), (PASO, passing))
    return (*bids, *(call for call, offered in calls if offered))
