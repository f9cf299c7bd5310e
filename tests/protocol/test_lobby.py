"""Before the game: everyone accepts one roster and one set of rules, and nobody's nonce is used twice."""

from collections.abc import Callable
from dataclasses import replace
from typing import cast

import pytest

from p2pdice.fairness.keys import SigningKey
from p2pdice.protocol import frames
from p2pdice.protocol.errors import LocalFault, Malformed, PeerFault
from p2pdice.protocol.events import ChatSaid, LobbyChanged, TableFormed
from p2pdice.protocol.lobby import MOST_TOSSES, TOSS_S, GuestLobby, HostLobby
from p2pdice.protocol.members import Member
from p2pdice.protocol.messages import sign
from p2pdice.protocol.peer import Peer
from p2pdice.protocol.roster import Roster, Terms, parse_join, parse_roster, sign_join, sign_roster
from p2pdice.protocol.toss import Toss
from p2pdice.rules import make_ruleset
from tests.tablekit import Table


def host_lobby(table: Table) -> HostLobby:
    lobby = table.nodes[0].peer.lobby
    assert isinstance(lobby, HostLobby)
    return lobby


def test_all_peers_come_to_one_game() -> None:
    """Game id, words, seats and names are the same everywhere, whatever order the messages came in."""
    for seed in range(20):
        table = Table(4, seed=seed)
        table.settle()
        formed = [cast(TableFormed, node.of(TableFormed)[0]) for node in table.nodes]
        assert len({(event.game, event.words, event.names, event.bots) for event in formed}) == 1
        assert sorted(event.you for event in formed) == [0, 1, 2, 3]
        assert {node.file for node in table.nodes} == {table.nodes[0].file}
        assert not any(node.faults for node in table.nodes)


def test_bots_sit_with_their_owner() -> None:
    """A bot is a full player with a key of its own; everyone sees whose it is."""
    table = Table(5, bots=3, seed=1)
    table.settle()
    formed = cast(TableFormed, table.nodes[1].of(TableFormed)[0])
    host = table.seat(table.nodes[0])
    assert sorted(formed.bots, key=str) == [host, host, host, None, None]
    assert len(set(table.nodes[0].peer.seats)) == 4


def test_the_game_waits_for_a_person_to_accept() -> None:
    """With a person at a place, nothing is signed before Enter; then the game starts by itself."""
    table = Table(3, automatic=False)
    table.settle()
    assert not table.nodes[0].of(TableFormed)
    table.nodes[1].peer.ready(table.now)
    table.settle()
    assert not table.nodes[0].of(TableFormed)
    seen = cast(LobbyChanged, table.nodes[0].of(LobbyChanged)[-1])
    assert sorted(seen.ready) == [False, True, True]
    table.nodes[2].peer.ready(table.now)
    table.settle()
    assert all(node.of(TableFormed) for node in table.nodes)


def test_the_host_starts_when_no_number_was_given() -> None:
    """`/start` begins with those who are there; alone it is refused with what is missing."""
    alone = Table(1, needed=0)
    with pytest.raises(LocalFault, match="too-few-players"):
        alone.nodes[0].peer.start(alone.now)
    table = Table(3, needed=0)
    table.settle()
    assert not table.nodes[0].of(TableFormed)
    with pytest.raises(LocalFault, match="only-the-host"):
        table.nodes[1].peer.start(table.now)
    table.nodes[0].peer.start(table.now)
    table.settle()
    assert all(node.of(TableFormed) for node in table.nodes)


def test_a_full_table_refuses_and_says_so() -> None:
    """The one too many is told and ends with status 3; the others play."""
    table = Table(3, needed=2)
    table.settle()
    refused = [node for node in table.nodes if node.closed]
    assert len(refused) == 1
    assert refused[0].closed is not None
    assert (refused[0].closed.status, refused[0].closed.reason) in ((3, "refused-full"), (3, "table-full"))
    assert sum(bool(node.of(TableFormed)) for node in table.nodes) == 2


