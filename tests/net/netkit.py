"""Keys, meshes that remember what happened to them, and ends of a connection that misbehave: what the tests of this
folder share. Everything runs over real sockets on loopback."""

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator, Callable
from typing import Any

from p2pdice.fairness.keys import SigningKey
from p2pdice.net.certificate import Certificate, client_context, make_certificate
from p2pdice.net.channel import VERSION, Channel, Version, accept
from p2pdice.net.dial import Address
from p2pdice.net.errors import ChannelError
from p2pdice.net.mesh import Mesh

HOST = "127.0.0.1"
LIMIT_S = 20.0  # only ends a test that would hang


def key(number: int) -> SigningKey:
    """A key of its own for each number."""
    return SigningKey(bytes([number]) * 32)


class Door:
    """A listening socket whose visitors go through `accept`; `outcome()` waits for what became of the next one."""

    def __init__(self, own: SigningKey, version: Version = VERSION) -> None:
        self.certificate: Certificate = make_certificate()
        self.port = 0
        self._own = own
        self._version = version
        self._outcomes: asyncio.Queue[Channel | ChannelError] = asyncio.Queue()
        self._tasks: set[asyncio.Task[None]] = set()

    async def outcome(self) -> Channel | ChannelError:
        """The channel of the next visitor, or why there is none."""
        return await asyncio.wait_for(self._outcomes.get(), LIMIT_S)

    async def channel(self) -> Channel:
        """The channel of the next visitor, who must be let in."""
        outcome = await self.outcome()
        assert isinstance(outcome, Channel)
        return outcome

    @contextlib.asynccontextmanager
    async def open(self) -> AsyncIterator["Door"]:
        """Listen on a free port meanwhile."""
        listening = listen()
        self.port = listening.getsockname()[1]
        self._tasks.add(asyncio.create_task(self._take_in(listening)))
        try:
            yield self
        finally:
            for task in self._tasks:
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)
            while not self._outcomes.empty():
                left = self._outcomes.get_nowait()
                if isinstance(left, Channel):
                    left.abort()
            listening.close()

    async def _take_in(self, listening: socket.socket) -> None:
        while True:
            connection, remote = await asyncio.get_running_loop().sock_accept(listening)
            self._tasks.add(asyncio.create_task(self._greet(connection, remote[0])))

    async def _greet(self, connection: socket.socket, address: str) -> None:
        try:
            outcome: Channel | ChannelError = await accept(
                connection, address, self._own, self.certificate, version=self._version)
        except ChannelError as error:
            outcome = error
        await self._outcomes.put(outcome)


def listen() -> socket.socket:
    """A listening socket on a free port of loopback."""
    listening = socket.create_server((HOST, 0))
    listening.setblocking(False)
    return listening


class RawTls:
    """The dialling side of TLS alone: frames go out as the test says, whether they make sense or not."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self.writer = writer

    @classmethod
    @contextlib.asynccontextmanager
    async def to(cls, port: int) -> AsyncIterator["RawTls"]:
        """Connected to a port of loopback meanwhile."""
        reader, writer = await asyncio.open_connection(HOST, port, ssl=client_context(), server_hostname="")
        try:
            yield cls(reader, writer)
        finally:
            writer.close()
            with contextlib.suppress(OSError):
                await writer.wait_closed()

    @property
    def certificate(self) -> bytes:
        """DER of the other side's certificate."""
        der: bytes = self.writer.get_extra_info("ssl_object").getpeercert(binary_form=True)
        return der

    def send(self, frame: bytes) -> None:
        """One frame, of any length."""
        self.writer.write(len(frame).to_bytes(4, "big") + frame)

    async def receive(self) -> bytes | None:
        """The next frame, None at the end."""
        try:
            async with asyncio.timeout(LIMIT_S):
                return await self._reader.readexactly(int.from_bytes(await self._reader.readexactly(4), "big"))
        except (asyncio.IncompleteReadError, OSError):
            return None


class Node:
    """A mesh of one player, with a diary."""

    def __init__(self, number: int, version: Version = VERSION, changed: asyncio.Event | None = None) -> None:
        self.key = key(number)
        self.port = 0
        self.linked: list[bytes] = []
        self.lost: list[bytes] = []
        self.received: list[tuple[bytes, bytes]] = []
        self.refused: list[ChannelError] = []
        self._changed = changed or asyncio.Event()
        self.mesh = Mesh(
            self.key,
            linked=lambda peer, address: self._note(self.linked, peer),
            received=lambda peer, frame: self._note(self.received, (peer, frame)),
            lost=lambda peer: self._note(self.lost, peer),
            refused=lambda error, address: self._note(self.refused, error),
            version=version,
            retry_s=lambda: 0.01,
        )

    def _note(self, diary: list[Any], entry: object) -> None:
        diary.append(entry)
        self._changed.set()

    async def until(self, holds: Callable[[], object]) -> None:
        """Return once `holds()` is true; looked at again after each entry in the diary, of any of the `nodes`."""
        async with asyncio.timeout(LIMIT_S):
            while not holds():
                self._changed.clear()
                await self._changed.wait()

    def listen(self, port: int | None = 0) -> int:
        """Open the node's port on loopback."""
        self.port = self.mesh.listen(HOST, port)
        return self.port

    @property
    def address(self) -> list[Address]:
        """Where to dial this node."""
        return [(HOST, self.port)]


@contextlib.asynccontextmanager
async def nodes(count: int) -> AsyncIterator[list[Node]]:
    """Listening nodes without links, closed at the end."""
    changed = asyncio.Event()
    made = [Node(number, changed=changed) for number in range(1, count + 1)]
    for node in made:
        node.listen()
    try:
        yield made
    finally:
        await asyncio.gather(*(node.mesh.aclose() for node in made))
