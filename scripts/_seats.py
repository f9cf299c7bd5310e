"""The programs of _tables.py, a process for each seat: `ours` sits at a p2pdice table with its files in FOLDER, `bare`
at one that has nothing but sockets and signatures. Both obey lines on their input, and answer each with lines. `games`
plays one game after the other by itself, as a bot. `mesh` and `tls` only link up, with all others at once when "go"
comes: by p2pdice's links, or by bare TLS 1.3 of asyncio, each pair once, and one word both ways.

A bare table is what a careful program cannot do without if every move is signed: a full mesh of TCP connections on
loopback without encryption, frames of a length, a seat, a body as long as p2pdice's and an Ed25519 signature. A body
is signed once, sent to all, and counts where its signature holds. `disk`: and what is sent is written and flushed
before, as a program must that may be killed and come back.
"""

import asyncio
import gc
import json
import os
import sys
import time
from collections import Counter
from collections.abc import Callable, Coroutine, Mapping
from pathlib import Path
from typing import Any, cast

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from p2pdice.fairness.keys import SigningKey
from p2pdice.net.certificate import client_context, make_certificate
from p2pdice.net.driver import Driver
from p2pdice.net.mesh import Mesh
from p2pdice.net.seats import again, host, join
from p2pdice.net.settings import Settings
from p2pdice.protocol.codec import pack
from p2pdice.protocol.events import ActionMade, DiceDealt, Event, Listening, LobbyChanged, TurnBegan
from p2pdice.rules import DUDO, Ruleset, make_ruleset

ROUND = ("dudo", "reveal", "commit", "open")  # what a doubt leads to; each but the doubt comes from all seats
SIGNATURE_BYTES = 64
PING = pack("ping")  # behind the first byte of a frame


def tell(answer: Mapping[str, object]) -> None:
    """One line to whoever started this."""
    print(json.dumps(answer), flush=True)


async def obey(do: Callable[[list[str]], None]) -> None:
    """Do what each line says, until there are no more."""
    loop = asyncio.get_running_loop()
    ended = loop.create_future()

    def readable() -> None:
        lines = os.read(sys.stdin.fileno(), 2**16).decode()
        for line in lines.splitlines():
            do(line.split())
        if not lines and not ended.done():
            ended.set_result(None)

    loop.add_reader(sys.stdin.fileno(), readable)
    await ended


class Bare:
    """One seat of the bare table. After `ports`, `keys` and `go`: "bid" is one body of this seat, "dudo" a ROUND."""

    def __init__(self, seat: int, seats: int, record: int | None) -> None:
        self.seat = seat
        self.seats = seats
        self.key = Ed25519PrivateKey.generate()
        self.keys: list[Ed25519PublicKey] = []
        self.links: list[asyncio.Transport] = []
        self.sizes = {"bid": 120, "dudo": 118, "reveal": 186, "commit": 130 + 36 * (seats + 1),
                      "open": 125 + 36 * seats}
        self.words = tuple(self.sizes)
        self.heard: Counter[str] = Counter()  # bodies of each word, the own one too
        self.phase = 0  # of ROUND
        self._record = record

    def do(self, words: list[str]) -> None:
        """A line of input."""
        match words:
            case ["ports", *ports]:
                self._connecting = asyncio.ensure_future(self._connect([int(port) for port in ports]))
            case ["keys", *keys]:
                self.keys = [Ed25519PublicKey.from_public_bytes(bytes.fromhex(key)) for key in keys]
            case [word]:
                begun = time.monotonic()
                self._say(word)
                self._count(word)
                tell({"begun": begun})

    async def open(self) -> None:
        """Listen, and tell the port and the key."""
        loop = asyncio.get_running_loop()
        server = await loop.create_server(lambda: Wire(self), "127.0.0.1", 0, backlog=self.seats)
        tell({"port": server.sockets[0].getsockname()[1], "key": self.key.public_key().public_bytes_raw().hex()})

    async def _connect(self, ports: list[int]) -> None:
        for port in ports[:self.seat]:
            await asyncio.get_running_loop().create_connection(lambda: Wire(self), "127.0.0.1", port)
        while len(self.links) < self.seats - 1:
            await asyncio.sleep(0.05)
        tell({"linked": True})

    def _say(self, word: str) -> None:
        body = bytes([self.seat, self.words.index(word)]) + os.urandom(self.sizes[word] - 2)
        raw = body + self.key.sign(body)
        frame = len(raw).to_bytes(4, "big") + raw
        if self._record is not None:
            os.write(self._record, frame)
            os.fsync(self._record)
        for link in self.links:
            link.write(frame)

    def received(self, raw: bytes) -> None:
        """A frame from another seat."""
        body = raw[:-SIGNATURE_BYTES]
        self.keys[body[0]].verify(raw[-SIGNATURE_BYTES:], body)
        self._count(self.words[body[1]])

    def _count(self, word: str) -> None:
        """One body of that word is here; whoever has all of a phase says its own of the next one."""
        self.heard[word] += 1
        if word == "bid":
            self._done()
        while self.heard[ROUND[self.phase]] == (self.seats if self.phase else 1):
            self.phase += 1
            if self.phase == len(ROUND):
                self._done()
                return
            self._say(ROUND[self.phase])
            self.heard[ROUND[self.phase]] += 1

    def _done(self) -> None:
        self.heard.clear()
        self.phase = 0
        tell({"done": time.monotonic()})


