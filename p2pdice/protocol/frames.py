"""What travels over one authenticated link, as a table of typed fields: signed bodies in batches, and the talk around
them that is never part of a game's record (protocol.md section 7). Must not know what a frame leads to."""

from collections.abc import Mapping
from typing import Any, NamedTuple, TypeAlias

from p2pdice.fairness.framing import HASH_BYTES
from p2pdice.fairness.keys import KEY_BYTES, SIGNATURE_BYTES
from p2pdice.protocol.codec import FRAME_BYTES, Value, pack, unpack
from p2pdice.protocol.messages import EVIDENCE_BYTES, MOST_RULES, MOST_SEATS, NICK_BYTES, ROOM_BYTES, SIGNED
from p2pdice.protocol.shapes import Blob, Int, Many, Raw, Shape, Text, row, word
from p2pdice.protocol.transcript import KINDS

TITLE_BYTES = 64
CHAT_BYTES = 800
MOST_ADDRESSES = 16
CODE_BYTES = 256
ELEMENT_BYTES = 32
BATCH_BYTES = 48 * 1024
BATCH_BODIES = 512
MOST_WATCHERS = 8  # of one process
MOST_NEWS = 8  # in one frame


class Look(NamedTuple):
    """Asks for the table's card."""


class Card(NamedTuple):
    """What a stranger sees of a table; where a code is needed and not proved, no more than title and state."""

    room: bytes
    title: str
    state: str
    needed: int  # seats at which the game starts by itself, 0: when the host says so
    nicks: tuple[str, ...]
    system: str
    options: tuple[tuple[str, str], ...]
    turn_time_s: int
    drop_time_s: int
    code: int = 0  # whether one is needed


class Pake(NamedTuple):
    """One side's SPAKE2 message, an element of the group; the dialler begins."""

    message: bytes


class Confirm(NamedTuple):
    """Shows that the sender has come to the same key; the dialler first."""

    mac: bytes


class Enter(NamedTuple):
    """Asks for seats: the JOIN of the link's owner, then those of its bots, and where it listens."""

    port: int
    addresses: tuple[str, ...]
    joins: tuple[tuple[bytes, bytes], ...]


class Refuse(NamedTuple):
    """No seat here, or no longer."""

    reason: str

    @property
    def word(self) -> str:
        """The reason, if it is a word as ours are: it is somebody else's text, and may come to a screen."""
        plain = self.reason.isascii() and self.reason.replace("-", "").isalpha()
        return self.reason if plain else "unknown"


class Lobby(NamedTuple):
    """Who is there, by the host: per owner, the JOINs, whether ready, where it listens. `attempt` counts the tosses
    that failed; a new one asks for fresh JOINs. `code`: the room code as it is now, if there is one."""

    attempt: int
    needed: int
    code: str
    members: tuple[tuple[tuple[tuple[bytes, bytes], ...], int, int, tuple[str, ...]], ...]


class ReadyNow(NamedTuple):
    """The sender accepts the terms it has seen, or takes that back."""

    ready: int


class Bodies(NamedTuple):
    """Signed bodies, own or relayed."""

    bodies: tuple[tuple[bytes, bytes], ...]


class Fetch(NamedTuple):
    """Asks for all messages of the game from this slot of this epoch on."""

    epoch: int  # its number, 0 for the first
    slot: int


class Proof(NamedTuple):
    """Evidence against a player."""

    evidence: bytes


class Ping(NamedTuple):
    """A sign of life: which peers the sender hears directly, how far it is, and who of it and them wants a pause."""

    heard: tuple[bytes, ...]
    stage: int  # 0 lobby, 1 toss, 2 game, 3 over
    epoch: int  # in a game: number of the epoch
    halt: int  # and of the halt in it
    position: int  # in a toss: messages known; in a game: the open slot
    state: bytes  # in a game: its S
    held: bytes  # in a game: name of what is known of the open slot and of the open halt
    pauses: tuple[tuple[bytes, int], ...] = ()  # in a game: 1 wants the clocks to stand still, 2 does not mind
    watchers: int = 0  # how many watch the table through the sender


class Chat(NamedTuple):
    """A line of talk by the link's owner."""

    text: str


class Bye(NamedTuple):
    """The sender leaves."""


class Watch(NamedTuple):
    """Asks to see the table without a seat; `last` names the last record that the sender has. Sent again after each
    `lobby` and `seen`, and then says that it has come so far."""

    last: bytes


News: TypeAlias = tuple[str, tuple[int, ...], str]  # word, seats, text


