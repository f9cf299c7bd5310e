"""One halt of a game: whose HALTs, PROPOSEs and DROPs are here, what this process signs next, and whether a certificate
stands (protocol.md section 10). What a ballot decides is `ballot`'s; this file only collects, checks that everything a
body names is here, and keeps the timers. Must not know links, the rules or how a decision is carried out."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from p2pdice.protocol.ballot import (
    GO_ON,
    UNSURE,
    Boundary,
    Decided,
    Halted,
    Left,
    Out,
    Outcome,
    Owners,
    Proposal,
    Why,
    answers,
    leave_counts_out,
    needed,
    outcome_of,
    quorum,
)
from p2pdice.protocol.codec import Value
from p2pdice.protocol.errors import Malformed
from p2pdice.protocol.messages import AnyVote, Drop, Halt, Leave, Propose, Vote, VotePayload, VoteSlot, narrow_vote

BALLOT_S = 5.0  # a ballot without a decision gives way to the next after so long, plus 1 s a ballot
SKIP_S = 0.5  # the same for a ballot whose proposer is known to have left or to be convicted
MORE_HALTS_S = 3.0  # how long a proposer waits for more than it needs
MOST_BALLOTS = 256  # of one halt, nine hours of them without an outcome: nobody is made to keep more


class Unresolved(Exception):
    """Something that a body names is not here yet."""


@dataclass(frozen=True, slots=True)
class Stand:
    """Where this process stood when it halted: the same in all its HALTs of one halt."""

    boundary: Boundary
    mode: str
    tip: int
    own: bool


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a halt needs of the game around it."""

    epoch: bytes
    proposers: Owners  # owners at the start of the epoch: whose turn a ballot is must not depend on who has seen what
    me: int | None  # seat of the own player, None if it is out
    owners_at: Callable[[Boundary], Owners | None]  # owners with dice at a boundary; None until the log proves it
    obliger_at: Callable[[Boundary], int | None]  # owner of an opener that may choose there, None if none may
    previous: Callable[[Boundary], Boundary | None]  # the boundary before, on the own branch
    names: Callable[[float], Sequence[tuple[int, int | None]]]  # whom the own clocks miss now
    sign: Callable[[VoteSlot, bytes, VotePayload], AnyVote]
    leaves: dict[bytes, Vote[Leave]]  # by name, all of this game
    ancestors: Sequence[bytes]  # epochs before this one
    proofs: dict[bytes, int]  # hash of valid evidence -> owner it convicts
    said: Callable[[int, int], bool] = lambda owner, slot: True  # whether all that an owner owed to a slot is here


def outcome_value(outcome: Outcome) -> Value:
    """An outcome as it stands in a DROP, and as it enters the hash of a child epoch."""
    if outcome.base is None:
        return ()
    out = tuple((one.seat, one.why.value, one.proof) for one in outcome.out)
    return (out, outcome.base.rounds, outcome.base.state, outcome.mode)


def outcome_from(drop: Drop) -> Outcome:
    """The outcome in a DROP."""
    if not drop.outcome:
        return GO_ON
    out, rounds, state, mode = drop.outcome
    return Outcome(tuple(Out(seat, Why(why), proof) for seat, why, proof in out), Boundary(rounds, state), mode)


