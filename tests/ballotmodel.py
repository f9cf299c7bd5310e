"""What seats may have signed in the halts of one epoch, as values that a search can merge, and what a PROPOSE over them
gives: the code's own `Halting.evaluate` on votes whose signatures are faked."""

import itertools
from dataclasses import dataclass, field
from typing import NamedTuple, TypeVar

from p2pdice.protocol import ballot
from p2pdice.protocol.ballot import UNSURE, Boundary, Outcome, Proposal, Why
from p2pdice.protocol.errors import Malformed
from p2pdice.protocol.halting import Halting, Surroundings, Unresolved, outcome_value
from p2pdice.protocol.messages import (
    AnyVote,
    Drop,
    Halt,
    Leave,
    Propose,
    Signed,
    Vote,
    VotePayload,
    VoteSlot,
    narrow_vote,
)

GAME, EPOCH, PROOF = b"g" * 32, b"e" * 32, b"p" * 32
BOUNDS = (Boundary(0, b"0" * 32), Boundary(1, b"1" * 32))  # before and after the showdown that may be complete
GONE = 99  # the halt of a seat that has followed a drop

T = TypeVar("T")


@dataclass(frozen=True)
class Scene:
    """Who is there. `loser` has no dice at the second boundary; `evidence`: there is some against the liar, known to
    those who want to know it; `deaf` never sees the showdown complete; `late` halts in the first ballot only."""

    players: int
    ballots: int
    halts: int = 1
    liar: int | None = None
    leavers: frozenset[int] = frozenset()
    evidence: bool = False
    loser: int | None = None
    deaf: frozenset[int] = frozenset()
    late: frozenset[int] = frozenset()

    def owners(self, boundary: int) -> tuple[int, ...]:
        """Those with dice at a boundary."""
        return tuple(seat for seat in range(self.players) if not (boundary and seat == self.loser))

    def proposer(self, halt: int, at: int) -> int:
        return (halt + at) % self.players


class Seat(NamedTuple):
    """What a seat knows and has signed. `halts`, by halt and ballot: None, or (boundary, ballot of `last` or -1);
    `leave`: None, or (halt, its highest ballot there or -1 or UNSURE, ballot of `last` or -1)."""

    knows: int  # the boundary it has come to
    halt: int  # number of its open halt
    leave: tuple[int, int, int] | None
    halts: tuple[tuple[tuple[int, int] | None, ...], ...]
    drops: tuple[tuple[bool, ...], ...]

    def highest(self, halt: int) -> int:
        """Ballot of its highest HALT, -1 for none."""
        return max((at for at, said in enumerate(self.halts[halt]) if said), default=-1)

    def last(self, halt: int, below: int = GONE) -> int:
        """Ballot of its latest DROP below a ballot, -1 for none."""
        return max((at for at, said in enumerate(self.drops[halt][:below]) if said), default=-1)

    def with_halt(self, halt: int, at: int, said: tuple[int, int]) -> "Seat":
        return self._replace(halts=put(self.halts, halt, put(self.halts[halt], at, said)))

    def with_drop(self, halt: int, at: int) -> "Seat":
        return self._replace(drops=put(self.drops, halt, put(self.drops[halt], at, True)))

    def contradicts(self) -> bool:
        """Whether no honest key could have signed all this: a DROP that a later HALT or the LEAVE hides, or anything
        after the LEAVE."""
        for number, (halts, drops) in enumerate(zip(self.halts, self.drops, strict=True)):
            latest = self.last(number)
            if any(said and any(drops[said[1] + 1:at]) for at, said in enumerate(halts)):
                return True
            if self.leave:
                halt, highest, last = self.leave
                if number > halt and (any(halts) or any(drops)):
                    return True
                if number == halt and highest != UNSURE and (self.highest(number) > highest or latest > last):
                    return True
        return False


