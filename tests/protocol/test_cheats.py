"""Modified clients, one a test: each is refused or convicted, from any honest peer's file, and nobody else ever is."""

from collections.abc import Callable
from typing import cast

import pytest

from p2pdice.fairness.keys import RandomBytes
from p2pdice.protocol import frames
from p2pdice.protocol.chair import Chair
from p2pdice.protocol.errors import Malformed
from p2pdice.protocol.events import FaultProved
from p2pdice.protocol.evidence import Evidence, FaultKind, convict
from p2pdice.protocol.ledger import Ledger
from p2pdice.protocol.messages import (
    Act,
    AnyMessage,
    Call,
    Commit,
    Open,
    Ready,
    Reveal,
    Seal,
    Show,
    Signed,
    SlotPayload,
    narrow,
    parse_game,
    sign_game,
)
from p2pdice.protocol.phases import Phase, call_of
from p2pdice.protocol.session import Session
from p2pdice.rules import DUDO, OBLIGE_OPEN, bid
from tests.tablekit import Node, Table


def session_of(node: Node) -> Session:
    assert node.peer.session is not None
    return node.peer.session


def chair_of(table: Table, node: Node) -> Chair:
    return session_of(node)._chairs[table.seat(node)]


def seated(players: int = 3, system: str = "perudo", options: dict[str, str] | None = None, seed: int = 1) -> Table:
    """A table whose game has begun: the first dice are dealt."""
    table = Table(players, system, options, seed=seed)
    table.settle()
    return table


def modified(table: Table, node: Node, change: Callable[[SlotPayload], SlotPayload]) -> None:
    """A client that checks nothing of its own, and signs what `change` makes of what it ought to sign."""
    session, chair = session_of(node), chair_of(table, node)
    session.ledger._judge = lambda message: None  # type: ignore[method-assign]
    honest = chair.sign
    chair.sign = lambda ledger, payload: honest(ledger, change(payload))  # type: ignore[method-assign]


def convicted(table: Table, cheat: Node, kind: str) -> None:
    """Everyone but the cheat convicts it, and only it, in the game and from the file; and they play on without it."""
    table.play()
    seat = table.seat(cheat)
    for node in table.nodes:
        if node is cheat:
            continue
        proofs = cast(list[FaultProved], node.of(FaultProved))
        assert [(proof.seat, proof.kind) for proof in proofs] == [(seat, kind)]
        assert node.closed is not None
        assert (node.closed.status, node.closed.reason) == (0, "won")
        report = node.report()
        assert report.verdict == "fault"
        assert [place for place, standing in report.standings.items() if standing != "clean"] == [seat]
        assert {(finding.seat, finding.kind) for finding in report.findings} == {(seat, kind)}


def refused(table: Table) -> None:
    """Nobody is convicted anywhere: what came proves nothing, and changed nothing."""
    for node in table.nodes:
        assert node.of(FaultProved) == []
        assert node.report().findings == []


def until(table: Table, phase: Phase, moves: int = 500) -> None:
    """Play on until the open slot of the first node is of that phase."""
    for _ in range(moves):
        if session_of(table.nodes[0]).ledger.phase is phase:
            return
        if not table.flush():
            any(table.decide(node) for node in table.nodes)
    raise AssertionError(f"no {phase} in {moves} moves")


def test_other_dice_in_the_showdown_convict() -> None:
    """A REVEAL of another share than the committed one is BAD_REVEAL."""
    table = seated()
    cheat = table.nodes[1]

    def swap(payload: SlotPayload) -> SlotPayload:
        if isinstance(payload, Reveal):
            return payload._replace(shares=tuple((cup, owner, b"x" * 32) for cup, owner, _ in payload.shares))
        return payload

    modified(table, cheat, swap)
    table.play()
    convicted(table, cheat, "BAD_REVEAL")


def test_another_public_share_convicts() -> None:
    """An OPEN with another share than the committed one is BAD_OPEN."""
    table = seated()
    cheat = table.nodes[2]

    def swap(payload: SlotPayload) -> SlotPayload:
        if isinstance(payload, Open):
            return payload._replace(shares=tuple((cup, b"y" * 32) for cup, _ in payload.shares))
        return payload

    modified(table, cheat, swap)
    table.play()
    convicted(table, cheat, "BAD_OPEN")


