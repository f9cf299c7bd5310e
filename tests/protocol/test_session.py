"""Games over a fake wire: what a peer gets to know, what bytes can do to it, and what time does."""

import contextlib
import gc
import random
from collections import Counter
from typing import cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from p2pdice.fairness import dice as fair
from p2pdice.fairness.chain import state_hash
from p2pdice.fairness.keys import SigningKey
from p2pdice.protocol import frames
from p2pdice.protocol.errors import LocalFault, PeerFault
from p2pdice.protocol.events import (
    ActionMade,
    Closed,
    CupsShown,
    DiceDealt,
    Halted,
    LobbyChanged,
    MayCall,
    PeerBack,
    PeerLost,
    TableFormed,
    TurnBegan,
)
from p2pdice.protocol.messages import Commit, Open, lobby_fields, signed_from
from p2pdice.protocol.phases import Phase
from p2pdice.protocol.roomcode import ChannelSession
from p2pdice.protocol.session import Session
from p2pdice.rules import (
    CALZO,
    DUDO,
    OBLIGE_CLOSED,
    OBLIGE_OPEN,
    PASO,
    PRESETS,
    Action,
    Ended,
    IllegalAction,
    RoundSettled,
    Special,
    bid,
)
from tests.tablekit import Node, Table


def session_of(node: Node) -> Session:
    assert node.peer.session is not None
    return node.peer.session


@pytest.mark.parametrize("system", sorted(PRESETS))
@pytest.mark.parametrize(("players", "bots"), [(2, 0), (4, 0), (5, 3)])
def test_whole_games_end_alike_at_every_peer(system: str, players: int, bots: int) -> None:
    """Same winner, same record, same states, whatever order the messages came in; every file is clean."""
    table = Table(players, system, {"starting_dice": "3"} if system == "clasico" else {"starting_dice": "2"},
                  seed=players, bots=bots)
    table.play()
    assert len({node.file for node in table.nodes}) == 1
    assert len({session_of(node).ledger.state for node in table.nodes}) == 1
    assert {node.report().verdict for node in table.nodes} == {"clean"}
    winners = {cast(Ended, node.of(Ended)[0]).winners for node in table.nodes}
    assert len(winners) == 1
    for node in table.nodes:
        assert node.closed is not None
        assert (node.closed.reason, node.closed.status, node.closed.winners) == ("won", 0, next(iter(winners)))
        assert not node.faults


def test_own_dice_are_what_the_showdown_shows() -> None:
    """The dice a seat was dealt are the ones that its cup shows, and its loss is settled by them."""
    table = Table(3, seed=3)
    table.play()
    node = table.nodes[1]
    seat = table.seat(node)
    dealt = [event.own for event in cast(list[DiceDealt], node.of(DiceDealt))]
    shown = [event.cups[seat] for event in cast(list[CupsShown], node.of(CupsShown)) if seat in event.cups]
    assert dealt == shown
    assert len(dealt) > 3


@pytest.mark.parametrize(("system", "choice"), [("perudo", None), ("dudo", OBLIGE_OPEN), ("dudo", OBLIGE_CLOSED)])
def test_no_other_peer_receives_what_a_cup_is_made_of(system: str, choice: Action | None) -> None:
    """Up to the showdown, no byte string that a peer received holds a share on which a cup depends that it must not
    see: another's in a normal round, its own in an open one, anybody's in a closed one."""
    table = Table(3, system, {"starting_dice": "2"}, seed=8)
    checked, special = 0, 0
    for _ in range(4000):
        if all(node.closed for node in table.nodes):
            break
        ledgers = [node.peer.session.ledger for node in table.nodes if node.peer.session]
        showdown = len({ledger.game.round_number for ledger in ledgers}) > 1 or any(
            ledger.phase is Phase.REVEAL for ledger in ledgers)
        for node in table.nodes if not showdown and len(ledgers) == 3 else ():
            session = session_of(node)
            special += session.ledger.game.special in (Special.OPEN, Special.CLOSED)
            for chair in session._chairs:
                held = _held(session, chair.seat, chair._shares)
                for other in table.nodes:
                    if other is not node:
                        checked += len(held)
                        received = b"".join(frame for _, frame in other.inbox[-40:])
                        assert not any(share in received for share in held)
        if not table.flush() and not (choice and _oblige(table, choice)) and not any(
                table.decide(node) for node in table.nodes):
            table.wait(0.5)
    assert checked > 500
    assert bool(special) == (choice is not None)


