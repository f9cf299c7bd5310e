"""Every message that is signed, as a table of typed fields, and the envelope around those of a game (protocol.md
sections 4 and 5). Knows shapes and signatures; must not know turns, nor whether a message fits the moment."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, NamedTuple, TypeAlias, TypeVar, cast

from p2pdice.fairness.chain import body_hash
from p2pdice.fairness.framing import HASH_BYTES
from p2pdice.fairness.keys import KEY_BYTES, SIGNATURE_BYTES, SigningKey, Verifier
from p2pdice.fairness.labels import Label
from p2pdice.fairness.seal import BOX_BYTES
from p2pdice.fairness.shares import SHARE_BYTES
from p2pdice.protocol.codec import FRAME_BYTES, Value, pack, unpack
from p2pdice.protocol.errors import Malformed
from p2pdice.protocol.shapes import Blob, Int, Many, Raw, Shape, Text, either, row, word

PROTOCOL = 1
MOST_SEATS = 32
NICK_BYTES = 96
ROOM_BYTES = 16
MOST_RULES = 40
SALT_BYTES = 32
EVIDENCE_BYTES = 32 * 1024  # no true piece takes half of it; with what stands around it, it fits a record and a frame

Call: TypeAlias = tuple[str, int, int, str] | tuple[str]  # ("bid", quantity, face, way) or (word,)


# The lobby's messages, as their fields.
class Joining(NamedTuple):
    room: bytes
    key: bytes
    nick: str
    seat_commit: bytes
    owner: bytes
    bots: tuple[bytes, ...]


class Proposal(NamedTuple):
    room: bytes
    key: bytes
    system: str
    options: tuple[tuple[str, str], ...]
    turn_time_s: int
    drop_time_s: int
    joins: tuple[tuple[bytes, bytes], ...]


class Acceptance(NamedTuple):
    table: bytes
    key: bytes


class SeatOpening(NamedTuple):
    table: bytes
    genesis: bytes
    key: bytes
    nonce: bytes


# The game's messages: the payload inside the envelope.
class Mode(NamedTuple):
    choice: str
    auto: int


class Commit(NamedTuple):
    round_number: int
    commitments: tuple[tuple[int, bytes], ...]  # (cup, commitment)
    round_key: bytes


class Open(NamedTuple):
    shares: tuple[tuple[int, bytes], ...]  # (cup, share)
    boxes: tuple[tuple[int, int, bytes], ...]  # (cup, viewer, box)


class Ready(NamedTuple):
    commit_state: bytes
    complaint: "tuple[()] | tuple[int, int, bytes]"  # (sender, cup, secret of the one-round key)


class Act(NamedTuple):
    call: Call
    auto: int


class Seal(NamedTuple):
    seal: bytes


class Answer(NamedTuple):
    seal: bytes


class Show(NamedTuple):
    sealed: "tuple[Call, int] | str"  # an Act by the mover, "waive" or "claim" by a caller
    salt: bytes


class Reveal(NamedTuple):
    commit_state: bytes
    shares: tuple[tuple[int, int, bytes], ...]  # (cup, contributor, share)


class Halt(NamedTuple):
    rounds: int  # finished at the boundary whose S the envelope names
    mode: str  # the choice signed in MODE after it, "" if none
    tip: int  # the open slot
    own: int  # 1: all that the author's seats owe to it is signed
    names: "tuple[tuple[int, int] | tuple[int], ...]"  # (owner, slot) or, for a missing HALT, (owner,)
    last: "tuple[()] | tuple[bytes]"  # hash of the author's latest DROP of this halt


class Propose(NamedTuple):
    halts: tuple[tuple[int, bytes], ...]  # (owner, hash of its HALT of this ballot)
    leaves: tuple[tuple[int, bytes], ...]  # (owner, hash of its LEAVE)
    proofs: tuple[tuple[int, bytes], ...]  # (owner, hash of evidence against it or a bot of it)


class Drop(NamedTuple):
    proposal: bytes  # hash of the PROPOSE it follows
    outcome: "tuple[()] | tuple[tuple[tuple[int, str, bytes], ...], int, bytes, str]"  # (), or out, rounds, S, mode


class Leave(NamedTuple):
    halt: int  # the halt (h) it is said in
    ballot: int  # 1 + the ballot of its author's highest HALT of that halt, 0 for none, 2^53 if it cannot be sure
    last: "tuple[()] | tuple[bytes]"


LobbyFields: TypeAlias = Joining | Proposal | Acceptance | SeatOpening
SlotPayload: TypeAlias = Mode | Commit | Open | Ready | Act | Seal | Answer | Show | Reveal
VotePayload: TypeAlias = Halt | Propose | Drop | Leave
Payload: TypeAlias = SlotPayload | VotePayload
VoteSlot: TypeAlias = tuple[str, int, int] | tuple[str]  # ("halt" | "propose" | "drop", h, t) or ("leave",)

_HASH = Raw((HASH_BYTES,))
_KEY = Raw((KEY_BYTES,))
_SHARE = Raw((SHARE_BYTES,))
_SEAT = Int(MOST_SEATS - 1)
_CUP = Int(MOST_SEATS)  # a cup's number is its owner's seat; the table's own cup is number n
_AUTO = Int(1)
_SECONDS = Int(24 * 3600)
SIGNED = row(Blob(FRAME_BYTES), Raw((SIGNATURE_BYTES,)))

# Bounds here only keep garbage out; whether a quantity or a face is legal is the rules' to say (ILLEGAL).
_CALL = either(
    row(word("bid"), Int(999), Int(9), word("", "left", "right")),
    row(word("dudo", "calzo", "paso")),
)
ACT = row(_CALL, _AUTO)

_CHOICE = word("", "open", "closed", "no")
_LAST = either(row(), row(_HASH))
_NAMED = Many(row(_SEAT, _HASH), MOST_SEATS)

# Type word on the wire, class of the fields, shape of each field in order. protocol.md prints both tables.
LOBBY_MESSAGES: Mapping[str, tuple[type[LobbyFields], tuple[Shape, ...]]] = {
    "JOIN": (Joining, (Raw((ROOM_BYTES,)), _KEY, Text(NICK_BYTES), _HASH, _KEY, Many(_KEY, MOST_SEATS - 1))),
    "ROSTER": (Proposal, (Raw((ROOM_BYTES,)), _KEY, Text(32), Many(row(Text(32), Text(32)), MOST_RULES),
                          _SECONDS, _SECONDS, Many(SIGNED, MOST_SEATS))),
    "ACCEPT": (Acceptance, (_HASH, _KEY)),
    "SEAT_OPEN": (SeatOpening, (_HASH, _HASH, _KEY, _SHARE)),
}
GAME_MESSAGES: Mapping[str, tuple[type[Payload], tuple[Shape, ...]]] = {
    "MODE": (Mode, (word("open", "closed", "no"), _AUTO)),
    "COMMIT": (Commit, (Int(2**32), Many(row(_CUP, _HASH), MOST_SEATS + 1), Raw((0, KEY_BYTES)))),
    "OPEN": (Open, (Many(row(_CUP, _SHARE), MOST_SEATS + 1), Many(row(_CUP, _SEAT, Raw((BOX_BYTES,))), MOST_SEATS))),
    "READY": (Ready, (_HASH, either(row(), row(_SEAT, _SEAT, _KEY)))),
    "ACT": (Act, (_CALL, _AUTO)),
    "SEAL": (Seal, (_HASH,)),
    "ANSWER": (Answer, (_HASH,)),
    "SHOW": (Show, (either(ACT, word("waive", "claim")), Raw((SALT_BYTES,)))),
    "REVEAL": (Reveal, (_HASH, Many(row(_SEAT, _SEAT, _SHARE), MOST_SEATS))),
    "HALT": (Halt, (Int(2**32), _CHOICE, Int(), _AUTO, Many(either(row(_SEAT, Int()), row(_SEAT)), 2 * MOST_SEATS),
                    _LAST)),
    "PROPOSE": (Propose, (_NAMED, _NAMED, _NAMED)),
    "DROP": (Drop, (_HASH, either(row(), row(Many(row(_SEAT, word("evidence", "left", "silent"), Raw((0, HASH_BYTES))),
                                                  MOST_SEATS), Int(2**32), _HASH, _CHOICE)))),
    "LEAVE": (Leave, (Int(2**16), Int(), _LAST)),
}
ENVELOPE: tuple[tuple[str, Shape], ...] = (
    ("version", Int(PROTOCOL, PROTOCOL)), ("type", Text(16)), ("game_id", _HASH), ("epoch", _HASH),
    ("slot", either(Int(), row(word("halt", "propose", "drop"), Int(2**16), Int(2**16)), row(word("leave")))),
    ("state", Raw((0, HASH_BYTES))), ("seat", _SEAT),
)  # then the payload: the fields of the type

# All of a body: of the lobby by its fields, of a game by its type word.
_LOBBY_BODIES: Mapping[type, Shape] = {fields: row(Int(PROTOCOL, PROTOCOL), word(kind), *shapes)
                                       for kind, (fields, shapes) in LOBBY_MESSAGES.items()}
_GAME_BODIES: Mapping[str, Shape] = {
    kind: row(*(word(kind) if name == "type" else shape for name, shape in ENVELOPE), row(*shapes))
    for kind, (_, shapes) in GAME_MESSAGES.items()}
# Version and type word, as they stand behind the first byte of a body of the lobby.
_LOBBY_STARTS: Mapping[bytes, type[LobbyFields]] = {
    pack((PROTOCOL, kind))[1:]: fields for kind, (fields, _) in LOBBY_MESSAGES.items()}
_ANY_LOBBY_START = tuple(_LOBBY_STARTS)

_VOTE_SLOTS = {"HALT": "halt", "PROPOSE": "propose", "DROP": "drop", "LEAVE": "leave"}
_STANDING = ("HALT", "LEAVE")  # votes that name a state
_LOBBY_WORDS: Mapping[type, str] = {fields: word for word, (fields, _) in LOBBY_MESSAGES.items()}
_GAME_WORDS: Mapping[type, str] = {payload: word for word, (payload, _) in GAME_MESSAGES.items()}


@dataclass(slots=True, unsafe_hash=True)
class Signed:
    """A body and the signature over it, as they travel and as they are kept. Equal bodies are the same message.

    Never changed once made; not frozen, since there is one for all that is heard, and that makes it twice as dear.
    """

    body: bytes
    signature: bytes = field(compare=False)
    _hash: bytes = field(default=b"", init=False, compare=False, repr=False)

    @property
    def hash(self) -> bytes:
        """Name of the body: 32 bytes, worked out once."""
        if not self._hash:
            self._hash = body_hash(self.body)
        return self._hash

    def holds(self, verifier: Verifier) -> bool:
        """Whether `verifier`'s key signed the body."""
        return verifier.holds(self.signature, Label.SIGNED_BODY, self.body)

    def value(self) -> tuple[bytes, bytes]:
        """As it stands in a frame or a record."""
        return (self.body, self.signature)


