"""What one peer can make the others keep, do or send: bounded, however much of it is in order."""

from dataclasses import replace
from typing import cast

import pytest

from p2pdice.fairness.keys import SigningKey
from p2pdice.protocol import dispute, frames
from p2pdice.protocol.admission import LOOK_S, STRANGER_S
from p2pdice.protocol.catchup import SERVE_S
from p2pdice.protocol.chat import CHAT_CHARACTERS, CHAT_PER_MINUTE
from p2pdice.protocol.events import ChatSaid, LobbyChanged, PauseWanted, PeerBack, PeerLost, Watched
from p2pdice.protocol.halting import MOST_BALLOTS
from p2pdice.protocol.messages import Drop, Halt, Propose, VotePayload, VoteSlot, sign_game
from p2pdice.protocol.often import ASKS_PER_MINUTE, NEWS_PER_MINUTE
from p2pdice.protocol.session import SLOTS_AHEAD, Session
from tests.protocol.test_drops import kill
from tests.tablekit import Node, Table


def playing(players: int = 3) -> Table:
    """A table in the middle of its first round."""
    table = Table(players)
    table.play(5)
    return table


def session_of(node: Node) -> Session:
    assert node.peer.session is not None
    return node.peer.session


def vote(table: Table, node: Node, slot: VoteSlot, payload: VotePayload) -> frames.Bodies:
    """A vote that a node signs, whatever it says."""
    ledger = session_of(node).ledger
    state = ledger.marks[0].boundary.state if slot[0] == "halt" else b""
    signed = sign_game(node.key, ledger.game_id, ledger.epoch, slot, state, table.seat(node), payload)
    return frames.Bodies((signed.value(),))


def sent_to(node: Node, link: bytes) -> list[frames.Frame]:
    """What a node has for a link, taken out."""
    return [frames.decode(raw) for to, raw in node.peer.take().sends if to == link]


def test_ballots_without_end_are_refused() -> None:
    """The votes of one halt are of so many ballots at most; the game stands as it was."""
    table = playing()
    cheat, honest = table.nodes[1], table.nodes[0]
    halts = [vote(table, cheat, ("halt", 0, ballot), Halt(0, "", 0, 0, (), ())) for ballot in range(300)]
    for bodies in halts:
        table.hand(cheat, honest, frames.encode(bodies))
    halting = session_of(honest).dispute.halting
    assert len([seat for _, seat in halting.halts if seat == table.seat(cheat)]) == MOST_BALLOTS
    assert honest.faults == ["too-many-ballots"] * (300 - MOST_BALLOTS)
    kill(table, cheat)
    table.play()
    assert {node.report().verdict for node in table.nodes if node is not cheat} == {"clean"}


def test_only_the_proposer_of_a_ballot_proposes() -> None:
    """Whoever's turn it is not cannot make the others keep a PROPOSE."""
    table = playing()
    honest = table.nodes[0]
    halting = session_of(honest).dispute.halting
    for cheat in table.nodes[1:]:
        mine = [ballot for ballot in range(3) if halting.proposer(ballot) == table.seat(cheat)]
        for ballot in range(3):
            table.hand(cheat, honest, frames.encode(vote(table, cheat, ("propose", 0, ballot), Propose((), (), ()))))
        assert set(halting.proposals) >= set(mine)
    assert honest.faults == ["not-the-proposer"] * 4


def test_votes_of_one_player_are_bounded_in_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    """However long each is, and of whichever halt."""
    monkeypatch.setattr(dispute, "MOST_VOTE_BYTES", 4000)
    table = playing()
    cheat, honest = table.nodes[1], table.nodes[0]
    for ballot in range(100):
        drop = Drop(bytes(32), ((((0, "silent", b""),) * 20), 0, bytes(32), ""))
        table.hand(cheat, honest, frames.encode(vote(table, cheat, ("drop", 0, ballot), drop)))
    kept = session_of(honest).dispute
    assert 0 < len(kept.halting.drops) <= 10
    assert sum(len(found.signed.body) for found in kept.halting.votes) <= 4000
    assert not honest.faults


