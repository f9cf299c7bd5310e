"""Chances against plain counting of all dice that a seat does not see."""

from itertools import product

import pytest

from p2pdice.rules import Special, bid, chance, chance_exact, view
from tests.rules.kit import cups, table


@pytest.mark.parametrize("wild", ["on", "off"])
@pytest.mark.parametrize("face", [1, 4])
def test_chances_by_counting(wild: str, face: int) -> None:
    """The chance is the share of all throws of the unseen dice in which the bid holds, or is exact."""
    game = table("perudo", (2, 3), wild_ones=wild)
    seen = view(game, 0, cups("14"))
    throws = [(1, 4, *others) for others in product(range(1, 7), repeat=3)]
    for quantity in range(1, 6):
        counts = [sum(die == face or (wild == "on" and die == 1) for die in dice) for dice in throws]
        at_least = sum(number >= quantity for number in counts) / len(throws)
        exactly = sum(number == quantity for number in counts) / len(throws)
        assert chance(seen, bid(quantity, face)) == pytest.approx(at_least)
        assert chance_exact(seen, bid(quantity, face)) == pytest.approx(exactly)


def test_certain_and_impossible() -> None:
    """What one sees is certain, what the others cannot have is impossible."""
    seen = view(table("perudo", (2, 1)), 0, cups("44"))
    assert chance(seen, bid(2, 4)) == 1
    assert chance(seen, bid(2, 3)) == 0


def test_special_rounds_have_no_wild_ones() -> None:
    """In an open obligar the others' dice are seen, one's own are not, and ones count as ones."""
    game = table("dudo", (1, 2), special=Special.OPEN)
    assert chance(view(game, 0, cups("4", "14")), bid(1, 4)) == 1
    assert chance(view(game, 0, cups("4", "14")), bid(2, 4)) == pytest.approx(1 / 6)


def test_many_dice() -> None:
    """The largest table has exact odds too."""
    game = table("perudo", (10,) * 32, starting_dice="10")
    assert 0.5 < chance(view(game, 0, {}), bid(106, 2)) < 0.6
    assert sum(chance_exact(view(game, 0, {}), bid(quantity, 2)) for quantity in range(321)) == pytest.approx(1)