def test_a_table_has_no_more_seats_than_its_rules() -> None:
    """The seventh at a clasico table is refused at the door, guest or bot; the six can start."""
    table = Table(7, "clasico", needed=0)
    table.settle()
    assert len(host_lobby(table).joins) == 6
    assert [node.closed.reason for node in table.nodes if node.closed] == ["refused-full"]
    for node in table.nodes:
        if not node.closed:
            with pytest.raises(LocalFault, match="table-full"):
                node.peer.add_bot("bot", table.now)
    table.nodes[0].peer.start(table.now)
    table.settle()
    assert sum(bool(node.of(TableFormed)) for node in table.nodes) == 6


def test_a_spoilt_copy_of_an_early_opening_does_not_hide_the_true_one() -> None:
    """A SEAT_OPEN that comes before the last ACCEPT is kept unread, with whatever signature it came (row 47)."""
    table = Table(2, seed=3)
    table.settle()
    done = table.nodes[0].peer.lobby.toss
    assert done is not None
    roster, accept, other_accept, opening, other = done.known()
    late = Toss(done.roster, {})
    late.receive(replace(opening, signature=bytes(64)))
    late.receive(opening)
    late.receive(accept)
    late.receive(other_accept)
    late.receive(other)
    assert late.seated is not None
    assert roster == done.roster.signed


def test_other_rules_than_wanted_are_refused_by_the_guest() -> None:
    """A guest that insists on rules never asks for a seat where others are played."""
    table = Table(2)
    guest = GuestLobby(table.nodes[1].peer.lobby.players, table.nodes[0].link, wanted=make_ruleset("dudo", {}),
                       automatic=True)
    guest.card(host_lobby(table).shown(False))
    assert guest.closed
    assert [frame for _, frame in guest.out if isinstance(frame, frames.Enter)] == []


def test_a_guest_signs_no_roster_but_its_own() -> None:
    """Another room, other terms, an old JOIN of its own, or terms not yet accepted: no ACCEPT."""
    table = Table(2, needed=0)
    table.settle()
    lobby = table.nodes[1].peer.lobby
    assert isinstance(lobby, GuestLobby)
    host = host_lobby(table)
    assert host.terms is not None
    stale = list(lobby.players.joins)
    joins = host.joins
    others = Terms(make_ruleset("doodoo", {}), host.terms.turn_time_s, host.terms.drop_time_s)
    with pytest.raises(Malformed, match="not-my-roster"):
        lobby.take_signed(sign_roster(host.players.key, host.room, others, joins))
    lobby.players.join(lobby.room)
    assert lobby.players.joins != stale
    with pytest.raises(Malformed, match="not-my-roster"):
        lobby.take_signed(sign_roster(host.players.key, host.room, host.terms, joins))
    lobby.players.joins = stale
    lobby.ready = False
    with pytest.raises(Malformed, match="not-my-roster"):
        lobby.take_signed(sign_roster(host.players.key, host.room, host.terms, joins))
    assert lobby.toss is None
    lobby.ready = True
    lobby.take_signed(sign_roster(host.players.key, host.room, host.terms, joins))
    assert lobby.toss is not None


def _for_friends(players: int, friends: int) -> Table:
    """A table at which only the first of them may sit, as all of those know."""
    table = Table(players, needed=friends)
    for node in table.nodes[:friends]:
        node.peer.lobby._only = frozenset(friend.link for friend in table.nodes[:friends])
    return table


def test_a_table_for_friends_is_full_for_everybody_else() -> None:
    """A stranger is refused by what it sees, and also if it asks all the same; the friends play."""
    table = _for_friends(4, 3)
    stranger = table.nodes[3]
    table.settle()
    assert stranger.closed is not None
    assert (stranger.closed.status, stranger.closed.reason) == (3, "table-full")
    assert all(node.of(TableFormed) for node in table.nodes[:3])
    table = _for_friends(3, 3)
    host, stranger = host_lobby(table), Table(1, seed=5).nodes[0]
    stranger.peer.lobby.players.join(host.room)
    joins = tuple(join.signed.value() for join in stranger.peer.lobby.players.joins)
    host.enter(stranger.link, frames.Enter(0, (), joins), table.now)
    assert host.out[-1] == (stranger.link, frames.Refuse("full"))
    assert stranger.link not in {member.key for member in host.members}


