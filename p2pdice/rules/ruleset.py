"""A set of rules as one frozen value: every option, its type and its text form.

It knows which values an option may take, not what a rule system sets (presets.py) nor what an option does (engine.py).
"""

from dataclasses import dataclass, fields
from enum import StrEnum

OptionValue = bool | int | StrEnum


class OnesEntry(StrEnum):
    """Fewest ones that may follow a quantity of another face, where ones are wild."""

    HALF = "half"
    HALF_PLUS_ONE = "half-plus-one"


class Exact(StrEnum):
    """Who may call exact."""

    OFF = "off"
    TURN = "turn"
    ANYONE = "anyone"


class ExactRequires(StrEnum):
    """What an exact call needs besides a standing bid."""

    NOTHING = "nothing"
    HALF_DICE_OR_SINGLE_DIE = "half-dice-or-single-die"


class ExactReward(StrEnum):
    """What a right exact call earns."""

    REGAIN = "regain"
    BANK = "bank"
    BIDDER_LOSES = "bidder-loses"


class SpecialRounds(StrEnum):
    """Which round follows a player's first fall to one die."""

    OFF = "off"
    PALIFICO = "palifico"
    OBLIGAR = "obligar"


class Special(StrEnum):
    """The kind of one round that is not a normal one."""

    PALIFICO = "palifico"
    OPEN = "open"
    CLOSED = "closed"


class Turning(StrEnum):
    """Whether the opener of a round may turn the direction of play."""

    FIXED = "fixed"
    OPENER = "opener"


class Seating(StrEnum):
    """How seats and the first opener are found."""

    RANDOM = "random"
    ROLL_SEATS = "roll-seats"
    ROLL_OPENER = "roll-opener"


class Format(StrEnum):
    """What losing a round costs, and when the game ends."""

    ELIMINATION = "elimination"
    POINTS = "points"


@dataclass(frozen=True, slots=True, kw_only=True)
class Ruleset:
    """Every option of a game, in the order in which they are listed, written and hashed.

    Build one with `make_ruleset`, which checks values and ranges.
    """

    system: str
    starting_dice: int
    wild_ones: bool
    open_on_ones: bool
    ones_entry: OnesEntry
    exact: Exact
    exact_requires: ExactRequires
    exact_reward: ExactReward
    exact_in_special: bool
    exact_with_two: bool
    special: SpecialRounds
    special_with_two: bool
    passing: bool
    direction: Turning
    seating: Seating
    format: Format
    rounds: int
    show_lost: bool

    def options(self) -> dict[str, str]:
        """Every key with its text form ("on", "5", "half-plus-one"); `make_ruleset` reads it back."""
        return {key: text_of(getattr(self, key)) for key in KEYS}


_TYPES = {field.name: field.type for field in fields(Ruleset) if field.name != "system"}
KEYS: tuple[str, ...] = tuple(_TYPES)


def text_of(value: OptionValue) -> str:
    """The text form of an option's value."""
    if isinstance(value, bool):
        return "on" if value else "off"
    return str(value)


def values_of(key: str, low: int, high: int) -> dict[str, OptionValue]:
    """Text form -> value for all values of `key`; low and high bound it if it is a number."""
    kind = _TYPES[key]
    if kind is bool:
        values: list[OptionValue] = [True, False]
    elif kind is int:
        values = list(range(low, high + 1))
    else:
        assert isinstance(kind, type)
        assert issubclass(kind, StrEnum)
        values = list(kind)
    return {text_of(value): value for value in values}


def is_number(key: str) -> bool:
    """Whether `key` takes a number from a range rather than one of a few words."""
    return _TYPES[key] is int
