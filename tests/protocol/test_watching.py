"""Watching without a seat: all that the table sees, no die before it, nothing that holds the game up, and nobody who
speaks for a seat by it."""

import random
from dataclasses import replace
from itertools import pairwise
from typing import Any, cast

import pytest

from p2pdice.fairness.keys import SigningKey
from p2pdice.protocol import frames
from p2pdice.protocol.events import (
    NOBODY,
    ActionMade,
    ChatSaid,
    Closed,
    CupsShown,
    DiceDealt,
    Dropped,
    Event,
    FaultProved,
    LobbyChanged,
    MayCall,
    PauseWanted,
    PeerBack,
    PeerLost,
    TableFormed,
    Troubled,
    TurnBegan,
    Watched,
)
from p2pdice.protocol.messages import Commit, sign_game
from p2pdice.protocol.often import NEWS_PER_MINUTE
from p2pdice.protocol.phases import Phase
from p2pdice.protocol.transcript import read_entries
from p2pdice.protocol.watcher import Watcher
from p2pdice.protocol.watching import LAG_S, NEWS_KEPT, PACE_S
from p2pdice.rules import OBLIGE_CLOSED, OBLIGE_OPEN, Action, Ended, RoundBegan, Special, make_ruleset
from tests.protocol.test_session import _held, _oblige, session_of
from tests.protocol.watchkit import Gallery, frames_to
from tests.tablekit import Node, Table

CODE = "bido-kare-muna"
PLAY = (Phase.OPEN, Phase.READY, Phase.ACT, Phase.SEAL, Phase.ANSWER, Phase.SHOW)


def public(events: list[Event]) -> list[Event]:
    """What a player is told, without what only that seat is."""
    found: list[Event] = []
    for event in events:
        match event:
            case TurnBegan():
                event = replace(event, legal=None)
            case TableFormed():
                event = replace(event, you=NOBODY)
            case MayCall() | LobbyChanged() | Watched() | DiceDealt():
                continue
        found.append(event)
    return found


def watcher_of(onlooker: Node) -> Watcher:
    return cast(Watcher, onlooker.peer)


def test_a_table_for_friends_may_be_watched_by_anybody() -> None:
    """Who may not sit down there can look on, from the lobby and in the game."""
    table = Gallery(3, seed=2)
    for node in table.nodes:
        node.peer.lobby._only = frozenset(friend.link for friend in table.nodes)
    early = table.watch(table.nodes[0])
    table.settle()
    late = table.watch(table.nodes[1])
    table.play()
    assert early.file == late.file == table.nodes[1].file
    assert [cast(Closed, onlooker.of(Closed)[0]).reason for onlooker in (early, late)] == ["won", "won"]


@pytest.mark.parametrize(("system", "options", "bots"), [
    ("perudo", {}, 0), ("dudo", {"starting_dice": "2"}, 1), ("clasico", {"starting_dice": "3"}, 1),
    ("perudo-pt", {}, 0), ("clasico", {"format": "points", "rounds": "4"}, 0)])
def test_who_watches_from_the_lobby_on_sees_what_all_see(system: str, options: dict[str, str], bots: int) -> None:
    """Every event that is not one seat's own, in the same order, to the end; and the same file."""
    table = Gallery(3, system, options, seed=2, bots=bots)
    onlooker = table.watch(table.nodes[0])
    table.play()
    player = table.nodes[1]
    lobby = [event for event in onlooker.events if isinstance(event, LobbyChanged)]
    assert lobby[-1].names == cast(LobbyChanged, player.of(LobbyChanged)[-1]).names
    assert {event.you for event in lobby} == {NOBODY}
    assert public(onlooker.events) == public(player.events)
    assert len(onlooker.of(DiceDealt)) == len(onlooker.of(RoundBegan))
    assert onlooker.file == player.file
    assert onlooker.report().verdict == "clean"
    assert onlooker.closed == replace(cast(Closed, player.closed), transcript=None)
    assert not [fault for node in (*table.nodes, onlooker) for fault in node.faults]


