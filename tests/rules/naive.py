"""The rules once more, slowly and straight from their text, without a line of the package.

Positions are plain values and every action is tried one by one. `python -m tests.rules.naive` writes the counts of
legal lines that the engine must reach into tests/vectors/rules_perft.json.
"""

import json
from dataclasses import dataclass, replace
from pathlib import Path

VECTORS = Path(__file__).parent.parent / "vectors" / "rules_perft.json"

BASE = {
    "starting_dice": "5",
    "wild_ones": "on",
    "open_on_ones": "off",
    "ones_entry": "half",
    "exact": "turn",
    "exact_requires": "nothing",
    "exact_in_special": "on",
    "exact_with_two": "on",
    "passing": "off",
}
SYSTEMS = {
    "perudo": BASE,
    "dudo": BASE | {"ones_entry": "half-plus-one", "exact_requires": "half-dice-or-single-die", "passing": "on"},
    "clasico": BASE | {"exact": "anyone", "exact_in_special": "off", "exact_with_two": "off"},
    "perudo-pt": BASE | {"open_on_ones": "on", "exact_in_special": "off"},
    "doodoo": BASE | {"wild_ones": "off", "open_on_ones": "on", "exact": "off"},
}


@dataclass(frozen=True)
class Position:
    """An open round: what has been done so far, as (seat, action text)."""

    options: tuple[tuple[str, str], ...]
    dice: tuple[int, ...]
    opener: int
    special: str | None
    done: tuple[tuple[int, str], ...] = ()
    step: int = 1

    def option(self, key: str) -> str:
        """The text form of an option."""
        return dict(self.options)[key]


def next_seat(position: Position, seat: int) -> int:
    """The next seat with dice, to the left if the step is 1."""
    while True:
        seat = (seat + position.step) % len(position.dice)
        if position.dice[seat]:
            return seat


def mover(position: Position) -> int:
    """The seat in turn."""
    return next_seat(position, position.done[-1][0]) if position.done else position.opener


def standing(position: Position) -> tuple[int, int, int] | None:
    """Quantity, face and author of the standing bid."""
    for seat, text in reversed(position.done):
        if "x" in text:
            quantity, face = text.split("x")
            return int(quantity), int(face), seat
    return None


def may_bid(position: Position, quantity: int, face: int) -> bool:
    """Whether the seat in turn may bid this."""
    if quantity > sum(position.dice):
        return False
    wild = position.option("wild_ones") == "on" and position.special is None
    bid = standing(position)
    if bid is None:
        return face != 1 or not wild or position.option("open_on_ones") == "on"
    old_quantity, old_face, _ = bid
    if position.special and face != old_face:
        alone = position.dice[mover(position)] == 1 and mover(position) != position.opener
        return position.special != "palifico" and alone and quantity > old_quantity
    if position.special or face == old_face:
        return quantity > old_quantity
    if wild and old_face == 1:
        return quantity > 2 * old_quantity
    if wild and face == 1:
        if position.done[-1][1] == "paso":
            return quantity > old_quantity
        if position.option("ones_entry") == "half":
            return 2 * quantity >= old_quantity
        return 2 * quantity >= old_quantity + (2 if old_quantity % 2 == 0 else 1)
    return quantity > old_quantity or (quantity == old_quantity and face > old_face)


def may_call_exact(position: Position, seat: int) -> bool:
    """Whether this seat may call exact."""
    bid = standing(position)
    if bid is None or bid[2] == seat or position.done[-1][1] == "paso" or not position.dice[seat]:
        return False
    who = position.option("exact")
    if who == "off" or (who == "turn" and seat != mover(position)):
        return False
    if position.special and position.option("exact_in_special") == "off":
        return False
    if position.option("exact_with_two") == "off" and sum(1 for dice in position.dice if dice) == 2:
        return False
    if position.option("exact_requires") == "nothing" or position.dice[seat] == 1:
        return True
    return sum(position.dice) >= len(position.dice) * int(position.option("starting_dice")) / 2


def may_pass(position: Position) -> bool:
    """Whether the seat in turn may pass."""
    seat = mover(position)
    if position.option("passing") == "off" or position.special or standing(position) is None:
        return False
    return position.dice[seat] == 5 and position.done[-1][1] != "paso" and (seat, "paso") not in position.done


def moves(position: Position) -> list[tuple[int, str]]:
    """Everything that anybody may do, the seat in turn first, in the order of the notation."""
    seat = mover(position)
    found = [
        (seat, f"{quantity}x{face}")
        for quantity in range(1, sum(position.dice) + 1)
        for face in range(1, 7)
        if may_bid(position, quantity, face)
    ]
    if position.done:
        found.append((seat, "dudo"))
    others = [other for other in range(len(position.dice)) if other != seat]
    found += [(caller, "calzo") for caller in (seat, *others) if may_call_exact(position, caller)]
    if may_pass(position):
        found.append((seat, "paso"))
    return found


def lines(position: Position, depth: int) -> int:
    """Number of sequences of `depth` legal actions from here; a call ends a sequence and counts once."""
    if depth == 0 or (position.done and position.done[-1][1] in ("dudo", "calzo")):
        return 1
    return sum(lines(replace(position, done=(*position.done, move)), depth - 1) for move in moves(position))


TABLES: tuple[tuple[tuple[int, ...], int, str | None, int], ...] = (
    ((2, 2), 0, None, 4),
    ((1, 2, 1), 1, None, 4),
    ((5, 0, 5), 2, None, 3),
    ((5, 1, 5), 0, None, 3),
    ((1, 2, 1), 0, "palifico", 5),
    ((2, 1, 1), 1, "open", 5),
    ((1, 0, 3), 0, "closed", 5),
)
# House rules that meet nowhere in the five systems.
HOUSES = (
    {"passing": "on", "exact": "anyone"},
    {"wild_ones": "off", "passing": "on", "exact_requires": "half-dice-or-single-die"},
    {"open_on_ones": "on", "ones_entry": "half-plus-one", "exact": "anyone", "exact_in_special": "off"},
)


def vectors() -> list[dict[str, object]]:
    """One entry a table: system, house rules, dice, opener, special, and the counts for depth 1, 2, ..."""
    found: list[dict[str, object]] = []
    rules: list[tuple[str, dict[str, str]]] = [(system, {}) for system in SYSTEMS]
    rules += [("perudo", house) for house in HOUSES]
    for system, house in rules:
        for dice, opener, special, depth in TABLES:
            position = Position(tuple((SYSTEMS[system] | house).items()), dice, opener, special)
            counts = [lines(position, deep) for deep in range(1, depth + 1)]
            entry = {"system": system, "set": house, "dice": dice, "opener": opener, "special": special}
            found.append(entry | {"counts": counts})
    return found


if __name__ == "__main__":
    VECTORS.write_text("[\n" + ",\n".join(json.dumps(entry) for entry in vectors()) + "\n]\n", encoding="utf-8")
