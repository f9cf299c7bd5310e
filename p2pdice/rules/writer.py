"""A finished or broken-off game as notation text, from what happened in it, in the order in which it happened.

It keeps no state of the game but the number of dice. Cups become known at a showdown, so a round is written when it
ends.
"""

from collections.abc import Mapping, Sequence

from .actions import Action, Gone, Kind, OrderDrawn, RoundSettled
from .notation import written_names
from .presets import differences
from .ruleset import Ruleset, Seating


class Writer:
    """Lines of one game; `lines` grows by whole rounds, so that a void or unfinished one leaves nothing.

    `names` go by seat. Give `order` where an opening roll found seats or opener, its seats numbered as the names are.
    """

    def __init__(self, rules: Ruleset, names: Sequence[str], opener: int = 0, order: OrderDrawn | None = None) -> None:
        self._names = written_names(names)
        self._dice: Sequence[int] = [rules.starting_dice] * len(names)
        self._actions: list[str] = []
        self._cups: dict[int, Sequence[int]] = {}
        self.lines = [f"rules: {rules.system}"]
        if house_rules := differences(rules):
            self.lines.append("set: " + " ".join(f"{key}={value}" for key, value in house_rules.items()))
        self.lines.append("players: " + " ".join(self._names))
        if order and order.rolls and rules.seating is not Seating.RANDOM:
            for roll in order.rolls:
                self.lines.append("roll: " + " ".join(f"{self._names[s]}={value or '*'}" for s, value in roll.items()))
        else:
            self.lines.append(f"opener: {self._names[opener]}")

    def act(self, seat: int, action: Action) -> None:
        """A legal action; an obligar stands before its round, also where the round is dealt twice."""
        if action.kind is not Kind.OBLIGE:
            self._actions.append(f"{self._names[seat]}: {action}")
        elif action.way != "no":
            self.lines += ["", str(action).replace(" ", ": ")]

    def show(self, cups: Mapping[int, Sequence[int]]) -> None:
        """Cups that were opened in this round."""
        self._cups |= cups

    def settled(self, record: RoundSettled) -> None:
        """The end of a round: cups never opened are written as unknown dice."""
        cups = [
            f"{self._names[seat]}=" + ("".join(map(str, self._cups[seat])) if seat in self._cups else "?" * dice)
            for seat, dice in enumerate(self._dice)
            if dice
        ]
        self.lines += ["", "round: " + " ".join(cups), *self._actions]
        self._clear(record.dice)

    def gone(self, record: Gone) -> None:
        """Players who went; a round that was open is void and not written."""
        self.lines += ["", "gone: " + " ".join(self._names[seat] for seat in record.seats)]
        self._clear(record.dice)

    def text(self) -> str:
        """The whole file."""
        return "\n".join([*self.lines, ""])

    def _clear(self, dice: Sequence[int]) -> None:
        self._dice = dice
        self._actions = []
        self._cups = {}
