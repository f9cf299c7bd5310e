"""A pause that all agree on: no clock runs out in it, and anybody can end it."""

import pytest

from p2pdice.protocol import frames
from p2pdice.protocol.errors import LocalFault
from p2pdice.protocol.events import ActionMade, Dropped, Halted, PauseWanted
from p2pdice.protocol.pausing import Pausing, Wish
from tests.protocol.test_drops import kill, session_of
from tests.tablekit import Node, Table

pytestmark = pytest.mark.slow  # one Python is enough


def started(players: int = 3, seed: int = 3) -> tuple[Table, Node, list[Node]]:
    """A game some moves old, in which whoever is in turn thinks; the others."""
    table = Table(players, seed=seed)
    table.play(8)
    table.settle()
    turn = table.at(session_of(table.nodes[0]).ledger.game.turn)
    for node in table.nodes:
        node.bot = None
    return table, turn, [node for node in table.nodes if node is not turn]


def paused(node: Node) -> bool:
    told = [event for event in node.events if isinstance(event, PauseWanted)]
    return bool(told) and told[-1].paused


def test_once_all_want_it_no_clock_runs_out() -> None:
    """Hours later the same turn is open, and has as much time left as before."""
    table, turn, others = started()
    table.wait(60)
    for node in table.nodes:
        node.peer.pause(table.now)
        table.settle()
    assert all(paused(node) for node in table.nodes)
    moves = len(turn.of(ActionMade))
    table.wait(5 * 3600)
    assert not any(node.of(Halted) or node.of(Dropped) for node in table.nodes)
    assert len(turn.of(ActionMade)) == moves
    others[0].peer.pause(table.now)
    table.settle()
    assert not any(paused(node) for node in table.nodes)
    over = [event for event in turn.events if isinstance(event, PauseWanted)][-1]
    assert over.seconds == pytest.approx(60, abs=2)
    table.wait(58 - 2)
    assert len(turn.of(ActionMade)) == moves
    table.wait(5)
    assert len(turn.of(ActionMade)) == moves + 1, "the clock runs on, and the turn is lost"


def test_one_alone_stops_nothing() -> None:
    """As long as somebody has not agreed, turns are lost as ever."""
    table, turn, _ = started()
    moves = len(turn.of(ActionMade))
    for node in table.nodes[:2]:
        node.peer.pause(table.now)
    table.wait(125)
    assert not any(paused(node) for node in table.nodes)
    assert len(turn.of(ActionMade)) > moves


def test_a_move_ends_it() -> None:
    """Whoever plays is back."""
    table, turn, others = started()
    for node in table.nodes:
        node.peer.pause(table.now)
    table.settle()
    turn.bot = "easy"
    table.decide(turn)
    table.settle()
    assert not any(paused(node) for node in table.nodes)
    told = [event for event in others[0].events if isinstance(event, PauseWanted)][-1]
    assert set(told.seats) == {table.seat(node) for node in others}


def test_whoever_sleeps_through_it_keeps_it() -> None:
    """A lid that is closed in a pause ends nothing; what comes from others about somebody they hear does."""
    table, _, others = started(4)
    for node in table.nodes:
        node.peer.pause(table.now)
    table.settle()
    kill(table, others[0])
    table.wait(1000)
    assert all(paused(node) for node in table.nodes if node is not others[0])
    assert not any(node.of(Halted) for node in table.nodes if node is not others[0])
    one, two = others[1:]
    table.cut.add(frozenset((one.name, two.name)))
    one.peer.lost(two.link, table.now)
    two.peer.lost(one.link, table.now)
    two.peer.pause(table.now)
    table.wait(5)
    assert not paused(one), "the one in turn hears it, and passes it on"


def test_programs_do_not_mind() -> None:
    """A bot's process agrees to whatever people want, and wants nothing itself."""
    table, turn, others = started()
    for node in others:
        node.peer.wish = Wish.INDIFFERENT
    table.wait(5)
    assert not any(node.of(PauseWanted) for node in table.nodes)
    turn.peer.pause(table.now)
    table.settle()
    assert all(paused(node) for node in table.nodes)


def test_before_and_after_a_game_there_is_none() -> None:
    """Nor for somebody who has no dice."""
    table = Table(2, seed=1, needed=3)
    with pytest.raises(LocalFault, match="no-game-yet"):
        table.nodes[0].peer.pause(table.now)
    table, turn, _ = started()
    turn.peer.leave(table.now)
    with pytest.raises(LocalFault, match="game-over"):
        turn.peer.pause(table.now)


def test_what_is_not_said_is_no() -> None:
    """Nobody stays in a pause by an old word, as long as somebody hears them."""
    pausing = Pausing()
    pausing.said(b"a", (), {b"a": Wish.YES, b"b": Wish.YES}, (b"b",), 0)
    assert pausing.agreed((b"a", b"b"))
    assert pausing.wanted_by((b"a", b"b", b"c")) == (b"a", b"b")
    pausing.said(b"a", (), {b"a": Wish.YES}, (b"b",), 0)
    assert not pausing.agreed((b"a", b"b"))
    pausing.said(b"b", (), {b"b": Wish.YES}, (), 0)
    pausing.said(b"a", (b"b",), {b"a": Wish.YES}, (b"b",), 0)
    assert pausing.agreed((b"a", b"b")), "whom one hears oneself, one believes oneself"
    assert not pausing.agreed(())


def test_keys_of_nobody_are_not_kept() -> None:
    """Whoever claims to hear ever new keys fills nobody's memory: only those at the table have a wish."""
    table, turn, others = started()
    for number in range(50):
        strangers = tuple(bytes([number, other]) * 16 for other in range(32))
        ping = frames.Ping(strangers, 2, 0, 0, 0, b"", b"", tuple((key, 1) for key in strangers), 0)
        table.hand(others[0], turn, frames.encode(ping))
    assert not turn.faults
    assert set(turn.peer._pausing.wishes) <= {node.link for node in table.nodes}