class Wire(asyncio.Protocol):
    """One connection of the bare table."""

    def __init__(self, seat: Bare) -> None:
        self._seat = seat
        self._waiting = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._seat.links.append(transport)

    def data_received(self, data: bytes) -> None:
        self._waiting += data
        while len(self._waiting) >= 4 and len(self._waiting) >= (end := 4 + int.from_bytes(self._waiting[:4], "big")):
            frame, self._waiting = self._waiting[4:end], self._waiting[end:]
            self._seat.received(frame)


async def bare(seat: str, seats: str, record: str) -> None:
    """A seat of the bare table."""
    handle = os.open(record, os.O_WRONLY | os.O_CREAT | os.O_APPEND) if record else None
    one = Bare(int(seat), int(seats), handle)
    await one.open()
    await obey(one.do)


def sit(settings: Settings, seats: str, port: str, rules: Ruleset) -> Driver:
    """A place at the table at `port`; a new table where there is none yet."""
    if port:
        return join(settings, ("127.0.0.1", int(port)), wanted=None)
    return host(settings, title=None, rules=rules, players=int(seats), bots=0, bot_level="normal", turn_time_s=0,
                drop_time_s=600)


async def ours(seat: str, seats: str, folder: str, port: str) -> None:
    """A seat of a p2pdice table: the host's where `port` is empty. "bid" is the lowest bid, "dudo" a doubt. With each
    turn comes what this seat has sent to others so far, in bytes and frames, but for signs of life: those come by time,
    whatever is played."""
    settings = Settings(f"player {seat}", Path(folder), bind="127.0.0.1", mdns=False, consent=True)
    driver = sit(settings, seats, port, make_ruleset("perudo", {"starting_dice": "10"}))
    turn: list[TurnBegan] = []
    seated: list[bool] = []
    done = 0.0
    sent: Counter[str] = Counter()
    send = driver.mesh.send

    def counted(peer: bytes, *frames: bytes) -> None:
        for frame in frames:
            if not frame.startswith(PING, 1):
                sent["bytes"] += len(frame)
                sent["frames"] += 1
        send(peer, *frames)

    def happened(event: Event) -> None:
        nonlocal done
        if isinstance(event, Listening):
            tell({"port": event.port})
        elif isinstance(event, LobbyChanged) and not seated:
            seated.append(True)
            tell({"seated": True})
        elif (isinstance(event, ActionMade) and event.action != DUDO) or isinstance(event, DiceDealt):
            done = time.monotonic()
        elif isinstance(event, TurnBegan):
            turn[:] = [event] if event.legal else []
            tell({"done": done, "mine": bool(turn), "sent": sent})

    def do(words: list[str]) -> None:
        begun, legal = time.monotonic(), turn[0].legal
        assert legal is not None
        driver.act(legal[0] if words == ["bid"] else DUDO)
        tell({"begun": begun})

    driver.mesh.send = counted  # type: ignore[method-assign]
    driver.on_event = happened
    playing, obeying = asyncio.ensure_future(driver.run()), asyncio.ensure_future(obey(do))
    await asyncio.wait([playing, obeying], return_when=asyncio.FIRST_COMPLETED)
    if playing.done():
        playing.result()
    playing.cancel()


