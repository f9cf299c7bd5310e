"""The files of one game, around a crash, another record and a disk that fails."""

import asyncio
import os
from pathlib import Path

import pytest

from p2pdice.net.errors import NetError
from p2pdice.net.files import Appender
from p2pdice.net.keeper import Keeper
from p2pdice.net.resume import resume
from p2pdice.net.settings import Settings
from p2pdice.net.store import Identity, Store
from p2pdice.protocol.codec import pack
from p2pdice.protocol.effects import Effects
from p2pdice.protocol.kept import KEPT_RECORD, KEPT_ROUND
from p2pdice.protocol.messages import Signed
from p2pdice.protocol.transcript import MAGIC, TranscriptWriter

ROOM = "ab" * 32
WORDS = "calm-otter"
FIRST, SECOND, THIRD = (("game", Signed(bytes([number]), bytes(64))) for number in range(3))


def transcript(*records: tuple[str, Signed]) -> bytes:
    """What a file of these records holds."""
    writer = TranscriptWriter()
    return b"".join(writer.add(kind, signed) for kind, signed in records)


def kept_too(record: tuple[str, Signed], number: int) -> Effects:
    """A record that what is kept holds as well, next to a round's secrets."""
    kind, signed = record
    keep = {KEPT_ROUND: b"secret", f"{KEPT_RECORD}{number}": pack((kind, signed.body, signed.signature))}
    return Effects(keep=keep, records=[record], keeps_records=True)


def started(folder: Path, told: list[str]) -> tuple[Keeper, Identity, Path]:
    """A game whose first record is written, and where."""
    store = Store(folder, told.append)
    identity = store.identity()
    keeper = Keeper(store, identity)
    keeper.open_ahead(ROOM)
    keeper.save(kept_too(FIRST, 0), WORDS)
    assert keeper.transcript is not None
    return keeper, identity, Path(keeper.transcript)


def back(folder: Path) -> tuple[Keeper, Identity]:
    """The same of the process that comes back to it."""
    store = Store(folder)
    found = store.resumable()
    assert found is not None
    assert found[1] == ROOM
    return Keeper(store, found[0]), found[0]


def test_what_a_crash_left_is_taken_up_whole(tmp_path: Path) -> None:
    """What is kept says where the transcript is, and what had not got there yet."""
    keeper, identity, path = started(tmp_path, [])
    keeper.save(kept_too(SECOND, 1), WORDS)
    assert path.read_bytes() == transcript(FIRST, SECOND)
    path.write_bytes(transcript(FIRST) + b"\0")
    identity.release()
    again, _ = back(tmp_path)
    kept, whole = again.take_up(ROOM, None)
    assert path.read_bytes() == transcript(FIRST) + b"\0"
    again.go_on()
    assert kept[KEPT_ROUND] == b"secret"
    assert whole == transcript(FIRST, SECOND) == path.read_bytes()
    again.save(Effects(records=[THIRD]), WORDS)
    assert path.read_bytes() == transcript(FIRST, SECOND, THIRD)
    assert again.transcript == str(path.absolute())


@pytest.mark.parametrize("over", [True, False])
def test_only_a_game_that_is_over_cannot_be_taken_up_again(tmp_path: Path, over: bool) -> None:
    """Be it one that was taken up itself, and in which nothing more had to be kept."""
    _, identity, path = started(tmp_path, [])
    for last in (False, over):
        identity.release()
        again, identity = back(tmp_path)
        again.take_up(ROOM, None)
        again.go_on()
        again.close(over=last)
    assert len(list(tmp_path.glob("identity-*/*.ahead"))) == (not over)
    assert path.read_bytes() == transcript(FIRST)


def test_a_disk_that_fails_is_told_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was written stays, nobody comes back to the game, and it goes on."""
    def full(appender: Appender, data: bytes, *, flush: bool = True) -> None:
        raise OSError(28, "full")

    told: list[str] = []
    keeper, _, path = started(tmp_path, told)
    monkeypatch.setattr(Appender, "append", full)
    for record, number in ((SECOND, 1), (THIRD, 2)):
        keeper.save(kept_too(record, number), WORDS)
    assert (told, keeper.transcript) == (["full"], None)
    keeper.close(over=False)
    assert path.read_bytes() == transcript(FIRST)
    assert not list(tmp_path.glob("identity-*/*.ahead"))


def test_another_record_takes_the_place_of_the_first(tmp_path: Path) -> None:
    """From its beginning, in the same file."""
    keeper, _, path = started(tmp_path, [])
    keeper.save(Effects(anew=True, records=[SECOND, THIRD]), WORDS)
    assert path.read_bytes() == transcript(SECOND, THIRD)


def test_a_disk_that_fails_after_that_leaves_nothing_but_records(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that was emptied does not get its old length back; one in which nothing stands is removed."""
    def full(handle: int, data: bytes) -> int:
        raise OSError(28, "full")

    told: list[str] = []
    keeper, _, path = started(tmp_path, told)
    monkeypatch.setattr(os, "write", full)
    keeper.save(Effects(anew=True, records=[SECOND]), WORDS)
    assert told == ["full"]
    assert not path.exists()


def test_a_disk_on_which_nothing_can_be_emptied_costs_the_files_too(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The game goes on then as with any other fault of the disk."""
    def broken(handle: int, length: int) -> None:
        raise OSError(5, "broken")

    told: list[str] = []
    keeper, _, _ = started(tmp_path, told)
    monkeypatch.setattr(os, "ftruncate", broken)
    keeper.save(Effects(anew=True, records=[SECOND]), WORDS)
    assert (told, keeper.transcript) == (["broken"], None)


@pytest.mark.parametrize("content", [
    b"", b"milk, eggs", b"a letter of twenty-two", MAGIC[:5], MAGIC + b"\0\0\0\x20" + bytes(7), bytes(99),
    transcript(FIRST, SECOND)])
def test_a_file_that_is_not_of_the_game_is_left_as_it_is(tmp_path: Path, content: bytes) -> None:
    """`--resume --record` with the name of something else: that is said, and nothing is cut off or added."""
    keeper, identity, _ = started(tmp_path, [])
    keeper.close(over=False)
    identity.release()
    other = tmp_path / "other"
    other.write_bytes(content)
    with pytest.raises(NetError, match="nothing-to-resume"):
        asyncio.run(resume(Settings("Ana", tmp_path, record=other, mdns=False, bind="127.0.0.1")).run())
    assert other.read_bytes() == content
    assert Store(tmp_path).resumable() is not None


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="Windows has none")
def test_nothing_is_read_from_a_pipe_in_the_place_of_a_record(tmp_path: Path) -> None:
    """It would be waited for without end."""
    _, identity, path = started(tmp_path, [])
    identity.release()
    path.unlink()
    os.mkfifo(path)
    again, _ = back(tmp_path)
    with pytest.raises(ValueError, match="pipe"):
        again.take_up(ROOM, None)


@pytest.mark.parametrize("port", [b"70000", b"-1", b"x", b"\xff"])
def test_a_port_that_cannot_be_is_no_way_back(tmp_path: Path, port: bytes) -> None:
    """Whatever a damaged folder says: an error that is told, and the identity is free again."""
    keeper, identity, _ = started(tmp_path, [])
    keeper.save(Effects(keep={"port": port}), WORDS)
    keeper.close(over=False)
    identity.release()
    with pytest.raises(NetError, match="nothing-to-resume"):
        resume(Settings("Ana", tmp_path))
    assert Store(tmp_path).resumable() is not None
