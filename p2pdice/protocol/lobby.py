"""Before the game: who sits at the table, who has accepted its terms, and the roster that freezes both (protocol.md
section 4). The host only collects: nothing counts that everyone has not signed. Must not know links' sockets or the
game."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from p2pdice.protocol import frames
from p2pdice.protocol.errors import LocalFault, Malformed, PeerFault
from p2pdice.protocol.events import Closed, Event, LobbyChanged
from p2pdice.protocol.members import Member, Players, members_of, parse_member
from p2pdice.protocol.messages import MOST_SEATS, ROOM_BYTES, Proposal, Signed, lobby_fields
from p2pdice.protocol.roomcode import Door
from p2pdice.protocol.roster import Join, Roster, Terms, parse_roster, parse_terms, sign_roster
from p2pdice.protocol.toss import Toss
from p2pdice.rules import LIMITS, Ruleset, RulesetError, check_players

BACK_S = 60.0  # how long whoever crashed in a toss looks for those who may have begun the game
TOSS_S = 15.0  # a player whose part of the toss is not in by then is left out
MOST_TOSSES = 3  # refusing to open is a free second throw of the seats, so it must not go on for ever

Out = tuple[bytes | None, frames.Frame]  # None: to every link


class Lobby:
    """What host and guest have in common. Drain `out`, `dial`, `gone` and `events` after each call."""

    hosting: bool

    def __init__(self, players: Players, *, automatic: bool, needed: int, title: str, code: str,
                 only: frozenset[bytes]) -> None:
        """`automatic`: a program accepts the terms by itself, no person has to; `code` "": none is needed; `only`: the
        keys of those who may sit down, empty for anybody."""
        self.players = players
        self._only = only
        self.door = Door(code, players.random_bytes)
        self.terms: Terms | None = None
        self.room = b""
        self.title = title
        self.needed = needed
        self.ready = automatic
        self.members: list[Member] = []
        self.toss: Toss | None = None
        self.attempt = 0
        self.port = 0
        self.addresses: tuple[str, ...] = ()
        self.out: list[Out] = []
        self.dial: list[tuple[bytes, int, tuple[str, ...]]] = []
        self.gone: list[bytes] = []  # who need not be dialled any more
        self.events: list[Event] = []
        self.closed = False
        self._automatic = automatic

    @property
    def joins(self) -> list[Join]:
        """Everyone at the table, in order of arrival, bots after their owners."""
        return [join for member in self.members for join in member.joins]

    @property
    def most(self) -> int:
        """Seats at this table."""
        assert self.terms is not None, "known once the card has come"
        return self.needed or LIMITS[self.terms.rules.system].players[1]

    def shown(self, playing: bool, link: bytes = b"") -> frames.Card:
        """What whoever is behind a link sees: a stranger no more than that there is a table, if it has a code."""
        assert self.terms is not None, "a host has terms, and so has a game"
        rules = self.terms.rules
        full = self.toss or len(self.joins) >= self.most or not self.may_sit(link)
        state = "playing" if playing else "full" if full else "open"
        if self.door.code and link not in self.door.proven:
            return frames.Card(self.room, self.title, state, 0, (), "", (), 0, 0, 1)
        return frames.Card(self.room, self.title, state, self.needed, tuple(join.nick for join in self.joins),
                           rules.system, tuple(rules.options().items()), self.terms.turn_time_s,
                           self.terms.drop_time_s, int(bool(self.door.code)))

    def may_sit(self, owner: bytes) -> bool:
        """Whether a seat of this table may be that player's, or of a bot of theirs."""
        return not self._only or owner in self._only

    def roll(self) -> frames.Lobby:
        """Who is there, as the host tells it."""
        own = self.players.key.public
        here = [replace(member, port=self.port, addresses=self.addresses) if member.key == own else member
                for member in self.members]
        return frames.Lobby(self.attempt, self.needed, self.door.code, tuple(member.value() for member in here))

    def owner_of(self, key: bytes) -> bytes:
        """The key of the player to whom a key belongs."""
        return next((member.key for member in self.members for join in member.joins if join.key == key), key)

    def add_bot(self, nick: str) -> bytes:
        """Bring a bot of this process, as a guest also before the table's card has come. Raises LocalFault."""
        if self.toss or (self.terms is not None and len(self.joins) >= self.most):
            raise LocalFault("table-full")
        key = self.players.add_bot(nick)
        self._rejoin()
        return key

    def rename(self, nick: str) -> None:
        """Another name for this process's player."""
        if self.toss:
            raise LocalFault("too-late")
        self.players.nick = nick
        self._rejoin()

    def take_signed(self, signed: Signed) -> bytes:
        """A body of the toss; the key that said something new, or b"". Raises Malformed."""
        if self.toss is None or signed == self.toss.roster.signed:
            return b""
        key, answers = self.toss.receive(signed)
        self._broadcast(answers)
        return key

    def admits(self, link: bytes) -> bool:
        """Whether somebody may try the room code here."""
        raise NotImplementedError

    def close(self, reason: str, status: int, **fields: object) -> None:
        """No game comes of this."""
        if not self.closed:
            self.closed = True
            self.events.append(Closed((), status, reason, fields))

    def changed(self) -> None:
        """Tell the screen who is there."""
        if self.terms is None:
            return
        joins = self.joins
        place = {join.key: number for number, join in enumerate(joins)}
        ready = tuple(member.ready for member in self.members for _ in member.joins)
        self.events.append(LobbyChanged(
            self.title, tuple(join.nick for join in joins),
            tuple(place.get(join.owner) if join.is_bot else None for join in joins), ready, self.needed or None,
            self.door.code or None, place.get(self.players.key.public, 0), self.hosting, self.terms.rules,
            self.terms.turn_time_s, self.terms.drop_time_s))

    @property
    def deadline(self) -> float | None:
        """When `tick` has something to do."""
        raise NotImplementedError

    def tick(self, now: float) -> None:
        """Let time pass."""
        raise NotImplementedError

    def _rejoin(self) -> None:
        raise NotImplementedError

    def _broadcast(self, bodies: Sequence[Signed]) -> None:
        self.out += [(None, batch) for batch in frames.batches([signed.value() for signed in bodies])]


