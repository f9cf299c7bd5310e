"""A whole table on a fake wire: peers without sockets, time that only moves when it is told to, and links that can be
cut, held back or listened to. Everything a peer received is kept, so that tests can look for what must not be in it."""

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from p2pdice.bots import LEVELS
from p2pdice.fairness.keys import SigningKey
from p2pdice.protocol.audit import Report, audit
from p2pdice.protocol.errors import LocalFault, PeerFault
from p2pdice.protocol.events import Closed, Event, TableFormed
from p2pdice.protocol.kept import KEPT_RECORD, unrecorded
from p2pdice.protocol.peer import Peer
from p2pdice.protocol.phases import Phase
from p2pdice.protocol.roomcode import ChannelSession
from p2pdice.protocol.roster import Terms
from p2pdice.protocol.transcript import TranscriptWriter, go_on_with
from p2pdice.rules import CALZO, make_ruleset


@dataclass
class Node:
    """One process: its peer, what it wrote, received and told."""

    name: str
    key: SigningKey
    peer: Peer
    file: bytes = b""
    flushed: int = 0  # bytes of it that outlive the computer too, not only the process
    writer: TranscriptWriter = field(default_factory=TranscriptWriter)
    events: list[Event] = field(default_factory=list)
    inbox: list[tuple[bytes, bytes]] = field(default_factory=list)  # (from, frame), everything ever delivered
    drops: list[bytes] = field(default_factory=list)  # links that it wanted closed
    faults: list[str] = field(default_factory=list)  # reasons of PeerFaults that frames to it caused
    bot: str | None = "normal"
    kept: dict[str, bytes] = field(default_factory=dict)  # what its process wrote ahead
    gone: bool = False  # its process was killed: nobody waits for its end

    @property
    def link(self) -> bytes:
        return self.key.public

    @property
    def closed(self) -> Closed | None:
        return next((event for event in self.events if isinstance(event, Closed)), None)

    def report(self) -> Report:
        return audit(self.file)

    def of(self, kind: type) -> list[Event]:
        """Events of one type, in order."""
        return [event for event in self.events if isinstance(event, kind)]


