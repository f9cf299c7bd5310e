"""Three readings of one record: the package's, a second verifier's that shares no line with it, and a deal by hand."""

import ast
import hashlib
import json
import random
import sys
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgpack
import pytest

from p2pdice.cli.main import main as program
from p2pdice.fairness.chain import start_preimage
from p2pdice.fairness.keys import Verifier
from p2pdice.fairness.labels import Label
from p2pdice.protocol.audit import audit, replayed
from p2pdice.protocol.errors import Malformed
from p2pdice.protocol.evidence import convict, decode_evidence
from p2pdice.protocol.messages import EVIDENCE_BYTES, Reveal, SlotPayload
from p2pdice.rules import PRESETS
from tests.protocol.test_cheats import modified
from tests.protocol.test_drops import kill
from tests.tablekit import Table

SCRIPTS = Path(__file__).parent.parent / "scripts"
VECTORS = Path(__file__).parent / "vectors"
MAGIC = b"p2pdice/1 transcript\n"
Record = list[Any]  # kind, body, signature


@pytest.fixture(autouse=True)
def _scripts(monkeypatch: pytest.MonkeyPatch) -> None:
    """The scripts import each other by bare name."""
    monkeypatch.syspath_prepend(str(SCRIPTS))


def agreed(raw: bytes) -> str:
    """The verdict of both, who must agree on it, on the place that is wrong, on whose fault it is, and on what counts
    where nothing is wrong."""
    from verify_independent import verify

    first, second = audit(raw), verify(raw)
    assert second.verdict == first.verdict, (str(second), first.findings)
    assert second.guilty == {finding.seat for finding in first.findings if finding.seat is not None}, str(second)
    if first.verdict == "unreadable":
        assert second.entries == 0
    elif first.verdict == "fault" and first.stopped_at is not None:
        # What a body in its place proves against its author is found there, and reading stops behind it.
        last = first.findings[-1]
        behind = last.detail == "in-the-log" and last.entry + 1 == first.stopped_at
        assert second.entries == first.stopped_at - behind, (str(second), first.findings)
    else:
        assert (second.entries, second.signatures, second.dice) == (first.entries, first.signatures, first.dice)
        assert tuple(second.winners) == first.winners
    if first.seated is not None:
        assert (second.game, second.words) == (first.seated.game_id.hex(), first.seated.words)
    return second.verdict


# --- games


def some_game(seed: int) -> bytes:
    """A whole game of bots: the systems in turn, a quarter of all options set at random."""
    from _independent_rules import OPTIONS

    chance, system = random.Random(seed), list(PRESETS)[seed % len(PRESETS)]
    options = {key: chance.choice(values.split("|")) for key, values in OPTIONS.items()
               if "[" not in values and chance.random() < 0.25}
    options["starting_dice"] = str(chance.choice([3, 3, 5]) if system == "clasico" else chance.choice([1, 2, 2, 3, 5]))
    options["rounds"] = str(chance.randint(1, 5))
    table = Table(chance.choice([2, 3, 3, 4]), system, options, seed=seed)
    table.play()
    return table.nodes[0].file


def test_whole_games_of_all_systems() -> None:
    """Obliged rounds with boxes, sealed turns, points races and opening rolls among them."""
    assert [agreed(some_game(seed)) for seed in range(10)] == ["clean"] * 10


@pytest.mark.long
def test_a_thousand_games() -> None:
    """Of all systems, with options at random: both call each clean."""
    for seed in range(1000, 2000):
        assert agreed(some_game(seed)) == "clean", seed


# --- changed files


def records(raw: bytes) -> list[Record]:
    """Kind, body and signature of each."""
    found, place = [], len(MAGIC)
    while place < len(raw):
        size = int.from_bytes(raw[place:place + 4], "big")
        found.append(msgpack.unpackb(raw[place + 4:place + 4 + size])[2:])
        place += 4 + size
    return found


def chained(entries: list[Record]) -> bytes:
    """A file whose chain holds, as somebody makes it who knows the format."""
    raw, before = MAGIC, _hash(b"record", MAGIC)
    for number, entry in enumerate(entries):
        record: bytes = msgpack.packb([number, before, *entry])
        raw += len(record).to_bytes(4, "big") + record
        before = _hash(b"record", record)
    return raw


