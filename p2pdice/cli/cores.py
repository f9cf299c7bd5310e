"""Signatures of a long transcript, checked by a process for each core: they take most of the time of `verify`, and
Python's lock keeps threads from sharing them. Knows nothing of what is signed."""

import functools
import multiprocessing
import os
import signal
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from multiprocessing.connection import Connection
from types import TracebackType

from p2pdice.fairness.keys import Verifier
from p2pdice.protocol.audit import Report, Signatures, audit
from p2pdice.protocol.messages import Signed

MOST, LEAST = 64, 8  # signatures in a part; fewer towards the end, so that all are done at about the same time
AHEAD = 2  # parts in a worker's hands: whenever it is done with one, the next is there

Part = Sequence[tuple[bytes, bytes, bytes]]  # (key, body, signature)


def judged(raw: bytes) -> Report:
    """The same report as `audit` gives, by all cores that this process may use."""
    others = cores() - 1
    if others and hasattr(os, "fork"):
        with suppress(OSError, EOFError), ExitStack() as stack:  # raised where there is no process, or one has died
            return audit(raw, SharedOut([stack.enter_context(Worker()) for _ in range(others)]))
    return audit(raw)


def cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Worker:
    """A process that checks signatures as long as it is needed. All raise OSError or EOFError: there is none to have,
    or it has died."""

    def __init__(self) -> None:
        self._line, self._other_end = multiprocessing.Pipe()
        self._process = multiprocessing.get_context("fork").Process(
            target=_check_all, args=(self._other_end, self._line), daemon=True)
        self._asked = 0
        self._held = True

    def __enter__(self) -> "Worker":
        # Ctrl-C reaches all processes of a terminal, and this one ends the others.
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            self._process.start()
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
        self._other_end.close()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        self._process.terminate()  # whoever starts another, or ends itself, clears it away: no need to wait for that
        self._line.close()

    def has_room(self) -> bool:
        """Whether it should be given another part, so as never to wait for one."""
        while self._asked and self._line.poll():
            self._hear()
        return self._asked < AHEAD

    def ask(self, part: Part) -> None:
        """Have it check these signatures."""
        self._line.send(part)
        self._asked += 1

    def all_held(self) -> bool:
        """Whether all that it was asked about hold."""
        while self._asked:
            self._hear()
        return self._held

    def _hear(self) -> None:
        self._held &= self._line.recv()
        self._asked -= 1


class SharedOut(Signatures):
    """Hands the signatures out in parts, while the file is still being read, and checks some itself when it is read."""

    def __init__(self, workers: Sequence[Worker]) -> None:
        super().__init__()
        self._workers = workers

    def add(self, verifier: Verifier, signed: Signed) -> None:
        super().add(verifier, signed)
        if len(self._claims) % MOST == 0:
            self._hand_out()

    def all_hold(self) -> bool:
        held = True
        while self._claims:
            self._hand_out()
            held &= _all_hold(self._next_part())
        return held and all([worker.all_held() for worker in self._workers])

    def _hand_out(self) -> None:
        for worker in self._workers:
            while self._claims and worker.has_room():
                worker.ask(self._next_part())

    def _next_part(self) -> Part:
        size = min(MOST, max(LEAST, len(self._claims) // (AHEAD * (1 + len(self._workers)))))
        claims = self._claims[-size:]
        del self._claims[-size:]
        return [(verifier.public, *signed.value()) for verifier, signed in claims]


def _check_all(line: Connection, asking: Connection) -> None:
    """In a process of its own: answer, for each part that comes, whether all its signatures hold."""
    asking.close()
    with suppress(OSError, EOFError):  # whoever asked is gone
        while True:
            line.send(_all_hold(line.recv()))


def _all_hold(part: Part) -> bool:
    return all([Signed(body, signature).holds(_verifier(public)) for public, body, signature in part])


_verifier = functools.lru_cache(maxsize=64)(Verifier)