@pytest.mark.parametrize("moves", [1, 7, 25, 60])
def test_who_comes_later_sees_the_open_round_and_has_the_whole_record(moves: int) -> None:
    """The past is judged, recorded and not told, but for the last result and the open round."""
    table = Gallery(3, seed=4)
    table.play(moves)
    table.settle()  # nothing more happens while the past is shown
    onlooker = table.watch(table.nodes[1])
    table.settle()
    formed = [place for place, event in enumerate(onlooker.events) if isinstance(event, TableFormed)]
    assert len(formed) == 1
    caught_up = onlooker.events[formed[0] + 1:]
    assert sum(isinstance(event, RoundBegan) for event in caught_up) == 1
    assert onlooker.file == table.nodes[1].file
    assert {event.seconds for event in caught_up if isinstance(event, TurnBegan)} <= {None}
    assert watcher_of(onlooker).view is not None
    table.play()
    told = public(table.nodes[0].events)
    late = [replace(event, seconds=120) if isinstance(event, TurnBegan) else event for event in public(onlooker.events)]
    last = late.index(next(event for event in reversed(late) if isinstance(event, RoundBegan)))
    assert late[last:] == told[-len(late[last:]):]
    assert onlooker.file == table.nodes[0].file
    assert (onlooker.report().verdict, onlooker.closed and onlooker.closed.status) == ("clean", 0)


@pytest.mark.parametrize(("system", "choice"), [("perudo", None), ("dudo", OBLIGE_OPEN), ("dudo", OBLIGE_CLOSED)])
def test_no_watcher_receives_what_a_cup_is_made_of(system: str, choice: Action | None) -> None:
    """Up to the showdown, no byte string that a watcher received holds a share that is not open to all, and no die can
    be worked out of all that it has: none of its own seat, which it has not, nor those that viewers see."""
    table = Gallery(3, system, {"starting_dice": "2"}, seed=8)
    onlooker = table.watch(table.nodes[0])
    checked, special = 0, 0
    for _ in range(4000):
        if all(node.closed for node in table.nodes):
            break
        ledgers = [node.peer.session.ledger for node in table.nodes if node.peer.session]
        showdown = len({ledger.game.round_number for ledger in ledgers}) > 1 or any(
            ledger.phase is Phase.REVEAL for ledger in ledgers)
        received = b"".join(frame for _, frame in onlooker.inbox[-40:])
        for node in table.nodes if not showdown and len(ledgers) == 3 else ():
            session = session_of(node)
            special += session.ledger.game.special in (Special.OPEN, Special.CLOSED)
            for chair in session._chairs:
                held = _held(session, chair.seat, chair._shares)
                checked += len(held)
                assert not any(share in received for share in held)
        own = watcher_of(onlooker)._course.ledger
        if own and own.deal and own.phase in PLAY and not showdown:
            for cup in own.deal.policy.active:
                assert own.deal.faces(cup, own.game.dice[cup], own.deal.shares) is None
        if not table.flush() and not (choice and _oblige(table, choice)) and not any(
                table.decide(node) for node in table.nodes):
            table.wait(0.5)
    assert checked > 500
    assert bool(special) == (choice is not None)
    assert {(event.own, tuple(event.seen)) for event in onlooker.events if isinstance(event, DiceDealt)} == {(None, ())}


def test_what_is_shown_is_only_what_is_complete() -> None:
    """Records come slot by slot, closed ones: no player's message before all have spoken that speak with it."""
    table = Gallery(4, "clasico", seed=3)
    onlooker = table.watch(table.nodes[0])
    table.play(40)
    for frame in frames_to(onlooker):
        if isinstance(frame, frames.Seen):
            own = watcher_of(onlooker)._course.ledger
            assert own is not None
            assert not own.slots[-1] or frame.then == "more"


