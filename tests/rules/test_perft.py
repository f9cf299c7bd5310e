"""Counts of legal lines, and single positions, against a second, naive telling of the rules."""

import json
from typing import Any

import pytest

from p2pdice.rules import Game, IllegalAction, Special, Stage, apply, bid, check, deal, legal, make_ruleset, new_game
from p2pdice.rules.actions import CALZO, DUDO, PASO
from tests.rules import naive

ENTRIES: list[dict[str, Any]] = json.loads(naive.VECTORS.read_text(encoding="utf-8"))


def lines(game: Game, depth: int) -> int:
    """Number of sequences of `depth` legal actions from here; a call ends a sequence and counts once."""
    if depth == 0 or game.stage is Stage.SHOWDOWN:
        return 1
    total = 0
    for seat in range(game.seats):
        for action in legal(game, seat):
            following = game.copy()
            apply(following, seat, action)
            total += lines(following, depth - 1)
    return total


def start(entry: dict[str, Any]) -> Game:
    """The dealt round an entry begins with."""
    special = Special(entry["special"]) if entry["special"] else None
    rules = make_ruleset(entry["system"], entry["set"])
    game = new_game(rules, len(entry["dice"]), entry["opener"], dice=entry["dice"], special=special)
    deal(game)
    return game


def test_every_table_is_counted() -> None:
    """The recorded counts are those of all tables and rules of the generator."""
    assert len(ENTRIES) == len(naive.TABLES) * (len(naive.SYSTEMS) + len(naive.HOUSES)) == 56


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: f"{entry['system']}-{entry['dice']}-{entry['special']}")
def test_lines_at_three_actions(entry: dict[str, Any]) -> None:
    """The engine finds as many legal lines as the naive rules, up to a depth that takes no time."""
    game = start(entry)
    depths = [depth for depth, count in enumerate(entry["counts"], 1) if count < 3000]
    assert [lines(game, depth) for depth in depths] == [entry["counts"][depth - 1] for depth in depths]


@pytest.mark.long
@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: f"{entry['system']}-{entry['dice']}-{entry['special']}")
def test_lines_at_full_depth(entry: dict[str, Any]) -> None:
    """The engine finds as many legal lines as the naive rules, to the recorded depth."""
    game = start(entry)
    assert [lines(game, depth) for depth in range(1, len(entry["counts"]) + 1)] == entry["counts"]


def naive_position(game: Game) -> naive.Position:
    """The same open round for the naive rules."""
    done = tuple((seat, str(action).split()[0]) for seat, action in game.history)
    options = tuple(game.rules.options().items())
    return naive.Position(options, tuple(game.dice), game.opener, game.special, done, game.direction)


def assert_agrees(game: Game) -> None:
    """legal, check and the naive rules say the same of every action of every seat."""
    moves = naive.moves(naive_position(game))
    bids = [bid(quantity, face) for quantity in range(game.total + 2) for face in range(8)]
    for seat in range(game.seats):
        menu = legal(game, seat)
        assert [str(action) for action in menu] == [text for mover, text in moves if mover == seat]
        for action in [*bids, DUDO, CALZO, PASO]:
            try:
                check(game, seat, action)
            except IllegalAction:
                assert action not in menu
            else:
                assert action in menu


def test_the_recorded_counts_are_the_generators() -> None:
    """What is recorded is what the naive rules count, on the first table of each kind of round."""
    for entry in ENTRIES:
        options = naive.SYSTEMS[entry["system"]] | entry["set"]
        position = naive.Position(tuple(options.items()), tuple(entry["dice"]), entry["opener"], entry["special"])
        assert naive.lines(position, 2) == entry["counts"][1]
