"""The room code: whoever knows it sits down, whoever does not sees that there is a table, and learns nothing."""

import itertools
import random
from typing import cast

import pytest

from p2pdice.protocol import frames, roomcode
from p2pdice.protocol.errors import PeerFault
from p2pdice.protocol.events import LobbyChanged, TableFormed
from p2pdice.protocol.heartbeat import PING_S
from p2pdice.protocol.roomcode import (
    EXCHANGE_S,
    MOST_GUESSES,
    PAIR_S,
    SLOWEST_S,
    ChannelSession,
    Door,
    Exchange,
    make,
    normal,
)
from tests.tablekit import Node, Table

CODE = "bido-kare-muna"

def lobby(node: Node) -> LobbyChanged:
    return cast(LobbyChanged, node.of(LobbyChanged)[-1])


def session(number: int, *, dialled: bool = False, address: str = "10.0.0.9") -> ChannelSession:
    return ChannelSession(dialled, address, tuple((8 * number + part).to_bytes(32, "big") for part in range(5)))


def keys(door: Door) -> list[str]:
    """What a door has to say, emptied: the kinds of frames."""
    said, door.out = [type(frame).__name__ for _, frame in door.out], []
    return said


class Guesser:
    """Dials a door again and again, each time with a code."""

    def __init__(self, door: Door, seed: int = 1) -> None:
        self.door, self.random, self.number = door, random.Random(seed), 0

    def begin(self, code: str, now: float, address: str = "10.0.0.9") -> tuple[bytes, Exchange]:
        """Dial and send the first message."""
        self.number += 1
        link = self.number.to_bytes(32, "big")
        self.door.linked(link, session(self.number, address=address))
        exchange = Exchange(code, session(self.number, dialled=True), self.random.randbytes)
        self.door.received(link, frames.Pake(exchange.message), now)
        self.door.step(now, lambda link: True)
        return link, exchange

    def finish(self, link: bytes, exchange: Exchange, now: float) -> bool:
        """Take the answer, confirm; whether the door took it."""
        (answer,) = [frame for to, frame in self.door.out if to == link]
        assert isinstance(answer, frames.Pake)
        exchange.take(answer.message)
        self.door.received(link, frames.Confirm(exchange.confirmation()), now)
        self.door.step(now, lambda link: True)
        return link in self.door.proven

    def guess(self, code: str, now: float, address: str = "10.0.0.9") -> bool:
        """A whole exchange, at a time when the address is answered."""
        self.door.out.clear()
        return self.finish(*self.begin(code, now, address), now)


def door(seed: int = 0) -> Door:
    return Door(CODE, random.Random(seed).randbytes)


def test_those_who_know_the_code_play() -> None:
    """A table with a code comes to one game, whatever order messages come in, and everyone's lobby shows the code."""
    for seed in range(3):
        table = Table(4, seed=seed, code=CODE)
        table.settle()
        formed = [cast(TableFormed, node.of(TableFormed)[0]) for node in table.nodes]
        assert len({(event.game, event.words) for event in formed}) == 1
        assert {lobby(node).code for node in table.nodes} == {CODE}
        assert not any(node.faults or node.drops for node in table.nodes)
        for node, other in itertools.combinations(table.nodes, 2):
            # Who says the last word is in the game before it arrives, perhaps.
            assert other.link in node.peer.lobby.door.proven or node.link in other.peer.lobby.door.proven


@pytest.mark.parametrize("typed", ["BIDO KARE MUNA", " bido–kare - muna ", "bido.kare,muna", "Bido\tKare\x1bMuna"])
def test_case_spaces_and_dashes_do_not_matter(typed: str) -> None:
    """A code read aloud and typed by somebody else is the same code."""
    assert normal(typed) == CODE


def test_made_codes_are_three_made_words() -> None:
    """They are in their normal form already, and no two are alike."""
    made = {make(random.Random(seed).randbytes) for seed in range(50)}
    assert len(made) == 50
    assert all(normal(code) == code and len(code) == 14 for code in made)
    assert len(normal("ñ" * 10_000).encode()) <= frames.CODE_BYTES


def test_a_wrong_code_ends_the_visit_with_3() -> None:
    """The guest is told and its connection closed; the others play on without noticing."""
    table = Table(3, needed=2, code=CODE, wrong={2: "duka-silo-pamo"})
    table.settle()
    wrong = table.nodes[2]
    assert wrong.closed is not None
    assert (wrong.closed.status, wrong.closed.reason) == (3, "refused-code")
    assert table.nodes[0].drops == [wrong.link]
    assert all(node.of(TableFormed) for node in table.nodes[:2])
    assert not wrong.of(LobbyChanged)