def edits(raw: bytes, chance: random.Random) -> Iterator[bytes]:
    """One of each way to change a file: records left out, doubled, exchanged, renamed, signed or filled otherwise, bits
    turned over, evidence put in; with the chain mended, and without."""
    entries = records(raw)
    one, other = chance.randrange(len(entries)), chance.randrange(len(entries))
    kind, body, signature = entries[one]

    def put(*entry: object) -> bytes:
        return chained([*entries[:one], list(entry), *entries[one + 1:]])

    flipped, bit = bytearray(body), 1 << chance.randrange(8)
    flipped[chance.randrange(len(body))] ^= bit
    proof = msgpack.packb(["EQUIV", [entries[one][1:], entries[other][1:]], [], b""])
    exchanged = list(entries)
    exchanged[one], exchanged[other] = exchanged[other], exchanged[one]
    yield chained([*entries[:one], *entries[one + 1:]])
    yield chained([*entries[:one], entries[one], *entries[one:]])
    yield chained(exchanged)
    yield chained(entries[:one])
    yield chained([*entries[:one], ["evidence", proof, b""], *entries[one:]])
    yield chained([*entries[:one], ["evidence", b"x", b""], *entries[one:]])
    yield put(chance.choice(["roster", "accept", "seat", "game", "vote", "evidence", "x", 3]), body, signature)
    yield put(kind, body, chance.choice([b"", b"x" * 64, b"y", entries[other][2]]))
    yield put(kind, chance.choice([b"", entries[other][1], body + b"\0", body[:-1], b"\xc0"]), signature)
    yield put(kind, bytes(flipped), signature)
    yield put(kind, body, signature, 1)
    place = chance.randrange(len(raw))
    yield raw[:place]
    yield raw[:place] + bytes([raw[place] ^ bit]) + raw[place + 1:]
    yield raw[:place] + raw[place + 1:]
    yield raw + chance.randbytes(chance.randrange(1, 9))


def changed_files(seed: int, times: int) -> int:
    """How many changed files both judged alike; none of them is clean, but for those that are not changed at all."""
    chance, count = random.Random(seed), 0
    raw = some_game(seed)
    for _ in range(times):
        for changed in edits(raw, chance):
            assert (agreed(changed) == "clean") == (changed == raw)
            count += 1
    return count


def test_changed_files() -> None:
    """Each way of changing a file, at places drawn by lot: the same verdict, place and blame."""
    assert sum(changed_files(seed, 3) for seed in range(5)) == 5 * 3 * 15


@pytest.mark.long
def test_many_changed_files() -> None:
    """The same, three thousand times."""
    assert sum(changed_files(seed, 20) for seed in range(20, 30)) == 10 * 20 * 15


def test_the_golden_files() -> None:
    """What tests/vectors/transcripts.json says of each file."""
    for case in json.loads((VECTORS / "transcripts.json").read_text(encoding="utf-8"))["cases"]:
        from verify_independent import verify

        raw = bytes.fromhex(case["file"])
        assert agreed(raw) == case["verdict"], case["name"]
        assert verify(raw).entries == (case["entry"] or 0), case["name"]


def test_the_golden_files_with_votes() -> None:
    """What tests/vectors/votes.json says of each whole file."""
    cases = json.loads((VECTORS / "votes.json").read_text(encoding="utf-8"))["cases"]
    files = [case for case in cases if "file" in case]
    assert files
    for case in files:
        assert agreed(bytes.fromhex(case["file"])) == case["verdict"], case["name"]


def test_the_golden_evidence() -> None:
    """What tests/vectors/evidence.json says of each piece."""
    from _independent_base import Wrong
    from verify_independent import convicted

    for case in json.loads((VECTORS / "evidence.json").read_text(encoding="utf-8"))["cases"]:
        keys = [bytes.fromhex(key) for key in case["keys"]]
        seat: int | None = None
        try:
            seat = convicted(bytes.fromhex(case["game_id"]), keys, bytes.fromhex(case["evidence"]))
        except Wrong:
            assert "fails" in case, case["name"]
        assert seat == case.get("convicts"), case["name"]


def test_evidence_with_more_than_its_kind_asks_for() -> None:
    """Another body, state or rules beside those it needs, or so much that no record could hold it: refused by both."""
    from _independent_base import Wrong
    from verify_independent import convicted

    tried = 0
    for case in json.loads((VECTORS / "evidence.json").read_text(encoding="utf-8"))["cases"]:
        if "convicts" not in case:
            continue
        good = decode_evidence(bytes.fromhex(case["evidence"]))
        state = start_preimage(bytes.fromhex(case["game_id"]), bytes(32), bytes(32))
        changed = [replace(good, states=(*good.states, state)), replace(good, bodies=(*good.bodies, good.bodies[0])),
                   replace(good, rules=b"" if good.rules else b"\0"), replace(good, rules=bytes(EVIDENCE_BYTES))]
        keys = [bytes.fromhex(key) for key in case["keys"]]
        for evidence in changed:
            tried += 1
            with pytest.raises(Malformed):
                convict(decode_evidence(evidence.encode()), bytes.fromhex(case["game_id"]), list(map(Verifier, keys)))
            with pytest.raises(Wrong):
                convicted(bytes.fromhex(case["game_id"]), keys, evidence.encode())
    assert tried > 40