def _oblige(table: Table, choice: Action) -> bool:
    """Whoever may oblige does so; whether somebody could."""
    for node in table.nodes:
        session = node.peer.session
        if session and not session.closed and session.ledger.phase is Phase.MODE:
            for seat in node.peer.seats:
                if seat in session.ledger.missing:
                    node.peer.act(seat, choice, table.now)
                    return True
    return False


def _held(session: Session, seat: int, shares: dict[int, bytes]) -> list[bytes]:
    """Own shares that the policy keeps from the table until the showdown."""
    ledger = session.ledger
    if ledger.deal is None or not shares or ledger.phase in (Phase.COMMIT,):
        return list(shares.values()) if ledger.phase is Phase.COMMIT else []
    open_cups = (*ledger.deal.policy.public_cups(seat), ledger.game.seats)
    return [share for cup, share in shares.items() if cup not in open_cups]


def test_a_paso_doubted_opens_one_cup_only() -> None:
    """After a doubted paso the passer's cup is shown; no other cup can be worked out from what was said."""
    seen = 0
    for seed in range(20):
        table = Table(3, "dudo", seed=seed)
        for node in table.nodes:
            node.bot = None
        table.settle()
        ledger = session_of(table.nodes[0]).ledger
        deal = ledger.deal
        assert deal is not None
        moves = [bid(2, 3), PASO, DUDO]
        passer = -1
        for action in moves:
            passer = ledger.game.turn if action == PASO else passer
            table.at(ledger.game.turn).peer.act(ledger.game.turn, action, table.now)
            table.settle()
        cups = [event.cups for event in cast(list[CupsShown], table.nodes[0].of(CupsShown))]
        assert [list(shown) for shown in cups] == [[passer]]
        for cup in range(3):
            assert (deal.faces(cup, 5, deal.shares) is not None) == (cup == passer)
        seen += 1
    assert seen == 20


def test_refused_moves_change_nothing() -> None:
    """Own illegal or untimely moves say why, and neither state nor wire notices."""
    table = Table(3, seed=2)
    with pytest.raises(LocalFault, match="no-game-yet"):
        table.nodes[0].peer.act(0, bid(1, 2), table.now)
    table.settle()
    ledger = session_of(table.nodes[0]).ledger
    mover = table.at(ledger.game.turn)
    waiting = next(node for node in table.nodes if node is not mover)
    before = ledger.state
    with pytest.raises(IllegalAction, match="not-your-turn"):
        waiting.peer.act(table.seat(waiting), bid(1, 2), table.now)
    with pytest.raises(IllegalAction, match="opens-on-ones"):
        mover.peer.act(ledger.game.turn, bid(1, 1), table.now)
    assert [effects.sends for effects in (mover.peer.take(), waiting.peer.take())] == [[], []]
    assert ledger.state == before
    table.play()
    with pytest.raises(LocalFault, match="game-over"):
        mover.peer.act(table.seat(mover), bid(1, 2), table.now)


def test_a_lost_turn_is_played_by_the_seats_own_client() -> None:
    """When the clock runs out the mildest legal move is made, and marked."""
    table = Table(2, seed=5, turn_time_s=20)
    for node in table.nodes:
        node.bot = None
    table.settle()
    first = cast(TurnBegan, table.nodes[0].of(TurnBegan)[0])
    assert first.seconds == 20
    table.wait(19)
    assert not table.nodes[0].of(ActionMade)
    table.wait(2)
    made = [cast(ActionMade, node.of(ActionMade)[0]) for node in table.nodes]
    assert {(event.seat, str(event.action), event.auto) for event in made} == {(first.seat, "1x2", True)}


