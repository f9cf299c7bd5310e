"""Files that are whole or not there: written aside, synced, renamed. And one that only grows: the transcript."""

import os
from collections.abc import Callable
from pathlib import Path

from p2pdice.net.errors import StoreError
from p2pdice.net.locks import sync_folder


def replace_file(path: Path, data: bytes) -> None:
    """Write `data` to `path`, readable by its owner only; after a crash the old or the new content is there, whole."""
    aside = path.with_name(path.name + ".new")
    aside.unlink(missing_ok=True)  # of a crash; a fresh file has the mode asked for, an old one keeps its own
    handle = os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o600)
    with os.fdopen(handle, "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    os.replace(aside, path)
    sync_folder(path.parent)


def remove_file(path: Path) -> None:
    """Delete `path` for good; nothing happens if it is not there."""
    path.unlink(missing_ok=True)
    sync_folder(path.parent)


class Appender:
    """A file opened for adding: each `append` is on the disk when it returns; a crash tears the last one at most.
    `length`: its bytes so far."""

    def __init__(self, path: Path, handle: int) -> None:
        self.path = path
        self.length = os.fstat(handle).st_size
        self._handle = handle

    @classmethod
    def create(cls, path: Path) -> "Appender":
        """A new, empty file. Raises FileExistsError, OSError."""
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_APPEND | getattr(os, "O_BINARY", 0), 0o666)
        sync_folder(path.parent)
        return cls(path, handle)

    @classmethod
    def take_up(cls, path: Path, length: int) -> "Appender":
        """An existing file, cut to the first `length` bytes: what follows was torn by a crash. Raises OSError."""
        handle = os.open(path, os.O_RDWR | os.O_APPEND | getattr(os, "O_BINARY", 0))
        os.ftruncate(handle, length)
        return cls(path, handle)

    def append(self, data: bytes, *, flush: bool = True) -> None:
        """Add `data` and wait until it is on the disk. Raises OSError, and then what was whole before still is.

        Without `flush` it may get there later, by the next `append` or `flush`: only for what is kept elsewhere too.
        """
        try:
            rest = memoryview(data)
            while rest:
                rest = rest[os.write(self._handle, rest) :]
            if flush:
                os.fsync(self._handle)
        except OSError:
            os.ftruncate(self._handle, self.length)
            raise
        self.length += len(data)

    def flush(self) -> None:
        """Wait until all is on the disk. Raises OSError."""
        os.fsync(self._handle)

    def empty(self) -> None:
        """Begin at the beginning. Raises OSError."""
        os.ftruncate(self._handle, 0)
        self.length = 0

    def close(self) -> None:
        """Close the file; one that nothing was added to is removed."""
        os.close(self._handle)
        if not self.length:
            self.path.unlink(missing_ok=True)


def open_record(path: Path, valid: Callable[[bytes], int | None]) -> Appender:
    """The file of --record: new, or taken up where it ends. Raises StoreError and then has changed nothing.

    valid(content) returns how many of the bytes are whole records of this very game, None if it is anything else.
    """
    try:
        try:
            return Appender.create(path)
        except FileExistsError:
            if not path.is_file() and not path.is_dir():  # a device or a pipe may have no end
                raise StoreError("record-exists", path=str(path)) from None
            length = valid(path.read_bytes())
            if length is None:
                raise StoreError("record-exists", path=str(path)) from None
            return Appender.take_up(path, length)
    except OSError as error:
        raise StoreError("record-unwritable", path=str(path), detail=error.strerror) from error
