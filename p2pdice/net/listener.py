"""The open port: one IPv4 and one IPv6 socket on the same number, and what strangers may cost before they have proved
who they are. Must not know which peers are wanted."""

import asyncio
import contextlib
import errno
import functools
import socket
import sys
from collections.abc import Callable, Coroutine
from typing import Any

from p2pdice.net.errors import ListenError, PortTaken
from p2pdice.net.limits import Gate, Turnstile

PORTS = range(47600, 47610)
BACKLOG = 128
EARLY_IN_ALL, EARLY_PER_ADDRESS, EARLY_LOCAL = 32, 8, 40
# Each handshake takes some milliseconds of this process; a table of 32 on one computer brings 31 at once.
VISITS_PER_S, VISITS_BURST = 8.0, 64.0  # of one address
VISITS_PER_S_IN_ALL, VISITS_BURST_IN_ALL = 24.0, 96.0
MOST_VISITORS = 256  # addresses that are remembered
REFUSED_S = 0.002  # a flood is turned away at this pace; the rest of it waits in the system, or finds no room there
_EPHEMERAL_TRIES = 20
_OUT_OF_FILES = (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM)
_OUT_OF_FILES_S = 0.5

Greet = Callable[[socket.socket, str, bool], Coroutine[Any, Any, None]]


class Listener:
    """Takes in connections and hands each, within the caps, to `greet(connection, address, local)`.

    What `greet` does until it returns is time the other side is not authenticated; its errors are its own.
    """

    def __init__(self, greet: Greet) -> None:
        self.port = 0
        self._greet = greet
        self._gate = Gate(EARLY_IN_ALL, EARLY_PER_ADDRESS, EARLY_LOCAL)
        self._sockets: list[socket.socket] = []
        self._accepting: list[asyncio.Task[None]] = []
        self._greeting: set[asyncio.Task[None]] = set()

    def open(self, bind: str | None = None, port: int | None = None) -> int:
        """Listen on every address or on `bind`; on `port` or else the first free of PORTS, else any. Returns the port.

        Raises ListenError; PortTaken when `port` was given and is in use.
        """
        self._sockets = _bind(bind, port)
        self.port = self._sockets[0].getsockname()[1]
        self._accepting = [asyncio.create_task(self._accept(listening)) for listening in self._sockets]
        return self.port

    @property
    def families(self) -> set[socket.AddressFamily]:
        """Whether it listens on AF_INET, AF_INET6 or both."""
        return {listening.family for listening in self._sockets}

    async def aclose(self) -> None:
        """Take in nobody more, and drop those not yet authenticated."""
        for listening in self._sockets:
            # Of a visitor whom the loop has just heard of: it would be handed to a task that is no more.
            with contextlib.suppress(NotImplementedError):  # Windows hears of them in another way
                asyncio.get_running_loop().remove_reader(listening)
        tasks = [*self._accepting, *self._greeting]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for listening in self._sockets:
            listening.close()
        self._sockets = []

    async def _accept(self, listening: socket.socket) -> None:
        loop = asyncio.get_running_loop()
        turnstile = Turnstile(VISITS_PER_S, VISITS_BURST, VISITS_PER_S_IN_ALL, VISITS_BURST_IN_ALL, MOST_VISITORS,
                              loop.time())
        while True:
            try:
                connection, remote = await loop.sock_accept(listening)
            except OSError as error:
                if error.errno in _OUT_OF_FILES:
                    await asyncio.sleep(_OUT_OF_FILES_S)  # not worth an end: connections close all the time
                continue  # else it hung up already
            address = str(remote[0])
            local = _is_local(connection, address)
            if not turnstile.enter(address, loop.time()) or not self._gate.enter(address, local=local):
                connection.close()  # honest diallers come again after their random wait
                await asyncio.sleep(REFUSED_S)  # accepting does not wait while somebody stands in line
                continue
            task = asyncio.create_task(self._greet(connection, address, local))
            self._greeting.add(task)
            task.add_done_callback(functools.partial(self._greeted, address, local))

    def _greeted(self, address: str, local: bool, task: asyncio.Task[None]) -> None:
        self._greeting.discard(task)
        self._gate.leave(address, local=local)


def _is_local(connection: socket.socket, address: str) -> bool:
    """Loopback, or this computer talking to its own address on the network: two terminals, not a stranger."""
    try:
        own = str(connection.getsockname()[0])
    except OSError:
        return False
    return address == own or address.startswith("127.") or address == "::1"


def _bind(bind: str | None, port: int | None) -> list[socket.socket]:
    if port:
        try:
            return _pair(bind, port)
        except OSError as error:
            if error.errno == errno.EADDRINUSE:
                raise PortTaken(port) from error
            raise _listen_error(error, bind, port) from error
    last: OSError | None = None
    for candidate in [*PORTS, *([0] * _EPHEMERAL_TRIES)] if port is None else [0] * _EPHEMERAL_TRIES:
        try:
            return _pair(bind, candidate)
        except OSError as error:
            if error.errno not in (errno.EADDRINUSE, errno.EACCES):  # Windows reserves ranges: "access", not "in use"
                raise _listen_error(error, bind, candidate) from error
            last = error
    raise ListenError("port-denied", bind=bind) from last


def _listen_error(error: OSError, bind: str | None, port: int) -> ListenError:
    denied = error.errno in (errno.EACCES, errno.EPERM)
    return ListenError("port-denied" if denied else "bad-address", bind=bind, port=port)


def _pair(bind: str | None, port: int) -> list[socket.socket]:
    """Listening sockets on one port: of `bind`'s family, else of each family this computer has. Raises OSError."""
    if bind is not None:
        family, kind, _, _, address = socket.getaddrinfo(
            bind, port, type=socket.SOCK_STREAM, flags=socket.AI_NUMERICHOST | socket.AI_PASSIVE)[0]
        return [_listen(family, kind, address)]
    sockets: list[socket.socket] = []
    try:
        for family, host in ((socket.AF_INET, "0.0.0.0"), (socket.AF_INET6, "::")):
            try:
                sockets.append(_listen(family, socket.SOCK_STREAM, (host, port)))
            except OSError as error:
                if error.errno not in (errno.EAFNOSUPPORT, errno.EADDRNOTAVAIL):
                    raise
                continue  # this computer has no such family
            port = sockets[0].getsockname()[1]
    except BaseException:
        for listening in sockets:
            listening.close()
        raise
    if not sockets:
        raise OSError(errno.EADDRNOTAVAIL, "neither IPv4 nor IPv6")
    return sockets


def _listen(family: int, kind: int, address: Any) -> socket.socket:
    # Named TCP: only then asyncio sets TCP_NODELAY on what is taken in, without which each exchange waits 40 ms.
    listening = socket.socket(family, kind, socket.IPPROTO_TCP)
    try:
        if sys.platform == "win32":
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_EXCLUSIVEADDRUSE, 1)
        else:
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # a port in TIME_WAIT is free
        if family == socket.AF_INET6:
            listening.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        listening.setblocking(False)
        listening.bind(address)
        listening.listen(BACKLOG)  # only now is the port surely ours
    except BaseException:
        listening.close()
        raise
    return listening
