"""Reaching a player at one of several addresses, and taking one look at a table."""

import asyncio
import errno
import socket
import sys

import pytest

from p2pdice.net import connect as connect_module
from p2pdice.net import look as look_module
from p2pdice.net.channel import VERSION
from p2pdice.net.connect import reason
from p2pdice.net.dial import dial
from p2pdice.net.errors import ChannelError, VersionMismatch
from p2pdice.net.look import look
from tests.net.netkit import HOST, LIMIT_S, Door, key, listen

ANA, BETO, CARO = key(1), key(2), key(3)


def unused_port() -> int:
    """A port that nothing listens on."""
    with listen() as listening:
        port: int = listening.getsockname()[1]
    return port


async def test_the_first_right_answer_wins_among_dead_addresses() -> None:
    """A refusing address, a frozen program and somebody else's port stand in front: the right player is reached."""
    frozen = listen()
    async with Door(CARO).open() as other, Door(BETO).open() as right:
        addresses = [(HOST, unused_port()), (HOST, frozen.getsockname()[1]), (HOST, other.port), (HOST, right.port)]
        reached = await asyncio.wait_for(dial(addresses, ANA, expected=BETO.public), LIMIT_S)
        assert reached.peer == BETO.public
        hung_up = await other.outcome()
        assert isinstance(hung_up, ChannelError)
        assert hung_up.reason == "closed"
        reached.close()
        frozen.close()


async def test_without_an_expected_key_whoever_answers_is_reached() -> None:
    """Joining by address: the player is only known afterwards."""
    async with Door(BETO).open() as door:
        reached = await dial([("localhost", door.port)], ANA)
        assert reached.peer == BETO.public
        reached.close()


async def test_the_most_telling_failure_is_reported() -> None:
    """When nothing works, a reason that explains comes before one that only says that nobody is there."""
    async with Door(CARO).open() as other, Door(BETO, version=(9, 9)).open() as newer:
        dead = (HOST, unused_port())
        with pytest.raises(ChannelError, match="refused"):
            await dial([("fe80::1%nowhere", 1), dead], ANA)
        with pytest.raises(ChannelError, match="other-key"):
            await dial([dead, (HOST, other.port)], ANA, expected=BETO.public)
        with pytest.raises(VersionMismatch):
            await dial([dead, (HOST, other.port), (HOST, newer.port)], ANA, expected=BETO.public)


@pytest.mark.parametrize("addresses", [[], [(HOST, 0)], [(HOST, 70000)], [("", 1)], [("a\0b", 1)], [("x" * 300, 1)]])
async def test_what_is_no_address_is_refused(addresses: list[tuple[str, int]]) -> None:
    """Nonsense for an address, also a stranger's, is one clean reason."""
    with pytest.raises(ChannelError, match=r"unknown-host|refused"):
        await dial(addresses, ANA)


@pytest.mark.parametrize(("error", "word"), [
    (ConnectionRefusedError(errno.ECONNREFUSED, ""), "refused"), (OSError(errno.EHOSTUNREACH, ""), "unreachable"),
    (OSError(errno.ENETUNREACH, ""), "no-network"), (OSError(errno.EINVAL, ""), "missing-zone"),
    (PermissionError(errno.EPERM, ""), "denied"), (TimeoutError(), "timeout"),
    (OSError(errno.ETIMEDOUT, ""), "timeout"), (OSError(errno.EIO, ""), "unreachable"),
])
def test_each_failure_of_connecting_has_its_word(error: OSError, word: str) -> None:
    """The words that tell a person what to do about it."""
    assert reason(error) == word


@pytest.mark.skipif(sys.platform != "linux", reason="other kernels refuse when the queue is full")
async def test_a_connection_that_nobody_answers_times_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """A firewall that drops packets gives no error for minutes: our own limit ends the wait."""
    monkeypatch.setattr(connect_module, "CONNECT_S", 0.05)
    with socket.create_server((HOST, 0), backlog=0) as full:
        port = full.getsockname()[1]
        waiting = [socket.socket() for _ in range(4)]
        for one in waiting:  # the kernel's queue of connections is full after the first few
            one.setblocking(False)
            one.connect_ex((HOST, port))
        with pytest.raises(ChannelError, match="timeout"):
            await connect_module.connect(HOST, port)
        for one in waiting:
            one.close()


async def test_a_look_asks_once_and_hangs_up() -> None:
    """One frame out, one frame back, and whose key answered."""
    async with Door(BETO).open() as door:
        async def answer() -> None:
            visitor = await door.channel()
            assert await visitor.receive() == b"LOOK"
            visitor.send(b"")  # a beat of the link is no answer
            visitor.send(b"TABLE")
            assert await visitor.receive() is None

        answering = asyncio.create_task(answer())
        looked = await look([(HOST, door.port)], ANA, b"LOOK")
        assert (looked.frame, looked.peer, looked.address) == (b"TABLE", BETO.public, HOST)
        await answering


async def test_a_look_that_is_not_answered(monkeypatch: pytest.MonkeyPatch) -> None:
    """Silence after the connection, and hanging up instead of an answer, have a reason each."""
    monkeypatch.setattr(look_module, "ANSWER_S", 0.05)
    async with Door(BETO).open() as door:
        with pytest.raises(ChannelError, match="frozen"):
            await look([(HOST, door.port)], ANA, b"LOOK")

        async def hang_up() -> None:
            await door.channel()
            (await door.channel()).close()

        hanging_up = asyncio.create_task(hang_up())
        monkeypatch.setattr(look_module, "ANSWER_S", LIMIT_S)
        with pytest.raises(ChannelError, match="closed"):
            await look([(HOST, door.port)], ANA, b"LOOK")
        await hanging_up


async def test_a_look_at_another_version() -> None:
    """A table of another version is told apart before anything is asked."""
    async with Door(BETO, version=(VERSION[0], VERSION[1] + 1)).open() as door:
        with pytest.raises(VersionMismatch):
            await look([(HOST, door.port)], ANA, b"LOOK")