def test_copied_commitments_cannot_be_opened() -> None:
    """Whoever repeats another's commitments has nothing that opens them: key and seat are inside the hash."""
    table = seated()
    cheat, victim = table.nodes[1], table.nodes[2]
    copied: list[Commit] = []
    send = chair_of(table, victim).sign

    def listen(ledger: object, payload: SlotPayload) -> Signed:
        if isinstance(payload, Commit):
            copied.append(payload)
        return send(ledger, payload)  # type: ignore[arg-type]

    def repeat(payload: SlotPayload) -> SlotPayload:
        if isinstance(payload, Commit) and copied and copied[-1].round_number == payload.round_number:
            return copied[-1]
        return payload

    chair_of(table, victim).sign = listen  # type: ignore[method-assign]
    modified(table, cheat, repeat)
    chair = chair_of(table, cheat)
    automatic = chair.automatic

    def patient(ledger: Ledger, random_bytes: RandomBytes) -> SlotPayload | None:
        """It waits until it has something to repeat."""
        waits = ledger.phase is Phase.COMMIT and copied[-1:] and copied[-1].round_number != ledger.game.round_number
        return None if waits or (ledger.phase is Phase.COMMIT and not copied) else automatic(ledger, random_bytes)

    chair.automatic = patient  # type: ignore[method-assign]
    table.play()
    assert copied
    convicted(table, cheat, "BAD_OPEN")


def test_out_of_turn_convicts() -> None:
    """A bid by a seat that is not in turn is ILLEGAL."""
    table = seated()
    ledger = session_of(table.nodes[0]).ledger
    cheat = next(node for node in table.nodes if table.seat(node) != ledger.game.turn)
    act = sign_game(cheat.key, ledger.game_id, ledger.epoch, ledger.slot, ledger.state, table.seat(cheat),
                    Act(call_of(bid(1, 2)), 0))
    table.nodes[0].peer.take()
    for node in table.nodes:
        if node is not cheat:
            table.hand(cheat, node, frames.encode(frames.Bodies((act.value(),))))
    table.settle()
    convicted(table, cheat, "ILLEGAL")


@pytest.mark.parametrize("call", [("bid", 999, 3, ""), ("bid", 0, 3, ""), ("bid", 2, 9, ""), ("dudo",), ("paso",),
                                  ("calzo",), ("bid", 2, 1, ""), ("bid", 2, 3, "left")])
def test_an_illegal_move_convicts(call: Call) -> None:
    """What the rules refuse to our own players they refuse to a peer's signature: ILLEGAL."""
    table = seated()
    ledger = session_of(table.nodes[0]).ledger
    cheat = table.at(ledger.game.turn)
    modified(table, cheat, lambda payload: payload)
    signed = sign_game(cheat.key, ledger.game_id, ledger.epoch, ledger.slot, ledger.state, ledger.game.turn,
                       Act(call, 0))
    for node in table.nodes:
        if node is not cheat:
            table.hand(cheat, node, frames.encode(frames.Bodies((signed.value(),))))
    table.settle()
    convicted(table, cheat, "ILLEGAL")


def test_two_bodies_for_one_slot_convict_wherever_they_meet() -> None:
    """A client that commits to one thing here and another there is EQUIV at both, though each saw one at first."""
    table = seated(4)
    cheat = table.nodes[3]
    chair = chair_of(table, cheat)
    second: dict[bytes, bytes] = {}
    honest = chair.sign

    def twice(ledger: object, payload: SlotPayload) -> Signed:
        signed = honest(ledger, payload)  # type: ignore[arg-type]
        if isinstance(payload, Commit):
            other = payload._replace(commitments=tuple((cup, b"z" * 32) for cup, _ in payload.commitments))
            second[signed.body] = honest(ledger, other).body  # type: ignore[arg-type]
            second[signed.body + b"s"] = honest(ledger, other).signature  # type: ignore[arg-type]
        return signed

    def split(sender: Node, receiver: Node, frame: bytes) -> bytes:
        parsed = frames.decode(frame)
        if sender is cheat and receiver is table.nodes[1] and isinstance(parsed, frames.Bodies):
            bodies = tuple((second.get(body, body), second.get(body + b"s", signature))
                           for body, signature in parsed.bodies)
            return frames.encode(frames.Bodies(bodies))
        return frame

    chair.sign = twice  # type: ignore[method-assign]
    table.deliver = split
    table.play()
    assert second
    convicted(table, cheat, "EQUIV")


