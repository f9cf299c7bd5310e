"""Seeded mutation: bytes, texts and values that are almost right, and corpora of right ones from real games."""

import copy
import json
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from random import Random

from p2pdice.protocol.audit import Follower, Replayed
from p2pdice.protocol.codec import LARGEST_INT, Value, pack, unpack
from p2pdice.protocol.dispute import Dispute
from p2pdice.protocol.errors import Malformed
from p2pdice.protocol.transcript import Entry, read_entries
from tests.protocol.watchkit import Gallery
from tests.tablekit import Table

VECTORS = Path(__file__).parent / "vectors"
NUMBERS = (0, 1, 2, 3, 5, 31, 32, 33, 127, 128, 255, 256, 2**16, 2**32 - 1, 2**32, 2**53 - 1, LARGEST_INT)
MARKS = (b"\x00", b"\xff", b"\x80", b"\xc0", b"\xc1", b"\xcf" + b"\xff" * 8, b"\xdd\xff\xff\xff\xff", b"\xdb\xff\xff",
         b"\xc6\x7f\xff\xff\xff", b"\x91" * 40, b"\x81", b"\xd9\x00", b"\xcc\x01", b"\xca\x00\x00\x00\x00")

STRANGE = ("\x00", "\x1b[2J", "\u202e", "٣", "²", "x", "9" * 50, "\n", ":", "=", " ", "\ud800", "ﬁ", "é", "-1", "1e9",
           "#", "\t", "\ufeff", "🎲")


def bent(source: Random, raw: bytes, others: Sequence[bytes] = ()) -> bytes:
    """A few changes to bytes: flipped, cut, doubled, filled in, spliced with others."""
    data = bytearray(raw)
    for _ in range(source.choice((1, 1, 1, 2, 3, 8))):
        at = source.randrange(len(data) + 1)
        to = min(len(data), at + source.choice((1, 1, 2, 4, 8, 32, 200)))
        match source.randrange(8):
            case 0 if at < len(data):
                data[at] ^= 1 << source.randrange(8)
            case 1 if at < len(data):
                data[at] = source.randrange(256)
            case 2:
                del data[at:to]
            case 3:
                data[at:at] = data[at:to]
            case 4:
                data[at:at] = source.choice(MARKS)
            case 5:
                data[at:to] = source.randbytes(to - at)
            case 6:
                del data[at:]
            case 7 if others:
                other = source.choice(others)
                data[at:] = other[source.randrange(len(other) + 1):]
    return bytes(data)


def twisted(source: Random, value: Value) -> Value:
    """One part of a value changed for another of the same kind, or of another kind, or left out, or doubled."""
    if isinstance(value, tuple) and value and source.random() < 0.9:
        at = source.randrange(len(value))
        match source.randrange(12):
            case 0:
                return value[:at] + value[at + 1:]
            case 1:
                return (*value[:at], value[at], *value[at:])
            case 2:
                to = source.randrange(len(value))
                return tuple(value[{at: to, to: at}.get(place, place)] for place in range(len(value)))
            case _:
                return (*value[:at], twisted(source, value[at]), *value[at + 1:])
    if source.random() < 0.7:
        match value:
            case int():
                return source.choice((value + 1, max(0, value - 1), source.choice(NUMBERS)))
            case bytes():
                return bent(source, value)
            case str():
                return source.choice(("", value + "x", value[:-1], value.upper(), "halt", "ñ" * 40, "\u202e"))
    return source.choice((0, 1, LARGEST_INT, b"", bytes(32), bytes(64), "", "x", (), ((),), (0, 0), ((0, b""),)))


def packed(value: Value) -> bytes:
    """Bytes of a value, b"" if it has none."""
    try:
        return pack(value)
    except (ValueError, OverflowError, TypeError):
        return b""


def retold(source: Random, raw: bytes, others: Sequence[bytes]) -> bytes:
    """Canonical bytes with a twisted value inside, or bent bytes."""
    if source.random() < 0.5:
        try:
            value = unpack(raw)
        except Malformed:
            return bent(source, raw, others)
        for _ in range(source.choice((1, 1, 2, 4))):
            value = twisted(source, value)
        return packed(value)
    return bent(source, raw, others)


