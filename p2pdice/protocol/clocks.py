"""The local clocks of one game: when a turn is over, whose message is late, whom this process names in a halt
(protocol.md section 10). Clocks are never part of what is agreed: they only decide when this process acts."""

from p2pdice.protocol.halting import Halting
from p2pdice.protocol.ledger import Ledger
from p2pdice.protocol.phases import TURN_PHASES, Phase

SLACK_S = 3.0  # whoever halts first should not be alone in naming, for a moment by which its clock was ahead
ANSWER_DUE_S = 3.0  # an answer to a SEAL is due so long after it
UNHEARD_S = 30.0  # whoever hears nobody looks for the others so long at least
HALT_DROP_TIMES = 20  # those who are too few to decide are patient: cables are found and put back
NEVER = float("inf")


class Clocks:
    """Times in seconds of the caller's monotonic clock. `local`: seats of this process, which are never late here."""

    def __init__(self, ledger: Ledger, local: set[int], now: float) -> None:
        self._ledger = ledger
        self._local = local
        self._terms = ledger.seated.roster.terms
        self._began_at = now
        self._opened_at = now
        self.turn_at = now  # when the standing bid was seen: from then on a window to call exact is open
        self.accused_at = now
        self._heard = dict.fromkeys(range(len(ledger.seated.players)), now)
        self._halted_at: float | None = None
        self._paused_at: float | None = None
        self._unanswered: dict[int, float] = {}  # owner -> since when its HALT of the own ballot is missing
        self._waiting_for: set[int] = set()  # owners whom the user does not want to name
        self._dropped: set[int] = set()  # owners whom the user names at once

    # --- what happens

    def heard(self, seat: int, now: float) -> None:
        """A sign of life from a seat's process."""
        self._heard[self._ledger.owner(seat)] = now

    def slot_opened(self, now: float, *, turn: bool) -> None:
        """A new slot is open; `turn`: with it a new turn."""
        self._opened_at = now
        if turn:
            self.turn_at = now

    def accused(self, now: float) -> None:
        """Evidence or a LEAVE has come."""
        self.accused_at = now

    def halted(self, now: float) -> None:
        """The clocks of slots stand still from now on."""
        self._halted_at = now

    def resumed(self, now: float) -> None:
        """And go on."""
        if self._halted_at is not None:
            stood_s = now - self._halted_at
            self._opened_at += stood_s
            self.turn_at += stood_s
            self._halted_at = None

    def pause(self, now: float) -> None:
        """All agree that nobody is late until `go_on`."""
        self._paused_at = now

    def go_on(self, now: float) -> None:
        """The pause is over: what was due is due so much later."""
        if self._paused_at is not None:
            stood_s = now - self._paused_at
            self._opened_at = min(now, self._opened_at + stood_s)
            self.turn_at = min(now, self.turn_at + stood_s)
            self._paused_at = None

    @property
    def paused(self) -> bool:
        """Whether the clocks of slots stand still because all want it."""
        return self._paused_at is not None

    @property
    def standing_until(self) -> float | None:
        """When this process will have been halted for the drop time; None if it is not."""
        return None if self._halted_at is None else self._halted_at + self._terms.drop_time_s

    def answered(self, owner: int) -> None:
        """An owner is there after all: it signed for a slot."""
        self._unanswered.pop(owner, None)

    def follow(self, halting: Halting, now: float) -> None:
        """While halted: from when on each owner's HALT of the own ballot is missing, or of no use."""
        if halting.halted:
            here = halting.useful()
            for owner in self._others():
                if owner in here:
                    self._unanswered.pop(owner, None)
                else:
                    self._unanswered.setdefault(owner, now)

    def hold(self, owner: int, wait: bool) -> None:
        """The user's word on naming an owner."""
        (self._waiting_for if wait else self._dropped).add(owner)
        (self._dropped if wait else self._waiting_for).discard(owner)

    # --- what follows

    def deserted_at(self) -> float | None:
        """When nobody who plays has been heard for long enough; None while the user waits for somebody."""
        heard = max([self._heard[owner] for owner in self._others()], default=self._began_at)
        return None if self._waiting_for else heard + max(self._terms.drop_time_s, UNHEARD_S)

    def undecided_at(self) -> float | None:
        """When the halt has lasted so long that nothing will come of it; None while the user waits for somebody."""
        halted_at = self._began_at if self._halted_at is None else self._halted_at
        return None if self._waiting_for else halted_at + HALT_DROP_TIMES * self._terms.drop_time_s

    def turn_over_at(self) -> float | None:
        """When the open turn is lost; None without a clock."""
        return self._opened_at + self._terms.turn_time_s if self._terms.turn_time_s and not self.paused else None

    def silence_at(self) -> float | None:
        """When somebody's message for the open slot is late enough to halt for it."""
        owing = self._owing()
        if self.paused or not owing:
            return None
        if not self._dropped.isdisjoint(owing):
            return self._opened_at
        return self._late(min([self._heard[owner] for owner in owing]))

    def names(self, now: float) -> list[tuple[int, int | None]]:
        """(owner, slot) for each message of the open slot that is late enough, (owner, None) for a missing HALT."""
        at = now if self._halted_at is None else self._halted_at
        if self._paused_at is not None:
            at = min(at, self._paused_at)
        found: list[tuple[int, int | None]] = [
            (owner, self._ledger.slot) for owner in sorted(self._owing())
            if at >= self._late_at(owner) - min(SLACK_S, self._terms.drop_time_s / 4)]
        found += [(owner, None) for owner, since in sorted(self._unanswered.items())
                  if owner not in self._waiting_for
                  and (now >= since + self._terms.drop_time_s or owner in self._dropped)]
        return found

    def _others(self) -> list[int]:
        own = {self._ledger.owner(seat) for seat in self._local}
        return [owner for owner in self._ledger.owners_in(self._ledger.game) if owner not in own]

    def _owing(self) -> set[int]:
        """Other processes' owners whose message for the open slot is missing, unless the user waits for them."""
        owner_of = self._ledger.seated.owners
        owners = {owner_of[seat] for seat in self._ledger.missing if seat not in self._local}
        return owners - self._waiting_for

    def _late_at(self, owner: int) -> float:
        return self._opened_at if owner in self._dropped else self._late(self._heard[owner])

    def _late(self, heard: float) -> float:
        """From when it was due, or from when its author was last heard: whichever is full first."""
        if self._ledger.phase in TURN_PHASES:
            due = self._opened_at + (self._terms.turn_time_s or NEVER)
        else:
            due = self._opened_at + (ANSWER_DUE_S if self._ledger.phase is Phase.ANSWER else 0.0)
        return min(due, max(heard, self._opened_at)) + self._terms.drop_time_s
