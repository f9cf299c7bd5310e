"""One game as one process plays it, sans I/O: users' actions, signed messages from anywhere and the clock go in; signed
messages, records and events come out (protocol.md section 5). Time and randomness are arguments. Must not know links,
files or the lobby."""

from collections.abc import Mapping

from p2pdice.protocol.chair import Chair, RandomBytes
from p2pdice.protocol.errors import LocalFault, Malformed, PeerFault
from p2pdice.protocol.events import Closed, DiceDealt, Event, FaultProved, MayCall, MayOblige, TurnBegan
from p2pdice.protocol.evidence import convict, decode_evidence
from p2pdice.protocol.ledger import Ledger, OtherState, Proved
from p2pdice.protocol.messages import AnyMessage, Mode, Payload, Signed, parse_game
from p2pdice.protocol.phases import Phase
from p2pdice.protocol.roster import Seated
from p2pdice.rules import CALZO, Action, View, callers, check, legal, mildest, view

SILENCE_S = 30.0  # a seat not heard for so long ends the game
ANSWER_DUE_S = 3.0  # an answer to a SEAL is due so long after it
SLOTS_AHEAD = 16  # messages further ahead than this are asked for again, not kept

_TURN_PHASES = (Phase.MODE, Phase.ACT, Phase.SEAL)