class HostLobby(Lobby):
    """The lobby of whoever opened the table."""

    hosting = True

    def __init__(self, players: Players, terms: Terms, *, title: str, needed: int, automatic: bool,
                 code: str = "", only: frozenset[bytes] = frozenset()) -> None:
        super().__init__(players, automatic=automatic, needed=needed, title=title, code=code, only=only)
        self.terms = terms
        self.room = players.random_bytes(ROOM_BYTES)
        self.ready = True  # the host chose the terms
        self._start = False
        self._gone: set[bytes] = set()  # guests without a link since the toss began
        self._failed: Mapping[bytes, bytes] = {}  # key -> JOIN of the last roster, which must not come again
        self._due = 0.0
        self._rejoin()

    def listening(self, port: int, addresses: tuple[str, ...]) -> None:
        """Where the others reach this process."""
        self.port, self.addresses = port, addresses
        self._rejoin()

    def enter(self, link: bytes, frame: frames.Enter, now: float) -> None:
        """Somebody asks for seats, or comes with fresh JOINs. Raises PeerFault."""
        try:
            member = parse_member(self.room, frame.joins, 0, frame.port, frame.addresses)
        except Malformed as error:
            raise PeerFault(error.reason) from error
        if member.key != link:
            raise PeerFault("not-the-owner")
        others = [other for other in self.members if other.key != link]
        taken = {join.key for other in others for join in other.joins}
        if taken & {join.key for join in member.joins}:
            raise PeerFault("seat-taken")
        if self.toss or len(taken) + len(member.joins) > self.most or not self.may_sit(link):
            self.out.append((link, frames.Refuse("full")))
            return
        known = [other.key for other in self.members]
        if link in known:
            self.members[known.index(link)] = member
        else:
            self.members.append(member)
        self._tell()
        self.propose(now)

    def set_ready(self, link: bytes, ready: bool, now: float) -> None:
        """A guest accepts the terms, or takes it back."""
        self.members = [Member(member.joins, ready, member.port, member.addresses) if member.key == link else member
                        for member in self.members]
        self._tell()
        self.propose(now)

    def back(self, link: bytes) -> None:
        """A guest that was gone is there again."""
        self._gone.discard(link)

    def leave(self, link: bytes) -> None:
        """A guest is gone; in the middle of a toss it may come back until that is given up."""
        if not any(member.key == link for member in self.members):
            return
        if self.toss:
            self._gone.add(link)
        else:
            self.members = [member for member in self.members if member.key != link]
            self._tell()

    def kick(self, place: int) -> None:
        """Send away whoever sits at a place, with their bots; of this process, only a bot. Raises LocalFault."""
        joins = self.joins
        if self.toss or not 0 <= place < len(joins) or joins[place].key == self.players.key.public:
            raise LocalFault("no-such-player")
        join = joins[place]
        if join.owner == self.players.key.public:
            self.players.bots = [bot for bot in self.players.bots if bot[0].public != join.key]
            self._rejoin()
        else:
            self.out.append((join.owner, frames.Refuse("kicked")))
            self.leave(join.owner)

    def start(self, now: float) -> None:
        """The host wants to begin with those who are there. Raises LocalFault with what is in the way."""
        assert self.terms is not None, "a host has terms"
        try:
            check_players(self.terms.rules, len(self.joins))
        except RulesetError as error:
            raise LocalFault(error.reason, **error.fields) from error
        waiting = [member.joins[0].nick for member in self.members if not member.ready]
        self._start = True
        self.propose(now)
        if waiting:
            raise LocalFault("not-all-ready", names=tuple(waiting))

    def propose(self, now: float) -> None:
        """Freeze the roster once enough players are there, all ready, all with JOINs that no toss has used."""
        joins = self.joins
        enough = len(joins) == self.needed or (self._start and len(joins) >= 2)
        fresh = all(self._failed.get(join.key) != join.signed.body for join in joins)
        if self.toss or not enough or not fresh or not all(member.ready for member in self.members):
            return
        assert self.terms is not None, "a host has terms"
        signed = sign_roster(self.players.key, self.room, self.terms, joins)
        try:
            roster = parse_roster(signed)
        except Malformed as error:
            raise LocalFault(error.reason) from error
        self.toss = Toss(roster, self.players.secrets)
        self._due = now + TOSS_S
        self._broadcast([signed, *self.toss.accept()])

    @property
    def deadline(self) -> float | None:
        """When the toss is given up."""
        return self._due if self.toss and not self.toss.seated else None

    def tick(self, now: float) -> None:
        """Give up a toss that somebody does not take part in; the silent are left out by name."""
        if self.toss is None or self.toss.seated or now < self._due:
            return
        silent = {self.owner_of(key) for key in self.toss.missing} | self._gone
        self._gone = set()
        names = tuple(member.joins[0].nick for member in self.members if member.key in silent)
        self._failed = {join.key: join.signed.body for join in self.toss.roster.joins}
        self.toss = None
        self.attempt += 1
        if self.attempt >= MOST_TOSSES:
            self.close("toss-failed", 3, names=names)
            self.out.append((None, frames.Refuse("toss-failed")))
            return
        for link in silent:
            self.out.append((link, frames.Refuse("silent")))
        self.members = [Member(member.joins, self._automatic and member.key == self.players.key.public, member.port,
                               member.addresses) for member in self.members if member.key not in silent]
        self._rejoin()

    def _rejoin(self) -> None:
        self.players.join(self.room)
        me = Member(tuple(self.players.joins), self.ready, self.port, self.addresses)
        self.members = [me, *(member for member in self.members if member.key != me.key)]
        self._tell()

    def admits(self, link: bytes) -> bool:
        """Anybody may try the code at the host's door, a limited number of times."""
        return True

    def recode(self) -> None:
        """There is a new code: those who knew the old one are told."""
        self._tell()

    def _tell(self) -> None:
        self.out.append((None, self.roll()))
        self.changed()


