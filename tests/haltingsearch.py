"""A walk through what whole `Halting`s do at a table of honest seats: which of them hear from which, in any order, and
whose patience ends when. Signatures are faked; equal states are merged."""

import copy
from dataclasses import dataclass, field

from p2pdice.protocol.ballot import Outcome
from p2pdice.protocol.halting import MORE_HALTS_S, Halting, Stand, Surroundings
from p2pdice.protocol.messages import AnyVote, Drop, Halt, VotePayload, VoteSlot
from tests.ballotmodel import BOUNDS, EPOCH, faked

Names = tuple[tuple[int, int | None], ...]
AT_ONCE_S, WAITED_S, LATE_S = 0.0, MORE_HALTS_S, 1000.0  # since a quorum reached the ballot


@dataclass(frozen=True)
class Local:
    """What one seat holds and where it is: all that decides what it does next."""

    votes: frozenset[bytes]
    ballot: int
    ready: bool
    outcome: Outcome | None


@dataclass
class Halts:
    """`stands` and `names` by seat: where each one halts, and whom it misses. `singly`: votes come one by one, too."""

    stands: list[int]
    names: list[Names]
    ballots: int
    singly: bool = False
    votes: dict[bytes, AnyVote] = field(default_factory=dict)
    outcomes: set[Outcome] = field(default_factory=set)
    states: int = 0
    _known: dict[tuple[int, Local], Halting] = field(default_factory=dict)
    _steps: dict[tuple[int, Local, frozenset[bytes], float], Local] = field(default_factory=dict)

    def run(self) -> None:
        """Walk through all states."""
        begin = tuple(self.begin(seat) for seat in range(len(self.stands)))
        seen, stack = {begin}, [begin]
        while stack:
            state = stack.pop()
            self.states += 1
            self.check(state)
            for seat, local in enumerate(state):
                if local.outcome is not None:
                    continue
                news = [other.votes - local.votes for other in state]  # all that another holds, or one vote of it
                if self.singly:
                    news += [frozenset([name]) for name in frozenset().union(*news)]
                after = [self.step(seat, local, heard, AT_ONCE_S) for heard in news if heard]
                after.append(self.step(seat, local, frozenset(), WAITED_S))
                if local.ballot + 1 < self.ballots:
                    after.append(self.step(seat, local, frozenset(), LATE_S))
                for one in after:
                    following = (*state[:seat], one, *state[seat + 1:])
                    if following not in seen:
                        seen.add(following)
                        stack.append(following)

    def begin(self, seat: int) -> Local:
        """A seat that has just halted."""
        halting = Halting(self.around(seat), 0)
        boundary = self.stands[seat]
        halting.begin(Stand(BOUNDS[boundary], "", boundary, True), AT_ONCE_S)
        return self.keep(seat, halting, None)

    def around(self, seat: int) -> Surroundings:
        def sign(slot: VoteSlot, state: bytes, payload: VotePayload) -> AnyVote:
            vote = faked(slot, seat, payload, state)
            self.votes[vote.signed.hash] = vote
            return vote

        owners = tuple(range(len(self.stands)))
        return Surroundings(EPOCH, owners, seat, lambda base: owners, lambda base: None,
                            lambda base: BOUNDS[0] if base.rounds else None, lambda now: self.names[seat], sign,
                            {}, (), {})

    def step(self, seat: int, local: Local, heard: frozenset[bytes], now: float) -> Local:
        """What a seat does when votes come, or its patience ends."""
        key = (seat, local, heard, now)
        if key not in self._steps:
            known = self._known[seat, local]
            halting = Halting(known.around, known.number, known.stand, known.ballot, ready_at=known.ready_at)
            for vote in known.votes:
                halting.take(vote)
            # What is named comes first, as `Halting.votes` has it.
            for name in sorted(heard, key=lambda name: list(self.votes).index(name)):
                halting.take(self.votes[name])
            self._steps[key] = self.keep(seat, halting, halting.step(now))
        return self._steps[key]

    def keep(self, seat: int, halting: Halting, outcome: Outcome | None) -> Local:
        halting.ready_at = None if halting.ready_at is None else AT_ONCE_S
        local = Local(frozenset(halting.by_hash), halting.ballot, halting.ready_at is not None, outcome)
        self._known.setdefault((seat, local), copy.copy(halting))
        return local

    def check(self, state: tuple[Local, ...]) -> None:
        """S1 and S2."""
        decided = {local.outcome for local in state if local.outcome is not None}
        self.outcomes |= decided
        assert len(decided) < 2, f"S1 two outcomes: {decided}"
        for seat, local in enumerate(state):
            own = [self.votes[name] for name in local.votes if self.votes[name].seat == seat]
            assert len({vote.slot for vote in own}) == len(own), "S2 two bodies for one slot"
            drops = {vote.ballot: vote.signed.hash for vote in own if isinstance(vote.payload, Drop)}
            for vote in own:
                if isinstance(vote.payload, Halt):
                    below = [at for at in drops if at < vote.ballot]
                    last = (drops[max(below)],) if below else ()
                    assert vote.payload.last == last, "S2 a HALT hides a DROP, or a DROP came below it"
