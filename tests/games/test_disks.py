"""Real processes on disks that fill up, cannot be written, or are not there: told once, and the game goes on."""

import contextlib
import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import require
from tests.games.tablehouse import House, Seat, open_house

ALONE = ("--auto", "easy", "--no-mdns", "--bind", "127.0.0.1")
LONG_GAME = ("--players", "3", "--set", "starting_dice=10")


@pytest.fixture
def loopback(tmp_path: Path) -> Iterator[House]:
    """This computer's loopback, without mDNS."""
    with open_house(tmp_path) as made:
        yield made


@contextlib.contextmanager
def disk(folder: Path, size: str) -> Iterator[Path]:
    """A file system of that size, mounted for a while."""
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)]
    require(subprocess.run(mount, capture_output=True, check=False).returncode == 0, "needs root, to mount")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


def table(house: House, *, state: Path | None = None, environment: dict[str, str] | None = None) -> list[Seat]:
    """Three seats in one game; the second has that state folder and environment."""
    host = house.start("host", "--json", *LONG_GAME, *ALONE)
    where = f"127.0.0.1:{host.event('listening')['port']}"
    troubled = house.start("join", where, "--json", *ALONE, state=state, environment=environment)
    return [host, troubled, house.start("join", where, *ALONE)]


def told(seat: Seat) -> list[str]:
    """What a program was told of files that are not kept."""
    events = [json.loads(line) for line in seat.lines if line.startswith("{")]
    return [event["message"] for event in events if event["event"] == "trouble" and event["reason"] == "nothing-kept"]


def goes_on(seats: list[Seat]) -> None:
    """All come to the end, the troubled one told once and without a transcript, the others with clean ones."""
    assert [seat.status() for seat in seats] == [0, 0, 0], [seat.errors() for seat in seats]
    troubled = seats[1]
    assert len(told(troubled)) == 1, troubled.lines
    assert troubled.event("closed")["transcript"] is None
    assert troubled.errors() == ""
    assert [seats[0].report().verdict, seats[2].report().verdict] == ["clean", "clean"]


@pytest.mark.parametrize("size", ["64k", "4k"])
def test_a_disk_that_fills_up(loopback: House, tmp_path: Path, size: str) -> None:
    """In the middle of the game, or before it: what was written stays whole, and may be checked."""
    with disk(tmp_path / "small", size) as small:
        seats = table(loopback, state=small / "state")
        goes_on(seats)
        assert not list(small.glob("state/identity-*/*.ahead"))
        for kept in small.glob("state/games/*"):
            assert Seat(seats[1].process, small / "state").report().verdict == "incomplete"
            assert kept.stat().st_size > 0


def test_a_process_that_could_keep_nothing_does_not_come_back(loopback: House, tmp_path: Path) -> None:
    """Killed after its disk was full, it has nothing to go on with: it says so, and signs nothing a second time."""
    with disk(tmp_path / "small", "20k") as small:
        host, troubled, third = table(loopback, state=small / "state")
        troubled.event("trouble")
        troubled.process.kill()
        troubled.process.wait()
        again = loopback.start("join", "--resume", *ALONE, state=small / "state")
        assert again.status() == 3
        assert "Traceback" not in again.errors()
        for seat in (host, third):
            seat.process.terminate()
            seat.status()


def test_a_state_folder_that_cannot_be_written(loopback: House, tmp_path: Path) -> None:
    """Read-only: a player for one game, with a key that lives in memory."""
    with disk(tmp_path / "frozen", "1m") as frozen:
        (frozen / "state").mkdir()
        subprocess.run(["mount", "-o", "remount,ro", str(frozen)], check=True)
        goes_on(table(loopback, state=frozen / "state"))


def test_nobody_is_at_home(loopback: House) -> None:
    """No home and no place for state: the same."""
    nowhere = {"P2PDICE_STATE": "", "XDG_STATE_HOME": "", "HOME": "/proc/nobody"}
    goes_on(table(loopback, environment=nowhere))


@pytest.mark.parametrize("device", ["/dev/full", "/dev/zero"])
def test_a_record_that_is_no_file_is_an_error(loopback: House, device: str) -> None:
    """Nothing is read from a device that has no end, and no game begins that would rely on it."""
    require(Path(device).exists(), "needs such devices")
    seat = loopback.start("host", "--record", device, *LONG_GAME, *ALONE)
    assert seat.status() == 2
    assert "--record" in seat.errors()
