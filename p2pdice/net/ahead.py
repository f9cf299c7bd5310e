"""The write-ahead of one game: the secrets and the exact outgoing bytes that must outlive a crash, written before
anything that depends on them is sent (protocol.md section 9). Must not know what an entry means."""

from collections.abc import Callable, Mapping
from pathlib import Path

import msgpack

from p2pdice.net.files import remove_file, replace_file

SUFFIX = ".ahead"


class Ahead:
    """Named byte strings, all in one file that is replaced whole. Without a path, or once the disk fails, in memory."""

    def __init__(self, path: Path | None, failed: Callable[[OSError], None]) -> None:
        """`failed` is called once, when the file can no longer be kept."""
        self._path = path
        self._failed = failed
        self._entries: dict[str, bytes] = {}

    @property
    def entries(self) -> Mapping[str, bytes]:
        """What is kept now."""
        return self._entries

    def load(self) -> None:
        """Read what an earlier process left. A damaged file counts as none: its secrets cannot be relied on."""
        if self._path is None:
            return
        try:
            entries = msgpack.unpackb(self._path.read_bytes(), raw=False)
        except (OSError, ValueError, TypeError):
            return
        if type(entries) is dict and all(type(name) is str and type(data) is bytes for name, data in entries.items()):
            self._entries = entries

    def change(self, changes: Mapping[str, bytes | None]) -> None:
        """Set entries, or delete those set to None, in one step that is on the disk when this returns."""
        for name, data in changes.items():
            if data is None:
                self._entries.pop(name, None)
            else:
                self._entries[name] = data
        if self._path is not None:
            try:
                replace_file(self._path, msgpack.packb(self._entries))
            except OSError as error:
                self._give_up(error)

    def finish(self) -> None:
        """The game is over: nothing is kept any more."""
        self._entries = {}
        if self._path is not None:
            try:
                remove_file(self._path)
            except OSError as error:
                self._give_up(error)

    def _give_up(self, error: OSError) -> None:
        # An old file would make a restarted client sign a second body for a slot; without one it asks, or leaves.
        path, self._path = self._path, None
        try:
            if path is not None:
                path.unlink(missing_ok=True)
        except OSError:
            pass  # told just below
        self._failed(error)