def test_a_missing_link_is_bridged_by_the_others() -> None:
    """Two peers without a link between them play all the same: a third relays."""
    table = Table(4, seed=9)
    table.settle()
    first, second = table.nodes[1], table.nodes[2]
    table.cut.add(frozenset((first.name, second.name)))
    first.peer.lost(second.link, table.now)
    second.peer.lost(first.link, table.now)
    table.wait(2.5)
    assert first.of(PeerLost)
    start = table.now
    table.play()
    assert {node.report().verdict for node in table.nodes} == {"clean"}
    assert table.now - start < 60


def test_what_was_lost_on_a_broken_link_is_fetched() -> None:
    """Frames that vanish are asked for again by whoever is behind; the game goes on to its end."""
    table = Table(3, seed=10)
    table.settle()
    lossy = random.Random(4)
    table.deliver = lambda sender, receiver, frame: None if lossy.random() < 0.2 else frame
    table.play()
    assert {node.report().verdict for node in table.nodes} == {"clean"}
    assert not any(node.faults for node in table.nodes)


def test_what_two_lack_of_each_other_in_the_open_slot_is_fetched() -> None:
    """Each has signed, neither has the other's, both stand at the same slot: a ping tells that they hold it unlike."""
    table = Table(3, seed=10)
    lost = True

    def deliver(sender: Node, receiver: Node, frame: bytes) -> bytes | None:
        decoded = frames.decode(frame)
        said = isinstance(decoded, frames.Bodies) and any(
            lobby_fields(signed_from(body)) is None for body in decoded.bodies)
        return None if lost and said and sender is not table.nodes[1] else frame

    table.deliver = deliver
    table.settle()
    assert {session_of(node).ledger.slot for node in table.nodes} == {0}
    lost = False
    table.wait(3)
    assert all(node.of(TurnBegan) for node in table.nodes)
    assert not any(node.of(Halted) for node in table.nodes)


def test_what_somebody_says_to_others_only_is_asked_for_at_once() -> None:
    """Whoever sees that the others go on without what it waits for does not wait for a sign of life to ask them."""
    table = Table(3, seed=10)
    table.settle()
    table.wait(3)  # all know by then that all hear each other: nobody passes on what comes
    cheat, victim = table.at(0), table.at(1)

    def deliver(sender: Node, receiver: Node, frame: bytes) -> bytes | None:
        kept_back = (sender, receiver) == (cheat, victim) and isinstance(frames.decode(frame), frames.Bodies)
        return None if kept_back else frame

    table.deliver = deliver
    start = table.now
    table.play()
    ledger = session_of(victim).ledger
    said = sum(cheat.peer.seats[0] in slot for slot in ledger.slots)
    assert said > 20
    assert table.now - start < said * 0.5
    assert not any(node.of(Halted) for node in table.nodes)


def test_after_the_end_nothing_is_told() -> None:
    """Links that go and lobby frames that come late change nothing once the game is over: Closed is the last event."""
    table = Table(3, seed=2)
    table.play()
    for node in table.nodes:
        for other in table.nodes:
            if other is not node:
                node.peer.lost(other.link, table.now)
        node.peer.tick(table.now + 10)
        node.events += node.peer.take().events
        assert [type(event) for event in node.events].count(Closed) == 1
        assert isinstance(node.events[-1], Closed)
        formed = next(place for place, event in enumerate(node.events) if isinstance(event, TableFormed))
        assert not any(isinstance(event, LobbyChanged) for event in node.events[formed:])


def test_a_link_that_comes_back_is_told() -> None:
    """Lost and back, by seat."""
    table = Table(2, seed=1)
    table.settle()
    one, other = table.nodes
    one.peer.lost(other.link, table.now)
    one.peer.linked(other.link, table.now)
    table.settle()
    assert [type(event) for event in one.events[-2:]] == [PeerLost, PeerBack]


def test_a_first_link_is_nobody_coming_back() -> None:
    """Players who had no link before the game began were never lost: nobody is told that they are back."""
    table = Table(3, seed=1)
    _host, one, other = table.nodes
    for node, mate in ((one, other), (other, one)):
        node.peer.lost(mate.link, table.now)
    table.settle()
    assert one.of(TableFormed)
    assert other.of(TableFormed)
    table.link(one, other)
    table.settle()
    assert not [event for node in table.nodes for event in node.events if isinstance(event, PeerLost | PeerBack)]


