"""All that is held against players of one game: evidence, LEAVEs, and the halts in which the others agree on who is out
(protocol.md section 10). Watches the halts, signs this process's votes, and says what was decided; carrying it out is
the session's. Must not know links, files or whose turn it is."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from p2pdice.fairness.framing import digest
from p2pdice.fairness.keys import SigningKey
from p2pdice.fairness.labels import Label
from p2pdice.protocol.ballot import UNSURE, Boundary, Outcome, Owners
from p2pdice.protocol.errors import Malformed
from p2pdice.protocol.evidence import Evidence, FaultKind, convict, decode_evidence
from p2pdice.protocol.halting import MOST_BALLOTS, Halting, Stand, Surroundings
from p2pdice.protocol.ledger import Ledger, Mark, Proved, equivocation
from p2pdice.protocol.messages import (
    AnyVote,
    Halt,
    Leave,
    Propose,
    Signed,
    Vote,
    VotePayload,
    VoteSlot,
    narrow_vote,
    parse_game,
    sign_game,
)
from p2pdice.protocol.phases import opener_may_oblige
from p2pdice.protocol.promises import broken_promise

MOST_PROOFS = 4  # pieces of evidence kept against one player, besides smaller ones
MOST_VOTE_BYTES = 1024 * 1024  # of votes kept of one player, in the whole game
QUIET_S = 5.0  # after a GO-ON, somebody's HALT is followed after so long at the earliest; after each more, twice that
MOST_QUIET_S = 60.0


def proof_hash(raw: bytes) -> bytes:
    """Name of a piece of evidence."""
    return digest(Label.EVIDENCE, raw)


def deciders(votes: Sequence[AnyVote]) -> list[int]:
    """Seats whose DROPs a certificate ends with: those for its last PROPOSE."""
    last = max(place for place, vote in enumerate(votes) if isinstance(vote.payload, Propose))
    return [vote.seat for vote in votes[last + 1:]]


@dataclass
class Dispute:
    """`me`: seat of this process's player, None for a verifier; `ledger` moves on under it.

    `prove(boundary)` gives the ledger that has come to a boundary, by what has been said, or None; `said(owner, slot,
    split)` whether all that an owner owed to a slot is here, if `split` also by what names another state.
    """

    ledger: Ledger
    me: int | None
    key: SigningKey | None
    names: Callable[[float], Sequence[tuple[int, int | None]]]
    prove: Callable[[Boundary], Ledger | None]
    said: Callable[[int, int, bool], bool] = lambda owner, slot, split: True  # a record does not hold all of it
    leaves: dict[int, Vote[Leave]] = field(default_factory=dict)  # by owner
    all_leaves: dict[bytes, Vote[Leave]] = field(default_factory=dict)  # by name: a cheat may sign one in each epoch
    proofs: dict[bytes, int] = field(default_factory=dict)  # hash of evidence -> owner
    raw_proofs: dict[bytes, bytes] = field(default_factory=dict)
    past: list[tuple[int, Halting]] = field(default_factory=list)  # (number of the epoch, halt), decided
    out: list[Signed] = field(default_factory=list)  # own votes to be sent
    seen_at: float | None = None  # when somebody else's HALT of the open halt came
    quiet_until: float = float("-inf")
    _votes: dict[tuple[bytes, VoteSlot, int], AnyVote] = field(default_factory=dict)
    _names: set[bytes] = field(default_factory=set)  # of all that is kept, second bodies for one place too
    _vote_bytes: dict[int, int] = field(default_factory=dict)  # kept, by seat

    def __post_init__(self) -> None:
        self.halting = self._open(0)

    def take_up(self, other: "Dispute") -> None:
        """Go on from what a transcript of this game held; `other` watched over the same ledger."""
        self.leaves.update(other.leaves)
        self.all_leaves.update(other.all_leaves)
        self.proofs.update(other.proofs)
        self.raw_proofs.update(other.raw_proofs)
        self.past = list(other.past)
        self._votes.update(other._votes)
        self._names |= other._names
        self.halting = self._open(other.halting.number)
        for vote in other.halting.votes:
            self.halting.take(vote)

    def still_halted(self) -> None:
        """After a crash: if this process had halted, it is halted still, and stands where it said."""
        own = [halt for (_, seat), halt in self.halting.halts.items() if seat == self.me]
        if own:
            last = max(own, key=lambda halt: halt.ballot)
            said = last.payload
            self.halting.stand = Stand(Boundary(said.rounds, last.state), said.mode, said.tip, bool(said.own))
            self.halting.ballot = last.ballot

    @property
    def own_votes(self) -> list[Signed]:
        """What this process has voted in the open halt."""
        return [vote.signed for vote in self.halting.votes if vote.seat == self.me]

    @property
    def behind_own(self) -> tuple[list[Signed], list[bytes]]:
        """What those votes name, and evidence: a cheat may have given it to this process alone."""
        votes = self.halting.behind(self.me)
        proofs = {name for vote in votes if isinstance(vote.payload, Propose) for _, name in vote.payload.proofs}
        return [vote.signed for vote in votes], [self.raw_proofs[name] for name in sorted(proofs)]

    # --- coming in

    def knows(self, vote: AnyVote) -> bool:
        """Whether exactly this vote is here already."""
        return vote.signed.hash in self._names

    def receive(self, vote: AnyVote, now: float) -> bool:
        """A vote whose signature holds; whether it was new and of use. Raises Proved, or Malformed."""
        if self.ledger.owner(vote.seat) != vote.seat:
            raise Malformed("a-bot-has-no-vote")
        if self.knows(vote):
            return False
        known = self._votes.get((vote.epoch, vote.slot, vote.seat))
        new = self._keep(vote, now)  # a second one too: others may have decided upon it
        if known is not None:
            raise equivocation(known, vote)
        if new and self.me is not None and not self.convicted(vote.seat):
            broken = broken_promise(self._said_with(vote))
            if broken:
                raise Proved(vote.seat, Evidence(FaultKind.BAD_HALT, tuple(one.signed for one in broken)))
        return new

    def _said_with(self, vote: AnyVote) -> list[AnyVote]:
        """What its author has signed in the same halt, its LEAVEs, and after a LEAVE in later halts of the epoch."""
        halts = [halting for _, halting in [*self.past, (0, self.halting)] if halting.around.epoch == vote.epoch
                 and (halting.number == vote.halt or (isinstance(vote.payload, Leave) and halting.number > vote.halt))]
        leaves = [leave for leave in self.all_leaves.values() if leave.epoch == vote.epoch]
        return [one for one in (*leaves, *(one for halting in halts for one in halting.votes))
                if one.seat == vote.seat]

    def _keep(self, vote: AnyVote, now: float) -> bool:
        if isinstance(vote.payload, Leave):
            if not self._fits(vote, self.halting):
                return False
            self._remember(vote)
            self._left(narrow_vote(vote, Leave))
            return True
        halting = self._halt_of(vote)
        if halting is None:
            return False
        if vote.ballot >= MOST_BALLOTS:
            raise Malformed("too-many-ballots")
        if isinstance(vote.payload, Propose) and vote.seat != halting.proposer(vote.ballot):
            raise Malformed("not-the-proposer")
        if not self._fits(vote, halting):
            return False
        self._remember(vote)
        halting.take(vote)
        # Those without dice have nothing to halt for.
        if (halting is self.halting and isinstance(vote.payload, Halt) and vote.seat != self.me
                and self.seen_at is None and vote.seat in self.ledger.owners_in(self.ledger.game)):
            self.seen_at = now
        return True

    def _remember(self, vote: AnyVote) -> None:
        self._votes.setdefault((vote.epoch, vote.slot, vote.seat), vote)
        self._names.add(vote.signed.hash)

    def _fits(self, vote: AnyVote, halting: Halting) -> bool:
        """Whether this vote may be kept too: a player can sign as many as it likes, and each of them is in order."""
        size = self._vote_bytes.get(vote.seat, 0) + len(vote.signed.body)
        if self.me is not None and size > MOST_VOTE_BYTES and not halting.needs(vote):
            return False
        self._vote_bytes[vote.seat] = size
        return True

    def ahead(self, vote: AnyVote) -> bool:
        """Whether a vote is of a halt or an epoch that is not here yet."""
        if vote.epoch == self.ledger.epoch:
            return vote.halt > self.halting.number
        return all(vote.epoch != past.epoch for past in self.ledger.past)

    def learn(self, raw: bytes) -> int | None:
        """Evidence; the seat it convicts, None if it is known. Raises Malformed if it proves nothing."""
        name = proof_hash(raw)
        if name in self.proofs:
            return None
        seat = convict(decode_evidence(raw), self.ledger.game_id, self.ledger.verifiers)
        owner = self.ledger.owner(seat)
        # A cheat can make as much of it as it likes. All come to hold the smallest, since each smaller one costs twice
        # the work, and what a PROPOSE names.
        held = [known for known, of in self.proofs.items() if of == owner]
        if self.me is not None and len(held) >= MOST_PROOFS and name > min(held) and name not in self.named_proofs:
            return None
        self.proofs[name] = owner
        self.raw_proofs[name] = raw
        return seat

    # --- what is held

    @property
    def open(self) -> bool:
        """Whether there is anything to decide: any message may then be the one that was waited for."""
        return bool(self.halting.by_hash or self.proofs or self.leaves)

    @property
    def accused(self) -> set[int]:
        """Owners in the game against whom there is evidence, or who said that they leave."""
        if not self.proofs and not self.leaves:
            return set()  # asked for with every message
        active = set(self.ledger.owners_in(self.ledger.game))
        return active & (set(self.proofs.values()) | set(self.leaves))

    def convicted(self, seat: int) -> bool:
        """Whether there is evidence against the player of a seat."""
        return self.ledger.owner(seat) in self.proofs.values()

    def votes_since(self, epoch: int) -> list[Signed]:
        """All votes of the epochs from that number on, what is named first."""
        found = [leave.signed for leave in self.all_leaves.values()]
        for number, halting in [*self.past, (len(self.ledger.past), self.halting)]:
            if number >= epoch:
                found += [vote.signed for vote in halting.votes]
        return found

    @property
    def recorded(self) -> set[bytes]:
        """Names of all votes, LEAVEs and evidence of the game."""
        return self._names | set(self.raw_proofs)

    @property
    def open_names(self) -> set[bytes]:
        """Names of the votes of the open halt, of all LEAVEs, and of the evidence that others may need: the smallest
        against each owner, and what a PROPOSE names."""
        smallest = {owner: name for name, owner in sorted(self.proofs.items(), reverse=True)}
        proofs = set(smallest.values()) | (self.named_proofs & set(self.proofs))
        return {vote.signed.hash for vote in self.halting.votes} | set(self.all_leaves) | proofs

    def contradiction(self) -> bool:
        """Whether two certificates of one halt decide differently: some key signed on both sides."""
        return any(len(halting.outcomes()) > 1 for _, halting in [*self.past, (0, self.halting)])

    def settled(self, vote: AnyVote) -> bool:
        """Whether a vote is of another halt than the open one: of those that are decided, if it is not ahead."""
        return (vote.epoch, vote.halt) != (self.ledger.epoch, self.halting.number)

    # --- going out

    def halt(self, stand: Stand, now: float) -> None:
        """This process halts."""
        self.halting.begin(stand, now)

    def step(self, now: float) -> Outcome | None:
        """Sign the votes that are due; the outcome, once a certificate stands whose base the log has come to."""
        outcome = self.halting.step(now)
        if outcome and outcome.base and self.prove(outcome.base) is None:
            return None
        return outcome

    def decided(self, outcome: Outcome, now: float) -> None:
        """The outcome has been carried out: the next halt of the epoch, or the first of the child, begins."""
        number = self.halting.number + 1 if outcome.goes_on else 0
        epoch = len(self.ledger.past) - (0 if outcome.goes_on else 1)
        self.past.append((epoch, self.halting))
        self.halting = self._open(number)
        self.seen_at = None
        self.quiet_until = now + self._quiet_s() if outcome.goes_on else float("-inf")

    def _quiet_s(self) -> float:
        """Whoever halts for nothing again and again gets less and less of the others' time, and of what they sign."""
        doubled = QUIET_S * 2.0 ** min(self.halting.number - 1, 8)
        return min(doubled, MOST_QUIET_S, self.ledger.seated.roster.terms.drop_time_s / 2)

    def leave(self) -> None:
        """Sign the last word of this process."""
        own = [drop for (_, seat), drop in self.halting.drops.items() if seat == self.me]
        last = max(own, key=lambda drop: drop.ballot, default=None)
        payload = Leave(self.halting.number, self.halting.ballot + 1, (last.signed.hash,) if last else ())
        self._sign(("leave",), self.ledger.state, payload)

    def leave_unsure(self) -> None:
        """The same by somebody who cannot be sure to hold all it ever signed."""
        self._sign(("leave",), self.ledger.state, Leave(self.halting.number, UNSURE, ()))

    # --- inside

    @property
    def named_proofs(self) -> set[bytes]:
        """Names of the evidence that PROPOSEs of the open halt name."""
        proposals = [propose for proposes in self.halting.proposals.values() for propose in proposes]
        return {name for propose in proposals for _, name in propose.payload.proofs}

    def _left(self, leave: Vote[Leave]) -> None:
        self.leaves.setdefault(leave.seat, leave)
        self.all_leaves[leave.signed.hash] = leave

    def _open(self, number: int) -> Halting:
        # The ledger goes on to other epochs, votes about this one may still come.
        ledger, epoch, marks = self.ledger, self.ledger.epoch, self.ledger.marks
        # A halt refers to its Dispute only to sign: a record that was judged is out of memory as soon as it is let go.
        prove, all_said, sign = self.prove, self.said, self._sign if self.key else _sign_nothing
        proofs = self.proofs

        def mark_at(boundary: Boundary) -> Mark | None:
            known = next((mark for mark in marks if mark.boundary == boundary), None)
            if known is None and ledger.epoch == epoch:
                proved = prove(boundary)
                known = proved.mark(boundary) if proved else None
            return known

        def owners_at(boundary: Boundary) -> Owners | None:
            mark = mark_at(boundary)
            return ledger.owners_in(mark.game) if mark else None

        def obliger_at(boundary: Boundary) -> int | None:
            mark = mark_at(boundary)
            return ledger.owner(mark.game.opener) if mark and opener_may_oblige(mark.game) else None

        def previous(boundary: Boundary) -> Boundary | None:
            below = [mark.boundary for mark in marks if mark.boundary.rounds < boundary.rounds]
            return max(below, key=lambda found: found.rounds, default=None)

        def said(owner: int, slot: int) -> bool:
            split = any(cheat in ledger.owners_in(ledger.game) for cheat in proofs.values())
            return ledger.epoch == epoch and all_said(owner, slot, split)

        return Halting(Surroundings(
            epoch, ledger.owners_in(marks[0].game), self.me, owners_at, obliger_at, previous, self.names, sign,
            self.all_leaves, [past.epoch for past in ledger.past], self.proofs, said), number)

    def _halt_of(self, vote: AnyVote) -> Halting | None:
        if vote.epoch == self.ledger.epoch and vote.halt == self.halting.number:
            return self.halting
        return next((halting for number, halting in self.past
                     if halting.number == vote.halt and halting.around.epoch == vote.epoch), None)

    def _sign(self, slot: VoteSlot, state: bytes, payload: VotePayload) -> AnyVote:
        assert self.key is not None and self.me is not None, "a verifier signs nothing"  # noqa: PT018
        signed = sign_game(self.key, self.ledger.game_id, self.ledger.epoch, slot, state, self.me, payload)
        vote = parse_game(signed)
        assert isinstance(vote, Vote), "a vote has a vote's slot"
        self._remember(vote)
        if isinstance(payload, Leave):
            self._left(narrow_vote(vote, Leave))
        self.out.append(signed)
        return vote


def _sign_nothing(slot: VoteSlot, state: bytes, payload: VotePayload) -> AnyVote:
    raise AssertionError("a verifier signs nothing")  # pragma: no cover
