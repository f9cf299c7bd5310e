"""The record of a game as a chain of entries, each naming the one before: writing them one by one, reading them back,
and saying where a file is damaged (protocol.md section 9). Must not know what a body means, nor files."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from p2pdice.fairness.framing import HASH_BYTES, digest
from p2pdice.fairness.keys import SIGNATURE_BYTES
from p2pdice.fairness.labels import Label
from p2pdice.protocol.codec import FRAME_BYTES, pack, unpack
from p2pdice.protocol.errors import Malformed
from p2pdice.protocol.messages import Signed
from p2pdice.protocol.shapes import Blob, Int, Raw, row, word

MAGIC = b"p2pdice/1 transcript\n"
KINDS = ("roster", "accept", "seat", "game", "vote", "evidence")

# number, hash of the entry before (of MAGIC for the first), kind, body, signature (none for evidence)
ENTRY = row(Int(), Raw((HASH_BYTES,)), word(*KINDS), Blob(FRAME_BYTES), Raw((0, SIGNATURE_BYTES)))


class Entry(NamedTuple):
    """One entry: its number from 0, and what it holds."""

    number: int
    kind: str
    signed: Signed


class Damaged(ValueError):
    """The file does not go on as it must at entry `number`, byte `offset`. `cut`: it just ends too early there."""

    def __init__(self, number: int, offset: int, cut: bool) -> None:
        super().__init__(f"entry {number}")
        self.number = number
        self.offset = offset
        self.cut = cut


class TranscriptWriter:
    """Turns what happens into the bytes to append; the first ones start with MAGIC."""

    def __init__(self, number: int = 0, previous: bytes = b"") -> None:
        """To go on with a file: the number of its next entry and the hash of its last one."""
        self._number = number
        self._previous = previous or digest(Label.RECORD, MAGIC)

    @property
    def entries(self) -> int:
        """How many there are."""
        return self._number

    def add(self, kind: str, signed: Signed) -> bytes:
        """The bytes of the next entry."""
        entry = pack((self._number, self._previous, kind, signed.body, signed.signature))
        start = b"" if self._number else MAGIC
        self._number += 1
        self._previous = digest(Label.RECORD, entry)
        return start + len(entry).to_bytes(4, "big") + entry


def go_on_with(raw: bytes) -> tuple[TranscriptWriter, int]:
    """A writer for the entry after the last whole one of a file, and how many bytes are whole.

    Raises Damaged if anything but the end is wrong.
    """
    if not MAGIC.startswith(raw[:len(MAGIC)]):
        raise Damaged(0, 0, cut=False)
    writer, whole = TranscriptWriter(), 0
    try:
        for entry in read_entries(raw):
            whole += len(writer.add(entry.kind, entry.signed))
    except Damaged as damaged:
        if not damaged.cut:
            raise
    return writer, whole


def is_transcript(raw: bytes) -> bool:
    """Whether a file claims to be a transcript at all."""
    return raw.startswith(MAGIC)


def read_entries(raw: bytes) -> Iterator[Entry]:
    """The entries of a transcript, in order. Raises Damaged at the first that is not what was written there."""
    previous = digest(Label.RECORD, MAGIC)
    offset, number = len(MAGIC), 0
    while offset < len(raw):
        start = offset + 4
        end = start + int.from_bytes(raw[offset:start], "big")
        entry = raw[start:end]
        if len(raw) < end <= start + FRAME_BYTES:
            raise Damaged(number, offset, cut=True)
        try:
            value: Any = unpack(entry, ENTRY.fits, "not-an-entry")
        except Malformed as error:
            raise Damaged(number, offset, cut=False) from error
        found, before, kind, body, signature = value
        if found != number or before != previous:
            raise Damaged(number, offset, cut=False)
        yield Entry(number, kind, Signed(body, signature))
        previous = digest(Label.RECORD, entry)
        offset, number = end, number + 1