class State(NamedTuple):
    """`proposes`, by halt and ballot: 1 + number of the ruling that its PROPOSE gives, 0 for none."""

    seats: tuple[Seat, ...]
    proposes: tuple[tuple[int, ...], ...]

    def seat(self, number: int, seat: Seat) -> "State":
        return self._replace(seats=put(self.seats, number, seat))


class Ruling(NamedTuple):
    """What a PROPOSE gives: its outcome, by how many DROPs it is decided, and whose count."""

    ballot: int
    outcome: Outcome
    quota: int
    voters: frozenset[int]


class Named(NamedTuple):
    """A HALT that a PROPOSE names; `last`: a ruling's number, -1 for none."""

    seat: int
    boundary: int
    last: int


class Leaver(NamedTuple):
    """A LEAVE that it names."""

    seat: int
    halt: int
    highest: int
    last: int


class Ballot(NamedTuple):
    """All that a PROPOSE names, but for the names of seats in its HALTs."""

    halt: int
    ballot: int
    named: tuple[Named, ...]
    left: tuple[Leaver, ...]
    convicted: tuple[int, ...]


def put(row: tuple[T, ...], at: int, value: T) -> tuple[T, ...]:
    return (*row[:at], value, *row[at + 1:])


def faked(slot: VoteSlot, seat: int, payload: VotePayload, state: bytes = b"") -> AnyVote:
    """A vote as if it were signed."""
    return Vote(GAME, EPOCH, slot, state, seat, payload, Signed(repr((slot, seat, payload, state)).encode(), b""))


