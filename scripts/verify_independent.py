#!/usr/bin/env python3
"""A second verifier of transcripts, written from protocol.md alone: it needs cryptography and msgpack, and imports
nothing of the package. `verify_independent.py FILE` prints one line and ends with 0 (clean), 1 (fault, incomplete) or
2 (unreadable), as `p2pdice verify` does; section numbers below are those of protocol.md."""

from __future__ import annotations

import copy
import hashlib
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import msgpack
from _independent_base import (
    BIG,
    BYTES,
    EVIDENCE_LIMIT,
    KEY,
    LIMIT,
    PAYLOADS,
    Body,
    Stream,
    Wrong,
    decode,
    framed,
    good_key,
    good_round_key,
    hashed,
    lobby,
    many,
    num,
    raw,
    row,
    signed,
    unframed,
    word,
)
from _independent_rules import SYSTEMS, Rules, good_options
from _independent_votes import Halts, Outcome
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey
from cryptography.hazmat.primitives.hpke import AEAD, KDF, KEM, Suite

MAGIC = b"p2pdice/1 transcript\n"
PHASES = (b"start", b"mode", b"commit", b"open", b"ready", b"act", b"seal", b"answer", b"show", b"reveal")
RECORD = row(num(BIG), KEY, word("roster", "accept", "seat", "game", "vote", "evidence"), BYTES, raw(0, 64))


# --- who speaks when (section 5.3), who knows what (section 6.2)


def following(phase: str, rules: Rules) -> str:
    if phase in ("start", "reveal"):
        return "over" if rules.stage == "over" else "mode" if rules.stage == "oblige" else "commit"
    if phase == "open" and rules.special == "open":
        return "ready"
    fixed = {"mode": "commit", "commit": "open", "seal": "answer", "answer": "show"}
    return fixed.get(phase) or ("reveal" if rules.stage == "showdown" else "seal" if rules.callers() else "act")


def authors(phase: str, rules: Rules) -> list[int]:
    if phase in ("commit", "open", "ready"):
        return rules.active
    if phase == "reveal":
        return [seat for seat in rules.active if to_reveal(rules, seat)]
    return sorted({"mode": [rules.opener], "answer": rules.callers(), "over": [],
                   "show": [rules.turn, *rules.callers()]}.get(phase, [rules.turn]))


def dealer(rules: Rules, cup: int) -> int:
    return next(s for k in range(1, rules.seats + 1) if rules.dice[s := (cup + k) % rules.seats])


def held(rules: Rules, contributor: int, cup: int) -> str:
    """PUBLIC, HELD or SEALED: when a share becomes known."""
    if cup == rules.seats:
        return "PUBLIC"
    if rules.special == "open":
        return "SEALED" if contributor == dealer(rules, cup) else "PUBLIC"
    return "HELD" if contributor == cup or (rules.special == "closed" and cup != rules.opener) else "PUBLIC"


def to_open(rules: Rules, seat: int) -> list[int]:
    return [cup for cup in [*rules.active, rules.seats] if held(rules, seat, cup) == "PUBLIC"]


def to_box(rules: Rules, seat: int) -> list[tuple[int, int]]:
    return [(cup, viewer) for cup in rules.active if held(rules, seat, cup) == "SEALED"
            for viewer in rules.active if viewer not in (cup, seat)]


def to_reveal(rules: Rules, seat: int) -> list[tuple[int, int]]:
    return [(cup, maker) for cup in rules.shown() for maker in rules.active
            if (held(rules, maker, cup) == "HELD" and maker == seat)
            or (held(rules, maker, cup) == "SEALED" and seat != cup)]


def allowed(rules: Rules, phase: str, body: Body) -> bool:
    """Whether the rules and the phase let the author say this; hashes, shares and boxes are judged elsewhere."""
    seat, pay = body.seat, body.payload
    if body.kind.lower() != phase or seat not in authors(phase, rules):
        return False
    if phase == "commit":
        key = good_round_key(pay[2]) if rules.special == "open" else not pay[2]
        return key and pay[0] == rules.round and [cup for cup, _ in pay[1]] == [*rules.active, rules.seats]
    if phase == "open":
        return ([cup for cup, _ in pay[0]] == to_open(rules, seat)
                and [(cup, viewer) for cup, viewer, _ in pay[1]] == to_box(rules, seat))
    if phase == "ready" and pay[1]:
        return (pay[1][1], seat) in to_box(rules, pay[1][0])
    if phase == "reveal":
        return [(cup, maker) for cup, maker, _ in pay[1]] == to_reveal(rules, seat)
    if phase == "act":
        return rules.legal(seat, pay[0])
    if phase == "show":
        return rules.legal(seat, pay[0][0]) if seat == rules.turn and isinstance(pay[0], list) \
            else seat != rules.turn and isinstance(pay[0], str)
    return True