def test_a_friend_signs_no_roster_with_a_stranger() -> None:
    """Whoever plays again has agreed to the people, too: not even the host can seat another one."""
    table = _for_friends(3, 2)
    host_lobby(table)._only = frozenset()
    table.nodes[2].peer.lobby.needed = table.nodes[0].peer.lobby.needed = 3
    table.settle()
    assert "not-my-roster" in table.nodes[1].faults
    assert not any(node.of(TableFormed) for node in table.nodes)


def test_a_guest_follows_nobody_but_the_host_to_a_table() -> None:
    """Another guest, who knows all JOINs, proposes a roster of two: it is refused, and the toss of all goes on."""
    table = Table(3, needed=0)
    table.settle()
    host, rogue, victim = table.nodes
    joins = [join for join in host_lobby(table).joins if join.key != host.link]
    terms = host_lobby(table).terms
    assert terms is not None
    roster = sign_roster(rogue.key, host_lobby(table).room, terms, joins)
    table.hand(rogue, victim, frames.encode(frames.Bodies((roster.value(),))))
    assert victim.faults == ["not-my-roster"]
    host.peer.start(table.now)
    table.settle()
    assert all(len(cast(TableFormed, node.of(TableFormed)[0]).names) == 3 for node in table.nodes)


def test_a_guest_counts_failed_tosses_too() -> None:
    """A host that goes on and on would throw the seats until it likes them."""
    table = Table(2, needed=0)
    table.settle()
    host, guest = table.nodes
    for attempt in range(1, MOST_TOSSES + 1):
        assert not guest.closed
        table.hand(host, guest, frames.encode(host_lobby(table).roll()._replace(attempt=attempt)))
        table.settle()
    assert guest.closed
    assert guest.closed.reason == "refused-toss-failed"


def test_whoever_has_left_the_lobby_is_not_dialled_any_more() -> None:
    """Nor any of the keys that a host makes up, one after the other, with addresses of others' computers."""
    table = Table(3, needed=0)
    table.settle()
    host, guest, other = table.nodes
    lobby = host_lobby(table)
    own = next(member for member in lobby.members if member.key == guest.link)
    dialled = set()
    for number in range(5):
        key = SigningKey(bytes([number]) * 32)
        join = sign_join(key, lobby.room, "Zoe", bytes(32), key.public)
        made = Member((parse_join(join, lobby.room),), False, 80, ("192.0.2.1", "8.8.8.8"))
        roll = lobby.roll()._replace(members=(own.value(), made.value()))
        table.hand(host, guest, frames.encode(roll))
        effects = guest.peer.take()
        dialled |= {dial[0] for dial in effects.dials}
        guest.drops += effects.drops
    assert len(dialled) == 5
    assert dialled - set(guest.drops) == {key.public}
    assert other.link in guest.drops


def test_who_comes_and_goes_at_once_is_dialled_if_they_have_come_back() -> None:
    """Several lists of the host are read before anything is done: the last one counts, not that somebody was new."""
    table = Table(3, needed=0)
    table.settle()
    host, guest, other = table.nodes
    lobby = host_lobby(table)
    roll = lobby.roll()
    without = roll._replace(members=tuple(member.value() for member in lobby.members if member.key != other.link))
    for rolls, dialled in (([without, roll, without], set()), ([roll, without, roll], {other.link})):
        guest.peer.take()
        for one in rolls:
            table.hand(host, guest, frames.encode(one))
        assert {dial[0] for dial in guest.peer.take().dials} == dialled


def test_what_a_guest_wants_before_it_has_seen_the_table_counts_once_it_has() -> None:
    """Whoever plays again brings its bots before the card has come, and with a code that takes a while: seats are asked
    for with them, and by the last name."""
    table = Table(2, needed=3)
    guest = table.nodes[1]
    bot = guest.peer.add_bot("bot", table.now)
    guest.peer.rename("Berta", table.now)
    table.settle()
    for node in table.nodes:
        assert sorted(cast(TableFormed, node.of(TableFormed)[0]).names) == ["Ana", "Berta", "bot"]
    assert bot in guest.peer.lobby.players.secrets


