"""The write-ahead of one game: the secrets and the exact outgoing bytes that must outlive a crash, written before
anything that depends on them is sent (protocol.md section 9). Must not know what an entry means.

The file is a journal: changes are added to it, one write and one flush each, and from time to time it is replaced by
one change that holds all. A record is u32be length, the start of the content's SHA-256, and a msgpack map from names to
bytes, or nil for what is deleted.
"""

import hashlib
from collections.abc import Callable, Mapping
from pathlib import Path

import msgpack

from p2pdice.net.files import Appender, remove_file, replace_file

SUFFIX = ".ahead"
LONGEST_BYTES = 128 * 1024
_HEAD_BYTES, _CHECK_BYTES = 12, 8


class Ahead:
    """Named byte strings. Without a path, or once the disk fails, in memory."""

    def __init__(self, path: Path | None, failed: Callable[[OSError], None]) -> None:
        """`failed` is called once, when the file can no longer be kept."""
        self._path = path
        self._failed = failed
        self._entries: dict[str, bytes] = {}
        self._journal: Appender | None = None  # from the first change of this process on

    @property
    def entries(self) -> Mapping[str, bytes]:
        """What is kept now."""
        return self._entries

    @property
    def lasting(self) -> bool:
        """Whether what is kept is on a disk."""
        return self._path is not None

    def load(self) -> None:
        """Read what an earlier process left. A damaged file counts as none: its secrets cannot be relied on. A record
        that a crash tore at its end was never relied on."""
        if self._path is None:
            return
        try:
            self._entries = _read(self._path.read_bytes())
        except (OSError, ValueError, TypeError):
            return

    def change(self, changes: Mapping[str, bytes | None], *, clean: bool = False) -> None:
        """Set entries, or delete those set to None, in one step that is on the disk when this returns.

        `clean`: what is replaced or deleted is then not in the file any more.
        """
        for name, data in changes.items():
            if data is None:
                self._entries.pop(name, None)
            else:
                self._entries[name] = data
        if self._path is not None:
            try:
                self._write(self._path, changes, clean)
            except OSError as error:
                self.fail(error)

    def close(self) -> None:
        """Keep what is kept for another process."""
        if self._journal:
            self._journal.close()
            self._journal = None

    def finish(self) -> None:
        """The game is over: nothing is kept any more."""
        self.close()
        self._entries = {}
        if self._path is not None:
            try:
                remove_file(self._path)
            except OSError as error:
                self.fail(error)

    def _write(self, path: Path, changes: Mapping[str, bytes | None], clean: bool) -> None:
        record = _record(changes)
        if self._journal and not clean and self._journal.length + len(record) <= LONGEST_BYTES:
            self._journal.append(record)
            return
        self.close()
        whole = _record(self._entries)
        replace_file(path, whole)
        self._journal = Appender.take_up(path, len(whole))

    def fail(self, error: OSError) -> None:
        """The disk cannot be relied on: nothing stays on it."""
        # An old file would make a restarted client sign a second body for a slot; without one it asks, or leaves.
        path, self._path = self._path, None
        try:
            self.close()
            if path is not None:
                path.unlink(missing_ok=True)
        except OSError:
            pass  # told just below
        self._failed(error)


def _record(changes: Mapping[str, bytes | None]) -> bytes:
    content: bytes = msgpack.packb(dict(changes))
    return len(content).to_bytes(4, "big") + hashlib.sha256(content).digest()[:_CHECK_BYTES] + content


def _read(raw: bytes) -> dict[str, bytes]:
    """Raises ValueError or TypeError for a file that is damaged before its end."""
    entries: dict[str, bytes] = {}
    at = 0
    while at < len(raw):
        begin = at + _HEAD_BYTES
        end = begin + int.from_bytes(raw[at:at + 4], "big")
        content = raw[begin:end]
        if end > len(raw) or hashlib.sha256(content).digest()[:_CHECK_BYTES] != raw[at + 4:begin]:
            if end >= len(raw) or not any(raw[at:]):  # a disk may have made room for it, and no more
                return entries
            raise ValueError("damaged")
        for name, data in msgpack.unpackb(content, raw=False).items():
            if type(name) is not str or not (data is None or type(data) is bytes):
                raise TypeError("not what was written")
            if data is None:
                entries.pop(name, None)
            else:
                entries[name] = data
        at = end
    return entries
