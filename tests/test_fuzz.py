"""Every decoder against seeded mutations of what it should read: values and events, or its own refusal, nothing else.

The plain run tries some thousand inputs of each in a few seconds; the long one a million, in pieces of their own seed.
"""

import ipaddress
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from random import Random

import pytest
from zeroconf import Error, ServiceInfo

from p2pdice.cli.clean import clean, clean_name, width
from p2pdice.cli.commands import parse
from p2pdice.fairness.labels import Label
from p2pdice.net.channel import VERSION, _read_greeting
from p2pdice.net.discovery import TYPE
from p2pdice.net.errors import ChannelError
from p2pdice.net.frames import FrameReader
from p2pdice.net.frames import encode as framed
from p2pdice.net.hints import MOST_ADDRESSES, TEXT_BYTES, is_instance, read
from p2pdice.net.interfaces import Interface, Reach
from p2pdice.protocol import frames
from p2pdice.protocol.audit import audit
from p2pdice.protocol.codec import pack, unpack
from p2pdice.protocol.errors import LocalFault, Malformed
from p2pdice.protocol.evidence import FaultKind, convict, decode_evidence
from p2pdice.protocol.messages import Signed, lobby_fields, parse_game, sign
from p2pdice.protocol.peer import Peer
from p2pdice.protocol.roster import parse_join, parse_roster
from p2pdice.protocol.transcript import Damaged, TranscriptWriter, read_entries
from p2pdice.rules import NotationError, ParseError, Referee, parse_action
from tests.fuzzing import (
    bent,
    branch,
    evidence,
    follow,
    frames_of_games,
    game,
    halted,
    packed,
    retold,
    retyped,
    twisted,
)
from tests.protocol.test_drops import session_of
from tests.protocol.watchkit import Gallery
from tests.tablekit import Table

Try = Callable[[Random], object]  # one input of a seeded source; whatever it raises is a failure
LONG_PIECES = 10
INPUTS_A_TABLE = 150


@cache
def bodies() -> tuple[bytes, ...]:
    """Signed bodies of lobby and game, as they are encoded."""
    entries = [*read_entries(game().nodes[0].file), *read_entries(halted().nodes[0].file)]
    return tuple(entry.signed.body for entry in entries if entry.kind != "evidence")


def stream(source: Random) -> None:
    """Bytes of a connection, in pieces of any size."""
    raw = bent(source, b"".join(framed(frame) for frame in source.choices(frames_of_games(), k=3)))
    reader = FrameReader()
    with suppress(ChannelError):
        while raw:
            size = source.choice((1, 3, 50, 1000))
            reader.feed(raw[:size])
            raw = raw[size:]
            while (frame := reader.take()) is not None:
                assert len(frame) <= reader.limit


def greeting(source: Random) -> None:
    """The first frame of each side."""
    import msgpack

    right = msgpack.packb(["p2pdice", *VERSION, bytes(32), bytes(32), bytes(64)])
    with suppress(ChannelError):
        assert isinstance(_read_greeting(bent(source, right), VERSION), list)


def link_frame(source: Random) -> None:
    """A frame of a link: what is read is what would be written."""
    corpus = frames_of_games()
    raw = retold(source, source.choice(corpus), corpus)
    with suppress(Malformed):
        assert frames.encode(frames.decode(raw)) == raw


def value(source: Random) -> None:
    """The encoding alone: one value, one form."""
    raw = retold(source, source.choice(bodies()), bodies())
    with suppress(Malformed):
        assert pack(unpack(raw)) == raw


def body(source: Random) -> None:
    """A body of lobby or game, its signature not looked at yet, or one that its author made wrong."""
    signed = Signed(retold(source, source.choice(bodies()), bodies()), bytes(64))
    for reader in (parse_game, lobby_fields, parse_roster, lambda found: parse_join(found, bytes(16))):
        with suppress(Malformed):
            reader(signed)


