"""Every level plays every system legally, never hopelessly, to the end, and each is stronger than the one below."""

from random import Random

import pytest

from p2pdice.bots import LEVELS, Bot
from p2pdice.rules import (
    CALZO,
    DUDO,
    PASO,
    PRESETS,
    Action,
    Kind,
    Ruleset,
    Special,
    Stage,
    View,
    apply,
    bid,
    chance,
    chance_exact,
    deal,
    make_ruleset,
    new_game,
    view,
)
from tests.bots.arena import Baseline, play

SYSTEMS = sorted(PRESETS)
MIXED = [LEVELS["easy"], LEVELS["normal"], LEVELS["hard"]]


def hopeless(seen: View, move: Action) -> bool:
    """The move cannot turn out well, whatever lies under the cups that this seat does not see."""
    if move.kind is Kind.BID:
        return chance(seen, move) == 0
    if seen.bid is None or seen.last is Kind.PASO:
        return False
    if move.kind is Kind.DUDO:
        return chance(seen, seen.bid) == 1
    return move.kind is Kind.CALZO and chance_exact(seen, seen.bid) == 0


def table(rules: Ruleset, own: str, *history: tuple[int, Action], seats: int = 2) -> View:
    """What seat 0 sees with these dice after that history; nobody else's cup is in sight."""
    game = new_game(rules, seats, opener=history[0][0] if history else 0)
    deal(game)
    for seat, action in history:
        apply(game, seat, action)
    return view(game, 0, {0: tuple(map(int, own))})


@pytest.mark.parametrize("system", SYSTEMS)
@pytest.mark.parametrize("seats", [2, 3, 6])
def test_bots_play_every_system_to_its_end(system: str, seats: int) -> None:
    """Games end, every move is legal, and none is hopeless while another is not."""
    moves = 0

    def watch(seen: View, move: Action) -> None:
        nonlocal moves
        moves += 1
        assert move in seen.legal
        if hopeless(seen, move):
            assert all(hopeless(seen, other) for other in seen.legal), (seen, move)

    for seed in range(10):
        assert play(PRESETS[system], [MIXED[(seed + seat) % 3] for seat in range(seats)], seed, watch)
    assert moves > 50


@pytest.mark.parametrize("system", SYSTEMS)
def test_bots_finish_a_points_race(system: str) -> None:
    """Without dice to lose, a game of bots still ends after its rounds."""
    rules = make_ruleset(system, {"format": "points", "rounds": "5"})
    assert play(rules, MIXED, 1)


@pytest.mark.parametrize("level", sorted(LEVELS))
def test_same_view_and_randomness_give_the_same_move(level: str) -> None:
    """A bot draws from nothing but the source that it is given."""
    moves: list[list[Action]] = [[], []]
    for run in moves:
        play(PRESETS["dudo"], [LEVELS[level]] * 3, 7, lambda seen, move, run=run: run.append(move))  # type: ignore[misc]
    assert moves[0] == moves[1]
    assert len(moves[0]) > 20


@pytest.mark.parametrize("level", sorted(LEVELS))
def test_does_not_doubt_what_its_own_dice_prove(level: str) -> None:
    """With five matching dice of one's own, even the least likely raise is better than a lost doubt."""
    seen = table(PRESETS["perudo"], "11555", (1, bid(5, 5)))
    for seed in range(50):
        assert LEVELS[level].choose(seen, Random(seed)) != DUDO


@pytest.mark.parametrize("level", sorted(LEVELS))
def test_passes_on_five_different_dice(level: str) -> None:
    """Over a bid that is hard to doubt and hard to raise, every level takes the true pass, which costs nothing."""
    seen = table(PRESETS["dudo"], "12346", (1, bid(4, 5)))
    assert LEVELS[level].choose(seen, Random(1)) == PASO


@pytest.mark.parametrize("level", sorted(LEVELS))
def test_calls_exact_out_of_turn_only_where_it_pays(level: str) -> None:
    """A bid that needs luck is left alone; one that only a single die of six kinds could make wrong is called exact."""
    far = table(PRESETS["clasico"], "22346", (1, bid(2, 5)), seats=3)
    assert far.legal == (CALZO,)
    assert not LEVELS[level].choose_call(far, Random(1))

    rules = make_ruleset("clasico", {"special": "obligar", "exact_in_special": "on"})
    game = new_game(rules, 3, opener=1, dice=[1, 3, 3], special=Special.OPEN)
    deal(game)
    apply(game, 1, bid(3, 5))
    near = view(game, 0, {1: (5, 5, 2), 2: (5, 3, 4)})
    assert near.legal == (CALZO,)
    assert LEVELS[level].choose_call(near, Random(1))


@pytest.mark.parametrize("system", SYSTEMS)
def test_obliged_opener_gets_an_answer(system: str) -> None:
    """Before a round that one may oblige, every level answers with one of the choices."""
    answered = 0

    def watch(seen: View, move: Action) -> None:
        nonlocal answered
        answered += seen.stage is Stage.OBLIGE
        assert move in seen.legal

    for seed in range(5):
        play(PRESETS[system], MIXED, seed, watch)
    assert (answered > 0) == (system == "dudo")


def wins(first: Bot, second: Bot, system: str, games: int) -> float:
    """The part of two-player games that `first` wins, sitting on each side by turns."""
    pairs = ([first, second], [second, first])
    return sum(play(PRESETS[system], pairs[seed % 2], seed) == (seed % 2,) for seed in range(games)) / games


@pytest.mark.parametrize("system", ["perudo", "doodoo"])
def test_each_level_beats_the_one_below(system: str) -> None:
    """Normal wins clearly more than half against easy, and hard against normal."""
    assert wins(LEVELS["normal"], LEVELS["easy"], system, 60) > 0.6
    assert wins(LEVELS["hard"], LEVELS["normal"], system, 60) > 0.6


@pytest.mark.long
@pytest.mark.parametrize("system", SYSTEMS)
def test_hard_beats_who_only_knows_the_odds(system: str) -> None:
    """Listening and thinking one step ahead beats a player who goes by its own dice alone, at two and at three."""
    assert wins(LEVELS["hard"], Baseline(), system, 400) > 0.6
    seats = [play(PRESETS[system], [LEVELS["hard"], Baseline(), Baseline()], seed) for seed in range(400)]
    assert seats.count((0,)) > 400 * 0.42
