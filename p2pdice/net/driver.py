"""One rhythm for everything that happens at a table: feed the peer, write its records, send, arm the timer, tell the
screen. Joins links, files and bots to the protocol. Must not know how files are written or bots think, and decides
nothing that the rules or the protocol decide."""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from p2pdice.bots import LEVELS
from p2pdice.net.cards import card_at
from p2pdice.net.dial import Address
from p2pdice.net.errors import ChannelError, ListenError, NetError, PortTaken, VersionMismatch
from p2pdice.net.keeper import Keeper
from p2pdice.net.mesh import Mesh
from p2pdice.net.people import meet
from p2pdice.net.presence import Presence
from p2pdice.net.settings import Settings
from p2pdice.net.store import PEOPLE, Store
from p2pdice.net.thinking import Bots
from p2pdice.protocol.errors import LocalFault, PeerFault
from p2pdice.protocol.events import (
    Closed,
    Dropped,
    Event,
    FaultProved,
    Listening,
    NewKey,
    Refused,
    TableFormed,
    Troubled,
)
from p2pdice.protocol.lobby import HostLobby
from p2pdice.protocol.messages import PROTOCOL
from p2pdice.protocol.often import Often
from p2pdice.protocol.pausing import Wish
from p2pdice.protocol.peer import Peer
from p2pdice.protocol.roomcode import ChannelSession
from p2pdice.rules import Action, IllegalAction, RulesetError, View

if TYPE_CHECKING:
    from p2pdice.protocol.watcher import Watcher  # loaded where somebody watches

AGAIN_S, AGAIN_PAUSE_S = 60.0, 1.0  # how long those who play again try for their port and the table, and how often
CLOCK_S = 0.05  # when next to look at the clock is worked out so long after something happened, not with every frame
VERSIONS_PER_MINUTE = 3  # lines about other versions at the port: anybody can bring as many as they like
PATIENCE = 200  # frames that no honest process sends, before its link is closed

Told = ParamSpec("Told")
Got = TypeVar("Got")


