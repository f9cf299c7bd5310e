"""How processes of one game come to hold the same: what is relayed to whom, what is asked for when somebody is ahead,
and what a restarted process waits for (protocol.md section 7.2). Must not know the lobby or what bodies mean."""

from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from p2pdice.protocol import frames
from p2pdice.protocol.messages import Signed

if TYPE_CHECKING:
    from p2pdice.protocol.session import Session

ASK_S = 0.5  # somebody is ahead: what is missing here may still come by itself for so long
FETCH_S = 0.5  # at least this long between two requests over one link
SERVE_S = 0.2  # and between two answers
ANSWER_BYTES = 512 * 1024  # of slots in one answer: a long game of many must not fill a link
ANSWERS_S = 10.0  # how long a restarted process waits for all who are here to say what they hold


@dataclass
class Link:
    """What is known of the process behind one link."""

    heard_at: float
    since: float
    hears: frozenset[bytes] = frozenset()
    stage: int = 0
    watchers: int = 0  # who watch through that process
    fetched_at: float = float("-inf")
    served_at: float = float("-inf")
    looked_at: float = float("-inf")
    chats: list[float] = field(default_factory=list)


class CatchUp:
    """Of the processes at one table. `session` is there from the beginning of the game on."""

    def __init__(self, links: dict[bytes, Link], send: Callable[[bytes, frames.Frame], None], now: float) -> None:
        self.session: Session | None = None
        self.resumed_at = now
        self._links = links
        self._send = send
        self._lagging: tuple[tuple[int, int, int], float] | None = None  # behind others at that place, since when
        self._deaf: dict[bytes, list[bytes]] = {}  # by owner, links to those who do not hear its process
        self._news_at = float("-inf")  # when a body came that was new here
        self._answered: set[bytes] = set()  # links that have said, after a crash, what they hold

    def relay(self, signed: Signed, owner: bytes, came_from: bytes, mates: Set[bytes], now: float) -> None:
        """Pass a new body on to those who do not hear the process of its author."""
        self._news_at = now
        if owner not in self._deaf:  # asked for with every body, and changed by signs of life only
            self._deaf[owner] = [key for key, state in self._links.items()
                                 if key in mates and key != owner and owner not in state.hears]
        for key in self._deaf[owner]:
            if key != came_from:
                self._send(key, frames.Bodies((signed.value(),)))

    def heard_anew(self) -> None:
        """A link has come or gone, or somebody says whom it hears."""
        self._deaf.clear()

    def show_toss(self, link: bytes, known: Sequence[Signed]) -> None:
        """Somebody is not further than the toss, of which this is known here."""
        for batch in frames.batches([body.value() for body in known]):
            self._send(link, batch)

    def compare(self, link: bytes, ping: frames.Ping, state: bytes, held: bytes, now: float) -> None:
        """Ask whoever says that they stand elsewhere in the game, or hold something else of the same place; but for a
        halt, not while new bodies come: where many speak at once, somebody is always ahead."""
        session = self.session
        assert session is not None, "there is a game"
        if not session.halted and now < self._news_at + ASK_S:
            return
        theirs, own = (ping.epoch, ping.halt, ping.position), session.position
        if theirs > own:
            self.fetch(link, 0, now)
        elif theirs == own and ping.state != state:
            self.fetch(link, 1, now)
        elif ping.held != held and (theirs == own or (theirs[:2] == own[:2] and session.halted)):
            self.fetch(link, 0, now)  # while halted, whoever is behind may hold votes that are missing here

    def fetch(self, link: bytes, back: int, now: float) -> None:
        """Ask for everything from the open slot on, or from `back` slots before it."""
        state = self._links.get(link)
        if self.session and state and now >= state.fetched_at + FETCH_S:
            state.fetched_at = now
            epoch, _, slot = self.session.position
            self._send(link, frames.Fetch(epoch, max(slot - back, 0)))

    def answer(self, link: bytes, frame: frames.Fetch, now: float) -> None:
        """Somebody asks: evidence, votes and slots, as far as they are here."""
        state = self._links[link]
        if self.session and now >= state.served_at + SERVE_S:
            state.served_at = now
            for evidence in self.session.dispute.raw_proofs.values():
                self._send(link, frames.Proof(evidence))
            bodies, all_of_it = self.session.answer(frame.epoch, frame.slot, ANSWER_BYTES)
            for batch in frames.batches([body.value() for body in bodies]):
                self._send(link, batch)
            if all_of_it:  # else whoever asks comes so far by it, and asks again
                self._send(link, frames.Bodies(()))

    def behind(self, now: float) -> None:
        """What others stand upon is asked for as soon as it is plain that it does not come by itself: a sign of life
        would tell it too, but somebody who says things to some only could make every move wait for one."""
        session = self.session
        ahead = () if session is None or session.closed or session.halted else session.spoken_ahead
        if session is None or not ahead:
            self._lagging = None
        elif self._lagging is None or self._lagging[0] != session.position:
            self._lagging = session.position, now
        elif now >= self._lagging[1] + ASK_S:
            self._lagging = session.position, now
            for seat in ahead:
                self.fetch(session.seated.players[seat].key, 0, now)

    @property
    def deadline(self) -> float | None:
        """When `behind` may have something to do."""
        return self._lagging[1] + ASK_S if self._lagging else None

    # --- after a crash

    def ask_again(self, mates: Set[bytes], now: float) -> None:
        """Those who have not said yet what they hold."""
        if self.session and self.session.resuming:
            for link in mates & set(self._links) - self._answered:
                self.fetch(link, 0, now)

    def answered(self, link: bytes) -> None:
        """Somebody has said what it holds."""
        self._answered.add(link)

    def resume(self, mates: Set[bytes], now: float) -> None:
        """Go on once all who are here have answered, or one has and the others have had their time."""
        session = self.session
        all_have = mates & set(self._links) <= self._answered or now >= self.resumed_at + ANSWERS_S
        if session and session.resuming and self._answered and all_have:
            session.answered(now)
