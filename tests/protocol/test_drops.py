"""Players who fall silent, leave or are convicted: the others agree, and play on; the record says what happened."""

from typing import cast

import pytest

from p2pdice.protocol import catchup, frames
from p2pdice.protocol.events import Dropped, FaultProved, Halted, Resumed
from p2pdice.protocol.messages import Message, Reveal, Signed, SlotPayload, Vote, parse_game, signed_from
from p2pdice.protocol.phases import Phase
from p2pdice.protocol.session import Session
from p2pdice.rules import Ended, Gone
from tests.protocol.test_cheats import modified
from tests.tablekit import Node, Table

pytestmark = pytest.mark.slow  # one Python is enough


def session_of(node: Node) -> Session:
    assert node.peer.session is not None
    return node.peer.session


def kill(table: Table, node: Node) -> None:
    """The process is gone without a word: its links break, and nothing comes from it any more."""
    node.bot, node.gone = None, True
    for other in table.nodes:
        if other is not node:
            table.cut.add(frozenset((node.name, other.name)))
            other.peer.lost(node.link, table.now)
            node.peer.lost(other.link, table.now)


def survivors_agree(table: Table, gone: list[Node], reason: str) -> None:
    """The others finish, with clean files of one game; those who are gone are out for that reason."""
    left = [node for node in table.nodes if node not in gone]
    for node in left:
        assert node.closed is not None
        assert (node.closed.reason, node.closed.status) == ("won", 0)
        assert not node.faults
        report = node.report()
        assert (report.verdict, report.findings) == ("clean", []), (report.findings, report.stopped_at)
        standings = {seat for seat, standing in report.standings.items() if standing == reason}
        assert standings == {table.seat(one) for one in gone}
    assert len({cast(Ended, node.of(Ended)[-1]).winners for node in left}) == 1
    assert len({session_of(node).ledger.state for node in left}) == 1


@pytest.mark.parametrize("players", [3, 5, 6])
@pytest.mark.parametrize("moment", [Phase.COMMIT, Phase.OPEN, Phase.ACT, Phase.REVEAL])
def test_a_silent_player_is_dropped(players: int, moment: Phase) -> None:
    """Whatever it owed when it fell silent, the host too: the others drop it and play to the end."""
    table = Table(players, seed=players)
    gone = table.nodes[0]
    for _ in range(2000):
        session = gone.peer.session
        if session and session.ledger.game.round_number > 1 and session.ledger.phase is moment:
            break
        if not table.flush():
            any(table.decide(node) for node in table.nodes)
    kill(table, gone)
    table.play()
    survivors_agree(table, [gone], "dropped")
    dropped = cast(Dropped, table.nodes[1].of(Dropped)[0])
    assert (dropped.seats, dropped.reason) == ((table.seat(gone),), "silent")
    assert len(dropped.votes) >= players // 2


def test_two_after_another() -> None:
    """Six, then five, then four: the host first, and two more."""
    table = Table(6, seed=3)
    table.play(20)
    gone: list[Node] = []
    for _ in range(3):
        ledger = session_of(table.nodes[-1]).ledger
        gone.append(next(node for node in table.nodes if node not in gone and ledger.game.dice[table.seat(node)]))
        kill(table, gone[-1])
        for _ in range(60):  # until it is the turn of who is gone
            if len(table.nodes[-1].of(Dropped)) == len(gone):
                break
            table.wait(10)
        table.play(6)
    table.play()
    survivors_agree(table, gone, "dropped")


@pytest.mark.parametrize("players", [2, 3, 5])
def test_a_leaver_needs_no_vote(players: int) -> None:
    """A LEAVE is the author's own word: the others go on within seconds, of two the other has won."""
    table = Table(players, seed=players + 1)
    table.play(4)
    leaver = table.nodes[0]
    start = table.now
    leaver.peer.leave(table.now)
    leaver.bot = None
    table.settle()
    table.wait(12)
    assert all(node.of(Gone) for node in table.nodes[1:])
    assert table.now - start < 13
    table.play()
    survivors_agree(table, [leaver], "left")
    assert leaver.closed is not None
    assert (leaver.closed.reason, leaver.closed.status) == ("left", 0)


