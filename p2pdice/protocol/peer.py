"""One process at a table, sans I/O, from the lobby to the end of the game: what links bring, what the user does and the
clock go in; frames, records and events come out. Relays signed bodies where a link is missing. Must not know sockets,
files or words."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from p2pdice.fairness.keys import RandomBytes, SigningKey
from p2pdice.protocol import frames
from p2pdice.protocol.admission import Admission
from p2pdice.protocol.catchup import CatchUp
from p2pdice.protocol.chat import Chat
from p2pdice.protocol.checkpoint import Checkpoint
from p2pdice.protocol.effects import Effects
from p2pdice.protocol.errors import LocalFault, Malformed, PeerFault
from p2pdice.protocol.events import Closed, Event, PeerBack, PeerLost
from p2pdice.protocol.heartbeat import Heartbeat
from p2pdice.protocol.lobby import GuestLobby, HostLobby, Lobby
from p2pdice.protocol.members import Players
from p2pdice.protocol.messages import MOST_SEATS, Signed, lobby_fields
from p2pdice.protocol.often import ASKS_PER_MINUTE, NEWS_PER_MINUTE, Often
from p2pdice.protocol.pausing import Pausing, Wish
from p2pdice.protocol.roomcode import ChannelSession
from p2pdice.protocol.roster import Seated, Terms, formed
from p2pdice.protocol.table import Link, Table
from p2pdice.protocol.toss import Toss
from p2pdice.rules import Action, Ruleset, View

if TYPE_CHECKING:
    # What only a game needs is loaded when one begins: half of the package, for which the first prompt need not wait.
    from p2pdice.protocol.audit import Replayed
    from p2pdice.protocol.recovery import Recovered
    from p2pdice.protocol.session import Session

LINGER_S = 5.0  # how long a finished process goes on answering others


class Peer:
    """`take` the effects after each call; call `tick` at `deadline`."""

    def __init__(self, lobby: Lobby, random_bytes: RandomBytes, now: float, *, window_s: float,
                 recovered: "Recovered | None" = None) -> None:
        """`window_s`: how long the user is given to call exact out of turn; a bot of this process needs none."""
        self.table = Table(lobby)
        self._random_bytes = random_bytes
        self._window_s = window_s
        self._pausing = Pausing()
        self._heartbeat = Heartbeat(self.table, self._pausing, now)
        self._admission = Admission(self.table, self._heartbeat)
        self._catch_up = CatchUp(self.table, now)
        self._chat = Chat(self.table)
        self._checkpoint = Checkpoint(self.table, len(recovered.records) if recovered else 0)
        self._asks = Often(ASKS_PER_MINUTE)
        self._often = Often(NEWS_PER_MINUTE)
        self._untold: dict[bytes, bool] = {}  # players' links of which the user does not know yet whether they are lost
        self._early: list[tuple[bytes, Signed]] = []  # bodies of the game that came before the toss was complete
        self._missed: set[bytes] = set()  # processes to which there was a link in the game, and there is none now
        self._code: str | None = None  # after a crash in the toss: the room code, which counts again in the game
        self._closed_at = now
        if recovered:
            self._take_up(recovered, now)

    @classmethod
    def host(cls, key: SigningKey, nick: str, terms: Terms, *, title: str, needed: int, automatic: bool,
             random_bytes: RandomBytes, now: float, window_s: float = 0.0, code: str = "",
             only: frozenset[bytes] = frozenset()) -> "Peer":
        """Open a table. `needed`: seats at which the game starts by itself, 0 for none; `code`: the room code, "" for
        none; `only`: the keys of those who may sit down, empty for anybody."""
        players = Players(key, nick, random_bytes)
        lobby = HostLobby(players, terms, title=title, needed=needed, automatic=automatic, code=code, only=only)
        return cls(lobby, random_bytes, now, window_s=window_s)

    @classmethod
    def join(cls, key: SigningKey, nick: str, host: bytes, *, wanted: Ruleset | None, automatic: bool,
             random_bytes: RandomBytes, now: float, window_s: float = 0.0, code: str = "",
             only: frozenset[bytes] = frozenset()) -> "Peer":
        """Ask for a seat at the table of the process with key `host`, to which a link is being made."""
        lobby = GuestLobby(Players(key, nick, random_bytes), host, wanted=wanted, automatic=automatic, code=code,
                           only=only)
        return cls(lobby, random_bytes, now, window_s=window_s)

    @classmethod
    def resume(cls, key: SigningKey, transcript: bytes, kept: Mapping[str, bytes], *, random_bytes: RandomBytes,
               now: float, window_s: float = 0.0) -> "Peer":
        """Take a game up again from its own transcript and from what was kept. Raises LocalFault if that cannot be."""
        from p2pdice.protocol.recovery import recover

        recovered = recover(key, transcript, kept, random_bytes, now)
        peer = cls(recovered.lobby, random_bytes, now, window_s=window_s, recovered=recovered)
        if peer.session:
            try:
                peer.session.remember(kept, now)
            except (Malformed, PeerFault) as error:  # what was said is not known: better no seat than a second body
                raise LocalFault("nothing-to-resume") from error
        peer._after(now)
        return peer

    @property
    def lobby(self) -> Lobby:
        """Who came together, and how the game is to be."""
        return self.table.lobby

    @property
    def session(self) -> "Session | None":
        """The game, from its beginning on."""
        return self.table.session

    @property
    def closed(self) -> Closed | None:
        """How it ended for this process, once it has."""
        return self.table.closed

    # --- from the user

    @property
    def wish(self) -> Wish:
        """What this process wants of a pause."""
        return self._pausing.wishes.get(self.table.own, Wish.NO)

    @wish.setter
    def wish(self, wish: Wish) -> None:
        self._pausing.wishes[self.table.own] = wish

    def listening(self, port: int, addresses: tuple[str, ...]) -> None:
        """Where others reach this process; said once, before anything else."""
        self.lobby.port, self.lobby.addresses = port, addresses
        if isinstance(self.lobby, HostLobby):
            self.lobby.listening(port, addresses)

    @property
    def seats(self) -> tuple[int, ...]:
        """Seats of this process once the game has begun, its owner's first."""
        if self.session is None:
            return ()
        order = self.table.order
        return tuple(order.index(key) for key in self.lobby.players.secrets)

    @property
    def seated(self) -> Seated | None:
        """The game, once it has begun."""
        return self.session.seated if self.session else None

    def act(self, seat: int, action: Action, now: float) -> None:
        """A local seat's move. Raises IllegalAction or LocalFault."""
        session = self._game()
        session.act(seat, action, now)
        if seat == session.me and self.wish is Wish.YES:  # whoever plays has come back
            self.pause(now)
        self._after(now)

    def pause(self, now: float) -> None:
        """Ask for a pause, or end it. Raises LocalFault."""
        session = self._game()
        if session.closed or session.me not in session.ledger.owners_in(session.ledger.game):
            raise LocalFault("game-over")
        self.wish = Wish.NO if self.wish is Wish.YES else Wish.YES
        self._heartbeat.tell(now)
        self._after(now)

    def waive(self, seat: int, now: float) -> None:
        """A local seat does not call exact on the standing bid."""
        self._game().waive(seat, now)
        self._after(now)

    def view(self, seat: int) -> View:
        """What a local seat may know."""
        return self._game().view(seat)

    def ready(self, now: float) -> None:
        """The user accepts the terms."""
        if isinstance(self.lobby, GuestLobby):
            self.lobby.set_ready()
        else:
            self._host_lobby().set_ready(self.table.own, True, now)
        self._after(now)

    def start(self, now: float) -> None:
        """The host begins with those who are there. Raises LocalFault."""
        self._before_game(lambda: self._host_lobby().start(now), now)

    def kick(self, place: int, now: float) -> None:
        """The host sends away whoever sits at a place of the lobby, with their bots; or one of its own bots."""
        self._before_game(lambda: self._host_lobby().kick(place), now)

    def add_bot(self, nick: str, now: float) -> bytes:
        """Bring a bot of this process; its key. Raises LocalFault."""
        key = b""
        def add() -> None:
            nonlocal key
            key = self.lobby.add_bot(nick)
            if isinstance(self.lobby, HostLobby):
                self.lobby.propose(now)
        self._before_game(add, now)
        return key

    def rename(self, nick: str, now: float) -> None:
        """Another name, before the game. Raises LocalFault."""
        self._before_game(lambda: self.lobby.rename(nick), now)

    def hold(self, seat: int, wait: bool, now: float) -> None:
        """`/wait` for a player who is late, or `/drop` them. Raises LocalFault."""
        self._game().hold(seat, wait)
        self._game().tick(now)
        self._after(now)

    def say(self, text: str, now: float) -> None:
        """A line of talk to everyone; it is not part of the record."""
        self._chat.say(text)

    def leave(self, now: float) -> None:
        """This process goes; the others are told."""
        if self.session:
            self.session.leave(now)
        elif not self.closed:
            self.lobby.close("left", 0)
        self._after(now)
        self.table.to_all(frames.Bye())

    # --- from the links

    def linked(self, link: bytes, now: float, session: ChannelSession | None = None) -> None:
        """An authenticated link to the process of that key stands; `session`: over which connection, for a code."""
        self.table.watchers.lost(link)
        self.table.links[link] = Link(now, now)
        self._catch_up.heard_anew()
        self.lobby.door.linked(link, session)
        if isinstance(self.lobby, HostLobby):
            self.lobby.back(link)
        if isinstance(self.lobby, GuestLobby) and link == self.lobby.host:
            self.lobby.host_back()
            if not self.lobby.room:
                self.table.send(link, frames.Look())
            elif self.session is None:
                self.lobby.door.begin(link)
        self._tell_link(link, False, now)
        if link in self.table.mates:
            self._heartbeat.linked(link, now)
            if self.session and self.session.resuming:
                self._catch_up.fetch(link, 0, now)
        if self.session is None:
            self._after(now)

    def lost(self, link: bytes, now: float) -> None:
        """The link is gone."""
        self.table.links.pop(link, None)
        self._catch_up.heard_anew()
        self.table.watchers.lost(link)
        self.lobby.door.lost(link)
        if self.session:
            self._tell_link(link, True, now)
        elif isinstance(self.lobby, HostLobby):
            self.lobby.leave(link)
        elif isinstance(self.lobby, GuestLobby) and link == self.lobby.host:
            self.lobby.host_lost(now)
        self._after(now)

    def received(self, link: bytes, raw: bytes, now: float) -> None:
        """A frame over a link. Raises PeerFault for what no honest process sends; the game is unharmed then."""
        table = self.table
        state = table.links.get(link)
        if state is None or (table.closed and table.session is None):
            return
        if link in table.watchers:
            table.watchers.received(link, raw, now)
            return
        try:
            frame = frames.decode(raw)
        except Malformed as error:
            raise PeerFault(error.reason) from error
        state.heard_at = now
        table.heard(link, now)
        self._frame(link, frame, now)
        self._after(now)

    def _frame(self, link: bytes, frame: frames.Frame, now: float) -> None:
        if not isinstance(frame, self._admission.reads(link)):
            return
        match frame:
            case frames.Pake() | frames.Confirm():
                self.lobby.door.received(link, frame, now)
            case frames.Look():
                self._admission.look(link, now)
            case frames.Watch() if link not in self.table.mates:
                self._admission.watch(link, frame, now)
            case frames.Bodies():
                for body, signature in frame.bodies:
                    self._body(link, Signed(body, signature), now)
                if not frame.bodies:
                    self._catch_up.answered(link)
                    self._catch_up.resume(now)
            case frames.Ping():
                self._heartbeat.received(link, frame, now)
                self._catch_up.heard_anew()
                self._catch_up.compare(link, frame, now)
            case frames.Fetch():
                self._catch_up.answer(link, frame, now)
            case frames.Proof():
                if self.session:
                    self.session.receive_evidence(frame.evidence, now)
            case frames.Chat():
                self._chat.received(link, frame.text, now)
            case frames.Bye():
                self._gone(link)
            case _:
                self._lobby_frame(link, frame, now)

    def _lobby_frame(self, link: bytes, frame: frames.Frame, now: float) -> None:
        lobby = self.lobby
        if isinstance(lobby, HostLobby):
            match frame:
                case frames.Enter() | frames.ReadyNow() if not self._asks.allows(link, now):
                    raise PeerFault("too-often")  # everybody is told of each
                case frames.Enter() if self.session is None:
                    lobby.enter(link, frame, now)
                case frames.ReadyNow() if self.session is None:
                    lobby.set_ready(link, bool(frame.ready), now)
        elif isinstance(lobby, GuestLobby) and link == lobby.host and self.session is None:
            match frame:
                case frames.Card():
                    lobby.card(frame)
                case frames.Lobby() if lobby.room:
                    lobby.lobby(frame)
                case frames.Refuse():
                    lobby.close(f"refused-{frame.word}", 3)

    def _body(self, link: bytes, signed: Signed, now: float) -> None:
        """A signed body: to the toss or the game; what was new goes on to those who may lack it."""
        session, owner = self.table.session, b""
        try:
            if lobby_fields(signed) is not None:
                if session is None:
                    owner = self.lobby.owner_of(self.lobby.take_signed(signed))
            elif session is None:
                self._early = [*self._early, (link, signed)][-4 * MOST_SEATS:]
                return
            else:
                seat = session.receive(signed, now)
                if seat is not None:
                    owner = session.seated.players[seat].owner
        except Malformed as error:
            raise PeerFault(error.reason) from error
        if owner:
            self._catch_up.relay(signed, owner, link, now)
        if session and session.behind:
            session.behind = False
            self._catch_up.fetch(link, 1, now)

    def _tell_link(self, link: bytes, lost: bool, now: float) -> None:
        """A player's link is gone, or there. Of one that comes and goes without end the user hears now and then."""
        if self.table.seats_of(link):
            self._untold[link] = lost
            self._tell_links(now)

    def _tell_links(self, now: float) -> None:
        for link, lost in list(self._untold.items()):
            if self.closed or lost is (link in self._missed):
                del self._untold[link]
            elif self._often.allows(link, now):
                del self._untold[link]
                self._missed ^= {link}
                self.table.effects.events += [(PeerLost if lost else PeerBack)(seat)
                                              for seat in self.table.seats_of(link)]

    def _gone(self, link: bytes) -> None:
        """The link's owner leaves; in a game its LEAVE has said so."""
        if self.session is None:
            if isinstance(self.lobby, HostLobby):
                self.lobby.leave(link)
            elif isinstance(self.lobby, GuestLobby) and link == self.lobby.host:
                self.lobby.close("host-left", 3)

    # --- the clock

    @property
    def deadline(self) -> float:
        """When `tick` has something to do, at the latest."""
        due = [self._heartbeat.due, self._admission.deadline, self.table.watchers.deadline, self._catch_up.deadline,
               (self.session or self.lobby).deadline]
        return min(time for time in due if time is not None)

    def tick(self, now: float) -> None:
        """Let time pass."""
        self.table.watchers.tick(now)
        if now >= self._heartbeat.due:
            self._heartbeat.beat(now)
            self._admission.turn_out(now)
            self._catch_up.ask_again(now)
        if self.session:
            self._tell_links(now)
            self._catch_up.resume(now)
            self.session.tick(now)
        else:
            self.lobby.tick(now)
        self._after(now)

    def finished(self, now: float) -> bool:
        """Whether nothing is left to do: the end is there, and the others have it or have had time to ask for it."""
        if self.closed is None:
            return False
        if now >= self._closed_at + LINGER_S:
            return True
        if self.table.watchers.busy:
            return False
        if self.closed.reason != "won":
            return True
        return all(self.table.links[link].stage == 3 for link in self.table.linked)

    def take(self) -> Effects:
        """What has come up since the last call."""
        effects, self.table.effects = self.table.effects, Effects()
        self._checkpoint.add(effects, self.lobby.door.code if self._code is None else self._code)
        self._show(effects)
        return effects

    def _show(self, effects: Effects) -> None:
        """Let those who watch see what has happened, and the user how many they are."""
        watchers = self.table.watchers
        watchers.follow(effects.records, effects.events)
        for link, frame in watchers.serve(self.lobby.roll):
            effects.send(link, frame)
        effects.drops += watchers.drops
        watchers.drops = []
        effects.events += watchers.counted(self.table.mates)

    # --- inside

    def _after(self, now: float) -> None:
        """Collect what the lobby and the game have to send and tell; begin the game when the toss is complete."""
        lobby, effects = self.lobby, self.table.effects
        self._admission.step(now)
        for link, frame in lobby.out:
            self.table.to_all(frame) if link is None else self.table.send(link, frame)
        lobby.out = []
        if lobby.gone:
            effects.dials = [dial for dial in effects.dials if dial[0] not in lobby.gone]
            effects.drops += lobby.gone
        effects.dials += lobby.dial
        lobby.dial, lobby.gone = [], []
        if self.table.session is None:
            self._tell(lobby.events, now)
            if lobby.toss and lobby.toss.seated:
                self._begin(lobby.toss, lobby.toss.seated, now)
        lobby.events = []  # the lobby has nothing more to say once the game has begun
        session = self.table.session
        if session:
            self._pausing.settle(session, now)
            self._catch_up.behind(now)
            self._drain(session, now)

    def _begin(self, toss: Toss, seated: Seated, now: float) -> None:
        """The seats are drawn. After a crash others may have got further, and are asked first."""
        records, past = toss.records(), None
        self.table.effects.records += records
        if self._code is not None:
            from p2pdice.protocol.recovery import beginning

            past, self._catch_up.resumed_at = beginning(records), now
            self.lobby.door.code, self.table.watchers.admits = self._code, True
            self._code = None
        self._play(seated, now, past)
        if past:
            for link in self.table.linked:
                self._catch_up.fetch(link, 0, now)
        early, self._early = self._early, []
        for link, signed in early:
            try:
                self._body(link, signed, now)
            except PeerFault:
                continue  # kept unread when it came; its link may be gone

    def _take_up(self, recovered: "Recovered", now: float) -> None:
        """Go on where a crash interrupted this process."""
        self.table.effects.dials += recovered.others
        self.table.watchers.follow(recovered.records, ())
        past = recovered.past
        if past is None:
            self._code, self.table.watchers.admits = recovered.code, False  # until the code counts again
        else:
            assert past.report.seated is not None, "there is a game"
            self.table.watchers.admits = recovered.code is not None
            self._play(past.report.seated, now, past)

    def _play(self, seated: Seated, now: float, past: "Replayed | None") -> None:
        """The game begins, or goes on: the news of it, and a chair for each local seat."""
        from p2pdice.protocol.chair import Chair
        from p2pdice.protocol.session import Session

        order = [player.key for player in seated.players]
        self.table.effects.events.append(formed(seated, order.index(self.table.own)))
        chairs = {order.index(key): Chair(order.index(key), signing, self._window_s)
                  for key, (signing, _) in self.lobby.players.secrets.items()}
        self.table.session = Session(seated, chairs, self._random_bytes, now, past)
        if past:
            self._missed |= self.table.mates - {self.table.own, *self.table.linked}

    def _drain(self, session: "Session", now: float) -> None:
        if session.outbox or session.records:
            self._checkpoint.due = True
            self.table.effects.records += session.records
            session.records.clear()
            for batch in frames.batches([body.value() for body in session.outbox]):
                self.table.to_all(batch)
            session.outbox = []
        for evidence in session.evidence_out:
            self.table.to_all(frames.Proof(evidence))
        session.evidence_out = []
        if session.events:
            events, session.events = session.events, []
            self._tell(events, now)

    def _tell(self, events: list[Event], now: float) -> None:
        self.table.effects.events += events
        closed = next((event for event in events if isinstance(event, Closed)), None)
        if closed and not self.closed:
            self.table.closed, self._closed_at = closed, now
            self._heartbeat.tell(now)

    def _game(self) -> "Session":
        if self.session is None:
            raise LocalFault("no-game-yet")
        return self.session

    def _host_lobby(self) -> HostLobby:
        if not isinstance(self.lobby, HostLobby):
            raise LocalFault("only-the-host")
        return self.lobby

    def _before_game(self, do: Callable[[], object], now: float) -> None:
        if self.session is not None:
            raise LocalFault("too-late")
        try:
            do()
        finally:
            self._after(now)
