"""The cases of tests/vectors/votes.json, for make_vectors.py; imports nothing of the package."""

from collections.abc import Callable, Sequence

import msgpack
from _independent import Case, Game, Signed, Toss, chained, file_of, hashed, pack, secret, transcript
from _vote_maker import UNSURE, Halt, Halted, Outcome, descend, name, proposer, quorum


def votes() -> list[Case]:
    return [*quorums(), *proposers(), *bodies(), *epochs(), *ballots(), *files()]


def quorums() -> list[Case]:
    """Row l of a table: l are counted out; column c: c others are convicted."""
    return [{"name": f"majorities of {owners}", "quorum": [[quorum(owners, left, guilty)
                                                            for guilty in range(owners - left + 1)]
                                                           for left in range(owners + 1)]} for owners in range(1, 33)]


def proposers() -> list[Case]:
    lists = ((0, 1), (0, 1, 2), (1, 3, 4, 7), tuple(range(32)))
    return [{"name": f"proposers of {len(owners)}", "owners": owners,
             "proposers": [[proposer(owners, halt, ballot) for ballot in range(5)] for halt in range(4)]}
            for owners in lists]


def bodies() -> list[Case]:
    game = Game(Toss(3))
    first, other = secret("a vote"), secret("another vote")
    halt, ballot = ["halt", 1, 2], ["drop", 0, 0]
    out = [(0, "left", first), (2, "silent", b"")]
    good = {
        "HALT: nobody missing": ("HALT", halt, (0, "", 3, 1, (), ())),
        "HALT: a message, a HALT, a choice, a DROP": ("HALT", halt, (4, "closed", 3, 0, ((1, 3), (2,)), (first,))),
        "PROPOSE: two HALTs": ("PROPOSE", ["propose", 0, 1], (((0, first), (1, other)), (), ())),
        "PROPOSE: a HALT, a LEAVE, evidence": (
            "PROPOSE", ["propose", 0, 0], (((0, first),), ((1, other),), ((2, other),))),
        "DROP: go on": ("DROP", ballot, (first, ())),
        "DROP: two are out": ("DROP", ballot, (first, (out, 4, other, "open"))),
        "LEAVE: before any HALT": ("LEAVE", ["leave"], (0, 0, ())),
        "LEAVE: after a DROP": ("LEAVE", ["leave"], (2, 7, (first,))),
        "LEAVE: not sure": ("LEAVE", ["leave"], (0, UNSURE, ())),
    }
    bad = {
        "HALT: in a slot": ("HALT", 3, (0, "", 3, 1, (), ()), "wrong-slot"),
        "HALT: in the place of a DROP": ("HALT", ballot, (0, "", 3, 1, (), ()), "wrong-slot"),
        "COMMIT: in the place of a HALT": ("COMMIT", halt, (1, (), b""), "wrong-slot"),
        "LEAVE: with a ballot in its place": ("LEAVE", ["leave", 0, 0], (0, 0, ()), "not-a-game-message"),
        "HALT: of ballot 65537": ("HALT", ["halt", 0, 65537], (0, "", 3, 1, (), ()), "not-a-game-message"),
        "HALT: a boolean for own": ("HALT", halt, (0, "", 3, 2, (), ()), "not-a-game-message"),
        "HALT: a name of three": ("HALT", halt, (0, "", 3, 1, ((1, 3, 0),), ()), "not-a-game-message"),
        "HALT: two DROPs": ("HALT", halt, (0, "", 3, 1, (), (first, other)), "not-a-game-message"),
        "HALT: names of 65": ("HALT", halt, (0, "", 3, 1, ((1, 3),) * 65, ()), "not-a-game-message"),
        "PROPOSE: with a state": ("PROPOSE", ["propose", 0, 1], (((0, first),), (), ()), "state"),
        "PROPOSE: a short name": ("PROPOSE", ["propose", 0, 0], (((0, first[:31]),), (), ()), "not-a-game-message"),
        "DROP: an unknown reason": ("DROP", ballot, (first, (((0, "rude", b""),), 4, other, "")), "not-a-game-message"),
        "DROP: an outcome without its mode": ("DROP", ballot, (first, (out, 4, other)), "not-a-game-message"),
        "LEAVE: no field for a DROP": ("LEAVE", ["leave"], (0, 0), "not-a-game-message"),
    }
    kept = [*((name, kind, at, payload, "") for name, (kind, at, payload) in good.items()),
            *((name, kind, at, payload, why) for name, (kind, at, payload, why) in bad.items())]
    cases: list[Case] = []
    for title, kind, at, payload, why in kept:
        state = b"" if kind in ("PROPOSE", "DROP") and why != "state" else game.state
        vote = game.seats[0].say(1, kind, game.game_id, game.epoch, at, state, 0, payload)
        case: Case = {"name": title, "type": kind, "key": game.seats[0].public, "vote": vote}
        why = "wrong-slot" if why == "state" else why
        cases.append(case | ({"fails": why} if why else {"slot": at, "value": payload, "hash": name(vote)}))
    return cases