# --- commitments, boxes, seals (sections 6.1, 6.3, 7.1)


def share_fits(keys: Sequence[bytes], commit: Body, cup: int, share: bytes) -> bool:
    """Whether a share of the author of a COMMIT is the one that it committed to."""
    promised = dict(commit.payload[1]).get(cup)
    return promised == hashed("share", commit.game_id, commit.epoch, commit.payload[0], commit.state, commit.seat, cup,
                              keys[commit.seat], share)


def box_verdict(keys: Sequence[bytes], sender: Body, viewer: Body, opened: Body, ready: Body) -> int | None:
    """Whom a complaint convicts; None if it is about no box of this OPEN."""
    maker, cup, secret = ready.payload[1]
    boxes = {(c, v): box for c, v, box in opened.payload[1]}
    if maker != sender.seat or maker != opened.seat or ready.seat != viewer.seat or (cup, ready.seat) not in boxes:
        return None
    private = X25519PrivateKey.from_private_bytes(secret)
    if private.public_key().public_bytes_raw() != viewer.payload[2]:
        return ready.seat
    info = framed("seal", sender.game_id, sender.epoch, sender.payload[0], opened.state, maker, ready.seat, cup)
    try:
        share = Suite(KEM.X25519, KDF.HKDF_SHA256, AEAD.CHACHA20_POLY1305).decrypt(
            boxes[cup, ready.seat], private, info)
    except (InvalidTag, ValueError):
        return sender.seat
    return ready.seat if share_fits(keys, sender, cup, share) else sender.seat


def seal_fits(seal: Body, show: Body) -> bool:
    what, salt = show.payload
    label = "act" if seal.kind == "SEAL" else "answer"
    return bool(seal.payload[0] == hashed(label, seal.game_id, seal.epoch, seal.at, seal.state, seal.seat,
                                          msgpack.packb(what), salt))


# --- evidence (section 8)

EVIDENCE = row(word("EQUIV", "BAD_OPEN", "BAD_REVEAL", "BAD_BOX", "FALSE_COMPLAINT", "ILLEGAL", "BAD_SEAL",
                    "BAD_HALT"), many(row(BYTES, raw(64)), 4), many(BYTES, 2), BYTES)


def convicted(game_id: bytes, keys: Sequence[bytes], evidence: bytes) -> int:
    """The seat that it convicts; raises Wrong where it proves nothing."""
    value = decode(evidence)
    if len(evidence) > EVIDENCE_LIMIT or not EVIDENCE(value) or (value[3] and value[0] != "ILLEGAL"):
        raise Wrong("not-evidence")
    kind, pairs, states, rules = value
    bodies = [Body.of(body) for body, _ in pairs]
    for body, (_, signature) in zip(bodies, pairs, strict=True):
        if body.game_id != game_id or body.seat >= len(keys) or not signed(keys[body.seat], body.raw, signature):
            raise Wrong("evidence-of-another-game")
    kinds = [body.kind for body in bodies]
    hashes = [hashlib.sha256(state).digest() for state in states]
    guilty: int | None = None
    if kind == "EQUIV" and len(bodies) == 2 and not states:
        one, two = bodies
        if (one.epoch, one.slot, one.seat) == (two.epoch, two.slot, two.seat) and one.raw != two.raw:
            guilty = one.seat
    elif kind == "BAD_OPEN" and kinds == ["COMMIT", "OPEN"] and hashes == [bodies[1].state]:
        commit, opened = bodies
        if commit.seat == opened.seat and _lists(states[0], "commit", commit) \
                and not all(share_fits(keys, commit, cup, share) for cup, share in opened.payload[0]):
            guilty = opened.seat
    elif kind == "BAD_REVEAL" and kinds == ["COMMIT", "REVEAL"] and hashes == [bodies[1].payload[0]]:
        commit, shown = bodies
        if _lists(states[0], "commit", commit) and not all(share_fits(keys, commit, cup, share)
                                                           for cup, maker, share in shown.payload[1]
                                                           if maker == commit.seat):
            guilty = shown.seat
    elif kind in ("BAD_BOX", "FALSE_COMPLAINT") and kinds == ["COMMIT", "COMMIT", "OPEN", "READY"]:
        sender, viewer, opened, ready = bodies
        if hashes == [opened.state, ready.state] and ready.payload[0] == opened.state and ready.payload[1] \
                and all(_lists(states[0], "commit", commit) for commit in (sender, viewer)) \
                and _lists(states[1], "open", opened):
            guilty = box_verdict(keys, sender, viewer, opened, ready)
            if guilty != (sender.seat if kind == "BAD_BOX" else viewer.seat):
                guilty = None
    elif kind == "ILLEGAL" and len(bodies) == 1 and kinds[0] in PAYLOADS and hashes == [bodies[0].state]:
        guilty = bodies[0].seat if _illegal(bodies[0], states[0], rules) else None
    elif kind == "BAD_SEAL" and kinds in (["SEAL", "SHOW"], ["ANSWER", "SHOW"]) and not states:
        seal, show = bodies
        if (seal.epoch, seal.seat) == (show.epoch, show.seat) and not seal_fits(seal, show) \
                and show.slot == seal.at + (2 if seal.kind == "SEAL" else 1):
            guilty = show.seat
    elif kind == "BAD_HALT" and 2 <= len(bodies) <= 3 and not PAYLOADS.keys() & kinds and not states:
        guilty = bodies[0].seat if _breaks(*bodies) else None
    if guilty is None:
        raise Wrong("proves-nothing")
    return guilty