def test_the_golden_keys_and_encodings() -> None:
    """Weak keys and values in another form are refused, the others not."""
    from _independent_base import Wrong, decode, good_key, good_round_key

    for case in json.loads((VECTORS / "keys.json").read_text(encoding="utf-8"))["cases"]:
        judge = good_key if case["kind"] == "ed25519" else good_round_key
        assert judge(bytes.fromhex(case["key"])) == ("fails" not in case), case["name"]
    for case in json.loads((VECTORS / "encoding.json").read_text(encoding="utf-8"))["cases"]:
        raw = bytes.fromhex(case["bytes"]) + bytes(case.get("zeros", 0))
        if "fails" in case:
            with pytest.raises(Wrong):
                decode(raw)
        else:
            decode(raw)


# --- votes


def dropped(seed: int) -> bytes:
    """Five, of whom one falls silent for good; the others go on."""
    table = Table(5, list(PRESETS)[seed % 5], seed=seed)
    table.play(8 + seed)
    kill(table, table.nodes[seed % 5])
    table.play()
    return table.nodes[(seed + 1) % 5].file


def left(seed: int) -> bytes:
    """Three, of whom one leaves, and then another."""
    table = Table(3, list(PRESETS)[seed % 5], seed=seed)
    for node in table.nodes[:2]:
        table.play(6)
        node.peer.leave(table.now)
        node.bot = None
        table.settle()
        table.wait(15)
    table.play()
    return table.nodes[2].file


def convicting(seed: int) -> bytes:
    """Four, of whom one shows other shares than it promised, and is put out for it."""
    table = Table(4, seed=seed)
    table.settle()

    def swap(payload: SlotPayload) -> SlotPayload:
        if isinstance(payload, Reveal):
            return payload._replace(shares=tuple((cup, owner, b"x" * 32) for cup, owner, _ in payload.shares))
        return payload

    modified(table, table.nodes[2], swap)
    table.play()
    assert agreed(table.nodes[2].file) == "fault"  # its own record, in which it believes itself
    return table.nodes[0].file


def test_drops_leaves_and_convictions() -> None:
    """Child epochs from the base that was voted; who is convicted makes a file a fault that is whole otherwise."""
    assert [agreed(dropped(seed)) for seed in (0, 2)] == ["clean"] * 2
    assert agreed(left(0)) == "clean"
    assert agreed(convicting(6)) == "fault"


def vote_edits(raw: bytes, chance: random.Random) -> Iterator[bytes]:
    """Votes left out, doubled, exchanged, moved, signed otherwise, and the file cut behind them."""
    entries = records(raw)
    places = [number for number, entry in enumerate(entries) if entry[0] == "vote"]
    one, other = chance.sample(places, 2)
    exchanged = list(entries)
    exchanged[one], exchanged[other] = exchanged[other], exchanged[one]
    without = [*entries[:one], *entries[one + 1:]]
    place = chance.randrange(len(entries))
    yield chained(without)
    yield chained([*entries[:other], entries[one], *entries[other:]])
    yield chained(exchanged)
    yield chained([*without[:place], entries[one], *without[place:]])
    yield chained([*entries[:one], [*entries[one][:2], b"x" * 64], *entries[one + 1:]])
    yield chained(entries[:one + 1])


def changed_votes(raw: bytes, seed: int, times: int) -> None:
    """Neither verifier calls changed votes clean: there is one order, and each vote is needed."""
    chance = random.Random(seed)
    for _ in range(times):
        for changed in vote_edits(raw, chance):
            assert (agreed(changed) == "clean") == (changed == raw)


def test_changed_votes() -> None:
    """Of a drop, and of two who left."""
    for number, raw in enumerate((dropped(1), left(1))):
        changed_votes(raw, number, 4)


