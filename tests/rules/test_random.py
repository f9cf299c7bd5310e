"""Whole random games under random rules: what must hold at every action and at every end."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from p2pdice.rules import (
    CALZO,
    DUDO,
    PASO,
    PRESETS,
    Action,
    ExactReward,
    Format,
    Game,
    IllegalAction,
    Ruleset,
    Stage,
    bid,
    callers,
    check,
    legal,
    make_ruleset,
    mildest,
    public,
)
from tests.rules.kit import judge, random_game, written
from tests.rules.strategies import players, rulesets
from tests.rules.test_perft import assert_agrees

SEEDS = st.integers(0, 2**32)


def assert_sound(game: Game, start: list[int]) -> None:
    """What holds of every state of every game."""
    rules = game.rules
    assert all(0 <= now <= rules.starting_dice for now in game.dice)
    assert all(favour == 0 or rules.exact_reward is ExactReward.BANK for favour in game.banked)
    assert all(point >= 0 for point in game.penalties)
    assert not any(favour and not dice for favour, dice in zip(game.banked, game.dice, strict=True))
    if rules.format is Format.POINTS:
        assert game.dice == start
    if game.stage in (Stage.ACT, Stage.OBLIGE):
        menu = legal(game, game.turn)
        assert menu
        assert mildest(game, game.turn) in menu
        assert game.dice[game.turn]
        assert all(
            legal(game, seat) == (() if seat not in callers(game) else legal(game, seat)[:1])
            for seat in range(game.seats)
            if seat != game.turn
        )


def play_through(rules: Ruleset, seats: int, seed: int, full: bool) -> int:
    """Plays one game to its end and asserts at each step; returns the number of actions."""
    actions, before = 0, 0
    start = [rules.starting_dice] * seats
    for game, record in random_game(rules, seats, Random(seed)):
        assert_sound(game, start)
        if record is None:
            actions += 1
            if full and game.stage is Stage.ACT:
                assert_agrees(game)
            continue
        total = sum(game.dice) + sum(game.banked)
        assert len(record.lost) <= 1
        assert len(record.gained) <= 1
        assert not (record.lost and record.gained)
        if before and rules.format is Format.ELIMINATION:
            assert total - before == len(record.gained) - len(record.lost)
        before = total
        assert bool(record.winners) is (game.stage is Stage.OVER)
        assert (record.next_opener is None) is bool(record.winners)
    return actions


@given(st.data())
def test_any_game_of_any_rules(data: st.DataObject) -> None:
    """A game of any rules ends, never leaves the mover without an action, and agrees with the naive rules."""
    rules = data.draw(rulesets())
    play_through(rules, data.draw(players(rules, most=4)), data.draw(SEEDS), full=True)


@given(st.data())
def test_written_games_are_judged_alike(data: st.DataObject) -> None:
    """The referee reads a written game back to the very events of its playing, with players who go in between too."""
    rules = data.draw(rulesets())
    seats = data.draw(players(rules))
    text, expected = written(rules, seats, data.draw(SEEDS), leave=data.draw(st.sampled_from([0, 0, 0.2])))
    events, status, error = judge(text)
    assert error is None
    assert status == 0
    assert [{key: value for key, value in event.items() if key != "line"} for event in events] == expected


@given(rulesets(), SEEDS)
def test_a_copy_is_independent(rules: Ruleset, seed: int) -> None:
    """A copy has the same public state, and playing on changes only the original."""
    kept: list[tuple[Game, object]] = []
    for game, _ in random_game(rules, 2, Random(seed)):
        if len(kept) < 5:
            kept.append((game.copy(), public(game)))
    assert all(public(copy) == state for copy, state in kept)


def test_states_are_canonical() -> None:
    """A public state is nested tuples of text and non-negative whole numbers, and no two states of a game are equal."""

    def assert_canonical(value: object) -> None:
        if isinstance(value, tuple):
            for part in value:
                assert_canonical(part)
        else:
            assert isinstance(value, str) or (type(value) is int and value >= 0)

    seen = []
    for game, record in random_game(PRESETS["dudo"], 4, Random(4)):
        assert_canonical(public(game))
        if record is None:
            seen.append(public(game))
    assert len(set(seen)) == len(seen) > 50


@pytest.mark.long
@pytest.mark.parametrize("system", sorted(PRESETS))
def test_many_games(system: str) -> None:
    """Ten to the fifth games, 2 to 6 seats, hold what must hold."""
    for seed in range(20_000):
        play_through(PRESETS[system], 2 + seed % 5, seed, full=False)


@pytest.mark.long
@pytest.mark.parametrize("system", sorted(PRESETS))
def test_check_against_legal_in_many_games(system: str) -> None:
    """In two times ten to the fourth games check lets pass exactly what legal lists, for the seat in turn."""
    rules = make_ruleset(system, {"starting_dice": "5"})
    tried = [bid(quantity, face) for quantity in range(17) for face in range(8)] + [DUDO, CALZO, PASO]
    for seed in range(4_000):
        for game, _ in random_game(rules, 2 + seed % 2, Random(seed)):
            if game.stage is Stage.ACT:
                menu = legal(game, game.turn)
                assert [action for action in tried if passes(game, action)] == list(menu)


def passes(game: Game, action: Action) -> bool:
    """Whether check lets the seat in turn do this."""
    try:
        check(game, game.turn, action)
    except IllegalAction:
        return False
    return True


@pytest.mark.long
@pytest.mark.parametrize("system", sorted(PRESETS))
def test_many_games_against_the_naive_rules(system: str) -> None:
    """Every action of every seat in a thousand games is allowed or refused as the naive rules say."""
    checked = sum(play_through(PRESETS[system], 2 + seed % 3, seed, full=True) for seed in range(200))
    assert checked > 4_000
