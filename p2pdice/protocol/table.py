"""Who is at a table with this process, before the game and in it, over which links they are there, and how far this
process is: what all its other parts ask. Must not know what frames mean, nor what is kept."""

from collections.abc import Set
from dataclasses import dataclass
from itertools import takewhile
from typing import TYPE_CHECKING

from p2pdice.protocol import frames
from p2pdice.protocol.effects import Effects
from p2pdice.protocol.events import Closed
from p2pdice.protocol.kept import Others
from p2pdice.protocol.lobby import GuestLobby, Lobby
from p2pdice.protocol.messages import Signed
from p2pdice.protocol.watching import Watchers

if TYPE_CHECKING:
    from p2pdice.protocol.session import Session

TOSS_KINDS = ("roster", "accept", "seat")  # of records


@dataclass
class Link:
    """What is known of the process behind one link."""

    heard_at: float
    since: float
    hears: frozenset[bytes] = frozenset()
    stage: int = 0
    fetched_at: float = float("-inf")
    served_at: float = float("-inf")
    looked_at: float = float("-inf")


class Table:
    """A table as one process knows it. `session` is there from the beginning of the game on."""

    def __init__(self, lobby: Lobby) -> None:
        self.lobby = lobby
        self.session: Session | None = None
        self.closed: Closed | None = None
        self.links: dict[bytes, Link] = {}  # by the key of the process behind
        self.watchers = Watchers()
        self.effects = Effects()  # of all parts, until they are taken

    @property
    def own(self) -> bytes:
        """The key of this process, which is its player's."""
        return self.lobby.players.key.public

    @property
    def mates(self) -> Set[bytes]:
        """Owners' keys of the processes at this table: with a code, of those who have proved it, until a roster binds
        their keys. Whoever crashes after that comes back with a fresh link, over which it has proved only its key."""
        if self.session:
            return self.session.seated.processes.keys()
        mates = {member.key for member in self.lobby.members}
        if isinstance(self.lobby, GuestLobby):
            mates.add(self.lobby.host)
        proving = self.lobby.door.code and not self.lobby.toss
        return mates & self.lobby.door.proven if proving else mates

    @property
    def linked(self) -> list[bytes]:
        """Those of them to whom there is a link."""
        mates = self.mates
        return [link for link in self.links if link in mates]

    @property
    def others(self) -> list[Others]:
        """Where the other processes can be reached."""
        return [(member.key, member.port, member.addresses) for member in self.lobby.members if member.key != self.own]

    @property
    def order(self) -> list[bytes]:
        """Keys of all players, bots too: by seat in a game, by place before it."""
        return [join.key for join in (self.session.seated.players if self.session else self.lobby.joins)]

    @property
    def place(self) -> tuple[int, int, int, int, bytes, bytes]:
        """How far this process is, as a ping says it: from `stage` to `held`."""
        if self.session:
            session = self.session
            return (3 if self.closed else 2), *session.position, session.ledger.state, session.held
        toss = self.lobby.toss
        return (1, 0, 0, toss.position, b"", b"") if toss else (0, 0, 0, 0, b"", b"")

    @property
    def toss(self) -> list[Signed]:
        """What is known here of the toss; after a crash in the game that is how its record begins."""
        if self.lobby.toss:
            return self.lobby.toss.known()
        return [signed for _, signed in takewhile(lambda record: record[0] in TOSS_KINDS, self.watchers.records)]

    def seats_of(self, key: bytes) -> tuple[int, ...]:
        """Seats of the process whose owner has that key; none before the game."""
        return self.session.seated.processes.get(key, ()) if self.session else ()

    def heard(self, key: bytes, now: float) -> None:
        """A sign of life from that process."""
        if self.session and (seats := self.session.seated.processes.get(key)):
            self.session.heard(seats[0], now)

    def send(self, link: bytes, frame: frames.Frame) -> None:
        """A frame to one process."""
        self.effects.send(link, frame)

    def to_all(self, frame: frames.Frame) -> None:
        """A frame to every process at the table that can be reached."""
        raw = frames.encode(frame)
        self.effects.sends += [(link, raw) for link in self.linked]
