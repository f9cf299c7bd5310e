"""The state folder: who may read what, one process for each identity, and what is there after a crash."""

import asyncio
import datetime
import errno
import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from p2pdice.net.ahead import Ahead
from p2pdice.net.errors import StoreError
from p2pdice.net.files import Appender, open_record, remove_file, replace_file
from p2pdice.net.store import Store
from p2pdice.protocol.kept import KEPT_ROUND
from p2pdice.protocol.phases import Phase
from tests.protocol.test_drops import kill
from tests.tablekit import Table

DAY = datetime.date(2026, 11, 29)
GAME = "ab" * 32
posix = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no file modes")


def mode(path: Path) -> int:
    """Permission bits."""
    return stat.S_IMODE(path.stat().st_mode)


def unused(error: OSError) -> None:
    """For a disk that must not fail."""
    raise AssertionError(error)


def test_an_identity_is_made_once_and_kept(tmp_path: Path) -> None:
    """The same folder gives the same key, to one taker at a time."""
    store = Store(tmp_path / "state")
    first = store.identity()
    second = store.identity()
    assert (first.folder, second.folder) == (tmp_path / "state/identity-1", tmp_path / "state/identity-2")
    assert first.key.public != second.key.public
    first.release()
    again = Store(tmp_path / "state").identity()
    assert again.key.public == first.key.public
    for identity in (second, again):
        identity.release()


@posix
def test_secrets_are_for_their_owner_only(tmp_path: Path) -> None:
    """Key and write-ahead are 0600 in folders of 0700 from their first byte on, whatever the umask says (row 42)."""
    before = os.umask(0)
    try:
        identity = Store(tmp_path / "state").identity()
        store = Store(tmp_path / "state")
        store.ahead(identity, GAME).change({"share": b"secret"})
    finally:
        os.umask(before)
    assert identity.folder is not None
    assert mode(tmp_path / "state") == mode(identity.folder) == 0o700
    files = {path.name: mode(path) for path in identity.folder.iterdir()}
    assert files == {"key": 0o600, "lock": 0o600, f"{GAME}.ahead": 0o600}
    identity.release()


def test_a_damaged_key_is_left_alone(tmp_path: Path) -> None:
    """A file that is no key may be somebody's all the same: it is neither used nor overwritten."""
    (tmp_path / "identity-1").mkdir()
    (tmp_path / "identity-1/key").write_bytes(b"short")
    identity = Store(tmp_path).identity()
    assert identity.folder == tmp_path / "identity-2"
    assert (tmp_path / "identity-1/key").read_bytes() == b"short"
    identity.release()


HOLDER = """
import sys
from pathlib import Path
from p2pdice.net.store import Store
identity = Store(Path(sys.argv[1])).identity()
print(identity.folder.name, identity.key.public.hex(), flush=True)
sys.stdin.read()
"""


