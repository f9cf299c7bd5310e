"""When a process waits no longer: it halts for silence, evidence, a LEAVE or another's HALT, and gives up where nobody
can decide any more (protocol.md section 10.3). Local, never part of what is agreed. Must not know messages."""

from p2pdice.protocol.aside import Aside
from p2pdice.protocol.clocks import Clocks
from p2pdice.protocol.dispute import Dispute
from p2pdice.protocol.ledger import Ledger
from p2pdice.protocol.phases import Phase

SHOWDOWN_S = 10.0  # an open showdown may finish first, if those who leave or are convicted owe nothing to it
GRACE_S = 10.0  # what a person in turn is given when somebody else halts
FOLLOW_S = 5.0  # whoever watches ends so long after the last two, who may have heard each other once more


class Patience:
    """`me`: seat of the own player."""

    def __init__(self, ledger: Ledger, dispute: Dispute, clocks: Clocks, aside: Aside, me: int) -> None:
        self._ledger = ledger
        self._dispute = dispute
        self._clocks = clocks
        self._aside = aside
        self._me = me

    def halt_at(self, own_turn: bool) -> float | None:
        """When to halt, None for no reason to; `own_turn`: the open slot waits for a decision at this process."""
        ledger, dispute = self._ledger, self._dispute
        if self._me not in ledger.owners_in(ledger.game):
            return None
        times = [self._clocks.silence_at()]
        if dispute.accused - {self._me}:
            at = self._clocks.accused_at
            owing = {ledger.owner(seat) for seat in ledger.missing}
            may_finish = ledger.phase is Phase.REVEAL and not owing & dispute.accused
            times.append(at + self._at_most(SHOWDOWN_S) if may_finish else at)
        if dispute.seen_at is not None:
            grace = self._at_most(GRACE_S) if own_turn else 0.0
            times.append(max(dispute.quiet_until, dispute.seen_at + grace))
        return min((time for time in times if time is not None), default=None)

    @property
    def nobody_else(self) -> bool:
        """Whether silence is all there is between two owners: neither can decide anything by it."""
        owners = self._ledger.owners_in(self._ledger.game)
        return len(owners) == 2 and self._me in owners and not self._dispute.accused

    def given_up_at(self) -> float | None:
        """When nothing can be decided any more among the last two: for one of them who is halted, and for those who
        are out and watch."""
        owners, halted = self._ledger.owners_in(self._ledger.game), self._dispute.halting.halted
        if self._me in owners:
            # Who halted in front of a showdown that left two knows it only by what it has kept aside.
            if halted and len(owners) > 2:
                ahead = self._aside.ahead()
                owners = ahead.owners_in(ahead.game)
            return self._clocks.standing_until if halted and len(owners) <= 2 else None
        silence_at = self._clocks.silence_at()
        if silence_at is None or len(owners) > 2:
            return None
        return silence_at + (self._drop_time_s if self._dispute.accused else FOLLOW_S)

    def deserted_at(self, resuming: bool) -> float | None:
        """When all there is to wait for are the others, and that was long enough: after a crash until somebody has
        answered; without dice, where more than two decide; and, much longer, with dice, where too few are here to."""
        owners = self._ledger.owners_in(self._ledger.game)
        if resuming or (self._me not in owners and len(owners) > 2):
            return self._clocks.deserted_at()
        return self._clocks.undecided_at() if self._dispute.halting.halted else None

    @property
    def _drop_time_s(self) -> int:
        return self._ledger.seated.roster.terms.drop_time_s

    def _at_most(self, seconds: float) -> float:
        """A courtesy, cut where the drop time is short: whoever waits longer would be named for a missing HALT."""
        return min(seconds, self._drop_time_s / 2)
