"""A process that dies at any moment comes back to its seat with nothing but its files: same dice, same turn, and
never a second body for a slot."""

from collections.abc import Callable
from dataclasses import dataclass

import pytest

from p2pdice.protocol.codec import unpack
from p2pdice.protocol.errors import LocalFault
from p2pdice.protocol.events import Closed, Dropped, FaultProved, PeerLost
from p2pdice.protocol.messages import Reveal, SlotPayload, parse_game, signed_from
from p2pdice.protocol.peer import Peer
from p2pdice.protocol.phases import Phase
from p2pdice.protocol.session import Session
from p2pdice.rules import DUDO, RoundSettled, bid
from tests.protocol.test_cheats import modified
from tests.tablekit import Node, Table

pytestmark = pytest.mark.slow  # one Python is enough


def session_of(node: Node) -> Session:
    assert node.peer.session is not None
    return node.peer.session


FIRST = 2  # the first write holds the accepted roster; before it there is no game to come back to


@dataclass
class Reaper:
    """Lets one process die at its n-th write or send, and counts them."""

    victim: Node
    at: int
    count: int = 0

    def __call__(self, node: Node) -> bool:
        if node is not self.victim or (node.peer.lobby.toss is None and node.peer.session is None) or node.closed:
            return False
        self.count += 1
        return self.count == self.at


def table_for(system: str, seed: int = 5, code: str = "") -> Table:
    options = {"clasico": {"starting_dice": "3", "exact": "anyone"}, "dudo": {"starting_dice": "2"}}
    return Table(3, system, options.get(system, {"starting_dice": "2"}), seed=seed, code=code)


def boundaries(system: str, victim: int) -> int:
    """How many writes and sends a whole game has for one process."""
    table = table_for(system)
    reaper = Reaper(table.nodes[victim], 0)
    table.crash = reaper
    table.play()
    return reaper.count


def die_at(system: str, victim: int, at: int, code: str = "") -> None:
    table = table_for(system, code=code)
    node = table.nodes[victim]
    table.crash = Reaper(node, at)
    table.play()
    if victim == 0 and not any(one.peer.session for one in table.nodes):
        # Some had not seen the roster when the host was lost: there is no game, and everybody says so.
        assert {one.closed.reason for one in table.nodes if one.closed} <= {"host-lost", "host-left"}
        assert all(one.closed for one in table.nodes), f"somebody waits after a crash at boundary {at}"
        assert at < 8
        return
    assert not any(one.of(FaultProved) for one in table.nodes), f"convicted after a crash at boundary {at}"
    assert not any(one.of(Dropped) for one in table.nodes), f"dropped after a crash at boundary {at}"
    reports = [one.report() for one in table.nodes if not one.gone]
    assert {report.verdict for report in reports} == {"clean"}, f"crash at boundary {at}"
    assert len({report.winners for report in reports}) == 1
    assert len({one.file for one in table.nodes if not one.gone}) == 1


@pytest.mark.parametrize("victim", [0, 2])
@pytest.mark.parametrize("system", ["perudo", "dudo", "clasico"])
def test_a_crash_at_some_boundaries(system: str, victim: int) -> None:
    """Every seventeenth write or send of a whole game; all of them in the long run."""
    total = boundaries(system, victim)
    assert total > 40
    for at in range(FIRST, total + 1, 17):
        die_at(system, victim, at)


@pytest.mark.parametrize("victim", [0, 1, 2])
def test_a_crash_in_the_toss_of_a_table_with_a_code(victim: int) -> None:
    """Whoever has proved the code and accepted the roster is known by its key: it is taken back like at any table."""
    for at in range(FIRST, 16):
        die_at("perudo", victim, at, code="KX47-92M3")


def test_who_is_lost_after_a_crash_in_the_toss_is_told_of() -> None:
    """The links of the toss are those of the game: nobody behind one of them counts as missing from its beginning."""
    table = table_for("perudo")
    node, other = table.nodes[1:]
    table.crash = Reaper(node, FIRST)
    table.settle()
    assert session_of(node).seated
    assert not node.of(PeerLost)
    node.peer.lost(other.link, table.now)
    table.settle()
    assert node.of(PeerLost) == [PeerLost(table.seat(other))]


