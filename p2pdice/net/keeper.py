"""The files of one game: its transcript and, written ahead of it, what must outlive a crash; both are on the disk
before anybody relies on them. A disk that fails costs the files, never the game. Must not know links, bots, or what an
entry means."""

import contextlib
import datetime
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from p2pdice.net.ahead import Ahead
from p2pdice.net.files import Appender, open_record
from p2pdice.net.store import Identity, Store
from p2pdice.protocol.effects import Effects
from p2pdice.protocol.kept import KEPT_RECORD, KEPT_ROUND, unrecorded
from p2pdice.protocol.messages import Signed
from p2pdice.protocol.transcript import TranscriptWriter, go_on_with

TRANSCRIPT = "transcript"  # the entry of what is kept that says where the transcript is


class Keeper:
    """Either file, both or none may be there: it looks the same from outside. The store says once what is wrong."""

    def __init__(self, store: Store, identity: Identity) -> None:
        self._store = store
        self._identity = identity
        self._file: Appender | None = None
        self._writer: TranscriptWriter | None = None  # from the first record on
        self._ahead: Ahead | None = None  # from the toss on
        self._found: tuple[Path, int, bytes] | None = None  # a transcript to be taken up: how much of it, what is added
        self._unflushed = False  # whether only what is kept holds the end of the transcript for sure

    @property
    def transcript(self) -> str | None:
        """Where the game is recorded, None where it is not."""
        return str(self._file.path) if self._file else None

    def record(self, path: Path) -> None:
        """Record the game in this new file, not in the state folder. Raises StoreError."""
        self._file = open_record(path, lambda content: None)

    def take_up(self, room: str, record: Path | None) -> tuple[Mapping[str, bytes], bytes]:
        """The files of a game that a crash interrupted, whose transcript may be elsewhere, at `record`: what was kept,
        and the transcript's bytes. Nothing is changed before `go_on`: what is found may be no file of this game.

        Raises OSError, or ValueError for files that are damaged.
        """
        ahead = self._store.ahead(self._identity, room)
        kept = dict(ahead.entries)
        path = record or (Path(told) if (told := kept.get(TRANSCRIPT, b"").decode()) else None)
        if path and path.exists() and not path.is_file():
            raise ValueError("a device or a pipe, which may have no end")
        raw = path.read_bytes() if path else b""
        writer, whole = go_on_with(raw)
        if "roster" in kept and raw:  # the seats were not drawn yet
            raise ValueError("a game in the file of a toss")
        missing = b"".join(writer.add(kind, signed) for kind, signed in unrecorded(kept, writer.entries))
        self._ahead = ahead
        if path:
            self._found = path, whole, missing
            self._writer = writer
        return kept, raw[:whole] + missing

    def go_on(self) -> None:
        """The game of what was found goes on: its transcript is cut where it was torn, and what is missing added.
        Raises OSError."""
        if self._found:
            path, whole, missing = self._found
            file = Appender.take_up(path, whole)
            file.append(missing)
            self._file = file

    def open_ahead(self, room: str) -> None:
        """Before the first `save` with something to keep; a room (in hex) has one file from the toss to the end of the
        game, which are never there together."""
        if self._ahead is None:
            self._ahead = self._store.ahead(self._identity, room)

    def save(self, effects: Effects, words: str | None) -> None:
        """All there is to write of these effects; what of it others may rely on is on the disk when this returns.
        `words`: the game's, once there is one."""
        if effects.anew:
            self._begin_anew()
        if effects.records:
            self._open_record(words)  # what is kept says where it is
        if effects.keep is not None:
            self._keep(effects.keep)
        if effects.records:
            # Where what is kept holds them already, one wait for the disk is enough before anybody relies on them.
            self._write(effects.records, flush=not (effects.keeps_records and self._ahead and self._ahead.lasting))

    def close(self, *, over: bool) -> None:
        """Nothing more comes. `over`: this process will not come back to the game, and only its transcript stays."""
        with self._or_without_file() as file:
            if file:
                file.flush()
        if self._ahead and over:
            self._ahead.finish()
        elif self._ahead:
            self._ahead.close()
        if self._file:
            self._file.close()

    def _open_record(self, words: str | None) -> None:
        """The transcript begins with its first record."""
        if self._writer is None:
            self._writer = TranscriptWriter()
            if self._file is None and words:
                self._file = self._store.transcript(datetime.date.today(), words)

    def _begin_anew(self) -> None:
        """Another record takes the place of this one, from its beginning."""
        self._writer = TranscriptWriter()
        with self._or_without_file() as file:
            if file:
                file.empty()

    def _write(self, records: Sequence[tuple[str, Signed]], *, flush: bool) -> None:
        assert self._writer is not None, "the record is open"
        data = b"".join(self._writer.add(kind, signed) for kind, signed in records)
        with self._or_without_file() as file:
            if file:
                file.append(data, flush=flush)
                self._unflushed = not flush

    def _keep(self, entries: Mapping[str, bytes]) -> None:
        """Replace what must outlive a crash."""
        assert self._ahead is not None, "open_ahead comes first"
        path = str(self._file.path.absolute()) if self._file else ""
        wanted = {**entries, TRANSCRIPT: path.encode()}
        known = self._ahead.entries
        changes: dict[str, bytes | None] = {name: raw for name, raw in wanted.items() if known.get(name) != raw}
        changes |= {name: None for name in known
                    if name not in wanted and not (self._unflushed and name.startswith(KEPT_RECORD))}
        if changes:
            self._ahead.change(changes, clean=KEPT_ROUND in changes)

    @contextlib.contextmanager
    def _or_without_file(self) -> Iterator[Appender | None]:
        """The transcript, if there is one; a disk that fails costs it and the way back to it, and the game goes on."""
        try:
            yield self._file
        except OSError as error:
            assert self._file is not None, "only the file raises"
            self._file.close()
            self._file = None
            self._store.fail(error)
            if self._ahead:
                self._ahead.fail(error)
