"""One game as one process plays it, sans I/O: users' actions, signed messages from anywhere and the clock go in; signed
messages, records and events come out (protocol.md section 5). Time and randomness are arguments. Must not know links,
files or the lobby."""

import sys
from collections.abc import Mapping, Sequence

from p2pdice.fairness.framing import digest
from p2pdice.fairness.keys import RandomBytes
from p2pdice.fairness.labels import Label
from p2pdice.protocol.aside import Aside
from p2pdice.protocol.audit import Replayed
from p2pdice.protocol.ballot import Boundary, Outcome, Why
from p2pdice.protocol.chair import Chair
from p2pdice.protocol.chairs import Chairs
from p2pdice.protocol.clocks import Clocks
from p2pdice.protocol.codec import pack, unpack
from p2pdice.protocol.dispute import Dispute, deciders
from p2pdice.protocol.errors import LocalFault, Malformed, PeerFault
from p2pdice.protocol.events import (
    Closed,
    Event,
    FaultProved,
    Halted,
    Resumed,
)
from p2pdice.protocol.evidence import decode_evidence
from p2pdice.protocol.halting import Stand
from p2pdice.protocol.kept import KEPT_ROUND
from p2pdice.protocol.ledger import Ledger, OtherState, Proved, equivocation
from p2pdice.protocol.messages import (
    AnyMessage,
    AnyVote,
    Halt,
    Mode,
    Signed,
    SlotPayload,
    Vote,
    parse_game,
    parse_slot,
    signed_from,
)
from p2pdice.protocol.patience import Patience
from p2pdice.protocol.phases import TURN_PHASES, Phase
from p2pdice.protocol.recorder import Recorder
from p2pdice.protocol.roster import Seated
from p2pdice.rules import CALZO, Action, Gone, RoundBegan, RoundSettled, View, callers, check, mildest, view

SLOTS_AHEAD = 40  # messages further ahead are asked for again, not kept; 31 others may each pass or bid, and one show


def since_last_round(events: Sequence[Event]) -> list[Event]:
    """What a screen needs to show a game in its middle: the last result, and the open round from its beginning."""
    began = max((place for place, event in enumerate(events) if isinstance(event, RoundBegan)), default=0)
    results = [event for event in events[:began] if isinstance(event, RoundSettled | Gone)]
    return [*results[-1:], *events[began:]]