def retyped(source: Random, text: str, words: Sequence[str]) -> str:
    """A text with a few pieces changed for others."""
    pieces = list(text)
    for _ in range(source.choice((1, 1, 2, 5))):
        at = source.randrange(len(pieces) + 1)
        match source.randrange(4):
            case 0:
                pieces[at:at] = source.choice(words)
            case 1:
                del pieces[at:at + source.choice((1, 1, 5, 50))]
            case 2:
                pieces[at:at + 1] = source.choice(STRANGE)
            case 3:
                pieces[at:at] = pieces[at:at + source.choice((1, 5, 50))]
    return "".join(pieces)


@cache
def game(seed: int = 1, system: str = "dudo") -> Table:
    """A small game, all of it: open and closed rounds, sealed turns, a player who falls silent."""
    table = Table(3, system, {"starting_dice": "3"}, seed=seed)
    table.play()
    return table


@cache
def frames_of_games() -> tuple[bytes, ...]:
    """Every kind of frame that links carried in a few games, of each length once."""
    found: dict[tuple[bytes, int], bytes] = {}
    gallery = Gallery(2, options={"starting_dice": "1"})
    onlooker = gallery.watch(gallery.nodes[0])
    gallery.play()
    for table in (game(1), game(2, "perudo"), Table(4, code="bido-kare-muna"), halted(), gallery):
        table.settle()
        for node in (*table.nodes, *([onlooker] if table is gallery else [])):
            for _, frame in node.inbox:
                found.setdefault((frame[:8], len(frame) // 16), frame)
    return tuple(found.values())


@cache
def halted() -> Table:
    """A game of four of which one falls silent and another leaves: HALT, PROPOSE, DROP, LEAVE."""
    table = Table(4, seed=3)
    table.play(8)
    silent = table.nodes[3]
    silent.bot, silent.gone = None, True
    table.cut |= {frozenset((silent.name, node.name)) for node in table.nodes if node is not silent}
    table.play(200)
    table.nodes[2].peer.leave(table.now)
    table.play()
    return table


@cache
def evidence() -> tuple[bytes, ...]:
    """The evidence of the vectors."""
    cases = json.loads((VECTORS / "evidence.json").read_text(encoding="utf-8"))["cases"]
    return tuple(bytes.fromhex(case["evidence"]) for case in cases)


@cache
def follow(table: Table) -> tuple[list[Entry], list[Follower]]:
    """The record of a game's first process, and for each entry behind the toss who has followed it up to there."""
    entries = list(read_entries(table.nodes[0].file))
    follower, found = Follower(), []
    for entry in entries:
        if entry.kind not in ("roster", "accept", "seat"):
            found.append(branch(follower))
        follower.add(entry.kind, entry.signed)
    return entries, found


def branch(follower: Follower) -> Follower:
    """Somebody who has followed as much, and goes on without changing the first."""
    past, auditor = follower.found, follower._auditor
    assert past.ledger and past.dispute and auditor, "the game has begun"  # noqa: PT018
    ledger = past.ledger.branch()
    dispute = Dispute(ledger, None, None, lambda now: (), lambda base: ledger if ledger.mark(base) else None)
    dispute.take_up(past.dispute)
    dispute.past = [(number, replace(
        halting, halts=dict(halting.halts), proposals={at: list(some) for at, some in halting.proposals.items()},
        drops=dict(halting.drops), by_hash=dict(halting.by_hash), _highest=dict(halting._highest),
        _evaluated=dict(halting._evaluated))) for number, halting in past.dispute.past]
    report = replace(past.report, findings=list(past.report.findings), events=[], standings=dict(past.report.standings))
    made = Follower()
    made.found = Replayed(report, ledger, dispute)
    made._auditor = copy.copy(auditor)
    made._auditor._replayed, made._auditor._report = made.found, report
    made._auditor._undecided, made._auditor._shown = set(auditor._undecided), list(auditor._shown)
    return made
