"""The end of a round: counts, losses, rewards, next openers, special rounds, points, and players who go."""

import pytest

from p2pdice.rules import (
    Game,
    Gone,
    Special,
    Stage,
    apply,
    count,
    cups_needed,
    deal,
    make_ruleset,
    new_game,
    parse_action,
    pass_holds,
    remove,
    settle,
)
from tests.rules.kit import cups, play, table


@pytest.mark.parametrize(
    ("face", "wild", "expected"), [(3, True, 4), (3, False, 2), (1, True, 2), (1, False, 2), (6, True, 3)]
)
def test_count(face: int, wild: bool, expected: int) -> None:
    """Wild ones count for every face but themselves."""
    assert count([(1, 3, 3), (1, 6, 5)], face, wild) == expected


@pytest.mark.parametrize("cup", ["44444", "11111", "44422", "11144", "23456", "12345"])
def test_pass_holds(cup: str) -> None:
    """Five alike, three and two alike or five different, ones as ones."""
    assert pass_holds(tuple(map(int, cup)))


@pytest.mark.parametrize("cup", ["44442", "14444", "44423", "44223", "44123"])
def test_pass_does_not_hold(cup: str) -> None:
    """Four alike, three alike, two pairs or one pair are no paso."""
    assert not pass_holds(tuple(map(int, cup)))


def bank(dice: tuple[int, int, int], banked: tuple[int, int, int], *actions: str) -> Game:
    """A dealt round of dudo with dice in favour."""
    game = new_game(make_ruleset("dudo", {}), 3, dice=dice, banked=banked)
    deal(game)
    return play(game, *actions)


def test_dice_in_favour_add_up() -> None:
    """At the full number an exact call keeps the die in favour, on top of those there are."""
    record = settle(bank((5, 5, 5), (0, 1, 0), "3x2", "calzo"), cups("22233", "33333", "33333"))
    assert (record.banked, record.dice, record.gained, record.next_opener) == ((0, 2, 0), (5, 5, 5), (1,), 1)


def test_a_loss_is_paid_from_a_die_in_favour() -> None:
    """The next die lost is the one in favour; the player still lost the round and opens, and has not fallen."""
    game = bank((2, 5, 5), (1, 0, 0), "9x2", "dudo")
    record = settle(game, cups("33", "33333", "33333"))
    assert (record.banked, record.dice, record.lost, record.next_opener) == ((0, 0, 0), (2, 5, 5), (0,), 0)
    assert record.next_special is None
    assert game.used == [False] * 3


def test_regain_stops_at_the_full_number() -> None:
    """With all dice an exact call gains nothing but the opening."""
    record = settle(play(table("perudo", (5, 5), "2x3"), "calzo"), cups("33222", "22222"))
    assert (record.dice, record.banked, record.gained, record.lost, record.next_opener) == ((5, 5), (0, 0), (), (), 1)


def test_a_wrong_exact_call_costs_a_die() -> None:
    """More or fewer than bid: the caller loses a die and opens."""
    for other in ("33322", "22222"):
        record = settle(play(table("perudo", (5, 5), "2x3"), "calzo"), cups("32222", other))
        assert (record.dice, record.lost, record.next_opener) == ((5, 4), (1,), 1)


def test_an_exact_call_out_of_turn_settles_on_its_caller() -> None:
    """Out of turn the caller, not the seat in turn, gains and opens."""
    game = play(table("clasico", (5, 5, 4), "2x3"), "2: calzo")
    record = settle(game, cups("33222", "22222", "2222"))
    assert (record.caller, record.bidder, record.gained, record.dice, record.next_opener) == (2, 0, (2,), (5, 5, 5), 2)


@pytest.mark.parametrize(
    ("system", "dice", "expected"),
    [
        ("perudo", (2, 5, 5), "palifico"),
        ("perudo", (2, 5, 0), None),
        ("dudo", (2, 5, 0), "obligar"),
        ("perudo-pt", (2, 5, 0), "palifico"),
        ("clasico", (2, 5, 0), None),
        ("doodoo", (2, 5, 5), None),
    ],
)
def test_first_fall(system: str, dice: tuple[int, ...], expected: str | None) -> None:
    """A first fall to one die brings the system's special round, with two left only where it says so."""
    game = play(table(system, dice, "6x2"), "dudo")
    record = settle(game, {seat: (3,) * number for seat, number in enumerate(dice) if number})
    assert record.next_special == expected
    assert (game.special, game.stage is Stage.OBLIGE) == (
        Special.PALIFICO if expected == "palifico" else None,
        expected == "obligar",
    )


