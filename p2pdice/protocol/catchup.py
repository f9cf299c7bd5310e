"""How processes of one game come to hold the same: what is relayed to whom, what is asked for when somebody is ahead,
and what a restarted process waits for (protocol.md section 7.2). Must not know the lobby or what bodies mean."""

from p2pdice.protocol import frames
from p2pdice.protocol.messages import Signed
from p2pdice.protocol.table import Table

ASK_S = 0.5  # somebody is ahead: what is missing here may still come by itself for so long
FETCH_S = 0.5  # at least this long between two requests over one link
SERVE_S = 0.2  # and between two answers
ANSWER_BYTES = 512 * 1024  # of slots in one answer: a long game of many must not fill a link
ANSWERS_S = 10.0  # how long a restarted process waits for all who are here to say what they hold


class CatchUp:
    """Of the processes at one table."""

    def __init__(self, table: Table, now: float) -> None:
        self.resumed_at = now
        self._table = table
        self._lagging: tuple[tuple[int, int, int], float] | None = None  # behind others at that place, since when
        self._deaf: dict[bytes, list[bytes]] = {}  # by owner, links to those who do not hear its process
        self._news_at = float("-inf")  # when a body came that was new here
        self._answered: set[bytes] = set()  # links that have said, after a crash, what they hold

    def relay(self, signed: Signed, owner: bytes, came_from: bytes, now: float) -> None:
        """Pass a new body on to those who do not hear the process of its author."""
        self._news_at = now
        if owner not in self._deaf:  # asked for with every body, and changed by signs of life only
            links = self._table.links
            self._deaf[owner] = [key for key in self._table.linked if key != owner and owner not in links[key].hears]
        for key in self._deaf[owner]:
            if key != came_from:
                self._table.send(key, frames.Bodies((signed.value(),)))

    def heard_anew(self) -> None:
        """A link has come or gone, or somebody says whom it hears."""
        self._deaf.clear()

    def compare(self, link: bytes, ping: frames.Ping, now: float) -> None:
        """Somebody says how far they are: show the toss to whoever is no further than that, ask whoever is ahead."""
        table = self._table
        stage, *own, state, held = table.place
        if ping.stage < 2 and stage >= 1 and [ping.stage, ping.epoch, ping.halt, ping.position] <= [stage, *own]:
            for batch in frames.batches([body.value() for body in table.toss]):  # as many may be others
                table.send(link, batch)
        elif stage == 2 and ping.stage >= 2:
            self._compare_games(link, ping, state, held, now)

    def _compare_games(self, link: bytes, ping: frames.Ping, state: bytes, held: bytes, now: float) -> None:
        """Ask whoever says that they stand elsewhere in the game, or hold something else of the same place; but for a
        halt, not while new bodies come: where many speak at once, somebody is always ahead."""
        session = self._table.session
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
        state, session = self._table.links.get(link), self._table.session
        if session and state and now >= state.fetched_at + FETCH_S:
            state.fetched_at = now
            epoch, _, slot = session.position
            self._table.send(link, frames.Fetch(epoch, max(slot - back, 0)))

    def answer(self, link: bytes, frame: frames.Fetch, now: float) -> None:
        """Somebody asks: evidence, votes and slots, as far as they are here."""
        state, session = self._table.links[link], self._table.session
        if session and now >= state.served_at + SERVE_S:
            state.served_at = now
            for evidence in session.dispute.raw_proofs.values():
                self._table.send(link, frames.Proof(evidence))
            bodies, all_of_it = session.answer(frame.epoch, frame.slot, ANSWER_BYTES)
            for batch in frames.batches([body.value() for body in bodies]):
                self._table.send(link, batch)
            if all_of_it:  # else whoever asks comes so far by it, and asks again
                self._table.send(link, frames.Bodies(()))

    def behind(self, now: float) -> None:
        """What others stand upon is asked for as soon as it is plain that it does not come by itself: a sign of life
        would tell it too, but somebody who says things to some only could make every move wait for one."""
        session = self._table.session
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

    def ask_again(self, now: float) -> None:
        """Those who have not said yet what they hold."""
        session = self._table.session
        if session and session.resuming:
            for link in self._table.linked:
                if link not in self._answered:
                    self.fetch(link, 0, now)

    def answered(self, link: bytes) -> None:
        """Somebody has said what it holds."""
        self._answered.add(link)

    def resume(self, now: float) -> None:
        """Go on once all who are here have answered, or one has and the others have had their time."""
        session = self._table.session
        if session and session.resuming and self._answered and (
                self._answered.issuperset(self._table.linked) or now >= self.resumed_at + ANSWERS_S):
            session.answered(now)
