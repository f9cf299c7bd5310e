"""How those who are still there agree on who is out and where to go on, when somebody is silent, leaves or is convicted
(protocol.md section 10). Pure: values in, outcome out; every peer and every verifier computes the same from the same
signed bodies. Must not know clocks, links, rules or signatures."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from p2pdice.protocol.errors import Malformed

UNSURE = 2**53  # a LEAVE by somebody who cannot be sure to hold all it ever signed

Owners = Sequence[int]  # seats of the players (not bots) of whom a seat is active, ascending


class Why(StrEnum):
    """Reasons to be out, in the order in which they count."""

    EVIDENCE = "evidence"
    LEFT = "left"
    SILENT = "silent"


@dataclass(frozen=True, slots=True, order=True)
class Boundary:
    """The state after a complete showdown (or the start of an epoch): rounds finished, and its S."""

    rounds: int
    state: bytes


@dataclass(frozen=True, slots=True)
class Out:
    """One owner who is out, why, and the hash that shows it (empty for silence)."""

    seat: int
    why: Why
    proof: bytes = b""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a ballot decides: GO-ON (nobody out), or who is out, from which boundary it goes on, and the choice that
    the opener had signed after it ("" if none)."""

    out: tuple[Out, ...] = ()
    base: Boundary | None = None
    mode: str = ""

    @property
    def goes_on(self) -> bool:
        return not self.out


GO_ON = Outcome()


@dataclass(frozen=True, slots=True)
class Decided:
    """A DROP that somebody signed, shown to be what its PROPOSE gives."""

    ballot: int
    outcome: Outcome
    proof: bytes


@dataclass(frozen=True, slots=True)
class Halted:
    """What a HALT says. `tip`: the open slot; `own`: all that its seats owe to it is signed; `names`: (owner, slot)
    of whom it misses a message, slot None for a missing HALT; `last`: its own latest DROP of this halt."""

    seat: int
    boundary: Boundary
    mode: str
    tip: int
    own: bool
    names: frozenset[tuple[int, int | None]]
    last: Decided | None


@dataclass(frozen=True, slots=True)
class Left:
    """What a LEAVE means for a ballot. `counts_out`: its author no longer counts for any majority there."""

    seat: int
    proof: bytes
    counts_out: bool
    last: Decided | None = None


@dataclass(frozen=True, slots=True)
class Proposal:
    """All that a PROPOSE names, each found right; `convicted` by owner's seat: the smallest hash of valid evidence. No
    HALT is of somebody convicted."""

    ballot: int
    halts: Mapping[int, Halted]
    left: Mapping[int, Left]
    convicted: Mapping[int, bytes]


def leave_counts_out(owners: Owners, same_halt: bool, earlier: bool, highest: int, ballot: int) -> bool:
    """Whether a LEAVE takes its author out of the count. `highest`: the ballot of its highest HALT of this halt, -1 for
    none, UNSURE; `earlier`: it is of an earlier halt of the epoch, or of an ancestor.

    A leaver that may still have signed a DROP above must be counted, or two majorities could miss each other.
    """
    if len(owners) == 2:
        return True
    return highest != UNSURE and (earlier or (same_halt and highest <= ballot))


def quorum(owners: Owners, counted_out: frozenset[int], convicted: frozenset[int]) -> int:
    """How many must agree: a strict majority of those not counted out, but never more than are neither counted out nor
    convicted, and at least one. Evidence alone does not lower it: two sides may hold different evidence."""
    present = [seat for seat in owners if seat not in counted_out]
    majority = len(present) // 2 + 1
    return max(1, min(majority, sum(seat not in convicted for seat in present)))


def needed(owners: Owners, proposal: Proposal) -> int:
    """The quorum of a PROPOSE and of its DROPs."""
    return quorum(owners, _counted_out(proposal), frozenset(proposal.convicted))


def counting(owners: Owners, proposal: Proposal) -> dict[int, Halted]:
    """The HALTs that count in a PROPOSE, by seat. Raises Malformed if they are too few for one."""
    leavers = _counted_out(proposal)
    found = {seat: halt for seat, halt in proposal.halts.items()
             if seat in owners and seat not in leavers and seat not in proposal.convicted}
    if len(found) < needed(owners, proposal):
        raise Malformed("too-few-halts")
    return found


def outcome_of(owners: Owners, proposal: Proposal, previous: Boundary | None = None) -> Outcome | None:
    """What a PROPOSE decides; None if somebody is neither out nor here. Raises Malformed.

    `previous`: the last boundary that all share, for the case that two stand side by side.
    """
    halts = counting(owners, proposal)
    earlier = [halt.last for halt in halts.values() if halt.last]
    earlier += [left.last for left in proposal.left.values() if left.counts_out and left.last]
    if earlier:
        highest = max(decided.ballot for decided in earlier)
        return min((decided for decided in earlier if decided.ballot == highest), key=lambda one: one.proof).outcome
    out = _out(owners, proposal, halts)
    if not out:
        return GO_ON if set(owners) == set(halts) else None
    gone = {one.seat for one in out}
    if any(seat not in gone and seat not in halts for seat in owners):
        return None
    # Those counted out stand where they stood: what they completed is not undone, and whoever lost in it stays out.
    base = _base(proposal.halts, previous)
    # Whoever signed the choice stands at the base itself; a higher boundary than its own has no choice of its yet.
    choices = {halt.mode for halt in halts.values() if halt.boundary == base and halt.mode}
    return Outcome(out, base, min(choices, default=""))


def _counted_out(proposal: Proposal) -> frozenset[int]:
    return frozenset(seat for seat, left in proposal.left.items() if left.counts_out)


def _out(owners: Owners, proposal: Proposal, halts: Mapping[int, Halted]) -> tuple[Out, ...]:
    quota = needed(owners, proposal)
    out = []
    for seat in owners:
        if seat in proposal.convicted:
            out.append(Out(seat, Why.EVIDENCE, proposal.convicted[seat]))
        elif seat in proposal.left:
            out.append(Out(seat, Why.LEFT, proposal.left[seat].proof))
        elif sum(_misses(halt, seat, halts.get(seat)) for halt in halts.values()) >= quota:
            out.append(Out(seat, Why.SILENT))
    return tuple(out)


def answers(halt: Halted, slot: int) -> bool:
    """Whether a HALT says that its author has signed all that it owed to a slot."""
    return halt.tip > slot or (halt.tip == slot and halt.own)


def _misses(halt: Halted, seat: int, answer: Halted | None) -> bool:
    """Whether a HALT names a seat, and that seat's own HALT does not answer it."""
    return any(named == seat and (answer is None or (slot is not None and not answers(answer, slot)))
               for named, slot in halt.names)


def _base(halts: Mapping[int, Halted], previous: Boundary | None) -> Boundary:
    highest = max(halt.boundary.rounds for halt in halts.values())
    found = {halt.boundary for halt in halts.values() if halt.boundary.rounds == highest}
    if len(found) > 1:
        if previous is None:
            raise Malformed("two-boundaries")
        return previous
    return found.pop()
