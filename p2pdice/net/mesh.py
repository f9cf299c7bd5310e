"""Links to peers, by public key: taken in, dialled, redialled while wanted, one for each, watched for silence. Must not
know what a frame says, nor who sits at a table."""

import asyncio
import contextlib
import functools
import random
import socket
import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from p2pdice.fairness.keys import SigningKey
from p2pdice.net.certificate import Certificate, make_certificate
from p2pdice.net.channel import VERSION, Channel, Version, accept
from p2pdice.net.dial import Address, dial
from p2pdice.net.errors import ChannelError
from p2pdice.net.limits import Bucket, Budget, Gate
from p2pdice.net.listener import Listener

BEAT_S = 3.0  # an empty frame goes out when nothing else did for so long
SILENT_S = 10.0  # TCP says nothing for minutes when a cable is out; a link this silent is dead
WATCH_S = 1.0
RETRY_S = (0.2, 1.0)
HEAD_START_S = 0.25  # of two dials that cross the lower key's stays, so the other side gives it time first
SETTLED_S = 2.0  # two dials that cross are that close together, however slow the handshake
TURN_FRAMES = 16
CLOSE_S = 3.0
LINKS_IN_ALL, LINKS_PER_ADDRESS, LINKS_LOCAL = 96, 16, 96
# A deal of 32 seats brings some hundred frames at once, a resumed game some thousand; nobody keeps that up.
FRAMES_PER_S, FRAMES_BURST = 500.0, 4000.0
BYTES_PER_S, BYTES_BURST = 1024.0 * 1024, 8.0 * 1024 * 1024
# A second's worth of this process is shared out evenly among the links, whatever a frame of theirs costs to judge.
WORK_BURST_S = 0.5
TURN_S = 0.002  # after so much work for one link the others get their turn
# While there is a game, all who are not wanted, together.
STRANGERS_FRAMES_PER_S, STRANGERS_FRAMES_BURST = 100.0, 200.0
STRANGERS_BYTES_PER_S, STRANGERS_BYTES_BURST = 128.0 * 1024, 512.0 * 1024
STRANGERS_WORK, STRANGERS_WORK_BURST_S = 0.1, 0.2


@dataclass(slots=True, eq=False)
class _Link:
    channel: Channel
    since: float
    local: bool
    counted: bool  # at the gate
    budget: Budget
    pause: asyncio.TimerHandle | None = None  # until then nothing more is taken from it


