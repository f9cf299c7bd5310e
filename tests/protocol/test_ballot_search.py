"""Every state that the halts of an epoch can come to, for small tables: honest seats act in any order on any part of
what was signed, and at most one seat signs whatever it likes. Held in every state (see `tests.ballotsearch`):

S1  no two outcomes of one halt, unless the liar has contradicted itself;
S3  a showdown that a survivor had completed before it halted is never undone;
S4  a seat is out only by evidence, by its own LEAVE, or named by a majority that it has not answered, and nobody else
    with dice is passed over;
L   a strict majority of those who have not left, honest and together, decides in a fresh ballot.

That honest keys never contradict themselves (S2) is held in the same way of whole `Halting`s that sign for themselves
(see `tests.haltingsearch`).
"""

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

import pytest

from p2pdice.protocol import ballot, halting
from p2pdice.protocol.ballot import UNSURE, Boundary, Halted, Left, Outcome, Owners, Proposal
from p2pdice.protocol.halting import Halting
from tests.ballotmodel import BOUNDS, Ballot, Judge, Leaver, Named, Scene
from tests.ballotsearch import Search
from tests.haltingsearch import Halts, Names

pytestmark = pytest.mark.slow  # one Python is enough

ALL = frozenset(range(5))


def seats(*numbers: int) -> frozenset[int]:
    return frozenset(numbers)


SHORT = [
    Scene(2, 2, leavers=ALL), Scene(3, 2), Scene(3, 2, loser=2), Scene(3, 2, liar=0), Scene(3, 2, liar=2),
    Scene(3, 2, liar=1, evidence=True), Scene(3, 2, liar=0, loser=2), Scene(3, 2, liar=2, loser=2, evidence=True),
    Scene(3, 2, leavers=seats(0)), Scene(3, 2, leavers=ALL, loser=1, late=seats(2)),
]


# By the number of players: three in three ballots or two halts, four in two ballots, five with most seats held back.
FULL = {
    3: [*(Scene(3, 3, liar=liar) for liar in (None, 0, 1, 2)), Scene(3, 3, liar=1, evidence=True),
        Scene(3, 3, loser=2), Scene(3, 3, liar=0, loser=2), Scene(3, 3, leavers=seats(0)),
        *(Scene(3, 2, liar=liar, evidence=evidence, leavers=ALL) for liar in (0, 1, 2) for evidence in (False, True)),
        *(Scene(3, 2, liar=liar, loser=loser, leavers=ALL) for liar in (None, 0) for loser in (0, 1, 2)),
        Scene(3, 2, halts=2), Scene(3, 2, halts=2, liar=0), Scene(3, 2, halts=2, liar=2, leavers=seats(1)),
        Scene(3, 2, halts=2, leavers=seats(0), loser=2)],
    4: [*(Scene(4, 2, liar=liar) for liar in (None, 0, 1, 3)), Scene(4, 2, liar=0, evidence=True),
        Scene(4, 2, loser=3), Scene(4, 2, liar=0, loser=3, evidence=True), Scene(4, 2, leavers=seats(0)),
        Scene(4, 2, leavers=seats(3), loser=0), Scene(4, 2, liar=0, leavers=seats(0)),
        Scene(4, 2, liar=1, leavers=seats(2), late=seats(3), deaf=seats(2, 3)), Scene(4, 3, late=seats(2, 3), liar=0)],
    5: [Scene(5, 1, liar=0), Scene(5, 2, late=seats(2, 3, 4), deaf=seats(1, 2, 3, 4)),
        Scene(5, 2, liar=0, late=seats(3, 4), deaf=seats(2, 3, 4)),
        Scene(5, 2, liar=4, late=seats(2, 3), deaf=seats(1, 2, 3)),
        Scene(5, 2, liar=0, loser=4, late=seats(2, 3, 4), deaf=seats(2, 3), evidence=True),
        Scene(5, 2, leavers=seats(1, 4), late=seats(2, 3, 4), deaf=seats(1, 2, 3, 4))],
}


def search(scenes: Iterable[Scene], most: int = 10_000_000) -> int:
    """All states of some scenes; how many there were."""
    total = 0
    for scene in scenes:
        found = Search(scene, most)
        found.run()
        total += found.states
        print(f"{scene}: {found.states} states{' and more' if found.truncated else ''}, "
              f"{found.decided} with a decision, {found.revived} fresh ballots, {found.cut} cut by contradictions"
              + (f", {found.forked} forked by a convicted liar" if found.forked else ""))
    print(f"{total} states in all")
    return total