def test_a_vote_that_decides_nothing_has_no_place() -> None:
    """A HALT of the one who fell silent, in its place and well signed, that no PROPOSE names: a fault to both."""
    table = Table(5, seed=1)
    table.play(9)
    silent = table.nodes[1]
    kill(table, silent)
    table.play()
    entries = records(table.nodes[2].file)
    halts = [number for number, entry in enumerate(entries) if entry[0] == "vote" and b"HALT" in entry[1]]
    value = msgpack.unpackb(entries[halts[0]][1])
    value[6] = table.seat(silent)
    body: bytes = msgpack.packb(value)
    place = next(number for number in halts if msgpack.unpackb(entries[number][1])[6] > value[6])
    assert agreed(chained(entries)) == "clean"
    vote = ["vote", body, silent.key.sign(Label.SIGNED_BODY, body)]
    assert agreed(chained([*entries[:place], vote, *entries[place:]])) == "fault"


# --- files as a cheat makes them, with keys of its own


def test_a_record_longer_than_any() -> None:
    """Its length is wrong, wherever the file ends; one that may be right is a file cut short."""
    assert agreed(MAGIC + (65536).to_bytes(4, "big")) == "incomplete"
    assert agreed(MAGIC + (65537).to_bytes(4, "big")) == "fault"
    assert agreed(some_game(0) + (100_000).to_bytes(4, "big")) == "fault"


@pytest.mark.parametrize("bots", [["host"], ["bot", "bot"], ["bot"]])
def test_a_host_that_lists_itself_or_a_bot_twice(bots: list[str]) -> None:
    """An owner and a bot name each other once."""
    import _independent

    class Odd(_independent.Toss):
        def propose(self, joins: Iterable[_independent.Signed], **options: str) -> _independent.Signed:
            signed, key = [], self.host.public
            for join in joins:
                value = msgpack.unpackb(join[0])
                named = {"host": key, "bot": next(iter(value[7]), b"")}
                value[7] = [named[bot] for bot in bots]
                signed.append(self.host.sign(msgpack.packb(value)) if value[3] == key else join)
            return super().propose(signed, **options)

    toss = Odd(3, bot="bot" in bots)
    game = _independent.Game(toss)
    raw = _independent.file_of(_independent.chained(_independent.transcript(toss, game)))
    assert agreed(raw) == ("incomplete" if bots == ["bot"] else "fault")


def test_nothing_is_decided_after_the_end() -> None:
    """The winner alone may halt as much as it likes: its votes have no place behind the end, a LEAVE has."""
    import _independent
    from _vote_cases import Played
    from _vote_maker import Halt

    game = Played(2)
    game.play()
    halt, seat = Halt(game.game), game.game.active[0]
    halts = [halt.halt(seat)]
    propose = halt.propose(halts)
    votes = [halts[0].vote, propose, halt.drop(seat, propose, ())]

    def with_(*votes: _independent.Signed) -> bytes:
        more = [("vote", vote) for vote in votes]
        return _independent.file_of(_independent.chained([*game.entries, *more]))

    assert agreed(with_(halt.leave(seat))) == "clean"
    assert [agreed(with_(*votes[:count])) for count in range(4)] == ["clean", "fault", "fault", "fault"]


@pytest.mark.parametrize("backwards", [False, True])
def test_two_leaves_of_one_author(backwards: bool) -> None:
    """Signed in two epochs, and taken up by two PROPOSEs of one decision: they stand by their names, so that there is
    one order."""
    import _independent
    from _vote_cases import Played
    from _vote_maker import Halt, name

    table, votes = Played(5), list[_independent.Signed]()
    table.said(*(table.game.commit(seat) for seat in range(4)))
    leaves = [table.halt.leave(3)]
    table.drop(table.decided([table.halt.halt(seat, (4, 0)) for seat in range(4)]))
    halt = Halt(table.game)
    leaves.append(halt.leave(3))
    last = None
    for ballot, leave in enumerate(leaves):
        halts = [halt.halt(0, ballot=ballot, last=last), *(halt.halt(seat, ballot=ballot) for seat in (1, 2))]
        outcome = halt.outcome(table.game.active, halts, {3: (name(leave), True)}, {})
        propose = halt.propose(halts, {3: leave}, ballot=ballot)
        assert outcome is not None
        drops = [halt.drop(seat, propose, outcome, ballot=ballot) for seat in range(1 + ballot)]
        last = (0, name(drops[0]), outcome)
        votes += [*(one.vote for one in halts), propose, *drops]
    found = [*sorted(leaves, key=name, reverse=backwards), *votes]
    raw = _independent.file_of(_independent.chained([*table.entries, *(("vote", vote) for vote in found)]))
    assert agreed(raw) == ("fault" if backwards else "incomplete")