def test_a_player_that_does_not_open_is_left_out_by_name() -> None:
    """After a toss that somebody sits out, the others bring fresh JOINs and play."""
    table = Table(3, needed=0)
    table.settle()
    mute = table.nodes[2]
    table.deliver = lambda sender, receiver, frame: (
        None if sender is mute and isinstance(frames.decode(frame), frames.Bodies) else frame)
    first = {join.key: join.signed.body for join in host_lobby(table).joins}
    table.nodes[0].peer.start(table.now)
    table.wait(TOSS_S + 3)
    assert mute.closed is not None
    assert mute.closed.reason == "refused-silent"
    formed = cast(TableFormed, table.nodes[0].of(TableFormed)[0])
    assert set(formed.names) == {"Ana", "Beto"}
    again = {join.key: join.signed.body for join in host_lobby(table).joins}
    assert all(again[key] != first[key] for key in again)
    assert MOST_TOSSES == 3


def test_three_failed_tosses_close_the_table() -> None:
    """Refusing to open is a second throw of the seats, so it is not for ever."""
    table = Table(4, needed=0)
    table.settle()
    table.deliver = lambda sender, receiver, frame: (
        None if sender is not table.nodes[0] and isinstance(frames.decode(frame), frames.Bodies) else frame)
    lobby = host_lobby(table)
    table.nodes[0].peer.start(table.now)
    lobby.attempt = MOST_TOSSES - 1
    table.wait(TOSS_S + 3)
    closed = table.nodes[0].closed
    assert closed is not None
    assert (closed.reason, closed.status) == ("toss-failed", 3)
    assert all(node.closed for node in table.nodes)


def test_leaving_the_lobby() -> None:
    """A guest that goes frees its place; when the host goes, everyone is told and ends with status 3."""
    table = Table(3, needed=0)
    table.settle()
    table.nodes[1].peer.leave(table.now)
    table.settle()
    assert table.nodes[1].closed is not None
    assert table.nodes[1].closed.status == 0
    assert cast(LobbyChanged, table.nodes[0].of(LobbyChanged)[-1]).names == ("Ana", "Caro")
    table.nodes[0].peer.leave(table.now)
    table.settle()
    assert table.nodes[2].closed is not None
    assert (table.nodes[2].closed.status, table.nodes[2].closed.reason) == (3, "host-left")


def test_a_lost_host_ends_the_lobby() -> None:
    """The link to the host is the lobby: without it there is none."""
    table = Table(2, needed=0)
    table.settle()
    table.nodes[1].peer.lost(table.nodes[0].link, table.now)
    table.nodes[0].peer.lost(table.nodes[1].link, table.now)
    table.settle()
    closed = table.nodes[1].closed
    assert closed is not None
    assert (closed.status, closed.reason) == (3, "host-lost")
    assert cast(LobbyChanged, table.nodes[0].of(LobbyChanged)[-1]).names == ("Ana",)


def test_kick_rename_bot_and_talk() -> None:
    """The commands of the lobby, and what they refuse."""
    table = Table(3, needed=0)
    table.settle()
    host, guest = table.nodes[0].peer, table.nodes[1].peer
    guest.rename("Bea", table.now)
    guest.add_bot("bot", table.now)
    host.add_bot("bot", table.now)
    guest.say("hola", table.now)
    table.settle()
    seen = cast(LobbyChanged, table.nodes[2].of(LobbyChanged)[-1])
    assert sorted(seen.names) == ["Ana", "Bea", "Caro", "bot", "bot"]
    assert cast(ChatSaid, table.nodes[2].of(ChatSaid)[-1]).text == "hola"
    with pytest.raises(LocalFault, match="no-such-player"):
        host.kick(seen.names.index("Ana"), table.now)
    with pytest.raises(LocalFault, match="only-the-host"):
        guest.kick(0, table.now)
    places = cast(LobbyChanged, table.nodes[0].of(LobbyChanged)[-1])
    own_bot = next(place for place, owner in enumerate(places.bots) if owner == places.names.index("Ana"))
    host.kick(own_bot, table.now)
    table.settle()
    places = cast(LobbyChanged, table.nodes[0].of(LobbyChanged)[-1])
    host.kick(places.names.index("Bea"), table.now)
    table.settle()
    assert table.nodes[1].closed is not None
    assert table.nodes[1].closed.reason == "refused-kicked"
    assert cast(LobbyChanged, table.nodes[2].of(LobbyChanged)[-1]).names == ("Ana", "Caro")