def epochs() -> list[Case]:
    """The outcome's bytes, E' and the first S of the child, for a table of three at its start."""
    cases: list[Case] = []
    for title, halt, out in (("one is silent", 0, ((2, "silent", b""),)),
                             ("one left in a later halt", 3, ((1, "left", secret("a vote")),)),
                             ("two are out, one has won", 0, ((0, "evidence", secret("a vote")), (2, "silent", b""))),
                             ("nobody is left", 1, tuple((seat, "left", secret(f"vote {seat}")) for seat in range(3)))):
        game = Game(Toss(3))
        epoch = game.epoch
        outcome: Outcome = (out, *game.boundary, "")
        descend(game, halt, outcome)
        cases.append({"name": f"epoch: {title}", "toss": "three players", "halt": halt, "value": outcome,
                      "outcome": pack(outcome), "epoch": epoch, "child": game.epoch, "preimage": game.preimage,
                      "state": game.state, "rules": game.rules})
    return cases


class Ballots:
    """Cases about one PROPOSE each, at a table that is at its start or after one round of three."""

    def __init__(self) -> None:
        self.cases: list[Case] = []

    def judge(self, title: str, table: "Table", halts: Sequence[Halted], *, fails: str = "", ballot: int = 0,
              leaves: dict[int, tuple[Signed, bool]] | None = None, proofs: dict[int, bytes] | None = None,
              earlier: Sequence[Signed] = (), propose: Signed | None = None) -> Outcome:
        """`fails`: why the PROPOSE is no good. `earlier`: votes of lower ballots."""
        left, evidence = leaves or {}, proofs or {}
        found = table.halt.outcome(table.game.active, halts, {seat: (name(vote), out)
                                                              for seat, (vote, out) in left.items()},
                                   {seat: hashed("evidence", raw) for seat, raw in evidence.items()})
        assert bool(fails) == (found is None) or propose, title
        named = propose or table.halt.propose(halts, {seat: vote for seat, (vote, _) in left.items()}, evidence, ballot)
        case: Case = {"name": f"ballot: {title}", "toss": table.toss, "played": table.played,
                      "evidence": list(evidence.values()),
                      "votes": [*(vote for vote, _ in left.values()), *earlier, *(one.vote for one in halts)],
                      "propose": named}
        self.cases.append(case | ({"fails": fails} if fails else {"outcome": pack(found)}))
        return found or ()


class Table:
    def __init__(self, toss: str, made: Toss, *, played: bool = False) -> None:
        self.toss, self.played, self.game = toss, played, Game(made)
        self.start = self.game.boundary
        if played:
            self.game.round(4, 3)
        self.halt = Halt(self.game)
        self.open = len(self.game.slots)

    @property
    def says(self) -> Callable[..., Halted]:
        return self.halt.halt