def test_a_room_code_is_proved_by_whoever_watches() -> None:
    """Without it a stranger sees that there is a table; in the lobby and in mid-game, at the host and at a guest."""
    table = Gallery(3, seed=5, code=CODE)
    early = [table.watch(table.nodes[0], code=code) for code in (CODE, "bado-bado-bado", "")]
    table.play(12)
    late = [table.watch(node, code=CODE) for node in table.nodes[:2]]
    table.settle()
    wrong = [table.watch(table.nodes[1], code=code) for code in ("bado-bado-bado", "")]
    table.wait(20)
    for onlooker, reason in zip([*early[1:], *wrong], ["refused-code", "code-needed"] * 2, strict=True):
        assert (onlooker.closed and onlooker.closed.reason, onlooker.file) == (reason, b"")
        assert not [event for event in onlooker.events if not isinstance(event, Closed)]
        cards = [frame for frame in frames_to(onlooker) if isinstance(frame, frames.Card)]
        assert {(card.nicks, card.system) for card in cards} == {((), "")}
        assert not [frame for frame in frames_to(onlooker) if isinstance(frame, frames.Seen | frames.Lobby)]
    table.play()
    assert {onlooker.file for onlooker in (early[0], *late)} == {table.nodes[0].file}


def test_a_code_where_none_is_asked_for_and_other_rules() -> None:
    """As for whoever joins: that is not the table that was meant."""
    table = Gallery(3, seed=5)
    with_code = table.watch(table.nodes[0], code=CODE)
    other = table.watch(table.nodes[0], wanted=make_ruleset("dudo", {}))
    table.settle()
    assert [onlooker.closed and onlooker.closed.reason for onlooker in (with_code, other)] == ["no-code", "other-rules"]


def test_players_are_told_how_many_watch() -> None:
    """At each change, whoever of them is watched through."""
    table = Gallery(3, seed=6, automatic=False)
    table.settle()
    first = table.watch(table.nodes[0])
    table.wait(3)
    assert [[event.count for event in cast(list[Watched], node.of(Watched))] for node in table.nodes] == [[1]] * 3
    for node in table.nodes[1:]:
        node.peer.ready(table.now)
    table.play(5)
    table.watch(table.nodes[1])
    table.stopped.add(first.link)
    table.unlink(first, table.nodes[0])
    table.wait(3)
    assert [cast(Watched, node.of(Watched)[-1]).count for node in table.nodes] == [1, 1, 1]
    table.play()
    assert all(isinstance(node.events[-1], Closed) for node in table.nodes)


def test_talk_and_links_are_told_too() -> None:
    """What is beside the record comes from the process that is watched through; of a flood of it, the newest."""
    table = Gallery(3, seed=7)
    onlooker = table.watch(table.nodes[0])
    table.play(5)
    table.nodes[1].peer.say("hola", table.now)
    table.settle()
    table.nodes[0].peer.lost(table.nodes[2].link, table.now)
    table.settle()
    table.link(table.nodes[2], table.nodes[0])
    table.settle()
    table.nodes[1].peer.pause(table.now)
    table.settle()
    table.nodes[1].peer.pause(table.now)
    table.settle()
    where = [table.seat(node) for node in table.nodes]
    told = [event for event in onlooker.events if isinstance(event, ChatSaid | PeerLost | PeerBack | PauseWanted)]
    assert told == [ChatSaid(where[1], "hola"), PeerLost(where[2]), PeerBack(where[2]),
                    PauseWanted((where[1],), False, None), PauseWanted((), False, None)]
    for number in range(100):
        table.nodes[0].peer.say(f"line {number}", table.now)
    table.wait(2)
    lines = [event.text for event in onlooker.events if isinstance(event, ChatSaid)][1:]
    assert lines[-1] == "line 99"
    assert len(lines) <= NEWS_KEPT


