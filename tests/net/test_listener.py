"""Which port is opened, and what strangers may cost before they have proved who they are."""

import asyncio
import contextlib
import errno
import os
import socket
from collections.abc import AsyncIterator

import pytest

from p2pdice.net import listener as module
from p2pdice.net.channel import open_channel
from p2pdice.net.dial import dial
from p2pdice.net.errors import ListenError, PortTaken
from p2pdice.net.listener import Listener
from tests.conftest import require
from tests.net.netkit import HOST, LIMIT_S, Node, key, nodes


async def nobody(connection: socket.socket, address: str, local: bool) -> None:
    """Greets by hanging up."""
    connection.close()


@contextlib.asynccontextmanager
async def listener() -> AsyncIterator[Listener]:
    """Closed at the end."""
    made = Listener(nobody)
    try:
        yield made
    finally:
        await made.aclose()


def has_ipv6() -> bool:
    """Whether loopback has an IPv6 address here."""
    with socket.socket(socket.AF_INET6) as probe:
        return probe.connect_ex(("::1", 1)) == errno.ECONNREFUSED


async def test_both_families_share_one_port() -> None:
    """IPv4 and IPv6 listen on the same number, so that one announcement is right for both."""
    require(has_ipv6(), "this computer has no IPv6")
    async with listener() as made:
        port = made.open(port=0)
        assert made.families == {socket.AF_INET, socket.AF_INET6}
        for host in (HOST, "::1"):
            _, writer = await asyncio.open_connection(host, port)
            writer.close()
            with contextlib.suppress(ConnectionError):
                await writer.wait_closed()


async def test_a_visitor_in_the_last_moment_breaks_nothing() -> None:
    """Somebody knocks in the very turn of the loop in which the port is closed: nothing is logged as an error."""
    troubles: list[object] = []
    asyncio.get_running_loop().set_exception_handler(lambda loop, context: troubles.append(context))
    made = Listener(nobody)
    port = made.open(HOST, 0)
    await asyncio.sleep(0)  # it accepts
    with socket.create_connection((HOST, port)):
        await asyncio.sleep(0)  # the loop learns of the visitor, behind this
        await made.aclose()
        await asyncio.sleep(0)
    assert not troubles


async def test_the_first_free_port_of_the_range(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three terminals on one computer: two take the range in order, the third gets another port."""
    async with listener() as probe, listener() as first, listener() as second, listener() as third:
        base = probe.open(port=0)
        monkeypatch.setattr(module, "PORTS", range(base, base + 2))
        assert first.open() == base + 1
        assert second.open() not in (base, base + 1)
        await probe.aclose()
        assert third.open() == base


async def test_a_port_that_was_asked_for_and_is_taken() -> None:
    """--port is a wish to be met or refused, never silently changed."""
    async with listener() as first, listener() as second:
        port = first.open(port=0)
        with pytest.raises(PortTaken) as raised:
            second.open(port=port)
        assert raised.value.fields == {"port": port}
        await first.aclose()
        assert second.open(port=port) == port


async def test_an_address_that_is_not_ours() -> None:
    """--bind takes an address of this computer, alone."""
    async with listener() as made:
        for wrong in ("192.0.2.77", "fe80::1%nowhere", "nonsense"):
            with pytest.raises(ListenError, match="bad-address"):
                made.open(bind=wrong)
        made.open(bind=HOST)
        assert made.families == {socket.AF_INET}


async def test_half_open_connections_are_capped(monkeypatch: pytest.MonkeyPatch) -> None:
    """Silent strangers fill their share of the door and no more; when they are gone, players come in again."""
    monkeypatch.setattr(module, "EARLY_LOCAL", 3)
    async with nodes(1) as (node,):
        strangers = [await asyncio.open_connection(HOST, node.port) for _ in range(3)]
        refused, writer = await asyncio.open_connection(HOST, node.port)
        assert await asyncio.wait_for(_end_of(refused), LIMIT_S)
        writer.close()
        for _, silent in strangers:
            silent.close()
        await node.until(lambda: len(node.refused) == 3)
        channel = await asyncio.wait_for(dial(node.address, key(9)), LIMIT_S)
        channel.close()


async def test_a_flood_of_strangers_does_not_disturb_a_link() -> None:
    """A thousand connections of silence, garbage and megabytes: two linked players go on, and little is held."""
    async with nodes(2) as (ana, beto):
        await ana.mesh.connect(beto.address)
        await beto.until(lambda: beto.linked)
        held: list[asyncio.StreamWriter] = []
        for number in range(1000):
            with contextlib.suppress(OSError):
                _, writer = await asyncio.open_connection(HOST, beto.port)
                writer.write([b"", os.urandom(2000), bytes(100_000)][number % 3])
                held.append(writer)
            if number % 100 == 0:
                ana.mesh.send(beto.key.public, number.to_bytes(2, "big"))
        await beto.until(lambda: len(beto.received) == 10)
        assert beto.lost == []
        assert len(beto.mesh._listener._greeting) <= module.EARLY_LOCAL
        for writer in held:
            writer.transport.abort()


async def test_closing_drops_those_who_have_not_proved_themselves() -> None:
    """A program that ends does not wait for strangers."""
    node = Node(1)
    node.listen()
    reader, writer = await asyncio.open_connection(HOST, node.port)
    proved = await open_channel(HOST, node.port, key(2))
    await node.until(lambda: node.linked)
    await asyncio.wait_for(node.mesh.aclose(), LIMIT_S)
    assert await asyncio.wait_for(_end_of(reader), LIMIT_S)
    assert await proved.receive() is None
    writer.close()
    proved.close()


async def _end_of(reader: asyncio.StreamReader) -> bool:
    with contextlib.suppress(ConnectionError):
        return await reader.read() == b""
    return True
