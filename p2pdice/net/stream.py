"""A connection as a stream of frames: bounded queues both ways, sending that never waits. Must not know who is at the
other end; channel.py finds that out, and only then raises the limits."""

import asyncio
from collections.abc import Callable
from typing import cast

from p2pdice.net.errors import ChannelError
from p2pdice.net.frames import FrameReader, encode
from p2pdice.protocol.codec import FRAME_BYTES

EARLY_FRAME_BYTES = 2048  # two frames come in before the other side is known: 4 KiB in all
SEND_QUEUE_BYTES = 4 * 1024 * 1024
READ_AHEAD_BYTES = 256 * 1024


class Channel(asyncio.Protocol):
    """One connection. `peer` is the other side's public key, proved before anyone but channel.py sees the object."""

    def __init__(self, address: str, *, dialled: bool) -> None:
        self.peer = b""
        self.address = address  # of the other end, a link-local one with its %interface
        self.dialled = dialled  # True on the side that opened the connection
        self.session: tuple[bytes, ...] = ()  # certificate hash, dialler's and listener's key, their nonces
        self.heard_at = 0.0  # loop time of the last bytes that came in, and that went out
        self.sent_at = 0.0
        self._loop = asyncio.get_running_loop()
        self._reader = FrameReader(EARLY_FRAME_BYTES)
        self._read_ahead = 2 * EARLY_FRAME_BYTES
        self._transport: asyncio.Transport | None = None
        self._reading = True
        self._told: Callable[[], None] = _nobody
        self._closing = False
        self._closed = self._loop.create_future()

    async def receive(self) -> bytes | None:
        """The next frame; None once the connection is over. Raises ChannelError("oversized") and ends it.

        One reader at a time, and none after `tell`.
        """
        news = asyncio.Event()
        self._told = news.set
        while (frame := self.take()) is None and not self._closing:
            news.clear()
            await news.wait()
        return frame

    def tell(self, reader: Callable[[], None]) -> None:
        """Call `reader` from now on whenever there is something to `take`, and when the connection is over."""
        self._told = reader
        self._loop.call_soon(reader)

    def take(self) -> bytes | None:
        """The next frame of those that are here; None if there is none. Raises ChannelError like `receive`."""
        try:
            frame = self._reader.take()
        except ChannelError:
            self.abort()
            raise
        if frame is None and not self._reading and self._transport is not None:
            self._reading = True
            self._transport.resume_reading()
        return frame

    @property
    def over(self) -> bool:
        """Whether nothing more comes but what is here already."""
        return self._closing

    def send(self, *frames: bytes) -> None:
        """Queue frames, as one TLS record if they are short; never waits. A peer that reads too slowly for
        SEND_QUEUE_BYTES loses the connection."""
        if self._closing or self._transport is None:
            return
        data = b"".join([encode(frame) for frame in frames])
        if self._transport.get_write_buffer_size() + len(data) > SEND_QUEUE_BYTES:
            self.abort()
            return
        self.sent_at = self._loop.time()
        self._transport.write(data)

    def close(self) -> None:
        """Send what is queued, then end the connection; `wait_closed` tells when."""
        if not self._closing:
            self._end()
            if self._transport is not None:
                self._transport.close()

    def abort(self) -> None:
        """End the connection at once."""
        self._end()
        if self._transport is not None:
            self._transport.abort()

    async def wait_closed(self) -> None:
        """Return when nothing more will be sent; at once for a connection that TLS never let through."""
        if self._transport is not None:
            await asyncio.shield(self._closed)

    def trust(self, peer: bytes, *session: bytes) -> None:
        """The exchange is complete: from here on this is `peer`, and full frames are welcome."""
        self.peer = peer
        self.session = session
        self._reader.limit = FRAME_BYTES
        self._read_ahead = READ_AHEAD_BYTES

    def certificate(self) -> bytes:
        """DER of the listener's certificate, as the dialler saw it."""
        tls = cast(asyncio.Transport, self._transport).get_extra_info("ssl_object")
        return cast(bytes, tls.getpeercert(binary_form=True))

    def own_address(self) -> str:
        """The address of this computer that the connection uses, without a zone; "" before it stands."""
        name = self._transport.get_extra_info("sockname") if self._transport is not None else None
        return str(name[0]).partition("%")[0] if name else ""

    def _end(self) -> None:
        self._closing = True
        self._loop.call_soon(self._told)  # not from inside: the reader itself may have ended it

    # From here on: what asyncio calls.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        self.heard_at = self.sent_at = self._loop.time()

    def data_received(self, data: bytes) -> None:
        self.heard_at = self._loop.time()
        self._reader.feed(data)
        if self._reader.waiting > self._read_ahead and self._reading and self._transport is not None:
            self._reading = False  # whoever sends faster than we read waits in its own kernel
            self._transport.pause_reading()
        if not self._closing:  # else the reader is called already, and this may be inside of what closes
            self._told()

    def eof_received(self) -> None:
        self._end()

    def connection_lost(self, error: Exception | None) -> None:
        self._end()
        self._told = _nobody  # a reader that refers to this again would keep all around it until a collection
        if not self._closed.done():
            self._closed.set_result(None)


def _nobody() -> None:
    """Nobody waits for anything."""