def proof(source: Random) -> None:
    """Evidence, bent or with other bodies in it: it convicts a seat of the table, or proves nothing."""
    past = game()
    ledger = session_of(past.nodes[0]).ledger
    raw = retold(source, source.choice(evidence()), evidence())
    with suppress(Malformed):
        found = decode_evidence(raw)
        assert found.encode() == raw
        assert convict(found, ledger.game_id, ledger.verifiers) in range(3)


def own_proof(source: Random) -> None:
    """Evidence made of true bodies of the game, in any order and of any kind: nobody honest is convicted."""
    past = game()
    session = session_of(past.nodes[0])
    said = [message.signed for slot in session.ledger.slots for message in slot.values()]
    kind = source.choice(tuple(FaultKind)).value
    chosen = tuple(signed.value() for signed in source.choices(said, k=source.randrange(1, 5)))
    states = tuple(source.choices([session.ledger.preimage, b""], k=source.randrange(3)))
    with pytest.raises(Malformed):
        convict(decode_evidence(pack((kind, chosen, states, b""))), session.ledger.game_id, session.ledger.verifiers)


def entries(source: Random) -> None:
    """The first kilobytes of a transcript, bent: entries, and where it is damaged."""
    raw = bent(source, game().nodes[0].file[:3000])
    with suppress(Damaged):
        for entry in read_entries(raw):
            assert len(entry.signed.signature) in (0, 64)


def transcript(source: Random) -> None:
    """A whole transcript whose chain is right and one entry of which is not: a verdict, never `clean`."""
    kept = source.choice((game(), halted()))
    whole = list(read_entries(kept.nodes[0].file))
    at = source.randrange(len(whole))
    spoilt = _spoilt(source, kept, whole[at].signed)
    if spoilt is None:
        return
    writer = TranscriptWriter()
    raw = b"".join(writer.add(entry.kind, spoilt if number == at else entry.signed)
                   for number, entry in enumerate(whole[:at + 30]))
    assert audit(raw).verdict in ("fault", "incomplete", "unreadable")


def followed(source: Random) -> None:
    """The same, judged entry by entry from the spoilt one on, as by whoever watches: events, or it does not belong."""
    kept = source.choice((game(), halted()))
    whole, followers = follow(kept)
    at = source.randrange(len(whole) - len(followers), len(whole))
    spoilt = _spoilt(source, kept, whole[at].signed)
    if spoilt is None:
        return
    follower = branch(followers[at - len(whole)])
    with suppress(Malformed):
        for number, entry in enumerate(whole[at:at + 10], start=at):
            follower.add(entry.kind, spoilt if number == at else entry.signed)
    assert len(whole) - len(followers) < follower.found.report.entries <= at + 10


def _spoilt(source: Random, kept: Table, wrong: Signed) -> Signed | None:
    """Another body in its place, by nobody or by one of the players themselves; None if it is the same."""
    spoilt = Signed(retold(source, wrong.body, ()), wrong.signature)
    if spoilt == wrong:
        return None
    if source.random() < 0.5:
        with suppress(Malformed):
            spoilt = sign(source.choice(kept.nodes).key, unpack(spoilt.body))
    return spoilt


def notation(source: Random) -> None:
    """A game written by hand: events and refusals, or the line that cannot be read."""
    text = ("rules: dudo\nset: exact=off starting_dice=5\nplayers: Ana Beto Caro\ndice: 2 5 5\n"
            "round: Ana=22 Beto=23456 Caro=23456\nAna: 6x2\nBeto: ?\nBeto: dudo\nround: Ana=2 Beto=23456 Caro=23456\n"
            "Ana: obligo abierto\nAna: 1x2\nBeto: 2x2\nCaro: paso\ngone: Beto\n")
    words = ("round: ", "Ana: ", "dudo", "calzo", "5x3", "palifico", "dice: ", "players: ", "set: ", "left", "\r", "#")
    lines = retyped(source, text, words).encode("utf-8", "surrogatepass").splitlines(keepends=True)
    referee = Referee(lambda refused, names: refused.reason)
    with suppress(NotationError):
        assert all(isinstance(event["event"], str) for event in referee.judge(lines))


