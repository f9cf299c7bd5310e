"""Signatures and what stands around them: a transcript verified (G5, G6), a round at a table (G7, G10), the encrypted
mesh (G9). A process for each seat, on loopback, without mDNS; ours and the floor in turn.

G5 and G6: `verify` of a record of a game of six, against nothing but the same library's verify of each signature in it,
with keys and messages made before; G6 lets `verify` use two cores, and the floor still one thread. G7: from a doubt to
the next dice at every seat (the doubt, the showdown and the next deal: n REVEAL, n COMMIT and n OPEN), against bodies
of those sizes over bare sockets, each signed once and checked by all others (_seats.py). G10: from a bid to the last
seat that sees it, against one such body. Both keep p2pdice's files in memory where the system has such a folder, since
the floor keeps none; "on a disk" they are on one, and the bare seat, too, writes and flushes what it sends before.
G9: from nothing to links between all, which prove who is there, against asyncio's TLS 1.3.
"""

import multiprocessing
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from _benchmark import Goal, Result, compare
from _tables import bare, link_up, ours
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from p2pdice.cli.cores import cores, judged
from p2pdice.fairness.framing import frame
from p2pdice.fairness.keys import Verifier
from p2pdice.fairness.labels import Label
from p2pdice.protocol.audit import Signatures, audit
from p2pdice.protocol.messages import Signed
from tests.tablekit import Table

MEMORY = Path("/dev/shm")

ONE_CORE = Goal("G5", "verify a transcript, one core", "raw Ed25519 verify", 0.8, 0.9, at_least=True)
TWO_CORES = Goal("G6", "the same on two cores", "raw verify, one thread", 1.4, 1.8, at_least=True)
DEALT = {seats: Goal("G7", f"a dealt round, n = {seats}", "signed, over bare sockets", 1.5, 1.1)
         for seats in (6, 16, 32)}
MESH = Goal("G9", "form the encrypted mesh, n = 6", "bare TLS 1.3 mesh", 1.5, 1.1)
BID = Goal("G10", "a bid seen by all, n = 6", "bare broadcast, signed", 2.0, 1.3)
KEPT = Goal("G10", "the same, on a disk", "the same, flushed first", 2.0, 1.3)

GOALS = (ONE_CORE, TWO_CORES, *DEALT.values(), MESH, BID, KEPT)


def run(short: bool) -> Iterator[Result]:
    """The goals of signatures."""
    yield _verified(ONE_CORE, audit, 3 if short else 6, 3 if short else 40)
    if cores() > 1:
        yield _verified(TWO_CORES, judged, 3 if short else 12, 3 if short else 20)
    for seats, rounds in ((6, 5),) if short else ((6, 40), (16, 20), (32, 12)):
        bids, deals = _played(seats, rounds, memory=True)
        yield compare(DEALT[seats], *deals)
        if seats == 6:
            yield compare(BID, *bids)
    yield compare(KEPT, *_played(6, 5 if short else 40, memory=False)[0])
    yield compare(MESH, *_in_turn([lambda: link_up("mesh", 6), lambda: link_up("tls", 6)], 2 if short else 40))


class Collected(Signatures):
    """Keeps what is to be checked, as the library's own arguments."""

    def __init__(self) -> None:
        super().__init__()
        self.checks: list[tuple[Ed25519PublicKey, bytes, bytes]] = []

    def add(self, verifier: Verifier, signed: Signed) -> None:
        super().add(verifier, signed)
        key = Ed25519PublicKey.from_public_bytes(verifier.public)
        self.checks.append((key, signed.signature, frame(Label.SIGNED_BODY, signed.body)))


def _verified(goal: Goal, verify: Callable[[bytes], object], players: int, rounds: int) -> Result:
    """Records a second: by `verify`, and by the library alone."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:  # whoever verifies a file has not played the game
        record = pool.apply(_record, (players,))
    collected = Collected()
    report = audit(record, collected)
    checks = collected.checks
    checks += checks[:report.signatures - len(checks)]  # of the toss, which are checked as they are read

    def raw() -> None:
        for key, signature, message in checks:
            key.verify(signature, message)

    mine, bare_s = _in_turn([lambda: _timed(lambda: verify(record)), lambda: _timed(raw)], rounds)
    ratios = [floor / own for own, floor in zip(mine, bare_s, strict=True)]
    rates = (f"{len(checks) / statistics.median(times):.0f}/s" for times in (mine, bare_s))
    return Result(goal, ratios, *rates)


def _record(players: int) -> bytes:
    """The file of a whole game."""
    table = Table(players, seed=6)
    table.play()
    return table.nodes[0].file


def _timed(do: Callable[[], object]) -> float:
    begun = time.perf_counter()
    do()
    return time.perf_counter() - begun


def _played(seats: int, rounds: int, *, memory: bool) -> tuple[list[list[float]], list[list[float]]]:
    """Seconds of bids and of rounds dealt, each for ours and for the bare table."""
    parent = MEMORY if memory and MEMORY.is_dir() else None
    with (tempfile.TemporaryDirectory(dir=parent) as name, ours(seats, Path(name)) as mine,
          bare(seats, None if memory else Path(name)) as floor):
        times: dict[str, list[list[float]]] = {"bid": [], "dudo": []}
        for _ in range(rounds):
            for word, found in times.items():
                found.append([mine.step(word), floor.step(word)])
    bids, deals = ([list(column) for column in zip(*found, strict=True)] for found in times.values())
    return bids, deals


def _in_turn(measures: Sequence[Callable[[], float]], rounds: int) -> list[list[float]]:
    """The times of each, measured one after the other in each round."""
    return [list(times) for times in zip(*([measure() for measure in measures] for _ in range(rounds)), strict=True)]
