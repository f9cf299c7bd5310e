"""A table on the fake wire with people who watch it: they see what a player's process shows them, and go elsewhere when
that is gone."""

from typing import Any, cast

from p2pdice.fairness.keys import SigningKey
from p2pdice.protocol import frames
from p2pdice.protocol.transcript import TranscriptWriter
from p2pdice.protocol.watcher import Watcher
from p2pdice.rules import Ruleset
from tests.tablekit import Node, Table


class _Deaf:
    links: tuple[bytes, ...] = ()

    def received(self, link: bytes, raw: bytes, now: float) -> None:
        """Nothing comes of it."""


class Gallery(Table):
    """A table with room for onlookers. What `stopped` names is not delivered to, nor heard of again."""

    def __init__(self, players: int = 3, system: str = "perudo", options: dict[str, str] | None = None,
                 **more: Any) -> None:
        self.onlookers: list[Node] = []
        self.stopped: set[bytes] = set()
        super().__init__(players, system, options, **more)

    def watch(self, through: Node, *, code: str = "", wanted: Ruleset | None = None) -> Node:
        """Somebody without a seat comes to a player's process."""
        key = SigningKey(self.random.randbytes(32))
        watcher = Watcher(through.link, wanted=wanted, code=code, random_bytes=self.random.randbytes, now=self.now)
        onlooker = Node(f"watcher {len(self.onlookers)}", key, cast(Any, watcher))
        self.onlookers.append(onlooker)
        self.link(onlooker, through)
        return onlooker

    def node(self, link: bytes) -> Node:
        """Of players and onlookers; a program that a test plays itself takes in nothing."""
        nobody = Node("nobody", SigningKey(bytes(32)), cast(Any, _Deaf()))
        return next((node for node in (*self.nodes, *self.onlookers) if node.link == link), nobody)

    def kill(self, node: Node) -> None:
        """A player's process is gone for good."""
        node.gone, node.bot = True, None
        for other in (*self.nodes, *self.onlookers):
            if other is not node:
                self.cut.add(frozenset((node.name, other.name)))
                self.unlink(node, other)

    def unlink(self, one: Node, other: Node) -> None:
        """A connection ends."""
        for node, peer in ((one, other), (other, one)):
            self._queues[node.link, peer.link] = []
            node.peer.lost(peer.link, self.now)

    def flush(self) -> bool:
        """Also what onlookers want, and the ends of their links."""
        for onlooker in self.onlookers:
            self._collect(onlooker)
        moved = super().flush()
        for node in self.nodes:
            for onlooker in self.onlookers:
                if onlooker.link in node.drops and onlooker.link in node.peer.table.links:
                    # What is queued for it still arrives.
                    for frame in self._queues.pop((node.link, onlooker.link), []):
                        self.hand(node, onlooker, frame)
                    node.drops.remove(onlooker.link)
                    self.unlink(node, onlooker)
        return moved

    def wait(self, seconds: float) -> None:
        """Onlookers' time too."""
        while seconds > 0:
            super().wait(min(seconds, 1.0))
            seconds -= 1.0
            for onlooker in self.onlookers:
                onlooker.peer.tick(self.now)
        self.settle()

    def _collect(self, node: Node) -> None:
        if node not in self.onlookers:
            super()._collect(node)
            return
        effects = node.peer.take()
        if effects.anew:
            node.file, node.writer = b"", TranscriptWriter()
        node.file += b"".join(node.writer.add(kind, signed) for kind, signed in effects.records)
        for link, frame in effects.sends:
            self._queues.setdefault((node.link, link), []).append(frame)
        node.events += effects.events
        for link in effects.drops:
            if node.link in self.node(link).peer.table.links:
                self.unlink(node, self.node(link))
        for key, _, _ in effects.dials:
            other = self.node(key)
            if frozenset((node.name, other.name)) not in self.cut and not other.gone and node.link not in self.stopped:
                self.link(node, other)


def frames_to(onlooker: Node) -> list[frames.Frame]:
    """All that was delivered to somebody."""
    return [frames.decode(raw) for _, raw in onlooker.inbox]