@pytest.mark.long
@pytest.mark.parametrize("victim", [0, 1, 2])
@pytest.mark.parametrize("system", ["perudo", "dudo", "clasico", "perudo-pt", "doodoo"])
def test_a_crash_at_every_boundary(system: str, victim: int) -> None:
    """Every write and every send of every seat."""
    for at in range(FIRST, boundaries(system, victim) + 1):
        die_at(system, victim, at)


def test_nothing_is_signed_before_somebody_has_answered() -> None:
    """Alone after a restart, a process waits: it may have said more than it still knows."""
    table = table_for("perudo")
    table.play(3)
    node = table.nodes[1]
    unheard(table, node)
    table.restart(node)
    before = session_of(node).ledger.slot
    table.wait(30)
    assert session_of(node).resuming
    assert session_of(node).ledger.slot == before
    table.cut.clear()
    table.play()
    assert {one.report().verdict for one in table.nodes} == {"clean"}


def test_a_restored_backup_takes_its_own_messages_from_the_others() -> None:
    """An old copy of the state folder: the process adopts what it had signed since, or leaves; it never contradicts."""
    for moves in range(1, 14):
        table = Table(3, "perudo", seed=moves)
        table.play(3)
        node = table.nodes[1]
        table.flush()
        backup = (node.file, dict(node.kept))
        table.play(moves)
        node.file, node.kept = backup
        table.restart(node)
        table.play()
        assert not any(one.of(FaultProved) for one in table.nodes)
        others = [one.report() for one in table.nodes if one is not node]
        assert {report.verdict for report in others} == {"clean"}
        standing = {report.standings[table.seat(node)] for report in others}
        assert standing <= {"clean", "left"}


@pytest.mark.parametrize("spoil", [lambda raw: raw[:-1], lambda raw: raw[:-1] + bytes([raw[-1] ^ 1]), lambda raw: b""])
def test_damaged_words_of_its_own_are_no_game_to_resume(spoil: Callable[[bytes], bytes]) -> None:
    """A process that cannot read what it has said might say something else."""
    table = Table(3, "perudo", seed=3)
    node = table.nodes[1]
    table.play(3)
    # Until it has spoken in the open slot: what is in the record already is known from there.
    while parse_game(signed_from(unpack(node.kept["signed-0"]))).slot != session_of(node).ledger.slot:
        if not table.flush():
            table.play(1)
    kept = {name: spoil(raw) if name.startswith("signed-") else raw for name, raw in node.kept.items()}
    with pytest.raises(LocalFault, match="nothing-to-resume"):
        Peer.resume(node.key, node.file, kept, random_bytes=bytes, now=table.now)


def test_who_is_out_does_not_wait_for_ever_for_the_last_two() -> None:
    """Back after a crash, it owes nobody anything; if nobody answers for the drop time, the game was given up."""
    table = Table(3, "perudo", {"starting_dice": "1"}, seed=5)
    table.settle()
    while len(owners := session_of(table.nodes[0]).ledger.owners_in(session_of(table.nodes[0]).ledger.game)) > 2:
        table.play(1)
    out, = [node for node in table.nodes if session_of(node).me not in owners]
    for node in table.nodes:
        if node is not out:
            node.gone, node.bot = True, None
            table.cut.add(frozenset((node.name, out.name)))
    table.restart(out)
    for node in table.nodes:
        if node is not out:
            out.peer.lost(node.link, table.now)
    table.wait(60)
    assert not out.of(Closed)
    table.wait(60)
    closed, = out.of(Closed)
    assert isinstance(closed, Closed)
    assert closed.reason == "abandoned"


def unheard(table: Table, node: Node) -> None:
    """From now on nothing passes between a process and the others."""
    table.cut |= {frozenset((node.name, other.name)) for other in table.nodes if other is not node}


def cut_off(table: Table, node: Node) -> None:
    """A process has died and is back, and no link to anybody comes about."""
    unheard(table, node)
    table.restart(node)
    for other in table.nodes:
        if other is not node:
            node.peer.lost(other.link, table.now)