@pytest.mark.parametrize(("code", "guest", "reason"), [(CODE, "", "code-needed"), ("", CODE, "no-code")])
def test_a_code_on_one_side_only_is_no_seat(code: str, guest: str, reason: str) -> None:
    """Without the code nothing is tried; and a table without one is not the table that the user was told of."""
    table = Table(2, code=code, wrong={1: guest})
    table.settle()
    closed = table.nodes[1].closed
    assert closed is not None
    assert (closed.status, closed.reason) == (3, reason)
    assert not lobby(table.nodes[0]).names[1:]


def test_a_stranger_sees_that_there_is_a_table_and_nothing_else() -> None:
    """The card holds title and state; a seat, signed bodies and everything else are not answered and change nothing."""
    table = Table(3, code=CODE, wrong={2: ""}, automatic=False)
    table.settle()
    host, member, stranger = table.nodes
    cards = [frames.decode(frame) for sender, frame in stranger.inbox if sender == host.link]
    assert cards == [frames.Card(host.peer.lobby.room, "Mesa", "open", 0, (), "", (), 0, 0, 1)]
    before = (host.peer.lobby.members, lobby(host))
    enters = [frame for _, frame in host.inbox if isinstance(frames.decode(frame), frames.Enter)]
    bodies = frames.encode(frames.Bodies((host.peer.lobby.joins[0].signed.value(),)))
    chat = frames.encode(frames.Chat("let me in"))
    ping = frames.encode(frames.Ping((), 0, 0, 0, 0, b"", b""))
    for frame in (*enters, bodies, chat, ping, frames.encode(frames.ReadyNow(1)), frames.encode(frames.Bye())):
        for victim in (host, member):
            table.hand(stranger, victim, frame)
            assert not [raw for link, raw in victim.peer.take().sends if link == stranger.link]
    assert (host.peer.lobby.members, lobby(host)) == before
    assert not host.faults


def test_the_code_guards_a_running_game_too() -> None:
    """Who plays is in the roster by then; whoever wants to watch proves the code. A stranger gets the card of any of
    the players, and a guess that is none is refused."""
    table = Table(3, needed=2, code=CODE, wrong={2: ""})
    table.settle()
    stranger = table.nodes[2]
    for player in table.nodes[:2]:
        table.link(stranger, player)
        for frame in (frames.Watch(b""), frames.Pake(bytes(32)), frames.Watch(b""), frames.Bodies(()), frames.Look()):
            table.hand(stranger, player, frames.encode(frame))
        effects = player.peer.take()
        sent = [frames.decode(raw) for link, raw in effects.sends if link == stranger.link]
        assert [(type(frame), frame) for frame in sent] == [
            (frames.Refuse, frames.Refuse("code")),
            (frames.Card, frames.Card(player.peer.lobby.room, "Mesa", "playing", 0, (), "", (), 0, 0, 1))]
        assert stranger.link in effects.drops


def test_every_pair_of_players_runs_it() -> None:
    """Guests prove it to each other before the newcomer says that it is ready; nothing else passes between them."""
    table = Table(4, seed=2, code=CODE)
    table.settle()
    for node in table.nodes:
        for other in table.nodes:
            kinds = [type(frames.decode(frame)) for sender, frame in node.inbox if sender == other.link]
            if node is not other:
                assert kinds.count(frames.Pake) == kinds.count(frames.Confirm) == 1
                proof = kinds.index(frames.Confirm)
                assert set(kinds[:proof]) <= {frames.Look, frames.Card, frames.Pake}


def test_a_guest_lets_only_those_try_of_whom_the_host_has_told() -> None:
    """A stranger who dials a guest is not answered: guesses are counted in one place, the host's."""
    table = Table(3, code=CODE, wrong={2: "duka-silo-pamo"}, automatic=False)
    guest, stranger = table.nodes[1], table.nodes[2]
    table.link(stranger, guest)
    exchange = Exchange("duka-silo-pamo", session(1, dialled=True), random.Random(1).randbytes)
    table.hand(stranger, guest, frames.encode(frames.Pake(exchange.message)))
    table.wait(60)
    assert not [frame for sender, frame in stranger.inbox if sender == guest.link]


