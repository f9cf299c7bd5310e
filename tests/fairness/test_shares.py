"""Who may know what: the disclosure policy against the ideal, for every coalition, and commitments that bind."""

from collections.abc import Iterator
from itertools import combinations, product

import pytest

from p2pdice.fairness.shares import Disclosure, Mode, Policy, commitment, committer, known_shares

SIZES = range(2, 7)


def policies() -> Iterator[Policy]:
    """Every mode and opener for 2 to 6 active seats, whose numbers leave gaps as those of a game do."""
    for size in SIZES:
        active = tuple(2 * seat + 1 for seat in range(size))
        for mode, opener in product(Mode, active):
            yield Policy(mode, active, opener)


def coalitions(seats: tuple[int, ...]) -> Iterator[frozenset[int]]:
    for size in range(1, len(seats) + 1):
        yield from map(frozenset, combinations(seats, size))


def known_to(policy: Policy, seat: int) -> set[tuple[int, int]]:
    """(contributor, cup) of the shares a seat has before the showdown, by what messages carry: public ones, boxes."""
    public = {(contributor, cup) for contributor in policy.active for cup in policy.public_cups(contributor)}
    boxed = {(contributor, cup) for contributor in policy.active
             for cup, viewer in policy.boxes(contributor) if viewer == seat}
    return public | boxed | {(seat, cup) for cup in policy.active}


def ideal(policy: Policy, coalition: frozenset[int], cup: int) -> bool:
    """Whether the game means these players, if they talk, to know this cup before the showdown."""
    match policy.mode:
        case Mode.NORMAL:
            return cup in coalition
        case Mode.OPEN:
            return bool(coalition - {cup})
        case Mode.CLOSED:
            return cup in coalition if cup == policy.opener else coalition == set(policy.active)


def test_every_coalition_knows_exactly_what_the_mode_allows() -> None:
    """Own cup in NORMAL, all but the own in OPEN, the opener's in CLOSED: 10,074 cases, none differs.

    In CLOSED nobody sees the others' cups; only all players together, who need not be kept from themselves, hold every
    share of one.
    """
    cases = 0
    for policy in policies():
        shares = {seat: known_to(policy, seat) for seat in policy.active}
        for coalition in coalitions(policy.active):
            together = set().union(*(shares[seat] for seat in coalition))
            for cup in policy.active:
                computable = all((contributor, cup) in together for contributor in policy.active)
                assert computable == ideal(policy, coalition, cup), (policy, coalition, cup)
                cases += 1
    assert cases == sum(len(Mode) * size * (2**size - 1) * size for size in SIZES) == 10_074


def test_viewers_are_the_seats_that_can_compute_a_cup_alone() -> None:
    """The list of viewers agrees with the shares that reach each seat."""
    for policy in policies():
        for seat, cup in product(policy.active, policy.active):
            alone = all((contributor, cup) in known_to(policy, seat) for contributor in policy.active)
            assert alone == (seat in policy.viewers(cup))


def test_who_reveals_agrees_with_what_is_sent() -> None:
    """Of the shares that are not public, a seat reveals those that the messages have told it."""
    for policy in policies():
        for contributor, cup, seat in product(policy.active, repeat=3):
            hidden = (contributor, cup) not in {(other, at) for other in policy.active
                                                for at in policy.public_cups(other)}
            told = hidden and (contributor, cup) in known_to(policy, seat)
            assert ((cup, contributor) in policy.revealed(seat, (cup,))) == told


def test_open_rounds_take_one_box_per_viewer_but_the_dealer() -> None:
    """n(n-2) boxes in OPEN, none in the other modes, never one for a cup's owner or from a seat to itself."""
    for policy in policies():
        size = len(policy.active)
        boxes = [(contributor, *box) for contributor in policy.active for box in policy.boxes(contributor)]
        assert len(boxes) == (size * (size - 2) if policy.mode is Mode.OPEN else 0)
        assert all(viewer not in (contributor, cup) for contributor, cup, viewer in boxes)


def test_a_showdown_gets_exactly_the_missing_shares() -> None:
    """What the revealers publish is what was missing of the shown cups, and nothing of any other cup."""
    for policy in policies():
        for cups in coalitions(policy.active):
            shown = tuple(sorted(cups))
            published = {share for seat in policy.revealers(shown) for share in policy.revealed(seat, shown)}
            assert published == set(policy.needed(shown))
            assert {cup for cup, _ in published} <= cups
            public = {(cup, contributor) for contributor in policy.active for cup in policy.public_cups(contributor)}
            assert published | public >= set(product(shown, policy.active))


def test_a_held_share_comes_from_its_holder_only() -> None:
    """Nobody else can finish a showdown with it; a sealed one comes from all who know it, so nobody can withhold it."""
    for policy in policies():
        for cup, contributor in product(policy.active, policy.active):
            sources = [seat for seat in policy.active if (cup, contributor) in policy.revealed(seat, (cup,))]
            match policy.disclosure(contributor, cup):
                case Disclosure.HELD:
                    assert sources == [contributor]
                case Disclosure.SEALED:
                    assert sources == list(policy.viewers(cup))
                case Disclosure.PUBLIC:
                    assert sources == []


COMMITTED = {"game_id": b"g" * 32, "epoch": b"e" * 32, "round_number": 1, "state": b"s" * 32, "contributor": 0,
             "cup": 0, "public": b"k" * 32, "share": b"x" * 32}


@pytest.mark.parametrize("changed", [
    {"game_id": b"h" * 32}, {"epoch": b"f" * 32}, {"round_number": 2}, {"state": b"t" * 32}, {"contributor": 1},
    {"cup": 1}, {"public": b"l" * 32}, {"share": b"y" * 32},
])
def test_a_commitment_binds_its_place(changed: dict[str, object]) -> None:
    """A commitment from another game, deal, round, author, cup, key or share is another one: none can be copied."""
    assert commitment(**(COMMITTED | changed)) != commitment(**COMMITTED)  # type: ignore[arg-type]  # each by name


def test_the_quick_commitments_are_the_same() -> None:
    """What frames the common parts once gives the commitment of every cup and share."""
    common = (b"g" * 32, b"e" * 32, 1, b"s" * 32)
    quick = committer(*common)
    for rest in product((0, 255), (1, 2**40), (b"k" * 32, b"l" * 32), (b"x" * 32, b"y" * 32)):
        assert quick(*rest) == commitment(*common, *rest)


def test_the_dealer_of_a_cup_is_the_next_seat() -> None:
    """The next one that still has dice, and after the last the first."""
    policy = Policy(Mode.OPEN, (1, 3, 5), 1)
    assert [policy.dealer(cup) for cup in policy.active] == [3, 5, 1]


def test_known_shares_are_in_seat_order_or_missing() -> None:
    """All shares of a cup by ascending contributor; None while one is missing."""
    policy = Policy(Mode.NORMAL, (1, 3, 5), 1)
    shares = {(5, 3): b"c", (1, 3): b"a", (3, 3): b"b", (1, 1): b"z"}
    assert known_shares(policy, 3, shares) == [b"a", b"b", b"c"]
    assert known_shares(policy, 1, shares) is None