class GuestLobby(Lobby):
    """The lobby of whoever joins a table at `host` (the host's key)."""

    hosting = False

    def __init__(self, players: Players, host: bytes, *, wanted: Ruleset | None, automatic: bool,
                 code: str = "", only: frozenset[bytes] = frozenset()) -> None:
        """`wanted`: the rules that the user asked for, if any; another table's are refused."""
        super().__init__(players, automatic=automatic, needed=0, title="", code=code, only=only)
        self.host = host
        self._agreed = False  # the host has been told that this side is ready
        self._wanted = wanted
        self._early: list[Signed] = []
        self._due: float | None = None  # when a host that is lost in the middle of a toss is given up

    def host_lost(self, now: float) -> None:
        """The link to the host is the lobby; only a toss that is all but done is worth waiting for it."""
        if self.toss and self.toss.accepted:
            self._due = now + TOSS_S
        else:
            self.close("host-lost", 3)

    def take_up(self, roster: Roster, where: Mapping[bytes, tuple[int, tuple[str, ...]]], now: float) -> None:
        """After a crash: the toss of this roster, which was accepted; what was signed is signed again, byte by byte.

        `where`: port and addresses of the others. Others tell what they have said meanwhile.
        """
        self.room, self.terms = roster.room, roster.terms
        self.members = members_of(roster, where)
        self.toss = Toss(roster, self.players.secrets)
        self._broadcast(self.toss.accept())
        self._agreed = True
        self._due = now + BACK_S

    def host_back(self) -> None:
        """The host is there again."""
        self._due = None

    @property
    def deadline(self) -> float | None:
        return self._due

    def tick(self, now: float) -> None:
        """Give up a host that does not come back."""
        if self._due is not None and now >= self._due and not self.closed:
            self.out.append((None, frames.Bye()))
            self.close("host-lost", 3)

    def card(self, frame: frames.Card) -> None:
        """The table's card came: prove the code, ask for seats, or say why not. Raises PeerFault."""
        if self.room:
            return
        if bool(frame.code) != bool(self.door.code):
            # A table that asks for none is not the one whose code the user was given.
            self.close("code-needed" if frame.code else "no-code", 3)
            return
        if frame.code and self.host not in self.door.proven:
            self.door.begin(self.host)
            return
        try:
            self.terms = parse_terms(frame.system, frame.options, frame.turn_time_s, frame.drop_time_s)
        except Malformed as error:
            raise PeerFault(error.reason) from error
        if frame.state != "open":
            self.close(f"table-{frame.state}", 3)
        elif self._wanted and self._wanted != self.terms.rules:
            self.close("other-rules", 3, rules=self.terms.rules)
        else:
            self.room, self.title, self.needed = frame.room, frame.title, frame.needed
            self._rejoin()

    def lobby(self, frame: frames.Lobby) -> None:
        """The host's list: dial whoever is new, show it; after a failed toss bring fresh JOINs. Raises PeerFault."""
        try:
            members = [parse_member(self.room, *member) for member in frame.members]
        except Malformed as error:
            raise PeerFault(error.reason) from error
        if sum(len(member.joins) for member in members) > MOST_SEATS:  # what this process shows has to fit a frame
            raise PeerFault("too-many-players")
        known = {member.key for member in self.members}
        self.members = members
        if self.door.code:
            self.door.code = frame.code or self.door.code
        own = self.players.key.public
        self.dial += [(member.key, member.port, member.addresses) for member in members
                      if member.key not in known and member.key not in (own, self.host)]
        self.gone += known - {member.key for member in members} - {own, self.host}
        if frame.attempt >= MOST_TOSSES:  # the host should have said so
            self.close("refused-toss-failed", 3)
        elif frame.attempt > self.attempt:
            self.attempt = frame.attempt
            self.toss = None
            self.ready = self._automatic
            self._rejoin()
        self.changed()

    def set_ready(self) -> None:
        """The user accepts the terms that were shown."""
        self.ready = True

    def admits(self, link: bytes) -> bool:
        """Whether somebody may try the code here: only those of whom the host has told. Strangers try it there."""
        return any(member.key == link for member in self.members)

    def meet(self, now: float) -> float | None:
        """Prove the code to all other guests, and tell the host that this side is ready, once it is and that is done.

        Returns until when it is waited for, None if it is not. Somebody who cannot be reached is the host's to judge.
        """
        others = {member.key for member in self.members} - {self.host, self.players.key.public}
        for link in others if self.door.code else ():
            self.door.begin(link)
        due = self.door.awaits(others, now) if self.door.code else None
        listed = self.admits(self.players.key.public) or not self.door.code  # only then all the others are known
        if self.room and self.ready and listed and not self._agreed and due is None:
            self._agreed = True
            self.out.append((self.host, frames.ReadyNow(1)))
        return due

    def take_signed(self, signed: Signed) -> bytes:
        """A body of the toss, or the roster that begins it. Raises Malformed."""
        if self.toss is None:
            if lobby_fields(signed) is not Proposal:  # another guest was quicker than the roster
                self._early = [*self._early, signed][-2 * MOST_SEATS:]
                return b""
            roster = parse_roster(signed)
            self._check_roster(roster)
            self.toss = Toss(roster, self.players.secrets)
            self._broadcast(self.toss.accept())
            early, self._early = self._early, []
            for body in early:
                try:
                    super().take_signed(body)
                except Malformed:
                    continue  # of an earlier toss
            return self.host
        return super().take_signed(signed)

    def _check_roster(self, roster: Roster) -> None:
        """Only the host's, with exactly the own latest JOINs (an older one may have an opened nonce), the terms that
        the user saw, and people who may sit there. JOINs are known to all: any guest could make another roster with
        them, for a table of its own."""
        own = {join.signed for join in self.players.joins}
        mine = {join.signed for join in roster.joins if join.owner == self.players.key.public}
        strangers = not all(self.may_sit(join.owner) for join in roster.joins)
        hosts = roster.proposer == self.host and roster.room == self.room
        if not hosts or mine != own or roster.terms != self.terms or not self.ready or strangers:
            raise Malformed("not-my-roster")

    def _rejoin(self) -> None:
        if not self.room:
            return  # seats are asked for when the card has come
        self.players.join(self.room)
        joins = tuple(join.signed.value() for join in self.players.joins)
        self.out.append((self.host, frames.Enter(self.port, self.addresses, joins)))
        self._agreed = False
