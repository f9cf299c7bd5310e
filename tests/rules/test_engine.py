"""check, legal, apply and mildest within a round: every reason for a refusal, every turn of direction and kind."""

from typing import Any

import pytest

from p2pdice.rules import (
    CALZO,
    OBLIGE_NO,
    Action,
    Game,
    IllegalAction,
    Kind,
    RoundBegan,
    Special,
    Stage,
    apply,
    bid,
    callers,
    cups_needed,
    deal,
    legal,
    make_ruleset,
    mildest,
    new_game,
    parse_action,
    round_begun,
    settle,
)
from tests.rules.kit import allows, cups, play, refusal, table

OVER_4X3 = {"bid_quantity": 4, "bid_face": 3, "dice": 15}


@pytest.mark.parametrize(
    ("game", "text", "reason", "fields"),
    [
        (table("perudo"), "3x7", "no-such-face", {"face": 7}),
        (table("perudo"), "3x0", "no-such-face", {"face": 0}),
        (table("perudo"), "0x3", "no-dice-bid", {"quantity": 0, "dice": 15}),
        (table("perudo"), "16x3", "more-than-in-play", {"quantity": 16, "dice": 15}),
        (table("perudo"), "1x1", "opens-on-ones", {}),
        (table("perudo"), "dudo", "doubt-without-bid", {}),
        (table("perudo"), "calzo", "exact-without-bid", {}),
        (table("dudo"), "paso", "pass-without-bid", {}),
        (table("perudo"), "2x3 left", "direction-fixed", {}),
        (table("dudo", (5, 5, 5), "2x3"), "3x3 left", "direction-on-raise", {}),
        (table("dudo", (5, 5, 5), "2x3"), "dudo left", "direction-on-call", {"action": "dudo"}),
        (table("dudo", (5, 5, 5), "2x3"), "paso right", "direction-on-call", {"action": "paso"}),
        (table("perudo", (5, 5, 5), "4x3"), "4x2", "not-higher", {"quantity": 4, "face": 2, "least": 5, **OVER_4X3}),
        (table("perudo", (5, 5, 5), "4x3"), "3x6", "not-higher", {"quantity": 3, "face": 6, "least": 4, **OVER_4X3}),
        (table("perudo", (5, 5, 5), "4x3"), "1x1", "too-few-aces", {"quantity": 1, "face": 1, "least": 2, **OVER_4X3}),
        (
            table("perudo", (5, 5, 5), "4x3", "2x1"),
            "4x3",
            "too-few-after-aces",
            {"quantity": 4, "face": 3, "least": 5, "bid_quantity": 2, "bid_face": 1, "dice": 15},
        ),
        (
            table("dudo", (5, 5, 5), "4x3", "paso"),
            "3x1",
            "too-few-aces-after-pass",
            {"quantity": 3, "face": 1, "least": 5, **OVER_4X3},
        ),
        (
            table("dudo", (5, 1, 5), "4x3", special=Special.OPEN),
            "4x2",
            "too-few-to-change-face",
            {"quantity": 4, "face": 2, "least": 5, "bid_quantity": 4, "bid_face": 3, "dice": 11},
        ),
        (
            table("perudo", (5, 1, 5), "4x3", special=Special.PALIFICO),
            "5x4",
            "face-fixed",
            {"quantity": 5, "face": 4, "least": 5, "bid_quantity": 4, "bid_face": 3, "dice": 11},
        ),
        (table("doodoo", (5, 5), "2x3"), "calzo", "exact-off", {}),
        (table("dudo", (5, 5, 5), "2x3", "paso"), "calzo", "exact-after-pass", {}),
        (table("dudo", (5, 5, 5), "2x3", "paso"), "paso", "pass-after-pass", {}),
        (table("dudo", (5, 4, 5), "2x3"), "paso", "pass-needs-five-dice", {"least": 5, "dice": 4}),
        (table("dudo", (5, 5, 5), "2x3", special=Special.CLOSED), "paso", "pass-in-special", {}),
        (table("perudo", (5, 5, 5), "2x3"), "paso", "passing-off", {}),
        (table("dudo", (5, 5, 5), "2x3", "paso", "2x4", "3x3"), "paso", "pass-used", {}),
        (table("dudo", (5, 5, 5), "2x3"), "oblige open", "no-right-to-oblige", {}),
        (table("dudo", (5, 5, 5), "2x3", special=Special.OPEN), "oblige open", "already-obliged", {}),
    ],
)
def test_refusals_in_turn(game: Game, text: str, reason: str, fields: dict[str, Any]) -> None:
    """Each refusal of the seat in turn names its reason and what would be legal."""
    assert refusal(game, text) == (reason, fields)


