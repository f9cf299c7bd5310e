"""Who wants the clocks to stand still: a courtesy among those who play, never part of the record (protocol.md section
10.3). Must not know clocks or links."""

from collections.abc import Iterable, Mapping
from enum import IntEnum


class Wish(IntEnum):
    """What a player says about a pause. A program with nobody at it agrees to whatever the others want."""

    NO = 0
    YES = 1
    INDIFFERENT = 2


class Pausing:
    """The last known wish of each player, by key."""

    def __init__(self) -> None:
        self.wishes: dict[bytes, Wish] = {}

    def said(self, by: bytes, direct: Iterable[bytes], wishes: Mapping[bytes, Wish], heard: Iterable[bytes]) -> None:
        """A ping over a link: its sender's own wish, and those of the others that it hears.

        `direct`: whom this process hears itself. Whoever is heard by nobody may sleep through a pause, and keeps it.
        """
        here = set(direct)
        for key in {by, *(key for key in heard if key not in here)}:
            self.wishes[key] = wishes.get(key, Wish.NO)

    def wanted_by(self, players: Iterable[bytes]) -> tuple[bytes, ...]:
        """Those of some players who ask for a pause."""
        return tuple(key for key in players if self.wishes.get(key) is Wish.YES)

    def agreed(self, players: Iterable[bytes]) -> bool:
        """Whether somebody asks for a pause, and nobody wants to go on."""
        found = [self.wishes.get(key, Wish.NO) for key in players]
        return Wish.YES in found and Wish.NO not in found
