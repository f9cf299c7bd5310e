"""One rhythm for everything that happens at a table: feed the peer, write its records, send, arm the timer, tell the
screen. Joins mesh, discovery, files and bots to the protocol; decides nothing that the rules or the protocol
decide."""

import asyncio
import contextlib
import datetime
import random
import secrets
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

from p2pdice.bots import LEVELS, Bot
from p2pdice.net.ahead import Ahead
from p2pdice.net.dial import Address
from p2pdice.net.errors import ChannelError, ListenError, PortTaken, VersionMismatch
from p2pdice.net.files import Appender, open_record
from p2pdice.net.mesh import Mesh
from p2pdice.net.people import meet
from p2pdice.net.presence import Presence
from p2pdice.net.store import PEOPLE, Identity, Store
from p2pdice.protocol import roomcode
from p2pdice.protocol.errors import LocalFault, PeerFault
from p2pdice.protocol.events import (
    Closed,
    Dropped,
    Event,
    FaultProved,
    Listening,
    MayCall,
    MayOblige,
    NewKey,
    TableFormed,
    Troubled,
    TurnBegan,
)
from p2pdice.protocol.events import Refused as RefusedEvent
from p2pdice.protocol.kept import KEPT_RECORD, KEPT_ROUND
from p2pdice.protocol.lobby import HostLobby
from p2pdice.protocol.messages import PROTOCOL, Signed
from p2pdice.protocol.pausing import Wish
from p2pdice.protocol.peer import Peer
from p2pdice.protocol.roomcode import ChannelSession
from p2pdice.protocol.roster import Terms
from p2pdice.protocol.transcript import TranscriptWriter
from p2pdice.rules import CALZO, Action, IllegalAction, Ruleset, RulesetError, View

if TYPE_CHECKING:
    from p2pdice.protocol.watcher import Watcher  # loaded where somebody watches

AGAIN_S, AGAIN_PAUSE_S = 60.0, 1.0  # how long those who play again try for their port and the table, and how often
SHOWING_S = 0.2  # how often a bot looks whether the cups that went up have been shown
PATIENCE = 200  # frames that no honest process sends, before its link is closed


@dataclass(frozen=True, slots=True)
class Settings:
    """What host and join have in common. `auto`: the level of the bot that plays this seat, None for a person or a
    program; `consent`: nobody has to press Enter; `person`: somebody sits here who may mind a pause; `folder` None:
    keep nothing; `company`: the keys of those who play again, and nobody else; `identity`: one that lives in memory
    and is to be used once more."""

    name: str
    folder: Path | None
    record: Path | None = None
    bind: str | None = None
    port: int | None = None
    mdns: bool = True
    auto: str | None = None
    pace_s: float = 0.0
    consent: bool = False
    person: bool = True
    company: frozenset[bytes] = frozenset()
    identity: Identity | None = None


Told = ParamSpec("Told")
D = TypeVar("D", bound="Driver")


def ends_the_run(method: "Callable[Concatenate[D, Told], None]") -> "Callable[Concatenate[D, Told], None]":
    """A fault of our own inside a callback of the event loop ends the run with it: else the loop would only log it, and
    the process wait for ever."""
    def guarded(self: D, /, *args: Told.args, **kwargs: Told.kwargs) -> None:
        try:
            method(self, *args, **kwargs)
        except Exception as error:
            self.fail(error)
    return guarded


