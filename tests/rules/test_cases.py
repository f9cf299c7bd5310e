"""The worked cases of the rules and the examples of the five descriptions, one by one."""

import pytest

from p2pdice.rules import OpeningRoll, Seating, Special, Stage, bid, legal, settle
from tests.rules.kit import allows, cups, judge, judged, play, refusal, results, table

ENOUGH = (5, 5, 5, 5, 5, 5)


@pytest.mark.parametrize(
    ("system", "standing", "raised", "allowed"),
    [
        # Case 1.
        ("perudo", "4x3", "4x5 5x2", True),
        ("perudo", "4x3", "4x2", False),
        ("perudo", "5x4", "3x1", True),
        ("perudo", "5x4", "2x1", False),
        # Case 2.
        ("dudo", "2x3", "3x3 3x2 2x4 2x5 2x6", True),
        ("dudo", "2x3", "2x2", False),
        ("dudo", "7x3", "4x1", True),
        ("dudo", "8x3", "5x1", True),
        ("dudo", "8x3", "4x1", False),
        # Case 3.
        ("clasico", "11x3", "6x1", True),
        ("clasico", "11x3", "5x1", False),
        # Case 4.
        ("perudo-pt", "5x3", "6x3 5x6 6x2 3x1", True),
        ("perudo-pt", "5x3", "2x1 5x2", False),
        # Case 5; and no fewer dice of a higher face.
        ("doodoo", "4x2", "3x5", False),
        ("doodoo", "4x2", "4x4 5x2", True),
        ("dudo", "4x2", "3x5", False),
        # More than the least is always allowed.
        ("perudo", "5x4", "9x1", True),
        ("dudo", "8x3", "6x1 8x1", True),
    ],
)
def test_raises(system: str, standing: str, raised: str, allowed: bool) -> None:
    """Cases 1 to 5: what may and may not follow a bid."""
    game = table(system, ENOUGH, standing)
    for text in raised.split():
        assert allows(game, text) is allowed, text


@pytest.mark.parametrize(
    ("system", "ones", "raised", "allowed"),
    [
        ("perudo", "3x1", "7x6", True),
        ("perudo", "3x1", "6x6", False),
        ("perudo", "3x1", "4x1", True),
        ("perudo", "3x1", "3x1", False),
        ("dudo", "2x1", "5x3", True),
        ("dudo", "2x1", "4x3", False),
        ("clasico", "6x1", "13x2", True),
        ("clasico", "6x1", "12x2", False),
        ("clasico", "6x1", "7x1", True),
        ("perudo-pt", "3x1", "7x4", True),
        ("perudo-pt", "3x1", "6x4", False),
    ],
)
def test_raises_over_ones(system: str, ones: str, raised: str, allowed: bool) -> None:
    """Cases 1 to 4: from ones it takes the double and one more, or more ones."""
    quantity = int(ones[0])
    game = table(system, ENOUGH, f"{2 * quantity - 1}x2", ones)
    assert allows(game, raised) is allowed


def test_ones_follow_the_sixes_of_all_dice() -> None:
    """With n dice in play, n sixes are not the last bid."""
    game = table("perudo", (2, 2), "4x6")
    assert [str(action) for action in legal(game, game.turn)] == ["2x1", "3x1", "4x1", "dudo", "calzo"]


@pytest.mark.parametrize("system", ["perudo", "dudo", "clasico"])
def test_no_opening_on_ones(system: str) -> None:
    """Three systems refuse to open on ones where they are wild."""
    assert refusal(table(system), "2x1") == ("opens-on-ones", {})


@pytest.mark.parametrize("system", ["perudo-pt", "doodoo"])
def test_opening_on_ones(system: str) -> None:
    """Two systems let a round open on ones."""
    assert allows(table(system), "1x1")


def test_wild_ones_hold_a_bid() -> None:
    """Case 3: four 4s and three 1s hold six 4s, and the doubter loses."""
    game = play(table("clasico", (5, 5), "6x4"), "dudo")
    record = settle(game, cups("44112", "44156"))
    assert (record.count, record.lost) == (7, (1,))


