"""Cutting a byte stream into frames, and the limits on what strangers and peers may use up."""

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from p2pdice.net.errors import ChannelError
from p2pdice.net.frames import FrameReader, encode
from p2pdice.net.limits import Bucket, Gate
from p2pdice.protocol.codec import FRAME_BYTES


@given(st.lists(st.binary(max_size=300)), st.integers(1, 64))
def test_frames_survive_any_cutting(frames: list[bytes], piece: int) -> None:
    """However the network cuts the stream, the same frames come out, and nothing is left over."""
    stream = b"".join(map(encode, frames))
    reader = FrameReader()
    taken = []
    for start in range(0, len(stream), piece):
        reader.feed(stream[start : start + piece])
        while (frame := reader.take()) is not None:
            taken.append(frame)
    assert taken == frames
    assert reader.waiting == 0


@given(st.lists(st.binary(max_size=200)))
def test_random_bytes_give_frames_or_a_refusal(pieces: list[bytes]) -> None:
    """Nothing that arrives raises anything but ChannelError, or is kept beyond the frame it may belong to."""
    reader = FrameReader(limit=64)
    with contextlib.suppress(ChannelError):
        for piece in pieces:
            reader.feed(piece)
            while (frame := reader.take()) is not None:
                assert len(frame) <= 64
            assert reader.waiting < 4 + 64


def test_too_long_a_frame_is_refused_at_its_header() -> None:
    """Four bytes are enough to refuse: nobody has to hold what follows."""
    reader = FrameReader(limit=10)
    reader.feed((11).to_bytes(4, "big"))
    with pytest.raises(ChannelError, match="oversized"):
        reader.take()


def test_the_limit_may_change_between_two_frames() -> None:
    """What was refused before the other side had proved itself is welcome afterwards, even in one piece of stream."""
    reader = FrameReader(limit=2)
    reader.feed(encode(b"ok") + encode(b"longer"))
    assert reader.take() == b"ok"
    reader.limit = FRAME_BYTES
    assert reader.take() == b"longer"


def test_long_streams_do_not_pile_up() -> None:
    """Frames that were taken are cut off, also when the next one is always half here already."""
    reader = FrameReader()
    frame = encode(bytes(1000))
    reader.feed(frame[:-1])
    for _ in range(1000):
        reader.feed(frame[-1:] + frame[:-1])
        assert reader.take() == bytes(1000)
    assert len(reader._buffer) < 3 * FRAME_BYTES


def test_own_frames_have_the_same_limit() -> None:
    """A frame that every peer would refuse is not sent."""
    assert len(encode(bytes(FRAME_BYTES))) == FRAME_BYTES + 4
    with pytest.raises(ValueError, match="at most"):
        encode(bytes(FRAME_BYTES + 1))


def test_the_gate_counts_in_all_by_address_and_locally() -> None:
    """One address cannot fill the door, all strangers together can, and this computer has a limit of its own."""
    gate = Gate(in_all=3, per_address=2, local=1)
    assert [gate.enter("a", local=False) for _ in range(3)] == [True, True, False]
    assert [gate.enter("b", local=False) for _ in range(2)] == [True, False]
    assert [gate.enter("here", local=True) for _ in range(2)] == [True, False]
    gate.leave("a", local=False)
    gate.leave("here", local=True)
    assert gate.enter("b", local=False)
    assert gate.enter("here", local=True)


@given(st.lists(st.tuples(st.floats(0, 10), st.floats(0, 50))))
def test_the_bucket_never_gives_more_than_burst_and_rate(steps: list[tuple[float, float]]) -> None:
    """Whoever waits as told has taken burst + rate * time at most, and one amount more."""
    bucket = Bucket(rate=5, burst=20, now=0)
    now, taken = 0.0, 0.0
    for pause, amount in steps:
        now += pause
        assert taken <= 20 + 5 * now + 1e-6
        taken += amount
        now += bucket.take(amount, now)
