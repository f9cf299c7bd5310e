"""Signatures of a long transcript, checked by one process for each core: they take most of the time of `verify`, and
Python's lock keeps threads from sharing them. Knows nothing of what is signed."""

import functools
import os
import signal
from collections.abc import Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from types import TracebackType

from p2pdice.fairness.keys import Verifier
from p2pdice.protocol.audit import Report, Signatures, audit
from p2pdice.protocol.messages import Signed

CHUNK = 256


def judged(raw: bytes) -> Report:
    """The same report as `audit` gives, by all cores that this process may use."""
    processes = cores()
    if processes > 1:
        try:
            with SharedOut(processes) as signatures:
                return audit(raw, signatures)
        except (NotImplementedError, OSError, BrokenProcessPool):
            pass  # this system has no processes to give, or took one away
    return audit(raw)


def cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class SharedOut(Signatures):
    """Hands the signatures out in chunks, while the file is still being read."""

    def __init__(self, processes: int) -> None:
        """Raises NotImplementedError or OSError where there cannot be any."""
        super().__init__()
        self._pool = ProcessPoolExecutor(processes, initializer=signal.signal,
                                         initargs=(signal.SIGINT, signal.SIG_IGN))
        self._parts: list[Future[bool]] = []

    def add(self, verifier: Verifier, signed: Signed) -> None:
        super().add(verifier, signed)
        if len(self._claims) == CHUNK:
            part = [(verifier.public, *signed.value()) for verifier, signed in self._claims]
            self._claims.clear()
            self._parts.append(self._pool.submit(_all_hold, part))

    def all_hold(self) -> bool:
        return super().all_hold() and all([part.result() for part in self._parts])

    def __enter__(self) -> "SharedOut":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        self._pool.shutdown(cancel_futures=True)


def _all_hold(part: Sequence[tuple[bytes, bytes, bytes]]) -> bool:
    """In one of the processes: whether all of these (key, body, signature) hold."""
    return all([Signed(body, signature).holds(_verifier(public)) for public, body, signature in part])


_verifier = functools.lru_cache(maxsize=64)(Verifier)