class Table:
    """`nodes[0]` hosts. `deliver(sender, receiver, frame)` may change or drop (None) each frame on the wire."""

    def __init__(self, players: int = 3, system: str = "perudo", options: dict[str, str] | None = None, *,
                 seed: int = 0, turn_time_s: int = 120, bots: int = 0, needed: int | None = None,
                 window_s: float = 0.0, automatic: bool = True, code: str = "",
                 wrong: Mapping[int, str] | None = None) -> None:
        """`code`: the room code, "" for none; `wrong`: what players of those numbers take for it."""
        self.random = random.Random(seed)
        self._nonces = random.Random(seed)
        self.now = 1000.0
        self.nodes: list[Node] = []
        self.cut: set[frozenset[str]] = set()
        self.deliver: Callable[[Node, Node, bytes], bytes | None] = lambda sender, receiver, frame: frame
        self.spoil: Callable[[Node], None] = lambda node: None  # called before each node's effects are taken
        self.crash: Callable[[Node], bool] = lambda node: False  # whether the process dies at this write or send
        self._queues: dict[tuple[bytes, bytes], list[bytes]] = {}
        terms = Terms(make_ruleset(system, options or {}), turn_time_s, 90)
        processes = players - bots
        for number in range(processes):
            known = (wrong or {}).get(number, code)
            self._seat(number, terms, players if needed is None else needed, window_s, automatic, known)
            if number == 0:
                for _ in range(bots):
                    self.nodes[0].peer.add_bot("bot", self.now)
        for number, node in enumerate(self.nodes):
            for other in self.nodes[:number]:
                self.link(node, other)

    def link(self, dialler: Node, listener: Node, address: str = "") -> None:
        """A fresh connection between two processes; `address`: where the dialler comes from, its name if not given."""
        certificate, nonce, other_nonce = (self._nonces.randbytes(32) for _ in range(3))
        parts = (certificate, dialler.link, listener.link, nonce, other_nonce)
        dialler.peer.linked(listener.link, self.now, ChannelSession(True, listener.name, parts))
        listener.peer.linked(dialler.link, self.now, ChannelSession(False, address or dialler.name, parts))

    def _seat(self, number: int, terms: Terms, needed: int, window_s: float, automatic: bool, code: str) -> None:
        key = SigningKey(self.random.randbytes(32))
        name = ("Ana", "Beto", "Caro", "Dani", "Eva", "Fito")[number % 6] + (str(number // 6) if number >= 6 else "")
        if number == 0:
            peer = Peer.host(key, name, terms, title="Mesa", needed=needed, automatic=automatic,
                             random_bytes=self.random.randbytes, now=self.now, window_s=window_s, code=code)
        else:
            peer = Peer.join(key, name, self.nodes[0].link, wanted=None, automatic=automatic,
                             random_bytes=self.random.randbytes, now=self.now, window_s=window_s, code=code)
        self.nodes.append(Node(name, key, peer))

    def node(self, link: bytes) -> Node:
        return next(node for node in self.nodes if node.link == link)

    def seat(self, node: Node) -> int:
        """The seat of a node's player."""
        formed = node.of(TableFormed)[0]
        assert isinstance(formed, TableFormed)
        return formed.you

    def at(self, seat: int) -> Node:
        """The node whose process plays a seat."""
        return next(node for node in self.nodes if seat in node.peer.seats)

    # --- the wire

    def flush(self) -> bool:
        """Collect what every peer wants done, and deliver one frame of a random link; whether anything moved."""
        for node in self.nodes:
            self._collect(node)
        ready = [ends for ends, queue in self._queues.items() if queue]
        if not ready:
            return False
        ends = self.random.choice(ready)
        sender, receiver = (self.node(link) for link in ends)
        frame = self.deliver(sender, receiver, self._queues[ends].pop(0))
        if frame is not None and frozenset((sender.name, receiver.name)) not in self.cut:
            self.hand(sender, receiver, frame)
        return True

    def hand(self, sender: Node, receiver: Node, frame: bytes) -> None:
        """Put a frame into a peer, as if it came over the link from `sender`."""
        receiver.inbox.append((sender.link, frame))
        try:
            receiver.peer.received(sender.link, frame, self.now)
        except PeerFault as fault:
            receiver.faults.append(fault.reason)

    def settle(self) -> None:
        """Deliver until the wire is empty."""
        for _ in range(1_000_000):
            if not self.flush():
                return
        raise AssertionError("the wire never falls silent")

    def wait(self, seconds: float) -> None:
        """Let time pass, ticking every peer as its deadline says."""
        end = self.now + seconds
        while self.now < end:
            self.settle()
            self.now = min(end, max(self.now, min(node.peer.deadline for node in self.nodes)) + 0.001)
            for node in self.nodes:
                node.peer.tick(self.now)
        self.settle()

    def _collect(self, node: Node) -> None:
        self.spoil(node)
        effects = node.peer.take()
        if effects.keep is not None:
            if self.crash(node):
                return self.restart(node)
            unflushed = {name: raw for name, raw in node.kept.items() if name.startswith(KEPT_RECORD)
                         and node.flushed < len(node.file)}
            node.kept = unflushed | effects.keep
        for kind, signed in effects.records:
            entry = node.writer.add(kind, signed)
            if self.crash(node):
                node.file += entry[:len(entry) // 2]  # torn
                return self.restart(node)
            node.file += entry
        if not effects.keeps_records:
            node.flushed = len(node.file)
        for link, frame in effects.sends:
            if self.crash(node):
                return self.restart(node)
            self._queues.setdefault((node.link, link), []).append(frame)
        node.drops += effects.drops
        node.events += effects.events

    def restart(self, node: Node) -> None:
        """The process died, or its computer, and is started again with nothing but its files and fresh links."""
        for other in self.nodes:
            if other is not node:
                other.peer.lost(node.link, self.now)
                self._queues[node.link, other.link] = []
                self._queues[other.link, node.link] = []
        node.file = node.file[:max(node.flushed, len(node.file) if self.random.random() < 0.5 else 0)]
        node.writer, whole = go_on_with(node.file)
        node.file = node.file[:whole]
        for kind, signed in unrecorded(node.kept, node.writer.entries):
            node.file += node.writer.add(kind, signed)
        node.flushed = len(node.file)
        try:
            node.peer = Peer.resume(node.key, node.file, node.kept, random_bytes=self.random.randbytes, now=self.now)
        except LocalFault:
            node.gone = True  # it had not yet written what a game begins with
            return
        for other in self.nodes:
            if other is not node and not other.gone:
                node.peer.linked(other.link, self.now)
                other.peer.linked(node.link, self.now)

    # --- play

    def play(self, rounds: int = 10_000) -> None:
        """Bots play until every process has ended, or for so many moves."""
        for _ in range(rounds):
            self.settle()
            if all(node.closed or node.gone for node in self.nodes):
                return
            if not any(self.decide(node) for node in self.nodes):
                self.wait(0.5)
        assert rounds < 10_000, "the game does not end"

    def decide(self, node: Node) -> bool:
        """Let a node's bots do what they owe; whether one did."""
        session = node.peer.session
        if session is None or session.closed or session.halted or session.resuming or node.bot is None:
            return False
        bot, ledger = LEVELS[node.bot], session.ledger
        for seat in session.undecided:
            if bot.choose_call(session.view(seat), self.random):
                node.peer.act(seat, CALZO, self.now)
            else:
                node.peer.waive(seat, self.now)
            return True
        for seat in node.peer.seats:
            if ledger.phase in (Phase.MODE, Phase.ACT, Phase.SEAL) and seat in ledger.missing:
                node.peer.act(seat, bot.choose(session.view(seat), self.random), self.now)
                return True
        return False