@pytest.mark.parametrize("seed", range(2))
def test_the_watched_process_goes_away(seed: int) -> None:
    """Another player's is asked, the game is seen to its end, drop included, and the file is one of its own."""
    table = Gallery(4, seed=seed)
    onlooker = table.watch(table.nodes[0])
    table.play(10 + seed)
    table.kill(table.nodes[0])
    table.play()
    assert onlooker.of(Troubled) == [Troubled("watched-lost", {})]
    gone = table.seat(table.nodes[0])
    assert [event.seats for event in cast(list[Dropped], onlooker.of(Dropped))] == [(gone,)]
    assert onlooker.closed is not None
    assert (onlooker.closed.reason, onlooker.closed.status) == ("won", 0)
    assert onlooker.report().verdict == "clean"
    ended = cast(Ended, table.nodes[1].of(Ended)[0])
    assert onlooker.report().winners == onlooker.closed.winners == ended.winners
    actions = [event for event in onlooker.events if isinstance(event, ActionMade | CupsShown)]
    assert actions == [event for event in table.nodes[1].events if isinstance(event, ActionMade | CupsShown)]


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.long) for seed in range(1, 20))])
def test_one_process_after_the_other_goes_away(seed: int) -> None:
    """Records of different players may hold different votes of one decision: what is kept is clean all the same."""
    table = Gallery(5, seed=seed)
    table.play(8)
    onlooker = table.watch(table.nodes[4])
    table.play(8)
    for victim in (table.nodes[4], table.nodes[0]):
        table.kill(victim)
        for _ in range(400):
            table.play(5)
            if len(table.nodes[1].of(Dropped)) > (victim is not table.nodes[4]):
                break
    table.play()
    assert onlooker.closed is not None
    assert (onlooker.closed.reason, onlooker.report().verdict) == ("won", "clean")
    assert len({event.seats for event in cast(list[Dropped], onlooker.of(Dropped))}) == 2


@pytest.mark.slow
@pytest.mark.parametrize("more", [0, *(pytest.param(more, marks=pytest.mark.long) for more in (1, 3))])
def test_another_players_record_that_differs_is_read_from_its_beginning(more: int) -> None:
    """What was seen last of one decision's votes stands in no other record: the next one is judged as a whole, and
    takes the place of what was kept once it has come as far; nothing is told twice. A move stands in all of them."""
    table = Gallery(5, options={"starting_dice": "3"}, seed=2)
    table.play(14)
    table.kill(table.nodes[4])
    onlooker, first = table.watch(table.nodes[0]), table.nodes[0]
    table.play()
    files = [list(read_entries(node.file)) for node in table.nodes[:4]]
    (differ,) = {next(number for number, (one, mine) in enumerate(zip(file, files[0], strict=True)) if one != mine)
                 for file in files[1:]}
    whole = onlooker.events

    late = table.watch(first)
    shown: list[tuple[str, bytes, bytes]] = []

    def cut(sender: Node, receiver: Node, frame: bytes) -> bytes:
        seen = frames.decode(frame)
        if receiver is not late or sender is not first or not isinstance(seen, frames.Seen):
            return frame
        shown.extend(seen.records)
        kept = seen.records[:differ + 1 + more]
        table.cut.add(frozenset((first.name, late.name)))
        table.hand(first, late, frames.encode(seen._replace(records=kept, then="wait")))
        table.unlink(first, late)
        return frame
    table.deliver = cut
    table.wait(20)
    assert len(shown) > differ + more
    assert late.file in ([node.file for node in table.nodes[1:4]] if more == 0 else [first.file])
    assert late.report().verdict == "clean"
    assert not late.faults
    told = [event for event in late.events if isinstance(event, ActionMade | RoundBegan)]
    assert told == [event for event in whole if isinstance(event, ActionMade | RoundBegan)][-len(told):]


def test_nobody_is_left_to_ask() -> None:
    """Host and guest are gone: after a while that is said, and what was seen is kept."""
    table = Gallery(2, seed=1)
    onlooker = table.watch(table.nodes[0])
    table.play(8)
    for node in table.nodes:
        table.kill(node)
    table.wait(120)
    assert (onlooker.closed and (onlooker.closed.reason, onlooker.closed.status)) == ("watch-lost", 1)
    assert onlooker.report().verdict == "incomplete"


def test_a_lost_host_ends_the_watching_of_a_lobby() -> None:
    """Before the game the host's process is the table."""
    table = Gallery(3, automatic=False)
    onlooker = table.watch(table.nodes[0])
    table.settle()
    table.kill(table.nodes[0])
    assert (onlooker.peer.closed and (onlooker.peer.closed.reason, onlooker.peer.closed.status)) == ("host-lost", 3)