def _breaks(promise: Body, vote: Body, last: Body | None = None) -> bool:
    """Whether a vote breaks what a HALT or LEAVE of its author says."""
    if (promise.epoch, promise.seat) != (vote.epoch, vote.seat) or vote.kind == "LEAVE":
        return False
    _, halt, ballot = vote.votes_at
    if promise.kind == "LEAVE":
        of, limit, named = promise.payload
        if limit == BIG:
            return False
        if halt > of or (halt == of and ballot >= limit):
            return last is None
    elif promise.kind == "HALT":
        (_, of, limit), named = promise.votes_at, promise.payload[5]
    else:
        return False
    if vote.kind != "DROP" or halt != of or ballot >= limit:
        return False
    if not named or last is None or hashed("body", last.raw) != named[0]:
        return not named and last is None
    return last.kind != "DROP" or (last.epoch, last.seat, last.votes_at[1]) != (vote.epoch, vote.seat, halt) \
        or bool(last.votes_at[2] < ballot)


def _lists(state: bytes, phase: str, body: Body) -> bool:
    """Whether a state closed a slot of this phase and this body stood in it."""
    parts = unframed(state)
    return (len(parts) > 6 and parts[0] == b"p2pdice/1/state" and parts[1] == body.game_id
            and parts[5] == phase.encode() and hashed("body", body.raw) in parts[6:-1])


def _illegal(body: Body, state: bytes, raw_rules: bytes) -> bool:
    parts = unframed(state)
    if len(parts) < 4 or parts[-1] != hashed("rules", raw_rules) or parts[1] != body.game_id:
        return False
    try:
        rules = Rules.restored(decode(raw_rules))
    except (Wrong, ValueError):
        return False
    phase, epoch, slot = "start", hashed("epoch0", body.game_id), 0
    if parts[0] == b"p2pdice/1/state" and len(parts) > 6 and len(parts[3]) == 8 and parts[5] in PHASES:
        phase, epoch, slot = parts[5].decode(), parts[2], int.from_bytes(parts[3], "big") + 1
    elif parts[0] == b"p2pdice/1/child" and len(parts) == 5:
        epoch = parts[2]
    elif parts[0] != b"p2pdice/1/start" or len(parts) != 4:
        return False
    phase = following(phase, rules)
    return phase != "over" and not (body.epoch == epoch and body.slot == slot and allowed(rules, phase, body))


# --- the file (sections 4 and 9)


@dataclass
class Report:
    verdict: str = "unreadable"
    game: str = "-"
    words: str = "-"
    winners: list[int] = field(default_factory=list)
    dice: int = 0
    signatures: int = 0
    entries: int = 0  # that held
    reason: str = ""
    guilty: set[int] = field(default_factory=set)

    def __str__(self) -> str:
        winners = ",".join(map(str, self.winners)) or "-"
        guilty = "".join(f" seat={seat}" for seat in sorted(self.guilty))
        return (f"{self.verdict} game={self.game} words={self.words} winners={winners} dice={self.dice} "
                f"signatures={self.signatures} entries={self.entries}"
                + (f" ({self.reason}{guilty})" if self.reason or guilty else ""))


