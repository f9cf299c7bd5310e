"""A program that no honest table has: floods a port on loopback until it is ended. `flooder.py PORT KIND` begins when a
line comes in. The kinds: halfopen (1,000 connections that say nothing), drip (a byte now and then), hello (a megabyte
at once, before TLS and as a first frame), connect (connections that come and go), garbage (proved strangers that send
frames of noise), watch (who ask to watch and take nothing, ask without end, or read the whole game again and again),
player (a seat at the table whose bot plays, and whose links bring as much as a link may), torrent (the same, a hundred
times as much)."""

import asyncio
import contextlib
import os
import random
import socket
import ssl
import sys

from p2pdice.fairness.keys import SigningKey
from p2pdice.net.channel import open_channel
from p2pdice.net.errors import ChannelError
from p2pdice.net.seats import join
from p2pdice.net.settings import Settings
from p2pdice.protocol import frames
from p2pdice.protocol.messages import Signed

HOST = "127.0.0.1"
CROWD = 1000
DRIP_S, AGAIN_S = 0.5, 0.01
PLAYER_FRAMES_PER_S, PLAYER_BATCHES_PER_S = 400, 16
MEGABYTE = bytes(1024 * 1024)


async def halfopen(port: int) -> None:
    """One of a crowd that connects, says nothing, and comes back when it is sent away."""
    await asyncio.gather(*(_sit(port, drip=False) for _ in range(CROWD)))


async def drip(port: int) -> None:
    """The same with a byte now and then, so that nobody looks dead."""
    await asyncio.gather(*(_sit(port, drip=True) for _ in range(CROWD // 10)))


async def _sit(port: int, *, drip: bool) -> None:
    while True:
        with contextlib.suppress(OSError):
            reader, writer = await asyncio.open_connection(HOST, port)
            while drip and not reader.at_eof():
                writer.write(b"\x16")
                await asyncio.sleep(DRIP_S)
            await reader.read()
            writer.close()
        await asyncio.sleep(DRIP_S)


async def hello(port: int) -> None:
    """A megabyte where a few bytes are due: in place of a handshake, and inside one."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    while True:
        for tls in (None, context):
            with contextlib.suppress(OSError):
                _, writer = await asyncio.open_connection(HOST, port, ssl=tls)
                writer.write(len(MEGABYTE).to_bytes(4, "big") + MEGABYTE)
                await writer.drain()
                writer.close()
        await asyncio.sleep(AGAIN_S)


async def connect(port: int) -> None:
    """As many connections as one process can open and close."""
    loop = asyncio.get_running_loop()
    while True:
        with contextlib.suppress(OSError), socket.socket() as one:
            one.setblocking(False)
            await loop.sock_connect(one, (HOST, port))


async def garbage(port: int) -> None:
    """A crowd of proved strangers, each with a key of its own, who send noise as fast as it is taken."""
    await asyncio.gather(*(_noise(port, random.Random(number)) for number in range(100)))


async def _noise(port: int, source: random.Random) -> None:
    frames = [source.randbytes(size) for size in (1, 10, 100, 1000, 60_000)]
    while True:
        with contextlib.suppress(ChannelError):
            channel = await open_channel(HOST, port, SigningKey(source.randbytes(32)))
            reading = asyncio.create_task(channel.receive())
            while not reading.done():
                channel.send(source.choice(frames))
                await asyncio.sleep(0)
            channel.abort()
            with contextlib.suppress(ChannelError):
                await reading
        await asyncio.sleep(AGAIN_S)


async def watch(port: int) -> None:
    """A crowd that watches, one in three each way; there is room for a few of them only."""
    await asyncio.gather(*(_watch(port, random.Random(number), number % 3) for number in range(30)))


async def _watch(port: int, source: random.Random, way: int) -> None:
    ask = frames.encode(frames.Watch(b""))
    while True:
        with contextlib.suppress(ChannelError):
            channel = await open_channel(HOST, port, SigningKey(source.randbytes(32)))
            channel.send(ask)
            if way == 0:
                await channel.wait_closed()
            reading = asyncio.create_task(channel.receive())
            while way == 1 and not reading.done():
                channel.send(ask)
                await asyncio.sleep(0)
            last = b""
            while way == 2 and (raw := await reading) is not None:
                reading = asyncio.create_task(channel.receive())
                seen = frames.decode(raw) if raw else None
                if isinstance(seen, frames.Seen):
                    last = Signed(*seen.records[-1][1:]).hash if seen.records else last
                    if seen.then == "wait":
                        break
                if seen:
                    channel.send(frames.encode(frames.Watch(last)))
            channel.abort()
            with contextlib.suppress(ChannelError):
                await reading
        await asyncio.sleep(AGAIN_S)


async def player(port: int, floods: int = 1) -> None:
    """Sits down and plays; meanwhile asks the others for the whole game, pings, talks, repeats all that was said.

    Just below what a link may bring: above it, a player's own moves wait behind its noise, and it is late.
    """
    settings = Settings("Flooder", None, bind=HOST, mdns=False, auto="easy", consent=True)
    driver = join(settings, (HOST, port), wanted=None)
    playing = asyncio.create_task(driver.run())
    small = [frames.encode(frame) for frame in (
        frames.Fetch(0, 0), frames.Ping((), 2, 0, 0, 2**40, b"", b""), frames.Chat("!" * 200), frames.Look())]
    turn = 0
    while not playing.done():
        await asyncio.sleep(1 / PLAYER_FRAMES_PER_S)
        turn += 1
        session = driver.peer.session if driver.mesh.peers else None
        for link in driver.mesh.peers if session else ():
            for number in range(turn, turn + floods):
                driver.mesh.send(link, small[number % len(small)])
            if session and turn % (PLAYER_FRAMES_PER_S // PLAYER_BATCHES_PER_S) == 0:
                said = [signed.value() for signed in session.since(0, 0)]
                driver.mesh.send(link, frames.encode(frames.batches(said)[-1]))
    await playing


async def torrent(port: int) -> None:
    """A player far above all limits, whose links break for that, or whose moves come late."""
    await player(port, floods=100)


async def main(port: int, kind: str) -> None:
    """All of one kind, until this process is ended."""
    kinds = {"halfopen": halfopen, "drip": drip, "hello": hello, "connect": connect, "garbage": garbage,
             "watch": watch, "player": player, "torrent": torrent}
    await kinds[kind](port)


if __name__ == "__main__":
    sys.stdin.readline()
    os.nice(19)  # it stands for another computer: its own work is not to be the game's
    asyncio.run(main(int(sys.argv[1]), sys.argv[2]))
