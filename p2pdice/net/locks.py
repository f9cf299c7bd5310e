"""What only one of POSIX and Windows has, behind one function each: a lock on a file, and making a rename last."""

import os
import sys
from pathlib import Path


def lock(path: Path) -> int | None:
    """Take the lock on `path` (made if need be): a file handle that holds it until closed, or the process ends.

    None if another process holds it. Raises OSError if the file cannot be opened.
    """
    handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(handle)
        return None
    return handle


def sync_folder(folder: Path) -> None:
    """Make creations, renames and deletions in `folder` survive a power cut, where the system offers that."""
    if sys.platform == "win32":
        return  # a folder cannot be opened there; the file system's journal has to do
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