def test_after_the_start_the_lobby_is_over() -> None:
    """Names, bots and places are part of what was signed."""
    table = Table(2)
    table.settle()
    peer = table.nodes[0].peer
    forbidden: list[Callable[[], object]] = [
        lambda: peer.rename("X", 0.0), lambda: peer.add_bot("bot", 0.0), lambda: peer.kick(1, 0.0),
        lambda: peer.start(0.0)]
    for do in forbidden:
        with pytest.raises(LocalFault, match="too-late"):
            do()


def _roster() -> tuple[SigningKey, bytes, Terms, list[object]]:
    room = bytes(16)
    keys = sorted((SigningKey(bytes([number]) * 32) for number in range(1, 4)), key=lambda key: key.public)
    joins = [parse_join(sign_join(key, room, f"n{number}", bytes(32), key.public), room)
             for number, key in enumerate(keys)]
    return keys[0], room, Terms(make_ruleset("perudo", {}), 120, 90), list(joins)


def test_a_roster_must_be_in_order_and_signed_by_one_of_its_players() -> None:
    """Keys ascend, each JOIN is of this room and rightly signed, and the proposer is one of the players."""
    key, room, terms, joins = _roster()
    signed = sign_roster(key, room, terms, joins)  # type: ignore[arg-type]
    roster: Roster = parse_roster(signed)
    assert [join.nick for join in roster.joins] == ["n0", "n1", "n2"]
    with pytest.raises(Malformed, match="bad-signature"):
        parse_roster(sign_roster(SigningKey(b"q" * 32), room, terms, joins))  # type: ignore[arg-type]
    with pytest.raises(Malformed, match="bad-signature"):
        parse_roster(replace(signed, signature=bytes(64)))
    with pytest.raises(Malformed, match="wrong-number-of-players"):
        parse_roster(sign_roster(key, room, terms, joins[:1]))  # type: ignore[arg-type]


def test_a_bot_without_its_owners_word_is_refused() -> None:
    """Both sides must agree: a key cannot be made somebody's bot, nor somebody a bot's owner, by one side alone."""
    key, room, terms, joins = _roster()
    other = SigningKey(b"w" * 32)
    for owner, bots in ((key.public, ()), (other.public, (key.public,))):
        stray = parse_join(sign_join(other, room, "x", bytes(32), owner, bots), room)
        with pytest.raises(Malformed, match="without"):
            parse_roster(sign_roster(key, room, terms, [*joins, stray]))  # type: ignore[list-item]


def test_joins_of_another_key_or_room_are_refused_at_the_door() -> None:
    """A seat is given to the key that the link proved, and to no other."""
    table = Table(2, needed=0)
    table.settle()
    host, stranger = table.nodes[0].peer, SigningKey(b"s" * 32)
    host.linked(stranger.public, table.now)
    room = host.lobby.room
    for join, reason in (
            (sign_join(SigningKey(b"t" * 32), room, "x", bytes(32), SigningKey(b"t" * 32).public), "not-the-owner"),
            (sign_join(stranger, bytes(16), "x", bytes(32), stranger.public), "another-room"),
            (sign_join(stranger, room, "x", bytes(32), table.nodes[1].link), "bot-without-owner")):
        with pytest.raises(PeerFault) as caught:
            host.received(stranger.public, frames.encode(frames.Enter(1, (), (join.value(),))), table.now)
        assert caught.value.reason == reason
    weak = (1, "JOIN", room, b"\x01" + bytes(31), "x", bytes(32), b"\x01" + bytes(31), ())
    body = sign(stranger, weak)
    with pytest.raises(PeerFault) as caught:
        host.received(stranger.public, frames.encode(frames.Enter(1, (), (body.value(),))), table.now)
    assert caught.value.reason == "weak-key"
    assert [join.nick for join in host.lobby.joins] == ["Ana", "Beto"]