def test_opening_before_all_have_committed_is_refused() -> None:
    """An OPEN names the state after all COMMITs, so one that comes before names a state that never is; it counts for
    nothing, and the honest OPEN after it convicts, being a second body for the slot."""
    table = seated()
    cheat, other = table.nodes[1], table.nodes[0]
    until(table, Phase.REVEAL)
    ledger = session_of(other).ledger
    early = sign_game(cheat.key, ledger.game_id, ledger.epoch, ledger.slot + 2, ledger.state, table.seat(cheat),
                      Open(tuple((seat, b"o" * 32) for seat in range(4)), ()))
    table.hand(cheat, other, frames.encode(frames.Bodies((early.value(),))))
    before = ledger.slot
    assert session_of(other).ledger.slot == before
    refused(table)
    table.play()
    convicted(table, cheat, "EQUIV")


def test_more_dice_than_one_has_are_refused() -> None:
    """A client that gives itself a die has another rules state, so nothing it signs names ours; nobody is convicted."""
    table = seated()
    cheat = table.nodes[1]
    until(table, Phase.REVEAL)
    table.settle()
    game = session_of(cheat).ledger.game
    game.dice[table.seat(cheat)] += 1
    for _ in range(200):
        table.settle()
        if not any(table.decide(node) for node in table.nodes):
            break
    table.wait(120 + 90 + 1)  # turn time, then lateness
    table.play()
    for node in table.nodes:
        if node is not cheat:
            assert node.closed is not None
            assert node.closed.reason == "won"
            assert node.report().verdict == "clean"
            assert node.report().standings[table.seat(cheat)] == "dropped"
    refused(table)


def test_messages_of_the_last_round_count_for_nothing() -> None:
    """Replayed bodies are known already: they change no peer, convict nobody, and the game goes on to its end."""
    table = seated()
    cheat = table.nodes[2]
    until(table, Phase.REVEAL)
    table.settle()
    for node in table.nodes[:2]:
        for body in session_of(cheat).since(0, 0):
            table.hand(cheat, node, frames.encode(frames.Bodies((body.value(),))))
    table.play()
    refused(table)
    assert {node.report().verdict for node in table.nodes} == {"clean"}


def test_bodies_of_another_game_are_refused() -> None:
    """Every body names its game: one of another table is foreign, whoever signed it."""
    first, second = seated(seed=5), seated(seed=6)
    body = session_of(first.nodes[0]).since(0, 0)[0]
    node = second.nodes[1]
    second.hand(second.nodes[0], node, frames.encode(frames.Bodies((body.value(),))))
    assert node.faults == ["another-game"]
    second.play()
    refused(second)


def test_a_copy_with_a_broken_signature_does_not_hide_the_true_one() -> None:
    """The signature is looked at before anything is kept, so the true body is taken in after a broken copy."""
    table = seated()
    turn = session_of(table.nodes[0]).ledger.game.turn
    mover = table.at(turn)
    other = next(node for node in table.nodes if node is not mover)
    mover.peer.act(turn, bid(1, 2), table.now)
    signed = session_of(mover).since(0, session_of(other).ledger.slot)[0]
    table.hand(mover, other, frames.encode(frames.Bodies(((signed.body, bytes(64)),))))
    assert other.faults == ["bad-signature"]
    table.play()
    refused(table)
    assert {node.report().verdict for node in table.nodes} == {"clean"}


def open_round(seed: int) -> Table:
    """A dudo table that is in an open round, all boxes sent, before READY."""
    table = Table(3, "dudo", {"starting_dice": "2"}, seed=seed)
    table.settle()
    return table


def _complain(table: Table, viewer: Node) -> Callable[[SlotPayload], SlotPayload]:
    def change(payload: SlotPayload) -> SlotPayload:
        if not isinstance(payload, Ready):
            return payload
        seat, ledger = table.seat(viewer), session_of(viewer).ledger
        assert ledger.deal is not None
        sender, cup = next((sender, cup) for sender in ledger.deal.policy.active
                           for cup, to in ledger.deal.policy.boxes(sender) if to == seat)
        return payload._replace(complaint=(sender, cup, chair_of(table, viewer)._round_secret))
    return change


def play_open(table: Table) -> bool:
    """Play with openers that always oblige open; whether such a round was dealt."""
    for _ in range(3000):
        table.settle()
        if all(node.closed for node in table.nodes):
            break
        for node in table.nodes:
            session = session_of(node)
            if session.ledger.phase is Phase.MODE and table.seat(node) in session.ledger.missing:
                node.peer.act(table.seat(node), OBLIGE_OPEN, table.now)
                break
        else:
            if not any(table.decide(node) for node in table.nodes):
                table.wait(0.5)
    return any(isinstance(message.payload, Ready) for node in table.nodes
               for said in session_of(node).ledger.slots for message in said.values())


