"""Opening rolls: ties among themselves, forfeits, and what each seating takes from a roll."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from p2pdice.rules import OpeningRoll, Seating

SEATS, OPENER = Seating.ROLL_SEATS, Seating.ROLL_OPENER


def rolled(kind: Seating, seats: int, *rolls: dict[int, int]) -> OpeningRoll:
    """The opening roll after these rolls."""
    opening = OpeningRoll(seats, kind)
    for values in rolls:
        opening.roll(values)
    return opening


def test_all_roll_first() -> None:
    """At first everyone is tied."""
    assert OpeningRoll(3, SEATS).open_ties() == [(0, 1, 2)]
    assert not OpeningRoll(3, OPENER).done


def test_a_ties_own_ties_come_before_the_next() -> None:
    """Ties are listed from the highest, and one that ties again stays in its place."""
    opening = rolled(SEATS, 6, {0: 6, 1: 6, 2: 6, 3: 2, 4: 2, 5: 5})
    assert opening.open_ties() == [(0, 1, 2), (3, 4)]
    opening.roll({0: 3, 1: 4, 2: 3})
    assert opening.open_ties() == [(0, 2), (3, 4)]
    opening.roll({3: 1, 4: 6, 0: 1, 2: 2})
    assert (opening.done, opening.order, opening.opener) == (True, (1, 2, 0, 5, 4, 3), 1)
    assert opening.rolls[1] == {0: 3, 1: 4, 2: 3}


def test_roll_opener_settles_only_the_highest() -> None:
    """Where only the opener is sought, other ties do not matter and seats stay."""
    opening = rolled(OPENER, 4, {0: 2, 1: 2, 2: 5, 3: 1})
    assert (opening.done, opening.opener, opening.order) == (True, 2, (0, 1, 2, 3))


def test_a_forfeited_roll() -> None:
    """Who throws all dice at once counts as 0 and never rolls again; such seats keep their order."""
    opening = rolled(SEATS, 4, {0: 0, 1: 3, 2: 0, 3: 3}, {1: 0, 3: 0})
    assert (opening.done, opening.order) == (True, (1, 3, 0, 2))
    assert rolled(OPENER, 3, {0: 0, 1: 0, 2: 0}).opener == 0


@pytest.mark.parametrize("wrong", [{}, {0: 5}, {0: 5, 2: 5}, {0: 5, 1: 5, 2: 5}, {0: 1, 1: 2, 3: 1}])
def test_a_roll_is_of_whole_open_ties(wrong: dict[int, int]) -> None:
    """Part of a tie, or a seat in none, is refused."""
    opening = rolled(SEATS, 5, {0: 5, 1: 5, 2: 4, 3: 3, 4: 3})
    with pytest.raises(ValueError, match="tie"):
        opening.roll(wrong)
    assert len(opening.rolls) == 1


@given(st.data(), st.integers(2, 8), st.sampled_from([SEATS, OPENER]))
def test_a_roll_ends_with_everyone_seated(data: st.DataObject, seats: int, kind: Seating) -> None:
    """However it goes, every seat is seated once, and nobody above the opener's first roll is below."""
    opening = OpeningRoll(seats, kind)
    for _ in range(30):
        if opening.done:
            break
        tie = opening.open_ties()[0]
        opening.roll({seat: data.draw(st.integers(0, 6)) for seat in tie})
    assert sorted(opening.order) == list(range(seats))
    first = opening.rolls[0]
    assert first[opening.opener] == max(first.values())
    if kind is SEATS:
        assert [first[seat] for seat in opening.order] == sorted(first.values(), reverse=True)