async def games(seat: str, seats: str, folder: str, port: str, count: str, every: str, own: str) -> None:
    """Plays `count` games with the same people in this one process, at its `own` port, and tells its memory (KiB) and
    the number of its open files after each `every` of them."""
    settings = Settings(f"player {seat}", Path(folder), bind="127.0.0.1", port=int(own), mdns=False, consent=True,
                        auto="easy")
    driver = sit(settings, seats, port, make_ruleset("doodoo", {"starting_dice": "1"}))
    driver.on_event = lambda event: tell({"port": event.port}) if isinstance(event, Listening) else None
    for number in range(1, int(count) + 1):
        if await driver.run():
            raise RuntimeError(f"game {number} was not won")
        if number % int(every) == 0:
            gc.collect()
            status = Path("/proc/self/status").read_text()
            memory = next(line.split()[1] for line in status.splitlines() if line.startswith("VmRSS"))
            tell({"games": number, "memory": int(memory), "files": len(os.listdir("/proc/self/fd"))})
        if number < int(count):
            driver = again(driver)


async def mesh(seat: str, seats: str) -> None:
    """p2pdice's links: who is at the other end is proved on each of them."""
    key = SigningKey(os.urandom(32))
    others: dict[bytes, int] = {}
    linked: set[bytes] = set()

    def met(peer: bytes, address: str) -> None:
        linked.add(peer)
        if len(linked) == int(seats) - 1:
            tell({"done": time.monotonic()})

    links = Mesh(key, linked=met, received=lambda peer, frame: None, lost=linked.discard)
    tell({"port": links.listen("127.0.0.1", 0), "key": key.public.hex()})

    def do(words: list[str]) -> None:
        match words:
            case ["keys", *keys]:
                others.update(dict.fromkeys(map(bytes.fromhex, keys), 0))
            case ["ports", *ports]:
                others.update(zip(others, map(int, ports), strict=True))
                del others[key.public]
            case ["go"]:
                tell({"begun": time.monotonic()})
                for peer, port in others.items():
                    links.want(peer, [("127.0.0.1", port)])

    await obey(do)


async def tls(seat: str, seats: str) -> None:
    """Bare TLS: nothing is proved. The certificate is of the kind that p2pdice makes."""
    loop = asyncio.get_running_loop()
    ports: list[int] = []
    heard: list[bytes] = []
    dialling: list[asyncio.Future[Any]] = []

    class Link(asyncio.Protocol):
        def connection_made(self, transport: asyncio.BaseTransport) -> None:
            cast(asyncio.Transport, transport).write(b"hello")

        def data_received(self, data: bytes) -> None:
            heard.append(data)
            if len(heard) == int(seats) - 1:
                tell({"done": time.monotonic()})

    server = await loop.create_server(Link, "127.0.0.1", 0, ssl=make_certificate().context)
    tell({"port": server.sockets[0].getsockname()[1], "key": ""})

    def do(words: list[str]) -> None:
        match words:
            case ["ports", *numbers]:
                ports[:] = map(int, numbers)
            case ["go"]:
                tell({"begun": time.monotonic()})
                context = client_context()
                dialling[:] = [asyncio.ensure_future(loop.create_connection(
                    Link, "127.0.0.1", port, ssl=context, server_hostname="")) for port in ports[:int(seat)]]

    await obey(do)


ROLES: dict[str, Callable[..., Coroutine[None, None, None]]] = {
    "ours": ours, "bare": bare, "games": games, "mesh": mesh, "tls": tls}

if __name__ == "__main__":
    role, *arguments = sys.argv[1:]
    asyncio.run(ROLES[role](*arguments))