def ballots() -> list[Case]:
    made = Ballots()
    three, after = Table("three players", Toss(3)), Table("three players", Toss(3), played=True)
    six, two = Table("rolled for seats", Toss(6, seating="roll-seats")), Table("two players", Toss(2))
    says = three.says
    made.judge("all here, nobody missing", three, [says(0), says(1), says(2)])
    made.judge("one is silent", three, [says(0, (2, 0)), says(1, (2, 0))])
    made.judge("one has no HALT", three, [says(0, (2,)), says(1, (2,))])
    made.judge("one name is not enough", three, [says(0, (2, 0)), says(1)], fails="somebody-is-missing")
    made.judge("one HALT is not enough", three, [says(0, (2, 0), (1, 0))], fails="too-few-halts")
    made.judge("named and here, its message too", three, [says(0, (2, 0)), says(1, (2, 0)), says(2)])
    made.judge("named and here, its message not", three, [says(0, (2, 0)), says(1, (2, 0)), says(2, own=0)])
    made.judge("named for its HALT, which is here", three, [says(0, (2,)), says(1, (2,)), says(2, own=0)])
    made.judge("a name for a slot ahead of its tip", three, [says(0, (2, 5)), says(1, (2, 5)), says(2)])
    made.judge("two different names of one", three, [says(0, (2, 0)), says(1, (2,))])
    made.judge("it names itself", three, [says(0, (2, 0)), says(1), says(2, (2, 0), own=0)])
    made.judge("after a round", after, [after.says(0, (2, 5)), after.says(1, (2, 5))])
    made.judge("one stands a showdown behind", after, [
        after.says(0, (2, 5)), after.says(1, (2, 4), boundary=after.start, tip=4)])
    made.judge("a choice that the rules do not give", after, [
        after.says(0, (2, 5), mode="open"), after.says(1, (2, 5), mode="open")])
    some = six.says
    made.judge("two of six are silent", six, [some(seat, (4, 0), (5, 0)) for seat in range(4)])
    made.judge("three of six are three too few", six, [some(seat, (3, 0), (4, 0), (5, 0)) for seat in range(3)],
               fails="too-few-halts")
    made.judge("four here, three of them name the other two", six, [
        *(some(seat, (4, 0), (5, 0)) for seat in range(3)), some(3)], fails="somebody-is-missing")
    _with_leaves(made, three, six, two)
    _with_last(made, three)
    _refused(made, three)
    return made.cases


def _with_leaves(made: Ballots, three: Table, six: Table, two: Table) -> None:
    says, some = three.says, six.says
    leave = three.halt.leave(2)
    made.judge("a LEAVE", three, [says(0), says(1)], leaves={2: (leave, True)})
    made.judge("a LEAVE of ballot 1 in ballot 0", three, [says(0), says(1)], leaves={2: (three.halt.leave(2, 1), True)})
    made.judge("a LEAVE of ballot 2 in ballot 0", three, [says(0), says(1)],
               leaves={2: (three.halt.leave(2, 2), False)})
    made.judge("two LEAVEs, one is left", three, [says(0)], leaves={seat: (three.halt.leave(seat), True)
                                                                   for seat in (1, 2)})
    made.judge("two who may have voted later count still", three, [says(0)], fails="too-few-halts",
               leaves={seat: (three.halt.leave(seat, 9), False) for seat in (1, 2)})
    made.judge("one who is not sure", three, [says(0), says(1)], leaves={2: (three.halt.leave(2, UNSURE), False)})
    made.judge("of two, one who is not sure", two, [two.says(0)], leaves={1: (two.halt.leave(1, UNSURE), True)})
    made.judge("of two, one who may have voted later", two, [two.says(0)], leaves={1: (two.halt.leave(1, 9), True)})
    made.judge("two leave and one is silent", six, [some(seat, (3, 0)) for seat in range(3)],
               leaves={seat: (six.halt.leave(seat), True) for seat in (4, 5)})
    made.judge("a LEAVE and a HALT of one", three, [says(0), says(1), says(2)], leaves={2: (leave, True)})
    proof = _evidence(three, 2)
    made.judge("evidence", three, [says(0), says(1)], proofs={2: proof})
    made.judge("evidence and a LEAVE", three, [says(0), says(1)], proofs={2: proof}, leaves={2: (leave, True)})
    made.judge("of two, evidence", two, [two.says(0)], proofs={1: _evidence(two, 1)})
    made.judge("evidence against two of three: the third alone", three, [says(0)],
               proofs={seat: _evidence(three, seat) for seat in (1, 2)})