def test_an_abandoned_game_is_over_for_its_watchers() -> None:
    """Of two one is gone: the other's process says so before it ends, and the file is as far as it came."""
    table = Gallery(2, seed=3)
    onlooker = table.watch(table.nodes[0])
    table.play(6)
    table.kill(table.nodes[1])
    table.play()
    assert table.nodes[0].closed is not None
    assert (onlooker.closed and (onlooker.closed.reason, onlooker.closed.status)) == ("abandoned", 1)
    assert (onlooker.file, onlooker.report().verdict) == (table.nodes[0].file, "incomplete")


def test_a_player_who_leaves_sends_its_watchers_elsewhere() -> None:
    """The LEAVE is in the record like for everybody."""
    table = Gallery(4, seed=9)
    table.play(9)
    onlooker = table.watch(table.nodes[2])
    table.settle()
    table.nodes[2].peer.leave(table.now)
    table.settle()
    table.play()
    assert [event.reason for event in cast(list[Dropped], onlooker.of(Dropped))] == ["left"]
    assert onlooker.report().verdict == "clean"


def test_evidence_is_seen() -> None:
    """A cheat that is convicted is so for whoever watches."""
    table = Gallery(4, seed=2)
    onlooker = table.watch(table.nodes[0])
    table.play(5)
    cheat = table.nodes[3]
    said = session_of(cheat).ledger.slots[0][table.seat(cheat)]
    other = sign_game(cheat.key, said.game_id, said.epoch, 0, said.state, said.seat, Commit(9, (), b""))
    table.hand(cheat, table.nodes[1], frames.encode(frames.Bodies((other.value(),))))
    table.play()
    assert {event.seat for event in cast(list[FaultProved], onlooker.of(FaultProved))} == {table.seat(cheat)}
    assert onlooker.report().standings == table.nodes[0].report().standings
    assert onlooker.file == table.nodes[0].file


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.long) for seed in range(1, 80))])
def test_random_weather(seed: int) -> None:
    """Watchers come at any time through any player, their links break, players die, leave, are restarted: whoever sees
    the end has a clean record of it, with the players' own moves, and nobody sees what no player has."""
    source = random.Random(seed)
    players = source.choice((3, 4, 5))
    system = source.choice(("perudo", "dudo", "clasico"))
    table = Gallery(players, system, {"starting_dice": source.choice("35")}, seed=seed, code=source.choice(("", CODE)))
    table.settle()
    code = table.nodes[0].peer.lobby.door.code
    for _ in range(source.randrange(5, 40)):
        table.play(source.randrange(1, 8))
        here = [node for node in table.nodes if not node.gone and not node.closed]
        if len(here) < 2:
            break
        node = source.choice(here)
        session = node.peer.session
        owners = session.ledger.owners_in(session.ledger.game) if session else ()
        spare = 2 * (sum(table.seat(other) in owners for other in here if other.of(TableFormed)) - 1) > len(owners)
        open_ends = [(one, watched) for one in table.onlookers for watched in here
                     if one.link in watched.peer.table.links]
        match source.randrange(8):
            case 0 | 1 | 2 if len(table.onlookers) < 4:
                table.watch(node, code=code)
            case 3 | 4 if open_ends:
                table.unlink(*source.choice(open_ends))
            case 5 if spare:
                table.kill(node)
            case 6 if spare:
                node.peer.leave(table.now)
            case 7 if node.file:
                for one, watched in open_ends:
                    if watched is node:
                        table.unlink(one, watched)
                table.restart(node)
    table.play()
    table.wait(10)
    ends = [node for node in table.nodes if node.closed and node.closed.reason == "won"]
    for onlooker in table.onlookers:
        assert onlooker.closed is not None
        assert onlooker.closed.reason in ("won", "watch-lost"), onlooker.closed
        report = onlooker.report()
        assert not report.findings
        if onlooker.closed.reason == "won":
            assert report.verdict == "clean"
            assert report.winners == ends[0].report().winners
            moves = [event for event in onlooker.events if isinstance(event, ActionMade | RoundBegan)]
            all_moves = [event for event in report.events if isinstance(event, ActionMade | RoundBegan)]
            assert moves == all_moves[-len(moves):]


# --- hostile watchers