P_co = TypeVar("P_co", bound=SlotPayload, covariant=True)
P = TypeVar("P", bound=SlotPayload)
V_co = TypeVar("V_co", bound=VotePayload, covariant=True)
V = TypeVar("V", bound=VotePayload)
L = TypeVar("L", bound=LobbyFields)


class Message(NamedTuple, Generic[P_co]):
    """A signed body of a game, parsed: its shape is right, nothing else has been judged."""

    game_id: bytes
    epoch: bytes
    slot: int
    state: bytes
    seat: int
    payload: P_co
    signed: Signed


class Vote(NamedTuple, Generic[V_co]):
    """A signed body of a halt, parsed in the same way: it has no place in the order of slots."""

    game_id: bytes
    epoch: bytes
    slot: VoteSlot
    state: bytes
    seat: int
    payload: V_co
    signed: Signed

    @property
    def halt(self) -> int:
        """The number of the halt (h) it belongs to."""
        return self.payload.halt if isinstance(self.payload, Leave) else cast("tuple[str, int, int]", self.slot)[1]

    @property
    def ballot(self) -> int:
        """The number of the ballot (t) of a HALT, PROPOSE or DROP."""
        return cast("tuple[str, int, int]", self.slot)[2]


AnyMessage: TypeAlias = Message[SlotPayload]
AnyVote: TypeAlias = Vote[VotePayload]


