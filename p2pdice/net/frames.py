"""Frames on a byte stream: u32be length, then that many bytes. Knows nothing of sockets or of what a frame holds."""

from p2pdice.net.errors import ChannelError
from p2pdice.protocol.codec import FRAME_BYTES

HEADER_BYTES = 4
_COMPACT_BYTES = 64 * 1024


def encode(frame: bytes) -> bytes:
    """The frame behind its length. Raises ValueError above FRAME_BYTES: nobody would take it in."""
    if len(frame) > FRAME_BYTES:
        raise ValueError(f"a frame holds at most {FRAME_BYTES} bytes")
    return len(frame).to_bytes(HEADER_BYTES, "big") + frame


class FrameReader:
    """Cuts a byte stream into frames, one at a time and on demand, so that `limit` can change between two frames."""

    __slots__ = ("_buffer", "_start", "limit")

    def __init__(self, limit: int = FRAME_BYTES) -> None:
        self.limit = limit
        self._buffer = bytearray()
        self._start = 0  # what lies before it was taken; cut off only now and then, moving bytes is the costly part

    @property
    def waiting(self) -> int:
        """Bytes that came in and were not taken."""
        return len(self._buffer) - self._start

    def feed(self, data: bytes) -> None:
        """Append what the stream brought."""
        self._buffer += data

    def take(self) -> bytes | None:
        """The next frame, or None until the rest of it is here. Raises ChannelError("oversized") at the header."""
        begin = self._start + HEADER_BYTES
        if len(self._buffer) < begin:
            return None
        length = int.from_bytes(self._buffer[self._start : begin], "big")
        if length > self.limit:
            raise ChannelError("oversized", length=length, limit=self.limit)
        end = begin + length
        if len(self._buffer) < end:
            return None
        frame = bytes(self._buffer[begin:end])
        self._start = end
        if end == len(self._buffer) or end > _COMPACT_BYTES:
            del self._buffer[:end]
            self._start = 0
        return frame