def _evidence(table: Table, seat: int) -> bytes:
    bodies = sorted(table.game.body(seat, "MODE", choice, 0, slot=9) for choice in ("open", "closed"))
    return pack(("EQUIV", bodies, (), b""))


def _with_last(made: Ballots, three: Table) -> None:
    """Ballot 0 found one silent; ballot 1 carries that on, though the silent one has come."""
    halts = [three.says(0, (2, 0)), three.says(1, (2, 0))]
    first = three.halt.propose(halts)
    out = three.halt.outcome(three.game.active, halts, {}, {})
    assert out
    drop = three.halt.drop(0, first, out)
    earlier = [*(one.vote for one in halts), first, drop]
    carried = (0, name(drop), out)
    later = [three.says(0, ballot=1, last=carried), three.says(1, ballot=1), three.says(2, ballot=1)]
    made.judge("a DROP is carried on", three, later, ballot=1, earlier=earlier)
    made.judge("nobody's DROP is here", three, [three.says(seat, ballot=1) for seat in range(3)], ballot=1,
               earlier=earlier[:-1])
    false = three.halt.drop(0, first, ())
    lying = three.says(0, ballot=1, last=(0, name(false), ()))
    made.judge("a DROP of what its PROPOSE does not give", three, [lying, *later[1:]], ballot=1,
               fails="another-outcome", earlier=[*earlier[:-1], false],
               propose=three.halt.propose([lying, *later[1:]], ballot=1))
    foreign = three.says(1, ballot=1, last=carried)
    made.judge("somebody else's DROP", three, [later[0], foreign, later[2]], ballot=1, fails="wrong-last",
               earlier=earlier, propose=three.halt.propose([later[0], foreign, later[2]], ballot=1))
    same = three.says(0, last=carried)
    made.judge("a DROP of the same ballot", three, [same], fails="wrong-last", earlier=[drop],
               propose=three.halt.propose([same, three.says(1)]))


def _refused(made: Ballots, three: Table) -> None:
    says = three.says
    named = [says(0, (2, 0)), says(1, (2, 0))]
    late = says(1, ballot=1)
    made.judge("a HALT of another ballot", three, [named[0], late], fails="another-ballot",
               propose=three.halt.propose([named[0], late]))
    made.judge("a HALT under another's number", three, named, fails="another-ballot",
               propose=three.game.body(0, "PROPOSE", [(0, name(named[0].vote)), (2, name(named[1].vote))], (), (),
                                       at=["propose", 0, 0], state=b""))
    made.judge("a HALT twice", three, named, fails="repeated", propose=three.halt.propose([named[0], *named]))
    proof = _evidence(three, 2)
    leave = three.halt.leave(2)
    made.judge("a LEAVE twice", three, named, fails="repeated", leaves={2: (leave, True)},
               propose=three.halt.names([(one.seat, name(one.vote)) for one in named], [(2, name(leave))] * 2, ()))
    made.judge("a LEAVE under another's number", three, named, fails="wrong-leave", leaves={2: (leave, True)},
               propose=three.halt.propose(named, {1: leave}))
    made.judge("a HALT and evidence of one", three, [*named, says(2)], fails="halt-of-a-convicted", proofs={2: proof},
               propose=three.halt.propose([*named, says(2)], proofs={2: proof}))
    made.judge("evidence twice", three, named, fails="repeated", proofs={2: proof}, propose=three.halt.names(
        [(one.seat, name(one.vote)) for one in named], (), [(2, hashed("evidence", proof))] * 2))
    made.judge("evidence under another's number", three, named, fails="wrong-proof", proofs={2: proof},
               propose=three.halt.propose(named, proofs={1: proof}))
    drop = three.halt.drop(0, three.halt.propose(named), ())
    made.judge("a DROP for a HALT", three, named, fails="wrong-type", earlier=[drop],
               propose=three.game.body(0, "PROPOSE", [(0, name(drop))], (), (), at=["propose", 0, 0], state=b""))


