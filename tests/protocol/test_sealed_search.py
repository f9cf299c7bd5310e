"""Every reachable state of one sealed turn (SEAL, ANSWER, SHOW) with the code's own ledger, whatever the wire does:
messages arrive in any order or not at all, and at most one seat signs whatever it likes to whomever it likes.

Equal states are merged and signatures faked; what a message leads to is the real `Ledger.add`. Held in every state: no
two honest peers come to different outcomes, since each outcome needs an honest seat's word on the state before it;
nobody honest is ever convicted; and when nothing honest is left to happen, each peer has the outcome, convicts the
liar, or waits for the liar alone.
"""

import copy
import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import pytest

from p2pdice.fairness.labels import Label
from p2pdice.protocol.codec import pack
from p2pdice.protocol.events import Event
from p2pdice.protocol.evidence import sealed_hash
from p2pdice.protocol.ledger import _JUDGES, Ledger, OtherState, Proved
from p2pdice.protocol.messages import Act, Answer, AnyMessage, Message, Seal, Show, Signed, SlotPayload, game_value
from p2pdice.protocol.phases import Phase, call_of
from p2pdice.rules import CALZO, DUDO, Action, bid
from tests.tablekit import Table

pytestmark = pytest.mark.slow  # one Python is enough

RAISE, HIGHER = bid(4, 3), bid(5, 3)
SALT = b"s" * 32


@dataclass(frozen=True)
class Local:
    """What one honest peer has taken in: an interned ledger's number, and whether it holds proof against the liar."""

    ledger: int
    proof: bool = False


