"""What a process keeps besides its transcript, to come back to its seat after a crash (protocol.md section 10): named
byte strings, which only its own state folder ever sees. Must not know files or links."""

from collections.abc import Mapping, Sequence
from typing import cast

from p2pdice.fairness.keys import KEY_BYTES, SigningKey
from p2pdice.protocol.codec import FRAME_BYTES, pack, unpack
from p2pdice.protocol.errors import Malformed
from p2pdice.protocol.frames import MOST_ADDRESSES, RECORD
from p2pdice.protocol.messages import MOST_SEATS, Signed, signed_from
from p2pdice.protocol.roster import Roster, parse_roster
from p2pdice.protocol.shapes import Blob, Int, Many, Raw, Text, row

KEPT_RECORD = "record-"  # and the number of its entry: a record that may not be in the transcript yet
KEPT_ROUND = "round"  # with another one, the secrets that were kept have no more use: they must not stay on the disk

Others = tuple[bytes, int, tuple[str, ...]]  # key, port, addresses

_SIGNED = row(Blob(FRAME_BYTES), Blob(64))
_OTHERS = Many(row(Raw((KEY_BYTES,)), Int(65535), Many(Text(64), MOST_ADDRESSES)), MOST_SEATS)


def unrecorded(kept: Mapping[str, bytes], entries: int) -> list[tuple[str, Signed]]:
    """What a crash kept from the transcript, which has so many entries: to be added to it before anything else."""
    found: list[tuple[str, Signed]] = []
    while (raw := kept.get(f"{KEPT_RECORD}{entries + len(found)}")) is not None:
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
    added = {f"{KEPT_RECORD}{number}": pack((kind, signed.body, signed.signature))
             for number, (kind, signed) in enumerate(records, start=entries)}
    return {**snapshot, **added, **_company(bots, others, code)}


def pack_toss(roster: Signed, nonces: Mapping[bytes, bytes], bots: Sequence[tuple[SigningKey, str]],
              others: Sequence[Others], code: str) -> dict[str, bytes]:
    """What an accepted roster needs to become a game: from then on the others may begin it without this process.

    `nonces`: by the key of each local player. What is signed with them is the same each time.
    """
    opened = {f"nonce-{key.hex()}": nonce for key, nonce in nonces.items()}
    return {**opened, "roster": pack(roster.value()), **_company(bots, others, code)}


def unpack_toss(kept: Mapping[str, bytes]) -> tuple[Roster, dict[bytes, bytes]] | None:
    """The roster, and the nonce of each local player; None if it was not a toss that was kept. Raises Malformed."""
    if "roster" not in kept:
        return None
    roster = cast("tuple[bytes, bytes]", unpack(kept["roster"], _SIGNED.fits))
    try:
        nonces = {bytes.fromhex(name.removeprefix("nonce-")): nonce for name, nonce in kept.items()
                  if name.startswith("nonce-")}
    except ValueError as error:
        raise Malformed("shape") from error
    return parse_roster(signed_from(roster)), nonces


def kept_bots(kept: Mapping[str, bytes]) -> list[tuple[SigningKey, str]]:
    """This process's bots: key and a name."""
    return [(SigningKey(seed), "bot") for name, seed in kept.items() if name.startswith("bot-")]


def _company(bots: Sequence[tuple[SigningKey, str]], others: Sequence[Others], code: str) -> dict[str, bytes]:
    keys = {f"bot-{number}": key.secret() for number, (key, _) in enumerate(bots)}
    return {**keys, "others": pack(tuple(others)), "code": code.encode()}
