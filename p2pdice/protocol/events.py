"""What a table tells its screen, as frozen records in the past tense. Seats are numbers; names, words and languages
are the screen's business. The records of the rules (RoundBegan, RoundSettled, ...) are events as they are."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from p2pdice.rules import Action, Ended, Gone, OrderDrawn, RoundBegan, RoundSettled, Ruleset

Dice = tuple[int, ...]
NOBODY = -1  # the seat of whoever has none: in a replay, and where somebody watches


@dataclass(frozen=True, slots=True)
class Listening:
    """Others can join at these addresses; `line` is what they type."""

    port: int
    addresses: tuple[str, ...]
    line: str


@dataclass(frozen=True, slots=True)
class LobbyChanged:
    """Who sits at the table before the game. `bots` holds, per place, the place of the bot's owner, or None."""

    title: str
    names: tuple[str, ...]
    bots: tuple[int | None, ...]
    ready: tuple[bool, ...]
    needed: int | None
    code: str | None
    you: int
    hosting: bool
    rules: Ruleset
    turn_time_s: int
    drop_time_s: int


@dataclass(frozen=True, slots=True)
class TableFormed:
    """All have accepted the rules and opened the toss: seats, words and the game's id (hex) are fixed. `you`: NOBODY
    for whoever has no seat."""

    game: str
    words: str
    you: int
    names: tuple[str, ...]
    bots: tuple[int | None, ...]
    rules: Ruleset
    turn_time_s: int
    drop_time_s: int


@dataclass(frozen=True, slots=True)
class MayOblige:
    """The opener may choose a special round, before the dice are known."""

    seat: int


@dataclass(frozen=True, slots=True)
class DiceDealt:
    """What one local seat knows of the new dice: its own (None in blind rounds) and other cups it sees."""

    seat: int
    own: Dice | None
    seen: Mapping[int, Dice]

    def __repr__(self) -> str:
        """Dice that are not yet public stay out of logs."""
        return f"DiceDealt(seat={self.seat})"


@dataclass(frozen=True, slots=True)
class TurnBegan:
    """A seat is to move; `seconds` is its clock (None: no clock), `legal` its moves if the seat is local."""

    seat: int
    seconds: float | None
    legal: tuple[Action, ...] | None


@dataclass(frozen=True, slots=True)
class MayCall:
    """What a local seat may do out of turn until the next bid."""

    seat: int
    legal: tuple[Action, ...]


@dataclass(frozen=True, slots=True)
class ActionMade:
    """A seat's move stands; `auto` if its client made it when the clock ran out."""

    seat: int
    action: Action
    auto: bool


@dataclass(frozen=True, slots=True)
class CupsShown:
    """The cups that a call opened, by seat."""

    cups: Mapping[int, Dice]


@dataclass(frozen=True, slots=True)
class PeerLost:
    """The link to a seat's process is gone; the seat is kept."""

    seat: int


@dataclass(frozen=True, slots=True)
class PeerBack:
    """The link to a seat's process stands again."""

    seat: int


@dataclass(frozen=True, slots=True)
class Halted:
    """The game stands still until the others agree; `missing`: seats of players whose message is late."""

    missing: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Resumed:
    """Nobody is out: the game goes on where it stood."""


@dataclass(frozen=True, slots=True)
class PauseWanted:
    """Who asks for a pause now; `paused` once nobody who plays wants to go on. `seconds`: left of the open turn."""

    seats: tuple[int, ...]
    paused: bool
    seconds: float | None


@dataclass(frozen=True, slots=True)
class Dropped:
    """Seats are out, by the votes of those seats; the open round is void. `reason`: silent, left or evidence."""

    seats: tuple[int, ...]
    reason: str
    votes: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class FaultProved:
    """Evidence convicts a seat; `evidence` is what verify accepts (protocol.md section 8)."""

    seat: int
    kind: str
    evidence: bytes
    transcript: str | None = None


@dataclass(frozen=True, slots=True)
class NewKey:
    """Somebody of that name was met before, with another key."""

    seat: int


@dataclass(frozen=True, slots=True)
class ChatSaid:
    """A line from a seat (a place of the lobby before the game), not part of the record."""

    seat: int
    text: str


@dataclass(frozen=True, slots=True)
class Watched:
    """So many watch this table without a seat."""

    count: int


@dataclass(frozen=True, slots=True)
class Refused:
    """An own move or command was refused; nothing was sent. `fields` hold what explains the reason."""

    reason: str
    fields: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Troubled:
    """Something does not work that the game can do without: discovery, keeping files. Said once."""

    reason: str
    fields: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Closed:
    """The end, whatever kind: won, abandoned, forked, convicted, dropped, left, or a lobby reason. Always last.

    With "again" among `fields` the game has not ended for its files: another process may take it up once more.
    """

    winners: tuple[int, ...]
    status: int
    reason: str
    fields: Mapping[str, object] = field(default_factory=dict)
    transcript: str | None = None


Event: TypeAlias = (
    Listening | LobbyChanged | TableFormed | OrderDrawn | RoundBegan | MayOblige | DiceDealt | TurnBegan | MayCall
    | ActionMade | CupsShown | RoundSettled | Gone | Ended | PeerLost | PeerBack | Halted | Resumed | PauseWanted
    | Dropped | FaultProved | NewKey | ChatSaid | Watched | Refused | Troubled | Closed)
