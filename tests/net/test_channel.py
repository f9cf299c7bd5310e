"""The authenticated channel: what both sides know when it stands, and who does not get one (protocol.md section 4)."""

import asyncio
import hashlib
import ssl
import stat
import tempfile
import types
from pathlib import Path
from typing import Any

import msgpack
import pytest

from p2pdice.fairness.keys import SigningKey
from p2pdice.fairness.labels import Label
from p2pdice.net import certificate, channel, stream
from p2pdice.net.channel import VERSION, Channel, open_channel
from p2pdice.net.errors import ChannelError, SelfConnect, VersionMismatch
from p2pdice.protocol.codec import FRAME_BYTES
from tests.net.netkit import HOST, LIMIT_S, Door, RawTls, key, listen

ANA, BETO = key(1), key(2)
NONCE = bytes(range(32))
# The identity of the curve: under it one constant signature holds for every message, in OpenSSL.
WEAK = b"\x01" + bytes(31)
WEAK_SIGNATURE = WEAK + bytes(32)


def greeting(*rest: object, version: tuple[int, int] = VERSION) -> bytes:
    """A first frame, whatever stands behind the numbers."""
    packed: bytes = msgpack.packb(["p2pdice", *version, *rest])
    return packed


async def pair(door: Door, dialler: SigningKey = ANA) -> tuple[Channel, Channel]:
    """Both ends of a channel."""
    dialled = await open_channel(HOST, door.port, dialler)
    return dialled, await door.channel()


async def test_both_sides_know_each_other() -> None:
    """Each end names the other's key, who dialled, and one session with all that a room code hangs on."""
    async with Door(BETO).open() as door:
        dialled, accepted = await pair(door)
        assert (dialled.peer, accepted.peer) == (BETO.public, ANA.public)
        assert (dialled.dialled, accepted.dialled) == (True, False)
        assert dialled.session == accepted.session
        assert dialled.session[:3] == (door.certificate.digest, ANA.public, BETO.public)
        dialled.close()
        assert await accepted.receive() is None


async def test_frames_arrive_whole_and_in_order() -> None:
    """Empty, small and full frames go both ways, many at once, and what was queued before closing arrives."""
    frames = [b"", b"a", bytes(FRAME_BYTES), *(bytes([number]) * number for number in range(200))]
    async with Door(BETO).open() as door:
        dialled, accepted = await pair(door)
        for end, other in ((dialled, accepted), (accepted, dialled)):
            for frame in frames:
                end.send(frame)
            assert [await other.receive() for _ in frames] == frames
        accepted.send(b"last")
        accepted.close()
        assert [await dialled.receive(), await dialled.receive()] == [b"last", None]
        await asyncio.wait_for(asyncio.gather(dialled.wait_closed(), accepted.wait_closed()), LIMIT_S)


async def test_every_connection_has_new_nonces() -> None:
    """Two channels between the same two players have nothing in common but their keys and the certificate."""
    async with Door(BETO).open() as door:
        first, _ = await pair(door)
        second, _ = await pair(door)
        assert first.session[:3] == second.session[:3]
        assert not set(first.session[3:]) & set(second.session[3:])
        first.close()
        second.close()


