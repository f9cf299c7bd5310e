"""When a process keeps what it needs after a crash: an accepted toss, then a game whenever it has signed something new.
What is kept goes out with the effects that must not be carried out before it. Must not know files, nor how to read it
again."""

from collections.abc import Mapping

from p2pdice.protocol.effects import Effects
from p2pdice.protocol.kept import pack_kept, pack_toss
from p2pdice.protocol.table import Table
from p2pdice.protocol.toss import Toss


class Checkpoint:
    """Of one process. Set `due` when something was signed or recorded, and `add` it to all effects that are taken."""

    def __init__(self, table: Table, entries: int) -> None:
        """`entries`: of the transcript so far."""
        self.due = False
        self._table = table
        self._entries = entries
        self._toss: Toss | None = None  # the one that was kept last
        self._snapshot: Mapping[str, bytes] = {}  # the same of the game

    def add(self, effects: Effects, code: str) -> None:
        """To effects that are about to be carried out; `code`: the room code."""
        lobby, session = self._table.lobby, self._table.session
        if self._toss is not lobby.toss:
            self._toss = lobby.toss
            if self._toss:
                nonces = {own: nonce for own, (_, nonce) in lobby.players.secrets.items()}
                effects.keep = pack_toss(self._toss.roster.signed, nonces, lobby.players.bots, self._table.others, code)
        if session and self.due:
            self.due = False
            snapshot = session.snapshot()
            # A bid of somebody else changes nothing in it; what is kept and no longer in it does no harm.
            if not snapshot.items() <= self._snapshot.items():
                self._snapshot = snapshot
                effects.keep = pack_kept(snapshot, lobby.players.bots, self._table.others, effects.records,
                                         self._entries, code)
                effects.keeps_records = True
        self._entries += len(effects.records)
