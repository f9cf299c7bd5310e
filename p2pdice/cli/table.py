"""What the screen remembers of a table: only what events have said, nothing worked out from the rules.

`follow` takes the events in order; everything that draws or answers reads the fields. Names are cleaned here, once.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from p2pdice.cli.clean import clean_names
from p2pdice.protocol import events
from p2pdice.rules import Action, Ended, Gone, Kind, OrderDrawn, RoundBegan, RoundSettled, Ruleset, Special


@dataclass(slots=True)
class Table:
    """One seat's picture of the lobby or the game. Seats are numbers; `you` is None until the first event."""

    title: str = ""
    names: tuple[str, ...] = ()
    bots: tuple[int | None, ...] = ()
    ready: tuple[bool, ...] = ()
    needed: int | None = None
    code: str | None = None
    you: int | None = None
    hosting: bool = False
    rules: Ruleset | None = None
    turn_time_s: int = 0
    drop_time_s: int = 0
    words: str = ""
    playing: bool = False
    over: bool = False
    order: tuple[int, ...] = ()
    round_number: int = 0
    special: Special | None = None
    direction: str = "left"
    dice: tuple[int, ...] = ()
    banked: tuple[int, ...] = ()
    penalties: tuple[int, ...] = ()
    own: tuple[int, ...] | None = None
    seen: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    bid: Action | None = None
    bidder: int | None = None
    last: Action | None = None
    turn: int | None = None
    seconds: float | None = None
    legal: tuple[Action, ...] = ()
    may_call: tuple[Action, ...] = ()
    may_oblige: int | None = None
    history: list[tuple[int, Action]] = field(default_factory=list)
    opened: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    lost: set[int] = field(default_factory=set)
    gone: set[int] = field(default_factory=set)  # dropped, or left
    missing: tuple[int, ...] = ()
    watched: int = 0  # by so many without a seat
    pausing: tuple[int, ...] = ()  # seats that ask for a pause
    paused: bool = False

    def name(self, seat: int) -> str:
        """The cleaned name of a seat, or of a place in the lobby."""
        return self.names[seat] if 0 <= seat < len(self.names) else "?"

    def owner(self, seat: int) -> int:
        """The seat of the person whose process plays a seat."""
        owner = self.bots[seat]
        return seat if owner is None else owner

    def is_out(self, seat: int) -> bool:
        """Whether a seat plays no more: dropped, left, or without dice."""
        return self.playing and (seat in self.gone or not self.dice[seat])

    @property
    def points(self) -> bool:
        """Whether nobody loses dice here and points are counted instead."""
        return self.rules is not None and self.rules.format == "points"

    @property
    def to_move(self) -> bool:
        """Whether the game waits for this seat: its turn, or its choice to oblige."""
        return self.you is not None and self.you in (self.turn, self.may_oblige)

    @property
    def position(self) -> tuple[int, int]:
        """Where the game stands: it changes with every round and everything said in it."""
        return self.round_number, len(self.history)

    @property
    def wild(self) -> bool:
        """Whether ones count as every face in this round."""
        return self.rules is not None and self.rules.wild_ones and self.special is None

    @property
    def passed(self) -> bool:
        """Whether what was said last, before a call if there was one, is a pass."""
        said = [made.kind for _seat, made in self.history if made.kind not in (Kind.DUDO, Kind.CALZO)]
        return bool(said) and said[-1] is Kind.PASO

    def turned(self, cups: Collection[int]) -> list[int]:
        """The seats of `cups` in the order in which they are turned up: round the table, whoever made the bid last."""
        bidder, seats, step = self.bidder, len(self.names), 1 if self.direction == "left" else -1
        return sorted(cups, key=lambda seat: seat if bidder is None else (step * (seat - bidder) - 1) % seats)

    def follow(self, event: events.Event) -> None:
        """Take in one event."""
        match event:
            case events.LobbyChanged() if not self.playing:  # its places are not the game's seats
                self._sit(event)
                self.title, self.ready, self.needed = event.title, event.ready, event.needed
                self.hosting, self.code = event.hosting, event.code
            case events.TableFormed():
                self._sit(event)
                self.words, self.playing = event.words, True
                seats = len(event.names)
                self.order = tuple(range(seats))
                self.dice = (event.rules.starting_dice,) * seats
                self.banked = self.penalties = (0,) * seats
            case OrderDrawn():
                self.order = tuple(event.order)
            case RoundBegan():
                self._begin(event)
            case events.MayOblige():
                self.may_oblige = event.seat
            case events.DiceDealt(seat=seat) if seat == self.you:
                self.own, self.seen = event.own, event.seen
            case events.TurnBegan():
                self.turn, self.seconds, self.may_oblige = event.seat, event.seconds, None
                self.legal = event.legal or () if event.seat == self.you else ()
            case events.MayCall(seat=seat) if seat == self.you:
                self.may_call = event.legal
            case events.ActionMade():
                self._act(event.seat, event.action)
            case events.CupsShown():
                self.opened = {**self.opened, **event.cups}
            case RoundSettled():
                self._clear()
                self.dice, self.banked, self.penalties = event.dice, event.banked, event.penalties
            case Gone():
                self._clear()
                self.dice = event.dice
                self.banked = tuple(0 if seat in event.seats else held for seat, held in enumerate(self.banked))
                self.lost.difference_update(event.seats)
                self.gone.update(event.seats)
            case events.PeerLost() if not self.is_out(event.seat):
                self.lost.add(event.seat)
            case events.PeerBack():
                self.lost.discard(event.seat)
            case events.Watched():
                self.watched = event.count
            case events.Halted():
                self.missing = event.missing
            case events.PauseWanted():
                self.pausing, self.paused = event.seats, event.paused
            case events.Resumed() | events.Dropped():
                self.missing = ()
            case Ended() | events.Closed():
                self._pause()
                self.over = True
            case _:
                pass

    def _sit(self, event: events.LobbyChanged | events.TableFormed) -> None:
        self.names, self.bots, self.rules = clean_names(event.names), event.bots, event.rules
        self.you = None if event.you == events.NOBODY else event.you
        self.turn_time_s, self.drop_time_s = event.turn_time_s, event.drop_time_s

    def _begin(self, event: RoundBegan) -> None:
        self._clear()
        self.opened = {}
        self.round_number, self.special, self.direction = event.round_number, event.special, event.direction
        self.history.clear()

    def _act(self, seat: int, action: Action) -> None:
        self._pause()
        self.last = action
        if action.kind is Kind.OBLIGE:
            return
        self.history.append((seat, action))
        if action.kind is Kind.BID:
            self.bid, self.bidder = action, seat
            self.direction = action.way or self.direction

    def _clear(self) -> None:
        """The cups are up and the bids said: nothing stands until the next round."""
        self._pause()
        self.bid = self.bidder = self.last = self.own = None
        self.seen = {}

    def _pause(self) -> None:
        """Nobody is to move until an event says so."""
        self.turn = self.seconds = self.may_oblige = None
        self.legal = self.may_call = ()
