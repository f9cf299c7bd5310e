"""Judges a transcript: the same ledger, rules and evidence as the live game, fed from a file, with no network and no
secrets (protocol.md section 9). Every entry is checked; the verdict names the first that does not hold."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TypeVar

from p2pdice.fairness.keys import Verifier
from p2pdice.protocol.dispute import Dispute, deciders, proof_hash
from p2pdice.protocol.errors import Malformed
from p2pdice.protocol.events import CupsShown, Dropped, Event
from p2pdice.protocol.evidence import decode_evidence
from p2pdice.protocol.ledger import Ledger, OtherState, Proved
from p2pdice.protocol.messages import AnyMessage, AnyVote, Drop, Propose, Signed, parse_slot, parse_vote
from p2pdice.protocol.roster import (
    Roster,
    Seated,
    draw_seats,
    genesis,
    parse_accept,
    parse_roster,
    parse_seat_open,
)
from p2pdice.protocol.transcript import Damaged, Entry, is_transcript, read_entries
from p2pdice.rules import RoundSettled

M = TypeVar("M", AnyMessage, AnyVote)


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that is not as it must be. `seat` None: the file was changed, nobody is blamed."""

    seat: int | None
    kind: str
    entry: int
    detail: str


@dataclass(slots=True)
class Report:
    """What a transcript holds. `stopped_at`: number of the entry that is missing or bad, None if none is.

    `verdict`: clean, fault, incomplete or unreadable.
    """

    verdict: str = "unreadable"
    seated: Seated | None = None
    entries: int = 0
    signatures: int = 0
    dice: int = 0
    rounds: int = 0
    winners: tuple[int, ...] = ()
    findings: list[Finding] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    standings: dict[int, str] = field(default_factory=dict)  # seat -> clean, convicted, dropped or left
    stopped_at: int | None = None

    @property
    def convicted(self) -> frozenset[int]:
        """Seats that evidence convicts."""
        return frozenset(finding.seat for finding in self.findings if finding.seat is not None)


class _Ended(Exception):
    """The file has no further entry."""


class _Wrong(Exception):
    """An entry that does not belong where it stands."""

    def __init__(self, entry: Entry, detail: str) -> None:
        super().__init__(detail)
        self.entry = entry
        self.detail = detail


class Signatures:
    """The signatures of a file, which are checked when all else has been: in a row they take less time than one by one
    between other work, and a subclass may have them checked elsewhere meanwhile."""

    def __init__(self) -> None:
        self._claims: list[tuple[Verifier, Signed]] = []

    def add(self, verifier: Verifier, signed: Signed) -> None:
        """Whether the verifier's key signed this is to be checked."""
        self._claims.append((verifier, signed))

    def all_hold(self) -> bool:
        """Whether all do; asked once, at the end."""
        return all([signed.holds(verifier) for verifier, signed in self._claims])


def audit(raw: bytes, signatures: Signatures | None = None) -> Report:
    """Check a whole transcript. Never raises for what a file may hold."""
    with _no_collections():
        return replayed(raw, signatures).report


@contextmanager
def _no_collections() -> Iterator[None]:
    """All that a file brings is kept until it has been judged: looking for what to collect among it only takes time."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()


@dataclass(slots=True)
class Replayed:
    """A transcript's report, and the game as it stands where it ends; None where the file does not get that far."""

    report: Report
    ledger: Ledger | None = None
    dispute: Dispute | None = None


def replayed(raw: bytes, signatures: Signatures | None = None) -> Replayed:
    """The same as `audit`, with what a process needs to take the game up again."""
    signatures = signatures or Signatures()
    found = _replayed(raw, signatures)
    # One that does not hold voids all that was found behind it, so that one is looked for, one by one.
    return found if signatures.all_hold() else _replayed(raw, None)


def _replayed(raw: bytes, signatures: Signatures | None) -> Replayed:
    """Signatures are added to `signatures`; without, each is checked before anything is made of its body."""
    report = Report()
    found = Replayed(report)
    if not is_transcript(raw):
        return found
    try:
        _Auditor(read_entries(raw), found, signatures).run()
    except _Ended:
        report.verdict, report.stopped_at = "incomplete", report.entries
    except Damaged as damaged:
        report.stopped_at = damaged.number
        if damaged.cut:
            report.verdict = "incomplete"
        else:
            report.findings.append(Finding(None, "CHANGED", damaged.number, "broken-chain"))
    except _Wrong as wrong:
        report.stopped_at = wrong.entry.number
        report.findings.append(Finding(None, "CHANGED", wrong.entry.number, wrong.detail))
    if report.findings:
        report.verdict = "fault"
    return found