def test_every_state_of_small_tables() -> None:
    """The short form."""
    assert search(SHORT) > 30_000


@pytest.mark.long
@pytest.mark.parametrize("players", FULL)
def test_every_state_of_larger_tables(players: int) -> None:
    """The full form: of each scene all states, or the 300,000 nearest to its start."""
    assert search(FULL[players], most=200_000) > 100_000


# Where each of them halts, and whom it misses: nobody; the first, who is ahead; the last, who is there and ahead.
WHOLE: list[tuple[list[int], list[Names]]] = [
    ([0, 0, 0], [(), (), ()]),
    ([1, 0, 0], [(), ((0, 0),), ((0, 0),)]),
    ([0, 0, 1], [((2, None),), ((2, None),), ((1, 1),)]),
]


def whole(scenes: Iterable[tuple[list[int], list[Names]]], ballots: int, singly: bool = False) -> None:
    """All states of some tables of whole `Halting`s."""
    for stands, names in scenes:
        found = Halts(stands, names, ballots, singly)
        found.run()
        print(f"{len(stands)} whole halts at {stands} who miss {names}: {found.states} states, {len(found.votes)} "
              f"votes, {len(found.outcomes)} outcomes")
        assert found.outcomes


def test_whole_halts() -> None:
    """Three in three ballots, who hear all that another holds, or nothing."""
    whole(WHOLE, ballots=3)


@pytest.mark.long
def test_whole_halts_vote_by_vote() -> None:
    """Three in two ballots, where each vote comes for itself."""
    whole(WHOLE, ballots=2, singly=True)


# --- what the search has found

def test_whoever_leaves_leaves_its_boundary() -> None:
    """A leaver's HALT shows that a showdown is complete: who lost in it has no vote, so it must not be undone."""
    judge = Judge(Scene(3, 2, leavers=ALL, loser=2))
    (number,) = judge.rules(Ballot(0, 1, (Named(0, 1, -1), Named(1, 0, -1)), (Leaver(0, 0, 1, -1),), ()))
    ruling = judge.rulings[number]
    assert (ruling.quota, set(ruling.voters), ruling.outcome.base) == (1, {1}, BOUNDS[1])


def test_a_convicted_seat_does_not_choose_the_boundary() -> None:
    """Its HALT after a showdown would take the vote from somebody who has dice where the others stand."""
    judge = Judge(Scene(3, 2, liar=0, loser=2, evidence=True))
    assert not judge.rules(Ballot(0, 1, (Named(0, 1, -1), Named(1, 0, -1)), (), (0,)))
    (number,) = judge.rules(Ballot(0, 1, (Named(1, 0, -1), Named(2, 0, -1)), (), (0,)))
    assert judge.rulings[number].quota == 2


def test_an_unsure_leaver_may_have_agreed_with_somebody_who_lost() -> None:
    """Where a third lost in this epoch, the other of two does not decide alone; of two from the start it does."""
    case = Ballot(0, 1, (Named(1, 1, -1),), (Leaver(0, 0, UNSURE, -1),), ())
    assert not Judge(Scene(3, 2, leavers=ALL, loser=2)).rules(case)
    judge = Judge(Scene(2, 2, leavers=ALL))
    (number,) = judge.rules(case)
    assert judge.rulings[number].quota == 1


# --- mutants

_OUTCOME_OF, _QUORUM, _LEFT = ballot.outcome_of, ballot.quorum, Halting._left


def _low_quorum(owners: Owners, counted_out: frozenset[int], convicted: frozenset[int]) -> int:
    return max(1, _QUORUM(owners, counted_out, convicted) - 1)


def _quorum_lowered_by_evidence(owners: Owners, counted_out: frozenset[int], convicted: frozenset[int]) -> int:
    return _QUORUM(owners, counted_out | convicted, frozenset())


def _lowest_last(owners: Owners, proposal: Proposal, previous: Boundary | None = None) -> Outcome | None:
    lasts = [halt.last.ballot for halt in proposal.halts.values() if halt.last]
    halts = {seat: replace(halt, last=halt.last if halt.last and halt.last.ballot == min(lasts) else None)
             for seat, halt in proposal.halts.items()}
    return _OUTCOME_OF(owners, replace(proposal, halts=halts), previous)