def test_a_wrong_box_convicts_its_sender() -> None:
    """A sealed share that is not the committed one is complained about with the one-round key: BAD_BOX."""
    table = open_round(3)
    cheat = table.nodes[1]

    def spoil(payload: SlotPayload) -> SlotPayload:
        if isinstance(payload, Open) and payload.boxes:
            return payload._replace(boxes=tuple((cup, viewer, bytes(80)) for cup, viewer, _ in payload.boxes))
        return payload

    modified(table, cheat, spoil)
    assert play_open(table)
    convicted(table, cheat, "BAD_BOX")


def test_a_false_complaint_convicts_its_author() -> None:
    """Whoever complains about a good box shows the key, and with it that the box was good: FALSE_COMPLAINT."""
    table = open_round(3)
    cheat = table.nodes[1]
    modified(table, cheat, _complain(table, cheat))
    assert play_open(table)
    convicted(table, cheat, "FALSE_COMPLAINT")


def test_a_foreign_key_in_a_complaint_convicts_its_author() -> None:
    """A complaint with another key than the one in COMMIT says nothing about the box: FALSE_COMPLAINT."""
    table = open_round(3)
    cheat = table.nodes[1]
    complain = _complain(table, cheat)

    def foreign(payload: SlotPayload) -> SlotPayload:
        changed = complain(payload)
        if isinstance(changed, Ready) and changed.complaint:
            return changed._replace(complaint=(*changed.complaint[:2], b"k" * 32))
        return changed

    modified(table, cheat, foreign)
    assert play_open(table)
    convicted(table, cheat, "FALSE_COMPLAINT")


def test_a_changed_mind_after_a_seal_convicts() -> None:
    """A SHOW of something else than was sealed is BAD_SEAL, by the mover and by a caller alike."""
    for by_mover in (True, False):
        table = seated(3, "clasico", seed=7)
        cheat = table.nodes[1]

        def change(payload: SlotPayload, by_mover: bool = by_mover) -> SlotPayload:
            if isinstance(payload, Show) and isinstance(payload.sealed, str) != by_mover:
                other: object = (("dudo",), 0) if by_mover else "claim"
                if payload.sealed == other:
                    other = (("calzo",), 0) if by_mover else "waive"
                return payload._replace(sealed=cast("str", other))
            return payload

        modified(table, cheat, change)
        table.play()
        convicted(table, cheat, "BAD_SEAL")


def test_a_seal_of_a_doubt_does_not_show_before_the_answers() -> None:
    """Between SEAL and the last ANSWER no peer has received the mover's act, nor another caller's answer."""
    table = seated(4, "clasico", seed=2)
    until(table, Phase.ANSWER)
    ledger = session_of(table.nodes[0]).ledger
    seal = next(iter(ledger.slots[-2].values()))
    assert isinstance(seal.payload, Seal)
    mover = table.at(seal.seat)
    hidden = chair_of(table, mover)._sealed
    assert hidden is not None
    for node in table.nodes:
        if node is not mover:
            assert all(hidden[1] not in frame for _, frame in node.inbox)


def test_evidence_that_proves_nothing_is_refused() -> None:
    """An honest message, or two of different slots, convict nobody, whatever kind they are put under."""
    table = seated(3, "dudo", {"starting_dice": "2"}, seed=4)
    table.play()
    ledger = session_of(table.nodes[0]).ledger
    messages: list[AnyMessage] = [message for said in ledger.slots for message in said.values()]
    tried = 0
    for kind in FaultKind:
        for first in messages[:40]:
            for second in messages[:40]:
                tried += 1
                evidence = Evidence(kind, (first.signed, second.signed), (ledger.preimage,))
                with pytest.raises(Malformed):
                    convict(evidence, ledger.game_id, ledger.verifiers)
    assert tried == len(FaultKind) * 40 * 40


def test_parsing_gives_back_what_was_signed() -> None:
    """Every message of a game parses, and its signature holds for its author only."""
    table = seated(3, seed=9)
    table.play()
    ledger = session_of(table.nodes[0]).ledger
    count = 0
    for said in ledger.slots:
        for seat, message in said.items():
            count += 1
            again = parse_game(message.signed)
            assert again == message
            assert narrow(again, type(again.payload)).payload == message.payload
            assert message.signed.holds(ledger.verifiers[seat])
            assert not message.signed.holds(ledger.verifiers[(seat + 1) % 3])
    assert count > 50
    assert DUDO in [action for node in table.nodes for event in node.events
                    if (action := getattr(event, "action", None))]