class _Auditor:
    """Walks a file from its roster to its end, writing what it finds into the report."""

    _ledger: Ledger  # from `begin` on
    _dispute: Dispute

    def __init__(self, entries: Iterator[Entry], found: Replayed, signatures: Signatures | None = None) -> None:
        self._entries = entries
        self._signatures = signatures
        self._replayed = found
        self._report = found.report
        self._voted: tuple[int, int, int, bytes] | None = None  # place of the last vote, None where none is undecided
        self._undecided: set[bytes] = set()
        self._shown: list[tuple[int, bytes]] = []  # (owner, name) of the evidence that the next PROPOSE must name

    def run(self) -> None:
        self.begin()
        for entry in self._entries:
            self.take(entry)
        if not self._ledger.over or self._dispute.halting.votes:
            raise _Ended
        self._report.verdict = "clean"

    def begin(self) -> None:
        """Read as far as the seats."""
        ledger = Ledger(self._seats())
        report = self._report
        report.seated = ledger.seated
        report.standings = dict.fromkeys(range(len(ledger.seated.players)), "clean")
        report.events += ledger.opening()
        self._replayed.ledger = self._ledger = ledger
        self._replayed.dispute = self._dispute = Dispute(
            ledger, None, None, lambda now: (), lambda base: ledger if ledger.mark(base) else None)

    def take(self, entry: Entry) -> None:
        """Judge the next entry of the game."""
        self._report.entries = entry.number + 1
        try:
            if entry.kind == "game":
                self._message(entry)
            elif entry.kind == "vote":
                self._vote(entry)
            elif entry.kind == "evidence":
                self._evidence(entry)
            else:
                raise Malformed("misplaced")
        except Malformed as error:
            raise _Wrong(entry, error.reason) from error

    def _next(self, kind: str) -> Entry:
        entry = next(self._entries, None)
        if entry is None:
            raise _Ended
        self._report.entries = entry.number + 1
        if entry.kind != kind:
            raise _Wrong(entry, "misplaced")
        self._report.signatures += 1
        return entry

    def _seats(self) -> Seated:
        """ROSTER, then ACCEPT and SEAT_OPEN of every player in roster order, and the toss they give."""
        roster = self._roster()
        accepts: list[Signed] = []
        for join in roster.joins:
            entry = self._next("accept")
            with _blaming(entry):
                if parse_accept(entry.signed, roster).key != join.key:
                    raise Malformed("out-of-order")
            accepts.append(entry.signed)
        start = genesis(roster, accepts)
        nonces = []
        for join in roster.joins:
            entry = self._next("seat")
            with _blaming(entry):
                opener, nonce = parse_seat_open(entry.signed, roster, start)
                if opener.key != join.key:
                    raise Malformed("out-of-order")
            nonces.append(nonce)
        return draw_seats(roster, start, nonces)

    def _roster(self) -> Roster:
        entry = self._next("roster")
        with _blaming(entry):
            roster = parse_roster(entry.signed)
        self._report.signatures += len(roster.joins)
        return roster

    def _message(self, entry: Entry) -> None:
        ledger = self._ledger
        message = self._checked(parse_slot(entry.signed))
        said = ledger.slots[-1]
        # One order only, that of the seats: a file with the same entries otherwise would be another file. And a
        # record holds the votes of a halt only when they came to a decision.
        if ledger.over or (said and message.seat <= max(said)) or self._voted is not None or self._shown:
            raise Malformed("out-of-order")
        try:
            events = ledger.add(message)
        except OtherState as error:
            raise Malformed("another-state") from error
        except Proved as proved:
            self._found(entry, proved, "in-the-log")
            raise _Ended from proved
        if events:
            self._tell(events)

    def _checked(self, message: M) -> M:
        """A message or vote of this game whose signature holds."""
        ledger = self._ledger
        if message.game_id != ledger.game_id or message.seat >= len(ledger.verifiers):
            raise Malformed("another-game")
        verifier = ledger.verifiers[message.seat]
        if self._signatures:
            self._signatures.add(verifier, message.signed)
        elif not message.signed.holds(verifier):
            raise Malformed("bad-signature")
        self._report.signatures += 1
        return message

    def _vote(self, entry: Entry) -> None:
        ledger, dispute = self._ledger, self._dispute
        vote = self._checked(parse_vote(entry.signed))
        if vote.slot[0] != "leave" and (ledger.over or dispute.settled(vote)):  # nothing is decided after the end
            raise Malformed("another-halt")
        named = [name for _, name in vote.payload.proofs] if isinstance(vote.payload, Propose) else []
        if any(name not in named for _, name in self._shown):
            raise Malformed("out-of-order")
        self._shown.clear()
        twin = None
        try:
            if not dispute.receive(vote, 0.0):
                raise Malformed("repeated")
        except Proved as proved:
            twin = proved
        place = _place(vote)
        if self._voted is not None and place <= self._voted:  # one order of votes too
            raise Malformed("out-of-order")
        self._voted = place
        if twin:
            self._found(entry, twin, "in-the-log")
            return
        self._undecided.add(vote.signed.hash)
        # All that a PROPOSE names stands before it, so nothing else can be decided by what comes behind.
        decided = dispute.halting.certificate(vote) if isinstance(vote.payload, Drop) else None
        if decided is None:
            return
        votes, outcome = decided
        if not self._undecided <= {one.signed.hash for one in votes}:
            raise Malformed("not-needed")  # a record holds no more than decides: with more, one history had many files
        if not outcome.goes_on:
            if outcome.base is None or ledger.mark(outcome.base) is None:
                raise Malformed("another-base")
            events = ledger.descend(dispute.halting.number, outcome, deciders(votes))
            for event in events:
                if isinstance(event, Dropped):
                    self._stand(event)
            self._tell(events)
        self._voted = None
        self._undecided.clear()
        dispute.decided(outcome, 0.0)

    def _stand(self, event: Dropped) -> None:
        standing = "left" if event.reason == "left" else "dropped"
        for seat in event.seats:
            if self._report.standings[seat] == "clean":
                self._report.standings[seat] = standing

    def _found(self, entry: Entry, proved: Proved, detail: str) -> None:
        self._report.standings[proved.seat] = "convicted"
        self._report.findings.append(Finding(proved.seat, proved.evidence.kind.value, entry.number, detail))

    def _tell(self, events: list[Event]) -> None:
        self._report.events += events
        self._report.winners = self._ledger.game.winners
        for event in events:
            if isinstance(event, CupsShown):
                self._report.dice += sum(map(len, event.cups.values()))
            elif isinstance(event, RoundSettled):
                self._report.rounds += 1

    def _evidence(self, entry: Entry) -> None:
        evidence = decode_evidence(entry.signed.body)
        seat = self._dispute.learn(entry.signed.body)
        if entry.signed.signature or seat is None:
            raise Malformed("misplaced")
        shown = (self._ledger.owner(seat), proof_hash(entry.signed.body))
        if (self._shown and shown < self._shown[-1]) or shown[1] in self._dispute.named_proofs:
            raise Malformed("out-of-order")
        self._shown.append(shown)
        self._report.signatures += len(evidence.bodies)
        self._found(entry, Proved(seat, evidence), "evidence")


