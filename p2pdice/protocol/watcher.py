"""A process that watches a table without a seat, sans I/O: what one of the players' processes shows it is judged like a
file, told and recorded; when that process is gone, another one is asked (protocol.md section 7). Knows nothing that the
record does not hold, and says nothing but how far it has come. Must not know sockets, files or words."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from p2pdice.fairness.keys import RandomBytes
from p2pdice.protocol import frames
from p2pdice.protocol.audit import Follower
from p2pdice.protocol.chairs import Chairs
from p2pdice.protocol.effects import Effects
from p2pdice.protocol.errors import Malformed, PeerFault
from p2pdice.protocol.events import (
    NOBODY,
    ChatSaid,
    Closed,
    DiceDealt,
    Dropped,
    Event,
    FaultProved,
    Halted,
    LobbyChanged,
    PauseWanted,
    PeerBack,
    PeerLost,
    Resumed,
    Troubled,
    TurnBegan,
)
from p2pdice.protocol.ledger import Ledger
from p2pdice.protocol.members import Member, parse_member
from p2pdice.protocol.messages import Signed
from p2pdice.protocol.often import NEWS_PER_MINUTE
from p2pdice.protocol.phases import Phase
from p2pdice.protocol.roomcode import ChannelSession, Door
from p2pdice.protocol.roster import Seated, Terms, formed, parse_terms
from p2pdice.protocol.session import since_last_round
from p2pdice.rules import Gone, RoundSettled, Ruleset, View, view

MOST_FAULTS = 2  # of one process, before no more is asked of it
DIAL_S = 5.0  # for one player's process to be reached, before the next is tried
ANSWER_S = 30.0  # for it to begin to show something; the room code may take a while
GIVE_UP_S = 60.0  # how long to look for any of them
FIRST_TURN = 2  # the slot after COMMIT and OPEN

Place = tuple[int, int, int]  # epochs, halts of the last, open slot


@dataclass
class _Course:
    """A record as one process shows it, as far as it has come and holds."""

    follower: Follower = field(default_factory=Follower)
    records: list[tuple[str, Signed]] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)

    @property
    def ledger(self) -> Ledger | None:
        return self.follower.found.ledger

    @property
    def seated(self) -> Seated | None:
        return self.ledger.seated if self.ledger else None

    @property
    def over(self) -> bool:
        return self.ledger is not None and self.ledger.over

    @property
    def place(self) -> Place:
        """How far it is."""
        found = self.follower.found
        if found.ledger is None or found.dispute is None:
            return (-1, 0, 0)
        return (len(found.ledger.past), found.dispute.halting.number, found.ledger.slot)

    def add(self, kind: str, signed: Signed) -> None:
        """The next record. Raises Malformed if it cannot stand there."""
        place, phase = self.place, self.ledger.phase if self.ledger else None
        self.events += self.follower.add(kind, signed)
        self.records.append((kind, signed))
        if kind == "evidence":
            finding = self.follower.found.report.findings[-1]
            if finding.seat is not None:
                self.events.append(FaultProved(finding.seat, finding.kind, signed.body))
        ledger = self.ledger
        if ledger and self.place != place and not ledger.over:
            if phase in (Phase.OPEN, Phase.READY) and ledger.phase is not Phase.READY and ledger.deal:
                self.events.append(DiceDealt(NOBODY, None, {}))
            self.events += Chairs((), bytes).announce(ledger)  # nobody sits here, so nothing random is asked for


class Watcher:
    """`take` the effects after each call; call `tick` at `deadline`."""

    def __init__(self, first: bytes, *, wanted: Ruleset | None, code: str, random_bytes: RandomBytes,
                 now: float) -> None:
        """`first`: key of the process to which a link is being made; `wanted`, `code`: as for whoever joins."""
        self.closed: Closed | None = None
        self._link = first
        self._wanted = wanted
        self._door = Door(code, random_bytes)
        self._room = b""
        self._title = ""
        self._terms: Terms | None = None
        self._members: dict[bytes, Member] = {}
        self._waiting: list[bytes] = []  # keys of processes to be tried, in this order
        self._course = _Course()  # what has been told and recorded
        self._shown = self._course  # what the present link shows: the same, or another record from its beginning
        self._begun = False  # whether this link has shown any of it
        self._anew = False  # the next link must begin at the beginning: what it went on with did not fit
        self._faults: Counter[bytes] = Counter()  # by key of the process: what did not hold, or did not fit
        self._recorded = 0  # records given to be kept
        self._told: int | None = None  # events told; None until the present has been reached for the first time
        self._news: list[Event] = []
        self._heard_at: list[float] = []  # when news came, in the last minute
        self._effects = Effects()
        self._now = now
        self._due: float | None = now + ANSWER_S
        self._lost_at: float | None = None

    @property
    def seated(self) -> Seated | None:
        """The game, once it has begun."""
        return self._course.seated

    @property
    def code(self) -> str:
        """The room code, "" for none."""
        return self._door.code

    @property
    def view(self) -> View | None:
        """What anybody may know of the round."""
        ledger = self._course.ledger
        return view(ledger.game, NOBODY, {}) if ledger else None

    def leave(self, now: float) -> None:
        """The user has seen enough."""
        self._close("left", 0)

    # --- from the links

    def linked(self, link: bytes, now: float, session: ChannelSession | None = None) -> None:
        """An authenticated link stands."""
        if link != self._link or self.closed:
            self._effects.drops.append(link)
            return
        self._begun = False
        self._due = now + ANSWER_S
        self._door.linked(link, session)
        self._send(frames.Look())

    def lost(self, link: bytes, now: float) -> None:
        """The link is gone: on to somebody else, if a game has begun."""
        self._door.lost(link)
        if link == self._link and not self.closed:
            if self._course.over:
                self._close("won", 0)
            elif self.seated is None:
                self._close("host-lost", 3)
            elif self._lost_at is None:
                self._without(now)
                self._next(now)
            elif self._due is not None:
                self._due = min(self._due, now + DIAL_S)

    def received(self, link: bytes, raw: bytes, now: float) -> None:
        """A frame over a link. Raises PeerFault for what no honest process sends."""
        if link != self._link or self.closed:
            return
        self._now = now
        try:
            self._frame(frames.decode(raw))
        except (Malformed, PeerFault) as error:
            self._faults[link] += 1
            self._anew = self._faults[link] == 1 and self._begun
            self._refused("not-as-it-must-be")
            raise PeerFault(error.reason) from error
        finally:
            if self.seated:  # a file is named by its game
                self._effects.records += self._course.records[self._recorded:]
                self._recorded = len(self._course.records)
        door = self._door
        for opened in door.opened:
            self._send(frames.Look())  # there is more to be seen now
            assert opened == self._link, "only that one is proved to"
        for to, frame in door.out:
            self._effects.send(to, frame)
        door.opened, door.out, door.drops = [], [], []

    def _frame(self, frame: frames.Frame) -> None:
        match frame:
            case frames.Card():
                self._card(frame)
            case frames.Pake() | frames.Confirm():
                self._door.received(self._link, frame, self._now)
            case frames.Refuse():
                self._refused(frame.word)
            case frames.Lobby():
                self._lobby(frame)
                self._ask()
            case frames.Seen():
                self._seen(frame)

    def _card(self, card: frames.Card) -> None:
        if self._room and card.room != self._room:
            raise Malformed("another-room")
        if bool(card.code) != bool(self._door.code):
            self._close("code-needed" if card.code else "no-code", 3)
        elif card.code and self._link not in self._door.proven:
            self._door.begin(self._link)
        else:
            self._terms = parse_terms(card.system, card.options, card.turn_time_s, card.drop_time_s)
            if self._wanted and self._wanted != self._terms.rules:
                self._close("other-rules", 3, rules=self._terms.rules)
            else:
                self._room, self._title = card.room, self._title or card.title
                self._ask()

    def _lobby(self, lobby: frames.Lobby) -> None:
        members = [parse_member(self._room, *member) for member in lobby.members]
        self._due = self._lost_at = None
        self._members = {member.key: member for member in members}
        if self._told is not None or self._terms is None:
            return
        joins = [join for member in members for join in member.joins]
        place = {join.key: number for number, join in enumerate(joins)}
        self._effects.events.append(LobbyChanged(
            self._title, tuple(join.nick for join in joins),
            tuple(place.get(join.owner) if join.is_bot else None for join in joins),
            tuple(member.ready for member in members for _ in member.joins), lobby.needed or None, lobby.code or None,
            NOBODY, False, self._terms.rules, self._terms.turn_time_s, self._terms.drop_time_s))

    def _seen(self, seen: frames.Seen) -> None:
        if not self._begun and seen.records:
            self._begun, self._anew = True, False
            self._shown = self._course if seen.first or not self._course.records else _Course()
        for kind, body, signature in seen.records:
            self._shown.add(kind, Signed(body, signature))
        game, own = self._shown.seated, self.seated
        if game and own and (game.game_id != own.game_id or game.roster.room != self._room):
            raise Malformed("another-game")
        if self._shown is not self._course and self._shown.place >= self._course.place:
            self._change(self._shown)
        self._heard(seen.news)
        if seen.then != "more":
            self._tell()
        if seen.then == "won" and not self._course.over:
            raise Malformed("not-over")
        self._ask()
        if seen.then == "won":
            self._close("won", 0)
        elif seen.then not in ("more", "wait"):
            self._close(seen.then, 1)

    def _change(self, course: _Course) -> None:
        """Another process's record has come as far as the one that was told: the same game, but perhaps with other
        votes in it, or more of a round that is void."""
        self._effects.records, self._effects.anew, self._recorded = [], True, 0
        if self._told is not None:
            same = (_plain(one) == _plain(other) for one, other in
                    zip(self._course.events, course.events, strict=False))
            self._told = min(self._told, next((number for number, equal in enumerate(same) if not equal),
                                              min(len(self._course.events), len(course.events))))
        self._course = course

    def _heard(self, news: Sequence[frames.News]) -> None:
        seats = len(self.seated.players) if self.seated else sum(len(one.joins) for one in self._members.values())
        self._heard_at = [at for at in self._heard_at if at > self._now - 60]
        for word, where, text in news[:max(0, NEWS_PER_MINUTE * seats - len(self._heard_at))]:
            self._heard_at.append(self._now)
            if any(seat >= seats for seat in where) or (word == "chat" and len(where) != 1):
                raise Malformed("no-such-seat")
            match word:
                case "chat":
                    self._news.append(ChatSaid(where[0], text))
                case "lost":
                    self._news += [PeerLost(seat) for seat in where]
                case "back":
                    self._news += [PeerBack(seat) for seat in where]
                case "halt":
                    self._news.append(Halted(where))
                case "resume":
                    self._news.append(Resumed())
                case _:
                    self._news.append(PauseWanted(where, word == "pause", None))

    def _tell(self) -> None:
        """Say what is new; to somebody who has just come, no more of the past than the open round needs."""
        course = self._course
        if course.seated:
            new = course.events[self._told or 0:]
            if self._told is None:
                self._effects.events.append(formed(course.seated, NOBODY))
                if any(isinstance(event, RoundSettled | Gone) for event in new):
                    new = since_last_round(new)
                if course.place > (0, 0, FIRST_TURN):  # whoever was here before has seen the clocks begin
                    new = [replace(event, seconds=None) if isinstance(event, TurnBegan) else event for event in new]
            self._told = len(course.events)
            self._effects.events += new
        self._effects.events += self._news
        self._news = []

    def _ask(self) -> None:
        course = _Course() if self._anew and not self._begun else self._shown
        self._send(frames.Watch(course.records[-1][1].hash if course.records else b""))

    # --- to somebody else

    def _refused(self, reason: str) -> None:
        """This link is of no use: the same process from the beginning, or another one."""
        if self.seated is None:
            self._close(f"refused-{reason}", 3)
            return
        if self._anew:
            self._waiting.insert(0, self._link)
        self._without(self._now)
        self._next(self._now)

    def _without(self, now: float) -> None:
        """Nobody shows the game just now."""
        if self._lost_at is None:
            self._lost_at = now
            self._effects.events.append(Troubled("watched-lost", {}))

    def _next(self, now: float) -> None:
        seated = self.seated
        assert seated is not None, "only a game is looked for elsewhere"
        self._shown, self._begun = self._course, False
        if not self._waiting:
            players = {player.key for player in seated.players}
            others = [key for key in self._members if key in players and self._faults[key] < MOST_FAULTS]
            at = others.index(self._link) + 1 if self._link in others else 0
            self._waiting = others[at:] + others[:at]
        if not self._waiting:
            self._close("watch-lost", 1)
            return
        if self._link not in self._effects.drops:
            self._effects.drops.append(self._link)
        self._link = self._waiting.pop(0)
        member = self._members[self._link]
        self._due = now + DIAL_S
        self._effects.dials.append((member.key, member.port, member.addresses))

    # --- the clock, the end

    @property
    def deadline(self) -> float:
        """When `tick` has something to do, at the latest."""
        return self._now + GIVE_UP_S if self._due is None else self._due

    def tick(self, now: float) -> None:
        """Let time pass: whoever does not answer is given up."""
        self._now = now
        if self.closed or self._due is None or now < self._due:
            return
        if self.seated is None:
            self._close("host-lost", 3)
        elif self._lost_at is not None and now >= self._lost_at + GIVE_UP_S:
            self._close("watch-lost", 1)
        else:
            self._without(now)
            self._next(now)

    def finished(self, now: float) -> bool:
        """Whether nothing is left to do."""
        return self.closed is not None

    def take(self) -> Effects:
        """What has come up since the last call."""
        effects, self._effects = self._effects, Effects()
        return effects

    def _close(self, reason: str, status: int, **fields: object) -> None:
        if not self.closed:
            ledger = self._course.ledger
            self.closed = Closed(tuple(ledger.game.winners) if ledger else (), status, reason, fields)
            self._effects.events.append(self.closed)

    def _send(self, frame: frames.Frame) -> None:
        self._effects.send(self._link, frame)


def _plain(event: Event) -> Event:
    """An event without what honest records of it may differ in."""
    return replace(event, votes=()) if isinstance(event, Dropped) else event
