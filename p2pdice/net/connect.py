"""One TCP connection to one numeric address, and what each way of failing means to the person who waits for it. Knows
nothing of TLS or of players."""

import asyncio
import errno
import socket

from p2pdice.net.errors import ChannelError

CONNECT_S = 4.0  # Linux says "unreachable" after 3.07 s, and that answer is worth waiting for

_REASONS = {
    errno.ECONNREFUSED: "refused",
    errno.ENETUNREACH: "no-network",
    errno.ENETDOWN: "no-network",
    errno.EADDRNOTAVAIL: "no-network",
    errno.EAFNOSUPPORT: "no-network",
    errno.EINVAL: "missing-zone",
    errno.ENODEV: "missing-zone",
    errno.EPERM: "denied",
    errno.EACCES: "denied",
    errno.ETIMEDOUT: "timeout",
}


async def connect(host: str, port: int) -> socket.socket:
    """A connected, non-blocking socket. Raises ChannelError.

    `host` is numeric, a link-local one with its %interface.
    """
    try:
        (family, kind, protocol, _, address), *_ = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_NUMERICHOST | socket.AI_NUMERICSERV)
    except (OSError, ValueError, OverflowError) as error:  # the zone's interface may be gone
        raise ChannelError("missing-zone" if "%" in host else "unknown-host") from error
    try:
        connection = socket.socket(family, kind, protocol)  # asyncio sets TCP_NODELAY only where it sees TCP
    except OSError as error:
        raise ChannelError(reason(error)) from error
    connection.setblocking(False)
    try:
        async with asyncio.timeout(CONNECT_S):
            await asyncio.get_running_loop().sock_connect(connection, address)
    except OSError as error:
        connection.close()
        raise ChannelError(reason(error)) from error
    except BaseException:
        connection.close()
        raise
    return connection


def reason(error: OSError) -> str:
    """The word for an error of connecting: see ChannelError."""
    if isinstance(error, TimeoutError) and error.errno is None:
        return "timeout"  # our own limit
    return _REASONS.get(error.errno or 0, "unreachable")