class Mesh:
    """One process's links. The three callbacks come in order for each key: linked, received ..., lost, linked ...

    A second `linked` always means a fresh connection: what was sent on the one before may not have arrived.
    """

    def __init__(
        self, key: SigningKey, *,
        linked: Callable[[bytes, str], None],
        received: Callable[[bytes, bytes], None],
        lost: Callable[[bytes], None],
        refused: Callable[[ChannelError, str], None] = lambda error, address: None,
        version: Version = VERSION,
        retry_s: Callable[[], float] = lambda: random.uniform(*RETRY_S),
    ) -> None:
        """linked(key, address) ; received(key, frame) ; lost(key) ; refused(error, address): a stranger at the port."""
        self._key = key
        self._version = version
        self._on_linked = linked
        self._on_received = received
        self._on_lost = lost
        self._on_refused = refused
        self._retry_s = retry_s
        self._certificate: Certificate | None = None
        self._listener = Listener(self._greet)
        self._gate = Gate(LINKS_IN_ALL, LINKS_PER_ADDRESS, LINKS_LOCAL)
        self._links: dict[bytes, _Link] = {}
        self._wanted: dict[bytes, tuple[Address, ...]] = {}
        self._seeking: dict[bytes, asyncio.Task[None]] = {}
        self._watch: asyncio.Task[None] | None = None
        self._budgets: dict[bytes, Budget] = {}  # of those who are wanted: a new link brings no new burst
        self._strangers: Budget | None = None  # of all together; made with the first link
        self._closing = False

    @property
    def peers(self) -> tuple[bytes, ...]:
        """Keys with a link right now."""
        return tuple(self._links)

    def channel(self, peer: bytes) -> Channel | None:
        """The link to a peer: its address, who dialled, the session for a room code."""
        link = self._links.get(peer)
        return link.channel if link else None

    def listen(self, bind: str | None = None, port: int | None = None) -> int:
        """Open the port and return it; see Listener.open. Raises ListenError."""
        self._certificate = make_certificate()
        return self._listener.open(bind, port)

    @property
    def port(self) -> int:
        """The open port."""
        return self._listener.port

    @property
    def families(self) -> set[socket.AddressFamily]:
        """Address families of the open port."""
        return self._listener.families

    def send(self, peer: bytes, *frames: bytes) -> None:
        """Queue frames for a peer; nothing happens if there is no link, `linked` will come with the next."""
        link = self._links.get(peer)
        if link:
            link.channel.send(*frames)

    async def connect(self, addresses: Sequence[Address], expected: bytes | None = None) -> bytes:
        """Dial once, and return the key of whoever answered; the link is there then. Raises ChannelError."""
        channel = await dial(addresses, self._key, expected=expected, version=self._version)
        self._adopt(channel)
        return channel.peer

    def want(self, peer: bytes, addresses: Sequence[Address]) -> None:
        """Have a link to this peer, dialling again and again, until `forget`. New addresses replace the old."""
        self._wanted[peer] = tuple(addresses)
        self._seek(peer)

    def forget(self, peer: bytes) -> None:
        """Dial this peer no more, and end the link if there is one, after what is queued for it."""
        self._wanted.pop(peer, None)
        self._budgets.pop(peer, None)
        task = self._seeking.pop(peer, None)
        if task:
            task.cancel()
        link = self._links.get(peer)
        if link:
            link.channel.close()

    @property
    def missing(self) -> tuple[bytes, ...]:
        """Keys of wanted peers without a link right now."""
        return tuple(peer for peer in self._wanted if peer not in self._links)

    def moved(self, own: Collection[str]) -> None:
        """This computer has these addresses now. Links from others are dead, long before silence would show it."""
        for link in list(self._links.values()):
            if link.channel.own_address() not in own:
                link.channel.abort()

    async def aclose(self) -> None:
        """Send what is queued, say goodbye on every link and close the port; takes CLOSE_S at most."""
        self._closing = True
        for peer, link in self._links.items():
            if self._wanted and peer not in self._wanted:
                link.channel.abort()  # a stranger in a game: nobody waits for it to take leave
        self._wanted.clear()
        for task in [*self._seeking.values(), *([self._watch] if self._watch else [])]:
            task.cancel()
        await self._listener.aclose()
        channels = [link.channel for link in self._links.values()]
        for channel in channels:
            channel.close()
        try:
            async with asyncio.timeout(CLOSE_S):
                await asyncio.gather(*(channel.wait_closed() for channel in channels))
        except TimeoutError:
            for channel in channels:
                channel.abort()
        for link in self._links.values():
            if link.pause:
                link.pause.cancel()
        await asyncio.gather(*self._seeking.values(), return_exceptions=True)

    async def _greet(self, connection: socket.socket, address: str, local: bool) -> None:
        assert self._certificate is not None  # made before the port was opened
        try:
            channel = await accept(connection, address, self._key, self._certificate, version=self._version)
        except ChannelError as error:
            self._on_refused(error, address)
            return
        self._adopt(channel, local=local)

    def _seek(self, peer: bytes) -> None:
        if peer in self._wanted and peer not in self._links and peer not in self._seeking and not self._closing:
            task = asyncio.create_task(self._dial_until_linked(peer))
            self._seeking[peer] = task
            task.add_done_callback(lambda done: self._sought(peer, done))

    def _sought(self, peer: bytes, done: asyncio.Task[None]) -> None:
        if self._seeking.get(peer) is done:
            del self._seeking[peer]
        self._seek(peer)  # the link may be gone again already

    async def _dial_until_linked(self, peer: bytes) -> None:
        if peer < self._key.public:
            await asyncio.sleep(HEAD_START_S)
        while peer in self._wanted and peer not in self._links:
            with contextlib.suppress(ChannelError):  # not there now: the next try may find it
                self._adopt(await dial(self._wanted[peer], self._key, expected=peer, version=self._version))
            if peer not in self._links:
                await asyncio.sleep(self._retry_s())

    def _adopt(self, channel: Channel, *, local: bool = True) -> None:
        """Make a proved channel the link to its peer. The caps are for those who come, so a dialled one is `local`."""
        peer = channel.peer
        old = self._links.get(peer)
        if self._closing or (old and not self._replaces(channel, old)):
            channel.close()
            return
        if old:
            self._retire(peer, old)
        counted = peer not in self._wanted  # whoever is wanted always finds room
        if counted and not self._gate.enter(channel.address, local=local):
            channel.close()
            return
        now = asyncio.get_running_loop().time()
        link = _Link(channel, now, local, counted, _budget_of_one(now))
        self._links[peer] = link
        seeking = self._seeking.get(peer)
        # A dial of the lower key goes on: it will win. If both sides gave theirs up for the other's, none would stand.
        if seeking and seeking is not asyncio.current_task() and (channel.dialled or peer < self._key.public):
            seeking.cancel()
        if self._watch is None:
            self._watch = asyncio.create_task(self._watch_links())
        self._on_linked(peer, channel.address)
        channel.tell(functools.partial(self._take, peer, link))

    def _replaces(self, new: Channel, old: _Link) -> bool:
        """Whether of two connections to one peer the new one stays. Both sides come to the same answer.

        Two dials that cross: the one of the lower key. Otherwise the new one: its dialler had lost the old.
        """
        crossed = new.dialled != old.channel.dialled
        if crossed and asyncio.get_running_loop().time() - old.since < SETTLED_S:
            return new.dialled == (self._key.public < new.peer)
        return True

    def _retire(self, peer: bytes, link: _Link) -> None:
        """Take a link off the table."""
        del self._links[peer]
        if link.pause:
            link.pause.cancel()
        if link.counted:
            self._gate.leave(link.channel.address, local=link.local)
        link.channel.close()
        if not self._closing:
            self._on_lost(peer)

    def _take(self, peer: bytes, link: _Link) -> None:
        """Hand over what is here of a link, as much as it may bring now; then, if it has ended, take it off."""
        if link.pause or self._links.get(peer) is not link:
            return
        loop, taken, worked_s = asyncio.get_running_loop(), 0, 0.0
        try:
            while (frame := link.channel.take()) is not None:
                begun = time.thread_time()
                if frame:  # an empty one only says that the link is alive
                    self._on_received(peer, frame)
                work_s = time.thread_time() - begun
                wait_s = self._budget(peer, link).take(len(frame), work_s, loop.time())
                taken, worked_s = taken + 1, worked_s + work_s
                if self._links.get(peer) is not link:
                    return
                if wait_s or taken == TURN_FRAMES or worked_s > TURN_S:  # the others get their turn
                    link.pause = loop.call_later(wait_s, self._go_on, peer, link)
                    return
        except ChannelError as error:
            self._on_refused(error, link.channel.address)
        if link.channel.over:
            self._retire(peer, link)
            self._seek(peer)

    def _go_on(self, peer: bytes, link: _Link) -> None:
        link.pause = None
        self._take(peer, link)

    def _budget(self, peer: bytes, link: _Link) -> Budget:
        """What a link may bring: in a game, what its peer may over all its links, or all strangers together."""
        if not self._wanted:
            link.budget.work.rate = 1 / max(1, len(self._links))
            return link.budget
        if peer in self._wanted:
            budget = self._budgets.setdefault(peer, link.budget)
            budget.work.rate = 1 / len(self._wanted)
            return budget
        if self._strangers is None:
            now = asyncio.get_running_loop().time()
            self._strangers = _budget(now, (STRANGERS_FRAMES_PER_S, STRANGERS_FRAMES_BURST),
                                      (STRANGERS_BYTES_PER_S, STRANGERS_BYTES_BURST),
                                      (STRANGERS_WORK, STRANGERS_WORK_BURST_S))
        return self._strangers

    async def _watch_links(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            await asyncio.sleep(WATCH_S)
            now = loop.time()
            for link in list(self._links.values()):
                if now - link.channel.heard_at > SILENT_S:
                    link.channel.abort()
                elif now - link.channel.sent_at > BEAT_S:
                    link.channel.send(b"")


def _budget_of_one(now: float) -> Budget:
    return _budget(now, (FRAMES_PER_S, FRAMES_BURST), (BYTES_PER_S, BYTES_BURST), (1.0, WORK_BURST_S))


def _budget(now: float, *rates_and_bursts: tuple[float, float]) -> Budget:
    """For frames, bytes and work."""
    return Budget(*(Bucket(rate, burst, now) for rate, burst in rates_and_bursts))