def test_strangers_who_come_and_go_in_a_game_leave_nothing_behind() -> None:
    """Keys are theirs to make, as many as they like: whoever is no player is not remembered once the link is gone."""
    table = Table(2, seed=1)
    table.settle()
    peer = table.nodes[0].peer
    stranger = SigningKey(bytes(32)).public
    peer.linked(stranger, table.now, ChannelSession(False, "elsewhere", (stranger,) * 5))
    peer.lost(stranger, table.now)
    peer.take()
    assert not [holder for holder in gc.get_referrers(stranger) if isinstance(holder, dict | set | list | tuple)]


def test_a_window_to_call_exact_stays_open_whatever_the_mover_does() -> None:
    """A fast mover cannot outrun it: its act stays sealed until every caller's window is over or used."""
    table = Table(3, "clasico", seed=12, window_s=2.0)
    for node in table.nodes:
        node.bot = None
    table.settle()
    ledger = session_of(table.nodes[0]).ledger
    opener = ledger.game.turn
    table.at(opener).peer.act(opener, bid(3, 3), table.now)
    table.settle()
    mover = ledger.game.turn
    caller = next(seat for seat in range(3) if seat not in (opener, mover))
    assert cast(MayCall, table.at(caller).of(MayCall)[-1]).legal == (CALZO,)
    table.at(mover).peer.act(mover, bid(4, 3), table.now)
    table.wait(1.5)
    assert ledger.phase is Phase.ANSWER
    table.at(caller).peer.act(caller, CALZO, table.now)
    table.settle()
    assert str(cast(ActionMade, table.nodes[0].of(ActionMade)[-1]).action) == "calzo"
    assert cast(RoundSettled, table.nodes[1].of(RoundSettled)[-1]).caller == caller


def test_a_window_ends_by_itself() -> None:
    """Nobody says anything: the mover's act stands when the window is over."""
    table = Table(3, "clasico", seed=12, window_s=2.0)
    for node in table.nodes:
        node.bot = None
    table.settle()
    ledger = session_of(table.nodes[0]).ledger
    for action in (bid(3, 3), bid(4, 3)):
        table.at(ledger.game.turn).peer.act(ledger.game.turn, action, table.now)
        table.settle()
    assert ledger.phase is Phase.ANSWER
    table.wait(2.5)
    assert str(cast(ActionMade, table.nodes[0].of(ActionMade)[-1]).action) == "4x3"


def test_the_same_call_wins_in_every_order() -> None:
    """Two claims for one turn: whatever the wire does, all peers give it to the same seat."""
    winners: Counter[int] = Counter()
    for seed in range(30):
        table = Table(4, "clasico", seed=77)
        for node in table.nodes:
            node.bot = None
        table.settle()
        table.random = random.Random(seed)
        ledger = session_of(table.nodes[0]).ledger
        opener = ledger.game.turn
        table.at(opener).peer.act(opener, bid(3, 3), table.now)
        table.settle()
        callers = [seat for seat in range(4) if seat not in (opener, ledger.game.turn)]
        for seat in callers:
            table.at(seat).peer.act(seat, CALZO, table.now)
        table.at(ledger.game.turn).peer.act(ledger.game.turn, bid(9, 3), table.now)
        table.settle()
        called = {cast(RoundSettled, node.of(RoundSettled)[-1]).caller for node in table.nodes}
        assert len(called) == 1
        winners[called.pop()] += 1
    assert len(winners) == 1
    assert winners.total() == 30