def test_a_fall_by_a_wrong_exact_call_or_pass() -> None:
    """One falls by losing in whatever way."""
    record = settle(play(table("perudo", (5, 2, 5), "3x2"), "calzo"), cups("33333", "33", "33333"))
    assert (record.lost, record.next_special) == ((1,), "palifico")
    game = play(table("dudo", (5, 5, 2), "3x2"), "paso", "dudo")
    assert (settle(game, cups("", "33333")).lost, game.stage) == ((2,), Stage.OBLIGE)


def test_a_special_round_lasts_one_round() -> None:
    """Whatever happens in it, the next round is normal unless somebody else fell."""
    game = play(table("perudo", (1, 3, 2), "2x1", special=Special.PALIFICO), "dudo")
    record = settle(game, cups("1", "111", "55"))
    assert (record.special, record.count, record.lost, record.next_special) == (Special.PALIFICO, 4, (1,), None)
    game = play(table("perudo", (1, 3, 2), "2x1", special=Special.PALIFICO), "3x1", "4x1", "dudo")
    record = settle(game, cups("1", "112", "55"))
    assert (record.lost, record.next_special, record.next_opener) == ((2,), "palifico", 2)


@pytest.mark.parametrize("choice", ["open", "closed", "no"])
def test_an_obligar_is_chosen_before_the_deal(choice: str) -> None:
    """The choice decides the kind of the next round."""
    game = play(table("dudo", (2, 5, 5), "6x2"), "dudo")
    settle(game, cups("33", "33333", "33333"))
    apply(game, 0, parse_action(f"oblige {choice}"))
    assert (game.stage, game.special, game.used[0]) == (Stage.DEAL, None if choice == "no" else Special(choice), True)


def points(rounds: int, reward: str = "regain", penalties: tuple[int, ...] = (0, 0, 0)) -> Game:
    """The first round of a points race, dealt."""
    rules = make_ruleset("perudo", {"format": "points", "rounds": str(rounds), "exact_reward": reward})
    game = new_game(rules, 3, penalties=penalties)
    deal(game)
    return game


def test_points_race() -> None:
    """Losing a round costs a point, nobody loses dice, and the fewest points after the last round win."""
    game = play(points(2), "9x2", "dudo")
    first = settle(game, cups("33333", "33333", "33333"))
    assert (first.lost, first.penalties, first.dice, first.winners) == ((0,), (1, 0, 0), (5, 5, 5), ())
    deal(game)
    last = settle(play(game, "9x2", "dudo"), cups("22222", "22222", "22222"))
    assert (last.lost, last.penalties, last.winners, last.next_opener) == ((1,), (1, 1, 0), (2,), None)
    assert game.stage is Stage.OVER


def test_points_race_shared() -> None:
    """A tie is a shared win."""
    record = settle(play(points(1), "9x2", "dudo"), cups("22222", "22222", "33333"))
    assert (record.penalties, record.winners) == ((0, 1, 0), (0, 2))


@pytest.mark.parametrize(
    ("reward", "before", "after", "lost", "gained"),
    [
        ("regain", (0, 2, 0), (0, 1, 0), (), (1,)),
        ("bank", (0, 2, 0), (0, 1, 0), (), (1,)),
        ("regain", (0, 0, 0), (0, 0, 0), (), ()),
        ("bidder-loses", (0, 2, 0), (1, 2, 0), (0,), ()),
    ],
)
def test_exact_calls_in_a_points_race(
    reward: str,
    before: tuple[int, ...],
    after: tuple[int, ...],
    lost: tuple[int, ...],
    gained: tuple[int, ...],
) -> None:
    """An exact call takes a point from its caller, if there is one, or gives the bidder one."""
    record = settle(play(points(9, reward, before), "2x2", "calzo"), cups("22333", "33333", "33333"))
    assert (record.penalties, record.lost, record.gained) == (after, lost, gained)
    assert record.next_opener == (lost or (1,))[0]


def test_cups_needed() -> None:
    """A doubt opens all cups, a doubted pass the passer's, anything else none."""
    game = table("dudo", (5, 5, 0, 5), "2x3", "paso")
    assert cups_needed(game) == ()
    assert cups_needed(play(game.copy(), "dudo")) == (1,)
    assert cups_needed(play(game, "2x4", "dudo")) == (0, 1, 3)