@dataclass
class Judge:
    """What PROPOSEs give, by the code; each ballot once."""

    scene: Scene
    rulings: list[Ruling] = field(default_factory=list)
    _numbers: dict[Ruling, int] = field(default_factory=dict)
    _given: dict[Ballot, tuple[int, ...]] = field(default_factory=dict)
    _one: dict[tuple[Ballot, tuple[int, ...]], int | None] = field(default_factory=dict)

    def rules(self, case: Ballot) -> tuple[int, ...]:
        """Numbers of all rulings that a ballot may give, whatever seats its HALTs name.

        Of each seat: 0, nobody names it; 1, all the others do, and it answers if it is here; 2, all the others do and
        its own HALT is no answer, or, if it is not here, all but one.
        """
        if case not in self._given:
            here = {one.seat for one in case.named}
            beside = {*case.convicted, *(left.seat for left in case.left)}
            options: list[tuple[int, ...]] = [(0,) if seat in beside else (0, 1, 2)
                                              for seat in range(self.scene.players)]
            lasts = [one.last for one in case.named] + [one.last for one in case.left]
            if max(lasts, default=-1) >= 0:  # then names should not matter
                options = [(0,) if seat in here else (0, 1) for seat in range(self.scene.players)]
            found = {self.rule(case, names) for names in itertools.product(*options)}
            self._given[case] = tuple(sorted(number for number in found if number is not None))
        return self._given[case]

    def rule(self, case: Ballot, names: tuple[int, ...]) -> int | None:
        """The ruling of a ballot; None if no honest peer follows its PROPOSE."""
        key = (case, names)
        if key not in self._one:
            ruling = self._rule(case, names)
            if ruling is not None and ruling not in self._numbers:
                self._numbers[ruling] = len(self.rulings)
                self.rulings.append(ruling)
            self._one[key] = None if ruling is None else self._numbers[ruling]
        return self._one[key]

    def _rule(self, case: Ballot, names: tuple[int, ...]) -> Ruling | None:
        leaves: dict[bytes, Vote[Leave]] = {}  # by name
        proofs = {PROOF: self.scene.liar} if self.scene.liar is not None else {}
        halting = Halting(Surroundings(
            EPOCH, tuple(range(self.scene.players)), None, lambda base: self.scene.owners(base.rounds),
            lambda base: None, lambda base: BOUNDS[0] if base.rounds else None, lambda now: (),
            lambda slot, state, payload: faked(slot, 0, payload), leaves, (), proofs), case.halt)
        here = {one.seat for one in case.named}
        halts = []
        for one in case.named:
            missing = tuple((seat, one.boundary) if seat in here else (seat,) for seat, how in enumerate(names)
                            if how and seat != one.seat and seat in self.scene.owners(one.boundary)
                            and not (how == 2 and seat not in here and one.seat == max(here)))
            halts.append(faked(("halt", case.halt, case.ballot), one.seat, Halt(
                one.boundary, "", one.boundary, int(names[one.seat] != 2), missing,
                self._last(halting, case.halt, one.seat, one.last)), BOUNDS[one.boundary].state))
            halting.take(halts[-1])
        for gone in case.left:
            highest = gone.highest if gone.highest == UNSURE else gone.highest + 1
            last = self._last(halting, gone.halt, gone.seat, gone.last)
            leave = narrow_vote(faked(("leave",), gone.seat, Leave(gone.halt, highest, last)), Leave)
            leaves[leave.signed.hash] = leave
        propose = narrow_vote(faked(
            ("propose", case.halt, case.ballot), self.scene.proposer(case.halt, case.ballot),
            Propose(tuple((vote.seat, vote.signed.hash) for vote in halts),
                    tuple((leave.seat, name) for name, leave in leaves.items()),
                    tuple((seat, PROOF) for seat in case.convicted))), Propose)
        try:
            proposal, outcome = halting.evaluate(propose)
            owners = halting.owners(list(proposal.halts.values()))
        except (Malformed, Unresolved):
            return None
        counted_out = {seat for seat, left in proposal.left.items() if left.counts_out}
        voters = frozenset(owners) - counted_out - set(proposal.convicted)
        decided = [halt.last for seat, halt in proposal.halts.items() if seat in voters]
        decided += [left.last for left in proposal.left.values() if left.counts_out]
        if not any(decided):
            self._check_names(proposal, outcome, voters, len(set(owners) - counted_out))
        return Ruling(case.ballot, outcome, ballot.needed(owners, proposal), voters)

    def _last(self, halting: Halting, halt: int, seat: int, number: int) -> "tuple[()] | tuple[bytes]":
        """A DROP of an earlier ballot, with the PROPOSE it follows; what that one gave has been found before."""
        if number < 0:
            return ()
        earlier = self.rulings[number]
        propose = faked(("propose", halt, earlier.ballot), self.scene.proposer(halt, earlier.ballot),
                        Propose(((number, b""),), (), ()))
        halting.take(propose)
        halting._evaluated[propose.signed.hash] = (Proposal(earlier.ballot, {}, {}, {}), earlier.outcome)
        drop = faked(("drop", halt, earlier.ballot), seat,
                     Drop(propose.signed.hash, outcome_value(earlier.outcome)))  # type: ignore[arg-type]
        halting.take(drop)
        return (drop.signed.hash,)

    def _check_names(self, proposal: Proposal, outcome: Outcome, voters: frozenset[int], electorate: int) -> None:
        """Nobody is out but by evidence, its own LEAVE, or a majority that names it and that it has not answered; and
        everybody else with dice at the base is here."""
        counted = {seat: halt for seat, halt in proposal.halts.items() if seat in voters}
        for one in outcome.out:
            if one.why is Why.EVIDENCE:
                assert one.seat == self.scene.liar, "S2 an honest peer is convicted"
            elif one.why is Why.LEFT:
                assert one.seat in proposal.left, "S4 put out as one who left, and has not"
            else:
                own = counted.get(one.seat)
                against = sum(1 for halt in counted.values() for named, slot in halt.names if named == one.seat and (
                    own is None or (slot is not None and (own.tip, own.own) < (slot, True))))
                assert against >= min(electorate // 2 + 1, len(voters)), "S4 out although it answered, or by too few"
        base = outcome.base.rounds if outcome.base else max(halt.boundary.rounds for halt in proposal.halts.values())
        beside = set(self.scene.owners(base)) - {one.seat for one in outcome.out} - set(counted)
        assert not beside, f"S4 neither out nor here: {beside}"
