"""Exactly uniform numbers from a seed: dice, seat orders and made words. Bytes that would favour some values are
skipped (protocol.md section 2). Knows hashing; must not know seats or turns."""

import itertools
from collections.abc import Iterator, Sequence

from p2pdice.fairness.framing import digest
from p2pdice.fairness.labels import Label

DIE_FACES = 6
_FACES = bytes(1 + byte % DIE_FACES for byte in range(256))  # what `die` makes of each byte but those it skips
_SKIPPED = bytes(range(256 - 256 % DIE_FACES, 256))
_CONSONANTS = "bdfgklmnprst"
_VOWELS = "aeiou"


def stream(seed: bytes) -> Iterator[int]:
    """Endless bytes H("stream", seed, 0) || H("stream", seed, 1) || ..."""
    return itertools.chain.from_iterable(_blocks(seed))


def _blocks(seed: bytes) -> Iterator[bytes]:
    return (digest(Label.STREAM, seed, number) for number in itertools.count())


def index(source: Iterator[int], size: int) -> int:
    """The next uniform number 0..size-1 of the stream; size 1..256. Takes one byte or more."""
    limit = 256 - 256 % size
    return next(byte for byte in source if byte < limit) % size


def die(source: Iterator[int]) -> int:
    """The next face, 1..6: bytes of 252 and more are skipped, each face then has 42 of the 252 that are left."""
    return 1 + index(source, DIE_FACES)


def faces(seed: bytes, count: int) -> tuple[int, ...]:
    """What `die` gives `count` times from the seed's stream."""
    found = b""
    blocks = _blocks(seed)
    while len(found) < count:
        found += next(blocks).translate(_FACES, _SKIPPED)
    return tuple(found[:count])


def cup(game_id: bytes, epoch: bytes, round_number: int, commit_state: bytes, seat: int, dice: int,
        shares: Sequence[bytes]) -> tuple[int, ...]:
    """The faces under one cup, in the order drawn: a function of the share of every active seat (section 6).

    `commit_state` is the state after all COMMITs, `shares` the 32-byte shares for this cup by ascending seat.
    """
    return faces(digest(Label.DICE, game_id, epoch, round_number, commit_state, seat, dice, *shares), dice)


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
