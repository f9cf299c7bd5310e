"""Memory (G17): a peer whose player thinks, in a game of six real processes, against a bare process with its libraries.

The peer has a screen at a real terminal, and its turn; the other five are bots and wait for it. The bare process runs
what the peer needs them for: a loop, a prompt, a TLS port and mDNS. All are there at once, in a namespace with loopback
only. Counted is the resident set size, what the system's own tools show: shared pages of the interpreter and of the
libraries count in full, on both sides. The proportional set size, in which they count by the part that falls to each of
the processes that are there, is printed beside it.
"""

import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from _benchmark import Goal, Result, Unable
from _terminal import DRAWN, Terminal

from tests.games.tablehouse import House, can_make_namespaces, house

IDLE = Goal("G17", "memory of an idle peer, 6 players", "bare process, same libraries", 1.4, 1.15)
GOALS = (IDLE,)

PLAYERS = 6
SETTLE_S = 2.0  # after which nothing is left to be done
BARE = """
import asyncio, msgpack, ssl, wcwidth
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, x25519
from cryptography.hazmat.primitives.hpke import AEAD, KDF, KEM, Suite
from prompt_toolkit import PromptSession
from zeroconf.asyncio import AsyncZeroconf

async def main():
    network = AsyncZeroconf(interfaces=["127.0.0.1"])
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    await asyncio.start_server(lambda reader, writer: None, "127.0.0.1", 0, ssl=context)
    key = ed25519.Ed25519PrivateKey.generate()
    await PromptSession().prompt_async("> ")

asyncio.run(main())
"""


def run(short: bool) -> Iterator[Result]:
    """The goal of memory."""
    if not (can_make_namespaces() and Path("/proc/self/smaps_rollup").exists()):
        raise Unable("needs root, network namespaces and Linux's smaps_rollup")
    ours: list[tuple[float, float]] = []
    bare: list[tuple[float, float]] = []
    for _ in range(1 if short else 5):
        with tempfile.TemporaryDirectory() as folder, house(Path(folder)) as network:
            mine, other = _both(network, folder)
            ours.append(mine)
            bare.append(other)
    ratios = [mine / other for (mine, _), (other, _) in zip(ours, bare, strict=True)]
    yield Result(IDLE, ratios, *("{:.1f} MB (Pss {:.1f})".format(*max(sizes)) for sizes in (ours, bare)))


def _both(network: House, folder: str) -> tuple[tuple[float, float], tuple[float, float]]:
    """The sizes of the idle peer and of the bare process."""
    bots = ("--json", "--auto", "easy", "--bind", "127.0.0.1")
    host = network.start("host", "--players", str(PLAYERS), "--turn-time", "0", *bots)
    address = f"127.0.0.1:{host.event('listening')['port']}"
    for number in range(PLAYERS - 2):
        network.start("join", address, "--name", f"Guest {number}", *bots)
    python = [*network.prefix(), sys.executable]
    peer = [*python, "-m", "p2pdice", "join", address, "--name", "Idle", "--bind", "127.0.0.1"]
    with Terminal(peer, folder) as screen, Terminal([*python, "-c", BARE], folder) as least:
        screen.until(b"Press Enter")  # who does accepts the rules
        screen.type(b"\r")
        screen.until(b"Your turn")
        least.until(DRAWN)
        time.sleep(SETTLE_S)
        return _megabytes(screen.process), _megabytes(least.process)


def _megabytes(process: int) -> tuple[float, float]:
    """The resident and the proportional set size of a process."""
    lines = Path(f"/proc/{process}/smaps_rollup").read_text("ascii").splitlines()[1:]
    sizes = {line.partition(":")[0]: int(line.split()[1]) / 1024 for line in lines}
    return sizes["Rss"], sizes["Pss"]
