"""Games read back from their public state: everything may be done that might be done before, and nothing else."""

from contextlib import suppress
from random import Random
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from p2pdice.rules import ENGINE, PRESETS, Game, Special, Stage, callers, cups_needed, legal, mildest, public
from p2pdice.rules.restore import restore
from p2pdice.rules.state import Canonical
from tests.rules.kit import random_game, table
from tests.rules.strategies import players, rulesets
from tests.rules.test_perft import assert_agrees


def assert_restored(game: Game) -> None:
    """The game is the same for everyone who may do something."""
    again = restore(public(game))
    assert public(again) == public(game)
    assert [legal(again, seat) for seat in range(game.seats)] == [legal(game, seat) for seat in range(game.seats)]
    assert (callers(again), cups_needed(again)) == (callers(game), cups_needed(game))
    if game.stage in (Stage.OBLIGE, Stage.ACT):
        assert mildest(again, again.turn) == mildest(game, game.turn)


@given(st.data())
def test_any_state_of_any_game(data: st.DataObject) -> None:
    """Every state of a game, of whatever rules, is restored."""
    rules = data.draw(rulesets())
    for game, _ in random_game(rules, data.draw(players(rules)), Random(data.draw(st.integers(0, 2**32)))):
        assert_restored(game)


@pytest.mark.parametrize(
    "game",
    [
        table("perudo", (5, 5, 5), "8x4"),
        table("dudo", (5, 5, 5), "8x3", "paso"),
        table("dudo", (5, 5, 5), "8x3", "paso", "dudo"),
        table("dudo", (5, 1, 5), "2x4 right", special=Special.OPEN),
        table("dudo", (1, 5, 1), "2x4", "3x4", special=Special.CLOSED),
        table("perudo", (1, 5, 1), "2x4", special=Special.PALIFICO),
    ],
)
def test_chosen_states(game: Game) -> None:
    """After a raise, a pass, a doubted pass and in special rounds check allows what it did, by the naive rules too."""
    assert_restored(game)
    if game.stage is Stage.ACT and not game.passed:
        again = restore(public(game))
        again.history = game.history
        assert_agrees(again)


def test_the_public_state_of_a_round() -> None:
    """Part by part, in the order of protocol.md section 5: it is hashed, so its form is nobody's to change."""
    game = table("dudo", (5, 1, 5, 0), "2x4 right", "3x4", special=Special.OPEN, used=(2,))
    terms = [text for pair in game.rules.options().items() for text in pair]
    assert public(game) == (
        ENGINE,
        ("dudo", *terms),
        ("act", 1, 0, "open"),
        ("right", "left"),
        (5, 1, 5, 0),
        (0, 0, 0, 0),
        (0, 0, 0, 0),
        (1, 0, 1, 0),
        (3,),
        (1, "bid", 2, ()),
        (3, 4, (2,)),
        ("", "", ()),
        (),
    )


LEAVES = st.one_of(st.integers(0, 40), st.text(max_size=4), st.just(()))
VALUES = st.recursive(LEAVES, lambda inner: st.lists(inner, max_size=5).map(tuple), max_leaves=20)


@given(st.data())
def test_anything_else_is_refused(data: st.DataObject) -> None:
    """What no game's public state is, is a ValueError and nothing else."""
    state = list(public(table("dudo", (5, 5, 5), "8x3", "paso")))
    changed = data.draw(st.sets(st.sampled_from(range(len(state))), min_size=1))
    for place in changed:
        state[place] = data.draw(VALUES)
    value = cast(tuple[Canonical, ...], tuple(state))
    with suppress(ValueError):
        assert public(restore(value)) == value


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (2, ("act", 1, 3, "")),
        (4, (5, 10**9, 5)),
        (9, (3, "bid", 1, ())),
        (10, (16, 3, (0,))),
        (10, (0, 3, (0,))),
        (10, (2, 7, (0,))),
        (10, (2, 3, (3,))),
        (10, (2, 3, ())),
        (10, ("2", 3, (0,))),
        (12, (4,)),
    ],
)
def test_numbers_out_of_range(place: int, value: Canonical) -> None:
    """Seats, dice and bids that no table has are refused, whatever they would lead to later."""
    state = list(public(table("perudo", (5, 5, 5), "2x3")))
    state[place] = value
    with pytest.raises(ValueError, match="not the public state"):
        restore(tuple(state))


@pytest.mark.parametrize("value", [(), (1,), public(table("perudo"))[:-1], (2, *public(table("perudo"))[1:])])
def test_other_shapes(value: tuple[Canonical, ...]) -> None:
    """Too short, or of another engine."""
    with pytest.raises(ValueError, match="not the public state"):
        restore(value)
    assert restore(public(table("perudo"))).rules == PRESETS["perudo"]
