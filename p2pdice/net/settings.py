"""What decides how a process sits at a table, whichever way it came there. Must not know what is done with it."""

from dataclasses import dataclass
from pathlib import Path

from p2pdice.net.store import Identity
from p2pdice.protocol.roster import Seated


@dataclass(frozen=True, slots=True)
class Before:
    """The game that another one follows with the same people: its room, and the keys of those who brought its
    players."""

    room: bytes
    owners: frozenset[bytes]

    @classmethod
    def of(cls, seated: Seated) -> "Before":
        """That game, as its players were seated."""
        return cls(seated.roster.room, frozenset(player.owner for player in seated.players))


@dataclass(frozen=True, slots=True)
class Settings:
    """What host and join have in common. `auto`: the level of the bot that plays this seat, None for a person or a
    program; `consent`: nobody has to press Enter; `person`: somebody sits here who may mind a pause; `folder` None:
    keep nothing; `before`: of a rematch; `identity`: one that lives in memory and is to be used once more."""

    name: str
    folder: Path | None
    record: Path | None = None
    bind: str | None = None
    port: int | None = None
    mdns: bool = True
    auto: str | None = None
    pace_s: float = 0.0
    consent: bool = False
    person: bool = True
    before: Before | None = None
    identity: Identity | None = None
