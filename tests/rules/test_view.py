"""What a seat may know, and no more."""

import pytest

from p2pdice.rules import DUDO, Kind, Special, Stage, bid, sees, view
from tests.rules.kit import cups, table

CUPS = cups("2", "33456", "", "44456")


@pytest.mark.parametrize(
    ("special", "own", "seen"),
    [
        (None, [(2,), (3, 3, 4, 5, 6), None, (4, 4, 4, 5, 6)], [(), (), (), ()]),
        (Special.PALIFICO, [(2,), (3, 3, 4, 5, 6), None, (4, 4, 4, 5, 6)], [(), (), (), ()]),
        (Special.OPEN, [None] * 4, [(1, 3), (0, 3), (), (0, 1)]),
        (Special.CLOSED, [(2,), None, None, None], [(), (), (), ()]),
    ],
)
def test_who_sees_what(special: Special | None, own: list[object], seen: list[tuple[int, ...]]) -> None:
    """One's own dice; in an open obligar all but one's own; in a closed one only the opener's own; out, nothing."""
    game = table("dudo", (1, 5, 0, 5), special=special)
    for seat in range(4):
        found = view(game, seat, CUPS)
        assert found.own == own[seat]
        assert dict(found.seen) == {other: CUPS[other] for other in seen[seat]}
        assert set(sees(game, seat)) == set(seen[seat]) | ({seat} if own[seat] else set())


def test_a_view_is_of_its_moment() -> None:
    """A view holds the public state as it was, with what the seat may do."""
    game = table("dudo", (5, 4, 5), "2x3 right")
    found = view(game, 2, cups("", "", "34566"))
    assert (found.bid, found.bidder, found.turn, found.direction, found.opener) == (bid(2, 3), 0, 2, -1, 0)
    assert (found.dice, found.history, found.passed) == ((5, 4, 5), ((0, bid(2, 3, "right")),), ())
    assert (found.own, found.rules.system, found.round_number) == ((3, 4, 5, 6, 6), "dudo", 1)
    assert (found.stage, found.special, found.last) == (Stage.ACT, None, Kind.BID)
    assert DUDO in found.legal
    assert view(game, 1, {}).legal == ()
    assert view(game, 1, {}).own is None