def stranger(table: Gallery, node: Node, name: bytes = b"s") -> bytes:
    """A link of a program that does as it likes, watching."""
    link = SigningKey(name * 32).public
    node.peer.linked(link, table.now)
    node.peer.received(link, frames.encode(frames.Watch(b"")), table.now)
    return link


def taken(node: Node, link: bytes) -> tuple[list[frames.Frame], bool]:
    """What a node has for a link, and whether it closes it. The rest of what it wants done is forgotten."""
    effects = node.peer.take()
    return [frames.decode(raw) for to, raw in effects.sends if to == link], link in effects.drops


def playing(players: int = 3) -> Gallery:
    """A game in its middle, everything delivered."""
    table = Gallery(players, seed=1)
    table.play(15)
    table.settle()
    return table


def hostile() -> list[frames.Frame]:
    """Every frame there is but the one that is due, some of them from a game, and that one at a wrong place."""
    table = playing()
    found = {type(frame): frame for node in table.nodes for frame in frames_to(node)}
    joins = tuple(join.signed.value() for join in table.nodes[1].peer.lobby.joins[:1])
    made: list[frames.Frame] = [
        frames.Look(), frames.Pake(bytes(32)), frames.Confirm(bytes(32)), frames.Enter(1, (), joins),
        frames.Refuse("x"), frames.ReadyNow(1), frames.Fetch(0, 0), frames.Proof(b"x"), frames.Chat("hi"),
        frames.Bye(), frames.Seen(0, (), (), "won"), frames.Bodies(()), frames.Watch(bytes(32)), frames.Watch(b"")]
    return [*made, *(frame for kind, frame in found.items() if kind not in map(type, made))]


def test_whatever_else_a_watcher_sends_costs_the_link() -> None:
    """No move, vote, talk or place for it, and nothing of it is read."""
    sorts = hostile()
    assert {type(frame) for frame in sorts} == {kind for kind, _ in frames.FRAMES.values()}
    table = playing()
    honest = table.nodes[0]
    for wrong in (*map(frames.encode, sorts), b"", b"noise", bytes(65537)):
        before = (session_of(honest).position, session_of(honest).held, list(honest.peer.lobby.members))
        link = stranger(table, honest)
        (first,), dropped = taken(honest, link)
        assert (type(first), dropped) == (frames.Lobby, False)
        honest.peer.received(link, frames.encode(frames.Watch(b"")), table.now)
        assert not taken(honest, link)[1]
        honest.peer.received(link, wrong, table.now)
        assert taken(honest, link) == ([], True), wrong
        assert link not in honest.peer.table.watchers
        assert (session_of(honest).position, session_of(honest).held, list(honest.peer.lobby.members)) == before


def test_a_body_of_a_player_counts_for_nothing_over_a_watchers_link() -> None:
    """Even a true one: who watches relays nothing."""
    table = playing()
    honest, mover = table.nodes[0], table.nodes[1]
    link = stranger(table, honest)
    taken(honest, link)
    bodies = frames.encode(frames.Bodies(tuple(signed.value() for signed in session_of(mover).since(0, 0))))
    honest.peer.received(link, bodies, table.now)
    assert taken(honest, link) == ([], True)


def test_only_one_frame_is_out_at_a_time() -> None:
    """Who does not take what it has been given gets nothing more, and is sent away; the game waits for nobody."""
    table = playing()
    honest = table.nodes[0]
    link = stranger(table, honest)
    assert len(taken(honest, link)[0]) == 1
    lost_at = 0.0
    begun = table.now
    sent: list[frames.Frame] = []
    while not lost_at:
        table.now += 1.0
        for node in table.nodes:
            node.peer.tick(table.now)
        more, dropped = taken(honest, link)
        sent += more
        lost_at = table.now if dropped else 0.0
    assert not sent
    assert LAG_S < lost_at - begun <= LAG_S + 3
    assert link not in honest.peer.table.watchers