class Session:
    """Drain `outbox` (signed messages for everyone), `evidence_out`, `records` and `events` after each call, in the
    order: write the records, send, tell the screen."""

    def __init__(self, seated: Seated, chairs: Mapping[int, Chair], random_bytes: RandomBytes, now: float) -> None:
        """`chairs` by seat; `now` in seconds of any monotonic clock, the same in all calls."""
        self.seated = seated
        self.ledger = Ledger(seated)
        self.outbox: list[Signed] = []
        self.evidence_out: list[bytes] = []
        self.records: list[tuple[str, Signed]] = []
        self.events: list[Event] = []
        self.closed: Closed | None = None
        self.behind = False  # a message came that our history does not explain: others must be asked
        self._chairs = chairs
        self._random_bytes = random_bytes
        self._waiting: dict[tuple[int, int], AnyMessage] = {}  # (slot, seat) -> message that could not be taken in yet
        self._opened_at = now
        self._turn_at = now  # when the standing bid was seen: from then on a window to call exact is open
        self._heard = dict.fromkeys(range(len(seated.players)), now)
        self.events += self.ledger.opening()
        self._announce()
        self._go_on(now)

    # --- from the user

    def act(self, seat: int, action: Action, now: float, auto: bool = False) -> None:
        """A local seat's move. Raises IllegalAction or LocalFault, and nothing has changed then."""
        chair, ledger = self._chairs[seat], self.ledger
        if self.closed:
            raise LocalFault("game-over")
        if ledger.phase in (Phase.SEAL, Phase.ANSWER) and action == CALZO and seat in callers(ledger.game):
            if seat in ledger.missing or ledger.phase is Phase.SEAL:
                chair.claim = True
                self._go_on(now)
                return
            raise LocalFault("already-answered")
        check(ledger.game, seat, action)
        if ledger.phase not in _TURN_PHASES:
            raise LocalFault("not-now")
        payload: Payload
        if ledger.phase is Phase.MODE:
            payload = Mode(action.way, int(auto))
        else:
            payload = chair.act(ledger, action, auto, self._random_bytes)
        self._say(chair, payload, now)
        self._go_on(now)

    def waive(self, seat: int, now: float) -> None:
        """A local seat will not call exact on the standing bid."""
        chair = self._chairs[seat]
        if chair.claim is None:
            chair.claim = False
            self._go_on(now)

    def view(self, seat: int) -> View:
        """What a local seat may know: the only thing a bot or a hint is given."""
        return view(self.ledger.game, seat, self._chairs[seat].cups)

    @property
    def undecided(self) -> tuple[int, ...]:
        """Local seats that may call exact out of turn now and have not said whether they will."""
        if self.closed or self.ledger.phase not in (Phase.SEAL, Phase.ANSWER):
            return ()
        return tuple(seat for seat in callers(self.ledger.game)
                     if seat in self._chairs and self._chairs[seat].claim is None)

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
        if message.epoch != self.ledger.epoch or self.closed:
            return None
        known = self.ledger.spoken(message.slot, message.seat) or self._waiting.get((message.slot, message.seat))
        if known is not None and known.signed == signed:
            return None
        # Before anything is kept: a broken copy must not hide the true one (attack row 47).
        if not signed.holds(self.ledger.verifiers[message.seat]):
            raise PeerFault("bad-signature")
        self._heard[message.seat] = now
        if known is not None:
            self._convicted(self.ledger.equivocation(known, message))
            return message.seat
        if message.slot < self.ledger.slot or message.seat in self._chairs:
            return None
        if message.slot > self.ledger.slot + SLOTS_AHEAD:
            self.behind = True
            return None
        self._waiting[message.slot, message.seat] = message
        self._go_on(now)
        return message.seat

    def receive_evidence(self, raw: bytes) -> None:
        """Evidence that somebody else holds. Raises PeerFault if it proves nothing."""
        if self.closed:
            return
        try:
            evidence = decode_evidence(raw)
            seat = convict(evidence, self.ledger.game_id, self.ledger.verifiers)
        except Malformed as error:
            raise PeerFault(error.reason) from error
        self._convicted(Proved(seat, evidence))

    def heard(self, seat: int, now: float) -> None:
        """A sign of life from the process of a seat."""
        self._heard[seat] = now

    def since(self, slot: int) -> list[Signed]:
        """All messages from a slot on, as they were signed: what somebody who is behind needs."""
        return [message.signed for said in self.ledger.slots[slot:] for message in said.values()]

    # --- the clock

    @property
    def deadline(self) -> float | None:
        """When `tick` has something to do."""
        return None if self.closed else min(self._due_times(), default=None)

    def tick(self, now: float) -> None:
        """Let time pass: a lost turn, an exact-call window that ends, silence."""
        if self.closed:
            return
        ledger, terms = self.ledger, self.seated.roster.terms
        for seat in ledger.missing:
            chair = self._chairs.get(seat)
            if chair is None:
                if now >= min(self._late_at(), self._heard[seat] + SILENCE_S):
                    self.close("abandoned", 1)
                    return
            elif ledger.phase in _TURN_PHASES and terms.turn_time_s and now >= self._opened_at + terms.turn_time_s:
                self.act(seat, mildest(ledger.game, seat), now, auto=True)
                return
        for seat in self.undecided:
            if now >= self._turn_at + self._chairs[seat].window_s:
                self.waive(seat, now)

    def _due_times(self) -> list[float]:
        ledger, turn_time_s = self.ledger, self.seated.roster.terms.turn_time_s
        times = [min(self._late_at(), self._heard[seat] + SILENCE_S)
                 for seat in ledger.missing if seat not in self._chairs]
        if ledger.phase in _TURN_PHASES and turn_time_s:
            times += [self._opened_at + turn_time_s for seat in ledger.missing if seat in self._chairs]
        return times + [self._turn_at + self._chairs[seat].window_s for seat in self.undecided]

    def _late_at(self) -> float:
        """When a message for the open slot that is not in is late enough to end the game."""
        terms = self.seated.roster.terms
        if self.ledger.phase in _TURN_PHASES:
            due = terms.turn_time_s or float("inf")
        else:
            due = ANSWER_DUE_S if self.ledger.phase is Phase.ANSWER else 0
        return self._opened_at + due + terms.drop_time_s

    # --- the one way through

    def _go_on(self, now: float) -> None:
        """Take in what waits and say what is owed, until the open slot needs somebody else."""
        progress = True
        while progress and not self.closed:
            progress = self._take_in(now)
            for seat in self.ledger.missing:
                chair = self._chairs.get(seat)
                payload = chair.automatic(self.ledger, self._random_bytes) if chair else None
                if chair and payload is not None:
                    self._say(chair, payload, now)
                    progress = True
                    break
        if self.ledger.over and not self.closed:
            self.close("won", 0)

    def _say(self, chair: Chair, payload: Payload, now: float) -> None:
        signed = chair.sign(self.ledger, payload)
        self.outbox.append(signed)
        self._add(parse_game(signed), now)

    def _take_in(self, now: float) -> bool:
        for seat in self.ledger.missing:
            message = self._waiting.get((self.ledger.slot, seat))
            if message is None:
                continue
            try:
                self._add(message, now)
            except OtherState:
                self.behind = True
                continue
            self._waiting.pop((message.slot, seat), None)
            return True
        return self._strangers()

    def _strangers(self) -> bool:
        """A waiting message from a seat that has nothing to say in the open slot: out of turn if it names the state."""
        slot = self.ledger.slot
        for seat in [seat for at, seat in self._waiting if at == slot and seat not in self.ledger.authors]:
            try:
                self._add(self._waiting[slot, seat], 0.0)
            except OtherState:
                continue
        return False

    def _add(self, message: AnyMessage, now: float) -> None:
        slot = self.ledger.slot
        phase = self.ledger.phase
        try:
            self.events += self.ledger.add(message)
        except Proved as proved:
            self._convicted(proved)
            return
        if self.ledger.slot != slot:
            self._record(slot)
            self._opened_at = now
            if phase is not Phase.SEAL:
                self._turn_at = now
            self._closed_slot(phase)

    def _closed_slot(self, phase: Phase) -> None:
        ledger = self.ledger
        for at, seat in [key for key in self._waiting if key[0] < ledger.slot]:
            del self._waiting[at, seat]
        if phase in (Phase.OPEN, Phase.READY) and ledger.phase is not Phase.READY:
            for chair in self._chairs.values():
                if chair.seat in ledger.deal.policy.active if ledger.deal else ():
                    chair.look(ledger)
                    seen = {cup: faces for cup, faces in chair.cups.items() if cup != chair.seat}
                    self.events.append(DiceDealt(chair.seat, chair.cups.get(chair.seat), seen))
        if phase is Phase.REVEAL:
            for chair in self._chairs.values():
                chair.forget()
        self._announce()

    def _announce(self) -> None:
        """Say whose turn it is, and what local seats may do."""
        ledger, game = self.ledger, self.ledger.game
        if ledger.phase is Phase.MODE:
            self.events.append(MayOblige(game.opener))
        elif ledger.phase in (Phase.ACT, Phase.SEAL):
            seconds = self.seated.roster.terms.turn_time_s or None
            moves = tuple(legal(game, game.turn)) if game.turn in self._chairs else None
            self.events.append(TurnBegan(game.turn, seconds, moves))
            for seat, chair in self._chairs.items():
                chair.claim = None
                if ledger.phase is Phase.SEAL and seat in callers(game):
                    self.events.append(MayCall(seat, (CALZO,)))

    def _convicted(self, proved: Proved) -> None:
        raw = proved.evidence.encode()
        self.evidence_out.append(raw)
        self._record(self.ledger.slot)
        self.records.append(("evidence", Signed(raw, b"")))
        self.events.append(FaultProved(proved.seat, proved.evidence.kind.value, raw))
        own = proved.seat in self._chairs
        self._end(Closed((), 1, "convicted" if own else "abandoned", {"seat": proved.seat}))

    def close(self, reason: str, status: int) -> None:
        """End the game here, with the record complete up to now."""
        if not self.closed:
            self._record(self.ledger.slot)
            self._end(Closed(tuple(self.ledger.game.winners), status, reason,
                             {"missing": self.ledger.missing} if reason == "abandoned" else {}))

    def _end(self, closed: Closed) -> None:
        self.closed = closed
        self.events.append(closed)
        for chair in self._chairs.values():
            chair.forget()

    def _record(self, slot: int) -> None:
        said = self.ledger.slots[slot]
        self.records += [("game", said[seat].signed) for seat in sorted(said)]
