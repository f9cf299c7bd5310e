"""What a process keeps besides its transcript, to come back to its seat after a crash (protocol.md section 10): named
byte strings, which only its own state folder ever sees. Must not know files or links."""

from collections.abc import Mapping, Sequence
from typing import cast

from p2pdice.fairness.keys import KEY_BYTES, SigningKey
from p2pdice.protocol.codec import pack, unpack
from p2pdice.protocol.errors import Malformed
from p2pdice.protocol.frames import MOST_ADDRESSES, RECORD
from p2pdice.protocol.messages import MOST_SEATS, Signed
from p2pdice.protocol.shapes import Int, Many, Raw, Text, row

Others = tuple[bytes, int, tuple[str, ...]]  # key, port, addresses

_OTHERS = Many(row(Raw((KEY_BYTES,)), Int(65535), Many(Text(64), MOST_ADDRESSES)), MOST_SEATS)


def unrecorded(kept: Mapping[str, bytes], entries: int) -> list[tuple[str, Signed]]:
    """What a crash kept from the transcript, which has so many entries: to be added to it before anything else."""
    found: list[tuple[str, Signed]] = []
    while (raw := kept.get(f"record-{entries + len(found)}")) is not None:
        try:
            value = unpack(raw, RECORD.fits)
        except Malformed:
            break
        kind, body, signature = cast("tuple[str, bytes, bytes]", value)
        found.append((kind, Signed(body, signature)))
    return found


def unpack_others(raw: bytes) -> tuple[Others, ...]:
    """Where the others were, out of what was kept; nobody if it is damaged."""
    try:
        return cast("tuple[Others, ...]", unpack(raw, _OTHERS.fits))
    except Malformed:
        return ()


def pack_kept(snapshot: Mapping[str, bytes], bots: Sequence[tuple[SigningKey, str]], others: Sequence[Others],
              records: Sequence[tuple[str, Signed]], entries: int, code: str) -> dict[str, bytes]:
    """A session's snapshot, the keys of this process's bots, where the others are, the room code, and the records that
    are just about to be added to a transcript of so many entries."""
    keys = {f"bot-{number}": key.secret() for number, (key, _) in enumerate(bots)}
    added = {f"record-{number}": pack((kind, signed.body, signed.signature))
             for number, (kind, signed) in enumerate(records, start=entries)}
    return {**snapshot, **keys, **added, "others": pack(tuple(others)), "code": code.encode()}
