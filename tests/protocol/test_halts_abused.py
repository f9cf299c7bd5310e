"""What one player can make of halts: say what is not true, say it to some, say too much. Nobody honest is stopped or
thrown out by it, and no rule is bent."""

import contextlib
from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest

from p2pdice.protocol import frames
from p2pdice.protocol.ballot import UNSURE, Boundary, Out, Outcome, Why
from p2pdice.protocol.codec import FRAME_BYTES
from p2pdice.protocol.dispute import MOST_VOTE_BYTES
from p2pdice.protocol.errors import Malformed
from p2pdice.protocol.events import Dropped, FaultProved, Halted, Resumed
from p2pdice.protocol.evidence import Evidence, FaultKind
from p2pdice.protocol.halting import MOST_BALLOTS, Halting, Stand, Surroundings, outcome_value
from p2pdice.protocol.ledger import Proved
from p2pdice.protocol.messages import (
    EVIDENCE_BYTES,
    AnyVote,
    Commit,
    Drop,
    Halt,
    Leave,
    Mode,
    Payload,
    Propose,
    Reveal,
    Signed,
    SlotPayload,
    Vote,
    VoteSlot,
    narrow_vote,
    parse_game,
    parse_slot,
    sign_game,
)
from p2pdice.protocol.phases import Phase
from p2pdice.protocol.session import Session
from p2pdice.rules import Gone
from tests.ballotmodel import BOUNDS, EPOCH, faked
from tests.protocol.test_drops import kill, session_of
from tests.tablekit import Node, Table

pytestmark = pytest.mark.slow  # one Python is enough


def started(players: int, seed: int, moves: int = 4) -> Table:
    table = Table(players, seed=seed)
    table.play(moves)
    return table


def signed(table: Table, node: Node, slot: int | VoteSlot, payload: Payload, state: bytes | None = None,
           epoch: bytes | None = None) -> Signed:
    """What a modified client signs, in the epoch and state of its session unless told otherwise."""
    ledger = session_of(node).ledger
    if state is None:
        state = b"" if isinstance(payload, Propose | Drop) else ledger.state
    return sign_game(node.key, ledger.game_id, epoch or ledger.epoch, slot, state, table.seat(node), payload)


def give(table: Table, sender: Node, receivers: Sequence[Node], *bodies: Signed) -> None:
    for receiver in receivers:
        for body in bodies:
            table.hand(sender, receiver, frames.encode(frames.Bodies((body.value(),))))


def stand_elsewhere(node: Node, **said: object) -> None:
    """A client whose HALTs say something else about where it stands."""
    dispute = session_of(node).dispute
    honest = dispute.halt

    def halt(stand: Stand, now: float) -> None:
        honest(replace(stand, **said), now)  # type: ignore[arg-type]

    dispute.halt = halt  # type: ignore[method-assign]


def keeps_back(cheat: Node) -> None:
    """A client that signs its COMMITs and sends them to nobody."""
    session, drain = session_of(cheat), cheat.peer._drain

    def keep_back(session: Session, now: float) -> None:
        session.outbox = [body for body in session.outbox if not isinstance(parse_game(body).payload, Commit)]
        drain(session, now)

    cheat.peer._drain = keep_back  # type: ignore[method-assign]
    session.answer = lambda epoch, slot, most_bytes: ([], True)  # type: ignore[method-assign]


def proof(table: Table, cheat: Node, number: int) -> bytes:
    """One of as many pieces of evidence against itself as a cheat likes to make."""
    bodies = [signed(table, cheat, 500 + number, Mode(choice, 0)) for choice in ("open", "closed")]
    return Evidence(FaultKind.EQUIV, tuple(sorted(bodies, key=lambda body: body.body))).encode()


def won(table: Table, nodes: Sequence[Node]) -> bool:
    """Whether these play on to the end, with files that hold."""
    table.play()
    return all(node.closed and node.closed.reason == "won" and not node.faults
               and node.report().stopped_at is None for node in nodes)