def typed(source: Random) -> None:
    """A line at the prompt, or a move in notation."""
    lines = ("5x3", "cinco treses", "lo dudo", "spot on", "/drop Ana", "/say hi", "5x3 left", "obligo abierto")
    text = retyped(source, source.choice(lines), ("/", "dudo", "três", "9", " ", "x"))
    parse(text)
    with suppress(ParseError):
        parse_action(text)
    assert clean_name(text).isprintable()
    assert width(clean(text, 24)) <= 24


REACH = Reach((Interface("lo", 1, (ipaddress.ip_interface("127.0.0.1/8"),)),
               Interface("eth0", 2, (ipaddress.ip_interface("10.77.0.1/24"), ipaddress.ip_interface("fe80::1/64")))))


def announcement(source: Random) -> None:
    """What a stranger announces by mDNS: a bounded hint, or nothing."""
    text = b"\x05v=abc\x25room=" + b"ab" * 16 + b"\x0atitle=Mesa\x09players=2\x0dstate=playing\x00\x01="
    addresses = [source.randbytes(size) for size in source.choices((4, 16), k=source.randrange(12))]
    addresses += [bytes([10, 77, 0, source.randrange(256)])]
    instance = retyped(source, "0123456789abcdef", ("\x1b", "f"))
    with suppress(Error, OSError, ValueError):  # what discovery itself takes for nonsense
        info = ServiceInfo(TYPE, f"{instance}.{TYPE}", port=source.choice((0, 1, 47600, 65535)), addresses=addresses,
                           properties=bent(source, text))
        hint = read(instance, info.parsed_scoped_addresses(), info.port or 0, info.decoded_properties, REACH)
        if hint is not None:
            assert 1 <= len(hint.addresses) <= MOST_ADDRESSES
            assert all(len(getattr(hint, key).encode()) <= most for key, most in TEXT_BYTES.items())
            assert not is_instance(instance) or len(instance) == 16


@dataclass
class Live:
    """Running peers: one gets mutated frames over the link of another, and wrong bodies that the other has signed."""

    table: Table | None = None
    left: int = 0  # inputs until another table

    def __call__(self, source: Random) -> None:
        """One frame."""
        if self.table is None or not self.left:
            if self.table is not None:
                self.table.wait(3)
            self.table, self.left = self._another(source), INPUTS_A_TABLE
        self.left -= 1
        cheat, victim = source.sample(self.table.nodes, 2)
        if source.random() < 0.5:
            frame = source.choice(cheat.inbox)[1] if cheat.inbox else source.choice(frames_of_games())
            raw = retold(source, frame, frames_of_games())
        else:
            session = cheat.peer.session
            said = [signed.body for signed in session.since(0, 0)] if session else []
            wrong = packed(twisted(source, unpack(source.choice(said or bodies()))))
            raw = frames.encode(frames.Bodies(((wrong, cheat.key.sign(Label.SIGNED_BODY, wrong)),)))
        self.table.hand(cheat, victim, raw)

    @staticmethod
    def _another(source: Random) -> Table:
        table = Table(3, source.choice(("perudo", "dudo", "clasico")), seed=source.randrange(1000),
                      automatic=source.random() < 0.8, code=source.choice(("", "", "bido-kare-muna")))
        table.play(source.choice((0, 1, 5, 20, 60)))
        return table