def test_guests_that_cannot_reach_each_other_play_all_the_same() -> None:
    """A pair without a link is waited for PAIR_S; the host, who has heard both prove it, relays for them."""
    table = Table(3, code=CODE)
    table.cut.add(frozenset((table.nodes[1].name, table.nodes[2].name)))
    table.settle()
    assert not table.nodes[0].of(TableFormed)
    table.wait(PAIR_S + PING_S + 1)
    assert all(node.of(TableFormed) for node in table.nodes)
    table.play()
    assert {node.report().verdict for node in table.nodes} == {"clean"}


def test_a_new_link_proves_the_code_anew() -> None:
    """What was proved over one connection says nothing about the next."""
    table = Table(2, code=CODE, automatic=False)
    table.settle()
    host, guest = table.nodes
    assert host.peer.lobby.door.proven == {guest.link}
    host.peer.lost(guest.link, table.now)
    table.link(guest, host)
    assert not host.peer.lobby.door.proven
    table.settle()
    assert host.peer.lobby.door.proven == {guest.link}


# --- guesses


def test_ten_guesses_make_a_new_code() -> None:
    """The host's screen and those inside learn the new one; the old one is worth nothing."""
    table = Table(4, needed=0, code=CODE, wrong={2: "duka-silo-pamo", 3: ""}, automatic=False)
    table.settle()
    host, inside = table.nodes[:2]
    knocking = Guesser(host.peer.lobby.door)
    now = table.now
    for _ in range(MOST_GUESSES - 1):
        now += SLOWEST_S
        assert not knocking.guess("wrong", now)
    host.peer.lobby.door.out.clear()
    table.now = now
    table.wait(2 * SLOWEST_S)
    code = lobby(host).code
    assert code is not None
    assert code != CODE
    assert normal(code) == code
    assert lobby(inside).code == code
    assert inside.peer.lobby.door.code == code
    now = table.now
    assert not knocking.guess(CODE, now + SLOWEST_S)
    assert knocking.guess(code, now + 3 * SLOWEST_S)


def test_an_exchange_begun_and_left_counts() -> None:
    """Hanging up before the confirmation, or never sending it, is a guess like a wrong one."""
    guarded = door()
    guesser = Guesser(guarded)
    now = 0.0
    for number in range(MOST_GUESSES):
        assert guarded.code == CODE
        link, _ = guesser.begin(CODE, now)
        assert "Pake" in keys(guarded)
        if number % 2:
            guarded.lost(link)
        else:
            guarded.step(now + EXCHANGE_S, lambda link: True)
            assert keys(guarded) == ["Refuse"]
            assert guarded.drops == [link]
            guarded.drops.clear()
        now += EXCHANGE_S + SLOWEST_S
    assert guarded.code != CODE


def test_a_right_answer_counts_for_nothing() -> None:
    """However many sit down, the code stays, and nobody has to wait."""
    guarded = door()
    guesser = Guesser(guarded)
    for number in range(3 * MOST_GUESSES):
        assert guesser.guess(CODE, 0.001 * number)
    assert guarded.code == CODE


def test_no_more_guesses_run_at_once_than_the_code_may_cost() -> None:
    """A crowd that begins together, each from another address, gets ten answers; the others wait."""
    guarded = door()
    guesser = Guesser(guarded)
    begun = [guesser.begin("wrong", 0.0, f"10.0.0.{number}") for number in range(30)]
    assert len(guarded.out) == MOST_GUESSES
    for link, exchange in begun[:MOST_GUESSES]:
        assert guarded.code == CODE
        guesser.finish(link, exchange, 1.0)
    assert guarded.code != CODE


def test_answers_slow_down_per_address() -> None:
    """After each guess that address waits twice as long, up to a limit; another address does not."""
    guarded = door()
    guesser = Guesser(guarded)
    now, waits = 0.0, []
    for number in range(7):
        link, exchange = guesser.begin("wrong", now)
        begun = now
        due = guarded.deadline(lambda link: True)
        assert due is not None
        if not guarded.out:
            now = due
            guarded.step(now, lambda link: True)
        waits.append(now - begun)
        guesser.finish(link, exchange, now)
        guarded.out.clear()
        if number == 3:
            assert guesser.guess(CODE, now, "10.0.0.7")
            guarded.out.clear()
    assert waits == [0, 1, 2, 4, 8, SLOWEST_S, SLOWEST_S]


