"""Bots at one table, without any network: whole games from one seed."""

from collections.abc import Callable, Sequence
from random import Random

from p2pdice.bots import Bot, RandomSource
from p2pdice.rules import (
    CALZO,
    DUDO,
    Action,
    Game,
    Kind,
    Ruleset,
    Stage,
    View,
    apply,
    callers,
    chance,
    check,
    cups_needed,
    deal,
    new_game,
    settle,
    view,
)

Watcher = Callable[[View, Action], None]


class Baseline:
    """The player to beat: goes by the odds of its own dice alone."""

    def choose(self, view: View, random: RandomSource) -> Action:
        bids = [move for move in view.legal if move.kind is Kind.BID]
        if view.bid is None:
            return max((move for move in bids if chance(view, move) > 0.5), default=view.legal[0])
        possible = [move for move in bids if chance(view, move) > 0.15]
        return DUDO if chance(view, view.bid) < 0.35 or not possible else possible[0]

    def choose_call(self, view: View, random: RandomSource) -> bool:
        return False


def play(rules: Ruleset, bots: Sequence[Bot], seed: int, watch: Watcher = lambda view, move: None) -> tuple[int, ...]:
    """Play one game and return the seats that won; `watch` sees every view with the move chosen from it."""
    random = Random(seed)
    game = new_game(rules, len(bots), opener=random.randrange(len(bots)))
    cups: dict[int, tuple[int, ...]] = {}

    def act(seat: int, move: Action) -> None:
        watch(view(game, seat, cups), move)
        check(game, seat, move)
        apply(game, seat, move)

    while game.stage is not Stage.OVER:
        if game.stage is Stage.DEAL:
            cups = {seat: tuple(random.choices(range(1, 7), k=dice)) for seat, dice in enumerate(game.dice) if dice}
            deal(game)
        elif game.stage is Stage.SHOWDOWN:
            settle(game, {seat: cups[seat] for seat in cups_needed(game)})
        else:
            _one_move(game, bots, cups, random, act)
    return game.winners


def _one_move(
    game: Game,
    bots: Sequence[Bot],
    cups: dict[int, tuple[int, ...]],
    random: Random,
    act: Callable[[int, Action], None],
) -> None:
    """An exact call by whoever wants one, else the move of the seat in turn."""
    for seat in callers(game):
        if bots[seat].choose_call(view(game, seat, cups), random):
            act(seat, CALZO)
            return
    act(game.turn, bots[game.turn].choose(view(game, game.turn, cups if game.stage is Stage.ACT else {}), random))