Entries = list[tuple[str, Signed]]


class Played:
    """Three players with a die each; the file is written as far as somebody asks for it."""

    def __init__(self, players: int = 3) -> None:
        toss = Toss(players, starting_dice="1")
        self.game = Game(toss)
        self.entries: Entries = transcript(toss, self.game)
        self.halt = Halt(self.game)

    def said(self, *bodies: Signed) -> None:
        self.entries += [("game", body) for body in bodies]

    def decided(self, halts: Sequence[Halted], **named: object) -> Outcome:
        """What the votes of a ballot come to, its LEAVEs before them, its evidence before the PROPOSE."""
        leaves: dict[int, Signed] = named.get("leaves", {})  # type: ignore[assignment]
        proofs: dict[int, bytes] = named.get("proofs", {})  # type: ignore[assignment]
        outcome = self.halt.outcome(self.game.active, halts,
                                    {seat: (name(vote), True) for seat, vote in leaves.items()},
                                    {seat: hashed("evidence", raw) for seat, raw in proofs.items()})
        assert outcome is not None
        propose = self.halt.propose(halts, leaves, proofs)
        needed = quorum(len(self.game.active), len(leaves), len(proofs))
        drops = [self.halt.drop(one.seat, propose, outcome) for one in halts][:needed]
        self.entries += [("vote", vote) for vote in (*leaves.values(), *(one.vote for one in halts))]
        self.entries += [("evidence", (raw, b"")) for raw in proofs.values()]
        self.entries += [("vote", vote) for vote in (propose, *drops)]
        return outcome

    def drop(self, outcome: Outcome) -> None:
        descend(self.game, self.halt.number, outcome)

    def play(self) -> None:
        """A round, to the end."""
        first = len(self.game.slots)
        self.game.round(1, 3)
        self.said(*(body for slot in self.game.slots[first:] for body in slot["bodies"]))


def files() -> list[Case]:
    cases: list[Case] = []

    def add(title: str, entries: Entries, verdict: str, standings: str, why: str = "",
            entry: int | None = None) -> None:
        at = len(entries) if entry is None else entry
        cases.append({"name": f"file: {title}", "file": file_of(chained(entries)), "verdict": verdict, "entry": at,
                      "standings": [{"c": "clean", "d": "dropped", "l": "left", "x": "convicted"}[one]
                                    for one in standings]} | ({"fails": why} if why else {}))

    def silent() -> Played:
        """Seat 2 never commits: the others do, and go on without it."""
        table = Played()
        table.said(*(table.game.commit(seat) for seat in (0, 1)))
        table.drop(table.decided([table.halt.halt(seat, (2, 0)) for seat in (0, 1)]))
        table.play()
        return table

    dropped, entries = silent(), silent().entries
    add("one is silent, two play on", entries, "clean", "ccd")
    late = dropped.halt.leave(0)
    add("a LEAVE that nobody took up", [*entries, ("vote", late)], "clean", "ccd")
    left = Played()
    leave = left.halt.leave(2)
    left.drop(left.decided([left.halt.halt(seat) for seat in (0, 1)], leaves={2: leave}))
    left.play()
    add("one leaves, two play on", left.entries, "clean", "ccl")
    alone = Played()
    alone.drop(alone.decided([alone.halt.halt(0)], leaves={seat: alone.halt.leave(seat) for seat in (1, 2)}))
    add("two leave, one has won", alone.entries, "clean", "cll")
    guilty = Played()
    proof = pack(("EQUIV", sorted(guilty.game.body(2, "MODE", way, 0) for way in ("open", "closed")), (), b""))
    guilty.drop(guilty.decided([guilty.halt.halt(seat) for seat in (0, 1)], proofs={2: proof}))
    guilty.play()
    add("one is convicted, two play on", guilty.entries, "fault", "ccx", "evidence")
    shown = next(at for at, (kind, _) in enumerate(guilty.entries) if kind == "evidence")
    early = [*guilty.entries[:shown - 1], guilty.entries[shown], guilty.entries[shown - 1], *guilty.entries[shown + 1:]]
    add("evidence not directly before its PROPOSE", early, "fault", "ccx",
        "evidence, out-of-order", shown)
    add("evidence that no PROPOSE names, in mid-game", [*entries[:14], guilty.entries[shown], *entries[14:]], "fault",
        "ccx", "evidence, out-of-order", 15)
    resumed = Played(2)
    resumed.decided([resumed.halt.halt(seat, (1 - seat, 0)) for seat in (0, 1)])
    resumed.play()
    add("a halt in which nobody was missing", resumed.entries, "clean", "cc")
    _changed(add, silent, entries)
    return cases


