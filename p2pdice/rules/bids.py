"""The order of bids: what may open, what may follow a bid, and why another bid may not.

Everything comes from one table per way of raising: the least quantity for each face. It knows no seats and no options.
"""

from collections.abc import Callable

from .actions import CALZO, DUDO, FACES, MOST_DICE, PASO, Action, bid

# Least quantity by face; index 0 is no face.
Least = tuple[int, ...]

# A face that may not be named at all: more than any table has dice.
NEVER = MOST_DICE + 1


# A menu's number: the dice in play four times, and what may be called. One number, because a table by tuples is slow.
PER_DIE, WITH_EXACT, WITH_PASS = 4, 2, 1


class Position(dict[int, tuple[Action, ...]]):
    """What the standing bid leaves to whoever is in turn: `least`, the least quantity for each face, and the menus.

    A menu is all that may be done: bids by quantity then face, dudo, calzo, paso; it is made when it is first asked for
    by its number. `refusals` are the reasons, by face, why a bid below its least quantity is none.
    """

    __slots__ = ("least", "opening", "refusals")

    def __init__(self, least: Least, refusals: tuple[str, ...] = ()) -> None:
        super().__init__()
        self.least = least
        self.opening = not refusals
        self.refusals = refusals or ("opens-on-ones",) * len(least)

    def __missing__(self, number: int) -> tuple[Action, ...]:
        dice, exact, passing = number // PER_DIE, number & WITH_EXACT, number & WITH_PASS
        least, bids = self.least, _all(dice)
        # Up to the quantity from which every face may be named, face by face; from there on all bids that there are.
        free = min(max(least[1:]), dice + 1)
        some = [bid for bid in bids[6 * min(least) - 6 : 6 * free - 6] if bid.quantity >= least[bid.face]]
        calls = ((DUDO, not self.opening), (CALZO, exact), (PASO, passing))
        menu = (*some, *bids[6 * free - 6 : 6 * dice], *(call for call, offered in calls if offered))
        if dice <= _REMEMBERED:
            self[number] = menu
        return menu


_ALL: list[Action] = []


def _all(dice: int) -> list[Action]:
    """All bids in order, at least those that so many dice allow."""
    while len(_ALL) < 6 * dice:
        quantity = len(_ALL) // 6 + 1
        _ALL.extend(bid(quantity, face) for face in FACES)
    return _ALL


# With more dice in play there are more menus than a process should remember, and people think longer anyway.
_REMEMBERED = 40

OPEN = Position((NEVER, 1, 1, 1, 1, 1, 1))
OPEN_NOT_ON_ONES = Position((NEVER, NEVER, 1, 1, 1, 1, 1))


class Raising(dict[Action, Position]):
    """One way of raising: standing bid -> what it leaves, worked out when it is first asked for."""

    def __init__(self, work_out: Callable[[int, int], Least], to_ones: str = "", from_ones: str = "", other: str = ""):
        """`work_out` takes quantity and face of the standing bid; the reasons are for a bid of another face."""
        super().__init__()
        self._work_out = work_out
        self._to_ones = to_ones or other
        self._from_ones = from_ones or other
        self._other = other

    def __missing__(self, standing: Action) -> Position:
        refusals = tuple(self._refusal(standing.face, face) or "not-higher" for face in range(7))
        self[standing] = position = Position(self._work_out(standing.quantity, standing.face), refusals)
        return position

    def _refusal(self, standing: int, face: int) -> str:
        if face == standing:
            return ""
        return self._to_ones if face == 1 else self._from_ones if standing == 1 else self._other


def _ordinary(quantity: int, face: int) -> Least:
    """As many of a higher face or more of any."""
    return (NEVER, *(quantity if other > face else quantity + 1 for other in FACES))


def _wild(ones_after: Callable[[int], int]) -> Callable[[int, int], Least]:
    """Where ones are wild: `ones_after` of another face, double and one more to leave them (worked cases 1 to 3)."""

    def work_out(quantity: int, face: int) -> Least:
        if face == 1:
            return (NEVER, quantity + 1, *(2 * quantity + 1 for _ in FACES[1:]))
        return (NEVER, ones_after(quantity), *_ordinary(quantity, face)[2:])

    return work_out


def _only_more(quantity: int, face: int) -> Least:
    return (NEVER, *(quantity + 1 if other == face else NEVER for other in FACES))


PLAIN = Raising(_ordinary)
HALF = Raising(_wild(lambda quantity: (quantity + 1) // 2), "too-few-aces", "too-few-after-aces")
HALF_PLUS_ONE = Raising(_wild(lambda quantity: quantity // 2 + 1), "too-few-aces", "too-few-after-aces")
AFTER_PASS = Raising(_wild(lambda quantity: quantity + 1), "too-few-aces-after-pass", "too-few-after-aces")
FACE_FIXED = Raising(_only_more, other="face-fixed")
FACE_CHANGE = Raising(lambda quantity, _: (NEVER, *(quantity + 1 for _ in FACES)), other="too-few-to-change-face")
