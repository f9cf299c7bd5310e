"""More modified clients: those that say two things, keep something back, or give somebody up. The honest ones go on, in
every phase and mode; a lie that leaves signatures convicts, silence only costs the seat."""

from collections.abc import Callable

import pytest

from p2pdice.fairness.dice import stream
from p2pdice.fairness.framing import digest
from p2pdice.fairness.keys import SigningKey
from p2pdice.fairness.labels import Label
from p2pdice.protocol import frames
from p2pdice.protocol.events import Dropped, FaultProved
from p2pdice.protocol.ledger import Ledger
from p2pdice.protocol.messages import (
    Act,
    Answer,
    Call,
    Commit,
    Mode,
    Open,
    Ready,
    Seal,
    Signed,
    SlotPayload,
    sign_game,
)
from p2pdice.protocol.phases import Phase
from p2pdice.protocol.roster import draw_seats
from p2pdice.rules import OBLIGE_CLOSED, OBLIGE_OPEN, Action
from tests.protocol.test_cheats import chair_of, modified, play_open, seated, session_of
from tests.protocol.test_drops import kill, survivors_agree
from tests.tablekit import Node, Table

DOUBTS: tuple[Call, ...] = (("dudo",), ("calzo",))

pytestmark = pytest.mark.slow  # one Python is enough


def something_else(payload: SlotPayload, boxes: bool = False) -> SlotPayload:
    """What else a client may say in that phase; the shape stays right."""
    match payload:
        case Commit():
            return payload._replace(commitments=tuple((cup, b"z" * 32) for cup, _ in payload.commitments))
        case Open() if boxes:
            return payload._replace(boxes=tuple((cup, to, bytes(80)) for cup, to, _ in payload.boxes))
        case Open():
            return payload._replace(shares=tuple((cup, b"z" * 32) for cup, _ in payload.shares))
        case Act():
            return payload._replace(call=("calzo",) if payload.call == ("dudo",) else ("dudo",))
        case Seal() | Answer():
            return payload._replace(seal=b"z" * 32)
        case Mode():
            return payload._replace(choice="no" if payload.choice == "closed" else "closed")
        case _:
            raise AssertionError("no other word for this")


SYSTEMS: dict[str, tuple[type, str]] = {
    "COMMIT": (Commit, "perudo"), "OPEN": (Open, "perudo"), "boxes": (Open, "dudo"), "ACT": (Act, "perudo"),
    "SEAL": (Seal, "clasico"), "ANSWER": (Answer, "clasico"), "MODE": (Mode, "dudo"),
}


def two_faced(table: Table, cheat: Node, kind: type, change: Callable[[SlotPayload], SlotPayload],
              victims: list[Node]) -> dict[bytes, Signed]:
    """A client that tells some peers something else for one slot; what it says to them, by the body the rest get."""
    chair, second = chair_of(table, cheat), dict[bytes, Signed]()
    honest = chair.sign

    def twice(ledger: Ledger, payload: SlotPayload) -> Signed:
        signed = honest(ledger, payload)
        if isinstance(payload, kind) and not second and (other := change(payload)) != payload:
            second[signed.body] = honest(ledger, other)
        return signed

    def split(sender: Node, receiver: Node, raw: bytes) -> bytes:
        frame = frames.decode(raw)
        if sender is not cheat or receiver not in victims or not isinstance(frame, frames.Bodies):
            return raw
        bodies = tuple(second[body].value() if body in second else (body, signature)
                       for body, signature in frame.bodies)
        return frames.encode(frames.Bodies(bodies))

    chair.sign = twice  # type: ignore[method-assign]
    table.deliver = split
    return second


def guilty(table: Table, cheat: Node) -> None:
    """Everyone else convicts the cheat, and only it, by whatever of its lies came first, and plays on without it."""
    table.play()
    seat = table.seat(cheat)
    for node in table.nodes:
        if node is not cheat:
            assert {event.seat for event in node.events if isinstance(event, FaultProved)} == {seat}
            assert node.closed
            assert (node.closed.status, node.closed.reason) == (0, "won")
            assert node.report().convicted == {seat}
            assert [place for place, standing in node.report().standings.items() if standing != "clean"] == [seat]


@pytest.mark.parametrize("name", SYSTEMS)
@pytest.mark.parametrize("victims", [1, 2])
def test_whoever_says_two_things_is_convicted(name: str, victims: int) -> None:
    """One thing to some, another to the rest, in any phase: every honest file convicts it; the others finish."""
    kind, system = SYSTEMS[name]
    table = seated(4, system, {"starting_dice": "3" if system == "clasico" else "2"}, seed=4)
    cheat = table.nodes[3]
    second = two_faced(table, cheat, kind, lambda said: something_else(said, name == "boxes"), table.nodes[:victims])
    if system == "dudo":
        play_open(table)
    table.play()
    assert second, "it had something to say"
    guilty(table, cheat)


@pytest.mark.parametrize("choice", [OBLIGE_OPEN, OBLIGE_CLOSED])
@pytest.mark.parametrize("place", range(3))
def test_a_withheld_share_costs_its_holder_the_seat(choice: Action, place: int) -> None:
    """In the showdown of an open or a closed round, whoever of the table it is: the others go on."""
    table = seated(4, "dudo", {"starting_dice": "2"}, seed=4)
    for _ in range(4000):
        table.flush()
        session = session_of(table.nodes[0])
        if session.ledger.game.special and session.ledger.phase is Phase.REVEAL:
            break
        for node in table.nodes:
            one = session_of(node).ledger
            if one.phase is Phase.MODE and table.seat(node) in one.missing:
                node.peer.act(table.seat(node), choice, table.now)
        any(table.decide(node) for node in table.nodes)
    ledger = session_of(table.nodes[0]).ledger
    assert ledger.game.special
    missing = ledger.missing
    keeper = table.at(missing[place % len(missing)])
    kill(table, keeper)
    table.play()
    survivors_agree(table, [keeper], "dropped")


