"""Unambiguous bytes for hashing and signing: F and H of protocol.md section 2. Each part carries its length, so no two
lists of parts give the same bytes. This file must not know what is hashed."""

from collections.abc import Sequence
from hashlib import sha256

from p2pdice.fairness.labels import PREFIX, Label

HASH_BYTES = 32
Part = bytes | int | str


def frame(label: Label, *parts: Part) -> bytes:
    """F(label, part...): u32be length and bytes of the prefixed label, then of each part (protocol.md section 2).

    An int part is 8 bytes big-endian and must be 0..2^64-1 (OverflowError else); a str part is its UTF-8.
    """
    return framed(label, parts)


def framed(label: Label, parts: Sequence[Part]) -> bytes:
    """The same of parts that are together already."""
    raw = label.head
    for part in parts:
        if not isinstance(part, bytes):
            part = part.to_bytes(8, "big") if isinstance(part, int) else part.encode()
        raw += len(part).to_bytes(4, "big") + part
    return raw


def digest(label: Label, *parts: Part) -> bytes:
    """H(label, part...) = SHA-256 of the framed parts: 32 bytes. Serves as hash, commitment and key derivation."""
    return sha256(framed(label, parts)).digest()


def unframe(raw: bytes) -> tuple[str, list[bytes]]:
    """Label and parts of framed bytes. Raises ValueError for bytes that `frame` never gives."""
    parts = []
    place = 0
    while place < len(raw):
        length = int.from_bytes(raw[place:place + 4], "big")
        part = raw[place + 4:place + 4 + length]
        if place + 4 + length > len(raw):
            raise ValueError("framed bytes that are cut short")
        parts.append(part)
        place += 4 + length
    name = parts.pop(0).decode() if parts else ""
    if not name.startswith(PREFIX):
        raise ValueError("framed bytes without our label")
    return name.removeprefix(PREFIX), parts