def test_refusals_out_of_turn() -> None:
    """Out of turn, out of the game, and around a round."""
    game = table("perudo", (5, 0, 5), "2x3")
    assert refusal(game, "3x3", 0) == ("not-your-turn", {"turn": 2})
    assert refusal(game, "calzo", 0) == ("not-your-turn", {"turn": 2})
    assert refusal(game, "3x3", 1) == ("out", {})
    play(game, "dudo")
    assert refusal(game, "3x3") == ("no-round-open", {})
    assert refusal(table("clasico", (5, 5, 5), "2x3"), "calzo", 0) == ("exact-own-bid", {})
    assert refusal(table("clasico", (5, 5, 5), "2x3"), "calzo left", 0) == ("direction-on-call", {"action": "calzo"})
    assert refusal(table("dudo"), Action(Kind.BID, 2, 3, "up")) == ("no-such-direction", {"way": "up"})
    assert refusal(new_game(game.rules, 2), "2x3") == ("no-round-open", {})


def test_refusals_before_an_obligar_and_after_the_end() -> None:
    """While the opener may oblige nobody does anything else, and after the end nobody does anything."""
    game = play(table("dudo", (2, 5, 5), "5x2"), "dudo")
    assert settle(game, cups("23", "23456", "23456")).next_special == "obligar"
    assert game.stage is Stage.OBLIGE
    assert refusal(game, "1x2") == ("oblige-first", {})
    assert refusal(game, "oblige no", 1) == ("not-your-turn", {"turn": 0})
    assert refusal(game, Action(Kind.OBLIGE, way="maybe")) == ("no-such-choice", {"way": "maybe"})
    assert [str(action) for action in legal(game, 0)] == ["oblige open", "oblige closed", "oblige no"]
    assert legal(game, 1) == ()
    assert mildest(game, 0) == OBLIGE_NO
    over = play(table("perudo", (1, 1), "2x2"), "dudo")
    settle(over, cups("3", "4"))
    assert refusal(over, "1x2", 1) == ("game-over", {})
    assert legal(over, 1) == ()


def test_illegal_actions_print_in_one_line() -> None:
    """An IllegalAction shows reason and fields."""
    assert str(IllegalAction("no-such-face", face=7)) == "no-such-face face=7"


def test_direction() -> None:
    """The opener turns the direction with the opening bid; it lasts until another opener turns it again."""
    game = table("dudo", (5, 5, 5, 5))
    assert round_begun(game) == RoundBegan(1, 0, "left", None)
    play(game, "2x3 right")
    assert (game.turn, game.bid, game.bidder) == (3, bid(2, 3), 0)
    play(game, "3x3", "dudo")
    record = settle(game, cups("22222", "22222", "22222", "22222"))
    assert (record.bid, record.next_opener) == (bid(3, 3), 3)
    assert round_begun(game).direction == "right"
    deal(game)
    play(game, "2x2")
    assert game.turn == 2
    play(game, "dudo")
    settle(game, cups("22222", "22222", "22222", "2222"))
    deal(game)
    play(game, "2x2 left")
    assert game.turn == 3


def test_the_next_opener_follows_in_the_direction_of_play() -> None:
    """Who goes out is followed by the next with dice, to the right where play goes right."""
    game = play(table("dudo", (5, 1, 5, 0, 5), "2x2 right", opener=1), "dudo")
    assert settle(game, cups("33333", "3", "33333", "", "33333")).next_opener == 0
    game = play(table("dudo", (5, 5, 1, 0, 5), "2x2 left", opener=2), "dudo")
    assert settle(game, cups("33333", "33333", "3", "", "33333")).next_opener == 4


def test_callers() -> None:
    """Out of turn anyone with dice but the bidder may call exact, straight after a bid only."""
    game = table("clasico", (5, 0, 5, 5), passing="on")
    assert callers(game) == ()
    play(game, "2x3")
    assert (game.turn, callers(game)) == (2, (3,))
    assert legal(game, 3) == (CALZO,)
    assert legal(game, 0) == legal(game, 1) == ()
    play(game, "paso")
    assert callers(game) == ()
    play(game, "3x3", "0: 4x3", "3: calzo")
    assert (game.caller, game.call, game.call_on, game.turn) == (3, "calzo", "bid", 2)
    assert callers(game) == ()
    assert callers(table("perudo", (5, 5, 5), "2x3")) == ()