def test_the_past_is_shown_at_a_pace(monkeypatch: pytest.MonkeyPatch) -> None:
    """However quickly it is taken: what was missed is not sent all at once."""
    monkeypatch.setattr(frames, "BATCH_BYTES", 2000)
    table = Gallery(3, seed=1)
    table.play(30)
    onlooker = table.watch(table.nodes[0])
    times: list[float] = []

    def watched(sender: Node, receiver: Node, frame: bytes) -> bytes:
        seen = frames.decode(frame)
        if receiver is onlooker and isinstance(seen, frames.Seen):
            times.append(table.now)
            if seen.then == "wait":
                table.deliver = lambda sender, receiver, frame: frame
        return frame
    table.deliver = watched
    table.settle()
    assert len(times) == 1
    table.wait(10)
    assert len(times) > 5
    assert all(later - sooner >= PACE_S for sooner, later in pairwise(times))
    assert onlooker.file == table.nodes[0].file


def test_asking_twice_costs_the_link() -> None:
    """Acknowledgements answer frames, one each: a flood of them is none."""
    table = playing()
    honest = table.nodes[0]
    link = stranger(table, honest)
    honest.peer.received(link, frames.encode(frames.Watch(b"")), table.now)
    assert taken(honest, link)[1]


def test_so_many_may_watch_through_one_process() -> None:
    """The next is refused, until one goes; a player cannot watch besides."""
    table = playing()
    honest = table.nodes[0]
    links = [stranger(table, honest, bytes([number])) for number in range(1, frames.MOST_WATCHERS + 2)]
    assert links[0] in honest.peer.table.watchers
    effects = honest.peer.take()
    assert effects.drops == [links[-1]]
    assert [raw for to, raw in effects.sends if to == links[-1]] == [frames.encode(frames.Refuse("watchers"))]
    honest.peer.lost(links[0], table.now)
    assert stranger(table, honest, b"z") in honest.peer.table.watchers
    table.hand(table.nodes[1], honest, frames.encode(frames.Watch(b"")))
    assert table.nodes[1].link not in honest.peer.table.watchers
    assert len(honest.peer.table.watchers) == frames.MOST_WATCHERS


def test_a_process_ends_though_a_watcher_takes_nothing() -> None:
    """After the end everything is answered for some seconds, not for ever."""
    table = playing(2)
    honest = table.nodes[0]
    links = [stranger(table, node) for node in table.nodes]
    assert links[0] in honest.peer.table.watchers
    table.play()
    assert honest.closed
    assert not honest.peer.finished(table.now)
    assert honest.peer.finished(table.now + 6)


# --- hostile players


@pytest.mark.slow
def test_a_watched_process_that_changes_the_record() -> None:
    """A move changed, a record left out or put twice, noise: refused where it comes; the others' is asked for."""
    for cheat in range(4):
        table = Gallery(3, options={"starting_dice": "2"}, seed=11)
        onlooker = table.watch(table.nodes[0])
        table.play(6)
        source = random.Random(cheat)

        def spoilt(sender: Node, receiver: Node, frame: bytes, cheat: int = cheat, table: Gallery = table,
                   source: random.Random = source) -> bytes:
            seen = frames.decode(frame)
            if receiver not in table.onlookers or sender is not table.nodes[0] or not isinstance(seen, frames.Seen):
                return frame
            records = list(seen.records)
            if records:
                at = source.randrange(len(records))
                kind, body, signature = records[at]
                match cheat:
                    case 0:
                        records[at] = (kind, body[:-1] + bytes([body[-1] ^ 1]), signature)
                    case 1:
                        del records[at]
                        records += [(kind, body, signature)] * 2
                    case 2:
                        records.insert(at, records[at])
                    case 3:
                        records[at] = ("vote", body, signature)
            return frames.encode(seen._replace(records=tuple(records)))
        table.deliver = spoilt
        table.play()
        assert onlooker.faults
        assert onlooker.closed is not None
        assert (onlooker.closed.reason, onlooker.report().verdict) == ("won", "clean")
        assert onlooker.file == table.nodes[1].file


def test_a_process_that_says_that_the_game_is_over_is_not_believed() -> None:
    """Who has won stands in the record."""
    table = Gallery(3, seed=12)
    onlooker = table.watch(table.nodes[0])
    table.play(6)
    table.hand(table.nodes[0], onlooker, frames.encode(frames.Seen(0, (), (), "won")))
    assert onlooker.faults == ["not-over"]
    table.play()
    assert (onlooker.closed and onlooker.closed.reason, onlooker.report().verdict) == ("won", "clean")