class Driver:
    """One process at a table. Its methods for the user do not raise: a Refused event says why something cannot be."""

    def __init__(self, settings: Settings, make_peer: Callable[["Driver", bytes], "Peer | Watcher"],
                 target: Address | None) -> None:
        """`make_peer(driver, host)` with the host's key; `target`: where the table is, None to be the host."""
        self.on_event: Callable[[Event], None] = lambda event: None
        self.telling: Callable[[], bool] = lambda: False  # whether people are still being told what has happened
        self.settings = settings
        self.store = Store(settings.folder, self._told)
        self.identity = settings.identity or self.store.identity()
        self.mesh = Mesh(self.identity.key, linked=self._linked, received=self._received, lost=self._lost,
                         refused=self._refused)
        self.levels: dict[bytes, Bot] = {}
        if settings.auto:
            self.levels[self.identity.key.public] = LEVELS[settings.auto]
        self._make_peer = make_peer
        self.target = target
        self.port = 0
        self.usual_port = 0  # where the others of a game that is taken up again look for this process
        self._core: Peer | Watcher | None = None
        self._presence: Presence | None = None  # from the open port on
        self._file: Appender | None = None
        self._writer: TranscriptWriter | None = None  # from the first record on
        self._unflushed = False  # whether only what is kept holds the end of the transcript for sure
        self._ahead: Ahead | None = None
        self._soon: asyncio.Handle | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._thinking: set[asyncio.TimerHandle] = set()
        self._finished: asyncio.Future[None] | None = None
        self._status = 3
        self._faults: dict[bytes, int] = {}
        self._random = random.SystemRandom()

    def take_up(self, file: Appender, writer: TranscriptWriter) -> None:
        """Go on with the record of a game that a crash interrupted."""
        self._file, self._writer = file, writer

    # --- the run

    async def run(self) -> int:
        """Open the table or join it, play, say goodbye; the exit status. Raises NetError before a game has begun."""
        self._finished = asyncio.get_running_loop().create_future()
        try:
            if self.settings.record:  # before anybody relies on this seat: a file that cannot be is an error now
                self._file = open_record(self.settings.record, lambda content: None)
            presence = Presence(self.mesh, self.settings.bind, mdns=self.settings.mdns, moved=self._moved,
                                troubled=lambda error: self.on_event(Troubled(error.reason, error.fields)))
            self._presence = presence
            await self._open(presence)
            if self.target is None:
                self._core = self._made(b"")
                self._listening(presence.addresses)
                lobby = self.peer.lobby
                if isinstance(lobby, HostLobby) and not self.settings.company:
                    await presence.announce({"v": str(PROTOCOL), "room": lobby.room.hex(), "title": lobby.title})
            else:
                await self._reach(presence, presence.routes(self.target))
            await self._finished
        finally:
            await self._close()
        return self._status

    async def _listen(self) -> int:
        """Open the port. Raises ListenError; the port of the game before, which another program took in between, as it
        may for a connection of its own, is given time to become free."""
        if self.usual_port and self.settings.port is None:
            with contextlib.suppress(ListenError):
                return self.mesh.listen(self.settings.bind, self.usual_port)
        deadline = self._now() + (AGAIN_S if self.settings.company else 0.0)
        while True:
            try:
                return self.mesh.listen(self.settings.bind, self.settings.port)
            except PortTaken:
                if self._now() >= deadline:
                    raise
            await asyncio.sleep(AGAIN_PAUSE_S)

    async def _open(self, presence: Presence) -> None:
        """The port at which others reach this process. Raises ListenError."""
        self.port = await self._listen()
        presence.open(self.port, self.identity.key.public)

    async def _reach(self, presence: Presence, routes: Sequence[Address]) -> None:
        """A link to the host, and from there on kept; whoever leaves before it stands waits for nothing."""
        assert self._finished is not None, "the run has begun"
        connecting = asyncio.ensure_future(self._connect(routes))
        try:
            either: list[asyncio.Future[Any]] = [connecting, self._finished]
            await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
        finally:
            if not connecting.done():
                connecting.cancel()
        if connecting.done():
            presence.want(connecting.result(), routes)

    async def _connect(self, routes: Sequence[Address]) -> bytes:
        """The host's key. Raises ChannelError; a host that plays again is given time to open its table."""
        deadline = self._now() + (AGAIN_S if self.settings.company else 0.0)
        while True:
            try:
                return await self.mesh.connect(routes)
            except ChannelError:
                if self._now() >= deadline:
                    raise
            await asyncio.sleep(AGAIN_PAUSE_S)

    async def _close(self) -> None:
        for timer in [*self._thinking, *([self._timer] if self._timer else [])]:
            timer.cancel()
        if self._presence:
            await self._presence.aclose()
        await self.mesh.aclose()
        if self._soon:
            self._soon.cancel()
        with self._or_without_file() as file:
            if file:
                file.flush()
        closed = self._core.closed if self._core else None
        if self._ahead and closed and "again" not in closed.fields:
            self._ahead.finish()
        elif self._ahead:
            self._ahead.close()
        if self._file:
            self._file.close()
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
            self.levels[peer.add_bot("bot", now)] = LEVELS[level or "normal"]
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
            self._try(lambda peer, now: peer.leave(now))

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
            self.on_event(RefusedEvent(refusal.reason, refusal.fields))
        self._pump()

    # --- from the links

    @ends_the_run
    def _linked(self, key: bytes, address: str) -> None:
        if self.settings.company and key not in self.settings.company:
            self.mesh.forget(key)
            return
        channel = self.mesh.channel(key)
        assert channel is not None, "the link stands"
        if self._core is None:
            if not channel.dialled:
                self.mesh.forget(key)  # somebody who looks for tables on this computer; the host is who was dialled
                return
            assert self._presence is not None, "the port was opened first"
            self._core = self._made(key)
            self._listening(self._presence.addresses)
        self.core.linked(key, self._now(), ChannelSession(channel.dialled, channel.address, channel.session))
        self._pump()

    def _made(self, host: bytes) -> "Peer | Watcher":
        peer = self._make_peer(self, host)
        if isinstance(peer, Peer) and not self.settings.person:
            peer.wish = Wish.INDIFFERENT
        return peer

    @ends_the_run
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
            self._soon = asyncio.get_running_loop().call_soon(self._pump_received)

    @ends_the_run
    def _pump_received(self) -> None:
        self._soon = None
        self._pump()

    @ends_the_run
    def _lost(self, key: bytes) -> None:
        self._faults.pop(key, None)  # keys are the strangers' to make: keep none
        if self._core is None:
            return
        self.core.lost(key, self._now())
        self._pump()

    def _refused(self, error: ChannelError, address: str) -> None:
        """Somebody at the port was turned away; a player with another version is worth a line, noise is not."""
        if isinstance(error, VersionMismatch):
            self.on_event(Troubled(error.reason, error.fields | {"address": address}))

    # --- the rhythm

    @staticmethod
    def _now() -> float:
        return asyncio.get_running_loop().time()

    def _pump(self) -> None:
        """The disk first: what others may rely on is there before it is sent."""
        effects = self.core.take()
        if effects.anew:
            self._begin_anew()
        if effects.records:
            self._open_record()
        if effects.keep is not None:
            self._keep(effects.keep)
        if effects.records:
            # Where what is kept holds them already, one wait for the disk is enough before anybody relies on them.
            self._write(effects.records, flush=not (effects.keeps_records and self._ahead and self._ahead.lasting))
        for link, frame in effects.sends:
            self.mesh.send(link, frame)
        assert self._presence is not None, "the port was opened first"
        for link in effects.drops:
            self._presence.forget(link)
        for key, port, addresses in effects.dials:
            self._expect(key, [(host, port) for host in addresses])
        for event in effects.events:
            self._tell(event)
        self._arm()

    def _expect(self, key: bytes, addresses: Sequence[Address]) -> None:
        """Have a link to that process."""
        assert self._presence is not None, "the port was opened first"
        self._presence.expect(key, addresses)

    def _arm(self) -> None:
        if self.core.finished(self._now()):
            self._end(self._status)
            return
        # One that would fire sooner stays: set anew with each frame, it would never get its turn in a flood of them.
        deadline = self.core.deadline
        if self._timer is None or deadline < self._timer.when():
            if self._timer:
                self._timer.cancel()
            self._timer = asyncio.get_running_loop().call_at(deadline, self._tick)

    @ends_the_run
    def _tick(self) -> None:
        self._timer = None
        self.core.tick(self._now())
        self._pump()

    def _tell(self, event: Event) -> None:
        match event:
            case TableFormed():
                self._begun()
            case Closed():
                self._status = event.status
                event = replace(event, transcript=str(self._file.path) if self._file else None)
            case FaultProved():
                event = replace(event, transcript=str(self._file.path) if self._file else None)
        self.on_event(event)
        self._follow(event)

    def _follow(self, event: Event) -> None:
        """What this process does by itself when something has happened."""
        match event:
            case TableFormed():
                self._meet()
            case TurnBegan(seat=seat) | MayOblige(seat=seat):
                self._think(seat, self._choose)
            case MayCall(seat=seat):
                self._think(seat, self._choose_call)
            case Dropped():
                self._forget(event.seats)

    def _forget(self, seats: Sequence[int]) -> None:
        """Whoever is out is not dialled any more."""
        session = self.peer.session
        assert session is not None, "drops are of a game"
        assert self._presence is not None, "the port was opened first"
        for owner in {session.seated.players[seat].owner for seat in seats} - {self.identity.key.public}:
            self._presence.forget(owner)

    def _begun(self) -> None:
        """The table takes in nobody more, and everyone who sits there dials everyone: whoever can reaches the other."""
        presence, lobby = self._presence, self.peer.lobby
        assert presence is not None, "the port was opened first"
        presence.playing(lobby.room.hex())
        for member in lobby.members:
            if member.key != self.identity.key.public:
                presence.expect(member.key, [(host, member.port) for host in member.addresses])

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

    def fail(self, error: Exception) -> None:
        """End the run with an error."""
        if self._finished and not self._finished.done():
            self._finished.set_exception(error)

    def _end(self, status: int) -> None:
        self._status = status
        if self._finished and not self._finished.done():
            self._finished.set_result(None)

    def _told(self, problem: str) -> None:
        asyncio.get_running_loop().call_soon(lambda: self.on_event(Troubled("nothing-kept", {"detail": problem})))

    # --- the transcript

    def _write(self, records: Sequence[tuple[str, Signed]], *, flush: bool) -> None:
        writer = self._open_record()
        data = b"".join(writer.add(kind, signed) for kind, signed in records)
        with self._or_without_file() as file:
            if file:
                file.append(data, flush=flush)
                self._unflushed = not flush

    @contextlib.contextmanager
    def _or_without_file(self) -> Iterator[Appender | None]:
        """The transcript, if there is one; a disk that fails costs it and the way back to it, and the game goes on."""
        try:
            yield self._file
        except OSError as error:
            assert self._file is not None, "only the file raises"
            self._file.close()
            self._file = None
            self.store.fail(error)
            if self._ahead:
                self._ahead.fail(error)

    def _open_record(self) -> TranscriptWriter:
        """The transcript begins with its first record."""
        seated = self.core.seated
        if self._writer is None:
            self._writer = TranscriptWriter()
            if self._file is None and seated:
                self._file = self.store.transcript(datetime.date.today(), seated.words)
        return self._writer

    def _begin_anew(self) -> None:
        """Another record takes the place of this one, from its beginning."""
        self._writer = TranscriptWriter()
        if self._file:
            self._file.empty()

    def _keep(self, entries: Mapping[str, bytes]) -> None:
        """Replace what must outlive a crash."""
        if self._ahead is None:  # one file from the toss to the end of the game, which are never there together
            self._ahead = self.store.ahead(self.identity, self.peer.lobby.room.hex())
        transcript = str(self._file.path.absolute()) if self._file else ""
        wanted = {**entries, "transcript": transcript.encode(), "levels": self._level_names(),
                  "port": str(self.port).encode()}
        known = self._ahead.entries
        changes: dict[str, bytes | None] = {name: raw for name, raw in wanted.items() if known.get(name) != raw}
        changes |= {name: None for name in known
                    if name not in wanted and not (self._unflushed and name.startswith(KEPT_RECORD))}
        if changes:
            self._ahead.change(changes, clean=KEPT_ROUND in changes)

    def _level_names(self) -> bytes:
        """Which seats bots play, and how well, in a form that outlives the process."""
        names = {id(bot): name for name, bot in LEVELS.items()}
        return " ".join(f"{key.hex()}={names[id(bot)]}" for key, bot in sorted(self.levels.items())).encode()

    # --- bots

    def _think(self, seat: int, decide: Callable[[int, Bot], None]) -> None:
        """Let the bot of a local seat decide, after the pace that people expect."""
        session = self.peer.session
        bot = self.levels.get(session.seated.players[seat].key) if session else None
        if bot and session:
            at = session.ledger.slot
            loop = asyncio.get_running_loop()
            self._thinking.add(loop.call_later(self.settings.pace_s, partial(self._decide, seat, at, decide, bot)))

    @ends_the_run
    def _decide(self, seat: int, slot: int, decide: Callable[[int, Bot], None], bot: Bot) -> None:
        now = self._now()
        self._thinking = {timer for timer in self._thinking if timer.when() > now}
        if self.telling():
            again = partial(self._decide, seat, slot, decide, bot)
            pause_s = max(SHOWING_S, self.settings.pace_s)
            self._thinking.add(asyncio.get_running_loop().call_later(pause_s, again))
            return
        session = self.peer.session
        if session and not session.closed and session.ledger.slot in (slot, slot + 1):
            with contextlib.suppress(LocalFault, IllegalAction):  # the moment has passed
                decide(seat, bot)
            self._pump()

    def _choose(self, seat: int, bot: Bot) -> None:
        self.peer.act(seat, bot.choose(self.peer.view(seat), self._random), self._now())

    def _choose_call(self, seat: int, bot: Bot) -> None:
        if bot.choose_call(self.peer.view(seat), self._random):
            self.peer.act(seat, CALZO, self._now())
        else:
            self.peer.waive(seat, self._now())


