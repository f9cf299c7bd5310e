"""Signs of life: what a process says of itself every few seconds, and what it takes from what others say (protocol.md
section 7.2). Must not know how what is missing is asked for, nor what a pause does to the clocks."""

from p2pdice.protocol import frames
from p2pdice.protocol.messages import MOST_SEATS
from p2pdice.protocol.pausing import Pausing, Wish
from p2pdice.protocol.table import Table

PING_S = 2.0
NEWS_S = 0.2  # others know so long after a link came up that they need not relay over it
HEARD_S = 10.0  # a peer heard within this time counts as linked


class Heartbeat:
    """Of one process. Call `beat` at `due`."""

    def __init__(self, table: Table, pausing: Pausing, now: float) -> None:
        self.due = now
        self._table = table
        self._pausing = pausing

    def linked(self, link: bytes, now: float) -> None:
        """Somebody at the table has a fresh link: they are told at once, all others soon."""
        self._table.send(link, self.ping(now))
        self.due = min(self.due, now + NEWS_S)

    def beat(self, now: float) -> None:
        """A sign of life to everybody, and when the next one is due."""
        self.due = now + PING_S
        self.tell(now)

    def tell(self, now: float) -> None:
        """One out of turn: there is something that others should know."""
        self._table.to_all(self.ping(now))

    def ping(self, now: float) -> frames.Ping:
        """What there is to say of this process."""
        table, mates = self._table, self._table.mates
        heard = tuple(key for key, state in table.links.items() if state.heard_at > now - HEARD_S and key in mates)
        pauses = tuple((key, int(wish)) for key, wish in sorted(self._pausing.wishes.items())
                       if wish and (key in heard or key == table.own))
        return frames.Ping(heard[:MOST_SEATS], *table.place, pauses[:MOST_SEATS], len(table.watchers))

    def received(self, link: bytes, ping: frames.Ping, now: float) -> None:
        """Somebody at the table gives one."""
        table, mates = self._table, self._table.mates
        state = table.links[link]
        state.hears, state.stage = frozenset(ping.heard), ping.stage
        table.watchers.told(link, ping.watchers)
        wishes = {key: Wish(wish) for key, wish in ping.pauses}
        self._pausing.said(link, {*table.linked, table.own}, wishes, [key for key in ping.heard if key in mates],
                           now)
        for key in ping.heard:
            table.heard(key, now)