def test_everybody_leaves() -> None:
    """Nobody who has not left remains: abandoned."""
    table = Table(3, seed=8)
    table.play(10)
    for node in table.nodes:
        node.peer.leave(table.now)
    table.wait(40)
    assert {node.closed.reason for node in table.nodes if node.closed} == {"left"}


def test_of_two_a_silent_one_ends_the_game() -> None:
    """With two, silence proves nothing to anybody: abandoned, and whose message was due is said."""
    table = Table(2, seed=4)
    table.play(8)
    kill(table, table.nodes[0])
    table.wait(400)
    closed = table.nodes[1].closed
    assert closed is not None
    assert (closed.reason, closed.status) == ("abandoned", 1)
    assert table.nodes[1].report().verdict == "incomplete"


def test_a_convicted_player_is_out_and_the_others_go_on() -> None:
    """Evidence needs no vote on guilt, only agreement where to go on."""
    table = Table(4, seed=6)
    table.settle()
    cheat = table.nodes[2]

    def swap(payload: SlotPayload) -> SlotPayload:
        if isinstance(payload, Reveal):
            return payload._replace(shares=tuple((cup, owner, b"x" * 32) for cup, owner, _ in payload.shares))
        return payload

    modified(table, cheat, swap)
    table.play()
    for node in table.nodes:
        if node is cheat:
            continue
        assert node.closed is not None
        assert node.closed.reason == "won"
        report = node.report()
        assert report.verdict == "fault"
        assert report.standings[table.seat(cheat)] == "convicted"
        assert {(finding.seat, finding.kind) for finding in report.findings} == {(table.seat(cheat), "BAD_REVEAL")}
        assert [event.reason for event in cast(list[Dropped], node.of(Dropped))] == ["evidence"]


def test_a_halt_in_which_nobody_is_missing_costs_no_round() -> None:
    """One link was down for a while: the others halted for its author, who answers, and the game goes on."""
    table = Table(4, seed=9)
    table.play(10)
    slow = table.at(session_of(table.nodes[0]).ledger.game.turn)
    slow_bot, slow.bot = slow.bot, None
    for other in table.nodes:
        if other is not slow:
            table.cut.add(frozenset((slow.name, other.name)))
    table.wait(100)
    others = [node for node in table.nodes if node is not slow]
    assert all(node.of(Halted) for node in others)
    table.cut.clear()
    slow.bot = slow_bot
    table.play()
    if any(node.of(Dropped) for node in others):
        survivors_agree(table, [slow], "dropped")
    else:
        assert all(node.of(Resumed) for node in others)
        survivors_agree(table, [], "dropped")


def test_three_against_three_pause_and_heal() -> None:
    """Neither half can drop the other; when they meet again the game goes on, nobody out."""
    table = Table(6, seed=10)
    table.play(20)
    for one in table.nodes[:3]:
        for other in table.nodes[3:]:
            table.cut.add(frozenset((one.name, other.name)))
    table.play(40)
    table.wait(300)
    assert not any(node.of(Dropped) for node in table.nodes)
    table.cut.clear()
    table.play()
    assert not any(node.of(Dropped) for node in table.nodes)
    survivors_agree(table, [], "dropped")


@pytest.mark.parametrize("answer_bytes", [catchup.ANSWER_BYTES, 2000])
def test_four_go_on_without_two_who_follow_when_they_come_back(answer_bytes: int,
                                                               monkeypatch: pytest.MonkeyPatch) -> None:
    """A strict majority goes on; those who were cut off learn that they are out, in one piece or in many."""
    monkeypatch.setattr(catchup, "ANSWER_BYTES", answer_bytes)
    table = Table(6, seed=11)
    table.play(20)
    lost = table.nodes[4:]
    for one in table.nodes[:4]:
        for other in lost:
            table.cut.add(frozenset((one.name, other.name)))
    for _ in range(40):
        table.wait(10)
        table.play(10)
    assert all(node.of(Dropped) for node in table.nodes[:4])
    table.cut.clear()
    table.wait(10 if answer_bytes > 2000 else 200)
    table.play()
    survivors_agree(table, [node for node in lost if not _out_before(table, node)], "dropped")
    for node in lost:
        assert node.closed is not None
        assert node.closed.reason in ("dropped", "won")