def test_a_watched_process_cannot_fill_the_screen() -> None:
    """News are not signed: of a flood of them so many a minute are told."""
    table = Gallery(3, seed=12)
    onlooker = table.watch(table.nodes[0])
    table.play(6)
    before = len(onlooker.of(ChatSaid))
    news = tuple(("chat", (0,), f"line {number}") for number in range(frames.MOST_NEWS))
    for _ in range(100):
        table.hand(table.nodes[0], onlooker, frames.encode(frames.Seen(0, (), news, "wait")))
    onlooker.events += onlooker.peer.take().events
    assert len(onlooker.of(ChatSaid)) - before == 3 * NEWS_PER_MINUTE
    table.now += 61
    table.hand(table.nodes[0], onlooker, frames.encode(frames.Seen(0, (), news, "wait")))
    onlooker.events += onlooker.peer.take().events
    assert len(onlooker.of(ChatSaid)) - before == 3 * NEWS_PER_MINUTE + frames.MOST_NEWS


def test_another_game_is_not_gone_on_with() -> None:
    """The process that is asked next belongs to another table."""
    table, other = Gallery(3, seed=13), Gallery(3, seed=14)
    onlooker = table.watch(table.nodes[0])
    table.play(6)
    other.play(6)
    card = other.nodes[0].peer.lobby.shown(True)
    table.hand(table.nodes[0], onlooker, frames.encode(card))
    assert onlooker.faults == ["another-room"]


def test_a_restarted_process_is_watched_with_the_same_code() -> None:
    """What it kept says how the door stood, and all the record is there."""
    table = Gallery(3, seed=15, code=CODE)
    table.play(10)
    for node in table.nodes[:2]:
        table.restart(node)
    table.settle()
    onlookers = [table.watch(table.nodes[0], code=CODE), table.watch(table.nodes[1], code=CODE)]
    without = table.watch(table.nodes[0])
    table.play()
    assert without.closed and without.closed.reason == "code-needed"  # noqa: PT018
    assert {onlooker.file for onlooker in onlookers} == {table.nodes[2].file}
    kept: dict[str, Any] = {name: raw for name, raw in table.nodes[0].kept.items() if name != "code"}
    table.nodes[0].kept = kept
    table.restart(table.nodes[0])
    assert not table.nodes[0].peer.table.watchers.admits


def test_nobody_watches_through_a_process_that_comes_back_to_a_toss() -> None:
    """Until the game has begun for it, it asks nobody for the code, so it shows nothing; then it does both."""
    table = Gallery(3, seed=16, code=CODE)
    late = table.nodes[1]

    def held_back(sender: Node, receiver: Node, frame: bytes) -> bytes | None:
        toss = receiver.peer.lobby.toss if receiver is late else None
        return None if toss and toss.position > 3 else frame
    table.deliver = held_back
    while not table.nodes[0].peer.seats:
        if not table.flush():
            table.wait(0.5)
    assert not late.peer.seats
    table.restart(late)
    early = stranger(table, late)
    assert taken(late, early) == ([frames.Refuse("watchers")], True)
    table.deliver = lambda sender, receiver, frame: frame
    table.wait(6)
    assert late.peer.seats
    without, onlooker = table.watch(late), table.watch(late, code=CODE)
    table.play()
    assert without.closed and without.closed.reason == "code-needed"  # noqa: PT018
    assert onlooker.file == table.nodes[0].file


def test_who_goes_takes_its_watchers_along() -> None:
    """How many watch is counted through those at the table: not through whoever has left it and keeps its link."""
    table = Table(3, "perudo", needed=6, automatic=False)
    table.settle()
    host, guest = table.nodes[:2]
    table.hand(guest, host, frames.encode(frames.Ping((), 0, 0, 0, 0, b"", b"", (), 8)))
    table.settle()
    table.hand(guest, host, frames.encode(frames.Bye()))
    table.settle()
    table.hand(guest, host, frames.encode(frames.Watch(b"")))
    table.settle()
    assert [cast(Watched, event).count for event in host.of(Watched)] == [8, 0, 1]
