"""The door of a table: who may try the room code, what is read from whoever is behind a link, and what a stranger gets
to see (protocol.md sections 4.5 and 7). Must not know what comes of the frames that it lets in."""

from types import UnionType

from p2pdice.protocol import frames
from p2pdice.protocol.heartbeat import Heartbeat
from p2pdice.protocol.lobby import GuestLobby, HostLobby
from p2pdice.protocol.table import Table

LOOK_S = 0.2  # at least this long between two cards over one link
STRANGER_S = 60.0  # a link that comes to nothing is closed after so long


class Admission:
    """Of one process. Call `step` after whatever may have opened the door to somebody, and at `deadline`."""

    def __init__(self, table: Table, heartbeat: Heartbeat) -> None:
        self._table = table
        self._heartbeat = heartbeat
        self._pairs_due: float | None = None  # until when a guest waits for the proofs of the others

    def admits(self, link: bytes) -> bool:
        """Whether somebody may try the room code here: in a game, whoever wants to watch."""
        return self._table.session is not None or self._table.lobby.admits(link)

    def reads(self, link: bytes) -> type | UnionType:
        """The frames that are read from whoever is behind a link."""
        table, lobby = self._table, self._table.lobby
        if link in table.mates:
            return frames.Frame
        if lobby.door.code and link not in lobby.door.proven:
            if table.session is None and isinstance(lobby, GuestLobby) and link == lobby.host:
                return frames.Card | frames.Refuse | frames.Pake | frames.Confirm
            return frames.Look | frames.Pake | frames.Confirm
        if table.session:
            return frames.Look | frames.Watch
        # A stranger may look, ask for a seat or to watch, and bring signed bodies: those speak for themselves.
        return frames.Look | frames.Watch | frames.Enter | frames.Bodies

    def look(self, link: bytes, now: float) -> None:
        """Somebody asks for the table's card. Of a lobby the host's counts; a game is everyone's."""
        table, state = self._table, self._table.links[link]
        if (table.session or isinstance(table.lobby, HostLobby)) and now >= state.looked_at + LOOK_S:
            state.looked_at = now
            table.send(link, table.lobby.shown(table.session is not None, link))

    def watch(self, link: bytes, frame: frames.Watch, now: float) -> None:
        """A stranger asks to watch."""
        if not self._table.watchers.welcome(link, frame, now):
            self._table.send(link, frames.Refuse("watchers"))
            self._table.effects.drops.append(link)

    def turn_out(self, now: float) -> None:
        """Close the links that have come to nothing."""
        table, mates = self._table, self._table.mates
        table.effects.drops += [link for link, state in table.links.items() if link not in mates
                                and link not in table.watchers and now >= state.since + STRANGER_S]

    @property
    def deadline(self) -> float | None:
        """When `step` has something to do."""
        due = self._table.lobby.door.deadline(self.admits)
        pairs_due = self._pairs_due if self._table.session is None else None
        return min((time for time in (due, pairs_due) if time is not None), default=None)

    def step(self, now: float) -> None:
        """Let the exchanges of the room code go on, and greet whoever has proved it. In a game a new code is told to
        nobody: then nobody new watches through this process."""
        table, lobby, door = self._table, self._table.lobby, self._table.lobby.door
        door.step(now, self.admits)
        if door.changed and isinstance(lobby, HostLobby) and table.session is None:
            lobby.recode()
        door.changed = False
        for link in door.opened:
            table.links[link].looked_at = float("-inf")  # there is more to be seen now
            if isinstance(lobby, GuestLobby) and link == lobby.host and not lobby.room:
                door.out.append((link, frames.Look()))
            elif link in table.mates:
                door.out.append((link, self._heartbeat.ping(now)))
        if table.session is None:
            self._pairs_due = lobby.meet(now) if isinstance(lobby, GuestLobby) else None
        for link, frame in door.out:
            table.send(link, frame)
        table.effects.drops += door.drops
        door.opened, door.out, door.drops = [], [], []
