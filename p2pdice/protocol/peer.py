"""One process at a table, sans I/O, from the lobby to the end of the game: what links bring, what the user does and the
clock go in; frames, records and events come out. Relays signed bodies where a link is missing. Must not know sockets,
files or words."""

from collections.abc import Callable, Mapping, Set
from dataclasses import dataclass, field
from types import UnionType
from typing import TYPE_CHECKING

from p2pdice.fairness.keys import RandomBytes, SigningKey
from p2pdice.protocol import frames
from p2pdice.protocol.catchup import CatchUp, Link
from p2pdice.protocol.errors import LocalFault, Malformed, PeerFault
from p2pdice.protocol.events import ChatSaid, Closed, Event, PauseWanted, PeerBack, PeerLost, Watched
from p2pdice.protocol.kept import Others, kept_bots, pack_kept, pack_toss, unpack_others, unpack_toss
from p2pdice.protocol.lobby import GuestLobby, HostLobby, Lobby
from p2pdice.protocol.members import Member, Players
from p2pdice.protocol.messages import MOST_SEATS, Signed, lobby_fields
from p2pdice.protocol.pausing import Pausing, Wish
from p2pdice.protocol.roomcode import ChannelSession
from p2pdice.protocol.roster import Seated, Terms, formed
from p2pdice.protocol.toss import Toss
from p2pdice.protocol.transcript import TranscriptWriter, read_entries
from p2pdice.protocol.watching import Watchers
from p2pdice.rules import Action, Ruleset, View

if TYPE_CHECKING:
    # What only a game needs is loaded when one begins: half of the package, for which the first prompt need not wait.
    from p2pdice.protocol.chair import Chair
    from p2pdice.protocol.session import Session

PING_S = 2.0
NEWS_S = 0.2  # others know so long after a link came up that they need not relay over it
HEARD_S = 10.0  # a peer heard within this time counts as linked
LINGER_S = 5.0  # how long a finished process goes on answering others
LOOK_S = 0.2  # the same for two cards
STRANGER_S = 60.0  # a link that comes to nothing is closed after so long
CHAT_CHARACTERS = 200
CHAT_PER_MINUTE = 5


@dataclass
class Effects:
    """What there is to do, in this order: keep what must outlive a crash, append the records, both flushed, then send,
    dial, tell the screen. What is kept holds the records too, so that a crash between the two loses neither."""

    keep: dict[str, bytes] | None = None  # replaces what was kept before
    records: list[tuple[str, Signed]] = field(default_factory=list)
    keeps_records: bool = False  # whether what is kept holds them
    anew: bool = False  # they take the place of all that were recorded before
    sends: list[tuple[bytes, bytes]] = field(default_factory=list)  # (link, frame)
    dials: list[Others] = field(default_factory=list)
    drops: list[bytes] = field(default_factory=list)  # links to close, after what is sent to them
    events: list[Event] = field(default_factory=list)


