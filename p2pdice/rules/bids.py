"""The order of bids: what may open, what may follow a bid, and why another bid may not.

Everything comes from one table per way of raising: the least quantity for each face. It knows no seats and no options.
"""

from collections.abc import Callable

from .actions import CALZO, DUDO, FACES, MOST_DICE, PASO, Action, bid

# Least quantity by face; index 0 is no face.
Least = tuple[int, ...]

# A face that may not be named at all: more than any table has dice.
NEVER = MOST_DICE + 1

OPEN: Least = (NEVER, 1, 1, 1, 1, 1, 1)
OPEN_NOT_ON_ONES: Least = (NEVER, NEVER, 1, 1, 1, 1, 1)


class Raising(dict[Action, Least]):
    """One way of raising: standing bid -> least quantity for each face, worked out when it is first asked for."""

    def __init__(self, work_out: Callable[[int, int], Least], to_ones: str = "", from_ones: str = "", other: str = ""):
        """`work_out` takes quantity and face of the standing bid; the reasons are for a bid of another face."""
        super().__init__()
        self._work_out = work_out
        self._to_ones = to_ones or other
        self._from_ones = from_ones or other
        self._other = other

    def __missing__(self, standing: Action) -> Least:
        self[standing] = least = self._work_out(standing.quantity, standing.face)
        return least

    def shortfall(self, standing: Action, face: int) -> str:
        """The reason why a bid on `face` below its least quantity is refused."""
        reason = ""
        if face != standing.face:
            reason = self._to_ones if face == 1 else self._from_ones if standing.face == 1 else self._other
        return reason or "not-higher"


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


_ALL = [bid(quantity, face) for quantity in range(1, MOST_DICE + 1) for face in FACES]

# What a menu of a round depends on: least quantities, and whether one may call exact, and pass.
Position = tuple[Least, bool, bool]


class Menus(dict[Position, tuple[Action, ...]]):
    """All that may be done in turn with so many dice in play, each menu made when it is first asked for.

    In the order of the notation: bids by quantity then face, dudo, calzo, paso.
    """

    def __init__(self, dice: int) -> None:
        super().__init__()
        self.dice = dice

    def __missing__(self, position: Position) -> tuple[Action, ...]:
        least, exact, passing = position
        # Up to the quantity from which every face may be named, face by face; from there on all bids that there are.
        free = min(max(least[1:]), self.dice + 1)
        some = [bid for bid in _ALL[6 * min(least) - 6 : 6 * free - 6] if bid.quantity >= least[bid.face]]
        calls = ((DUDO, least not in (OPEN, OPEN_NOT_ON_ONES)), (CALZO, exact), (PASO, passing))
        menu = (*some, *_ALL[6 * free - 6 : 6 * self.dice], *(call for call, offered in calls if offered))
        if self.dice <= _REMEMBERED:
            self[position] = menu
        return menu


# With more dice in play there are more positions than a process should remember, and people think longer anyway.
_REMEMBERED = 40
MENUS = [Menus(dice) for dice in range(MOST_DICE + 1)]