class End(Exception):
    """No more records."""


class Verifier:
    """One reading of one file."""

    def __init__(self, data: bytes) -> None:
        self.report = Report()
        self.shown: list[tuple[int, bytes]] = []  # (owner, name) of evidence that the next PROPOSE must name
        self._records = self._read(data)

    def run(self) -> Report:
        report = self.report
        try:
            self._lobby()
            while self.phase != "over":
                self._slot()
            self._after()
        except End:
            report.verdict = "incomplete"
        except Wrong as wrong:
            report.verdict, report.reason = "fault", wrong.reason
            report.guilty |= set() if wrong.seat is None else {wrong.seat}
        if report.guilty:
            report.verdict = "fault"
        return report

    def _read(self, data: bytes) -> Iterator[tuple[str, bytes, bytes]]:
        """The records, one by one: canonical, numbered, chained."""
        before, place = hashed("record", MAGIC), len(MAGIC)
        for number in range(BIG):
            size = int.from_bytes(data[place:place + 4], "big")
            if place == len(data):
                raise End("whole")
            if size > LIMIT:
                raise Wrong("record-too-long")
            record = data[place + 4:place + 4 + size]
            if len(data) < place + 4 or len(record) < size:
                raise End("torn")
            value = decode(record)
            if not RECORD(value):
                raise Wrong("not-a-record")
            if value[:2] != [number, before]:
                raise Wrong("broken-chain")
            yield value[2], value[3], value[4]
            self.report.entries += 1
            before, place = hashed("record", record), place + 4 + size

    def _take(self, kind: str) -> tuple[bytes, bytes]:
        found, body, signature = next(self._records)
        if found != kind:
            raise Wrong("out-of-order")
        return body, signature

    def _signed(self, key: bytes, body: bytes, signature: bytes) -> None:
        if not signed(key, body, signature):
            raise Wrong("bad-signature")
        self.report.signatures += 1

    def _lobby(self) -> None:
        roster, signature = self._take("roster")
        room, host, system, options, _, _, pairs = lobby(roster, "ROSTER")
        joins = [lobby(body, "JOIN") for body, _ in pairs]
        keys = [join[1] for join in joins]
        bots = {bot: join[1] for join in joins for bot in join[5]}
        for join, (body, proof) in zip(joins, pairs, strict=True):
            _, key, _, _, owner, own = join
            if join[0] != room or not good_key(key):
                raise Wrong("bad-join")
            if (owner == key) != (key not in bots) or (owner != key and (own or bots[key] != owner)):
                raise Wrong("bad-bots")
            self._signed(key, body, proof)
        if keys != sorted(set(keys)) or host not in keys or not set(bots) <= set(keys) \
                or len(bots) != sum(len(join[5]) for join in joins):
            raise Wrong("bad-roster")
        if not good_options(system, options) or not 2 <= len(keys) <= SYSTEMS[system]:
            raise Wrong("bad-terms")
        self._signed(host, roster, signature)
        table, accepts, nonces = hashed("table", roster), [], []
        for key in keys:
            body, signature = self._take("accept")
            if lobby(body, "ACCEPT") != [table, key]:
                raise Wrong("out-of-order")
            self._signed(key, body, signature)
            accepts.append(body)
        genesis = hashed("genesis", table, *accepts)
        for key, join in zip(keys, joins, strict=True):
            body, signature = self._take("seat")
            opened = lobby(body, "SEAT_OPEN")
            if opened[:3] != [table, genesis, key] or join[3] != hashed("seat-commit", room, key, opened[3]):
                raise Wrong("bad-seat-open")
            self._signed(key, body, signature)
            nonces.append(opened[3])
        self.game_id = hashed("game", genesis, *nonces)
        self.report.game = self.game_id.hex()
        stream = Stream(hashed("sas", self.game_id))
        self.report.words = "-".join(stream.word() for _ in range(3))
        self._sit(keys, dict(options), system)
        owner = {join[1]: join[4] for join in joins}
        self.halts = Halts([self.keys.index(owner[key]) for key in self.keys])
        self._begin(hashed("epoch0", self.game_id), hashed("start", self.game_id, genesis, self._rules_hash()), 0)

    def _sit(self, keys: list[bytes], options: Mapping[str, str], system: str) -> None:
        """Seats and the first opener (section 4.3)."""
        rolls, order, opener = Stream(hashed("rolls", self.game_id)), list(range(len(keys))), 0

        def ranked(group: list[int], all_ties: bool) -> list[int]:
            values = dict(zip(group, rolls.dice(len(group)), strict=True))
            ranks = [[who for who in group if values[who] == face] for face in range(6, 0, -1)]
            ranked_ = [tie for tie in ranks if tie]
            return [who for number, tie in enumerate(ranked_)
                    for who in (ranked(tie, all_ties) if len(tie) > 1 and (all_ties or number == 0) else tie)]

        if options["seating"] == "roll-seats":
            order = ranked(order, True)
        else:
            order = Stream(hashed("seats", self.game_id)).shuffle(len(keys))
            if options["seating"] == "roll-opener":
                opener = ranked(list(range(len(keys))), False)[0]
        self.keys = [keys[place] for place in order]
        self.rules = Rules(system, options, len(keys), opener)

    def _rules_hash(self) -> bytes:
        return hashed("rules", msgpack.packb(self.rules.public()))

    # --- the game (sections 5 to 7)

    def _begin(self, epoch: bytes, state: bytes, rounds: int) -> None:
        """A first state, with slot 0 before it."""
        self.epoch, self.state, self.slot, self.rounds = epoch, state, 0, rounds
        self.phase = following("start", self.rules)
        self.halts.begin(epoch, rounds, state, self.rules)
        self.report.winners = self.rules.winners

    def _slot(self) -> None:
        """One slot: a body of each author, by ascending seat."""
        bodies: dict[int, Body] = {}
        awaited = authors(self.phase, self.rules)
        while len(bodies) < len(awaited):
            kind, raw_body, signature = next(self._records)
            if kind == "evidence":
                self._evidence(raw_body, signature)
                continue
            if kind == "vote":
                outcome = self._vote(raw_body, signature)
                if outcome:
                    return self._descend(outcome)
                continue
            if kind != "game" or self.halts.open or self.shown:
                raise Wrong("out-of-order")
            body = self._body(raw_body, signature)
            if body.kind not in PAYLOADS or (body.epoch, body.slot, body.state) != (self.epoch, self.slot, self.state) \
                    or body.seat <= max(bodies, default=-1):
                raise Wrong("out-of-order")
            if not allowed(self.rules, self.phase, body):
                raise Wrong("illegal", body.seat)
            self._hold(body)
            bodies[body.seat] = body
        self._close(bodies)

    def _body(self, raw_body: bytes, signature: bytes) -> Body:
        body = Body.of(raw_body)
        if body.game_id != self.game_id or body.seat >= len(self.keys):
            raise Wrong("another-game")
        self._signed(self.keys[body.seat], raw_body, signature)
        return body

    def _vote(self, raw_body: bytes, signature: bytes) -> Outcome | None:
        body = self._body(raw_body, signature)
        if body.kind in PAYLOADS:
            raise Wrong("out-of-order")
        named = [name for _, name in body.payload[2]] if body.kind == "PROPOSE" else []
        if any(name not in named for _, name in self.shown):
            raise Wrong("out-of-order")
        self.shown.clear()
        self.halts.stand(body)
        if self.halts.twin(body):
            self.report.guilty.add(body.seat)
            self.halts.keep(body)
            return None
        return self.halts.take(body)

    def _descend(self, outcome: Outcome) -> None:
        """Into the child epoch (section 10.4)."""
        out, rounds, base, mode = outcome
        state, rules = self.halts.boundaries.get(rounds, (b"", self.rules))
        if state != base:
            raise Wrong("unknown-boundary")
        self.rules = rules
        if mode:
            rules.oblige(mode)
        owners = [seat for seat, _, _ in out]
        rules.remove([seat for seat, owner in enumerate(self.halts.owner_of) if owner in owners])
        epoch = hashed("epoch", self.epoch, self.halts.halt, msgpack.packb(outcome))
        self._begin(epoch, hashed("child", self.game_id, epoch, base, self._rules_hash()), rounds)

    def _hold(self, body: Body) -> None:
        """A body against what its author signed before (section 8)."""
        seat, pay = body.seat, body.payload
        if self.phase in ("ready", "reveal") and pay[0] != self.dealt:
            raise Wrong("another-deal")
        shares = ([(cup, seat, share) for cup, share in pay[0]] if self.phase == "open"
                  else pay[1] if self.phase == "reveal" else [])
        for cup, maker, share in shares:
            if not share_fits(self.keys, self.commits[maker], cup, share):
                raise Wrong("bad-share", seat)
            self.shares[cup, maker] = share
        if self.phase == "ready" and pay[1]:
            raise Wrong("complaint", box_verdict(self.keys, self.commits[pay[1][0]], self.commits[seat],
                                                 self.opens[pay[1][0]], body))
        if self.phase == "show" and not seal_fits(self.seals[seat], body):
            raise Wrong("bad-seal", seat)

    def _close(self, bodies: dict[int, Body]) -> None:
        phase, rules = self.phase, self.rules
        if phase == "mode":
            rules.oblige(bodies[rules.opener].payload[0])
        elif phase == "commit":
            self.commits, self.shares = bodies, dict[tuple[int, int], bytes]()
            rules.deal()
        elif phase == "open":
            self.opens = bodies
        elif phase == "act":
            rules.say(rules.turn, bodies[rules.turn].payload[0])
        elif phase == "seal":
            self.seals = dict(bodies)
        elif phase == "answer":
            self.seals |= bodies
        elif phase == "show":
            self._call(bodies)
        elif phase == "reveal":
            rules.settle({cup: self._cup(cup) for cup in rules.shown()})
        self.state = hashed("state", self.game_id, self.epoch, self.slot, self.state, phase,
                            *(hashed("body", bodies[seat].raw) for seat in sorted(bodies)), self._rules_hash())
        if phase == "commit":
            self.dealt = self.state
        if phase == "reveal":
            self.rounds += 1
            self.halts.boundaries[self.rounds] = self.state, copy.deepcopy(rules)
        self.slot += 1
        self.phase = following(phase, rules)
        if self.phase == "over":
            self.report.winners = rules.winners

    def _call(self, bodies: dict[int, Body]) -> None:
        rules = self.rules
        act = bodies[rules.turn].payload[0][0]
        claimers = [seat for seat, body in bodies.items() if body.payload[0] == "claim"]
        if not claimers:
            return rules.say(rules.turn, act)
        if act[0] == "calzo":
            claimers.append(rules.turn)
        tie = hashed("tie", self.dealt, *(self.shares[rules.seats, seat] for seat in rules.active))
        rules.say(min(claimers, key=lambda seat: hashed("calza", tie, rules.bids, seat)), ["calzo"])

    def _cup(self, cup: int) -> list[int]:
        rules = self.rules
        count = rules.dice[cup]
        self.report.dice += count
        seed = hashed("dice", self.game_id, self.epoch, rules.round, self.dealt, cup, count,
                      *(self.shares[cup, seat] for seat in rules.active))
        return Stream(seed).dice(count)

    def _evidence(self, evidence: bytes, signature: bytes) -> None:
        if signature:
            raise Wrong("not-a-record")
        seat = convicted(self.game_id, self.keys, evidence)
        shown = self.halts.owner_of[seat], hashed("evidence", evidence)
        if shown[1] in self.halts.proofs or (self.shown and shown < self.shown[-1]) or self.halts.named(shown[1]):
            raise Wrong("out-of-order")
        self.report.guilty.add(seat)
        self.report.signatures += len(decode(evidence)[1])
        self.shown.append(shown)
        self.halts.proofs[shown[1]] = shown[0]

    def _after(self) -> None:
        """Nothing but LEAVEs and evidence follows the end."""
        try:
            for kind, body, signature in self._records:
                if kind == "evidence":
                    self._evidence(body, signature)
                elif kind != "vote" or self._vote(body, signature) is not None or not self.halts.only_leaves():
                    raise Wrong("out-of-order")
        except End as end:
            self.report.verdict = "incomplete" if end.args == ("torn",) else "clean"


def verify(data: bytes) -> Report:
    """What a file is worth."""
    return Verifier(data).run() if data.startswith(MAGIC) else Report()


def main(arguments: Sequence[str]) -> int:
    if len(arguments) != 1:
        print("usage: verify_independent.py FILE", file=sys.stderr)
        return 2
    try:
        report = verify(Path(arguments[0]).read_bytes())
    except OSError as error:
        print(f"unreadable ({error.strerror})")
        return 2
    print(report)
    return {"clean": 0, "unreadable": 2}.get(report.verdict, 1)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
