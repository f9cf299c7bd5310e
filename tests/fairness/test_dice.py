"""Dice, orders and words from a stream of bytes: every value exactly as likely as every other."""

import itertools
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from p2pdice.fairness.dice import die, faces, index, made_words, roller, shuffled, stream
from p2pdice.fairness.framing import digest
from p2pdice.fairness.labels import Label


def all_of(size: int) -> list[int]:
    """What `index` gives, one number per byte that it does not skip, for each of the 256 bytes once."""
    source = iter(range(256))
    found = []
    while True:
        try:
            found.append(index(source, size))
        except StopIteration:
            return found


@pytest.mark.parametrize("size", range(1, 33))
def test_index_is_unbiased(size: int) -> None:
    """Over all 256 bytes, each of `size` numbers comes equally often, and fewer than `size` bytes are skipped."""
    counts = Counter(all_of(size))
    assert counts == dict.fromkeys(range(size), 256 // size)
    assert 256 - counts.total() == 256 % size


def test_each_face_has_42_of_252_bytes() -> None:
    """A die skips the four highest bytes and gives each face for 42 of the others."""
    source = iter(range(256))
    faces = [die(source) for _ in range(252)]
    assert Counter(faces) == dict.fromkeys(range(1, 7), 42)
    assert list(source) == [252, 253, 254, 255]


def test_a_die_skips_what_would_favour_low_faces() -> None:
    """Bytes of 252 and more are passed over, however many come."""
    assert die(iter([255, 252, 253, 254, 251])) == 6
    assert die(iter([252, 0])) == 1


def test_faces_are_what_a_die_gives_again_and_again() -> None:
    """The quick way to many dice skips the same bytes as the slow one, over enough blocks that each byte comes."""
    source = stream(b"seed")
    assert faces(b"seed", 3000) == tuple(die(source) for _ in range(3000))


def test_an_order_takes_each_draw_from_what_is_left() -> None:
    """The draw for place k is one of k + 1 numbers: a byte of k + 1 counts as 0."""
    assert shuffled(iter([2]), 2) == [1, 0]
    assert shuffled(iter([3, 2]), 3) == [1, 2, 0]


@pytest.mark.parametrize("count", range(1, 6))
def test_every_order_comes_from_one_sequence_of_draws(count: int) -> None:
    """All draws of Fisher-Yates together give each order exactly once."""
    draws = itertools.product(*(range(place + 1) for place in range(count - 1, 0, -1)))
    orders = Counter(tuple(shuffled(iter(drawn), count)) for drawn in draws)
    assert orders == dict.fromkeys(itertools.permutations(range(count)), 1)


def test_every_syllable_comes_from_one_pair_of_draws() -> None:
    """The 60 pairs of draws give 60 syllables: a word carries two of them, three words 35 bits."""
    syllables = {made_words(iter([first, second, 0, 0]), count=1)[:2] for first in range(12) for second in range(5)}
    assert len(syllables) == 60
    assert 2**35 < 60**6
    assert made_words(iter([0, 0, 1, 1] * 3)) == "-".join(["bade"] * 3)


def test_stream_is_hashed_blocks_in_order() -> None:
    """Block k of the stream is H("stream", seed, k)."""
    source = stream(b"seed")
    for block in range(3):
        assert bytes(itertools.islice(source, 32)) == digest(Label.STREAM, b"seed", block)


SHARES = (b"a" * 32, b"b" * 32, b"c" * 32)


def rolled(**changed: object) -> tuple[int, ...]:
    given: dict[str, Any] = {"game_id": b"g" * 32, "epoch": b"e" * 32, "round_number": 1, "commit_state": b"s" * 32,
                             "seat": 0, "dice": 5, "shares": SHARES} | changed
    cup = [given.pop(name) for name in ("seat", "dice", "shares")]
    return roller(**given)(*cup)


@pytest.mark.parametrize("changed", [
    {"game_id": b"h" * 32}, {"epoch": b"f" * 32}, {"round_number": 2}, {"commit_state": b"t" * 32}, {"seat": 1},
    {"shares": (b"b" * 32, b"a" * 32, b"c" * 32)}, {"shares": (*SHARES[:2], b"d" * 32)}, {"shares": SHARES[:2]},
])
def test_a_cup_depends_on_everything_it_is_made_of(changed: dict[str, object]) -> None:
    """Another game, deal, seat, share or order of shares rolls other dice (20 of them, so that they cannot agree)."""
    assert rolled(dice=20) == rolled(dice=20)
    assert rolled(dice=20, **changed) != rolled(dice=20)


def test_the_number_of_dice_is_part_of_the_roll() -> None:
    """A cup with fewer dice is rolled anew, not cut off."""
    rolls = [rolled(dice=count) for count in range(1, 11)]
    assert [len(roll) for roll in rolls] == list(range(1, 11))
    assert any(shorter != longer[:len(shorter)] for shorter, longer in itertools.pairwise(rolls))


def test_many_cups_are_uniform() -> None:
    """Chi-square over 12,000 dice with shares that one player tries to choose stays below the 0.1 % bound."""
    chosen = (number.to_bytes(32, "big") for number in range(2400))
    counts = Counter(face for share in chosen for face in rolled(shares=(share, *SHARES[1:])))
    expected = counts.total() / 6
    assert counts.total() == 12_000
    assert sum((count - expected) ** 2 / expected for count in counts.values()) < 20.5


def test_bytes_are_drawn_only_as_needed() -> None:
    """A die takes one byte of the stream where none has to be skipped."""
    source: Iterator[int] = iter([0, 7, 9])
    assert (die(source), next(source)) == (1, 7)