@pytest.mark.parametrize("choice", ["open", "closed", "no"])
def test_an_opener_hands_on_no_choice_that_it_does_not_have(choice: str) -> None:
    """A HALT that claims a MODE where the rules give none changes nothing: the next round is a normal one."""
    table = started(4, 2, 0)
    table.settle()
    opener = table.at(session_of(table.nodes[0]).ledger.game.opener)
    leaver, *others = [node for node in table.nodes if node is not opener]
    stand_elsewhere(opener, mode=choice)
    leaver.peer.leave(table.now)
    leaver.bot = None
    table.settle()
    table.wait(12)
    for node in [opener, *others]:
        assert node.of(Gone)
        assert session_of(node).ledger.game.special is None
    assert won(table, [opener, *others])


def test_evidence_without_end_against_one_does_not_keep_others_apart() -> None:
    """A cheat shows each peer other pieces, more than anyone keeps: they agree all the same."""
    table = started(4, 2, 0)
    table.settle()
    *honest, cheat = table.nodes
    for place, node in enumerate(honest):
        for number in range(12):
            table.hand(cheat, node, frames.encode(frames.Proof(proof(table, cheat, 100 * place + number))))
    cheat.bot = None
    assert won(table, honest)


def test_evidence_too_long_for_a_record_is_refused() -> None:
    """A cheat pads a piece against itself until no record can hold it: nobody's file suffers, nobody who watches is
    sent more than a frame."""
    table = started(4, 2)
    *honest, cheat = table.nodes
    bodies = [signed(table, cheat, 500, Mode(choice, 0)) for choice in ("open", "closed")]
    for length in (FRAME_BYTES - 60_000, EVIDENCE_BYTES - 600, FRAME_BYTES - 600):
        padded = Evidence(FaultKind.EQUIV, tuple(bodies), (), bytes(length)).encode()
        for node in honest:
            table.hand(cheat, node, frames.encode(frames.Proof(padded)))
    for node in honest:
        assert node.faults == ["proves-nothing", "proves-nothing", "not-a-frame"]
        node.faults.clear()
        assert not node.of(FaultProved)
    assert won(table, honest)


def test_evidence_against_two_fits_into_a_proposal() -> None:
    """However many pieces there are, a PROPOSE names one against each."""
    table = started(5, 2, 0)
    table.settle()
    honest, cheats = table.nodes[:3], table.nodes[3:]
    for cheat in cheats:
        cheat.bot = None
        for node in honest:
            for number in range(20):
                table.hand(cheat, node, frames.encode(frames.Proof(proof(table, cheat, number))))
    assert won(table, honest)


def test_of_two_a_halt_and_then_silence_end_the_game() -> None:
    """Whoever halts a game of two and goes away does not hold the other for ever."""
    table = started(2, 4, 8)
    cheat, honest = table.nodes
    mark = session_of(cheat).ledger.marks[-1]
    halt = Halt(mark.boundary.rounds, "", session_of(cheat).ledger.slot, 1, (), ())
    give(table, cheat, [honest], signed(table, cheat, ("halt", 0, 0), halt, mark.boundary.state))
    kill(table, cheat)
    table.wait(300)
    assert honest.closed
    assert honest.closed.reason == "abandoned"


def test_who_says_it_signed_and_sends_nothing_is_dropped() -> None:
    """A HALT answers for a message only where the message is: else one player could stop the game for ever."""
    table = started(5, 4, 8)
    *honest, cheat = table.nodes
    keeps_back(cheat)
    for _ in range(40):
        table.wait(10)
        table.play(5)
    for node in honest:
        assert [event.seats for event in node.of(Dropped) if isinstance(event, Dropped)] == [(table.seat(cheat),)]
        assert len(node.of(Halted)) <= 2
        assert not node.of(Resumed)


def test_leaves_in_two_epochs_shown_to_one_each_keep_nobody_apart() -> None:
    """Each of the others names the LEAVE it saw first; by its name both find it."""
    table = started(4, 3)
    first, *others = table.nodes
    start = session_of(first).ledger.epoch
    first.peer.leave(table.now)
    first.bot = None
    table.settle()
    table.wait(12)
    one, two, cheat = others
    give(table, cheat, [one], signed(table, cheat, ("leave",), Leave(0, 0, ()), epoch=start))
    give(table, cheat, [two], signed(table, cheat, ("leave",), Leave(0, 0, ())))
    kill(table, cheat)
    assert won(table, [one, two])