@dataclass
class Search:
    """One scenario: what each honest seat wants, and which seat lies (None: nobody)."""

    start: Ledger
    wants: dict[int, Action | bool]
    liar: int | None
    ledgers: list[Ledger] = field(default_factory=list)
    numbers: dict[tuple[frozenset[bytes], ...], int] = field(default_factory=dict)
    messages: dict[bytes, AnyMessage] = field(default_factory=dict)
    steps: dict[tuple[int, bytes], tuple[int, bool]] = field(default_factory=dict)
    said: dict[tuple[int, int], bytes | None] = field(default_factory=dict)
    states: int = 0
    outcomes: set[str] = field(default_factory=set)

    def intern(self, ledger: Ledger) -> int:
        """Number of a ledger with that content: equal histories are one."""
        key = tuple(frozenset(message.signed.body for message in said.values()) for said in ledger.slots[self.first:])
        if key not in self.numbers:
            self.numbers[key] = len(self.ledgers)
            self.ledgers.append(ledger)
        return self.numbers[key]

    @property
    def first(self) -> int:
        return self.start.slot

    def message(self, ledger: Ledger, seat: int, payload: SlotPayload) -> bytes:
        """A body by a seat for the open slot of a ledger, as if it were signed; its name here is its bytes."""
        value = game_value(ledger.game_id, ledger.epoch, ledger.slot, ledger.state, seat, payload)
        body = pack(value)
        if body not in self.messages:
            self.messages[body] = Message(ledger.game_id, ledger.epoch, ledger.slot, ledger.state, seat, payload,
                                          Signed(body, b""))
        return body

    def honest(self, number: int, seat: int) -> bytes | None:
        """What an honest seat signs now, standing where ledger `number` stands; None if it owes nothing."""
        if (number, seat) not in self.said:
            ledger = self.ledgers[number]
            owes = seat in ledger.missing and ledger.slot < self.first + 3
            self.said[number, seat] = self.message(ledger, seat, self.payload(ledger, seat)) if owes else None
        return self.said[number, seat]

    def payload(self, ledger: Ledger, seat: int) -> SlotPayload:
        want = self.wants[seat]
        sealed: tuple[object, ...] | str
        if isinstance(want, Action):
            sealed, label, at = (call_of(want), 0), Label.ACT, self.first
        else:
            sealed, label, at = "claim" if want else "waive", Label.ANSWER, self.first + 1
        if ledger.phase is Phase.SHOW:
            return Show(sealed, SALT)
        made = sealed_hash(label, ledger.game_id, ledger.epoch, at, ledger.state, seat, sealed, SALT)
        return Seal(made) if ledger.phase is Phase.SEAL else Answer(made)

    def lies(self, number: int) -> list[bytes]:
        """What the liar may sign for the open slot of a ledger: right, wrong, and illegal things."""
        ledger, seat = self.ledgers[number], self.liar
        if seat is None or ledger.slot >= self.first + 3:
            return []
        made: list[SlotPayload] = [Act(call_of(RAISE), 0)]
        hidden: list[tuple[object, ...] | str] = (
            [(call_of(action), 0) for action in (RAISE, DUDO, CALZO)] if seat == ledger.game.turn
            else ["waive", "claim"])
        at, label = (self.first, Label.ACT) if seat == ledger.game.turn else (self.first + 1, Label.ANSWER)
        if ledger.phase is Phase.SHOW:
            made += [Show(sealed, SALT) for sealed in hidden]  # type: ignore[arg-type]
        elif seat in ledger.authors:
            kind = Seal if ledger.phase is Phase.SEAL else Answer
            made += [kind(sealed_hash(label, ledger.game_id, ledger.epoch, at, ledger.state, seat, sealed, SALT))
                     for sealed in hidden]
        return [self.message(ledger, seat, payload) for payload in made]

    def take(self, number: int, body: bytes) -> tuple[int, bool]:
        """The ledger after a body has come in, and whether it proves the liar's guilt. An honest conviction fails."""
        key = (number, body)
        if key not in self.steps:
            self.steps[key] = self._take(number, self.messages[body])
        return self.steps[key]

    def _take(self, number: int, message: AnyMessage) -> tuple[int, bool]:
        ledger = self.ledgers[number]
        known = ledger.spoken(message.slot, message.seat)
        if known is not None:
            differs = known.signed != message.signed
            assert not differs or message.seat == self.liar, "an honest seat signed two bodies for one slot"
            return number, differs
        if message.slot != ledger.slot:
            return number, False
        after = copy.copy(ledger)
        after.slots = [dict(said) for said in ledger.slots]
        after.game = ledger.game.copy()
        try:
            after.add(message)
        except OtherState:
            return number, False
        except Proved as proved:
            if proved.seat != self.liar:
                raise AssertionError("an honest seat was convicted") from proved
            return number, True
        return self.intern(after), False

    def outcome(self, number: int) -> str | None:
        """What the turn came to, once it is over."""
        ledger = self.ledgers[number]
        if ledger.slot < self.first + 3:
            return None
        seat, action = ledger.game.history[-1]
        return f"{seat} {action}"

    def run(self) -> None:
        """Walk through all states."""
        seats = [seat for seat in range(self.start.game.seats) if seat != self.liar]
        root = self.intern(self.start)
        begin = (tuple(Local(root) for _ in seats), frozenset[bytes]())
        seen, stack = {begin}, [begin]
        while stack:
            peers, soup = stack.pop()
            self.states += 1
            moved = False
            for honest_move, following in self.moves(seats, peers, soup):
                moved = moved or honest_move
                if following not in seen:
                    seen.add(following)
                    stack.append(following)
            self.check(peers, moved)

    def moves(self, seats: list[int], peers: tuple[Local, ...],
              soup: frozenset[bytes]) -> Iterator[tuple[bool, tuple[tuple[Local, ...], frozenset[bytes]]]]:
        """Each thing that may happen next, and whether honest peers alone can make it happen."""
        for place, seat in enumerate(seats):
            local = peers[place]
            own = self.honest(local.ledger, seat)
            if own is not None:
                number, _ = self.take(local.ledger, own)
                yield True, (self.put(peers, place, Local(number, local.proof)), soup | {own})
            for body in soup:
                number, proof = self.take(local.ledger, body)
                after = Local(number, local.proof or proof)
                if after != local:
                    yield True, (self.put(peers, place, after), soup)
            for body in self.lies(local.ledger):
                number, proof = self.take(local.ledger, body)
                after = Local(number, local.proof or proof)
                if after != local:
                    yield False, (self.put(peers, place, after), soup | {body})

    @staticmethod
    def put(peers: tuple[Local, ...], place: int, local: Local) -> tuple[Local, ...]:
        return (*peers[:place], local, *peers[place + 1:])

    def check(self, peers: tuple[Local, ...], moved: bool) -> None:
        reached = [self.outcome(local.ledger) for local in peers]
        self.outcomes.update(found for found in reached if found)
        assert len({found for found in reached if found}) < 2, "two outcomes"
        if not moved:  # all honest messages have reached everyone
            for local, found in zip(peers, reached, strict=True):
                missing = set(self.ledgers[local.ledger].missing)
                assert found or local.proof or missing == {self.liar}, "somebody waits for an honest seat"


