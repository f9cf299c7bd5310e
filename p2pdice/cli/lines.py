"""Lines from standard input without stopping the event loop, whatever standard input is: terminal, pipe, file, closed.

A thread reads the file descriptor itself: a thread that waits inside sys.stdin holds a lock that Python needs to end.
"""

import asyncio
import contextlib
import os
import threading
from collections.abc import Iterator
from typing import IO

LONGEST_LINE = 64 * 1024


def is_terminal(stream: IO[str] | None) -> bool:
    """Whether a person is at the other end of a stream; streams may be missing or closed."""
    return stream is not None and not stream.closed and stream.isatty()


def split(chunks: Iterator[bytes]) -> Iterator[str]:
    """Text lines of a byte stream; what a line has beyond LONGEST_LINE is dropped, what is no UTF-8 replaced."""
    kept = bytearray()
    for chunk in chunks:
        *ended, rest = chunk.split(b"\n")
        for part in ended:
            kept += part[: LONGEST_LINE - len(kept)]
            yield kept.decode("utf-8", "replace")
            kept.clear()
        kept += rest[: LONGEST_LINE - len(kept)]
    if kept:
        yield kept.decode("utf-8", "replace")


def _chunks(descriptor: int) -> Iterator[bytes]:
    with contextlib.suppress(OSError):  # a terminal that is gone reads as an error: the end as well
        while chunk := os.read(descriptor, 65536):
            yield chunk


class Lines:
    """The lines of a stream, one `read` at a time; the thread starts with the first."""

    def __init__(self, stream: IO[str] | None) -> None:
        self._queue: asyncio.Queue[str | None] = asyncio.Queue()
        self._thread: threading.Thread | None = None
        try:
            self._descriptor = None if stream is None else stream.fileno()
        except (OSError, ValueError):  # closed, or nothing of the operating system's
            self._descriptor = None

    async def read(self) -> str | None:
        """The next line without its end; None when there are no more."""
        if self._descriptor is None:
            return None
        if self._thread is None:
            loop = asyncio.get_running_loop()
            # A descriptor of the thread's own: the stream may be closed, and its number mean another file, while the
            # thread still waits on it.
            own = os.dup(self._descriptor)
            self._thread = threading.Thread(target=self._fetch, args=(own, loop), daemon=True)
            self._thread.start()
        line = await self._queue.get()
        if line is None:
            self._descriptor = None
        return line

    def _fetch(self, descriptor: int, loop: asyncio.AbstractEventLoop) -> None:
        try:
            for line in split(_chunks(descriptor)):
                loop.call_soon_threadsafe(self._queue.put_nowait, line)
            loop.call_soon_threadsafe(self._queue.put_nowait, None)
        except RuntimeError:  # the loop was closed meanwhile: nobody reads any more
            pass
        finally:
            os.close(descriptor)