class Peer:
    """`take` the effects after each call; call `tick` at `deadline`."""

    def __init__(self, lobby: Lobby, random_bytes: RandomBytes, now: float, *, window_s: float) -> None:
        """`window_s`: how long the user is given to call exact out of turn; a bot of this process needs none."""
        self.lobby = lobby
        self.session: Session | None = None
        self.closed: Closed | None = None
        self.links: dict[bytes, Link] = {}
        self._catch_up = CatchUp(self.links, self._send, now)
        self._random_bytes = random_bytes
        self._window_s = window_s
        self.watchers = Watchers()
        self._watched = 0  # watchers of the table, as the user was told
        self._effects = Effects()
        self._recorded = 0  # entries of the transcript so far
        self._to_keep = False
        self._snapshot: Mapping[str, bytes] = {}  # of the session, as it was kept last
        self._back: str | None = None  # after a crash in the toss: the room code, which is of use in the game again
        self._kept_toss: Toss | None = None
        self._head: list[Signed] = []  # after a crash: the toss as the own record holds it
        self._others: list[Others] = []  # where the other processes of the game can be reached
        self._early: list[tuple[bytes, Signed]] = []  # bodies of the game that came before the toss was complete
        self._pausing = Pausing()
        self._told_pause: tuple[tuple[bytes, ...], bool] = ((), False)
        self._ping_at = now
        self._closed_at = now
        self._pairs_due: float | None = None

    @classmethod
    def host(cls, key: SigningKey, nick: str, terms: Terms, *, title: str, needed: int, automatic: bool,
             random_bytes: RandomBytes, now: float, window_s: float = 0.0, code: str = "") -> "Peer":
        """Open a table. `needed`: seats at which the game starts by itself, 0 for none; `code`: the room code, "" for
        none."""
        players = Players(key, nick, random_bytes)
        lobby = HostLobby(players, terms, title=title, needed=needed, automatic=automatic, code=code)
        return cls(lobby, random_bytes, now, window_s=window_s)

    @classmethod
    def join(cls, key: SigningKey, nick: str, host: bytes, *, wanted: Ruleset | None, automatic: bool,
             random_bytes: RandomBytes, now: float, window_s: float = 0.0, code: str = "") -> "Peer":
        """Ask for a seat at the table of the process with key `host`, to which a link is being made."""
        lobby = GuestLobby(Players(key, nick, random_bytes), host, wanted=wanted, automatic=automatic, code=code)
        return cls(lobby, random_bytes, now, window_s=window_s)

    @classmethod
    def resume(cls, key: SigningKey, transcript: bytes, kept: Mapping[str, bytes], *, random_bytes: RandomBytes,
               now: float, window_s: float = 0.0) -> "Peer":
        """Take a game up again from its own transcript and from what was kept. Raises LocalFault if that cannot be."""
        from p2pdice.protocol.audit import replayed
        from p2pdice.protocol.session import Session

        toss = cls._back_in_toss(key, kept, random_bytes, now, window_s)
        if toss:
            return toss
        past = replayed(transcript)
        # A game that is over is taken up as well: others may not have had the last word of this process. So is one in
        # which somebody was convicted, but not a file that does not hold.
        changed = any(finding.seat is None for finding in past.report.findings)
        if past.ledger is None or past.report.seated is None or changed:
            raise LocalFault("nothing-to-resume")
        players = Players(key, "", random_bytes, kept_bots(kept))
        players.secrets = {own.public: (own, b"") for own in (key, *(bot for bot, _ in players.bots))}
        seated = past.report.seated
        if {player.key for player in seated.players if player.owner == key.public} != set(players.secrets):
            raise LocalFault("nothing-to-resume")
        code = kept.get("code")
        lobby = GuestLobby(players, b"", wanted=None, automatic=True, code=(code or b"").decode(errors="ignore"))
        peer = cls(lobby, random_bytes, now, window_s=window_s)
        chairs = peer._sit(seated)
        peer.session = peer._catch_up.session = Session(seated, chairs, random_bytes, now, past)
        try:
            peer.session.remember(kept, now)
        except (Malformed, PeerFault) as error:  # what was said is not known: better no seat than a second body
            raise LocalFault("nothing-to-resume") from error
        peer._recorded = past.report.entries
        entries = list(read_entries(transcript))
        peer._head = [entry.signed for entry in entries if entry.kind in ("roster", "accept", "seat")]
        peer._others = list(unpack_others(kept.get("others", b"")))
        peer.watchers.admits = code is not None
        peer.watchers.follow([(entry.kind, entry.signed) for entry in entries], ())
        lobby.room, lobby.terms = seated.roster.room, seated.roster.terms
        lobby.members = peer._owners(seated)
        peer._effects.dials += peer._others
        peer._after(now)
        return peer

    @classmethod
    def _back_in_toss(cls, key: SigningKey, kept: Mapping[str, bytes], random_bytes: RandomBytes, now: float,
                      window_s: float) -> "Peer | None":
        """The same for a toss that this process had accepted: the others may have begun the game. Nothing of the game
        is signed before they have said whether this process, in a life that its files do not know of, did so."""
        players = Players(key, "", random_bytes, kept_bots(kept))
        try:
            toss = unpack_toss(kept)
            if toss is None:
                return None
            roster, nonces = toss
        except Malformed as error:
            raise LocalFault("nothing-to-resume") from error
        keys = (key, *(bot for bot, _ in players.bots))
        own_joins = {join.key for join in roster.joins if join.owner == key.public}
        if {own.public for own in keys} != own_joins | set(nonces):
            raise LocalFault("nothing-to-resume")
        players.secrets = {own.public: (own, nonces[own.public]) for own in keys}
        others = unpack_others(kept.get("others", b""))
        lobby = GuestLobby(players, b"", wanted=None, automatic=True)
        lobby.take_up(roster, {owner: (port, addresses) for owner, port, addresses in others}, now)
        peer = cls(lobby, random_bytes, now, window_s=window_s)
        peer._back = kept.get("code", b"").decode(errors="ignore")
        peer.watchers.admits = False  # until the code counts again
        peer._effects.dials += others
        peer._after(now)
        return peer

    # --- from the user

    @property
    def wish(self) -> Wish:
        """What this process wants of a pause."""
        return self._pausing.wishes.get(self.lobby.players.key.public, Wish.NO)

    @wish.setter
    def wish(self, wish: Wish) -> None:
        self._pausing.wishes[self.lobby.players.key.public] = wish

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
        keys = [key for key in self.lobby.players.secrets]
        order = [player.key for player in self.session.seated.players]
        return tuple(order.index(key) for key in keys)

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
        self._to_all(self._ping(now))
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
            self._host_lobby().set_ready(self.lobby.players.key.public, True, now)
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
        line = text[:CHAT_CHARACTERS]
        self._to_all(frames.Chat(line))
        self._said(self.lobby.players.key.public, line)

    def leave(self, now: float) -> None:
        """This process goes; the others are told."""
        if self.session:
            self.session.leave(now)
        elif not self.closed:
            self.lobby.close("left", 0)
        self._after(now)
        self._to_all(frames.Bye())

    # --- from the links

    def linked(self, link: bytes, now: float, session: ChannelSession | None = None) -> None:
        """An authenticated link to the process of that key stands; `session`: over which connection, for a code."""
        known = link in self.links
        self.watchers.lost(link)
        self.links[link] = Link(now, now)
        self._catch_up.heard_anew()
        self.lobby.door.linked(link, session)
        if isinstance(self.lobby, HostLobby):
            self.lobby.back(link)
        if isinstance(self.lobby, GuestLobby) and link == self.lobby.host:
            self.lobby.host_back()
            if not self.lobby.room:
                self._send(link, frames.Look())
            elif self.session is None:
                self.lobby.door.begin(link)
        if self.session and not self.closed and not known:
            self._effects.events += [PeerBack(seat) for seat in self._seats_of(link)]
        if link in self._mates():
            self._send(link, self._ping(now))
            self._ping_at = min(self._ping_at, now + NEWS_S)
            if self.session and self.session.resuming:
                self._catch_up.fetch(link, 0, now)
        if self.session is None:
            self._after(now)

    def lost(self, link: bytes, now: float) -> None:
        """The link is gone."""
        self.links.pop(link, None)
        self._catch_up.heard_anew()
        self.watchers.lost(link)
        self.lobby.door.lost(link)
        if self.session:
            if not self.closed:
                self._effects.events += [PeerLost(seat) for seat in self._seats_of(link)]
        elif isinstance(self.lobby, HostLobby):
            self.lobby.leave(link)
        elif isinstance(self.lobby, GuestLobby) and link == self.lobby.host:
            self.lobby.host_lost(now)
        self._after(now)

    def received(self, link: bytes, raw: bytes, now: float) -> None:
        """A frame over a link. Raises PeerFault for what no honest process sends; the game is unharmed then."""
        state = self.links.get(link)
        if state is None or (self.closed and self.session is None):
            return
        if link in self.watchers:
            self.watchers.received(link, raw, now)
            return
        try:
            frame = frames.decode(raw)
        except Malformed as error:
            raise PeerFault(error.reason) from error
        state.heard_at = now
        self._mark_heard(link, now)
        self._frame(link, state, frame, now)
        self._after(now)

    def _frame(self, link: bytes, state: Link, frame: frames.Frame, now: float) -> None:
        if not isinstance(frame, self._welcome(link)):
            return
        match frame:
            case frames.Pake() | frames.Confirm():
                self.lobby.door.received(link, frame, now)
            case frames.Look():
                self._look(link, state, now)
            case frames.Watch() if link not in self._mates():
                if not self.watchers.welcome(link, frame, now):
                    self._send(link, frames.Refuse("watchers"))
                    self._effects.drops.append(link)
            case frames.Bodies():
                for body, signature in frame.bodies:
                    self._body(link, Signed(body, signature), now)
                if not frame.bodies:
                    self._catch_up.answered(link)
                    self._catch_up.resume(self._mates(), now)
            case frames.Ping():
                self._pinged(link, state, frame, now)
            case frames.Fetch():
                self._catch_up.answer(link, frame, now)
            case frames.Proof():
                if self.session:
                    self.session.receive_evidence(frame.evidence, now)
            case frames.Chat():
                self._chat(link, state, frame.text, now)
            case frames.Bye():
                self._gone(link)
            case _:
                self._lobby_frame(link, frame, now)

    def _lobby_frame(self, link: bytes, frame: frames.Frame, now: float) -> None:
        lobby = self.lobby
        if isinstance(lobby, HostLobby):
            match frame:
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
                    lobby.close(f"refused-{frame.reason}", 3)

    def _look(self, link: bytes, state: Link, now: float) -> None:
        """Of a lobby the host's card counts; a game is everyone's."""
        if (self.session or isinstance(self.lobby, HostLobby)) and now >= state.looked_at + LOOK_S:
            state.looked_at = now
            self._send(link, self.lobby.shown(self.session is not None, link))

    def _body(self, link: bytes, signed: Signed, now: float) -> None:
        """A signed body: to the toss or the game; what was new goes on to those who may lack it."""
        try:
            if lobby_fields(signed) is not None:
                author = self.lobby.take_signed(signed) if self.session is None else b""
                owner = self.lobby.owner_of(author)
            elif self.session is None:
                self._early = [*self._early, (link, signed)][-4 * MOST_SEATS:]
                return
            else:
                seat = self.session.receive(signed, now)
                owner = self.session.seated.players[seat].owner if seat is not None else b""
        except Malformed as error:
            raise PeerFault(error.reason) from error
        if owner:
            self._catch_up.relay(signed, owner, link, self._mates(), now)
        if self.session and self.session.behind:
            self.session.behind = False
            self._catch_up.fetch(link, 1, now)

    def _pinged(self, link: bytes, state: Link, ping: frames.Ping, now: float) -> None:
        state.hears, state.stage, state.watchers = frozenset(ping.heard), ping.stage, ping.watchers
        self._catch_up.heard_anew()
        direct = self._mates() & set(self.links) | {self.lobby.players.key.public}
        wishes = {key: Wish(wish) for key, wish in ping.pauses}
        self._pausing.said(link, direct, wishes, [key for key in ping.heard if key in self._mates()])
        for key in ping.heard:
            self._mark_heard(key, now)
        stage, *own, state_here, held = self._place()
        theirs = [ping.epoch, ping.halt, ping.position]
        if ping.stage < 2 and stage >= 1 and [ping.stage, *theirs] <= [stage, *own]:  # as many may be others
            self._catch_up.show_toss(link, self.lobby.toss.known() if self.lobby.toss else self._head)
        elif stage == 2 and ping.stage >= 2:
            self._catch_up.compare(link, ping, state_here, held, now)

    def _chat(self, link: bytes, state: Link, text: str, now: float) -> None:
        state.chats = [at for at in state.chats if at > now - 60]
        if len(state.chats) < CHAT_PER_MINUTE:
            state.chats.append(now)
            self._said(link, text[:CHAT_CHARACTERS])

    def _said(self, key: bytes, text: str) -> None:
        if self.session:
            order = [player.key for player in self.session.seated.players]
        else:
            order = [join.key for join in self.lobby.joins]
        if key in order:
            self._effects.events.append(ChatSaid(order.index(key), text))

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
        times = [self._ping_at]
        lobby, session = self.lobby, self.session
        due = [lobby.door.deadline(self._admits), self.watchers.deadline]
        due += [lobby.deadline, self._pairs_due] if session is None else [session.deadline]
        due.append(self._catch_up.deadline)
        return min(times + [time for time in due if time is not None])

    def tick(self, now: float) -> None:
        """Let time pass."""
        self.watchers.tick(now)
        if now >= self._ping_at:
            self._ping_at = now + PING_S
            self._to_all(self._ping(now))
            mates = self._mates()
            self._effects.drops += [link for link, state in self.links.items()
                                    if link not in mates and link not in self.watchers
                                    and now >= state.since + STRANGER_S]
            self._catch_up.ask_again(mates, now)
        if self.session:
            self._catch_up.resume(self._mates(), now)
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
        if self.watchers.busy:
            return False
        if self.closed.reason != "won":
            return True
        mates = self._mates()
        return all(state.stage == 3 for link, state in self.links.items() if link in mates)

    def take(self) -> Effects:
        """What has come up since the last call."""
        effects, self._effects = self._effects, Effects()
        if self._kept_toss is not self.lobby.toss:
            self._kept_toss = self.lobby.toss
            if self._kept_toss:
                nonces = {own: nonce for own, (_, nonce) in self.lobby.players.secrets.items()}
                code = self.lobby.door.code if self._back is None else self._back
                effects.keep = pack_toss(self._kept_toss.roster.signed, nonces, self.lobby.players.bots,
                                         self._elsewhere, code)
        if self.session and self._to_keep:
            self._to_keep = False
            snapshot = self.session.snapshot()
            # A bid of somebody else changes nothing in it; what is kept and no longer in it does no harm.
            if not snapshot.items() <= self._snapshot.items():
                self._snapshot = snapshot
                effects.keep = pack_kept(snapshot, self.lobby.players.bots, self._others, effects.records,
                                         self._recorded, self.lobby.door.code)
                effects.keeps_records = True
        self._recorded += len(effects.records)
        self._show(effects)
        return effects

    def _show(self, effects: Effects) -> None:
        """Let those who watch see what has happened, and the user how many they are."""
        watchers, mates = self.watchers, self._mates()
        watchers.follow(effects.records, effects.events)
        effects.sends += [(link, frames.encode(frame)) for link, frame in watchers.serve(self.lobby.roll)]
        effects.drops += watchers.drops
        watchers.drops = []
        count = len(watchers) + sum(state.watchers for link, state in self.links.items() if link in mates)
        if count != self._watched and not self.closed:
            self._watched = count
            effects.events.append(Watched(count))

    # --- inside

    def _after(self, now: float) -> None:
        """Collect what the lobby and the game have to send and tell; begin the game when the toss is complete."""
        lobby, effects = self.lobby, self._effects
        self._at_the_door(now)
        for link, frame in lobby.out:
            self._to_all(frame) if link is None else self._send(link, frame)
        lobby.out = []
        effects.dials += lobby.dial
        lobby.dial = []
        if self.session is None:  # the lobby has nothing more to say once the game has begun
            self._tell(lobby.events, now)
        lobby.events = []
        if self.session is None and lobby.toss and lobby.toss.seated:
            self._begin(now)
        if self.session:
            self._agree_on_pause(self.session, now)
            self._catch_up.behind(now)
            self._drain(self.session, now)

    def _at_the_door(self, now: float) -> None:
        """Let the exchanges of the room code go on, and greet whoever has proved it. In a game a new code is told to
        nobody: then nobody new watches through this process."""
        lobby, door = self.lobby, self.lobby.door
        door.step(now, self._admits)
        if door.changed and isinstance(lobby, HostLobby) and self.session is None:
            lobby.recode()
        door.changed = False
        for link in door.opened:
            self.links[link].looked_at = float("-inf")  # there is more to be seen now
            if isinstance(lobby, GuestLobby) and link == lobby.host and not lobby.room:
                door.out.append((link, frames.Look()))
            elif link in self._mates():
                door.out.append((link, self._ping(now)))
        if self.session is None:
            self._pairs_due = lobby.meet(now) if isinstance(lobby, GuestLobby) else None
        for link, frame in door.out:
            self._send(link, frame)
        self._effects.drops += door.drops
        door.opened, door.out, door.drops = [], [], []

    def _admits(self, link: bytes) -> bool:
        """Whether somebody may try the room code here: in a game, whoever wants to watch."""
        return self.session is not None or self.lobby.admits(link)

    def _begin(self, now: float) -> None:
        from p2pdice.protocol.audit import replayed
        from p2pdice.protocol.session import Session

        toss = self.lobby.toss
        assert toss is not None and toss.seated is not None, "called when the toss is complete"  # noqa: PT018
        seated = toss.seated
        self._effects.records += toss.records()
        self._others = self._elsewhere
        chairs = self._sit(seated)
        past = None
        if self._back is not None:
            self.lobby.door.code, self.watchers.admits = self._back, True
            writer, self._catch_up.resumed_at = TranscriptWriter(), now
            past = replayed(b"".join(writer.add(kind, signed) for kind, signed in toss.records()))
        self.session = self._catch_up.session = Session(seated, chairs, self._random_bytes, now, past)
        if self._back is not None:
            for link in self._mates() & set(self.links):
                self._catch_up.fetch(link, 0, now)
        early, self._early = self._early, []
        for link, signed in early:
            try:
                self._body(link, signed, now)
            except PeerFault:
                continue  # kept unread when it came; its link may be gone

    @property
    def _elsewhere(self) -> list[Others]:
        """Where the other processes of the lobby can be reached."""
        return [(member.key, member.port, member.addresses) for member in self.lobby.members
                if member.key != self.lobby.players.key.public]

    def _sit(self, seated: Seated) -> "dict[int, Chair]":
        """Local chairs by seat, and the news that the table is formed."""
        from p2pdice.protocol.chair import Chair

        players = self.lobby.players
        order = [player.key for player in seated.players]
        self._effects.events.append(formed(seated, order.index(players.key.public)))
        return {order.index(key): Chair(order.index(key), signing, self._window_s)
                for key, (signing, _) in players.secrets.items()}

    def _agree_on_pause(self, session: "Session", now: float) -> None:
        """The clocks stand still once everybody in the game wants it, until somebody does not."""
        if Wish.YES not in self._pausing.wishes.values() and not any(self._told_pause):
            return
        order = [player.key for player in session.seated.players]
        playing = [order[seat] for seat in session.ledger.owners_in(session.ledger.game)]
        now_so = self._pausing.wanted_by(playing), not session.closed and self._pausing.agreed(playing)
        if now_so != self._told_pause:
            self._told_pause = now_so
            seconds = session.pause(now_so[1], now)
            session.events.append(PauseWanted(tuple(order.index(key) for key in now_so[0]), now_so[1], seconds))

    def _owners(self, seated: Seated) -> list[Member]:
        """The processes of a game, as a lobby lists them."""
        where = {key: (port, addresses) for key, port, addresses in self._others}
        joins = seated.roster.joins
        return [Member((owner, *(join for join in joins if join.is_bot and join.owner == owner.key)), True,
                       *where.get(owner.key, (0, ()))) for owner in joins if not owner.is_bot]

    def _drain(self, session: "Session", now: float) -> None:
        self._effects.records += session.records
        self._to_keep = self._to_keep or bool(session.outbox or session.records)
        for batch in frames.batches([body.value() for body in session.outbox]):
            self._to_all(batch)
        for evidence in session.evidence_out:
            self._to_all(frames.Proof(evidence))
        events, session.events = session.events, []
        session.outbox, session.evidence_out = [], []
        session.records.clear()
        self._tell(events, now)

    def _tell(self, events: list[Event], now: float) -> None:
        self._effects.events += events
        closed = next((event for event in events if isinstance(event, Closed)), None)
        if closed and not self.closed:
            self.closed, self._closed_at = closed, now
            self._to_all(self._ping(now))

    def _place(self) -> tuple[int, int, int, int, bytes, bytes]:
        """How far this process is, as a ping says it."""
        if self.session:
            session = self.session
            return (3 if self.closed else 2), *session.position, session.ledger.state, session.held
        toss = self.lobby.toss
        return (1, 0, 0, toss.position, b"", b"") if toss else (0, 0, 0, 0, b"", b"")

    def _ping(self, now: float) -> frames.Ping:
        mates = self._mates()
        heard = tuple(key for key, state in self.links.items() if state.heard_at > now - HEARD_S and key in mates)
        pauses = tuple((key, int(wish)) for key, wish in sorted(self._pausing.wishes.items())
                       if wish and (key in heard or key == self.lobby.players.key.public))
        return frames.Ping(heard[:MOST_SEATS], *self._place(), pauses[:MOST_SEATS], len(self.watchers))

    def _mark_heard(self, key: bytes, now: float) -> None:
        if self.session:
            for seat in self._seats_of(key):
                self.session.heard(seat, now)

    def _seats_of(self, key: bytes) -> tuple[int, ...]:
        """Seats of the process whose owner has that key."""
        return self.session.seated.processes.get(key, ()) if self.session else ()

    def _send(self, link: bytes, frame: frames.Frame) -> None:
        self._effects.sends.append((link, frames.encode(frame)))

    def _to_all(self, frame: frames.Frame) -> None:
        raw = frames.encode(frame)
        self._effects.sends += [(link, raw) for link in self._mates() if link in self.links]

    def _mates(self) -> Set[bytes]:
        """Owners' keys of the processes at this table."""
        if self.session:
            return self.session.seated.processes.keys()
        mates = {member.key for member in self.lobby.members}
        if isinstance(self.lobby, GuestLobby):
            mates.add(self.lobby.host)
        return mates & self.lobby.door.proven if self.lobby.door.code else mates

    def _welcome(self, link: bytes) -> type | UnionType:
        """The frames that are read from whoever is behind a link."""
        if link in self._mates():
            return frames.Frame
        if self.lobby.door.code and link not in self.lobby.door.proven:
            if self.session is None and isinstance(self.lobby, GuestLobby) and link == self.lobby.host:
                return frames.Card | frames.Refuse | frames.Pake | frames.Confirm
            return frames.Look | frames.Pake | frames.Confirm
        if self.session:
            return frames.Look | frames.Watch
        # A stranger may look, ask for a seat or to watch, and bring signed bodies: those speak for themselves.
        return frames.Look | frames.Watch | frames.Enter | frames.Bodies

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