class Seen(NamedTuple):
    """What somebody who watches gets next: records of the game in their order, `first` the number of the first of them
    in the sender's own; what happens beside the record, by seat (in the lobby by place); and what follows."""

    first: int
    records: tuple[tuple[str, bytes, bytes], ...]
    news: tuple[News, ...]
    then: str  # "more" at once, "wait" for the next move, or how the game has ended here


Frame: TypeAlias = (
    Look | Card | Pake | Confirm | Enter | Refuse | Lobby | ReadyNow | Bodies | Fetch | Proof | Ping | Chat | Bye
    | Watch | Seen)

_KEY = Raw((KEY_BYTES,))
_ROOM = Raw((ROOM_BYTES,))
_PORT = Int(65535)
_ADDRESSES = Many(Text(64), MOST_ADDRESSES)
_JOINS = Many(SIGNED, MOST_SEATS)
_SECONDS = Int(24 * 3600)
_NEWS = row(word("chat", "lost", "back", "halt", "resume", "wish", "pause"), Many(Int(MOST_SEATS - 1), MOST_SEATS),
            Text(CHAT_BYTES))
RECORD = row(word(*KINDS), Blob(FRAME_BYTES), Raw((0, SIGNATURE_BYTES)))

# Word on the wire, class, shape of each field. protocol.md prints this table.
FRAMES: Mapping[str, tuple[type[Frame], tuple[Shape, ...]]] = {
    "look": (Look, ()),
    "card": (Card, (_ROOM, Text(TITLE_BYTES), word("open", "full", "playing"), Int(MOST_SEATS),
                    Many(Text(NICK_BYTES), MOST_SEATS), Text(32), Many(row(Text(32), Text(32)), MOST_RULES),
                    _SECONDS, _SECONDS, Int(1))),
    "pake": (Pake, (Raw((ELEMENT_BYTES,)),)),
    "confirm": (Confirm, (Raw((HASH_BYTES,)),)),
    "enter": (Enter, (_PORT, _ADDRESSES, _JOINS)),
    "refuse": (Refuse, (Text(32),)),
    "lobby": (Lobby, (Int(100), Int(MOST_SEATS), Text(CODE_BYTES),
                      Many(row(_JOINS, Int(1), _PORT, _ADDRESSES), MOST_SEATS))),
    "ready": (ReadyNow, (Int(1),)),
    "bodies": (Bodies, (Many(SIGNED, BATCH_BODIES),)),
    "fetch": (Fetch, (Int(), Int())),
    "proof": (Proof, (Blob(EVIDENCE_BYTES),)),
    "ping": (Ping, (Many(_KEY, MOST_SEATS), Int(3), Int(), Int(), Int(), Raw((0, HASH_BYTES)), Raw((0, HASH_BYTES)),
                    Many(row(_KEY, Int(2)), MOST_SEATS), Int(MOST_WATCHERS))),
    "chat": (Chat, (Text(CHAT_BYTES),)),
    "bye": (Bye, ()),
    "watch": (Watch, (Raw((0, HASH_BYTES)),)),
    "seen": (Seen, (Int(), Many(RECORD, BATCH_BODIES), Many(_NEWS, MOST_NEWS),
                    word("more", "wait", "won", "abandoned", "forked"))),
}
_SHAPES: Mapping[str, Shape] = {name: row(word(name), *shapes) for name, (_, shapes) in FRAMES.items()}
_WORDS: Mapping[type, str] = {frame: name for name, (frame, _) in FRAMES.items()}


def encode(frame: Frame) -> bytes:
    """The bytes of a frame."""
    return pack((_WORDS[type(frame)], *frame))


def decode(raw: bytes) -> Frame:
    """Raises Malformed."""
    value: Any = unpack(raw, _is_frame, "not-a-frame")
    return FRAMES[value[0]][0](*value[1:])


def _is_frame(value: Value) -> bool:
    """Whether a value is a frame's word, and its fields."""
    name = value[0] if type(value) is tuple and value else None
    return type(name) is str and name in _SHAPES and _SHAPES[name].fits(value)


def batches(bodies: list[tuple[bytes, bytes]]) -> list[Bodies]:
    """Bodies in as few frames as their sizes allow."""
    frames: list[list[tuple[bytes, bytes]]] = [[]]
    size = 0
    for body in bodies:
        size += len(body[0]) + 80
        if frames[-1] and (size > BATCH_BYTES or len(frames[-1]) == BATCH_BODIES):
            frames.append([])
            size = len(body[0]) + 80
        frames[-1].append(body)
    return [Bodies(tuple(batch)) for batch in frames if batch]
