"""Real p2pdice processes in a network of their own: a namespace with loopback only, from which nothing leaves. Without
root or namespaces the processes run on loopback itself, by address only."""

import contextlib
import itertools
import json
import os
import select
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from p2pdice.protocol.audit import Report, audit

LIMIT_S = 120.0  # only ends a test that would hang
ROOT = Path(__file__).parent.parent.parent
_numbers = itertools.count()


def can_make_namespaces() -> bool:
    """Whether this process may make a network namespace."""
    try:
        return subprocess.run(["unshare", "-n", "true"], capture_output=True, check=False).returncode == 0
    except OSError:
        return False


@dataclass
class Seat:
    """One running process; its lines are read when somebody waits for one."""

    process: subprocess.Popen[str]
    state: Path
    lines: list[str] = field(default_factory=list)
    rest: bytes = b""  # of its output, behind the last whole line

    def say(self, *lines: str) -> None:
        """Type lines into it."""
        assert self.process.stdin is not None
        self.process.stdin.write("".join(f"{line}\n" for line in lines))
        self.process.stdin.flush()

    def event(self, kind: str) -> dict[str, Any]:
        """The next JSON object of that kind on its output, or the first one already seen."""
        for line in self.output():
            if line.startswith("{") and (found := json.loads(line))["event"] == kind:
                return dict(found)
        raise AssertionError(f"ended without {kind}: {self.lines[-5:]} {self.errors()}")

    def events(self, kind: str, count: int) -> None:
        """Wait for so many JSON objects of that kind, from the first line on."""
        for line in self.output():
            count -= line.startswith("{") and json.loads(line)["event"] == kind
            if not count:
                return
        raise AssertionError(f"ended too early: {self.lines[-3:]} {self.errors()}")

    def output(self) -> Iterator[str]:
        """All its lines, from the first one on, as long as it runs."""
        yield from list(self.lines)
        assert self.process.stdout is not None
        while True:
            while b"\n" in self.rest:
                line, _, self.rest = self.rest.partition(b"\n")
                self.lines.append(line.decode())
                yield self.lines[-1]
            # Not through the stream's own buffer: what it has taken in already, select does not see.
            ready, _, _ = select.select([self.process.stdout], [], [], LIMIT_S)
            assert ready, f"nothing more within {LIMIT_S} s: {self.lines[-5:]}"
            data = os.read(self.process.stdout.fileno(), 2**16)
            if not data:
                return
            self.rest += data

    def status(self) -> int:
        """Its exit status, once it has ended; the rest of its output is read meanwhile."""
        for _ in self.output():
            pass
        return self.process.wait(LIMIT_S)

    def errors(self) -> str:
        """What it wrote to standard error, after its end."""
        assert self.process.stderr is not None
        return self.process.stderr.read() if self.process.poll() is not None else ""

    def report(self) -> Report:
        """What its one transcript holds."""
        files = sorted((self.state / "games").glob("*.p2pdice"))
        assert len(files) == 1, files
        return audit(files[0].read_bytes())


class House:
    """Starts processes, and ends all of them at the end of the test, by their own ids."""

    def __init__(self, folder: Path, namespace: str | None) -> None:
        self._folder = folder
        self._namespace = namespace
        self._seats: list[Seat] = []

    def start(self, *arguments: str, state: Path | None = None, environment: dict[str, str] | None = None) -> Seat:
        """`p2pdice ARGUMENTS` with a state folder of its own (or a given one) and pipes on all three streams."""
        home = state or self._folder / f"state-{next(_numbers)}"
        command = [*self.prefix(), sys.executable, "-m", "p2pdice", *arguments]
        variables = os.environ | {"P2PDICE_STATE": str(home), "P2PDICE_LANG": "en", "HOME": str(self._folder),
                                  "COLUMNS": "80"} | (environment or {})
        process = subprocess.Popen(command, cwd=ROOT, env=variables, text=True, stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        seat = Seat(process, home)
        self._seats.append(seat)
        return seat

    def prefix(self) -> Sequence[str]:
        """What runs a command inside this house's network."""
        return ("ip", "netns", "exec", self._namespace) if self._namespace else ()

    def close(self) -> None:
        """End what still runs."""
        for seat in self._seats:
            if seat.process.poll() is None:
                seat.process.kill()
            seat.process.wait(LIMIT_S)
            for stream in (seat.process.stdin, seat.process.stdout, seat.process.stderr):
                if stream:
                    with contextlib.suppress(OSError):
                        stream.close()


@contextlib.contextmanager
def house(folder: Path) -> Iterator[House]:
    """A house in a namespace of its own."""
    name = f"p2pdice-test-{os.getpid()}-{next(_numbers)}"
    subprocess.run(["ip", "netns", "add", name], check=True)
    try:
        subprocess.run(["ip", "-n", name, "link", "set", "lo", "up"], check=True)
        made = House(folder, name)
        try:
            yield made
        finally:
            made.close()
    finally:
        subprocess.run(["ip", "netns", "del", name], check=True)


@contextlib.contextmanager
def open_house(folder: Path) -> Iterator[House]:
    """A house on this computer's own loopback: everything binds to 127.0.0.1 and says nothing by mDNS."""
    made = House(folder, None)
    try:
        yield made
    finally:
        made.close()