def _changed(add: Callable[..., None], silent: Callable[[], Played], entries: Entries) -> None:
    """The file of the silent one: 7 records of the table, 2 COMMITs, 2 HALTs, a PROPOSE, 2 DROPs, then the child."""
    halt, propose, drop, child = 9, 11, 12, 14
    assert [len(entries[at][1][0]) > 0 and entries[at][0] for at in (8, 9, 13, 14)] == ["game", "vote", "vote", "game"]
    table = Played()
    first = [("HALT", entries[halt]), ("DROP", entries[drop])]
    add("ends in a halt", entries[:drop], "incomplete", "ccc")
    add("ends one DROP short", entries[:child - 1], "incomplete", "ccc")
    add("a slot after a halt that came to nothing", [*entries[:child - 1], *entries[child:]], "fault", "ccc",
        "out-of-order", child - 1)
    add("no halt before the child epoch", [*entries[:halt], *entries[child:]], "fault", "ccc", "out-of-order", halt)
    for kind, entry in first:
        add(f"a {kind} twice", [*entries[:drop + 1], entry, *entries[drop + 1:]], "fault", "ccc", "repeated", drop + 1)
    add("a HALT that claims to be of a slot", [*entries[:halt], ("game", entries[halt][1])], "fault", "ccc",
        "wrong-type", halt)
    body = entries[halt][1][0]
    add("a HALT signed by another", [*entries[:halt], ("vote", (body, table.game.seats[1].sign(body)[1]))], "fault",
        "ccc", "bad-signature", halt)
    later = Halt(table.game, 1).halt(0)
    add("a HALT of the next halt", [*entries[:halt], ("vote", later.vote)], "fault", "ccc", "another-halt", halt)
    other = table.halt.propose([], by=1)
    add("a PROPOSE by another seat", [*entries[:propose], ("vote", other)], "fault", "ccc", "not-the-proposer", propose)
    again = table.halt.halt(0, (1, 0)).vote
    add("two HALTs of one ballot", [*entries[:halt + 1], ("vote", again), *entries[halt + 1:]], "fault", "xcd",
        "in-the-log")
    wrong = table.halt.drop(1, entries[propose][1], ())
    add("a DROP of another outcome", [*entries[:child - 1], ("vote", wrong), *entries[child:]], "fault", "ccc",
        "out-of-order", child)
    add("votes of the halt that is decided", [*entries[:child], entries[drop]], "fault", "ccd", "another-halt", child)
    old = table.game.commit(0)
    add("the old epoch goes on", [*entries[:child], ("game", old)], "fault", "ccd", "another-state", child)
    both = silent()
    bodies: list[Signed] = both.game.slots[0]["bodies"]
    add("the one who is out speaks in the child epoch", [*entries[:child + 1], ("game", _stranger(both, bodies))],
        "fault", "ccx", "in-the-log", child + 2)


def _stranger(table: Played, commits: Sequence[Signed]) -> Signed:
    """A COMMIT by seat 2 that names the child's first state."""
    fields: list[object] = msgpack.unpackb(commits[0][0], raw=False)
    fields[6] = 2
    return table.game.seats[2].sign(pack(fields))