def test_a_drop_for_a_proposal_of_another_ballot_carries_nothing_on() -> None:
    """A HALT that names it does not hold, so nothing is decided upon that."""
    import _independent
    from _vote_cases import Played
    from _vote_maker import name

    table = Played()
    halt, first = table.halt, [table.halt.halt(seat, (2, 0)) for seat in (0, 1)]
    outcome, propose = halt.outcome(table.game.active, first, {}, {}), halt.propose(first)
    assert outcome is not None
    odd = halt.drop(0, propose, outcome, ballot=1)
    then = [halt.halt(0, ballot=2, last=(1, name(odd), outcome)), halt.halt(1, ballot=2)]
    again = halt.propose(then, ballot=2)
    drops = [halt.drop(seat, again, outcome, ballot=2) for seat in (0, 1)]
    votes = [*(one.vote for one in first), propose, odd, *(one.vote for one in then), again, *drops]
    table.entries += [("vote", vote) for vote in votes]
    assert agreed(_independent.file_of(_independent.chained(table.entries))) == "incomplete"
    table.drop(outcome)
    table.play()
    assert agreed(_independent.file_of(_independent.chained(table.entries))) == "fault"


def test_two_proposals_of_one_ballot_that_were_both_followed() -> None:
    """By one each, who carry it on: what is decided then needs both, so a record holds them, and reads on."""
    import _independent
    from _vote_cases import Played
    from _vote_maker import name

    table, goes_on = Played(2), ()
    halt, first = table.halt, [table.halt.halt(seat) for seat in (0, 1)]
    twins = [halt.propose(first), halt.propose(first[::-1])]
    drops = [halt.drop(seat, twin, goes_on) for seat, twin in enumerate(twins)]
    carried = [(0, name(drop), goes_on) for drop in drops]
    then = [halt.halt(seat, ballot=1, last=last) for seat, last in enumerate(carried)]
    again = halt.propose(then, ballot=1)
    votes = [*(one.vote for one in first), *twins, *drops, *(one.vote for one in then), again,
             *(halt.drop(seat, again, goes_on, ballot=1) for seat in (0, 1))]
    table.entries += [("vote", vote) for vote in votes]
    table.play()
    raw = _independent.file_of(_independent.chained(table.entries))
    assert agreed(raw) == "fault"
    assert [(finding.seat, finding.kind) for finding in audit(raw).findings] == [(0, "EQUIV")]


@pytest.mark.parametrize(("ballot", "shown"), [(9, False), (2**53, False), (9, True)])
def test_what_a_leave_carries_on_if_its_author_still_counts(ballot: int, shown: bool) -> None:
    """Nothing: its DROP need not be there, and has no place in the file."""
    import _independent
    from _vote_cases import Played
    from _vote_maker import name

    table = Played()
    first = [table.halt.halt(seat, (1, 0)) for seat in (0, 2)]
    dropped, propose = table.halt.outcome(table.game.active, first, {}, {}), table.halt.propose(first)
    assert dropped
    drop = table.halt.drop(2, propose, dropped)
    leave = table.halt.leave(2, ballot, last=[name(drop)])
    halts = [table.halt.halt(seat, ballot=1) for seat in (0, 1)]
    outcome = table.halt.outcome(table.game.active, halts, {2: (name(leave), False)}, {})
    again = table.halt.propose(halts, {2: leave}, ballot=1)
    assert outcome
    votes = [leave, *([*(one.vote for one in first), propose, drop] if shown else []), *(one.vote for one in halts),
             again, *(table.halt.drop(seat, again, outcome, ballot=1) for seat in (0, 1))]
    table.entries += [("vote", vote) for vote in votes]
    table.drop(outcome)
    table.play()
    assert agreed(_independent.file_of(_independent.chained(table.entries))) == ("fault" if shown else "clean")