class Session:
    """Drain `outbox` (signed messages for everyone), `evidence_out`, `records` and `events` after each call, in the
    order: write the records, send, tell the screen."""

    def __init__(self, seated: Seated, chairs: Mapping[int, Chair], random_bytes: RandomBytes, now: float,
                 past: Replayed | None = None) -> None:
        """`chairs`: the local seats, by number; `now` in seconds of any monotonic clock, the same in all calls.

        `past`: the own transcript of a game that a crash interrupted. Nothing is signed then until `answered`.
        """
        self.seated = seated
        self.ledger = past.ledger if past and past.ledger else Ledger(seated)
        self.outbox: list[Signed] = []
        self.evidence_out: list[bytes] = []
        self.events: list[Event] = []
        self.closed: Closed | None = None
        self.behind = False  # a message came that our history does not explain: others must be asked
        self._chairs = Chairs(chairs.values(), random_bytes)
        self._random_bytes = random_bytes
        self._aside = Aside(self.ledger)
        self.me = seated.owners[next(iter(chairs))]
        self.clocks = Clocks(self.ledger, set(chairs), now)
        self.dispute = Dispute(self.ledger, self.me, chairs[self.me].key, self._names, self._aside.prove,
                               self._aside.said)
        self._patience = Patience(self.ledger, self.dispute, self.clocks, self._aside, self.me)
        self._going = False
        self.resuming = past is not None
        if past and past.dispute:
            self.dispute.take_up(past.dispute)
            self.events += since_last_round(past.report.events)
            standing = past.report.standings[self.me]
            if standing != "clean":  # it ended here, and the screen may not have said so before the crash
                self._end(Closed((), 0 if standing == "left" else 1, standing))
        else:
            self.events += self.ledger.opening()
            self.events += self._chairs.announce(self.ledger)
        self._recorder = Recorder(self.ledger, self.dispute, resumed=self.resuming)
        self._go_on(now)

    @property
    def records(self) -> list[tuple[str, Signed]]:
        """What is to be added to the transcript: (kind, body)."""
        return self._recorder.records

    # --- after a crash

    def snapshot(self) -> dict[str, bytes]:
        """What must be on the disk before anything in `outbox` is sent: secrets of the round, and the exact bytes that
        this process has signed and that are not in the transcript yet."""
        said = [message.signed for seat, message in self.ledger.slots[-1].items() if seat in self._chairs]
        own = [*said, *self.dispute.own_votes, *([self.dispute.leaves[self.me].signed]
                                                 if self.me in self.dispute.leaves else [])]
        deal = {KEPT_ROUND: pack((len(self.ledger.past), self.ledger.game.round_number))}
        votes, proofs = self.dispute.behind_own
        bodies = {f"{kind}-{number}": pack(signed.value()) for kind, some in (("signed", own), ("named", votes))
                  for number, signed in enumerate(some)}
        evidence = {f"proof-{number}": raw for number, raw in enumerate(proofs)}
        return self._chairs.secrets() | deal | bodies | evidence

    def remember(self, kept: Mapping[str, bytes], now: float) -> None:
        """Take up a snapshot: the secrets, and the own messages, to be sent again as they were."""
        self._chairs.restore(kept)
        for name, raw in kept.items():
            if name.startswith("proof-"):
                self.receive_evidence(raw, now)
            elif name.startswith("named-"):
                self.receive(signed_from(unpack(raw)), now)
        for name, raw in kept.items():
            if name.startswith("signed-"):
                signed = signed_from(unpack(raw))
                self.outbox.append(signed)
                self.receive(signed, now)

    def answered(self, now: float) -> None:
        """The others have said what they hold of this process's own messages: from now on it signs again.

        If a secret behind something it signed is gone, it cannot: it leaves, and says that it is not sure.
        """
        if not self.resuming or self.closed:
            return
        self.resuming = False
        if self.me in self.dispute.leaves:  # after its last word a player signs nothing
            self.close("left", 0)
            return
        self.dispute.still_halted()
        if not self._chairs.hold_all(self.ledger):
            self.dispute.leave_unsure()
            self._send_votes()
            self.close("left", 1)
            return
        if self.ledger.deal and self.ledger.phase not in (Phase.MODE, Phase.COMMIT, Phase.OPEN, Phase.READY):
            self.events += self._chairs.look(self.ledger)
        self.events += self._chairs.announce(self.ledger)
        self._go_on(now)

    @property
    def halted(self) -> bool:
        """Whether the game stands still until the others agree on who is out."""
        return self.dispute.halting.halted

    # --- from the user

    def act(self, seat: int, action: Action, now: float, auto: bool = False) -> None:
        """A local seat's move. Raises IllegalAction or LocalFault, and nothing has changed then."""
        chair, ledger = self._chairs[seat], self.ledger
        if self.closed or self.halted or self.resuming:
            raise LocalFault("game-over" if self.closed else "game-halted")
        if ledger.phase in (Phase.SEAL, Phase.ANSWER) and action == CALZO and seat in callers(ledger.game):
            if seat in ledger.missing or ledger.phase is Phase.SEAL:
                chair.claim = True
                self._go_on(now)
                return
            raise LocalFault("already-answered")
        check(ledger.game, seat, action)
        if ledger.phase not in TURN_PHASES:
            raise LocalFault("not-now")
        if ledger.phase is Phase.MODE:
            self._say(chair, Mode(action.way, int(auto)), now)
        else:
            self._say(chair, chair.act(ledger, action, auto, self._random_bytes), now)
        self._go_on(now)

    def waive(self, seat: int, now: float) -> None:
        """A local seat will not call exact on the standing bid."""
        chair = self._chairs[seat]
        if chair.claim is None:
            chair.claim = False
            self._go_on(now)

    def leave(self, now: float) -> None:
        """Go for good: what is owed has been signed already, so one last word is enough."""
        if not self.closed:
            if self.me in self.ledger.owners_in(self.ledger.game):
                self.dispute.leave()
                self._send_votes()
            self.close("left", 0)

    def hold(self, seat: int, wait: bool) -> None:
        """`/wait`: this process does not name a player; `/drop`: it names them at once. Raises LocalFault."""
        owner = self.ledger.owner(seat)
        if owner == self.me or owner not in self.ledger.owners_in(self.ledger.game):
            raise LocalFault("no-such-player")
        self.clocks.hold(owner, wait)

    def pause(self, agreed: bool, now: float) -> float | None:
        """Let the clocks stand still or go on; what is left of the open turn's time, None without a clock."""
        if agreed and not self.clocks.paused:
            self.clocks.pause(now)
        elif not agreed:
            self.clocks.go_on(now)
        over_at = self.clocks.turn_over_at() if self.ledger.phase in TURN_PHASES else None
        return None if over_at is None else max(over_at - now, 0.0)

    def view(self, seat: int) -> View:
        """What a local seat may know: the only thing a bot or a hint is given."""
        return view(self.ledger.game, seat, self._chairs[seat].cups)

    @property
    def undecided(self) -> tuple[int, ...]:
        """Local seats that may call exact out of turn now and have not said whether they will."""
        return () if self.closed or self.halted or self.resuming else self._chairs.undecided(self.ledger)

    # --- from the network

    def receive(self, signed: Signed, now: float) -> int | None:
        """A signed body that somebody sent or relayed; its author's seat if it was new and of use.

        Raises PeerFault, with nothing changed.
        """
        try:
            message = parse_game(signed)
        except Malformed as error:
            raise PeerFault(error.reason) from error
        if message.game_id != self.ledger.game_id or message.seat >= len(self.seated.players):
            raise PeerFault("another-game")
        if self.closed and self.closed.reason != "left":
            return None
        try:
            if isinstance(message, Vote):
                return self._receive_vote(message, now)
            return self._receive_slot(message, now)
        except Proved as proved:
            new = not self.dispute.convicted(proved.seat)  # else it would be passed round without end
            self._convicted(proved.seat, proved.evidence.encode(), now)
            self._go_on(now)
            return message.seat if new else None

    def _receive_slot(self, message: AnyMessage, now: float) -> int | None:
        if message.epoch != self.ledger.epoch:
            self.behind = self.behind or all(message.epoch != past.epoch for past in self.ledger.past)
            return None
        place = message.slot, message.seat
        known, second = self.ledger.spoken(*place) or self._aside.kept.get(place), self._aside.second.get(place)
        if (known and known.signed == message.signed) or (second and second.signed == message.signed):
            return None
        # Before anything is kept: a broken copy must not hide the true one (attack row 47).
        if not message.signed.holds(self.ledger.verifiers[message.seat]):
            raise PeerFault("bad-signature")
        self.clocks.heard(message.seat, now)
        if known is not None:
            if self.ledger.spoken(*place) is None:
                self._aside.add_second(message)
            raise equivocation(known, message)
        if message.slot < self.ledger.slot or (message.seat in self._chairs and not self.resuming):
            return None
        if message.slot > self.ledger.slot + SLOTS_AHEAD:
            self.behind = True
            return None
        self._aside.kept[place] = message
        self.clocks.answered(self.ledger.owner(message.seat))
        self._go_on(now, settle=self.dispute.open)
        return message.seat

    def _receive_vote(self, vote: AnyVote, now: float) -> int | None:
        # Others send all votes of a halt again and again: that costs no signature, and is no sign of its author's life.
        if self.dispute.knows(vote):
            return None
        if not vote.signed.holds(self.ledger.verifiers[vote.seat]):
            raise PeerFault("bad-signature")
        self.clocks.heard(vote.seat, now)
        if self.dispute.ahead(vote):
            self.behind = True
            return None
        if vote.seat == self.me and not self.resuming:
            return None
        try:
            new = self.dispute.receive(vote, now)
        except Malformed as error:
            raise PeerFault(error.reason) from error
        except Proved as proved:
            self._convicted(proved.seat, proved.evidence.encode(), now)
            new = self.dispute.knows(vote)
        if new:
            if vote.slot[0] == "leave":
                self.clocks.accused(now)
            elif self.dispute.settled(vote) and not self.closed and self.dispute.contradiction():
                self.close("forked", 1)
            self._go_on(now)
        return vote.seat if new else None

    def receive_evidence(self, raw: bytes, now: float) -> None:
        """Evidence that somebody else holds. Raises PeerFault if it proves nothing."""
        if not self.closed:
            try:
                self._learn(raw, now)
            except Malformed as error:
                raise PeerFault(error.reason) from error

    def heard(self, seat: int, now: float) -> None:
        """A sign of life from the process of a seat."""
        self.clocks.heard(seat, now)

    @property
    def position(self) -> tuple[int, int, int]:
        """How far this process is: number of the epoch, of the halt in it, of the open slot."""
        return len(self.ledger.past), self.dispute.halting.number, self.ledger.slot

    @property
    def held(self) -> bytes:
        """Name of all that is held of the open slot and the open halt: two peers that hold the same name it alike."""
        here = (*self.ledger.slots[-1].values(), *self._aside.of_slot(self.ledger.slot))
        said = {message.signed.hash for message in here}
        return digest(Label.HELD, *sorted(said | self.dispute.open_names))

    @property
    def spoken_ahead(self) -> set[int]:
        """Owners who have spoken for a later slot than the open one: they hold what is missing here."""
        return {self.ledger.owner(seat) for slot, seat in self._aside.kept if slot > self.ledger.slot}

    def since(self, epoch: int, slot: int) -> list[Signed]:
        """All messages from a slot of an epoch on, and the votes since that epoch, as they were signed."""
        return self.answer(epoch, slot, sys.maxsize)[0]

    def answer(self, epoch: int, slot: int, most_bytes: int) -> tuple[list[Signed], bool]:
        """The same, with messages of so many bytes at most and one slot at least; whether these are all."""
        epochs = [past.slots for past in self.ledger.past] + [self.ledger.slots]
        found: list[Signed] = []
        left = most_bytes
        votes = self.dispute.votes_since(epoch)
        for number, slots in enumerate(epochs[epoch:], start=epoch):
            for said in slots[slot if number == epoch else 0:]:
                if left > 0:
                    found += [message.signed for message in said.values()]
                    left -= sum(len(message.signed.body) for message in said.values())
            if number == epoch:
                found += votes
        if left <= 0:
            return found, False
        aside = (*self._aside.kept.values(), *self._aside.second.values())
        return [*found, *(message.signed for message in aside)], True

    # --- the clock

    @property
    def deadline(self) -> float | None:
        """When `tick` has something to do."""
        if self.closed:
            return None
        times = [self.dispute.halting.deadline, self._halt_at()]
        times.append(self._given_up_at())
        if not self.halted and not self.resuming:
            times += [self.clocks.turn_over_at() if self._own_turn else None, *self._window_ends()]
        return min((time for time in times if time is not None), default=None)

    def tick(self, now: float) -> None:
        """Let time pass: a lost turn, an exact-call window that ends, silence, a ballot that gives way."""
        if self.closed:
            return
        if not self.halted and not self.resuming:
            turn_over_at = self.clocks.turn_over_at()
            if self._own_turn and turn_over_at is not None and now >= turn_over_at:
                seat = self.ledger.missing[0]
                self.act(seat, mildest(self.ledger.game, seat), now, auto=True)
            for seat in self.undecided:
                if now >= self.clocks.turn_at + self._chairs[seat].window_s or self.dispute.seen_at is not None:
                    self.waive(seat, now)
        self._go_on(now)

    @property
    def _own_turn(self) -> bool:
        """Whether the open slot waits for a decision of a local seat."""
        return self.ledger.phase in TURN_PHASES and any(seat in self._chairs for seat in self.ledger.missing)

    def _window_ends(self) -> list[float | None]:
        return [self.clocks.turn_at + self._chairs[seat].window_s for seat in self.undecided]

    def _names(self, now: float) -> list[tuple[int, int | None]]:
        return self.clocks.names(now)

    # --- the one way through

    def _go_on(self, now: float, *, settle: bool = True) -> None:
        """Take in what waits and say what is owed, until the open slot needs somebody else; halt when it is time.

        Without `settle` what only time brings about is left to `tick`: most messages change nothing in it.
        """
        if self._going:  # from inside: the loop below goes on anyway
            return
        self._going = True
        try:
            progress = True
            while progress and not self.closed:
                # All that came is taken in and answered first, also when it is time to halt: whoever is back after a
                # long cut would else halt owing what it could have signed.
                progress = not self.halted and (self._take_in(now) or (not self.resuming and self._say_owed(now)))
                if not progress and settle:
                    progress = self._settle_dispute(now)
        finally:
            self._going = False
        if self.ledger.over and not self.closed:
            self._won()

    def _say_owed(self, now: float) -> bool:
        owed = self._chairs.owed(self.ledger)
        slot = self.ledger.slot
        if owed is None:
            return False
        self._say(*owed, now)
        # What convicts somebody, such as a true complaint, does not enter the slot; signing it again changes nothing.
        return self.ledger.spoken(slot, owed[0].seat) is not None

    def _say(self, chair: Chair, payload: SlotPayload, now: float) -> None:
        signed = chair.sign(self.ledger, payload)
        self.outbox.append(signed)
        self._add(parse_slot(signed), now)

    def _take_in(self, now: float) -> bool:
        """Whether something that waited for the open slot has entered it, or convicts its author: nobody who has
        nothing to say in a slot may name its state."""
        for message in self._aside.of_slot(self.ledger.slot):
            try:
                self._add(message, now)
            except OtherState:
                self.behind = self.behind or message.seat in self.ledger.authors
                continue
            return True
        return False

    def _add(self, message: AnyMessage, now: float) -> None:
        slot, phase = self.ledger.slot, self.ledger.phase
        try:
            self.events += self.ledger.add(message)
        except Proved as proved:
            self._aside.discard(message)
            self._convicted(proved.seat, proved.evidence.encode(), now)
            return
        self._aside.drop(message.slot, message.seat)
        if self.ledger.slot != slot:
            self._recorder.slot(slot)
            self.clocks.slot_opened(now, turn=phase is not Phase.SEAL)
            self._closed_slot(phase)

    def _closed_slot(self, phase: Phase) -> None:
        ledger = self.ledger
        self._aside.drop_below(ledger.slot)
        if phase in (Phase.OPEN, Phase.READY) and ledger.phase is not Phase.READY and ledger.deal:
            self.events += self._chairs.look(ledger)
        if phase is Phase.REVEAL:
            self._chairs.forget()
        if not self.resuming:
            self.events += self._chairs.announce(ledger)

    # --- halts and drops

    def _settle_dispute(self, now: float) -> bool:
        """Halt if it is time, vote, and carry out what was decided; whether the game may go on by that."""
        halt_at = self._halt_at()
        if halt_at is not None and now >= halt_at:
            if self._patience.nobody_else and self.dispute.seen_at is None:
                self.close("abandoned", 1)
                return False
            ledger = self.ledger
            own = not any(seat in self._chairs for seat in ledger.missing)
            self.dispute.halt(Stand(ledger.marks[-1].boundary, ledger.choice, ledger.slot, own), now)
            self.clocks.halted(now)
            silent = [seat for seat, _ in self._names(now)]
            self.events.append(Halted(tuple(sorted(silent))))
        given_up_at = self._given_up_at()
        if given_up_at is not None and now >= given_up_at:
            self._give_up(now)
            return False
        self.clocks.follow(self.dispute.halting, now)
        outcome = self.dispute.step(now)
        self._send_votes()
        if outcome is None:
            return False
        if self.dispute.contradiction():
            self.close("forked", 1)
            return False
        self._carry_out(outcome, now)
        return True

    def _halt_at(self) -> float | None:
        """When this process halts, None if there is no reason to, or if it cannot."""
        if self.closed or self.halted or self.resuming:
            return None
        return self._patience.halt_at(self._own_turn)

    def _given_up_at(self) -> float | None:
        times = (self._patience.given_up_at(), self._patience.deserted_at(self.resuming))
        return min((time for time in times if time is not None), default=None)

    def _give_up(self, now: float) -> None:
        deserted_at = self._patience.deserted_at(self.resuming)
        if deserted_at is not None and now >= deserted_at:
            # Its files stay as they are: the others may be back for the next try.
            self.closed = Closed((), 1, "abandoned", {"again": True})
            self.events.append(self.closed)
        else:
            self.close("abandoned", 1)

    def _carry_out(self, outcome: Outcome, now: float) -> None:
        certificate = self.dispute.halting.certificate()
        assert certificate is not None, "an outcome comes from a certificate"
        # A verifier reads votes only when its log has come to where their authors stood.
        stood = {Boundary(vote.payload.rounds, vote.state) for vote in certificate[0] if isinstance(vote.payload, Halt)}
        if outcome.base is None:
            while any(self.ledger.mark(boundary) is None for boundary in stood) and self._take_in(now):
                pass
        else:
            for boundary in sorted({outcome.base, *filter(self._aside.prove, stood)}):
                self._reach(boundary)
            self._recorder.slot(self.ledger.slot)
        self._recorder.votes(certificate[0])
        if outcome.goes_on:
            self.dispute.decided(outcome, now)
            self.clocks.resumed(now)
            self.events.append(Resumed())
            return
        events = self.ledger.descend(self.dispute.halting.number, outcome, deciders(certificate[0]))
        self.dispute.decided(outcome, now)
        self._aside.clear()
        self._chairs.forget()
        self.clocks.resumed(now)
        self.clocks.slot_opened(now, turn=True)
        self.events += events
        gone = {one.seat: one.why for one in outcome.out}
        if self.me in gone:
            self._end(Closed((), 1, {Why.EVIDENCE: "convicted", Why.LEFT: "left"}.get(gone[self.me], "dropped")))
        elif not self.ledger.over:
            self.events += self._chairs.announce(self.ledger)

    def _reach(self, base: Boundary) -> None:
        """Take in what was kept aside, as far as the base that was decided."""
        proved = self._aside.prove(base)
        assert proved is not None, "step waits until the log has come to the base"
        while self.ledger.mark(base) is None:
            slot = self.ledger.slot
            for seat in self.ledger.missing:  # as it is now: the last of them opens the next slot
                self.events += self.ledger.add(proved.slots[slot][seat])
            self._recorder.slot(slot)

    def _convicted(self, seat: int, raw: bytes, now: float) -> None:
        """Evidence that this process found itself: one piece against a player is enough, the others are told."""
        if not self.dispute.convicted(seat):
            self.evidence_out.append(raw)
            self._learn(raw, now)

    def _learn(self, raw: bytes, now: float) -> None:
        known = set(self.dispute.proofs.values())
        seat = self.dispute.learn(raw)
        if seat is None or self.ledger.owner(seat) in known:
            return
        self.events.append(FaultProved(seat, decode_evidence(raw).kind.value, raw))
        self.clocks.accused(now)
        if self.ledger.owner(seat) == self.me:
            self.close("convicted", 1)
        else:
            self._go_on(now)

    def _send_votes(self) -> None:
        self.outbox += self.dispute.out
        self.dispute.out = []

    # --- the end, and the record

    def _won(self) -> None:
        winners = tuple(self.ledger.game.winners)
        self._recorder.held()
        self._end(Closed(winners, 0, "won") if winners else Closed((), 1, "abandoned"))

    def close(self, reason: str, status: int) -> None:
        """End the game here, with the record complete up to now."""
        if not self.closed:
            self._recorder.slot(self.ledger.slot)
            self._recorder.held()
            fields = {"missing": self.ledger.missing} if reason == "abandoned" else {}
            self._end(Closed(tuple(self.ledger.game.winners), status, reason, fields))

    def _end(self, closed: Closed) -> None:
        self.closed = closed
        self.events.append(closed)
        self._chairs.forget()