@pytest.mark.parametrize(
    "wrong",
    [cups("22222"), cups("22222", "2222"), cups("22222", "22222", "22222"), cups("22222", "", "22222")],
)
def test_wrong_cups(wrong: dict[int, tuple[int, ...]]) -> None:
    """A round is settled by all its cups, each whole, or not at all."""
    game = play(table("perudo", (5, 5, 0), "2x3"), "dudo")
    with pytest.raises(ValueError, match="cup"):
        settle(game, wrong)
    settle(game, cups("22222", "22222"))
    with pytest.raises(ValueError, match="called"):
        settle(game, cups("22222", "22222"))


def test_a_doubted_pass_needs_the_passers_cup() -> None:
    """Another cup in its place is refused."""
    game = play(table("dudo", (5, 5, 5), "2x3"), "paso", "dudo")
    with pytest.raises(ValueError, match="cups"):
        settle(game, cups("22222"))


# Players who go.


def test_gone_in_a_round() -> None:
    """A drop voids the open round: opener, number and direction are as when it began, and nobody else loses dice."""
    game = table("dudo", (5, 5, 5), "2x3 right", "3x3")
    assert remove(game, [1]) == Gone((1,), (5, 0, 5), 0, None, ())
    assert (game.stage, game.opener, game.direction, game.bid, game.round_number) == (Stage.DEAL, 0, 1, None, 1)


def test_gone_opener() -> None:
    """If the opener is gone the next after them opens, a normal round even where theirs was special."""
    game = table("perudo", (5, 5, 1, 5), "2x3", opener=2, special=Special.PALIFICO)
    assert remove(game, [2, 3]) == Gone((2, 3), (5, 5, 0, 0), 0, None, ())
    assert game.special is None


def test_gone_keeps_a_special_round() -> None:
    """A special round is dealt again of the same kind if its opener is in, an obligar with the choice made."""
    game = table("perudo", (1, 5, 5, 5), "2x3", special=Special.PALIFICO)
    assert remove(game, [3]).next_special == "palifico"
    assert game.special is Special.PALIFICO
    game = table("dudo", (1, 5, 5), "2x3", special=Special.CLOSED)
    assert remove(game, [2]).next_special is None
    assert (game.special, game.stage) == (Special.CLOSED, Stage.DEAL)


def test_gone_leaves_two() -> None:
    """With two left a special round becomes a normal one where the rules want more players for it."""
    game = table("perudo", (1, 5, 5), "2x3", special=Special.PALIFICO)
    assert remove(game, [2]).next_special is None
    assert game.special is None


def test_gone_before_a_choice() -> None:
    """An opener who may oblige still may after others went, and loses it with their own place."""
    game = play(table("dudo", (2, 5, 5, 5), "9x2"), "dudo")
    settle(game, cups("33", "33333", "33333", "33333"))
    assert (remove(game, [1]).next_special, game.stage) == ("obligar", Stage.OBLIGE)
    assert (remove(game, [0]), game.stage) == (Gone((0,), (0, 0, 5, 5), 2, None, ()), Stage.DEAL)


def test_gone_is_no_fall_and_takes_dice_in_favour() -> None:
    """Who goes loses dice in favour too, and nobody falls by it."""
    game = bank((5, 5, 1), (1, 2, 0), "2x3")
    remove(game, [1])
    assert (game.banked, game.used, game.special) == ([1, 0, 0], [False] * 3, None)


def test_gone_to_the_last() -> None:
    """The last one in wins, whatever the format; nobody goes twice or after the end."""
    game = table("perudo", (5, 0, 5), "2x3")
    with pytest.raises(ValueError, match="dice"):
        remove(game, [1])
    assert remove(game, [0]) == Gone((0,), (0, 0, 5), None, None, (2,))
    with pytest.raises(ValueError, match="end"):
        remove(game, [2])
    race = points(9, penalties=(0, 0, 3))
    assert remove(race, [0, 1]).winners == (2,)
    assert remove(points(9), [0, 1, 2]).winners == ()


def test_gone_cannot_win_a_points_race() -> None:
    """After the last round only those still in are compared."""
    game = points(1, penalties=(0, 3, 5))
    remove(game, [0])
    deal(game)
    assert settle(play(game, "2x2", "dudo"), cups("", "33333", "33333")).winners == (1,)
