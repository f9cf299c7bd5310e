"""Who wants the clocks to stand still: a courtesy among those who play, never part of the record (protocol.md section
10.3). Must not know how clocks run, nor links."""

from collections.abc import Iterable, Mapping
from enum import IntEnum
from typing import TYPE_CHECKING

from p2pdice.protocol.events import PauseWanted
from p2pdice.protocol.often import NEWS_PER_MINUTE, Often

if TYPE_CHECKING:
    from p2pdice.protocol.session import Session


class Wish(IntEnum):
    """What a player says about a pause. A program with nobody at it agrees to whatever the others want."""

    NO = 0
    YES = 1
    INDIFFERENT = 2


class Pausing:
    """The last known wish of each player, by key, and what they have come to."""

    def __init__(self) -> None:
        self.wishes: dict[bytes, Wish] = {}
        self._often = Often(NEWS_PER_MINUTE)
        self._told: tuple[tuple[bytes, ...], bool] = ((), False)  # who wants a pause, and whether there is one

    def said(self, by: bytes, direct: Iterable[bytes], wishes: Mapping[bytes, Wish], heard: Iterable[bytes],
             now: float) -> None:
        """A ping over a link: its sender's own wish, and those of the others that it hears.

        `direct`: whom this process hears itself. Whoever is heard by nobody may sleep through a pause, and keeps it.
        Whoever changes their mind without end is not followed for a while.
        """
        here = set(direct)
        for key in {by, *(key for key in heard if key not in here)}:
            wish = wishes.get(key, Wish.NO)
            if wish != self.wishes.get(key, Wish.NO) and self._often.allows(key, now):
                self.wishes[key] = wish

    def wanted_by(self, players: Iterable[bytes]) -> tuple[bytes, ...]:
        """Those of some players who ask for a pause."""
        return tuple(key for key in players if self.wishes.get(key) is Wish.YES)

    def agreed(self, players: Iterable[bytes]) -> bool:
        """Whether somebody asks for a pause, and nobody wants to go on."""
        found = [self.wishes.get(key, Wish.NO) for key in players]
        return Wish.YES in found and Wish.NO not in found

    def settle(self, session: "Session", now: float) -> None:
        """A game's clocks stand still once everybody in it wants it, until somebody does not."""
        if Wish.YES not in self.wishes.values() and not any(self._told):
            return
        order = [player.key for player in session.seated.players]
        playing = [order[seat] for seat in session.ledger.owners_in(session.ledger.game)]
        now_so = self.wanted_by(playing), not session.closed and self.agreed(playing)
        if now_so != self._told:
            self._told = now_so
            seconds = session.pause(now_so[1], now)
            session.events.append(PauseWanted(tuple(order.index(key) for key in now_so[0]), now_so[1], seconds))
