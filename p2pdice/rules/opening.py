"""Opening rolls: who sits where and who opens, one die each, ties again among themselves.

The values are given, by people at a table or by the table's common randomness; nothing is drawn here.
"""

from collections.abc import Mapping

from .ruleset import Seating

FORFEITED = 0


class OpeningRoll:
    """The opening roll of seats 0..n-1, as they stand before it.

    `rolls` are the rolls so far, seat -> value. `roll-opener` settles a tie for the highest only.
    """

    def __init__(self, seats: int, kind: Seating) -> None:
        self.kind = kind
        self.rolls: list[dict[int, int]] = []
        self._seats = seats
        # From highest to lowest; who is in one group has rolled alike so far and must roll again where it matters.
        self._groups: list[tuple[int, ...]] = [tuple(range(seats))]

    def open_ties(self) -> list[tuple[int, ...]]:
        """Groups that must roll (again), highest first; a tie's own ties come before the next tie."""
        groups = self._groups if self.kind is Seating.ROLL_SEATS else self._groups[:1]
        return [group for group in groups if len(group) > 1]

    def roll(self, values: Mapping[int, int]) -> None:
        """Take the roll of one or more whole open ties: 1-6, or 0 for who threw all dice at once.

        Raises ValueError if a tie is there in part or a seat is in none. Seats level by 0 keep their order.
        """
        rolling = [group for group in self.open_ties() if not values.keys().isdisjoint(group)]
        if not rolling or sum(map(len, rolling)) != len(values) or any(s not in values for g in rolling for s in g):
            raise ValueError("a roll is of whole open ties")
        self.rolls.append(dict(values))
        self._groups = [
            part for group in self._groups for part in (_split(group, values) if group in rolling else [group])
        ]

    @property
    def done(self) -> bool:
        """Whether no tie that matters is left."""
        return not self.open_ties()

    @property
    def order(self) -> tuple[int, ...]:
        """Seats in their order of play: by the roll under `roll-seats`, else as they stood."""
        if self.kind is not Seating.ROLL_SEATS:
            return tuple(range(self._seats))
        return tuple(seat for group in self._groups for seat in group)

    @property
    def opener(self) -> int:
        """The seat that rolled highest."""
        return self._groups[0][0]


def _split(group: tuple[int, ...], values: Mapping[int, int]) -> list[tuple[int, ...]]:
    parts: list[tuple[int, ...]] = []
    for value in range(6, FORFEITED, -1):
        parts.append(tuple(seat for seat in group if values[seat] == value))
    parts.extend((seat,) for seat in group if values[seat] == FORFEITED)
    return [part for part in parts if part]