def narrow(message: AnyMessage | AnyVote, payload: type[P]) -> Message[P]:
    """The same message, known to carry that payload. Raises Malformed if it does not."""
    if not isinstance(message.payload, payload):
        raise Malformed("wrong-type")
    return message  # type: ignore[return-value]  # no vote carries the payload of a slot


def narrow_vote(vote: AnyMessage | AnyVote, payload: type[V]) -> Vote[V]:
    """The same for a vote. Raises Malformed."""
    if isinstance(vote, Message) or not isinstance(vote.payload, payload):
        raise Malformed("wrong-type")
    return cast("Vote[V]", vote)


def sign(key: SigningKey, value: Value) -> Signed:
    """Encode and sign a body."""
    body = pack(value)
    return Signed(body, key.sign(Label.SIGNED_BODY, body))


def signed_from(value: Value) -> Signed:
    """A Signed out of a frame or record. Raises Malformed."""
    if not SIGNED.fits(value):
        raise Malformed("not-a-signed-body")
    body, signature = cast("tuple[bytes, bytes]", value)
    return Signed(body, signature)


def game_value(game_id: bytes, epoch: bytes, slot: int | VoteSlot, state: bytes, seat: int, payload: Payload) -> Value:
    """A payload in the envelope of protocol.md section 5."""
    return (PROTOCOL, _GAME_WORDS[type(payload)], game_id, epoch, slot, state, seat, payload)