def test_messages_far_ahead_are_not_kept() -> None:
    """So many slots at most, one message each: what is further ahead is asked for again."""
    table = playing()
    cheat, honest = table.nodes[1], table.nodes[0]
    ledger = session_of(honest).ledger
    said = next(iter(ledger.slots[0].values()))
    for ahead in range(3 * SLOTS_AHEAD):
        signed = sign_game(cheat.key, ledger.game_id, ledger.epoch, ledger.slot + 1 + ahead, bytes(32),
                           table.seat(cheat), said.payload)
        table.hand(cheat, honest, frames.encode(frames.Bodies((signed.value(),))))
    assert len(session_of(honest)._aside.kept) <= SLOTS_AHEAD


def test_bodies_of_unknown_epochs_and_games_are_not_kept() -> None:
    """They need the certificate that makes the epoch; another game is a fault."""
    table = playing()
    cheat, honest = table.nodes[1], table.nodes[0]
    ledger = session_of(honest).ledger
    said = next(iter(ledger.slots[0].values()))
    for game, epoch in ((ledger.game_id, b"e" * 32), (b"g" * 32, ledger.epoch)):
        signed = sign_game(cheat.key, game, epoch, 0, bytes(32), table.seat(cheat), said.payload)
        table.hand(cheat, honest, frames.encode(frames.Bodies((signed.value(),))))
    assert not session_of(honest)._aside.kept
    assert honest.faults == ["another-game"]


def test_talk_is_short_and_rare() -> None:
    """So many lines a minute of so many characters; the rest is not shown."""
    table = playing()
    chatty, honest = table.nodes[1], table.nodes[0]
    for _ in range(50):
        table.hand(chatty, honest, frames.encode(frames.Chat("x" * 700)))
    honest.events += honest.peer.take().events
    lines = [cast(ChatSaid, event).text for event in honest.of(ChatSaid)]
    assert lines == ["x" * CHAT_CHARACTERS] * CHAT_PER_MINUTE


def test_a_fresh_link_brings_no_fresh_lines_of_talk() -> None:
    """Whoever hangs up and dials again is heard as often as before; and that it came and went is told now and then."""
    table = playing()
    chatty, honest = table.nodes[1], table.nodes[0]
    for _ in range(50):
        table.hand(chatty, honest, frames.encode(frames.Chat("x")))
        honest.peer.lost(chatty.link, table.now)
        honest.peer.linked(chatty.link, table.now)
        honest.events += honest.peer.take().events
    assert len(honest.of(ChatSaid)) == CHAT_PER_MINUTE
    assert len([*honest.of(PeerLost), *honest.of(PeerBack)]) == NEWS_PER_MINUTE
    honest.peer.lost(chatty.link, table.now)
    told = len(honest.of(PeerLost))
    table.wait(70)
    assert len(honest.of(PeerLost)) == told + 1, "in the end the user knows how it is"


def test_what_pings_say_changes_only_so_often() -> None:
    """Wishes for a pause that come and go, watchers that are there and are not: the screen is not filled with them."""
    table = playing()
    fickle, honest = table.nodes[1], table.nodes[0]
    for number in range(200):
        ping = frames.Ping((), 2, 0, 0, 0, b"", b"", ((fickle.link, number % 2),), number % 3)
        table.hand(fickle, honest, frames.encode(ping))
        honest.events += honest.peer.take().events
    assert len(honest.of(PauseWanted)) <= NEWS_PER_MINUTE
    assert len(honest.of(Watched)) <= NEWS_PER_MINUTE
    table.wait(70)
    table.settle()
    assert cast(PauseWanted, honest.of(PauseWanted)[-1]).seats == ()
    assert cast(Watched, honest.of(Watched)[-1]).count == 0


