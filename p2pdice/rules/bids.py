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


class Menus(dict[tuple[Least, int, bool, bool, bool], tuple[Action, ...]]):
    """All that may be done in turn, by least quantities, dice in play and whether one may doubt, call exact, pass.

    In the order of the notation: bids by quantity then face, dudo, calzo, paso. Emptied when it has grown large,
    because a table of 32 with ten dice each has more positions than a process should remember.
    """

    MOST = 8192

    def __missing__(self, position: tuple[Least, int, bool, bool, bool]) -> tuple[Action, ...]:
        least, dice, doubt, exact, passing = position
        quantities = range(min(least), dice + 1)
        bids = [bid(quantity, face) for quantity in quantities for face in FACES if quantity >= least[face]]
        calls = ((DUDO, doubt), (CALZO, exact), (PASO, passing))
        if len(self) >= self.MOST:
            self.clear()
        self[position] = menu = (*bids, *(call for call, offered in calls if offered))
        return menu


MENUS = Menus()