@dataclass
class Watched:
    """A running table, lobby or game, that somebody comes to watch: one of the two sides of that link gets a mutated
    frame, and the other players' processes stand as they stood."""

    table: Gallery | None = None
    left: int = 0

    def __call__(self, source: Random) -> None:
        """One frame."""
        if self.table is None or not self.left:
            self.table, self.left = Gallery(3, "clasico", seed=source.randrange(1000), automatic=False), INPUTS_A_TABLE
            for node in self.table.nodes if source.random() < 0.8 else ():
                self.table.settle()
                node.peer.ready(self.table.now)
            self.table.play(source.choice((1, 5, 20)))
        self.left -= 1
        table, watched = self.table, self.table.nodes[0]
        onlooker = table.watch(watched)
        for _ in range(source.choice((0, 2, 5, 20))):
            table.flush()
        frame = source.choice(onlooker.inbox)[1] if onlooker.inbox else source.choice(frames_of_games())
        raw = retold(source, frame, frames_of_games())
        sides = (onlooker, watched) if source.random() < 0.5 else (watched, onlooker)
        table.hand(*sides, raw)
        table.settle()
        table.stopped.add(onlooker.link)
        table.unlink(onlooker, watched)
        table.onlookers.clear()
        assert not any(node.closed for node in table.nodes)


def resumed(source: Random) -> None:
    """A game taken up again from files that were damaged: the seat as it was, or a plain no."""
    table = _broken_off(source.random() < 0.5)
    node = table.nodes[source.randrange(3)]
    file, kept = node.file, dict(node.kept)
    if source.random() < 0.5:
        file = bent(source, file)
    elif kept:
        name = source.choice(sorted(kept))
        kept[name] = retold(source, kept[name], ())
    with suppress(LocalFault, Damaged):
        made = Peer.resume(node.key, file, kept, random_bytes=source.randbytes, now=0.0)
        made.tick(1.0)
        made.take()


@cache
def _broken_off(in_toss: bool) -> Table:
    table = Table(3, seed=5)
    if in_toss:
        while not all(node.kept for node in table.nodes):
            table.flush()
        assert all(not node.file and "roster" in node.kept for node in table.nodes)
    else:
        table.play(25)
    return table


# Decoder: inputs in the plain run, about a second of each, and in each piece of the long one.
TRIES: Mapping[str, tuple[Try, int, int]] = {
    "stream": (stream, 3000, 100_000),
    "greeting": (greeting, 10_000, 100_000),
    "frame": (link_frame, 5000, 100_000),
    "value": (value, 5000, 100_000),
    "body": (body, 4000, 100_000),
    "evidence": (proof, 4000, 100_000),
    "evidence of true bodies": (own_proof, 1000, 100_000),
    "entries": (entries, 2000, 100_000),
    "transcript": (transcript, 40, 1000),
    "transcript by entry": (followed, 1000, 100_000),
    "notation": (notation, 1500, 100_000),
    "typed": (typed, 4000, 100_000),
    "announcement": (announcement, 4000, 100_000),
    "peer": (Live(), 1500, 100_000),
    "watched": (Watched(), 150, 10_000),
    "resumed": (resumed, 20, 1000),
}


@pytest.mark.parametrize("decoder", TRIES)
def test_a_decoder_reads_or_refuses(decoder: str) -> None:
    """A value or a clean refusal, whatever comes in."""
    attempt, count, _ = TRIES[decoder]
    if isinstance(attempt, Live | Watched):
        attempt = type(attempt)()
    source = Random(decoder)
    for _ in range(count):
        attempt(source)


@pytest.mark.long
@pytest.mark.parametrize("piece", range(LONG_PIECES))
@pytest.mark.parametrize("decoder", TRIES)
def test_a_decoder_reads_or_refuses_a_million(decoder: str, piece: int) -> None:
    """The same with a million inputs, of whole transcripts and whole processes with ten thousand."""
    attempt, _, count = TRIES[decoder]
    if isinstance(attempt, Live | Watched):
        attempt = type(attempt)()
    source = Random(f"{decoder} {piece}")
    for _ in range(count):
        attempt(source)