@pytest.mark.parametrize("ballot", [9, UNSURE])
def test_a_leave_that_names_something_else_as_its_last_drop(ballot: int) -> None:
    """Its author is out, and what it names is not followed."""
    table = started(4, 3)
    *honest, cheat = table.nodes
    mark = session_of(cheat).ledger.marks[-1]
    halt = signed(table, cheat, ("halt", 0, 0), Halt(mark.boundary.rounds, "", 0, 1, (), ()), mark.boundary.state)
    give(table, cheat, honest, halt, signed(table, cheat, ("leave",), Leave(0, ballot, (halt.hash,))))
    kill(table, cheat)
    assert won(table, honest)
    assert all(node.report().standings[table.seat(cheat)] == "left" for node in honest)


def test_whoever_has_no_dice_halts_nobody() -> None:
    """A player who is out has nothing to halt for."""
    table = Table(3, options={"starting_dice": "1"}, seed=5)
    for _ in range(500):
        table.flush() or any(table.decide(node) for node in table.nodes)
        session = table.nodes[0].peer.session
        if session and not session.closed and 0 in session.ledger.game.dice and session.ledger.slot > 5:
            break
    table.settle()
    session = session_of(table.nodes[0])
    loser = table.at(session.ledger.game.dice.index(0))
    others = [node for node in table.nodes if node is not loser]
    mark = session_of(others[0]).ledger.marks[-1]
    halt = Halt(mark.boundary.rounds, "", session_of(others[0]).ledger.slot, 1, (), ())
    give(table, loser, others, signed(table, loser, ("halt", 0, 0), halt, mark.boundary.state,
                                      session_of(others[0]).ledger.epoch))
    table.wait(1)
    assert not any(node.of(Halted) for node in others)
    assert won(table, others)


def test_a_proposer_who_can_propose_nothing_rests() -> None:
    """It looks again when something comes or the ballot is over, not all the time."""
    table = started(6, 10, 0)
    table.settle()
    kill(table, table.nodes[5])
    for node in table.nodes[1:5]:
        node.peer.hold(table.seat(table.nodes[5]), True, table.now)
    while not all(session_of(node).halted for node in table.nodes[:5]):
        table.wait(5)
    ticks = 0
    for node in table.nodes[:5]:
        honest = node.peer.tick

        def tick(now: float, honest: object = honest) -> None:
            nonlocal ticks
            ticks += 1
            honest(now)  # type: ignore[operator]

        node.peer.tick = tick  # type: ignore[method-assign]
    table.wait(60)
    assert session_of(table.nodes[0]).dispute.halting.ballot > 3
    assert ticks < 1000


def test_two_certificates_of_one_halt_end_the_game_as_forked() -> None:
    """Three who signed for both outcomes: whoever sees it stops where it stands."""
    table = started(5, 6)
    victim, friend, *_, gone = table.nodes
    kill(table, gone)
    while not victim.of(Dropped):
        table.wait(5)
    halting = session_of(victim).dispute.past[0][1]
    epoch, seat = halting.around.epoch, table.seat(victim)
    ballot = next(at for at in range(5, 9) if halting.proposer(at) not in (seat, table.seat(friend)))
    stood = halting.halts[0, seat]
    base = Boundary(stood.payload.rounds, stood.state)
    cheats = sorted(table.nodes[2:], key=table.seat)
    out = sorted((seat, table.seat(friend)))
    halts = [signed(table, node, ("halt", 0, ballot), Halt(base.rounds, "", 9, 1, tuple((one,) for one in out), ()),
                    base.state, epoch) for node in cheats]
    named = tuple((table.seat(node), body.hash) for node, body in zip(cheats, halts, strict=True))
    proposer = table.at(halting.proposer(ballot))
    propose = signed(table, proposer, ("propose", 0, ballot), Propose(named, (), ()), b"", epoch)
    outcome = outcome_value(Outcome(tuple(Out(one, Why.SILENT) for one in out), base))
    drops = [signed(table, node, ("drop", 0, ballot), Drop(propose.hash, outcome), b"", epoch)  # type: ignore[arg-type]
             for node in cheats]
    give(table, table.nodes[2], [victim], *halts, propose, *drops)
    table.settle()
    assert victim.closed
    assert victim.closed.reason == "forked"


