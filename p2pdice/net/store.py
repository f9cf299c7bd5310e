"""The state folder: numbered identities with a lock each, so that two terminals on one computer just work, and where
transcripts go. Where nothing can be written, all of it lives in memory. Must not know the game."""

import datetime
import errno
import os
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from p2pdice.fairness.keys import SigningKey
from p2pdice.net.ahead import SUFFIX, Ahead
from p2pdice.net.files import Appender, replace_file
from p2pdice.net.locks import lock

SEED_BYTES = 32
PEOPLE = "people.json"
MOST_IDENTITIES = 256
_FOLDER_MODE = 0o700


@dataclass(slots=True)
class Identity:
    """A player's key and, unless it lives in memory, the folder that no other process uses meanwhile."""

    key: SigningKey
    folder: Path | None
    lock: int | None

    def release(self) -> None:
        """Let another process have this identity."""
        if self.lock is not None:
            os.close(self.lock)
            self.lock = None

    def unfinished(self) -> list[tuple[float, str]]:
        """Games that this identity was in when its process ended: (time of the last write, room in hex), sorted."""
        if self.folder is None:
            return []
        return sorted((path.stat().st_mtime, path.name.removesuffix(SUFFIX)) for path in self.folder.glob(f"*{SUFFIX}"))


class Store:
    """The state folder. `problem` says why nothing is kept, None while all is well; `told(problem)` comes once."""

    def __init__(self, folder: Path | None, told: Callable[[str], None] = lambda problem: None) -> None:
        """Without a folder everything is kept in memory, by choice: that is no problem."""
        self.problem: str | None = None
        self._told = told
        self._folder = folder
        if folder is not None:
            try:
                folder.mkdir(mode=_FOLDER_MODE, parents=True, exist_ok=True)
            except FileExistsError:
                self.fail(NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR)))
            except OSError as error:
                self.fail(error)

    def identity(self) -> Identity:
        """The first identity that no other process has, made if need be."""
        for number in range(1, MOST_IDENTITIES + 1):
            if self._folder is None:
                break
            identity = self._take(self._folder / f"identity-{number}")
            if identity:
                return identity
        return Identity(SigningKey(secrets.token_bytes(SEED_BYTES)), None, None)

    def resumable(self) -> tuple[Identity, str] | None:
        """The newest unfinished game of a free identity, which is locked then: (identity, room in hex)."""
        newest: tuple[float, str] = (0.0, "")
        found: Identity | None = None
        for folder in sorted(self._folder.glob("identity-*")) if self._folder else []:
            identity = self._take(folder)
            if identity is None:
                continue
            last = max(identity.unfinished(), default=newest)
            if last > newest:
                newest, identity, found = last, found, identity
            if identity:
                identity.release()
        return (found, newest[1]) if found else None

    def ahead(self, identity: Identity, room: str) -> Ahead:
        """The write-ahead of a room's game (in hex), with what an earlier process left in it."""
        bytes.fromhex(room)  # a file name is never made from anything else
        ahead = Ahead(identity.folder and identity.folder / f"{room}{SUFFIX}", self.fail)
        ahead.load()
        return ahead

    def transcript(self, day: datetime.date, words: str) -> Appender | None:
        """A new file games/DATE-words.p2pdice, or None where nothing can be kept.

        Its name ends in -2 and so on when two processes on this computer sit at one table.
        """
        if self._folder is None:
            return None
        name = f"{day.isoformat()}-{''.join(char for char in words if char in '-abcdefghijklmnopqrstuvwxyz')}"
        try:
            games = self._folder / "games"
            games.mkdir(mode=_FOLDER_MODE, exist_ok=True)
            for number in range(1, MOST_IDENTITIES + 1):
                try:
                    return Appender.create(games / f"{name}{f'-{number}' if number > 1 else ''}.p2pdice")
                except FileExistsError:
                    continue
        except OSError as error:
            self.fail(error)
        return None

    def _take(self, folder: Path) -> Identity | None:
        """This identity, locked and with its key; None if another process has it, or its key is damaged."""
        held: int | None = None
        try:
            folder.mkdir(mode=_FOLDER_MODE, exist_ok=True)
            held = lock(folder / "lock")
            seed = _seed(folder / "key") if held is not None else None
        except OSError as error:
            self.fail(error)
            seed = None
        if seed is None:
            if held is not None:
                os.close(held)
            return None
        return Identity(SigningKey(seed), folder, held)

    def fail(self, error: OSError) -> None:
        """From here on in memory; said once, whichever file it was."""
        self._folder = None
        if self.problem is None:
            self.problem = error.strerror or str(error)
            self._told(self.problem)


def _seed(path: Path) -> bytes | None:
    try:
        seed = path.read_bytes()
    except FileNotFoundError:
        seed = secrets.token_bytes(SEED_BYTES)
        replace_file(path, seed)
    return seed if len(seed) == SEED_BYTES else None  # never overwritten: it may be somebody's key after all