@settings(max_examples=200)
@given(data=st.data())
def test_any_bytes_are_events_or_a_peer_fault(data: st.DataObject) -> None:
    """Whatever a peer sends, nothing but PeerFault comes out, and our own seat signs nothing by it."""
    table = fuzzed()
    node = table.nodes[0]
    source = data.draw(st.sampled_from([frame for _, frame in node.inbox[:200]] + [b""]))
    raw = bytearray(source)
    for _ in range(data.draw(st.integers(0, 4))):
        if raw:
            raw[data.draw(st.integers(0, len(raw) - 1))] = data.draw(st.integers(0, 255))
    raw += data.draw(st.binary(max_size=8))
    ledger = session_of(node).ledger
    before = (ledger.state, ledger.slot)
    with contextlib.suppress(PeerFault):
        node.peer.received(table.nodes[1].link, bytes(raw), table.now)
    effects = node.peer.take()
    assert (ledger.state, ledger.slot) == before
    sent = [frames.decode(frame) for _, frame in effects.sends]
    toss = node.peer.lobby.toss
    assert toss is not None
    known = {signed.body for signed in (*session_of(node).since(0, 0), *toss.known())}
    assert all(body in known for frame in sent if isinstance(frame, frames.Bodies) for body, _ in frame.bodies)


_FUZZED: list[Table] = []


def fuzzed() -> Table:
    """One table in mid-game, whose peer 0 waits for somebody else."""
    if not _FUZZED:
        table = Table(3, seed=21)
        table.play(6)
        table.settle()
        _FUZZED.append(table)
    return _FUZZED[0]


def chi_square(counts: Counter[int], total: int) -> float:
    return sum((counts[face] - total / 6) ** 2 / (total / 6) for face in range(1, 7))


# 99.99 % of uniform samples stay below this with five degrees of freedom.
CHI_SQUARE_5 = 25.74


def dealt_dice(players: int, least: int, seed: int) -> Counter[int]:
    """Faces dealt by real sessions, at least so many."""
    counts: Counter[int] = Counter()
    while counts.total() < least:
        table = Table(players, "doodoo", {"starting_dice": "10"}, seed=seed, bots=players - 1)
        table.play()
        for event in table.nodes[0].events:
            if isinstance(event, CupsShown):
                for cup in event.cups.values():
                    counts.update(cup)
        seed += 1
    return counts


@pytest.mark.parametrize("least", [5_000, pytest.param(100_000, marks=pytest.mark.long)])
def test_dice_of_real_sessions_are_uniform(least: int) -> None:
    """Chi-square over the six faces."""
    counts = dealt_dice(6, least, seed=1000)
    assert set(counts) == {1, 2, 3, 4, 5, 6}
    assert chi_square(counts, counts.total()) < CHI_SQUARE_5


def test_a_searched_share_buys_nothing() -> None:
    """A client that tries 10^5 shares before it commits, for the best cup it can foresee, gets uniform dice."""
    source = random.Random(99)
    counts: Counter[int] = Counter()
    tries = 0
    for deal in range(400):
        guess = [source.randbytes(32), source.randbytes(32)]  # what it believes the others will open
        best, best_sixes = b"", -1
        roll = fair.roller(b"g" * 32, b"e" * 32, deal, b"s" * 32)
        for _ in range(250):
            tries += 1
            share = source.randbytes(32)
            sixes = roll(0, 5, [share, *guess]).count(6)
            if sixes > best_sixes:
                best, best_sixes = share, sixes
        real = [source.randbytes(32), source.randbytes(32)]
        counts.update(fair.roller(b"g" * 32, b"e" * 32, deal, source.randbytes(32))(0, 5, [best, *real]))
    assert tries == 100_000
    assert chi_square(counts, counts.total()) < CHI_SQUARE_5


def test_the_state_names_every_commitment_before_any_share_is_opened() -> None:
    """An OPEN names S_c, whose preimage lists all COMMITs: that is the proof of the order."""
    table = Table(3, seed=4)
    table.settle()
    ledger = session_of(table.nodes[0]).ledger
    commits, opens = ledger.slots[0], ledger.slots[1]
    assert all(isinstance(message.payload, Commit) for message in commits.values())
    assert all(isinstance(message.payload, Open) for message in opens.values())
    assert {message.state for message in opens.values()} == {state_hash(ledger._commit_preimage)}
    assert all(message.signed.hash in ledger._commit_preimage for message in commits.values())
