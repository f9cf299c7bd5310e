"""One value, one encoding; everything else is refused with a reason and never with another exception."""

import msgpack
import pytest
from hypothesis import given
from hypothesis import strategies as st

from p2pdice.protocol.codec import DEPTH, FRAME_BYTES, LARGEST_INT, Value, pack, unpack
from p2pdice.protocol.errors import Malformed

texts = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=20)
leaves = st.integers(0, LARGEST_INT) | st.binary(max_size=40) | texts
values = st.recursive(leaves, lambda inner: st.lists(inner, max_size=4).map(tuple), max_leaves=12)


def depth(value: Value) -> int:
    return 1 + max(map(depth, value), default=0) if isinstance(value, tuple) else 0


@given(values)
def test_a_value_comes_back_as_it_was(value: Value) -> None:
    """Up to the depth that messages need; deeper is refused."""
    if depth(value) <= DEPTH:
        assert unpack(pack(value)) == value
    else:
        with pytest.raises(Malformed, match="too-deep"):
            unpack(pack(value))


@given(st.binary(max_size=300))
def test_what_is_read_is_what_was_written(raw: bytes) -> None:
    """Any bytes are refused, or are exactly the encoding of what they mean."""
    try:
        value = unpack(raw)
    except Malformed:
        return
    assert pack(value) == raw


@pytest.mark.parametrize(("raw", "reason"), [
    (b"", "not-msgpack"),
    (b"\x05\x05", "not-msgpack"),  # trailing bytes
    (b"\xcc\x05", "not-canonical"),  # 5 in two bytes
    (b"\xcd\x00\x05", "not-canonical"),
    (b"\xd3" + bytes(7) + b"\x05", "not-canonical"),
    (b"\xff", "number-out-of-range"),  # -1
    (msgpack.packb(LARGEST_INT + 1), "number-out-of-range"),
    (b"\xc0", "type-not-allowed"),  # nil
    (b"\xc3", "type-not-allowed"),  # true
    (b"\xcb\x3f\xf0" + bytes(6), "type-not-allowed"),  # 1.0
    (b"\x81\x01\x02", "type-not-allowed"),  # map
    (b"\x82\x01\x02\x01\x03", "type-not-allowed"),  # map with a key twice
    (b"\xc7\x01\x05\x00", "type-not-allowed"),  # extension
    (b"\xd6\xff" + bytes(4), "type-not-allowed"),  # timestamp
    (b"\xa1\x1b", "control-character"),  # ESC
    (b"\xa2\xc2\x9b", "control-character"),  # C1 CSI
    (b"\xa1\x7f", "control-character"),
    (b"\xa1\xff", "not-msgpack"),  # not UTF-8
    (b"\xa3\xed\xa0\x80", "not-msgpack"),  # lone surrogate
    (b"\x91" * (DEPTH + 1) + b"\x01", "too-deep"),
    (b"\x91" * 100_000 + b"\x01", "oversized"),
    (b"\x91" * 60_000 + b"\x01", "not-msgpack"),
    (b"\xdd\xff\xff\xff\xff", "not-msgpack"),  # an array of 2^32 - 1
    (b"\xc6\x7f\xff\xff\xff", "not-msgpack"),  # bytes that are not there
    (bytes(FRAME_BYTES + 1), "oversized"),
])
def test_what_must_be_refused(raw: bytes, reason: str) -> None:
    """Each by its reason."""
    with pytest.raises(Malformed) as caught:
        unpack(raw)
    assert caught.value.reason == reason