async def test_a_relay_with_its_own_certificate_fails() -> None:
    """A man in the middle who passes every frame on unchanged is seen through by the dialler (attack row 29)."""
    mallory = certificate.make_certificate()

    async def relay(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        async with RawTls.to(door.port) as onward:
            async def pump(source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
                while data := await source.read(4096):
                    sink.write(data)
                sink.close()
            await asyncio.gather(pump(reader, onward.writer), pump(onward._reader, writer), return_exceptions=True)

    async with Door(BETO).open() as door:
        server = await asyncio.start_server(relay, HOST, 0, ssl=mallory.context)
        with pytest.raises(ChannelError, match="bad-handshake"):
            await open_channel(HOST, server.sockets[0].getsockname()[1], ANA)
        outcome = await door.outcome()
        assert isinstance(outcome, ChannelError)
        server.close()
        await server.wait_closed()


async def test_a_channel_to_oneself_is_refused_on_both_ends() -> None:
    """Who reflects a dialler to its own port gets nothing signed, and both ends say why (attack row 43)."""
    async with Door(ANA).open() as door:
        with pytest.raises(SelfConnect):
            await open_channel(HOST, door.port, ANA)
        assert isinstance(await door.outcome(), SelfConnect)


async def test_a_replayed_exchange_is_refused() -> None:
    """The dialler's frames of a good exchange, sent again on a new connection, prove nothing."""
    async with Door(BETO).open() as door:
        async with RawTls.to(door.port) as first:
            first.send(greeting(ANA.public, NONCE))
            _, _, _, peer, nonce, _ = msgpack.unpackb(await first.receive() or b"")
            proof = ANA.sign(Label.CHANNEL_DIALLER, hashlib.sha256(first.certificate).digest(), ANA.public, peer, NONCE,
                             nonce)
            first.send(proof)
            assert await first.receive() == b"ok"
            assert (await door.channel()).peer == ANA.public
        async with RawTls.to(door.port) as again:
            again.send(greeting(ANA.public, NONCE))
            await again.receive()
            again.send(proof)
            assert await again.receive() is None
        outcome = await door.outcome()
        assert isinstance(outcome, ChannelError)
        assert outcome.reason == "bad-handshake"


async def test_a_weak_key_is_refused_by_the_listener() -> None:
    """A key under which one constant signature holds for every message does not get in (attack row 32)."""
    async with Door(BETO).open() as door, RawTls.to(door.port) as stranger:
        stranger.send(greeting(WEAK, NONCE))
        assert await stranger.receive() is None
        outcome = await door.outcome()
        assert isinstance(outcome, ChannelError)
        assert outcome.reason == "bad-handshake"


@pytest.mark.parametrize("reply", [
    (WEAK, NONCE, WEAK_SIGNATURE),
    (BETO.public, NONCE, bytes(64)),
    (BETO.public, NONCE, b""),
    (BETO.public, b"short", bytes(64)),
    (b"short", NONCE, bytes(64)),
    (BETO.public, NONCE),
    (BETO.public, NONCE, "text"),
])
async def test_a_listener_without_proof_is_refused(reply: tuple[object, ...]) -> None:
    """A weak key, a signature that does not hold, and every wrong form end in bad-handshake."""
    served = asyncio.Event()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        RawTls(reader, writer).send(greeting(*reply))
        await reader.read(100)
        writer.close()
        served.set()

    server = await asyncio.start_server(serve, HOST, 0, ssl=certificate.make_certificate().context)
    with pytest.raises(ChannelError, match="bad-handshake"):
        await open_channel(HOST, server.sockets[0].getsockname()[1], ANA)
    await served.wait()
    server.close()
    await server.wait_closed()


@pytest.mark.parametrize("theirs", [(VERSION[0] + 1, VERSION[1]), (VERSION[0], VERSION[1] + 1)])
async def test_other_versions_are_told_on_both_sides(theirs: tuple[int, int]) -> None:
    """Dialler and listener of different protocol or engine numbers both learn both pairs."""
    async with Door(BETO, version=theirs).open() as door:
        with pytest.raises(VersionMismatch) as raised:
            await open_channel(HOST, door.port, ANA)
        assert (raised.value.theirs, raised.value.ours) == (theirs, VERSION)
        outcome = await door.outcome()
        assert isinstance(outcome, VersionMismatch)
        assert (outcome.theirs, outcome.ours) == (VERSION, theirs)


async def test_a_later_version_may_say_anything_behind_its_numbers() -> None:
    """The three first items are enough to tell a version apart, and to answer it."""
    async with Door(BETO).open() as door, RawTls.to(door.port) as later:
        later.send(greeting({"new": [None, 1.5]}, version=(2, 7)))
        assert msgpack.unpackb(await later.receive() or b"") == ["p2pdice", *VERSION]
        outcome = await door.outcome()
        assert isinstance(outcome, VersionMismatch)
        assert outcome.theirs == (2, 7)


@pytest.mark.parametrize("first", [
    b"", b"\xc1", b"\x91" * 1000, b"\xdd\xff\xff\xff\xff", b"\xc7\x0c\xff" + b"\xff" * 12, msgpack.packb({b"x": 1}),
    msgpack.packb(["other", 1, 1]), msgpack.packb(["p2pdice"]), msgpack.packb(["p2pdice", True, True]),
    msgpack.packb(["p2pdice", "1", 1]), greeting(), greeting(ANA.public), greeting(ANA.public, NONCE, b""),
    greeting(ANA.public, b"short"), greeting(ANA.public.hex(), NONCE),
], ids=range(15))
async def test_garbage_in_place_of_a_greeting(first: bytes) -> None:
    """No first frame does more than end its own connection."""
    async with Door(BETO).open() as door, RawTls.to(door.port) as stranger:
        stranger.send(first)
        assert await stranger.receive() is None
        outcome = await door.outcome()
        assert isinstance(outcome, ChannelError)
        assert outcome.reason == "bad-handshake"


async def test_a_megabyte_before_the_proof_is_refused_at_its_header() -> None:
    """Strangers get 4 KiB to say who they are (attack row 35)."""
    async with Door(BETO).open() as door, RawTls.to(door.port) as stranger:
        stranger.send(bytes(1024 * 1024))
        outcome = await door.outcome()
        assert isinstance(outcome, ChannelError)
        assert outcome.reason == "oversized"


async def test_what_is_no_tls_is_refused() -> None:
    """Another program's dialler at the port gets nothing."""
    async with Door(BETO).open() as door:
        _, writer = await asyncio.open_connection(HOST, door.port)
        writer.write(b"GET / HTTP/1.1\r\n\r\n" * 10)
        assert isinstance(await door.outcome(), ChannelError)
        writer.close()
        await writer.wait_closed()


async def test_a_frozen_program_is_told_from_an_absent_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Connected without an answer, hung up, nobody there: three reasons."""
    monkeypatch.setattr(channel, "HANDSHAKE_S", 0.05)
    listening = listen()
    port = listening.getsockname()[1]
    with pytest.raises(ChannelError, match="frozen"):
        await open_channel(HOST, port, ANA)  # the kernel connects, nobody takes it from there

    async def hang_up(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.transport.abort()

    server = await asyncio.start_server(hang_up, HOST, 0)
    with pytest.raises(ChannelError, match="closed"):
        await open_channel(HOST, server.sockets[0].getsockname()[1], ANA)
    server.close()
    await server.wait_closed()
    listening.close()
    with pytest.raises(ChannelError, match="refused"):
        await open_channel(HOST, port, ANA)


async def test_a_slow_stranger_is_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who stops in the middle of the exchange loses the connection when the time is over."""
    monkeypatch.setattr(channel, "HANDSHAKE_S", 0.05)
    async with Door(BETO).open() as door, RawTls.to(door.port) as stranger:
        stranger.send(greeting(ANA.public, NONCE))
        outcome = await door.outcome()
        assert isinstance(outcome, ChannelError)
        assert outcome.reason == "frozen"


async def test_addresses_that_cannot_be_dialled() -> None:
    """A link-local address without its interface, or with one that is not there, says so."""
    for host, reason in (("fe80::1", "missing-zone|no-network"), ("fe80::1%nowhere", "missing-zone"),
                         ("not numeric", "unknown-host")):
        with pytest.raises(ChannelError, match=reason):
            await open_channel(host, 1, ANA)


async def test_a_peer_that_does_not_read_loses_the_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    """The queue towards a peer is bounded; beyond it the link ends, the program goes on."""
    monkeypatch.setattr(stream, "SEND_QUEUE_BYTES", 1_000_000)
    async with Door(BETO).open() as door:
        dialled, accepted = await pair(door)
        for _ in range(64_000_000 // FRAME_BYTES):  # more than both kernels hold for them
            dialled.send(bytes(FRAME_BYTES))
        await asyncio.wait_for(dialled.wait_closed(), LIMIT_S)
        dialled.send(b"nothing happens")
        accepted.abort()


async def test_a_reader_that_falls_behind_holds_little() -> None:
    """Who sends faster than we read waits in its own kernel: of 8 MiB, under 1 MiB is held, and all is read."""
    count = 8 * 1024 * 1024 // FRAME_BYTES
    async with Door(BETO).open() as door:
        dialled, accepted = await pair(door)
        frame = len(bytes(FRAME_BYTES)).to_bytes(4, "big") + bytes(FRAME_BYTES)
        transport = dialled._transport
        assert transport is not None
        transport.write(frame * count)  # past the bounded queue of `send`
        for _ in range(count):
            assert await asyncio.wait_for(accepted.receive(), LIMIT_S) == bytes(FRAME_BYTES)
            assert accepted._reader.waiting < 1024 * 1024
        dialled.abort()
        accepted.abort()


class _Looking(ssl.SSLContext):
    """A TLS context that looks at the file it loads as another program could."""

    mode = 0
    content = b""

    def load_cert_chain(self, certfile: Any, keyfile: Any = None, password: Any = None) -> None:
        """As the real one, after a look."""
        _Looking.mode = stat.S_IMODE(Path(certfile).stat().st_mode)
        _Looking.content = Path(certfile).read_bytes()
        super().load_cert_chain(certfile, keyfile, password)


def test_the_certificates_key_is_never_readable(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """While OpenSSL loads it the file is the owner's and encrypted; afterwards it is gone."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(certificate, "ssl", types.SimpleNamespace(
        SSLContext=_Looking, PROTOCOL_TLS_SERVER=ssl.PROTOCOL_TLS_SERVER, TLSVersion=ssl.TLSVersion))
    certificate.make_certificate()
    assert _Looking.mode == 0o600
    assert b"BEGIN ENCRYPTED PRIVATE KEY" in _Looking.content
    assert b"BEGIN PRIVATE KEY" not in _Looking.content
    assert list(tmp_path.iterdir()) == []


def test_two_processes_share_no_certificate() -> None:
    """Each certificate is new, under a name of its own."""
    assert certificate.make_certificate().digest != certificate.make_certificate().digest


async def test_the_reader_is_not_called_from_inside_an_end() -> None:
    """TLS may hand over what waits when a connection is closed: whoever closes it is in the middle of something."""
    async with Door(BETO).open() as door:
        dialled, accepted = await pair(door)
        called: list[bool] = []
        accepted.tell(lambda: called.append(inside))
        inside = False
        await asyncio.sleep(0)
        assert called == [False]
        inside = True
        accepted.close()
        accepted.data_received(b"\0\0\0\1x")
        inside = False
        await asyncio.wait_for(accepted.wait_closed(), LIMIT_S)
        assert not any(called)
        assert accepted.take() == b"x"
        dialled.abort()