def _out_before(table: Table, node: Node) -> bool:
    seat = table.seat(node)
    return seat not in {seat for event in cast(list[Dropped], table.nodes[0].of(Dropped)) for seat in event.seats}


def test_wait_and_drop_are_the_users_word() -> None:
    """`/wait` holds one's own vote back, `/drop` gives it at once."""
    table = Table(3, seed=12, turn_time_s=0)
    table.play(6)
    late = table.at(session_of(table.nodes[0]).ledger.game.turn)
    late.bot = None
    others = [node for node in table.nodes if node is not late]
    table.wait(400)
    assert not any(node.of(Halted) for node in others), "a seat that is heard has all the time it wants"
    for node in others:
        node.peer.hold(table.seat(late), False, table.now)
    table.wait(20)
    table.play()
    survivors_agree(table, [late], "dropped")


def test_votes_are_relayed_like_everything() -> None:
    """A missing link between two who must agree does not stop them."""
    table = Table(5, seed=13)
    table.play(12)
    first, second = table.nodes[1], table.nodes[2]
    table.cut.add(frozenset((first.name, second.name)))
    first.peer.lost(second.link, table.now)
    second.peer.lost(first.link, table.now)
    kill(table, table.nodes[0])
    table.play()
    survivors_agree(table, [table.nodes[0]], "dropped")


def test_a_lossy_wire_only_takes_time() -> None:
    """A fifth of all frames vanish, and one player is gone: the others agree all the same."""
    table = Table(5, seed=14)
    table.play(12)
    kill(table, table.nodes[0])
    honest = table.deliver
    table.deliver = lambda sender, receiver, frame: None if table.random.random() < 0.2 else honest(
        sender, receiver, frame)
    table.play()
    survivors_agree(table, [table.nodes[0]], "dropped")


def test_nobody_honest_is_ever_convicted_by_votes() -> None:
    """Replaying every vote of a whole game to every peer proves nothing against anyone."""
    table = Table(5, seed=15)
    table.play(12)
    kill(table, table.nodes[0])
    table.play()
    for node in table.nodes[1:]:
        for body in session_of(node).since(0, 0):
            for other in table.nodes[1:]:
                table.hand(node, other, frames.encode(frames.Bodies((body.value(),))))
    assert not any(node.of(FaultProved) for node in table.nodes)


def test_a_known_vote_is_no_sign_of_life() -> None:
    """What others pass on of somebody who is gone does not put off the moment when it is late."""
    table = Table(3, seed=17, turn_time_s=0)
    table.play(6)
    first, second = table.nodes[:2]
    second.peer.leave(table.now)
    table.settle()
    session = session_of(first)
    (leave,) = session.dispute.leaves.values()
    heard = dict(session.clocks._heard)
    session.receive(leave.signed, table.now + 60)
    assert session.clocks._heard == heard


def showdown_without(seed: int, players: int = 4, dice: int = 5) -> tuple[Table, Node]:
    """Of an open showdown the last seat lacks one message, the lowest seat's; the others have gone on."""
    table = Table(players, options={"starting_dice": str(dice)}, seed=seed)
    while not any(node.peer.session and node.peer.session.ledger.phase is Phase.REVEAL for node in table.nodes):
        if not table.flush():
            any(table.decide(node) for node in table.nodes)
    first, late = table.at(0), table.at(players - 1)
    showdown = max(session_of(node).ledger.slot for node in table.nodes)

    def hold_back(sender: Node, receiver: Node, raw: bytes) -> bytes | None:
        frame = frames.decode(raw)
        if receiver is not late or not isinstance(frame, frames.Bodies):
            return raw
        messages = [parse_game(signed_from(value)) for value in frame.bodies]
        kept = tuple(value for value, message in zip(frame.bodies, messages, strict=True)
                     if isinstance(message, Vote) or message.slot < showdown
                     or (message.slot == showdown and message.seat > 0))
        return frames.encode(frames.Bodies(kept)) if kept else None

    table.deliver = hold_back
    table.settle()
    assert session_of(late).ledger.missing == (0,)
    assert session_of(first).ledger.slot > showdown
    return table, late