@pytest.mark.parametrize(("reason", "shown"), [
    ("kicked", "kicked"), ("\u202ereve\u200bnge", "unknown"), ("", "unknown"), ("read this", "unknown")])
def test_a_host_refuses_with_a_word(reason: str, shown: str) -> None:
    """Whatever else it says there does not get to a screen."""
    table = Table(2, needed=0)
    table.settle()
    table.hand(table.nodes[0], table.nodes[1], frames.encode(frames.Refuse(reason)))
    table.settle()
    assert table.nodes[1].closed
    assert table.nodes[1].closed.reason == f"refused-{shown}"


def test_a_lobby_has_no_more_players_than_a_table() -> None:
    """A guest shows it to those who watch through it, in one frame."""
    table = Table(2, needed=0)
    table.settle()
    host, guest = table.nodes
    lobby = host_lobby(table)
    made = []
    for number in range(33):
        key = SigningKey(bytes([number]) * 32)
        join = parse_join(sign_join(key, lobby.room, "x" * 96, bytes(32), key.public), lobby.room)
        made.append(Member((join,), False, 1, ("x" * 64,) * 16).value())
    bots = [SigningKey(bytes([99, number] * 16)) for number in range(3)]
    owner = sign_join(host.key, lobby.room, "x", bytes(32), host.link, [bot.public for bot in bots])
    joins = [owner, *(sign_join(bot, lobby.room, "x", bytes(32), host.link) for bot in bots)]
    crowd = (tuple(join.value() for join in joins), 0, 1, ("x" * 64,) * 16)
    for members in ((crowd, *made[:30]), (crowd, *made[:28])):
        table.hand(host, guest, frames.encode(lobby.roll()._replace(members=members)))
    assert guest.faults == ["too-many-players"]
    assert len(frames.encode(guest.peer.lobby.roll())) < 60_000


@pytest.mark.parametrize("again", ["bot", "owner"])
def test_whoever_brings_one_player_twice_is_refused(again: str) -> None:
    """A roster with them would be none: the host refuses at the door, and goes on with the others."""
    table = Table(3, needed=4)
    table.settle()
    host, rogue = table.nodes[:2]
    bot, room = SigningKey(b"b" * 32), host_lobby(table).room
    twice = bot if again == "bot" else rogue.key
    joins = [sign_join(rogue.key, room, "Zoe", bytes(32), rogue.link, [twice.public]),
             *[sign_join(twice, room, "bot", bytes(32), rogue.link)] * (2 if again == "bot" else 1)]
    table.hand(rogue, host, frames.encode(frames.Enter(1, (), tuple(join.value() for join in joins))))
    table.hand(rogue, host, frames.encode(frames.ReadyNow(1)))
    assert host.faults == ["bot-without-owner"]
    assert len(host_lobby(table).joins) == 3


def test_a_stranger_sees_the_card_and_nothing_else() -> None:
    """Looking gives the card; talk, pings and requests of a stranger are not even answered."""
    table = Table(2, needed=0)
    table.settle()
    host: Peer = table.nodes[0].peer
    stranger = SigningKey(b"s" * 32).public
    host.take()
    host.linked(stranger, table.now)
    for frame in (frames.Chat("hi"), frames.Fetch(0, 0), frames.Ping((), 0, 0, 0, 0, b"", b""), frames.ReadyNow(1),
                  frames.Bye()):
        host.received(stranger, frames.encode(frame), table.now)
    assert [send for send in host.take().sends if send[0] == stranger] == []
    host.received(stranger, frames.encode(frames.Look()), table.now)
    (_, raw), = [send for send in host.take().sends if send[0] == stranger]
    card = frames.decode(raw)
    assert isinstance(card, frames.Card)
    assert (card.title, card.state, card.nicks) == ("Mesa", "open", ("Ana", "Beto"))
    host.say("among us", table.now)
    assert all(link != stranger for link, _ in host.take().sends)