def test_an_accomplice_that_names_nobody_saves_nobody() -> None:
    """Of five one stalls and one refuses to vote: three are enough."""
    table = seated(5, seed=2)
    table.play(6)
    staller, accomplice = table.nodes[:2]
    kill(table, staller)
    session_of(accomplice).clocks.names = lambda now: []  # type: ignore[method-assign]
    table.play()
    survivors_agree(table, [staller], "dropped")


@pytest.mark.parametrize(("players", "bots", "reason"), [(5, 2, "won"), (3, 1, "abandoned")])
def test_a_host_that_dies_takes_its_bots_along(players: int, bots: int, reason: str) -> None:
    """All seats of its process go in one drop, and count as one player: two others go on, one alone cannot decide."""
    table = Table(players, seed=3, bots=bots)
    table.play(10)
    host, *others = table.nodes
    seats = set(host.peer.seats)
    kill(table, host)
    table.play()
    for node in others:
        assert node.closed
        assert node.closed.reason == reason
        drops = [event for event in node.events if isinstance(event, Dropped)]
        assert [set(event.seats) for event in drops] == ([seats] if reason == "won" else [])


def test_shares_of_a_void_round_are_of_no_use_in_the_next() -> None:
    """The round is dealt again in an epoch of its own: commitments made for the void one cannot be opened there."""
    table = seated(4, seed=5)
    cheat, gone = table.nodes[1:3]
    old: list[Commit] = []

    def repeat(payload: SlotPayload) -> SlotPayload:
        if isinstance(payload, Commit):
            if old and any(node.of(Dropped) for node in table.nodes):
                return payload._replace(commitments=old[-1].commitments)
            old.append(payload)
        return payload

    modified(table, cheat, repeat)
    table.play(6)
    kill(table, gone)
    table.play()
    void = [message.signed for epoch in session_of(cheat).ledger.past for said in epoch.slots
            for message in said.values()]
    assert void
    seat = table.seat(cheat)
    for node in (table.nodes[0], table.nodes[3]):
        proofs = [event for event in node.events if isinstance(event, FaultProved)]
        assert [(proof.seat, proof.kind) for proof in proofs] == [(seat, "BAD_OPEN")]
        state = session_of(node).ledger.state
        for body in void:
            table.hand(cheat, node, frames.encode(frames.Bodies((body.value(),))))
        assert session_of(node).ledger.state == state
        assert not node.faults


def test_the_second_word_on_a_box_convicts() -> None:
    """A complaint after READY is a second body for the slot, whatever it says."""
    table = seated(3, "dudo", {"starting_dice": "2"}, seed=3)
    cheat = table.nodes[1]

    def complain(payload: SlotPayload) -> SlotPayload:
        ledger = session_of(cheat).ledger
        assert ledger.deal is not None
        sender = next(seat for seat in ledger.deal.policy.active if seat != table.seat(cheat))
        assert isinstance(payload, Ready)
        return payload._replace(complaint=(sender, sender, b"k" * 32))

    second = two_faced(table, cheat, Ready, complain, [table.nodes[0]])
    assert play_open(table)
    assert second
    guilty(table, cheat)


def test_a_key_that_was_searched_for_gets_no_better_seat() -> None:
    """Seats come from everyone's nonces, opened after all keys stand: ten thousand keys buy nothing."""
    table = seated(4)
    seated_there = session_of(table.nodes[0]).seated
    roster, start = seated_there.roster, seated_there.genesis
    honest = stream(digest(Label.SEATS, b"the others' nonces, which nobody knows before they are opened"))
    counts = [0, 0, 0, 0]
    for draw in range(400):
        # What a searching client can do: of its keys the one that would get seat 0 if the others' nonces were zero.
        for key in range(25):
            nonces = [bytes([draw % 256, draw // 256, key]) + bytes(29), *(bytes(32) for _ in range(3))]
            if draw_seats(roster, start, nonces).players[0] == roster.joins[0]:
                break
        nonces[1:] = [bytes(next(honest) for _ in range(32)) for _ in range(3)]
        counts[draw_seats(roster, start, nonces).players.index(roster.joins[0])] += 1
    assert sum((count - 100) ** 2 / 100 for count in counts) < 16.3, counts  # chi-square, 3 degrees, 0.1 %


def test_nobody_is_convicted_by_a_key_of_its_own_making() -> None:
    """A stranger's signatures are no body of the game: they are refused, and prove nothing against a seat."""
    table = seated(3)
    stranger, node = SigningKey(b"s" * 32), table.nodes[0]
    ledger = session_of(node).ledger
    for call in DOUBTS:
        body = sign_game(stranger, ledger.game_id, ledger.epoch, ledger.slot, ledger.state, 1, Act(call, 0))
        table.hand(table.nodes[2], node, frames.encode(frames.Bodies((body.value(),))))
    assert node.faults == ["bad-signature"] * 2
    table.play()
    assert not any(one.of(FaultProved) for one in table.nodes)
