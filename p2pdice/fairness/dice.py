"""Exactly uniform numbers from a seed: dice, seat orders and made words. Bytes that would favour some values are
skipped (protocol.md section 2). Knows hashing; must not know seats or turns."""

import itertools
import struct
from collections.abc import Callable, Iterator, Sequence
from hashlib import sha256

from p2pdice.fairness.framing import digest, frame
from p2pdice.fairness.labels import Label
from p2pdice.fairness.shares import SHARE_BYTES

DIE_FACES = 6
_NUMBERS = struct.Struct(">IQIQ")  # seat and number of dice, as they are framed
_SHARE_LENGTH = SHARE_BYTES.to_bytes(4, "big")
_FACES = bytes(1 + byte % DIE_FACES for byte in range(256))  # what `die` makes of each byte but those it skips
_SKIPPED = bytes(range(256 - 256 % DIE_FACES, 256))
_CONSONANTS = "bdfgklmnprst"
_VOWELS = "aeiou"


def stream(seed: bytes) -> Iterator[int]:
    """Endless bytes H("stream", seed, 0) || H("stream", seed, 1) || ..."""
    return itertools.chain.from_iterable(_block(seed, number) for number in itertools.count())


def _block(seed: bytes, number: int) -> bytes:
    return digest(Label.STREAM, seed, number)


def index(source: Iterator[int], size: int) -> int:
    """The next uniform number 0..size-1 of the stream; size 1..256. Takes one byte or more."""
    limit = 256 - 256 % size
    return next(byte for byte in source if byte < limit) % size


def die(source: Iterator[int]) -> int:
    """The next face, 1..6: bytes of 252 and more are skipped, each face then has 42 of the 252 that are left."""
    return 1 + index(source, DIE_FACES)


def faces(seed: bytes, count: int) -> tuple[int, ...]:
    """What `die` gives `count` times from the seed's stream."""
    found, number = b"", 0
    while len(found) < count:
        found += _block(seed, number).translate(_FACES, _SKIPPED)
        number += 1
    return tuple(found[:count])


Roll = Callable[[int, int, Sequence[bytes]], tuple[int, ...]]


def roller(game_id: bytes, epoch: bytes, round_number: int, commit_state: bytes) -> Roll:
    """What rolls the cups of one deal, a function of seat, number of dice, and the 32-byte share of every active seat
    for this cup, by ascending seat (section 6). It gives the faces in the order drawn.

    `commit_state` is the state after all COMMITs. What all cups have in common is framed once.
    """
    numbers = (0, 0)  # those of a cup; its shares come behind them
    common = frame(Label.DICE, game_id, epoch, round_number, commit_state, *numbers)[:-_NUMBERS.size]

    def roll(seat: int, dice: int, shares: Sequence[bytes]) -> tuple[int, ...]:
        framed = _NUMBERS.pack(8, seat, 8, dice) + _SHARE_LENGTH + _SHARE_LENGTH.join(shares)
        return faces(sha256(common + framed).digest(), dice)

    return roll


def shuffled(source: Iterator[int], count: int) -> list[int]:
    """0..count-1 in uniform order: Fisher-Yates from the last place down (protocol.md section 4)."""
    order = list(range(count))
    for place in range(count - 1, 0, -1):
        other = index(source, place + 1)
        order[place], order[other] = order[other], order[place]
    return order


def made_words(source: Iterator[int], count: int = 3) -> str:
    """`count` words of two syllables, joined by '-': 60^2 values each, so three carry 35 bits (section 4)."""
    def syllable() -> str:
        return _CONSONANTS[index(source, len(_CONSONANTS))] + _VOWELS[index(source, len(_VOWELS))]
    return "-".join(syllable() + syllable() for _ in range(count))