def standing_bid(players: int) -> Ledger:
    """A table where a bid stands and others than the mover may call exact; seats 0 bids, 1 is to move."""
    table = Table(players, "clasico", seed=players)
    for node in table.nodes:
        node.bot = None
    table.settle()
    session = table.nodes[0].peer.session
    assert session is not None
    table.at(session.ledger.game.turn).peer.act(session.ledger.game.turn, bid(3, 3), table.now)
    table.settle()
    assert session.ledger.phase is Phase.SEAL
    return session.ledger


def scenarios(players: int) -> Iterator[tuple[dict[int, Action | bool], int | None]]:
    """What the mover and the callers want, in every combination, with nobody lying and with each seat lying."""
    game = standing_bid(players).game
    callers = [seat for seat in range(players) if seat not in (game.turn, game.bidder)]
    for action in (RAISE, DUDO, CALZO):
        for answers in itertools.product((False, True), repeat=len(callers)):
            wants: dict[int, Action | bool] = {game.turn: action, **dict(zip(callers, answers, strict=True))}
            for liar in (None, *range(players)):
                yield wants, liar


@pytest.mark.parametrize("players", [3, pytest.param(4, marks=pytest.mark.long)])
def test_every_state_of_a_sealed_turn(players: int) -> None:
    """One outcome, liar or not; without a liar it is the mover's act, or an exact call where somebody claimed."""
    start = standing_bid(players)
    states = runs = proofs = 0
    for wants, liar in scenarios(players):
        search = Search(start, wants, liar)
        search.run()
        runs += 1
        states += search.states
        proofs += any(proof for _, proof in search.steps.values())
        if liar is None:
            exact = True in wants.values() or CALZO in wants.values()
            (outcome,) = search.outcomes
            assert outcome.endswith("calzo") == exact
    print(f"sealed turn, {players} players: {runs} scenarios, {states} states, proof against a liar in {proofs}")
    assert runs == {3: 3 * 2 * 4, 4: 3 * 4 * 5}[players]
    assert states > 20_000
    assert proofs > runs // 3


def _loose_seal(self: Ledger, show: object) -> None:
    """Mutant: a SHOW may contradict its SEAL."""


def _loose_state(self: Ledger, message: AnyMessage) -> list[Event]:
    """Mutant: the state that a message names is not looked at."""
    return _ADD(self, message._replace(state=self.state))


_ADD = Ledger.add


@pytest.mark.parametrize("mutant", [_loose_seal, _loose_state])
def test_mutants_are_caught(monkeypatch: pytest.MonkeyPatch, mutant: Callable[..., object]) -> None:
    """The search sees what each check is for: without it two peers differ, or an honest seat is convicted."""
    start = standing_bid(3)
    if mutant is _loose_seal:
        monkeypatch.setitem(_JUDGES, Phase.SHOW, _loose_seal)
    else:
        monkeypatch.setattr(Ledger, "add", _loose_state)
    with pytest.raises(AssertionError, match=r"two outcomes|an honest seat"):
        run_all(start)


def run_all(start: Ledger) -> None:
    """Every scenario of three players."""
    for wants, liar in scenarios(3):
        Search(start, wants, liar).run()