def test_callers_with_a_single_die() -> None:
    """Below half the dice only those with exactly one die may call exact."""
    game = table("dudo", (2, 2, 1, 1), "2x3", exact="anyone")
    assert callers(game) == (2, 3)
    assert not allows(game, "calzo")


def test_passes_go_on_over_a_round() -> None:
    """Several may pass in one round, each once, never one straight after another."""
    game = table("dudo", (5, 5, 5), "2x3", "paso", "3x3", "paso", "4x3")
    assert (game.passed, game.bids, game.last) == ((1, 0), 3, Kind.BID)
    play(game, "paso", "5x3")
    assert refusal(game, "paso") == ("pass-used", {})
    play(game, "dudo")
    assert cups_needed(game) == (0, 1, 2)


def test_a_pass_in_turn_over_ones() -> None:
    """After a paso over ones the double and one more still leads away from them."""
    game = table("dudo", (5, 5, 5), "2x3", "2x1", "paso")
    assert allows(game, "5x2")
    assert not allows(game, "4x2")
    assert allows(game, "3x1")


@pytest.mark.parametrize(
    ("game", "expected"),
    [
        (table("perudo"), "1x2"),
        (table("perudo-pt"), "1x1"),
        (table("perudo", (5, 5), "5x4"), "5x5"),
        (table("perudo", (5, 5), "5x6"), "6x2"),
        (table("perudo", (5, 5), "5x4", "3x1"), "4x1"),
        (table("perudo", (2, 2), "4x6"), "2x1"),
        (table("perudo", (2, 2), "4x6", "4x1"), "dudo"),
        (table("perudo", (2, 1), "2x3", special=Special.PALIFICO), "3x3"),
        (table("dudo", (5, 5), "10x6", "paso"), "dudo"),
    ],
)
def test_mildest(game: Game, expected: str) -> None:
    """A seat whose time is over opens lowest, raises lowest without going to ones or from them, or doubts."""
    assert mildest(game, game.turn) == parse_action(expected)


def test_the_largest_table() -> None:
    """Thirty-two seats with ten dice each have all their bids, however often they are asked for."""
    game = table("perudo", (10,) * 32, "100x3", starting_dice="10")
    ones, three_higher, three_not_higher, calls = 271, 3 * 221, 2 * 220, 2
    assert [len(legal(game, 1)) for _ in range(2)] == [ones + three_higher + three_not_higher + calls] * 2


def test_a_game_starts_as_told() -> None:
    """A new game waits for a deal; the keywords start it in its middle, a special round's opener having used theirs."""
    rules = make_ruleset("dudo", {"starting_dice": "4"})
    game = new_game(rules, 3)
    assert (game.stage, game.dice, game.opener, game.direction, game.used) == (Stage.DEAL, [4] * 3, 0, 1, [False] * 3)
    game = new_game(rules, 3, 1, direction=-1, dice=(0, 1, 3), banked=(0, 0, 2), used=(2,), special=Special.OPEN)
    assert (game.banked, game.used, game.special) == ([0, 0, 2], [False, True, True], Special.OPEN)
    assert round_begun(game) == RoundBegan(1, 1, "right", Special.OPEN)


@pytest.mark.parametrize("wrong", [{"dice": (3, 3)}, {"dice": (0, 3, 3)}, {"dice": (3, 0, 0)}, {"penalties": (1,)}])
def test_a_game_that_cannot_start(wrong: dict[str, Any]) -> None:
    """An opener without dice, one player alone, or lists that go by no seat are a caller's error."""
    with pytest.raises(ValueError, match="dice"):
        new_game(make_ruleset("perudo", {}), 3, **wrong)


def test_no_deal_out_of_its_time() -> None:
    """Only a game that waits for a deal can be dealt."""
    with pytest.raises(ValueError, match="act"):
        deal(table("perudo"))


def test_apply_keeps_a_history() -> None:
    """The history holds each action as it was made, the standing bid is without its direction."""
    game = table("dudo", (5, 5, 5), "2x3 right", "3x3")
    assert game.history == [(0, bid(2, 3, "right")), (2, bid(3, 3))]
    apply(game, game.turn, parse_action("dudo"))
    assert (game.last, game.stage) == (Kind.DUDO, Stage.SHOWDOWN)