@pytest.mark.parametrize("quorum", [1, 3])
def test_a_chain_of_ballots_as_long_as_there_can_be(quorum: int) -> None:
    """Each PROPOSE names HALTs that name DROPs of the one before, down to one that is no good, or is."""
    owners = (0, 1, 2)
    votes: list[AnyVote] = []
    last: dict[int, tuple[()] | tuple[bytes]] = dict.fromkeys(owners, ())
    for ballot in range(MOST_BALLOTS):
        halts = [faked(("halt", 0, ballot), seat, Halt(0, "", 0, 1, (), last[seat]), BOUNDS[0].state)
                 for seat in owners]
        named = tuple((halt.seat, halt.signed.hash) for halt in halts)[:3 if ballot else quorum]
        propose = faked(("propose", 0, ballot), ballot % 3, Propose(named, (), ()))
        drops = [faked(("drop", 0, ballot), seat, Drop(propose.signed.hash, ())) for seat in owners]
        last = {drop.seat: (drop.signed.hash,) for drop in drops}
        votes += [*halts, propose, *(drops if ballot + 1 < MOST_BALLOTS else [])]
    halting = Halting(Surroundings(EPOCH, owners, None, lambda base: owners, lambda base: None, lambda base: None,
                                   lambda now: (), lambda slot, state, payload: votes[0], {}, (), {}), 0)
    for vote in reversed(votes):
        halting.take(vote)
    halting.ballot = MOST_BALLOTS - 1
    assert len(halting.useful()) == (0 if quorum == 1 else 3)
    halting.step(1.0)
    assert halting.outcomes() == (set() if quorum == 1 else {Outcome()})


def test_nothing_is_decided_upon_a_drop_of_the_same_ballot() -> None:
    """A proposer signs a second PROPOSE, with a LEAVE whose author followed the first: in a record what it names would
    stand behind it. A DROP of a lower ballot is carried on."""
    silent = Outcome((Out(2, Why.SILENT),), BOUNDS[0])
    halts = [[faked(("halt", 0, ballot), seat, Halt(0, "", 0, 1, ((2,),), ()), BOUNDS[0].state) for seat in (0, 1)]
             for ballot in (0, 1)]
    named = [tuple((halt.seat, halt.signed.hash) for halt in some) for some in halts]
    for ballot in (0, 1):
        first = faked(("propose", 0, ballot), ballot, Propose(named[ballot], (), ()))
        drop = faked(("drop", 0, ballot), 2, Drop(first.signed.hash, outcome_value(silent)))  # type: ignore[arg-type]
        leave = narrow_vote(faked(("leave",), 2, Leave(0, 2, (drop.signed.hash,))), Leave)
        again = narrow_vote(faked(("propose", 0, 1), 1, Propose(named[1], ((2, leave.signed.hash),), ())), Propose)
        halting = Halting(Surroundings(
            EPOCH, (0, 1, 2), None, lambda base: (0, 1, 2), lambda base: None, lambda base: None, lambda now: (),
            lambda slot, state, payload, vote=drop: vote, {leave.signed.hash: leave}, (), {}), 0)  # type: ignore[misc]
        for vote in (*halts[0], *halts[1], first, drop, again):
            halting.take(vote)
        if ballot:
            with pytest.raises(Malformed, match="wrong-last"):
                halting.evaluate(again)
        else:
            assert halting.evaluate(again)[1] == silent


