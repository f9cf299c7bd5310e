"""Who is at the other end: TLS 1.3 under a throw-away certificate, then one exchange of Ed25519 signatures over that
certificate's hash (protocol.md section 4). Must not know what frames hold, nor whether a peer is wanted."""

import asyncio
import functools
import hashlib
import socket
import ssl
from collections.abc import Coroutine
from secrets import token_bytes
from typing import Any, cast

import msgpack

from p2pdice.fairness.errors import BadKey
from p2pdice.fairness.keys import KEY_BYTES, SigningKey, Verifier, verify
from p2pdice.fairness.labels import Label
from p2pdice.net.certificate import Certificate, client_context
from p2pdice.net.connect import connect
from p2pdice.net.errors import ChannelError, SelfConnect, VersionMismatch
from p2pdice.net.stream import Channel
from p2pdice.protocol.messages import PROTOCOL
from p2pdice.rules import ENGINE

__all__ = ["VERSION", "Channel", "Version", "accept", "open_channel"]

Version = tuple[int, int]
VERSION: Version = (PROTOCOL, ENGINE)

HANDSHAKE_S = 5.0
SHUTDOWN_S = 2.0

_NAME = "p2pdice"
_NONCE_BYTES = 32
_OK = b"ok"


async def open_channel(host: str, port: int, key: SigningKey, *, expected: bytes | None = None,
                       version: Version = VERSION) -> Channel:
    """Dial one numeric address, a link-local one with its %interface. Raises ChannelError, "other-key" if somebody else
    than `expected` answers; to whoever that is, this end has proved nothing then.

    A connection must stand within CONNECT_S, the proof within another HANDSHAKE_S.
    """
    connection = await connect(host, port)
    channel = Channel(host, dialled=True)
    attached = asyncio.get_running_loop().create_connection(
        lambda: channel, sock=connection, ssl=_client_context(), server_hostname="",
        ssl_handshake_timeout=2 * HANDSHAKE_S, ssl_shutdown_timeout=SHUTDOWN_S)
    await _authenticate(channel, attached, _prove_as_dialler(channel, key, expected, version))
    return channel


async def accept(connection: socket.socket, address: str, key: SigningKey, certificate: Certificate, *,
                 version: Version = VERSION) -> Channel:
    """The listening side of a connection just taken in. Raises ChannelError, after the connection is closed."""
    channel = Channel(address, dialled=False)
    attached = asyncio.get_running_loop().connect_accepted_socket(
        lambda: channel, connection, ssl=certificate.context,
        ssl_handshake_timeout=2 * HANDSHAKE_S, ssl_shutdown_timeout=SHUTDOWN_S)
    await _authenticate(channel, attached, _prove_as_listener(channel, key, version, certificate.digest))
    return channel


async def _authenticate(channel: Channel, attached: Coroutine[Any, Any, object],
                        proof: Coroutine[Any, Any, None]) -> None:
    try:
        # Our own limit is the shorter one: asyncio's does not cover the exchange behind TLS.
        async with asyncio.timeout(HANDSHAKE_S):
            await attached
            await proof
    except (OSError, ChannelError) as error:
        channel.close()  # not abort: a refusal, such as our version, is still to be sent
        await channel.wait_closed()
        raise error if isinstance(error, ChannelError) else ChannelError(_reason(error)) from error
    except BaseException:
        channel.abort()
        raise
    finally:
        proof.close()  # it never began if TLS failed


def _reason(error: OSError) -> str:
    if isinstance(error, TimeoutError):
        return "frozen"
    return "bad-handshake" if isinstance(error, ssl.SSLError) else "closed"


@functools.cache
def _client_context() -> ssl.SSLContext:
    return client_context()


async def _prove_as_dialler(channel: Channel, key: SigningKey, expected: bytes | None, version: Version) -> None:
    certificate_hash = hashlib.sha256(channel.certificate()).digest()
    nonce = token_bytes(_NONCE_BYTES)
    channel.send(_greeting(version, key.public, nonce))
    peer, peer_nonce, signature = _fields(_read_greeting(await _expect(channel), version), 3)
    if peer == key.public:
        raise SelfConnect
    session = (certificate_hash, key.public, peer, nonce, peer_nonce)
    # A relay in between has shown us a certificate of its own, and the listener did not sign for that one.
    if not verify(peer, signature, Label.CHANNEL_LISTENER, *session):
        raise ChannelError("bad-handshake")
    # Before our own proof: with it the listener would take this connection for ours, and end the link that we have.
    if expected is not None and peer != expected:
        raise ChannelError("other-key", key=peer)
    channel.send(key.sign(Label.CHANNEL_DIALLER, *session))
    # In TLS 1.3 the dialler's handshake is over before the listener has judged anything: wait for its word.
    if await _expect(channel) != _OK:
        raise ChannelError("bad-handshake")
    channel.trust(peer, *session)


async def _prove_as_listener(channel: Channel, key: SigningKey, version: Version, certificate_hash: bytes) -> None:
    try:
        rest = _read_greeting(await _expect(channel), version)
    except VersionMismatch:
        channel.send(_greeting(version))
        raise
    peer, peer_nonce = _fields(rest, 2)
    nonce = token_bytes(_NONCE_BYTES)
    if peer == key.public:
        channel.send(_greeting(version, key.public, nonce, b""))  # so that our other half learns it too
        raise SelfConnect
    try:
        verifier = Verifier(peer)
    except BadKey as error:
        raise ChannelError("bad-handshake") from error
    session = (certificate_hash, peer, key.public, peer_nonce, nonce)
    channel.send(_greeting(version, key.public, nonce, key.sign(Label.CHANNEL_LISTENER, *session)))
    if not verifier.holds(await _expect(channel), Label.CHANNEL_DIALLER, *session):
        raise ChannelError("bad-handshake")
    channel.send(_OK)
    channel.trust(peer, *session)


async def _expect(channel: Channel) -> bytes:
    frame = await channel.receive()
    if frame is None:
        raise ChannelError("closed")
    return frame


def _greeting(version: Version, *rest: bytes) -> bytes:
    packed: bytes = msgpack.packb([_NAME, *version, *rest])
    return packed


def _read_greeting(frame: bytes, ours: Version) -> list[object]:
    """What follows name, protocol and engine number. Raises VersionMismatch, or ChannelError for a stranger.

    Whatever a later version puts behind the three, this one can still tell it apart, and the other way round.
    """
    try:
        greeting = msgpack.unpackb(frame, raw=False)
    except (ValueError, TypeError, OverflowError, RecursionError) as error:  # msgpack's own errors are ValueErrors
        raise ChannelError("bad-handshake") from error
    if type(greeting) is not list or len(greeting) < 3 or greeting[0] != _NAME:
        raise ChannelError("bad-handshake")
    protocol, engine = greeting[1:3]
    if type(protocol) is not int or type(engine) is not int:
        raise ChannelError("bad-handshake")
    if (protocol, engine) != ours:
        raise VersionMismatch((protocol, engine), ours)
    rest: list[object] = greeting[3:]
    return rest


def _fields(rest: list[object], count: int) -> list[bytes]:
    """Key and nonce, and behind them whatever the side sends; all bytes, the first two of 32."""
    if len(rest) != count or not all(type(field) is bytes for field in rest):
        raise ChannelError("bad-handshake")
    fields = cast(list[bytes], rest)
    if len(fields[0]) != KEY_BYTES or len(fields[1]) != _NONCE_BYTES:
        raise ChannelError("bad-handshake")
    return fields