def sign_game(key: SigningKey, game_id: bytes, epoch: bytes, slot: int | VoteSlot, state: bytes, seat: int,
              payload: Payload) -> Signed:
    """Put a payload into its envelope and sign it."""
    return sign(key, game_value(game_id, epoch, slot, state, seat, payload))


_new = tuple.__new__  # all that a NamedTuple's own constructor calls; most of what a table hears is made here


def _is_game_body(value: Value) -> bool:
    """Whether a value is an envelope with the payload that its type word says."""
    kind = value[1] if type(value) is tuple and len(value) > 1 else None
    return type(kind) is str and kind in _GAME_BODIES and _GAME_BODIES[kind].fits(value)


def parse_game(signed: Signed) -> AnyMessage | AnyVote:
    """The message in a signed body of a game. Raises Malformed; does not look at the signature."""
    value: Any = unpack(signed.body, _is_game_body, "not-a-game-message")
    _, kind, game_id, epoch, slot, state, seat, parts = value
    payload = _new(GAME_MESSAGES[kind][0], parts)
    if type(slot) is int and kind not in _VOTE_SLOTS and state:
        return _new(Message, (game_id, epoch, slot, state, seat, payload, signed))
    if type(slot) is tuple and _VOTE_SLOTS.get(kind) == slot[0] and bool(state) == (kind in _STANDING):
        return _new(Vote, (game_id, epoch, slot, state, seat, payload, signed))
    raise Malformed("wrong-slot")


def parse_slot(signed: Signed) -> AnyMessage:
    """The same where only a message of a slot will do. Raises Malformed."""
    message = parse_game(signed)
    if isinstance(message, Vote):
        raise Malformed("wrong-type")
    return message


def parse_vote(signed: Signed) -> AnyVote:
    """The same where only a vote will do. Raises Malformed."""
    vote = parse_game(signed)
    if isinstance(vote, Message):
        raise Malformed("wrong-type")
    return vote


def sign_lobby(key: SigningKey, fields: LobbyFields) -> Signed:
    """Sign a message of the lobby."""
    return sign(key, (PROTOCOL, _LOBBY_WORDS[type(fields)], *fields))


def parse_lobby(signed: Signed, fields: type[L]) -> L:
    """The fields of a lobby message of the given type. Raises Malformed; does not look at the signature."""
    value: Any = unpack(signed.body, _LOBBY_BODIES[fields].fits, "not-a-lobby-message")
    return fields(*value[2:])


def lobby_fields(signed: Signed) -> type[LobbyFields] | None:
    """Which lobby message a body claims to be; None for anything else, such as one of a game."""
    if not signed.body.startswith(_ANY_LOBBY_START, 1):  # asked of every body of a game
        return None
    return next(fields for start, fields in _LOBBY_STARTS.items() if signed.body.startswith(start, 1))
