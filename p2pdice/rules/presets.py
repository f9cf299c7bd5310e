"""The five rule systems as five values, what each bounds, and how a table's rules differ from them.

Nothing here says how a rule plays; adding a system means adding a value.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any, NamedTuple

from .errors import RulesetError
from .ruleset import (
    KEYS,
    Exact,
    ExactRequires,
    ExactReward,
    Format,
    OnesEntry,
    Ruleset,
    Seating,
    SpecialRounds,
    Turning,
    is_number,
    values_of,
)

ROUNDS = (1, 100)


class Limits(NamedTuple):
    """Lowest and highest number, both allowed."""

    players: tuple[int, int] = (2, 32)
    starting_dice: tuple[int, int] = (1, 10)


# What a system sets for a feature it does not have matters only when a house rule turns the feature on.
_DOODOO = Ruleset(
    system="doodoo",
    starting_dice=5,
    wild_ones=False,
    open_on_ones=True,
    ones_entry=OnesEntry.HALF,
    exact=Exact.OFF,
    exact_requires=ExactRequires.NOTHING,
    exact_reward=ExactReward.REGAIN,
    exact_in_special=True,
    exact_with_two=True,
    special=SpecialRounds.OFF,
    special_with_two=False,
    passing=False,
    direction=Turning.FIXED,
    seating=Seating.ROLL_OPENER,
    format=Format.ELIMINATION,
    rounds=10,
    show_lost=True,
)
_PERUDO = replace(
    _DOODOO,
    system="perudo",
    wild_ones=True,
    open_on_ones=False,
    exact=Exact.TURN,
    special=SpecialRounds.PALIFICO,
    seating=Seating.RANDOM,
)
_DUDO = replace(
    _PERUDO,
    system="dudo",
    ones_entry=OnesEntry.HALF_PLUS_ONE,
    exact_requires=ExactRequires.HALF_DICE_OR_SINGLE_DIE,
    exact_reward=ExactReward.BANK,
    special=SpecialRounds.OBLIGAR,
    special_with_two=True,
    passing=True,
    direction=Turning.OPENER,
)
_CLASICO = replace(_PERUDO, system="clasico", exact=Exact.ANYONE, exact_in_special=False, exact_with_two=False)
_PERUDO_PT = replace(
    _PERUDO,
    system="perudo-pt",
    open_on_ones=True,
    exact_reward=ExactReward.BIDDER_LOSES,
    exact_in_special=False,
    special_with_two=True,
    seating=Seating.ROLL_SEATS,
)

PRESETS: Mapping[str, Ruleset] = MappingProxyType(
    {rules.system: rules for rules in (_PERUDO, _DUDO, _CLASICO, _PERUDO_PT, _DOODOO)}
)
LIMITS: Mapping[str, Limits] = MappingProxyType(
    {**dict.fromkeys(PRESETS, Limits()), "clasico": Limits(players=(2, 6), starting_dice=(3, 6))}
)


def allowed(system: str, key: str) -> tuple[str, ...]:
    """The values `key` may take under `system`: words, or one range like "3-6"."""
    low, high = _bounds(system, key)
    return (f"{low}-{high}",) if is_number(key) else tuple(values_of(key, low, high))


def make_ruleset(system: str, options: Mapping[str, str]) -> Ruleset:
    """The rules of `system` with the house rules `options` (key -> text) over them.

    Raises RulesetError "unknown-system" (system, allowed), "unknown-key" (key, allowed), "bad-value" (key, value,
    allowed).
    """
    if system not in PRESETS:
        raise RulesetError("unknown-system", system=system, allowed=tuple(PRESETS))
    changes: dict[str, Any] = {}
    for key, value in options.items():
        if key not in KEYS:
            raise RulesetError("unknown-key", key=key, allowed=KEYS)
        values = values_of(key, *_bounds(system, key))
        if value not in values:
            raise RulesetError("bad-value", key=key, value=value, allowed=allowed(system, key))
        changes[key] = values[value]
    return replace(PRESETS[system], **changes)


def _bounds(system: str, key: str) -> tuple[int, int]:
    return LIMITS[system].starting_dice if key == "starting_dice" else ROUNDS


def check_players(rules: Ruleset, players: int) -> None:
    """Raises RulesetError "too-few-players" or "too-many-players" (players, low, high)."""
    low, high = LIMITS[rules.system].players
    if players < low:
        raise RulesetError("too-few-players", players=players, low=low, high=high)
    if players > high:
        raise RulesetError("too-many-players", players=players, low=low, high=high)


def differences(rules: Ruleset) -> dict[str, str]:
    """Key -> text form, only where `rules` differ from the system they name."""
    base = PRESETS[rules.system].options()
    return {key: text for key, text in rules.options().items() if base[key] != text}


def without_effect(rules: Ruleset) -> tuple[str, ...]:
    """Keys set away from the system's value that change nothing in this combination."""
    return tuple(key for key in idle(rules) if key in differences(rules))


def idle(rules: Ruleset) -> tuple[str, ...]:
    """Keys that have no effect in this combination, those at the system's own value included."""
    return tuple(key for key, nothing in _IDLE.items() if nothing(rules))


def _no_exact(rules: Ruleset) -> bool:
    return rules.exact is Exact.OFF


def _no_special(rules: Ruleset) -> bool:
    # One who starts with one die never falls to it, and in a points race nobody loses dice.
    return rules.format is Format.POINTS or rules.starting_dice == 1


def _no_special_rounds(rules: Ruleset) -> bool:
    return _no_special(rules) or rules.special is SpecialRounds.OFF


def _no_passing(rules: Ruleset) -> bool:
    # Dice never grow beyond the starting number; in a points race they never shrink to five either.
    return rules.starting_dice != 5 if rules.format is Format.POINTS else rules.starting_dice < 5


def _same_reward(rules: Ruleset) -> bool:
    # A points race takes a point from the caller under both rewards that do not cost the bidder.
    pair = {rules.exact_reward, PRESETS[rules.system].exact_reward}
    return rules.format is Format.POINTS and pair == {ExactReward.REGAIN, ExactReward.BANK}


_IDLE: Mapping[str, Callable[[Ruleset], bool]] = MappingProxyType(
    {
        "open_on_ones": lambda rules: not rules.wild_ones,
        "ones_entry": lambda rules: not rules.wild_ones,
        "exact_requires": lambda rules: _no_exact(rules) or rules.starting_dice == 1,
        "exact_reward": lambda rules: _no_exact(rules) or _same_reward(rules),
        "exact_in_special": lambda rules: _no_exact(rules) or _no_special_rounds(rules),
        "exact_with_two": _no_exact,
        "special": _no_special,
        "special_with_two": _no_special_rounds,
        "passing": _no_passing,
        "rounds": lambda rules: rules.format is Format.ELIMINATION,
        "show_lost": lambda rules: rules.format is Format.POINTS,
    }
)
