"""What stands before any rule of the game, for verify_independent.py: encoding, framing, streams, keys and the shapes
of messages, from protocol.md alone, nothing of the package. Section numbers are those of protocol.md."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import msgpack
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey

LIMIT = 65536
EVIDENCE_LIMIT = 32768
BIG = 2**53
ROUNDS = 2**32


class Wrong(Exception):
    """The file is not as it must be; `seat` is whom that convicts, if anybody."""

    def __init__(self, reason: str, seat: int | None = None) -> None:
        super().__init__(reason)
        self.reason, self.seat = reason, seat


# --- encoding (section 1), framing and streams (section 2), keys (section 3)


def _plain(value: Any, depth: int = 0) -> bool:
    if isinstance(value, list):
        return depth < 5 and all(_plain(item, depth + 1) for item in value)
    if isinstance(value, str):
        return not any(ord(char) < 32 or 127 <= ord(char) < 160 for char in value)
    return isinstance(value, bytes) or (type(value) is int and 0 <= value <= BIG)


def decode(raw: bytes) -> Any:
    """The one value that these bytes are the only encoding of."""
    try:
        value = msgpack.unpackb(raw, raw=False, strict_map_key=True) if len(raw) <= LIMIT else None
    except Exception as error:  # msgpack has no common base for what it raises
        raise Wrong("not-canonical") from error
    if not _plain(value) or msgpack.packb(value) != raw:
        raise Wrong("not-canonical")
    return value


def framed(label: str, *parts: bytes | int | str) -> bytes:
    pieces = [b"p2pdice/1/" + label.encode()]
    for part in parts:
        pieces.append(part.to_bytes(8, "big") if isinstance(part, int)
                      else part.encode() if isinstance(part, str) else part)
    return b"".join(len(piece).to_bytes(4, "big") + piece for piece in pieces)


def hashed(label: str, *parts: bytes | int | str) -> bytes:
    return hashlib.sha256(framed(label, *parts)).digest()


def unframed(raw: bytes) -> list[bytes]:
    """Label and parts; empty if it is no framing."""
    parts = []
    while raw:
        size = int.from_bytes(raw[:4], "big")
        if len(raw) < 4 + size:
            return []
        parts.append(raw[4:4 + size])
        raw = raw[4 + size:]
    return parts


class Stream:
    def __init__(self, seed: bytes) -> None:
        self._bytes = self._blocks(seed)

    @staticmethod
    def _blocks(seed: bytes) -> Iterator[int]:
        for block in range(BIG):
            yield from hashed("stream", seed, block)

    def index(self, size: int) -> int:
        return next(byte for byte in self._bytes if byte < 256 - 256 % size) % size

    def dice(self, count: int) -> list[int]:
        return [1 + self.index(6) for _ in range(count)]

    def shuffle(self, size: int) -> list[int]:
        order = list(range(size))
        for i in range(size - 1, 0, -1):
            j = self.index(i + 1)
            order[i], order[j] = order[j], order[i]
        return order

    def word(self) -> str:
        return "".join("bdfgklmnprst"[self.index(12)] + "aeiou"[self.index(5)] for _ in range(2))


P = 2**255 - 19
_D = -121665 * pow(121666, -1, P) % P


def _root(square: int) -> int | None:
    root = pow(square, (P + 3) // 8, P)
    for candidate in (root, root * pow(2, (P - 1) // 4, P) % P):
        if candidate * candidate % P == square % P:
            return candidate
    return None


def _weak() -> set[int]:
    """The y of all points of small order. Doubling gives y = 0 where x^2 = -y^2, so d y^4 + 2 y^2 - 1 = 0."""
    weak, inner = {0, 1, P - 1}, _root(1 + _D)
    for sign in (1, -1):
        y = None if inner is None else _root((sign * inner - 1) * pow(_D, -1, P) % P)
        weak |= set() if y is None else {y, P - y}
    return weak


WEAK = _weak()


def good_key(key: bytes) -> bool:
    y = int.from_bytes(key, "little") % 2**255
    return len(key) == 32 and y < P and y not in WEAK


def good_round_key(key: bytes) -> bool:
    if len(key) != 32 or int.from_bytes(key, "little") >= P:
        return False
    try:
        X25519PrivateKey.from_private_bytes(b"\x40" * 32).exchange(X25519PublicKey.from_public_bytes(key))
    except ValueError:
        return False
    return True


def signed(key: bytes, body: bytes, signature: bytes) -> bool:
    try:
        Ed25519PublicKey.from_public_bytes(key).verify(signature, framed("sig", body))
    except (InvalidSignature, ValueError):
        return False
    return len(signature) == 64


# --- shapes (sections 4.2, 5.2, 9)

Shape = Callable[[Any], bool]


def num(high: int, low: int = 0) -> Shape:
    return lambda value: type(value) is int and low <= value <= high


def raw(*sizes: int) -> Shape:
    return lambda value: isinstance(value, bytes) and len(value) in sizes


def text(limit: int) -> Shape:
    return lambda value: isinstance(value, str) and len(value.encode()) <= limit


def word(*words: str) -> Shape:
    return lambda value: isinstance(value, str) and value in words


def row(*shapes: Shape) -> Shape:
    return lambda value: (isinstance(value, list) and len(value) == len(shapes)
                          and all(shape(item) for shape, item in zip(shapes, value, strict=True)))


def many(shape: Shape, limit: int) -> Shape:
    return lambda value: isinstance(value, list) and len(value) <= limit and all(map(shape, value))


def either(*shapes: Shape) -> Shape:
    return lambda value: any(shape(value) for shape in shapes)


KEY = raw(32)
BYTES: Shape = lambda value: isinstance(value, bytes) and len(value) <= LIMIT  # noqa: E731
PAIRS = many(row(BYTES, raw(64)), 32)
CALL = either(row(word("bid"), num(999), num(9), word("", "left", "right")), row(word("dudo", "calzo", "paso")))
LOBBY = {"JOIN": row(raw(16), KEY, text(96), KEY, KEY, many(KEY, 31)),
         "ROSTER": row(raw(16), KEY, text(32), many(row(text(32), text(32)), 40), num(86400), num(86400), PAIRS),
         "ACCEPT": row(KEY, KEY), "SEAT_OPEN": row(KEY, KEY, KEY, KEY)}
PAYLOADS = {
    "MODE": row(word("open", "closed", "no"), num(1)),
    "COMMIT": row(num(ROUNDS), many(row(num(32), KEY), 33), raw(0, 32)),
    "OPEN": row(many(row(num(32), KEY), 33), many(row(num(32), num(31), raw(80)), 32)),
    "READY": row(KEY, either(row(), row(num(31), num(31), KEY))),
    "ACT": row(CALL, num(1)), "SEAL": row(KEY), "ANSWER": row(KEY),
    "SHOW": row(either(row(CALL, num(1)), word("waive", "claim")), KEY),
    "REVEAL": row(KEY, many(row(num(31), num(31), KEY), 32))}
MODE, LAST, NAMED = word("", "open", "closed", "no"), either(row(), row(KEY)), many(row(num(31), KEY), 32)
VOTES = {
    "HALT": row(num(ROUNDS), MODE, num(BIG), num(1), many(either(row(num(31), num(BIG)), row(num(31))), 64), LAST),
    "PROPOSE": row(NAMED, NAMED, NAMED),
    "DROP": row(KEY, either(row(), row(many(row(num(31), word("evidence", "left", "silent"), raw(0, 32)), 32),
                                       num(ROUNDS), KEY, MODE))),
    "LEAVE": row(num(65536), num(BIG), LAST)}


def lobby(body: bytes, kind: str) -> list[Any]:
    value = decode(body)
    if not isinstance(value, list) or value[:2] != [1, kind] or type(value[0]) is not int \
            or not LOBBY[kind](value[2:]):
        raise Wrong("not-a-lobby-message")
    return value[2:]


@dataclass(frozen=True)
class Body:
    """A message of the game, or a vote."""

    raw: bytes
    kind: str
    game_id: bytes
    epoch: bytes
    slot: int | list[Any]
    state: bytes
    seat: int
    payload: list[Any]

    @classmethod
    def of(cls, raw_body: bytes) -> Body:
        value = decode(raw_body)
        head = row(num(1, 1), text(16), KEY, KEY, lambda slot: True, raw(0, 32), num(31), lambda payload: True)
        if not head(value) or not _fits(value[1], value[4], value[5], value[7]):
            raise Wrong("not-a-game-message")
        return cls(raw_body, *value[1:])

    @property
    def at(self) -> int:
        """The slot of a message that is no vote."""
        assert isinstance(self.slot, int)
        return self.slot

    @property
    def votes_at(self) -> list[Any]:
        """Word, halt and ballot of a vote."""
        assert isinstance(self.slot, list)
        return self.slot


def _fits(kind: str, slot: Any, state: bytes, payload: Any) -> bool:
    if kind in PAYLOADS:
        return num(BIG)(slot) and len(state) == 32 and PAYLOADS[kind](payload)
    place = row(word("leave")) if kind == "LEAVE" else row(word(kind.lower()), num(65536), num(65536))
    named = len(state) == (32 if kind in ("HALT", "LEAVE") else 0)
    return kind in VOTES and place(slot) and named and VOTES[kind](payload)