def test_who_stands_still_before_a_showdown_comes_to_the_base_after_it() -> None:
    """The others drop somebody after it."""
    table, late = showdown_without(16)
    first, second = table.at(0), table.at(1)
    kill(table, second)
    lost = table.deliver
    table.deliver = lambda sender, receiver, raw: None if sender is late else lost(sender, receiver, raw)
    table.wait(93)
    assert session_of(late).halted
    assert session_of(first).halted
    table.deliver = lambda sender, receiver, frame: frame
    table.wait(4)
    assert session_of(late).ledger.slot < session_of(first).ledger.slot
    assert (0, 3) in session_of(first).dispute.halting.halts, "whoever is ahead asks for the votes of who is behind"
    table.play()
    survivors_agree(table, [second], "dropped")


def test_who_goes_on_after_a_halt_before_a_showdown_has_it_in_the_record() -> None:
    """Votes from after a showdown are no use to a verifier that has not seen it."""
    table, late = showdown_without(16)
    for node in table.nodes:
        if node is not late:
            node.peer.hold(3, True, table.now)
    table.wait(93)
    assert session_of(late).halted
    table.deliver = lambda sender, receiver, frame: frame
    table.play()
    assert all(node.of(Resumed) for node in table.nodes)
    survivors_agree(table, [], "dropped")


def test_who_is_out_is_told_when_the_last_two_give_up() -> None:
    """One of two falls silent: whoever watches is free within seconds of the other."""
    table = Table(3, options={"starting_dice": "1"}, seed=5)
    while not any(0 in node.peer.session.ledger.game.dice for node in table.nodes if node.peer.session):
        table.flush() or any(table.decide(node) for node in table.nodes)
    table.settle()
    dice = session_of(table.nodes[0]).ledger.game.dice
    watching = table.at(dice.index(0))
    silent, last = [node for node in table.nodes if node is not watching]
    kill(table, silent)
    while not last.closed:
        table.wait(1)
    table.wait(10)
    assert last.closed.reason == "abandoned"
    assert watching.closed
    assert (watching.closed.reason, watching.closed.status) == ("abandoned", 1)


def test_who_halted_before_a_showdown_that_left_two_is_free_in_the_end() -> None:
    """Its HALTs stand before it, the others are past it and gone: nobody is left who could decide with it."""
    table, late = showdown_without(18, players=3, dice=1)
    others = [node for node in table.nodes if node is not late]
    table.deliver = lambda sender, receiver, frame: None
    table.wait(91)
    assert session_of(late).halted
    bodies = [body.value() for body in session_of(others[0]).since(0, 0)]
    table.hand(others[0], late, frames.encode(frames.Bodies(tuple(bodies))))
    for node in others:
        kill(table, node)
    assert not late.closed
    table.wait(100)
    assert late.closed
    assert (late.closed.reason, late.closed.status) == ("abandoned", 1)
    assert late.report().verdict == "incomplete"


def test_an_answer_holds_whole_slots_up_to_its_size() -> None:
    """One at least, all votes, and whether that is all: whoever asks again from where it has come gets the rest."""
    table = Table(3, seed=3)
    table.play(30)
    session = session_of(table.nodes[0])
    whole = session.since(0, 0)
    found: list[Signed] = []
    slot, complete = 0, False
    while not complete:
        part, complete = session.answer(0, slot, 1500)
        assert part
        assert sum(len(signed.body) for signed in part[3:]) < 4000
        found += part
        messages = [parse_game(signed) for signed in part]
        slot = max(message.slot for message in messages if isinstance(message, Message)) + 1
    assert [signed.body for signed in found] == [signed.body for signed in whole]