@pytest.mark.parametrize("goes_on", [True, False])
def test_a_leave_of_one_without_dice_carries_nothing_on(goes_on: bool) -> None:
    """Its author was among those who agree before the last showdown, but is not of those who must agree now."""
    import _independent
    from _vote_cases import Played
    from _vote_maker import Halt, name

    table = Played()
    start, halt = table.game.boundary, table.halt
    table.play()
    ledger = replayed(_independent.file_of(_independent.chained(table.entries))).ledger
    assert ledger
    (gone,) = set(range(3)) - set(ledger.owners_in(ledger.game))
    one, other = ledger.owners_in(ledger.game)
    here = ledger.marks[-1].boundary.rounds, ledger.marks[-1].boundary.state
    first = [halt.halt(seat, (other, 0), boundary=start) for seat in sorted((one, gone))]
    dropped, propose = halt.outcome(range(3), first, {}, {}), halt.propose(first)
    assert dropped
    drop = halt.drop(gone, propose, dropped)
    leave = halt.leave(gone, 1, last=[name(drop)])
    halts = [halt.halt(seat, ballot=1, boundary=here) for seat in (one, other)]
    again = halt.propose(halts, {gone: leave}, ballot=1)
    drops = [halt.drop(seat, again, () if goes_on else dropped, ballot=1) for seat in (one, other)]
    named = [] if goes_on else [*(said.vote for said in first), propose, drop]
    votes = [leave, *named, *(said.vote for said in halts), again, *drops, Halt(table.game, 1).halt(one).vote]
    table.entries += [("vote", vote) for vote in votes]
    raw = _independent.file_of(_independent.chained(table.entries))
    assert agreed(raw) == ("incomplete" if goes_on else "fault"), "a vote of the next halt shows what was decided"


def test_what_convicts_its_author_has_one_place_too() -> None:
    """A second HALT stands beside the first, by its name; anywhere else, or once more, one history had two files."""
    import _independent
    from _vote_cases import Played
    from _vote_maker import name

    table = Played()
    halts = sorted((table.halt.halt(0, *names) for names in ([], [(2, 0)])), key=lambda halt: name(halt.vote))
    other = table.halt.halt(1, (2, 0))
    propose = table.halt.propose([halts[1], other])
    for votes, at in (([halts[0].vote, halts[1].vote, other.vote, propose], None),
                      ([halts[1].vote, halts[0].vote, other.vote, propose], 8),
                      ([halts[0].vote, other.vote, halts[1].vote, propose], 9),
                      ([halts[0].vote, other.vote, propose, halts[1].vote], 10),
                      ([halts[0].vote, halts[1].vote, halts[1].vote], 9),
                      ([halts[0].vote, halts[1].vote, halts[0].vote], 9)):
        raw = _independent.file_of(_independent.chained([*table.entries, *(("vote", vote) for vote in votes)]))
        assert agreed(raw) == "fault"
        report = audit(raw)
        assert report.stopped_at == (11 if at is None else at)
        assert bool(report.convicted) == (at in (None, 9) and votes[1] == halts[1].vote)


def test_a_second_drop_decides_nothing_by_itself() -> None:
    """It convicts its author, and what comes behind it by somebody who does not count completes nothing either."""
    import _independent
    from _vote_cases import Played
    from _vote_maker import name

    table = Played(2)
    halt, leave, here = table.halt, table.halt.leave(1), table.halt.halt(0)
    outcome, propose = halt.outcome([0, 1], [here], {1: (name(leave), True)}, {}), halt.propose([here], {1: leave})
    assert outcome
    true = halt.drop(0, propose, outcome)
    others = (halt.drop(0, propose, (outcome[0], rounds, *outcome[2:])) for rounds in range(1, 100))
    false = next(drop for drop in others if name(drop) < name(true))
    votes = [leave, here.vote, propose, false, true, halt.drop(1, propose, outcome)]
    raw = _independent.file_of(_independent.chained([*table.entries, *(("vote", vote) for vote in votes)]))
    assert agreed(raw) == "fault"
    assert audit(raw).winners == ()


def test_drops_of_another_outcome_do_not_count() -> None:
    """As many follow the PROPOSE as it needs, but not all with what it gives: nothing is decided."""
    import _independent
    from _vote_cases import Played

    table = Played()
    halts = [table.halt.halt(seat, (2, 0)) for seat in (0, 1)]
    outcome, propose = table.halt.outcome(table.game.active, halts, {}, {}), table.halt.propose(halts)
    assert outcome
    drops = [table.halt.drop(0, propose, ()), table.halt.drop(1, propose, outcome)]
    table.entries += [("vote", vote) for vote in (*(one.vote for one in halts), propose, *drops)]
    assert agreed(_independent.file_of(_independent.chained(table.entries))) == "incomplete"
    table.drop(outcome)
    table.play()
    assert agreed(_independent.file_of(_independent.chained(table.entries))) == "fault"


def test_the_rest_of_a_slot_that_a_crash_tore_may_follow_a_go_on() -> None:
    """Whoever comes back goes on with the file as it is: its slot begins before the votes and ends behind them."""
    import _independent
    from _vote_cases import Played

    table = Played(2)
    table.decided([table.halt.halt(seat, (1 - seat, 0)) for seat in (0, 1)])
    table.play()
    places = [at for at, (kind, _) in enumerate(table.entries) if kind == "game"]
    torn = table.entries.pop(places[0])
    table.entries.insert(next(at for at, (kind, _) in enumerate(table.entries) if kind == "vote"), torn)
    assert agreed(_independent.file_of(_independent.chained(table.entries))) == "clean"