def host(settings: Settings, *, title: str | None, rules: Ruleset, players: int | None, bots: int, bot_level: str,
         turn_time_s: int, drop_time_s: int, code: str | None = None) -> Driver:
    """A driver that opens a table, with `bots` of its own; it starts by itself at `players` seats, if given. `code`:
    the room code, "" to make one, None for none."""
    if code is not None:
        code = roomcode.normal(code) or roomcode.make(secrets.token_bytes)

    def make_peer(driver: Driver, _: bytes) -> Peer:
        peer = Peer.host(
            driver.identity.key, settings.name, Terms(rules, turn_time_s, drop_time_s), title=title or settings.name,
            needed=players or 0, automatic=settings.consent, random_bytes=secrets.token_bytes,
            now=asyncio.get_running_loop().time(), window_s=2 * settings.pace_s, code=code or "")
        for _number in range(bots):
            driver.levels[peer.add_bot("bot", asyncio.get_running_loop().time())] = LEVELS[bot_level]
        return peer
    return Driver(settings, make_peer, None)


def join(settings: Settings, table: Address, *, wanted: Ruleset | None, code: str = "") -> Driver:
    """A driver that joins the table at an address; `wanted`: rules that the table must have; `code`: its room code."""
    def make_peer(driver: Driver, host_key: bytes) -> Peer:
        return Peer.join(driver.identity.key, settings.name, host_key, wanted=wanted, automatic=settings.consent,
                         random_bytes=secrets.token_bytes, now=asyncio.get_running_loop().time(),
                         window_s=2 * settings.pace_s, code=code)
    return Driver(settings, make_peer, table)