def test_who_is_back_and_hears_nobody_ends_and_may_try_again() -> None:
    """The others may have ended and gone, so it does not wait for ever; and nothing that it needs for another try is
    lost by that."""
    table = table_for("perudo")
    table.play(3)
    node = table.nodes[1]
    cut_off(table, node)
    table.wait(85)
    assert not node.of(Closed)
    kept, file = dict(node.kept), node.file
    node.peer.hold(table.seat(table.nodes[2]), True, table.now)
    table.wait(90)
    assert not node.of(Closed), "its user said /wait"
    node.peer.hold(table.seat(table.nodes[2]), False, table.now)
    table.wait(5)
    closed, = node.of(Closed)
    assert isinstance(closed, Closed)
    assert (closed.reason, closed.status, closed.fields.get("again")) == ("abandoned", 1, True)
    assert node.peer.finished(table.now)
    assert (node.file, node.kept) == (file, kept)
    assert not table.nodes[0].closed


def test_the_second_try_finds_those_who_were_away_the_first_time() -> None:
    """As if the first had never been: same seat, same record at all."""
    table = table_for("perudo")
    table.play(3)
    node = table.nodes[1]
    table.nodes[0].peer.hold(table.seat(node), True, table.now)
    table.nodes[2].peer.hold(table.seat(node), True, table.now)
    cut_off(table, node)
    table.wait(95)
    assert node.of(Closed)
    node.events.clear()
    table.cut.clear()
    table.restart(node)
    table.play()
    assert [one.closed.reason for one in table.nodes if one.closed] == ["won"] * 3
    assert {one.report().verdict for one in table.nodes} == {"clean"}
    assert len({one.file for one in table.nodes}) == 1


@pytest.mark.parametrize("crashed", [True, False])
def test_who_is_out_and_hears_nobody_who_plays_is_free(crashed: bool) -> None:
    """Cut off while three or more had dice, it cannot know how they go on; it decides nothing and need not wait."""
    table = Table(5, "perudo", {"starting_dice": "1"}, seed=5)
    table.settle()
    while (session := session_of(table.nodes[0])).ledger.game.round_number < 2:
        table.play(1)
    table.settle()
    owners = session.ledger.owners_in(session.ledger.game)
    assert len(owners) > 2
    out, = [node for node in table.nodes if session_of(node).me not in owners]
    if crashed:
        cut_off(table, out)
    else:
        unheard(table, out)
    table.wait(80)
    assert not out.of(Closed)
    table.wait(25)
    closed, = out.of(Closed)
    assert isinstance(closed, Closed)
    assert (closed.reason, closed.fields) == ("abandoned", {"again": True})
    table.cut.clear()
    out.events.clear()
    table.restart(out)
    table.play()
    assert [one.closed.reason for one in table.nodes if one.closed] == ["won"] * 5
    assert len({one.file for one in table.nodes}) == 1


@pytest.mark.parametrize("group", [1, 2])
def test_who_are_cut_off_with_dice_are_patient_and_then_free(group: int) -> None:
    """Too few to decide, they may be found again for long; but not for ever, and their seats stay for another try."""
    table = Table(5, "perudo", seed=5)
    table.play(3)
    few, many = table.nodes[:group], table.nodes[group:]
    table.cut |= {frozenset((one.name, other.name)) for one in few for other in many}
    for other in many:
        other.bot = None
        for one in few:
            other.peer.hold(table.seat(one), True, table.now)
    table.wait(1700)
    assert all(session_of(one).halted for one in few)
    assert not any(one.of(Closed) for one in table.nodes)
    table.wait(400)
    for one in few:
        closed, = one.of(Closed)
        assert isinstance(closed, Closed)
        assert (closed.reason, closed.fields) == ("abandoned", {"again": True})


def test_who_dies_while_it_hears_that_it_was_dropped_is_told_once_more() -> None:
    """The decision is in its record; the screen had not said so yet."""
    table = table_for("perudo")
    table.play(3)
    node = table.nodes[1]
    unheard(table, node)
    while not table.nodes[0].of(Dropped):
        table.wait(10)
    table.cut.clear()
    table.restart(node)
    table.wait(15)
    first, = node.of(Closed)
    node.events.clear()
    table.restart(node)
    assert node.of(Closed) == []
    table.settle()
    again, = node.of(Closed)
    assert isinstance(first, Closed)
    assert isinstance(again, Closed)
    assert (first.reason, again.reason, again.status) == ("dropped", "dropped", 1)
    table.play()
    assert {one.report().verdict for one in table.nodes if one is not node} == {"clean"}