def test_proposals_that_nobody_can_read_cost_little(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two in league name what nobody has in each ballot of theirs: with every vote each is looked at once or twice."""
    owners, looks = (0, 1, 2), 0
    halting = Halting(Surroundings(EPOCH, owners, 0, lambda base: owners, lambda base: None, lambda base: None,
                                   lambda now: (), lambda slot, state, payload: halting.votes[0], {}, (), {}), 0)
    for ballot in range(MOST_BALLOTS):
        if ballot % 3:
            halting.take(faked(("propose", 0, ballot), ballot % 3, Propose(((0, bytes(32)),), (), ())))

    def evaluate(self: Halting, propose: Vote[Propose], honest: Callable[..., object] = Halting.evaluate) -> object:
        nonlocal looks
        looks += 1
        return honest(self, propose)

    monkeypatch.setattr(Halting, "evaluate", evaluate)
    assert halting.step(1.0) is None
    assert 0 < looks <= 2 * MOST_BALLOTS


def test_who_halts_without_end_gets_less_and_less_time() -> None:
    """For an hour one player halts whenever it can: the others play most of the time, and votes stay few."""
    table = started(4, 7)
    *honest, cheat = table.nodes
    session_of(cheat).clocks.silence_at = lambda: 0.0  # type: ignore[method-assign]
    for node in table.nodes:
        node.bot = None
        session_of(node).clocks.turn_over_at = lambda: None  # type: ignore[method-assign]
    table.wait(3600)
    dispute = session_of(honest[0]).dispute
    assert 60 <= dispute.halting.number <= 90
    assert max(dispute._vote_bytes.values()) < MOST_VOTE_BYTES / 10
    assert not any(node.of(Dropped) for node in honest)


def test_a_halt_that_each_reader_gets_another_of_holds_nobody_up() -> None:
    """One decided by what the cheat gave it before the other knew: the other follows, and the cheat is out."""
    table = started(3, 2)
    table.settle()
    for node in table.nodes:
        node.bot = None
    first = table.at(0)  # whose turn ballot 0 is
    cheat = table.at(session_of(first).ledger.game.turn)  # the others are given no time to finish theirs
    (other,) = [node for node in table.nodes if node not in (first, cheat)]
    mark, seat = session_of(first).ledger.marks[-1], table.seat(cheat)
    slot = session_of(first).ledger.slot
    kill(table, cheat)
    halts = [signed(table, cheat, ("halt", 0, 0), Halt(mark.boundary.rounds, "", slot, own, (), ()),
                    mark.boundary.state) for own in (0, 1)]
    for reader, halt in zip((first, other), halts, strict=True):
        give(table, other if reader is first else first, [reader], halt)
    table.cut.add(frozenset((first.name, other.name)))  # what the first signs comes late
    table.settle()
    give(table, other, [first], *(vote.signed for vote in session_of(other).dispute.halting.votes if vote.seat != seat))
    (propose,) = [vote for vote in session_of(first).dispute.halting.votes if isinstance(vote.payload, Propose)]
    give(table, other, [first], signed(table, cheat, ("drop", 0, 0), Drop(propose.signed.hash, ())))
    table.settle()
    assert first.of(Resumed)
    table.wait(8)  # the other is in the next ballot by now
    assert session_of(other).dispute.halting.ballot > 0
    table.cut = {ends for ends in table.cut if cheat.name in ends}
    first.bot = other.bot = "normal"
    assert won(table, [first, other])
    assert first.report().convicted == {seat}


def test_second_votes_are_kept_as_far_as_there_is_room_and_beyond_it_what_others_name(
        monkeypatch: pytest.MonkeyPatch) -> None:
    """A cheat cannot fill memory with them, nor keep away by that what somebody else has decided upon."""
    room = 2**16
    monkeypatch.setattr("p2pdice.protocol.dispute.MOST_VOTE_BYTES", room)
    table = started(3, 2)
    table.settle()
    honest, _, cheat = table.nodes
    dispute, seat = session_of(honest).dispute, table.seat(cheat)
    mark = session_of(honest).ledger.marks[-1]
    ballot = next(at for at in range(3) if dispute.halting.proposer(at) != seat)

    def halt(number: int) -> AnyVote:
        names = tuple((other, number) for other in range(3) for _ in range(20))
        vote = parse_game(signed(table, cheat, ("halt", 0, ballot), Halt(0, "", number, 1, names, ()),
                                 mark.boundary.state))
        assert isinstance(vote, Vote)
        return vote

    for number in range(300):
        with contextlib.suppress(Proved):
            dispute.receive(halt(number), table.now)
    assert sum(len(vote.signed.body) for vote in dispute.halting.votes) <= room
    late = halt(300)
    with pytest.raises(Proved):
        dispute.receive(late, table.now)
    assert not dispute.knows(late)
    proposer = table.at(dispute.halting.proposer(ballot))
    propose = parse_game(signed(table, proposer, ("propose", 0, ballot), Propose(((seat, late.signed.hash),), (), ()),
                                b""))
    assert isinstance(propose, Vote)
    assert dispute.receive(propose, table.now)
    with pytest.raises(Proved):
        dispute.receive(late, table.now)
    assert dispute.knows(late)


@pytest.mark.parametrize("how", [
    "hides a DROP", "names a lower DROP", "votes after a LEAVE", "hides a DROP by a LEAVE"])
@pytest.mark.parametrize("backwards", [False, True])
def test_who_breaks_what_it_promised_is_convicted(how: str, backwards: bool) -> None:
    """By its own votes, in whatever order they come; the others play on, and every file says so."""
    table = started(4, 3)
    table.settle()
    *honest, cheat = table.nodes
    mark = session_of(cheat).ledger.marks[-1]

    def halt(ballot: int, *last: Signed) -> Signed:
        payload = Halt(mark.boundary.rounds, "", 9, 1, (), tuple(vote.hash for vote in last))  # type: ignore[arg-type]
        return signed(table, cheat, ("halt", 0, ballot), payload, mark.boundary.state)

    low, high = (signed(table, cheat, ("drop", 0, ballot), Drop(b"p" * 32, ()), b"") for ballot in (0, 1))
    bodies = {
        "hides a DROP": [low, halt(1)],
        "names a lower DROP": [low, high, halt(2, low)],
        "votes after a LEAVE": [signed(table, cheat, ("leave",), Leave(0, 0, ())), halt(0)],
        "hides a DROP by a LEAVE": [signed(table, cheat, ("leave",), Leave(0, 1, ())), low],
    }[how]
    give(table, cheat, honest, *(reversed(bodies) if backwards else bodies))
    kill(table, cheat)
    assert won(table, honest)
    for node in honest:
        assert {(finding.seat, finding.kind) for finding in node.report().findings} == {(table.seat(cheat), "BAD_HALT")}


def test_a_leave_and_a_crash_leave_nothing_more_to_be_signed() -> None:
    """Whoever dies while it says its last word says it again, and nothing after it."""
    for at in range(1, 8):
        table = started(3, 3)
        table.settle()
        leaver, *others = table.nodes
        count = 0

        def crash(node: Node, leaver: Node = leaver, at: int = at) -> bool:
            nonlocal count
            count += node is leaver
            return node is leaver and count == at

        table.crash = crash
        leaver.peer.leave(table.now)
        table.play()
        assert not any(node.of(FaultProved) for node in table.nodes), at
        assert [node.closed.reason for node in others if node.closed] == ["won"] * 2, at


@pytest.mark.parametrize("said", [
    {"boundary": Boundary(0, b"x" * 32)}, {"boundary": Boundary(2**31, b"x" * 32)}, {"tip": 2**40}, {"own": False},
])
@pytest.mark.parametrize("players", [3, 5])
def test_a_halt_that_nobody_can_read_is_a_missing_one(players: int, said: dict[str, object]) -> None:
    """One player halts for nothing and stands where nobody has been: it is dropped, or its HALT counts; the rest go
    on."""
    table = started(players, 2)
    table.settle()
    *honest, cheat = table.nodes
    stand_elsewhere(cheat, **said)
    session_of(cheat).clocks.silence_at = lambda: 0.0  # type: ignore[method-assign]
    table.wait(300)
    for node in honest:
        assert not session_of(node).halted
    assert won(table, honest)


def test_a_halt_that_names_what_is_not_there_is_a_missing_one() -> None:
    """Its `last` is nobody's DROP: nothing can be decided upon it."""
    table = started(3, 2)
    table.settle()
    *honest, cheat = table.nodes
    dispute = session_of(cheat).dispute
    sign = dispute._sign

    def lie(slot: VoteSlot, state: bytes, payload: Halt | Leave | Propose | Drop) -> AnyVote:
        return sign(slot, state, payload._replace(last=(b"n" * 32,)) if isinstance(payload, Halt) else payload)

    dispute.halting.around = replace(dispute.halting.around, sign=lie)
    session_of(cheat).clocks.silence_at = lambda: 0.0  # type: ignore[method-assign]
    table.wait(300)
    assert all(node.of(Dropped) for node in honest)
    assert won(table, honest)


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("ballot", [0, 1, 9, UNSURE])
def test_a_leave_that_names_what_is_not_there_holds_nobody_up(players: int, ballot: int) -> None:
    """Its author is out all the same, as somebody who left or was silent; of two, the game ends."""
    table = started(players, 3)
    table.settle()
    *honest, cheat = table.nodes
    give(table, cheat, honest, signed(table, cheat, ("leave",), Leave(0, ballot, (b"n" * 32,))))
    kill(table, cheat)
    table.play()
    for node in honest:
        assert node.closed
        assert node.closed.reason in (("won", "abandoned") if players == 2 else ("won",))


def last_of(phase: Phase, seed: int) -> tuple[Table, SlotPayload]:
    """Four of whom the last one alone has not spoken in the first such phase; and what it owes."""
    table = Table(4, seed=seed)
    cheat = table.nodes[3]
    table.settle()
    session = session_of(cheat)
    session._say_owed = lambda now: False  # type: ignore[method-assign]
    while not (session.ledger.phase is phase and session.ledger.missing == (table.seat(cheat),)):
        if session.ledger.phase is not phase:
            Session._say_owed(session, table.now)
        if not table.flush():
            any(table.decide(node) for node in table.nodes)
    owed = session._chairs[table.seat(cheat)].automatic(session.ledger, bytes)
    assert owed is not None
    return table, owed


@pytest.mark.parametrize("victims", [1, 2])
def test_who_is_told_first_what_fits_nowhere_follows_all_the_same(victims: int) -> None:
    """A REVEAL that names another S_c for some, the true one for the rest, who complete the showdown with it: it stands
    at their boundary, and those who have the other must come there too."""
    table, owed = last_of(Phase.REVEAL, 3)
    *honest, cheat = table.nodes
    assert isinstance(owed, Reveal)
    slot = session_of(cheat).ledger.slot
    give(table, cheat, honest[:victims], signed(table, cheat, slot, owed._replace(commit_state=bytes(32))))
    give(table, cheat, honest[victims:], signed(table, cheat, slot, owed))
    cheat.bot = None
    assert won(table, honest)
    assert {(event.seats, event.reason) for node in honest for event in node.of(Dropped)
            if isinstance(event, Dropped)} == {((table.seat(cheat),), "evidence")}


def test_a_second_body_is_not_passed_round_without_end() -> None:
    """It convicts its author when it comes first; what comes again, or besides, is news to nobody."""
    table, _ = last_of(Phase.OPEN, 3)
    honest, cheat = table.nodes[0], table.nodes[3]
    slot = session_of(honest).ledger.slot
    bodies = [signed(table, cheat, slot + 1, Mode(choice, 0), bytes(32)) for choice in ("open", "closed", "no")]
    session = session_of(honest)
    news = [session.receive(body, table.now) for body in (*bodies, *bodies)]
    assert news == [table.seat(cheat), table.seat(cheat), None, None, None, None]
    assert len(session._aside.kept) + len(session._aside.second) <= 2


@pytest.mark.parametrize("phase", [Phase.OPEN, Phase.REVEAL])
def test_who_says_what_fits_nowhere_is_dropped(phase: Phase) -> None:
    """A message that names a state, or an S_c, that nobody else has answers for nothing: else one player could stop
    the game for ever, and make the others vote without a pause."""
    (table, owed), state = last_of(phase, 3), bytes(32)
    *honest, cheat = table.nodes
    session = session_of(cheat)
    if isinstance(owed, Reveal):
        owed, state = owed._replace(commit_state=state), session.ledger.state
    said = signed(table, cheat, session.ledger.slot, owed, state)
    give(table, cheat, honest, said)
    stand_elsewhere(cheat, own=True)
    session._aside.kept[session.ledger.slot, table.seat(cheat)] = parse_slot(said)
    session.dispute._quiet_s = lambda: 0.0  # type: ignore[method-assign]
    for _ in range(6_000):
        if not table.flush():
            if all(node.of(Dropped) for node in honest):
                break
            table.now += 1
            for node in table.nodes:
                node.peer.tick(table.now)
    assert table.now < 1200
    assert {(event.seats, event.reason) for node in honest for event in node.of(Dropped)
            if isinstance(event, Dropped)} == {((table.seat(cheat),), "silent")}
    assert won(table, honest)


def test_who_keeps_back_what_only_some_have_missed_is_dropped() -> None:
    """Not enough name its slot, and its HALT cannot stand as an answer: it counts as missing."""
    table = started(3, 4, 8)
    *honest, cheat = table.nodes
    one, two = honest
    keeps_back(cheat)
    two.peer.hold(table.seat(cheat), True, table.now)  # its user waits, and then does not any more
    for _ in range(60):
        table.wait(10)
        table.play(5)
        if session_of(two).halted and table.seat(cheat) in session_of(two).clocks._waiting_for:
            session_of(two).clocks._waiting_for.clear()
    for node in (one, two):
        assert [event.seats for event in node.of(Dropped) if isinstance(event, Dropped)] == [(table.seat(cheat),)]