@pytest.mark.smoke
def test_two_processes_never_share_an_identity(tmp_path: Path) -> None:
    """A second process gets the second identity; when the first is killed, its identity is free at once."""
    def holder() -> tuple[subprocess.Popen[str], list[str]]:
        process = subprocess.Popen([sys.executable, "-c", HOLDER, str(tmp_path)], text=True,
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert process.stdout is not None
        return process, process.stdout.readline().split()

    first, (first_name, first_key) = holder()
    second, (second_name, _) = holder()
    assert (first_name, second_name) == ("identity-1", "identity-2")
    first.kill()
    first.communicate()
    third, (third_name, third_key) = holder()
    assert (third_name, third_key) == (first_name, first_key)
    for process in (second, third):
        process.communicate("")


@pytest.mark.parametrize("place", ["file", "file/state"])
def test_without_a_writable_folder_all_lives_in_memory(tmp_path: Path, place: str) -> None:
    """A folder that cannot be made is said once; identity and write-ahead work, nothing else is written."""
    (tmp_path / "file").write_bytes(b"")
    told: list[str] = []
    store = Store(tmp_path / place, told.append)
    identity = store.identity()
    ahead = store.ahead(identity, GAME)
    ahead.change({"share": b"secret"})
    assert ahead.entries == {"share": b"secret"}
    assert store.transcript(DAY, "duka-silo-pamo") is None
    assert store.resumable() is None
    assert identity.unfinished() == []
    assert told == [store.problem] != [os.strerror(errno.EEXIST)], "that it exists is not what is wrong with it"


def test_memory_by_choice_is_no_problem() -> None:
    """Without a folder nothing is kept and nothing is wrong."""
    store = Store(None)
    assert store.identity().folder is None
    assert store.problem is None


def test_the_newest_unfinished_game_of_a_free_identity(tmp_path: Path) -> None:
    """--resume finds it, locks its identity, and passes over those that are in use."""
    store = Store(tmp_path)
    identities = [store.identity() for _ in range(3)]
    for number, identity in enumerate(identities):
        for game in range(2):
            name = f"{number}{game}" * 32
            store.ahead(identity, name).change({"a": b""})
            assert identity.folder is not None
            os.utime(identity.folder / f"{name}.ahead", (1000 + number * 10 + game,) * 2)
    for identity in identities[:2]:
        identity.release()
    found = store.resumable()
    assert found is not None
    identity, game_id = found
    assert (identity.key.public, game_id) == (identities[1].key.public, "11" * 32)
    store.ahead(identity, game_id).finish()
    identity.release()
    again = store.resumable()
    assert again is not None
    assert again[1] == "10" * 32
    again[0].release()
    identities[2].release()


def test_a_write_ahead_outlives_its_process(tmp_path: Path) -> None:
    """What was changed is what the next process reads; a finished game leaves nothing."""
    path = tmp_path / "game.ahead"
    ahead = Ahead(path, unused)
    ahead.load()
    assert ahead.entries == {}
    ahead.change({"a": b"1", "b": b"2"})
    ahead.change({"a": None, "c": b"3"})
    again = Ahead(path, unused)
    again.load()
    assert again.entries == {"b": b"2", "c": b"3"}
    again.finish()
    assert list(tmp_path.iterdir()) == []


@given(st.binary())
def test_a_damaged_write_ahead_counts_as_none(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    """Nothing in the file raises: its secrets just cannot be relied on."""
    path = tmp_path_factory.getbasetemp() / "damaged.ahead"
    path.write_bytes(content)
    ahead = Ahead(path, unused)
    ahead.load()
    assert all(type(name) is str and type(data) is bytes for name, data in ahead.entries.items())


def test_a_write_ahead_is_as_good_as_its_last_whole_change(tmp_path: Path) -> None:
    """A crash may tear the last change, wherever it stops; one that is damaged before others makes the file useless."""
    path = tmp_path / "game.ahead"
    ahead = Ahead(path, unused)
    ahead.change({"a": b"1", "b": b"2"})
    first = path.stat().st_size
    ahead.change({"a": None, "c": b"3"})
    raw = path.read_bytes()
    for end in range(first, len(raw)):
        for torn in (raw[:end], raw[:end] + bytes(len(raw) - end), raw[:first] + bytes(end)):
            path.write_bytes(torn)
            again = Ahead(path, unused)
            again.load()
            assert again.entries == {"a": b"1", "b": b"2"}
    for place in range(first):
        path.write_bytes(raw[:place] + bytes([raw[place] ^ 1]) + raw[place + 1:])
        again = Ahead(path, unused)
        again.load()
        assert again.entries == {}


def test_a_write_ahead_does_not_grow_without_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is outdated goes when the file is long; the next process reads the same."""
    monkeypatch.setattr("p2pdice.net.ahead.LONGEST_BYTES", 1000)
    path = tmp_path / "game.ahead"
    ahead = Ahead(path, unused)
    for number in range(100):
        ahead.change({"a": bytes([number]) * 100})
        assert path.stat().st_size <= 1000
    ahead.close()
    again = Ahead(path, unused)
    again.load()
    assert again.entries == {"a": bytes([99]) * 100}


@pytest.mark.parametrize("longest", [0, 1000])
def test_a_disk_that_fails_leaves_no_old_write_ahead(tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
                                                     longest: int) -> None:
    """An outdated file would make the next process sign a second body: it is removed, and the failure is said once."""
    monkeypatch.setattr("p2pdice.net.ahead.LONGEST_BYTES", longest)
    told: list[OSError] = []
    ahead = Ahead(tmp_path / "game.ahead", told.append)
    ahead.change({"a": b"1"})

    def full(handle: int) -> None:
        raise OSError("no room")

    monkeypatch.setattr("os.fsync", full)
    ahead.change({"a": b"2"})
    ahead.change({"a": b"3"})
    assert ahead.entries == {"a": b"3"}
    assert len(told) == 1
    assert not (tmp_path / "game.ahead").exists()


def test_replacing_a_file_leaves_the_old_or_the_new(tmp_path: Path) -> None:
    """What a crash left aside is no obstacle, and nothing lies around afterwards."""
    path = tmp_path / "file"
    (tmp_path / "file.new").write_bytes(b"torn")
    replace_file(path, b"one")
    replace_file(path, b"two")
    assert path.read_bytes() == b"two"
    assert [found.name for found in tmp_path.iterdir()] == ["file"]
    remove_file(path)
    remove_file(path)
    assert list(tmp_path.iterdir()) == []


def test_transcripts_are_named_by_day_and_words(tmp_path: Path) -> None:
    """Two processes at one table keep two files; words from the wire never make a path; empty files vanish."""
    store = Store(tmp_path)
    first = store.transcript(DAY, "duka-silo-pamo")
    second = store.transcript(DAY, "duka-silo-pamo")
    hostile = store.transcript(DAY, "../../x")
    assert first
    assert second
    assert hostile
    assert first.path == tmp_path / "games/2026-11-29-duka-silo-pamo.p2pdice"
    assert second.path.name == "2026-11-29-duka-silo-pamo-2.p2pdice"
    assert hostile.path == tmp_path / "games/2026-11-29-x.p2pdice"
    first.append(b"record")
    for appender in (first, second, hostile):
        appender.close()
    assert [path.read_bytes() for path in (tmp_path / "games").iterdir()] == [b"record"]


APPENDER = """
import sys
from pathlib import Path
from p2pdice.net.files import Appender
appender = Appender.create(Path(sys.argv[1]))
number = 0
while True:
    appender.append(number.to_bytes(4, "big") * 250)
    print(number, flush=True)
    number += 1
"""


@pytest.mark.skipif(sys.platform == "win32", reason="kill -9 is POSIX")
async def test_a_killed_process_leaves_whole_entries(tmp_path: Path) -> None:
    """After kill -9 at any moment everything that `append` returned from is there, and at most one entry is torn."""
    for times in range(3):
        path = tmp_path / f"{times}.p2pdice"
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-c", APPENDER, str(path), stdout=asyncio.subprocess.PIPE)
        assert process.stdout is not None
        for _ in range(20 + times):
            await process.stdout.readline()
        process.send_signal(signal.SIGKILL)
        said = (await process.communicate())[0].split()
        done = int(said[-1]) + 1 if said else 20 + times
        content = path.read_bytes()
        assert len(content) >= done * 1000
        whole = len(content) // 1000
        assert content[: whole * 1000] == b"".join(number.to_bytes(4, "big") * 250 for number in range(whole))
        taken_up = open_record(path, lambda found, whole=whole: whole * 1000)  # type: ignore[misc]
        taken_up.append(b"next")
        taken_up.close()
        assert path.read_bytes() == content[: whole * 1000] + b"next"


def test_record_takes_up_its_own_game_only(tmp_path: Path) -> None:
    """A file that is anything else is an error that changes nothing; a torn end of this game is cut off."""
    path = tmp_path / "mine"
    path.write_bytes(b"recordsTORN")
    with pytest.raises(StoreError, match="record-exists"):
        open_record(path, lambda content: None)
    assert path.read_bytes() == b"recordsTORN"
    record = open_record(path, lambda content: len(b"records"))
    record.append(b"+")
    record.close()
    assert path.read_bytes() == b"records+"
    new = open_record(tmp_path / "new", unreachable)
    new.append(b"first")
    new.close()
    assert (tmp_path / "new").read_bytes() == b"first"


def unreachable(content: bytes) -> int | None:
    """For a file that is not there, nobody has to judge."""
    raise AssertionError(content)


def test_a_record_that_cannot_be_written(tmp_path: Path) -> None:
    """A missing folder and a folder in the file's place are said before any game."""
    for path in (tmp_path / "missing/file", tmp_path):
        with pytest.raises(StoreError, match="record-unwritable"):
            open_record(path, unreachable)


@posix
def test_a_full_disk_tears_nothing(tmp_path: Path) -> None:
    """`append` raises, and the records before it are still whole; the caller decides what becomes of the game."""
    import resource

    appender = Appender.create(tmp_path / "record")
    appender.append(bytes(900))
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, limits[1]))  # half of the next record still fits
    try:
        with pytest.raises(OSError, match="large"):
            appender.append(bytes(200))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    appender.append(b"next")
    appender.close()
    assert (tmp_path / "record").read_bytes() == bytes(900) + b"next"


