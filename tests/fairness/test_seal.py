"""Boxes: only the receiver opens them, in their place only, and whatever is wrong with one is a BadBox."""

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from p2pdice.fairness.errors import BadBox
from p2pdice.fairness.seal import BOX_BYTES, round_public, seal, unseal

SECRET = hashlib.sha256(b"receiver").digest()
SHARE = hashlib.sha256(b"share").digest()
INFO = b"a place"


def box() -> bytes:
    return seal(SHARE, round_public(SECRET), INFO)


def test_the_receiver_opens_its_box() -> None:
    """A sealed share comes back, from a box of the one length; two boxes of one share differ."""
    assert unseal(box(), SECRET, INFO) == SHARE
    assert len(box()) == BOX_BYTES == 80
    assert box() != box()


def test_another_place_or_key_does_not_open() -> None:
    """The box is bound to its info (deal, sender, viewer, cup) and to the receiver's one-round key."""
    for secret, info in ((SECRET, b"another place"), (SECRET, b""), (SHARE, INFO)):
        with pytest.raises(BadBox):
            unseal(box(), secret, info)


def test_every_byte_counts() -> None:
    """A box with any one byte changed does not open."""
    made = box()
    for place in range(len(made)):
        with pytest.raises(BadBox):
            unseal(made[:place] + bytes([made[place] ^ 1]) + made[place + 1:], SECRET, INFO)


def test_other_lengths_do_not_open() -> None:
    """Cut, empty or longer boxes are refused before anything is computed, also well-made ones of another text."""
    made = box()
    for length in (0, 1, 31, 32, 48, 79):
        with pytest.raises(BadBox):
            unseal(made[:length], SECRET, INFO)
    for other in (made + b"\0", seal(SHARE[:31], round_public(SECRET), INFO), seal(b"", round_public(SECRET), INFO)):
        with pytest.raises(BadBox):
            unseal(other, SECRET, INFO)


@pytest.mark.parametrize("point", [0, 1, 2**255 - 20, 2**255 - 19, 2**256 - 1])
def test_low_order_points_in_a_box_do_not_open(point: int) -> None:
    """A key exchange that gives zero is a bad box, not another error."""
    with pytest.raises(BadBox):
        unseal(point.to_bytes(32, "little") + bytes(48), SECRET, INFO)


@given(st.binary(max_size=100) | st.binary(min_size=80, max_size=80), st.binary(min_size=32, max_size=32))
def test_any_bytes_are_a_bad_box(raw: bytes, secret: bytes) -> None:
    """Nothing but BadBox comes out of bytes that nobody sealed, and it names no secret."""
    with pytest.raises(BadBox) as caught:
        unseal(raw, secret, INFO)
    assert secret.hex() not in str(caught.value)