def test_addresses_that_are_remembered_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """However many addresses a stranger has, only so many are kept."""
    monkeypatch.setattr(roomcode, "MOST_ADDRESSES", 6)
    guarded = door()
    guesser = Guesser(guarded)
    for number in range(15):
        guesser.guess("wrong", float(number), f"10.0.0.{number}")
    assert len(guarded._guesses) == 6


# --- what an attacker learns (row 30)


def test_a_listener_says_the_same_to_a_right_and_to_a_wrong_guess_until_it_is_proved() -> None:
    """Its message does not depend on the dialler's; after a wrong confirmation there is a refusal and no confirmation,
    so that nothing it has said can be checked against other codes."""
    said = []
    for code in (CODE, "duka-silo-pamo"):
        guarded = door(seed=5)
        guesser = Guesser(guarded)
        link, exchange = guesser.begin(code, 0.0)
        (_, first), = guarded.out
        guesser.finish(link, exchange, 0.0)
        said.append((first, [type(frame) for _, frame in guarded.out[1:]]))
    assert said[0][0] == said[1][0]
    assert [kinds for _, kinds in said] == [[frames.Confirm], [frames.Refuse]]


def test_an_exchange_allows_one_guess_and_not_another() -> None:
    """An impostor who listens gets the dialler's confirmation for the one code that he had to choose before: with
    every secret of his own side, the key under any other code needs a discrete logarithm."""
    dialler = Exchange(CODE, session(1, dialled=True), random.Random(1).randbytes)
    for guess, right in ((CODE, True), ("duka-silo-pamo", False)):
        impostor = Exchange(guess, session(1), random.Random(2).randbytes)
        impostor.take(dialler.message)
        honest = Exchange(CODE, session(1, dialled=True), random.Random(1).randbytes)
        honest.take(impostor.message)
        assert impostor.confirms(honest.confirmation()) is right


def test_the_exchange_is_bound_to_channel_keys_and_roles() -> None:
    """The same messages under another certificate, key or nonce give another key; no confirmation is reflected."""
    dialler = Exchange(CODE, session(1, dialled=True), random.Random(1).randbytes)
    listener = Exchange(CODE, session(1), random.Random(2).randbytes)
    dialler.take(listener.message)
    listener.take(dialler.message)
    assert listener.confirms(dialler.confirmation())
    assert dialler.confirms(listener.confirmation())
    assert not dialler.confirms(dialler.confirmation())
    for part in range(5):
        parts = list(session(1).parts)
        parts[part] = b"x" * 32
        other = Exchange(CODE, ChannelSession(False, "", tuple(parts)), random.Random(2).randbytes)
        again = Exchange(CODE, session(1, dialled=True), random.Random(1).randbytes)
        other.take(again.message)
        again.take(other.message)
        assert not other.confirms(again.confirmation())


@pytest.mark.parametrize("message", [bytes(32), b"\xff" * 32, (1).to_bytes(32, "little"), b"r" * 32],
                         ids=["zero", "ones", "identity", "noise"])
def test_messages_that_are_no_element_are_a_guess(message: bytes) -> None:
    """Small groups and points off the curve are turned away, and counted."""
    guarded = door()
    guarded.linked(b"l" * 32, session(1))
    guarded.received(b"l" * 32, frames.Pake(message), 0.0)
    guarded.step(0.0, lambda link: True)
    assert keys(guarded) == ["Refuse"]
    assert guarded.drops == [b"l" * 32]
    with pytest.raises(PeerFault, match="not-an-exchange"):
        Exchange(CODE, session(1, dialled=True), random.Random(1).randbytes).take(message)


def test_frames_out_of_turn_are_faults_and_count_nothing() -> None:
    """A second message, a confirmation before any message, a message to a dialler who has not begun."""
    guarded = door()
    guarded.linked(b"l" * 32, session(1))
    guarded.linked(b"d" * 32, session(2, dialled=True))
    with pytest.raises(PeerFault, match="out-of-turn"):
        guarded.received(b"l" * 32, frames.Confirm(bytes(32)), 0.0)
    with pytest.raises(PeerFault, match="out-of-turn"):
        guarded.received(b"d" * 32, frames.Pake(bytes(32)), 0.0)
    guarded.received(b"l" * 32, frames.Pake(bytes(32)), 0.0)
    with pytest.raises(PeerFault, match="out-of-turn"):
        guarded.received(b"l" * 32, frames.Pake(bytes(32)), 0.0)
    assert not guarded.out
    assert guarded.code == CODE