class Follower:
    """A record judged entry by entry, as it comes, by whoever watches a game."""

    def __init__(self) -> None:
        self.found = Replayed(Report())
        self._head: list[Entry] = []  # what comes before the game, until it is whole
        self._needed = 1
        self._auditor: _Auditor | None = None

    def add(self, kind: str, signed: Signed) -> list[Event]:
        """What the next entry brings. Raises Malformed if a file with it would not verify; nothing can follow then."""
        report = self.found.report
        told = len(report.events)
        try:
            if self._auditor is None:
                self._begin(Entry(len(self._head), kind, signed))
            else:
                self._auditor.take(Entry(report.entries, kind, signed))
        except _Wrong as wrong:
            raise Malformed(wrong.detail) from wrong
        except _Ended as ended:
            raise Malformed("in-the-log") from ended
        return report.events[told:]

    def _begin(self, entry: Entry) -> None:
        if not self._head and entry.kind == "roster":
            self._needed = 1 + 2 * len(parse_roster(entry.signed).joins)
        self._head.append(entry)
        if len(self._head) == self._needed:
            auditor = _Auditor(iter(self._head), self.found)
            auditor.begin()
            self._auditor = auditor


def _place(vote: AnyVote) -> tuple[int, int, int, bytes]:
    """Where a vote stands in the record of its halt: LEAVEs, then by ballot HALTs, PROPOSE, DROPs, each by seat. Of
    one author there may be several, LEAVEs of as many epochs or what convicts it: they stand by their names."""
    if len(vote.slot) == 1:
        return -1, 0, vote.seat, vote.signed.hash
    word, _, ballot = vote.slot
    return ballot, ("halt", "propose", "drop").index(word), vote.seat, vote.signed.hash


@contextmanager
def _blaming(entry: Entry) -> Iterator[None]:
    """Turn what is malformed inside into the entry that holds it."""
    try:
        yield
    except Malformed as error:
        raise _Wrong(entry, error.reason) from error