def test_evidence_behind_the_proposal_that_names_it() -> None:
    """It stands directly before the first that does, so that what a PROPOSE decides is known at its place."""
    import _independent
    from _vote_cases import Played

    table = Played(4)
    halt, found = table.halt, []
    proof = _independent.pack(("EQUIV", sorted(table.game.body(3, "MODE", way, 0) for way in ("open", "no")), (), b""))
    for shown in (0, 1):
        votes = list[tuple[str, _independent.Signed]]()
        for ballot in (0, 1):
            halts = [halt.halt(seat, ballot=ballot) for seat in (0, 1, 2)]
            outcome = halt.outcome(table.game.active, halts, {}, {3: _independent.hashed("evidence", proof)})
            propose = halt.propose(halts, proofs={3: proof}, ballot=ballot)
            assert outcome
            votes += [("vote", one.vote) for one in halts]
            votes += [("evidence", (proof, b""))] if shown == ballot else []
            votes += [("vote", propose), ("vote", halt.drop(0, propose, outcome, ballot=ballot))]
        raw = _independent.file_of(_independent.chained([*table.entries, *votes]))
        assert agreed(raw) == "fault"
        found.append(audit(raw).findings[-1].detail)
    assert found == ["evidence", "out-of-order"]


STRANGE_STATES = [
    ("foo", (b"game", bytes(32), b"R")), ("start", (b"game", bytes(32), b"R")), ("start", (b"game", b"", b"", b"R")),
    ("child", (b"game", bytes(32), b"R")), ("child", (b"game", bytes(32), bytes(32), b"R")),
    *(("state", (b"game", bytes(32), slot, bytes(32), phase, bytes(32), b"R"))
      for slot, phase in ((bytes(8), b"act"), (b"3", b"act"), (bytes(8), b"start"), (bytes(8), b"over"),
                          (bytes(8), b"x"), (bytes(8), b"\xff")))]


@pytest.mark.parametrize(("label", "parts"), STRANGE_STATES)
def test_states_of_no_game(label: str, parts: tuple[bytes, ...]) -> None:
    """A cheat names a state that it made up: both see in it what they see in any other, or nothing."""
    import _independent
    from _vote_cases import Played

    table, rules = Played(), list[object]()
    for at, value in ((2, None), (4, ["a", 1, 1]), (4, [99, 1, 1]), (4, [1] * 33), (4, [0] * 3), (12, b""), (12, [9]),
                      (9, [0, "", 0, [7]]), (9, [0, "", 0, b"\0"]), (10, [5, 3, [0]]), (11, ["dudo", "pass", [1]]),
                      (2, ["over", 1, 0, ""]), (2, ["showdown", 1, 0, "x"]), (3, ["up", "left"]), (0, 2)):
        state = msgpack.unpackb(table.game.rules)
        state[at] = state[at] if value is None else value
        rules.append(state)
    for state in rules:
        raw: bytes = msgpack.packb(state)
        fill = {b"game": table.game.game_id, b"R": _independent.hashed("rules", raw)}
        preimage = _independent.framed(label, *(fill.get(part, part) for part in parts))
        said = table.game.body(2, "ACT", ("dudo",), 0, slot=5, state=hashlib.sha256(preimage).digest())
        evidence = _independent.pack(("ILLEGAL", [said], [preimage], raw))
        file = _independent.file_of(_independent.chained([*table.entries, ("evidence", (evidence, b""))]))
        assert agreed(file) == "fault"


@pytest.mark.long
def test_many_games_with_votes() -> None:
    """Forty drops, forty leaves, and their votes changed; a few games are over before that."""
    changed = 0
    for seed in range(40):
        for raw in (dropped(seed), left(seed)):
            assert agreed(raw) in ("clean", "incomplete")
            if audit(raw).verdict == "clean" and sum(entry[0] == "vote" for entry in records(raw)) > 1:
                changed_votes(raw, seed, 2)
                changed += 1
    assert changed > 60


# --- the script itself