class Driver:
    """One process at a table. Its methods for the user do not raise: a Refused event says why something cannot be."""

    def __init__(self, settings: Settings, make_peer: Callable[["Driver", bytes], "Peer | Watcher"],
                 target: Address | None) -> None:
        """`make_peer(driver, host)` with the host's key; `target`: where the table is, None to be the host."""
        self.on_event: Callable[[Event], None] = lambda event: None
        self.telling: Callable[[], bool] = lambda: False  # whether people are still being told what has happened
        self.settings = settings
        store = Store(settings.folder, self._told)
        self.identity = settings.identity or store.identity()
        self.keeper = Keeper(store, self.identity)
        self.mesh = Mesh(self.identity.key, linked=self._guarded(self._linked),
                         received=self._guarded(self._received), lost=self._guarded(self._lost), refused=self._refused)
        self.presence = Presence(self.mesh, settings.bind, mdns=settings.mdns, moved=self._guarded(self._moved),
                                 troubled=lambda error: self.on_event(Troubled(error.reason, error.fields)))
        self.bots = Bots(settings.pace_s, guarded=self._guarded, telling=lambda: self.telling(), moved=self._pump)
        if settings.auto:
            self.bots.levels[self.identity.key.public] = LEVELS[settings.auto]
        self._make_peer = make_peer
        self.target = target
        self.port = 0
        self.usual_port = 0  # where the others of a game that is taken up again look for this process
        self._core: Peer | Watcher | None = None
        self._soon: asyncio.Handle | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._finished: asyncio.Future[None] | None = None
        self._status = 3
        self._faults: dict[bytes, int] = {}
        self._versions = Often(VERSIONS_PER_MINUTE)

    # --- the run

    async def run(self) -> int:
        """Open the table or join it, play, say goodbye; the exit status. Raises NetError before a game has begun."""
        self._finished = asyncio.get_running_loop().create_future()
        try:
            if self.settings.record:  # before anybody relies on this seat: a file that cannot be is an error now
                self.keeper.record(self.settings.record)
            await self._open()
            if self.target is None:
                self._core = self._made(b"")
                self._listening(self.presence.addresses)
                lobby = self.peer.lobby
                if isinstance(lobby, HostLobby) and not self.settings.before:
                    await self.presence.announce({"v": str(PROTOCOL), "room": lobby.room.hex(), "title": lobby.title})
            else:
                await self._reach(self.presence.routes(self.target))
            await self._finished
        finally:
            await self._close()
        return self._status

    async def _open(self) -> None:
        """The port at which others reach this process. Raises ListenError; the port of the game before, which another
        program took in between, as it may for a connection of its own, is given time to become free."""
        self.port = await self._patiently(self._listen, PortTaken)
        self.presence.open(self.port, self.identity.key.public)

    async def _listen(self) -> int:
        if self.usual_port and self.settings.port is None:
            with contextlib.suppress(ListenError):
                return self.mesh.listen(self.settings.bind, self.usual_port)
        return self.mesh.listen(self.settings.bind, self.settings.port)

    async def _reach(self, routes: Sequence[Address]) -> None:
        """A link to the host, and from there on kept; whoever leaves before it stands waits for nothing."""
        assert self._finished is not None, "the run has begun"
        connecting = asyncio.ensure_future(self._connect(routes))
        try:
            either: list[asyncio.Future[Any]] = [connecting, self._finished]
            await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
        finally:
            connecting.cancel()  # changes nothing if it is done
        if connecting.done():
            self.presence.want(connecting.result(), routes)

    async def _connect(self, routes: Sequence[Address]) -> bytes:
        """The host's key. Raises ChannelError; a host that plays again is given time to open its table."""
        return await self._patiently(lambda: self._dial(routes), ChannelError)

    async def _dial(self, routes: Sequence[Address]) -> bytes:
        before = self.settings.before
        if before:  # as long as somebody has not heard the end of that game, it stands at the port
            await card_at(routes, lambda card: card.room != before.room)
        key = await self.mesh.connect(routes)
        if before and key not in before.owners:  # a table of somebody else's: `_linked` has hung up
            raise ChannelError("other-key", key=key)
        return key

    async def _patiently(self, attempt: Callable[[], Awaitable[Got]], fault: type[NetError]) -> Got:
        """One attempt; those who play again repeat it for a while. Raises the last one's fault."""
        deadline = self._now() + (AGAIN_S if self.settings.before else 0.0)
        while True:
            try:
                return await attempt()
            except fault:
                if self._now() >= deadline:
                    raise
            await asyncio.sleep(AGAIN_PAUSE_S)

    async def _close(self) -> None:
        self.bots.cancel()
        if self._timer:
            self._timer.cancel()
        await self.presence.aclose()
        await self.mesh.aclose()
        if self._soon:
            self._soon.cancel()
        closed = self._core.closed if self._core else None
        self.keeper.close(over=closed is not None and "again" not in closed.fields)
        self.identity.release()

    def _listening(self, addresses: tuple[str, ...]) -> None:
        port = self.mesh.port
        self.peer.listening(port, addresses)
        if isinstance(self.peer.lobby, HostLobby):
            shown = f"[{addresses[0]}]" if addresses and ":" in addresses[0] else addresses[0] if addresses else "?"
            self.on_event(Listening(port, addresses, f"p2pdice join {shown}:{port}"))
        self._pump()

    def _moved(self, addresses: tuple[str, ...]) -> None:
        """This computer is reached elsewhere now. Players in a game dial each other; newcomers need to be told."""
        if self._core and self.peer.session is None and self.peer.lobby.toss is None:
            self._listening(addresses)

    # --- for the user

    @property
    def core(self) -> "Peer | Watcher":
        assert self._core is not None, "the table is open before anything happens at it"
        return self._core

    @property
    def peer(self) -> Peer:
        assert isinstance(self.core, Peer), "whoever only watches has a driver of their own"
        return self.core

    def view(self) -> View | None:
        """What this process's player may know of the round, None where there is no game."""
        seats = self.peer.seats if self._core else ()
        return self.peer.view(seats[0]) if seats else None

    def act(self, action: Action) -> None:
        """A move of the player."""
        self._try(lambda peer, now: peer.act(self._own_seat(peer), action, now))

    def say(self, text: str) -> None:
        """A line of talk."""
        self._try(lambda peer, now: peer.say(text, now))

    def ready(self) -> None:
        """Accept the rules."""
        self._try(lambda peer, now: peer.ready(now))

    def start(self) -> None:
        """Begin with those who are there."""
        self._try(lambda peer, now: peer.start(now))

    def add_bot(self, level: str | None) -> None:
        """Bring one more bot of this process."""
        def add(peer: Peer, now: float) -> None:
            self.bots.levels[peer.add_bot("bot", now)] = LEVELS[level or "normal"]
        self._try(add)

    def kick(self, place: int) -> None:
        """Send whoever sits at a place of the lobby away."""
        self._try(lambda peer, now: peer.kick(place, now))

    def pause(self) -> None:
        """Ask for a pause, or end it."""
        self._try(lambda peer, now: peer.pause(now))

    def hold(self, seat: int, wait: bool) -> None:
        """`/wait` for a player who is late, or `/drop` them."""
        self._try(lambda peer, now: peer.hold(seat, wait, now))

    def rename(self, name: str) -> None:
        """Take another name in the lobby."""
        self._try(lambda peer, now: peer.rename(name, now))

    def quit(self) -> None:
        """Leave; `run` then ends by itself."""
        if self._core is None:
            self._end(0)
        else:
            self.core.leave(self._now())
            self._pump()

    def _own_seat(self, peer: Peer) -> int:
        if not peer.seats:
            raise LocalFault("no-game-yet")
        return peer.seats[0]

    def _try(self, do: Callable[[Peer, float], None]) -> None:
        if self._core is None:
            return
        try:
            do(self.peer, self._now())
        except (LocalFault, IllegalAction, RulesetError) as refusal:
            self.on_event(Refused(refusal.reason, refusal.fields))
        self._pump()

    # --- from the links

    def _linked(self, key: bytes, address: str) -> None:
        channel, before = self.mesh.channel(key), self.settings.before
        assert channel is not None, "the link stands"
        # Before there is a table the host is who was dialled; others look for tables on this computer.
        if self._core is None and (not channel.dialled or (before and key not in before.owners)):
            self.mesh.forget(key)
            return
        if self._core is None:
            self._core = self._made(key)
            self._listening(self.presence.addresses)
        self.core.linked(key, self._now(), ChannelSession(channel.dialled, channel.address, channel.session))
        self._pump()

    def _made(self, host: bytes) -> "Peer | Watcher":
        peer = self._make_peer(self, host)
        if isinstance(peer, Peer) and not self.settings.person:
            peer.wish = Wish.INDIFFERENT
        return peer

    def _received(self, key: bytes, frame: bytes) -> None:
        if self._core is None:
            return  # of one turned away before there was a table
        try:
            self.core.received(key, frame, self._now())
        except PeerFault:
            self._faults[key] = self._faults.get(key, 0) + 1
            if self._faults[key] > PATIENCE:
                self.mesh.forget(key)
        if not self._soon:  # all that comes in one turn of the loop, from any link, is written and answered together
            self._soon = asyncio.get_running_loop().call_soon(self._guarded(self._pump_received))

    def _pump_received(self) -> None:
        self._soon = None
        self._pump()

    def _lost(self, key: bytes) -> None:
        self._faults.pop(key, None)  # keys are the strangers' to make: keep none
        if self._core is None:
            return
        self.core.lost(key, self._now())
        self._pump()

    def _refused(self, error: ChannelError, address: str) -> None:
        """Somebody at the port was turned away; a player with another version is worth a line, noise is not."""
        if isinstance(error, VersionMismatch) and self._versions.allows(b"", self._now()):
            self.on_event(Troubled(error.reason, error.fields | {"address": address}))

    # --- the rhythm

    @staticmethod
    def _now() -> float:
        return asyncio.get_running_loop().time()

    def _guarded(self, callback: Callable[Told, None]) -> Callable[Told, None]:
        """A fault of our own inside a callback of the event loop ends the run with it: else the loop would only log it,
        and the process wait for ever."""
        def guarded(*args: Told.args, **kwargs: Told.kwargs) -> None:
            try:
                callback(*args, **kwargs)
            except Exception as error:
                if self._finished and not self._finished.done():
                    self._finished.set_exception(error)
        return guarded

    def _pump(self) -> None:
        """The disk first: what others may rely on is there before it is sent."""
        effects = self.core.take()
        if effects.keep is not None:
            self.keeper.open_ahead(self.peer.lobby.room.hex())
            effects.keep |= {"levels": self.bots.packed(), "port": str(self.port).encode()}
        seated = self.core.seated
        self.keeper.save(effects, seated.words if seated else None)
        outgoing: dict[bytes, list[bytes]] = {}
        for link, frame in effects.sends:
            outgoing.setdefault(link, []).append(frame)
        for link, frames in outgoing.items():
            self.mesh.send(link, *frames)
        for link in effects.drops:
            self.presence.forget(link)
        for key, port, addresses in effects.dials:
            self._expect(key, [(host, port) for host in addresses])
        for event in effects.events:
            self._tell(event)
        self._arm()

    def _expect(self, key: bytes, addresses: Sequence[Address]) -> None:
        """Have a link to that process."""
        self.presence.expect(key, addresses)

    def _arm(self) -> None:
        now = self._now()
        if self.core.finished(now):
            self._end(self._status)
        elif self._timer is None or now + CLOCK_S < self._timer.when():  # one that fires sooner stays, also in a flood
            self._wake_at(now + CLOCK_S)

    def _wake_at(self, when: float) -> None:
        if self._timer:
            self._timer.cancel()
        self._timer = asyncio.get_running_loop().call_at(when, self._guarded(self._tick))

    def _tick(self) -> None:
        self._timer = None
        now, deadline = self._now(), self.core.deadline
        if now < deadline:
            self._wake_at(deadline)
        else:
            self.core.tick(now)
            self._pump()

    def _tell(self, event: Event) -> None:
        match event:
            case TableFormed():
                self._begun()
            case Closed() | FaultProved():
                if isinstance(event, Closed):
                    self._status = event.status
                event = replace(event, transcript=self.keeper.transcript)
        self.on_event(event)
        self._follow(event)

    def _follow(self, event: Event) -> None:
        """What this process does by itself when something has happened."""
        match event:
            case TableFormed():
                self._meet()
            case Dropped():
                self._forget(event.seats)
        self.bots.follow(event, self.peer)

    def _forget(self, seats: Sequence[int]) -> None:
        """Whoever is out is not dialled any more."""
        session = self.peer.session
        assert session is not None, "drops are of a game"
        for owner in {session.seated.players[seat].owner for seat in seats} - {self.identity.key.public}:
            self.presence.forget(owner)

    def _begun(self) -> None:
        """The table takes in nobody more, and everyone who sits there dials everyone: whoever can reaches the other."""
        lobby = self.peer.lobby
        self.presence.playing(lobby.room.hex())
        for member in lobby.members:
            if member.key != self.identity.key.public:
                self.presence.expect(member.key, [(host, member.port) for host in member.addresses])

    def _meet(self) -> None:
        """Say so if somebody has another key than the last time; bots have one for each game."""
        folder, session = self.settings.folder, self.peer.session
        if folder is None or session is None or self.identity.folder is None:
            return
        others = [(player.nick, player.key) for player in session.seated.players
                  if not player.is_bot and player.key != self.identity.key.public]
        order = [player.key for player in session.seated.players]
        for key in meet(folder / PEOPLE, others):
            self.on_event(NewKey(order.index(key)))

    def _end(self, status: int) -> None:
        self._status = status
        if self._finished and not self._finished.done():
            self._finished.set_result(None)

    def _told(self, problem: str) -> None:
        asyncio.get_running_loop().call_soon(lambda: self.on_event(Troubled("nothing-kept", {"detail": problem})))
