"""Every option changes something: each pair of its values is told apart by a random game, or the option is dead."""

from itertools import combinations
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from p2pdice.rules import (
    KEYS,
    PRESETS,
    Game,
    IllegalAction,
    OpeningRoll,
    Ruleset,
    Seating,
    Stage,
    allowed,
    check,
    legal,
    make_ruleset,
    without_effect,
)
from tests.rules.kit import random_game
from tests.rules.strategies import rulesets

# Where each option comes to bear: rules under which its values may differ.
BASES = [
    {"special": "obligar", "exact": "anyone", "passing": "on"},
    {"exact_requires": "half-dice-or-single-die", "exact": "turn", "special": "palifico"},
    {"format": "points", "rounds": "3", "exact": "turn"},
]
SHOWN_ONLY = {"show_lost"}
GAMES = 60


def trace(rules: Ruleset, seed: int, seats: int = 3) -> list[object]:
    """All that can be seen of one random game: seating, menus at every action, records."""
    chance = Random(seed)
    seen: list[object] = []
    if rules.seating is not Seating.RANDOM:
        opening = OpeningRoll(seats, rules.seating)
        while not opening.done:
            opening.roll({seat: chance.randint(1, 6) for seat in opening.open_ties()[0]})
        seen.append((opening.order, opening.opener))
    for game, record in random_game(rules, seats, Random(seed)):
        seen += [record, game.special, game.opener, [legal(game, seat) for seat in range(seats)]]
        if game.stage is Stage.ACT and not game.history:
            seen.append(may_turn(game))
    return seen


def may_turn(game: Game) -> bool:
    """Whether the opening bid may name a direction."""
    try:
        check(game, game.turn, legal(game, game.turn)[0]._replace(way="right"))
    except IllegalAction:
        return False
    return True


def values(key: str) -> list[str]:
    """The words of an option, or two numbers of its range."""
    found = allowed("perudo", key)
    return ["3", "4"] if "-" in found[0] and found[0][0].isdigit() else list(found)


PAIRS = [(key, *pair) for key in KEYS if key not in SHOWN_ONLY for pair in combinations(values(key), 2)]


@pytest.mark.parametrize(("key", "one", "other"), PAIRS)
def test_flipping_changes_a_game(key: str, one: str, other: str) -> None:
    """Some game under some rules differs when nothing but this option is changed."""
    for base in BASES:
        first, second = (make_ruleset("perudo", base | {key: value}) for value in (one, other))
        if any(trace(first, seed) != trace(second, seed) for seed in range(GAMES)):
            return
    pytest.fail(f"no game tells {key}={one} from {key}={other}")


def test_every_option_is_flipped() -> None:
    """No option is left out of the pairs but those that change only what is shown."""
    assert {key for key, _, _ in PAIRS} == set(KEYS) - SHOWN_ONLY
    assert len(PAIRS) == 24


@given(rulesets(), st.integers(0, 2**32))
def test_without_effect_means_without_effect(rules: Ruleset, seed: int) -> None:
    """What is said to have no effect has none: the game is the same with the system's own value."""
    base = PRESETS[rules.system].options()
    plain = make_ruleset(rules.system, rules.options() | {key: base[key] for key in without_effect(rules)})
    assert trace(rules, seed) == trace(plain, seed)


def test_show_lost_changes_no_game() -> None:
    """`show_lost` is for the screen."""
    on, off = (make_ruleset("perudo", {"show_lost": value}) for value in ("on", "off"))
    assert all(trace(on, seed) == trace(off, seed) for seed in range(10))
