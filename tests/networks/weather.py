"""A wire between the computers of a test, on which there is weather."""

import contextlib
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from tests.conftest import require
from tests.networks.lan import Computer


class Wire:
    """The running switch of wire.py, and what befalls it."""

    def __init__(self, process: "subprocess.Popen[str]", count: int) -> None:
        self._process = process
        self._count = count
        self._answer()

    def weather(self, *, delay_ms: float = 0.0, jitter_ms: float = 0.0, loss_percent: float = 0.0) -> None:
        """From now on, for every frame, one way."""
        self._say(f"weather {delay_ms} {jitter_ms} {loss_percent}")

    def split(self, *groups: Sequence[int]) -> None:
        """Computers, by their place from 0, reach those of their group only; those of none reach each other."""
        side = {place: number for number, group in enumerate(groups, start=1) for place in group}
        self._say("sides " + "".join(str(side.get(place, 0)) for place in range(self._count)))

    def heal(self) -> None:
        """Everybody reaches everybody."""
        self.split()

    def _say(self, line: str) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(line + "\n")
        self._process.stdin.flush()
        self._answer()

    def _answer(self) -> None:
        assert self._process.stdout is not None
        assert self._process.stdout.readline() == "ok\n"


@contextlib.contextmanager
def wire(*computers: Computer) -> Iterator[Wire]:
    """A network 10.79.0.0/24 of these computers, which have no other."""
    require(os.path.exists("/dev/net/tun"), "needs /dev/net/tun")
    command = [sys.executable, str(Path(__file__).with_name("wire.py")), *(one.namespace for one in computers)]
    with subprocess.Popen(command, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        try:
            yield Wire(process, len(computers))
        finally:
            process.kill()