@dataclass
class Halting:
    """The halt number `number` of an epoch."""

    around: Surroundings
    number: int
    stand: Stand | None = None  # once halted
    ballot: int = -1  # of the own highest HALT
    halts: dict[tuple[int, int], Vote[Halt]] = field(default_factory=dict)  # (ballot, owner)
    proposals: dict[int, list[Vote[Propose]]] = field(default_factory=dict)
    drops: dict[tuple[int, int], Vote[Drop]] = field(default_factory=dict)  # (ballot, owner)
    second: list[Vote[Drop]] = field(default_factory=list)  # by those who signed two: others may have followed these
    by_hash: dict[bytes, AnyVote] = field(default_factory=dict)
    ready_at: float | None = None  # when a quorum had reached the own ballot
    _waited: bool = False  # as the proposer: for more HALTs, as long as it does
    _highest: dict[int, int] = field(default_factory=dict)  # by seat, the highest ballot of its HALTs
    _evaluated: dict[bytes, tuple[Proposal, Outcome]] = field(default_factory=dict)
    _rising: bool = False  # while lower ballots are looked at, each of which would look at those below it again
    _unresolved: set[bytes] = field(default_factory=set)  # in the step that is going on; in a record, for good

    @property
    def halted(self) -> bool:
        return self.stand is not None

    # --- collecting

    def take(self, vote: AnyVote) -> None:
        """A HALT, PROPOSE or DROP of this halt whose signature holds.

        Two by one author for one slot convict it, but both are kept: what others decided upon one of them must be seen
        here too.
        """
        self._look_again()
        self.by_hash[vote.signed.hash] = vote
        match vote.payload:
            case Halt():
                self.halts.setdefault((vote.ballot, vote.seat), narrow_vote(vote, Halt))
                self._highest[vote.seat] = max(vote.ballot, self.highest(vote.seat))
            case Propose():
                if vote.seat == self.proposer(vote.ballot):
                    self.proposals.setdefault(vote.ballot, []).append(narrow_vote(vote, Propose))
            case Drop():
                drop = narrow_vote(vote, Drop)
                if self.drops.setdefault((vote.ballot, vote.seat), drop) is not drop:
                    self.second.append(drop)

    def needs(self, vote: AnyVote) -> bool:
        """Whether a vote is one that votes here name, or a DROP as a PROPOSE here gives it."""
        name = vote.signed.hash
        match vote.payload:
            case Halt() | Leave():
                proposals = (propose for proposes in self.proposals.values() for propose in proposes)
                return any(name in (named for part in propose.payload[:2] for _, named in part)
                           for propose in proposals)
            case Propose():
                return any(name == drop.payload.proposal for drop in (*self.drops.values(), *self.second))
            case Drop():
                try:
                    return self._outcome(narrow_vote(vote, Drop)) is not None
                except (Unresolved, Malformed):
                    return False

    def proposer(self, ballot: int) -> int:
        """Whose turn a ballot is."""
        return self.around.proposers[(self.number + ballot) % len(self.around.proposers)]

    def highest(self, seat: int) -> int:
        """The highest ballot of a seat's HALTs here, -1 for none."""
        return self._highest.get(seat, -1)

    def useful(self) -> dict[int, Halted]:
        """The HALTs of the own ballot that a PROPOSE may name: what they say is known to be so, as far as that matters,
        and nothing is proved against their authors.

        Others count as missing: whoever claims to stand where nobody has been, or to have signed what it keeps back,
        would else stop the game for ever.
        """
        found: dict[int, Halted] = {}
        for (ballot, seat), halt in self.halts.items():
            if ballot == self.ballot and seat not in self.around.proofs.values():
                with suppress(Unresolved, Malformed):
                    found[seat] = self.read(halt)
        for seat in self._unshown(found):
            del found[seat]
        return found

    @property
    def votes(self) -> list[AnyVote]:
        """All bodies of this halt, in an order in which what is named comes first."""
        return list(self.by_hash.values())

    def _look_again(self) -> None:
        """What did not hold may do so now; in a record all that a PROPOSE names stands before it."""
        if self.around.me is not None:
            self._unresolved.clear()

    # --- what bodies mean

    def evaluate(self, propose: Vote[Propose]) -> tuple[Proposal, Outcome]:
        """What a PROPOSE names and decides. Raises Unresolved, or Malformed for one that no honest client signs."""
        known = self._evaluated.get(propose.signed.hash)
        if known is None:
            if propose.signed.hash in self._unresolved:
                raise Unresolved
            self._evaluate_below(propose.ballot)
            self._unresolved.add(propose.signed.hash)
            owners, proposal = self._proposal(propose)
            outcome = outcome_of(owners, proposal, self._shared(proposal))
            if outcome is None:
                raise Malformed("somebody-is-missing")
            known = self._evaluated[propose.signed.hash] = (proposal, outcome)
        return known

    def _evaluate_below(self, ballot: int) -> None:
        """The PROPOSEs of lower ballots, from the lowest up. Each may name what names the one before: Python would run
        out of stack on the way down."""
        if not self._rising:
            self._rising = True
            for lower in sorted(number for number in self.proposals if number < ballot):
                for propose in self.proposals[lower]:
                    if propose.signed.hash not in self._unresolved:
                        with suppress(Unresolved, Malformed):
                            self.evaluate(propose)
            self._rising = False

    def _proposal(self, propose: Vote[Propose]) -> tuple[Owners, Proposal]:
        halts = dict(self._halted(propose, seat, name) for seat, name in propose.payload.halts)
        if len(halts) != len(propose.payload.halts):
            raise Malformed("repeated")
        convicted: dict[int, bytes] = {}
        for seat, name in propose.payload.proofs:
            if self._resolve_proof(name) != seat:
                raise Malformed("wrong-proof")
            if seat in halts:  # it must not choose who the owners are
                raise Malformed("halt-of-a-convicted")
            if seat in convicted:  # one is enough, and nobody must keep more
                raise Malformed("repeated")
            convicted[seat] = name
        if self._unshown(halts):
            raise Unresolved
        owners = self.owners(list(halts.values()))
        left = dict(self._left(owners, propose.ballot, seat, name) for seat, name in propose.payload.leaves)
        if len(left) != len(propose.payload.leaves):
            raise Malformed("repeated")
        return owners, Proposal(propose.ballot, halts, left, convicted)

    def _unshown(self, halts: Mapping[int, Halted]) -> set[int]:
        """Whose HALT answers a name by a message that is not here: that it was signed is shown by itself alone.

        Otherwise whoever says so and sends nothing could hold up the game for ever, and never be out.
        """
        named = {(seat, slot) for halt in halts.values() for seat, slot in halt.names if slot is not None}
        return {seat for seat, slot in named
                if seat in halts and answers(halts[seat], slot) and not self.around.said(seat, slot)}

    def owners(self, halts: Sequence[Halted]) -> Owners:
        """Those who must agree: the owners with dice at the highest boundary that the HALTs stand at.

        Honest peers stand at most one showdown apart, in which at most one owner goes out, so a majority of the owners
        before and one of those after always share somebody.
        """
        if not halts:
            raise Malformed("no-halts")
        highest = max((halt.boundary for halt in halts), key=lambda boundary: boundary.rounds)
        owners = self.around.owners_at(highest)
        if owners is None:
            raise Unresolved
        return owners

    def _shared(self, proposal: Proposal) -> Boundary | None:
        return self.around.previous(max((halt.boundary for halt in proposal.halts.values()),
                                        key=lambda boundary: boundary.rounds))

    def _halted(self, propose: Vote[Propose], seat: int, name: bytes) -> tuple[int, Halted]:
        vote = self.by_hash.get(name)
        if vote is None:
            raise Unresolved
        halt = narrow_vote(vote, Halt)
        if halt.seat != seat or halt.ballot != propose.ballot:
            raise Malformed("another-ballot")
        return seat, self.read(halt)

    def read(self, halt: Vote[Halt]) -> Halted:
        """What a HALT says. Raises Unresolved until the log proves its boundary and its `last` is here."""
        boundary = Boundary(halt.payload.rounds, halt.state)
        if self.around.owners_at(boundary) is None:
            raise Unresolved
        # Only an opener has a choice to hand on, and only where the rules give it one.
        mode = halt.payload.mode if self.around.obliger_at(boundary) == halt.seat else ""
        names = frozenset((name[0], name[1] if len(name) == 2 else None) for name in halt.payload.names)
        return Halted(halt.seat, boundary, mode, halt.payload.tip, bool(halt.payload.own), names,
                      self._decided(halt.seat, halt.ballot, halt.payload.last))

    def _decided(self, seat: int, below: int, last: "tuple[()] | tuple[bytes]") -> Decided | None:
        if not last:
            return None
        vote = self.by_hash.get(last[0])
        if vote is None:
            raise Unresolved
        drop = narrow_vote(vote, Drop)
        if drop.seat != seat or drop.ballot >= below:
            raise Malformed("wrong-last")
        return Decided(drop.ballot, self._outcome(drop), drop.signed.hash)

    def _outcome(self, drop: Vote[Drop]) -> Outcome:
        """The outcome of a DROP, shown to be that of the PROPOSE it names."""
        vote = self.by_hash.get(drop.payload.proposal)
        if vote is None:
            raise Unresolved
        propose = narrow_vote(vote, Propose)
        if propose.ballot != drop.ballot or propose.seat != self.proposer(drop.ballot):
            raise Malformed("wrong-proposal")
        outcome = outcome_from(drop.payload)
        if self.evaluate(propose)[1] != outcome:
            raise Malformed("another-outcome")
        return outcome

    def _left(self, owners: Owners, ballot: int, seat: int, name: bytes) -> tuple[int, Left]:
        leave = self.around.leaves.get(name)
        if leave is None:
            raise Unresolved
        if leave.seat != seat:
            raise Malformed("wrong-leave")
        here = leave.epoch == self.around.epoch
        same = here and leave.halt == self.number
        earlier = leave.epoch in self.around.ancestors or (here and leave.halt < self.number)
        highest = UNSURE if leave.payload.ballot == UNSURE else leave.payload.ballot - 1
        # One who is not sure what it signed may have agreed with somebody who lost in this epoch and lags behind.
        among = self.around.proposers if highest == UNSURE else owners
        counts_out = seat in owners and leave_counts_out(among, same, earlier, highest, ballot)
        last = self._decided(seat, ballot, leave.payload.last) if counts_out and same else None
        return seat, Left(seat, name, counts_out, last)

    def _resolve_proof(self, name: bytes) -> int:
        if name not in self.around.proofs:
            raise Unresolved
        return self.around.proofs[name]

    # --- what to sign

    def begin(self, stand: Stand, now: float) -> None:
        """Halt: from now on nothing of a slot is signed or taken in."""
        if not self.halted and self.around.me is not None:
            self.stand = stand
            self._sign_halt(max(0, self._reached()), now)

    def step(self, now: float) -> Outcome | None:
        """Sign what there is to sign now; the outcome, once a certificate stands."""
        self._look_again()
        decided = self.certificate()
        while decided is None and self.halted and self._sign_next(now):
            decided = self.certificate()
        return decided[1] if decided else None

    @property
    def deadline(self) -> float | None:
        """When `step` may have something to do by the clock alone."""
        if not self.halted or self.ready_at is None:
            return None
        if self._may_propose() and not self._waited:
            return self.ready_at + MORE_HALTS_S
        return self.ready_at + self._patience_s() if self.ballot + 1 < MOST_BALLOTS else None

    def _patience_s(self) -> float:
        """How long the own ballot may go on undecided: a local matter; it can delay an outcome, but never split one."""
        present, _ = self._present()
        return BALLOT_S + self.ballot if self.proposer(self.ballot) in present else SKIP_S

    def certificate(self, drop: AnyVote | None = None) -> tuple[list[AnyVote], Outcome] | None:
        """What the first certificate that stands consists of (see `_certificates`), or the one that a DROP completes,
        and its outcome."""
        if drop is None:
            return next(self._certificates(self.proposals), None)
        found = self._certificates({drop.ballot} & self.proposals.keys())
        return next((votes for votes in found if votes[0][-1].signed == drop.signed), None)

    def outcomes(self) -> set[Outcome]:
        """The outcomes of all certificates that stand: more than one convict some key."""
        return {outcome for _, outcome in self._certificates(self.proposals)}

    def _certificates(self, ballots: Collection[int]) -> Iterator[tuple[list[AnyVote], Outcome]]:
        """Of some ballots: all that a PROPOSE names, the PROPOSE, and DROPs for it by as many as it needs, those of the
        lowest seats.

        The lowest ballot first: what later ones name is then known, and what a record holds is no more than it needs.
        """
        for ballot in sorted(ballots):
            for propose in self.proposals[ballot]:
                try:
                    proposal, outcome = self.evaluate(propose)
                    owners = self.owners(list(proposal.halts.values()))
                except (Unresolved, Malformed):
                    continue
                leavers = {seat for seat, left in proposal.left.items() if left.counts_out}
                following = {drop.seat: drop for drop in (*self.second, *self.drops.values())
                             if drop.payload.proposal == propose.signed.hash and drop.ballot == ballot
                             and outcome_from(drop.payload) == outcome}
                drops = [following[seat] for seat in owners
                         if seat in following and seat not in leavers and seat not in proposal.convicted]
                quota = needed(owners, proposal)
                if len(drops) >= quota:
                    yield [*self._named(propose), *drops[:quota]], outcome

    def _named(self, propose: Vote[Propose]) -> list[AnyVote]:
        """A PROPOSE that was evaluated, after all that it names, to the end: LEAVEs, then ballot by ballot."""
        found: dict[bytes, AnyVote] = {}
        open_ones = [propose]
        while open_ones:
            one = open_ones.pop()
            found[one.signed.hash] = one
            proposal, _ = self._evaluated[one.signed.hash]
            halts = [self.by_hash[name] for _, name in one.payload.halts]
            leaves = [self.around.leaves[name] for _, name in one.payload.leaves]
            found.update({vote.signed.hash: vote for vote in (*halts, *leaves)})
            for decided in (*(halt.last for halt in proposal.halts.values()),
                            *(left.last for left in proposal.left.values())):
                if decided and decided.proof not in found:
                    drop = narrow_vote(self.by_hash[decided.proof], Drop)
                    found[decided.proof] = drop
                    if drop.payload.proposal not in found:
                        open_ones.append(narrow_vote(self.by_hash[drop.payload.proposal], Propose))
        return sorted(found.values(), key=_place)

    def behind(self, seat: int | None) -> list[AnyVote]:
        """All that a seat's DROPs name, to the end: without it nobody can tell what they carry on."""
        followed = [drop.payload.proposal for (_, author), drop in self.drops.items() if author == seat]
        found = {vote.signed.hash: vote for name in followed if name in self._evaluated
                 for vote in self._named(narrow_vote(self.by_hash[name], Propose))}
        return list(found.values())

    def _sign_next(self, now: float) -> bool:
        """One step; whether something was signed."""
        reached = self._reached()
        if reached > self.ballot:
            self._sign_halt(reached, now)
            return True
        if reached == self.ballot and self.ready_at is None:
            self.ready_at = now
        if self.ready_at is not None and now >= self.ready_at + self._patience_s() and self.ballot + 1 < MOST_BALLOTS:
            self._sign_halt(self.ballot + 1, now)
            return True
        return self._propose(now) or self._drop()

    def _reached(self) -> int:
        """The highest ballot that a quorum has reached; never fewer are followed, one seat must not steer."""
        present, quota = self._present()
        ballots = sorted((self.highest(seat) for seat in present), reverse=True)
        return ballots[quota - 1] if len(ballots) >= quota else -1

    def _present(self) -> tuple[list[int], int]:
        """Who counts by what is held here, and the quorum that follows from it."""
        owners = (self.around.owners_at(self.stand.boundary) if self.stand else None) or self.around.proposers
        left = frozenset(leave.seat for leave in self.around.leaves.values())
        convicted = frozenset(self.around.proofs.values())
        return ([seat for seat in owners if seat not in left and seat not in convicted],
                quorum(owners, left, convicted))

    def _sign_halt(self, ballot: int, now: float) -> None:
        assert self.stand is not None, "halted"
        self.ballot, self.ready_at, self._waited = ballot, None, False
        names = tuple((seat,) if slot is None else (seat, slot) for seat, slot in self.around.names(now))
        own = [(at, drop) for (at, seat), drop in self.drops.items() if seat == self.around.me]
        last: tuple[()] | tuple[bytes] = (max(own, key=lambda one: one[0])[1].signed.hash,) if own else ()
        stand = self.stand
        payload = Halt(stand.boundary.rounds, stand.mode, stand.tip, int(stand.own), names, last)
        self.take(self.around.sign(("halt", self.number, ballot), stand.boundary.state, payload))

    def _may_propose(self) -> bool:
        return self.around.me == self.proposer(self.ballot) and self.ballot not in self.proposals

    def _propose(self, now: float) -> bool:
        if not self._may_propose() or self.ready_at is None:
            return False
        halts = self.useful()
        present, _ = self._present()
        self._waited = now >= self.ready_at + MORE_HALTS_S
        if not self._waited and not all(seat in halts for seat in present):
            return False
        # One piece against each is enough; a cheat may have made more than a PROPOSE can name.
        convicted = {seat: name for name, seat in sorted(self.around.proofs.items(), reverse=True)}
        try:
            owners = self.owners(list(halts.values()))
            proposal = Proposal(self.ballot, halts, self._leaves(owners), convicted)
            if outcome_of(owners, proposal, self._shared(proposal)) is None:
                return False
        except (Unresolved, Malformed):
            return False
        payload = Propose(tuple((seat, self.halts[self.ballot, seat].signed.hash) for seat in sorted(halts)),
                          tuple((seat, left.proof) for seat, left in sorted(proposal.left.items())),
                          tuple(sorted(convicted.items())))
        self.take(self.around.sign(("propose", self.number, self.ballot), b"", payload))
        return True

    def _leaves(self, owners: Owners) -> dict[int, Left]:
        """The LEAVEs that a PROPOSE may name, by seat: one whose `last` is not shown would hold it up, so its author is
        waited for like anybody who is silent."""
        found: dict[int, Left] = {}
        for name, leave in sorted(self.around.leaves.items()):
            if leave.seat in self.around.proposers and leave.seat not in found:
                with suppress(Unresolved, Malformed):
                    found[leave.seat] = self._left(owners, self.ballot, leave.seat, name)[1]
        return found

    def _drop(self) -> bool:
        if (self.ballot, self.around.me) in self.drops:
            return False
        for propose in self.proposals.get(self.ballot, []):
            try:
                _, outcome = self.evaluate(propose)
            except (Unresolved, Malformed):
                continue
            payload = Drop(propose.signed.hash, outcome_value(outcome))  # type: ignore[arg-type]  # its shape
            self.take(self.around.sign(("drop", self.number, self.ballot), b"", payload))
            return True
        return False


def _place(vote: AnyVote) -> tuple[int, int, int, bytes]:
    """Where a vote stands among those of its halt in a record."""
    if isinstance(vote.payload, Leave):
        return -1, 0, vote.seat, vote.signed.hash
    return vote.ballot, (Halt, Propose, Drop).index(type(vote.payload)), vote.seat, vote.signed.hash