def test_it_shares_nothing_with_the_package() -> None:
    """The standard library, cryptography, msgpack and its own three files."""
    names = ("verify_independent", "_independent_base", "_independent_rules", "_independent_votes")
    for name in names:
        for node in ast.walk(ast.parse((SCRIPTS / f"{name}.py").read_text(encoding="utf-8"))):
            modules = ([alias.name for alias in node.names] if isinstance(node, ast.Import)
                       else [node.module or ""] if isinstance(node, ast.ImportFrom) else [])
            for module in (module.split(".")[0] for module in modules):
                own = module in ("cryptography", "msgpack", *names[1:])
                assert own or module in sys.stdlib_module_names, (name, module)


def test_it_ends_as_the_program_does(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One line, and the exit status of `p2pdice verify`."""
    from verify_independent import main

    path = tmp_path / "game"
    for case in json.loads((VECTORS / "transcripts.json").read_text(encoding="utf-8"))["cases"]:
        path.write_bytes(bytes.fromhex(case["file"]))
        status = program(["verify", str(path)])
        capsys.readouterr()
        assert main([str(path)]) == status
        line = capsys.readouterr().out
        assert line.count("\n") == 1
        assert line.split()[0] == case["verdict"]
    assert main([str(tmp_path / "none")]) == program(["verify", str(tmp_path / "none")]) == 2
    assert main([]) == 2


# --- by hand


def _hash(label: bytes, *parts: bytes) -> bytes:
    pieces = (b"p2pdice/1/" + label, *parts)
    return hashlib.sha256(b"".join(len(piece).to_bytes(4, "big") + piece for piece in pieces)).digest()


def _number(value: int) -> bytes:
    return value.to_bytes(8, "big")


def test_a_deal_by_hand() -> None:
    """The golden game of two with one die each, with hashlib alone: toss, words, states, commitments, dice, result."""
    case = json.loads((VECTORS / "transcripts.json").read_text(encoding="utf-8"))["cases"][0]
    entries = records(bytes.fromhex(case["file"]))
    bodies = [msgpack.unpackb(body) for _, body, _ in entries]
    keys = [msgpack.unpackb(join)[3] for join, _ in bodies[0][8]]

    table = _hash(b"table", entries[0][1])
    genesis = _hash(b"genesis", table, entries[1][1], entries[2][1])
    game = _hash(b"game", genesis, bodies[3][5], bodies[4][5])
    coin = _hash(b"stream", _hash(b"seats", game), _number(0))[0]  # two places: one swap or none
    if coin % 2 == 0:
        keys.reverse()
    epoch = _hash(b"epoch0", game)

    terms = [part for pair in bodies[0][5] for part in pair]
    before = [1, ["perudo", *terms], ["deal", 1, 0, ""], ["left", "left"], [1, 1], [0, 0], [0, 0], [0, 0], [],
              [0, "", 0, []], [], ["", "", []], []]
    dealt = [*before[:2], ["act", 1, 0, ""], *before[3:]]
    state = _hash(b"start", game, genesis, _hash(b"rules", msgpack.packb(before)))
    commits, opens, reveals = bodies[5:7], bodies[7:9], bodies[11:13]
    assert [body[1] for body in bodies[5:]] == ["COMMIT"] * 2 + ["OPEN"] * 2 + ["ACT"] * 2 + ["REVEAL"] * 2
    assert all(body[2:6] == [game, epoch, 0, state] for body in commits)
    after = _hash(b"state", game, epoch, _number(0), state, b"commit", _hash(b"body", entries[5][1]),
                  _hash(b"body", entries[6][1]), _hash(b"rules", msgpack.packb(dealt)))
    assert all(body[2:6] == [game, epoch, 1, after] for body in opens)

    shares = {(seat, cup): share for seat in (0, 1) for cup, share in opens[seat][7][0]}
    shares |= {(seat, cup): share for body in reveals for cup, seat, share in body[7][1]}
    assert set(shares) == {(seat, cup) for seat in (0, 1) for cup in (0, 1, 2)}
    for (seat, cup), share in shares.items():
        assert dict(commits[seat][7][1])[cup] == _hash(
            b"share", game, epoch, _number(1), state, _number(seat), _number(cup), keys[seat], share)

    dice = []
    for cup in (0, 1):
        seed = _hash(b"dice", game, epoch, _number(1), after, _number(cup), _number(1), shares[0, cup], shares[1, cup])
        byte = next(byte for byte in _hash(b"stream", seed, _number(0)) if byte < 252)
        dice.append(1 + byte % 6)
    (_, quantity, face, _), _ = bodies[9][7]
    assert bodies[10][7][0] == ["dudo"]
    held = sum(die in (1, face) for die in dice) >= quantity
    assert audit(bytes.fromhex(case["file"])).winners == ((0,) if held else (1,))