def test_exact_call_regains() -> None:
    """Case 3: three 6s and two 1s are exactly five 6s; the caller regains a die and opens."""
    game = play(table("clasico", (5, 4, 5), "5x6"), "calzo")
    record = settle(game, cups("66123", "1234", "61234"))
    assert (record.count, record.lost, record.gained, record.dice) == (6, (1,), (), (5, 3, 5))
    game = play(table("clasico", (5, 4, 5), "5x6"), "calzo")
    record = settle(game, cups("66123", "2234", "61234"))
    assert (record.count, record.lost, record.gained, record.dice) == (5, (), (1,), (5, 5, 5))
    assert record.next_opener == 1


def test_exact_call_costs_the_bidder() -> None:
    """Case 4: in perudo-pt the bidder loses a die on an exact call, and opens."""
    game = play(table("perudo-pt", (5, 5, 5), "2x6"), "calzo")
    record = settle(game, cups("62345", "62345", "22345"))
    assert (record.count, record.lost, record.gained, record.next_opener) == (2, (0,), (), 0)


def test_a_whole_round_without_wild_ones() -> None:
    """Case 5: 6x5 on four 5s is doubted; its bidder loses a die and opens."""
    (result,) = results(
        """rules: doodoo
           players: A B C
           round: A=22266 B=25555 C=32444
           A: 3x2
           B: 4x2
           C: 4x4
           A: 5x2
           B: 6x5
           C: dudo"""
    )
    assert (result["count"], result["lost"], result["next_opener"]) == (4, ["B"], "B")


def test_ones_are_not_counted_twice() -> None:
    """Case 6: 3x1 over two ones is two; the bidder loses."""
    game = play(table("perudo", (5, 5), "5x4", "3x1"), "dudo")
    record = settle(game, cups("12345", "12346"))
    assert (record.count, record.lost) == (2, (1,))


@pytest.mark.parametrize(
    ("system", "choice", "special"),
    [
        ("perudo", "", "palifico"),
        ("dudo", "", None),
        ("dudo", "oblige: open", "open"),
        ("dudo", "oblige: closed", "closed"),
    ],
)
def test_a_second_fall_gives_no_special_round(system: str, choice: str, special: str | None) -> None:
    """Case 7: after a first fall to one die, used or not, and a regained die, a second fall gives a normal round."""
    first, regained, second = results(
        f"""rules: {system}
            players: A B C
            dice: 2 5 5
            round: A=22 B=23456 C=23456
            A: 5x2
            B: dudo
            {choice}
            round: A=2 B=23456 C=23456
            A: 1x2
            B: 2x2
            C: 3x2
            A: calzo
            round: A=22 B=23456 C=23456
            A: 5x2
            B: dudo"""
    )
    assert (first["dice"]["A"], first["next_special"]) == (1, "palifico" if system == "perudo" else "obligar")
    assert (regained["special"], regained["dice"]["A"], regained["next_special"]) == (special, 2, None)
    assert (second["dice"]["A"], second["next_special"]) == (1, None)


def test_over_a_pass() -> None:
    """Case 8: over 8x3 and a paso one may raise or doubt the paso; no halving, no exact call."""
    game = table("dudo", (5, 5, 5), "8x3", "paso")
    for text in ("9x3", "8x4", "9x1", "dudo"):
        assert allows(game, text), text
    for text in ("5x1", "8x1", "calzo", "paso"):
        assert not allows(game, text), text
    assert refusal(game, "5x1")[0] == "too-few-aces-after-pass"
    assert refusal(game, "calzo") == ("exact-after-pass", {})


def test_out_in_their_own_palifico() -> None:
    """Case 9: who goes out in their own palifico leaves a normal round behind."""
    (result,) = results(
        """rules: perudo
           players: A B C
           dice: 1 3 3
           special: palifico
           round: A=2 B=334 C=445
           A: 2x2
           B: dudo"""
    )
    assert (result["special"], result["out"], result["next_opener"], result["next_special"]) == (
        "palifico",
        ["A"],
        "B",
        None,
    )


def test_an_opening_roll_with_a_tie() -> None:
    """Case 10: 5, 5, 4, then 1, 2 between the tied: the second opens, never the third."""
    for kind, order in ((Seating.ROLL_OPENER, (0, 1, 2)), (Seating.ROLL_SEATS, (1, 0, 2))):
        roll = OpeningRoll(3, kind)
        roll.roll({0: 5, 1: 5, 2: 4})
        assert roll.open_ties() == [(0, 1)]
        roll.roll({0: 1, 1: 2})
        assert (roll.done, roll.opener, roll.order) == (True, 1, order)