def test_lost_secrets_mean_leaving() -> None:
    """With the transcript but without what was written ahead, a process cannot show its dice: it leaves by its word."""
    table = Table(3, "perudo", seed=3)
    table.play(3)
    node = table.nodes[1]
    node.kept = {name: raw for name, raw in node.kept.items() if not name.startswith("chair")}
    table.restart(node)
    table.play()
    assert node.closed is not None
    assert node.closed.reason == "left"
    for other in table.nodes:
        if other is not node:
            assert other.report().verdict == "clean"
            assert other.report().standings[table.seat(node)] == "left"


def test_what_was_signed_but_not_sent_reaches_the_others_after_a_crash() -> None:
    """The own message for the open slot is on the disk, on no wire: the others get it once there are links again."""
    table = Table(3, "perudo", seed=6)
    table.settle()
    for one in table.nodes:
        one.bot = None
    ledger = session_of(table.nodes[0]).ledger
    for action in (bid(1, 2), DUDO):
        node = table.at(next(seat for seat in range(3) if seat != ledger.game.turn))
        if action == DUDO:
            table.crash = Unsent(node)
        table.at(ledger.game.turn).peer.act(ledger.game.turn, action, table.now)
        table.settle()
    assert isinstance(table.crash, Unsent)
    assert table.crash.calls > 3
    table.wait(5)
    assert len({session_of(one).ledger.state for one in table.nodes}) == 1
    assert all(one.of(RoundSettled) for one in table.nodes)


@dataclass
class Unsent:
    """Lets a process die when it has kept and recorded its REVEAL, before the first of its sends."""

    victim: Node
    calls: int = 0

    def __call__(self, node: Node) -> bool:
        ledger = session_of(node).ledger
        if node is self.victim and ledger.phase is Phase.REVEAL and node.peer.seats[0] in ledger.slots[-1]:
            self.calls += 1
            return self.calls == 3  # keep, the record of the call, then sends
        return False


def test_bots_come_back_with_their_owner() -> None:
    """A process with bots has all its seats back."""
    table = Table(5, "perudo", {"starting_dice": "2"}, seed=7, bots=3)
    table.play(6)
    table.restart(table.nodes[0])
    table.settle()
    assert len(table.nodes[0].peer.seats) == 4
    table.play()
    assert {node.report().verdict for node in table.nodes} == {"clean"}


def test_secrets_are_in_no_repr() -> None:
    """Neither a chair nor an event nor a key shows what is kept."""
    table = Table(2, seed=2)
    table.settle()
    for node in table.nodes:
        kept = b"".join(raw for name, raw in node.kept.items() if name.startswith("chair"))
        shown = "".join(map(repr, (list(session_of(node)._chairs), node.events, node.key, node.peer.lobby.players)))
        assert kept
        assert not any(kept[place:place + 32].hex() in shown or repr(kept[place:place + 32])[2:-1] in shown
                       for place in range(len(kept) - 32))


@pytest.mark.parametrize("after", range(1, 40, 6))
def test_a_crash_after_somebody_was_convicted(after: int) -> None:
    """Evidence in the own record is no reason not to come back to the game."""
    table = Table(4, options={"starting_dice": "2"}, seed=6)
    table.settle()
    victim, cheat = table.nodes[0], table.nodes[2]

    def swap(payload: SlotPayload) -> SlotPayload:
        if isinstance(payload, Reveal):
            return payload._replace(shares=tuple((cup, owner, b"x" * 32) for cup, owner, _ in payload.shares))
        return payload

    modified(table, cheat, swap)
    reaper = Reaper(victim, after)
    table.crash = lambda node: bool(victim.of(FaultProved)) and reaper(node)
    table.play()
    honest = [node for node in table.nodes if node is not cheat]
    assert reaper.count >= after
    assert [node.closed.reason for node in honest if node.closed] == ["won"] * 3
    for node in honest:
        assert node.report().convicted == {table.seat(cheat)}
    assert len({node.report().winners for node in honest}) == 1