def test_a_guest_asks_only_so_often() -> None:
    """Everybody at a table is told of each change; a guest without end would fill their screens and links."""
    table = Table(3, needed=0)
    table.settle()
    host, restless, other = table.nodes
    before = len(other.of(LobbyChanged))
    for number in range(300):
        table.hand(restless, host, frames.encode(frames.ReadyNow(number % 2)))
    table.settle()
    assert host.faults.count("too-often") >= 300 - ASKS_PER_MINUTE
    assert len(other.of(LobbyChanged)) - before <= ASKS_PER_MINUTE


def test_a_guest_may_fill_the_table_with_bots_at_once() -> None:
    """Each of them is asked for, and each time the guest is ready anew: no limit is met by that."""
    table = Table(2, needed=0)
    table.settle()
    host, guest = table.nodes
    for _ in range(30):
        guest.peer.add_bot("bot", table.now)
    table.settle()
    assert not host.faults
    assert len(host.peer.lobby.joins) == 32
    assert all(member.ready for member in host.peer.lobby.members)


def test_the_whole_game_is_sent_only_so_often() -> None:
    """An answer to FETCH may be large: those that come faster are not answered."""
    table = playing()
    greedy, honest = table.nodes[1], table.nodes[0]
    table.now += 60
    honest.peer.take()
    for _ in range(50):
        table.hand(greedy, honest, frames.encode(frames.Fetch(0, 0)))
    once = len(sent_to(honest, greedy.link))
    assert 0 < once < 5
    table.now += SERVE_S
    table.hand(greedy, honest, frames.encode(frames.Fetch(0, 0)))
    assert len(sent_to(honest, greedy.link)) == once


def test_a_stranger_gets_one_card_at_a_time_and_nothing_in_a_game() -> None:
    """Looks that come too fast are not answered; signed bodies and requests of a stranger are not even read."""
    table = playing()
    honest, stranger = table.nodes[0], SigningKey(b"s" * 32).public
    honest.peer.take()
    honest.peer.linked(stranger, table.now)
    broken = replace(honest.peer.lobby.joins[0].signed, signature=bytes(64))
    others: list[frames.Frame] = [frames.Fetch(0, 0), frames.Proof(b"x"), frames.Bodies((broken.value(),))]
    for frame in (*[frames.Look()] * 20, *others):
        honest.peer.received(stranger, frames.encode(frame), table.now)
    assert [type(frame) for frame in sent_to(honest, stranger)] == [frames.Card]
    honest.peer.received(stranger, frames.encode(frames.Look()), table.now + LOOK_S)
    assert [type(frame) for frame in sent_to(honest, stranger)] == [frames.Card]


def test_a_link_that_comes_to_nothing_is_closed() -> None:
    """A stranger may stay a minute; players stay."""
    table = Table(3, automatic=False)
    table.settle()
    host, stranger = table.nodes[0], SigningKey(b"s" * 32).public
    host.peer.linked(stranger, table.now)
    begun = table.now
    dropped_at = 0.0
    while table.now < begun + STRANGER_S + 5 and not dropped_at:
        table.now += 1
        host.peer.tick(table.now)
        drops = host.peer.take().drops
        assert set(drops) <= {stranger}
        dropped_at = table.now if drops else 0.0
    assert begun + STRANGER_S <= dropped_at <= begun + STRANGER_S + 3


def test_strangers_do_not_crowd_players_out_of_a_ping() -> None:
    """Who is heard decides who relays: strangers' keys are not named."""
    table = playing()
    honest = table.nodes[0]
    for number in range(100):
        honest.peer.linked(bytes([number]) * 32, table.now)
    honest.peer.take()
    table.now += 3
    honest.peer.tick(table.now)
    (ping,) = {frame for frame in sent_to(honest, table.nodes[1].link) if isinstance(frame, frames.Ping)}
    assert set(ping.heard) == {node.link for node in table.nodes[1:]}