# The descriptions' own examples that the cases leave out.


def test_perudo_description() -> None:
    """Seed 000: 4x3 may become 4x5 or 5x2; who calls exactly opens; palifico opens on ones and fixes the face."""
    game = play(table("perudo", (5, 5, 5), "2x3"), "calzo")
    record = settle(game, cups("32456", "32456", "22456"))
    assert (record.gained, record.next_opener) == ((), 1)
    special = table("perudo", (1, 5, 5), "2x1", special=Special.PALIFICO)
    assert [str(a) for a in legal(special, 1)[:2]] == ["3x1", "4x1"]
    assert refusal(special, "3x2")[0] == "face-fixed"


def test_dudo_description() -> None:
    """Seed 001: half the dice or a single die to call exactly, a die in favour, three kinds of paso."""
    assert refusal(table("dudo", (3, 2, 2), "2x3"), "calzo") == ("exact-needs-half-dice", {"least": 8, "dice": 7})
    assert allows(table("dudo", (3, 3, 2), "2x3"), "calzo")
    assert allows(table("dudo", (3, 1, 2), "2x3"), "calzo")
    record = settle(play(table("dudo", (5, 5, 5), "2x3"), "calzo"), cups("32456", "32456", "22456"))
    assert (record.dice, record.banked, record.gained) == ((5, 5, 5), (0, 1, 0), (1,))
    for cup, loser in (("33333", 2), ("33322", 2), ("12345", 2), ("33312", 1), ("11123", 1), ("33332", 1)):
        game = play(table("dudo", (5, 5, 5), "2x3"), "paso", "dudo")
        record = settle(game, cups("", cup))
        assert (record.lost, record.bid, record.count, record.bidder) == ((loser,), None, None, 1), cup


def test_obligar_description() -> None:
    """Seed 001: only another player with a single die may change the face, and only for more dice."""
    game = table("dudo", (1, 5, 1), "2x4", special=Special.OPEN)
    assert refusal(game, "3x5")[0] == "face-fixed"
    play(game, "3x4")
    assert refusal(game, "3x5")[0] == "too-few-to-change-face"
    play(game, "4x2")
    assert refusal(game, "5x3")[0] == "face-fixed"


def test_clasico_description() -> None:
    """Seed 002: anyone but the bidder calls exactly, out of turn too; not in palifico, not with two left."""
    game = table("clasico", (5, 5, 5, 5), "5x6")
    assert [allows(game, "calzo", seat) for seat in range(4)] == [False, True, True, True]
    assert refusal(table("clasico", (1, 5, 5), "2x6", special=Special.PALIFICO), "calzo") == ("exact-in-special", {})
    assert refusal(table("clasico", (5, 5), "2x6"), "calzo") == ("exact-with-two", {})


def test_perudo_pt_description() -> None:
    """Seed 003: a palifico that starts at 2x4 goes on with 3x4 or more, or a doubt."""
    game = table("perudo-pt", (1, 2, 1), "2x4", special=Special.PALIFICO)
    assert [str(action) for action in legal(game, 1)] == ["3x4", "4x4", "dudo"]


def test_doodoo_description() -> None:
    """Seed 004: A rolls 4, B 3, C throws all dice; A opens."""
    (order,) = judged("rules: doodoo\nplayers: A B C\nroll: A=4 B=3 C=*")
    assert order == {"event": "order", "seats": ["A", "B", "C"], "opener": "A"}


def test_a_bid_that_cannot_be_true() -> None:
    """More dice than are in play are refused, saying how many there are."""
    assert refusal(table("perudo", (2, 3)), "6x2") == ("more-than-in-play", {"quantity": 6, "dice": 5})


def test_a_refusal_costs_nothing() -> None:
    """A refused action keeps the turn, and the list of legal actions is what it was."""
    game = table("perudo", (5, 5), "8x4")
    before = legal(game, 1)
    reason, fields = refusal(game, bid(3, 1))
    assert reason == "too-few-aces"
    assert (fields["bid_quantity"], fields["least"]) == (8, 4)
    assert (legal(game, 1), game.turn, game.stage) == (before, 1, Stage.ACT)
    assert judge("rules: perudo\nplayers: A B\nround: A=23456 B=23456\nA: 2x1")[1] == 1