@posix
def test_a_record_that_is_no_file(tmp_path: Path) -> None:
    """A pipe or a device is not read, for it may have no end."""
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(StoreError, match="record-exists"):
        open_record(tmp_path / "pipe", lambda content: None)


def test_secrets_of_a_round_that_is_over_are_not_on_the_disk(tmp_path: Path) -> None:
    """Whatever the journal still holds of it, no share that was not shown can be read there later."""
    table = Table(3, seed=8)
    node = table.nodes[0]
    ahead = Ahead(tmp_path / "game.ahead", unused)
    shares: dict[tuple[int, int], set[bytes]] = {}  # (epochs, round) -> what the seat knew, most of it shown later
    hidden = 0
    for step in range(3000):
        if step == 120:
            kill(table, table.nodes[2])  # its round is void, with shares that nobody was shown
        if not (table.flush() or any(table.decide(one) for one in table.nodes)):
            table.wait(1)
        session = node.peer.session
        if session is None or session.closed:
            continue
        changes: dict[str, bytes | None] = {name: None for name in ahead.entries if name not in node.kept}
        changes |= {name: raw for name, raw in node.kept.items() if ahead.entries.get(name) != raw}
        if changes:
            ahead.change(changes, clean=KEPT_ROUND in changes)
        number = (len(session.ledger.past), session.ledger.game.round_number)
        shares.setdefault(number, set()).update(session._chairs[session.me]._shares.values())
        if changes and session.ledger.phase is Phase.ACT:
            raw = (tmp_path / "game.ahead").read_bytes()
            older = [share for deal, some in shares.items() for share in some if deal != number]
            unshown = [share for share in older if share not in node.file]
            hidden = max(hidden, len(unshown))
            assert not any(share in raw for share in unshown)
    assert hidden > 0