def _goes_on_without(owners: Owners, proposal: Proposal, previous: Boundary | None = None) -> Outcome | None:
    return _OUTCOME_OF(owners, proposal, previous) or ballot.GO_ON


def _own_base(owners: Owners, proposal: Proposal, previous: Boundary | None = None) -> Outcome | None:
    outcome = _OUTCOME_OF(owners, proposal, previous)
    if outcome is None or outcome.base is None:
        return outcome
    counted = ballot.counting(owners, proposal)
    return replace(outcome, base=max(halt.boundary for halt in counted.values())) if counted else outcome


def _left_without_last(self: Halting, owners: Owners, at: int, seat: int, name: bytes) -> tuple[int, Left]:
    number, left = _LEFT(self, owners, at, seat, name)
    return number, replace(left, last=None)


def _unanswered(halt: Halted, seat: int, answer: Halted | None) -> bool:
    return any(named == seat for named, _ in halt.names)


def _lowest_base(halts: dict[int, Halted], previous: Boundary | None) -> Boundary:
    return min(halt.boundary for halt in halts.values())


def _owners_at_lowest(self: Halting, halts: list[Halted]) -> Owners | None:
    return self.around.owners_at(min(halt.boundary for halt in halts))


# name -> what is replaced by what, and the scenes of which one at least shows the fault
MUTANTS: dict[str, tuple[list[tuple[object, str, Callable[..., Any]]], list[Scene]]] = {
    "quorum one too low": (
        [(ballot, "quorum", _low_quorum), (halting, "quorum", _low_quorum)], [Scene(3, 2)]),
    "evidence lowers the quorum": (
        [(ballot, "quorum", _quorum_lowered_by_evidence)], [Scene(4, 2, liar=0, evidence=True)]),
    "last ignored": ([(Halting, "_decided", lambda self, seat, below, last: None)], [Scene(3, 2)]),
    "lowest last": ([(halting, "outcome_of", _lowest_last)], [Scene(3, 3)]),
    "a LEAVE's last ignored": ([(Halting, "_left", _left_without_last)], [Scene(3, 2, leavers=seats(0, 1))]),
    "a leaver always counted out": (
        [(halting, "leave_counts_out", lambda *_: True)], [Scene(3, 2, liar=0, loser=2, leavers=seats(0))]),
    "names that ignore the answer": ([(ballot, "_misses", _unanswered)], [Scene(3, 2)]),
    "the lowest boundary": ([(ballot, "_base", _lowest_base)], [Scene(3, 2)]),
    "owners at the lowest boundary": ([(Halting, "owners", _owners_at_lowest)], [Scene(3, 2, loser=2)]),
    "only the own boundary": ([(halting, "outcome_of", _own_base)], [Scene(3, 2, leavers=seats(0), loser=2)]),
    "going on without somebody": ([(halting, "outcome_of", _goes_on_without)], [Scene(3, 2)]),
}


@pytest.mark.parametrize("name", MUTANTS)
def test_mutants_are_caught(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """The search sees what each rule is for: without it one of the properties fails."""
    replaced, scenes = MUTANTS[name]
    for owner, attribute, mutant in replaced:
        monkeypatch.setattr(owner, attribute, mutant)
    with pytest.raises(AssertionError, match=r"^(S1|S3|S4|L) ") as caught:
        search(scenes)
    print(f"{name}: {caught.value}")


def _drop_below(self: Halting) -> bool:
    for at in sorted(self.proposals):
        mine, self.ballot = self.ballot, at
        dropped = _DROP(self)
        self.ballot = mine
        if dropped:
            return True
    return False


_DROP, _SIGN_HALT = Halting._drop, Halting._sign_halt


def _forgetful(self: Halting, at: int, now: float) -> None:
    kept, self.drops = self.drops, {}
    _SIGN_HALT(self, at, now)
    self.drops = kept


@pytest.mark.parametrize(("attribute", "mutant"), [
    ("_drop", _drop_below), ("_sign_halt", _forgetful), ("_decided", lambda self, seat, below, last: None)])
def test_mutants_of_whole_halts_are_caught(monkeypatch: pytest.MonkeyPatch, attribute: str,
                                           mutant: Callable[..., Any]) -> None:
    """A DROP below the own HALT, a HALT that hides a DROP, one that nobody looks into."""
    monkeypatch.setattr(Halting, attribute, mutant)
    with pytest.raises(AssertionError, match=r"^S[12] ") as caught:
        whole(WHOLE, ballots=3)
    print(caught.value)
