"""A walk through all states of a `tests.ballotmodel`. A state says what each seat has signed, not who received it:
honest peers act on any part of what was signed. A liar's bodies get their content when somebody first needs them, so
that it may sign anything to anyone, within one body per slot."""

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from p2pdice.protocol.ballot import UNSURE, Outcome, Why
from tests.ballotmodel import GONE, Ballot, Judge, Leaver, Named, Ruling, Scene, Seat, State, put


@dataclass
class Search:
    """One scene, all states, or as many as `most`; what is true in each is checked, an AssertionError otherwise."""

    scene: Scene
    most: int = 10_000_000
    truncated: bool = False
    cut: int = 0  # states where the liar has contradicted itself
    decided: int = 0  # states in which a certificate can stand
    forked: int = 0  # states with two outcomes, of which evidence against the liar gives one
    revived: int = 0  # fresh ballots tried
    parents: dict[State, State | None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.judge = Judge(self.scene)
        self.honest = [seat for seat in range(self.scene.players) if seat != self.scene.liar]

    @property
    def states(self) -> int:
        return len(self.parents)

    def run(self) -> None:
        """Walk through all states, nearest first for short traces."""
        scene = self.scene
        blank = Seat(0, 0, None, ((None,) * scene.ballots,) * scene.halts, ((False,) * scene.ballots,) * scene.halts)
        first = State((blank,) * scene.players, ((0,) * scene.ballots,) * scene.halts)
        self.parents[first] = None
        layer = [first]
        while layer:
            following = []
            for state in layer:
                try:
                    self.check(state)
                    for after in self.moves(state):
                        if after in self.parents:
                            continue
                        liar = scene.liar
                        if liar is not None and after.seats[liar].contradicts():
                            self.cut += 1
                        elif len(self.parents) >= self.most:
                            self.truncated = True
                        else:
                            self.parents[after] = state
                            following.append(after)
                except AssertionError as error:
                    raise AssertionError(f"{error}\n{self.trace(state)}") from error
            layer = following

    def trace(self, state: State) -> str:
        """How a state came about."""
        steps: list[State] = []
        at: State | None = state
        while at is not None:
            steps.append(at)
            at = self.parents[at]
        lines = [f"{self.scene}"]
        for before, after in itertools.pairwise(reversed(steps)):
            lines += [f"  seat {number}: {new}" for number, (old, new) in
                      enumerate(zip(before.seats, after.seats, strict=True)) if old != new]
            if before.proposes != after.proposes:
                lines.append(f"  proposes {after.proposes}")
        used = {number for row in state.proposes for number in row if number}
        return "\n".join([*lines, *(f"  {number}: {self.judge.rulings[number - 1]}" for number in sorted(used))])

    # --- what may happen next

    def moves(self, state: State) -> Iterator[State]:
        """Each thing that an honest seat may do next, with any content of the liar's bodies that it needs."""
        scene = self.scene
        for number in self.honest:
            seat = state.seats[number]
            if seat.leave or seat.halt == GONE:
                continue
            halt = seat.halt
            highest = seat.highest(halt) if halt < scene.halts else -1
            if not seat.knows and highest < 0 and number not in scene.deaf:
                yield state.seat(number, seat._replace(knows=1))
            if number in scene.leavers and not (seat.knows and number == scene.loser and highest < 0):
                last = seat.last(halt) if halt < scene.halts else -1
                yield state.seat(number, seat._replace(leave=(halt, highest, last)))
            if halt == scene.halts or (seat.knows and number == scene.loser and highest < 0):
                continue
            for at in range(highest + 1, 1 if number in scene.late else scene.ballots):
                yield state.seat(number, seat.with_halt(halt, at, (seat.knows, seat.last(halt))))
            if highest >= 0:
                yield from self._votes(state, number, halt, highest)
            if scene.halts > 1:
                yield from self._goes_on(state, number, halt)

    def _votes(self, state: State, number: int, halt: int, at: int) -> Iterator[State]:
        """PROPOSE with DROP, or DROP, in the ballot of a seat's highest HALT."""
        seat, proposer = state.seats[number], self.scene.proposer(halt, at)
        if seat.drops[halt][at]:
            return
        if state.proposes[halt][at]:
            yield self._drop(state, number, halt, at)
        elif proposer in (number, self.scene.liar):
            for before, case in self._ballots(state, halt, at):
                if proposer == self.scene.liar or any(one.seat == number for one in case.named):
                    for ruling in self.judge.rules(case):
                        row = put(before.proposes[halt], at, ruling + 1)
                        proposed = before._replace(proposes=put(before.proposes, halt, row))
                        yield self._drop(proposed, number, halt, at)

    def _drop(self, state: State, number: int, halt: int, at: int) -> State:
        """A DROP; whoever sees that its own completes a certificate follows it at once."""
        seat, ruling = state.seats[number].with_drop(halt, at), self.ruling(state, halt, at)
        if ruling.quota == 1 and number in ruling.voters:
            seat = seat._replace(halt=halt + 1 if ruling.outcome.goes_on else GONE)
        return state.seat(number, seat)

    def _ballots(self, state: State, halt: int, at: int) -> Iterator[tuple[State, Ballot]]:
        """All that a PROPOSE may name by now; the liar's HALT and LEAVE with whatever content fits."""
        scene, liar = self.scene, self.scene.liar
        here = [seat for seat in self.honest if state.seats[seat].halts[halt][at]]
        gone = [seat for seat in self.honest if state.seats[seat].leave]
        if liar is not None:
            here.append(liar)
            gone += [liar] if liar in scene.leavers else []
        for named in _subsets(here):
            for left in _subsets(gone):
                for convicted in ((), (liar,)) if scene.evidence and liar is not None else ((),):
                    for before in self._lies(state, halt, at, liar in named, liar in left):
                        yield before, Ballot(
                            halt, at,
                            tuple(Named(seat, *self._said(before, seat, halt, at)) for seat in sorted(named)),
                            tuple(self._leaver(before, seat) for seat in sorted(left)), convicted)

    def _lies(self, state: State, halt: int, at: int, halts: bool, leaves: bool) -> Iterator[State]:
        """The state with the liar's HALT of a ballot, and its LEAVE, in it, if they are needed."""
        liar = self.scene.liar
        states = [state]
        if liar is not None and halts and not state.seats[liar].halts[halt][at]:
            lasts = [-1, *(below for below in range(at) if state.proposes[halt][below])]
            states = [self._lie(state, halt, last, lambda seat, boundary=boundary, last=last:  # type: ignore[misc]
                                seat.with_halt(halt, at, (boundary, last)))
                      for boundary in (0, 1) for last in lasts]
        for before in states:
            if liar is None or not leaves or before.seats[liar].leave:
                yield before
                continue
            yield before.seat(liar, before.seats[liar]._replace(leave=(halt, UNSURE, -1)))
            for highest in range(-1, at + 2):
                for last in (-1, *(below for below in range(highest + 1) if below < self.scene.ballots
                                   and state.proposes[halt][below])):
                    yield self._lie(before, halt, last, lambda seat, highest=highest, last=last:  # type: ignore[misc]
                                    seat._replace(leave=(halt, highest, last)))

    def _lie(self, state: State, halt: int, last: int, sign: Callable[[Seat], Seat]) -> State:
        assert self.scene.liar is not None, "somebody lies"
        seat = sign(state.seats[self.scene.liar])
        return state.seat(self.scene.liar, seat.with_drop(halt, last) if last >= 0 else seat)

    def _goes_on(self, state: State, number: int, halt: int) -> Iterator[State]:
        """A seat sees a certificate for GO-ON."""
        for at in range(self.scene.ballots):
            if self._stands(state, halt, at) and self.ruling(state, halt, at).outcome.goes_on:
                after = state.seat(number, state.seats[number]._replace(halt=halt + 1))
                if self._given(state, halt, at) < self.ruling(state, halt, at).quota:
                    after = self._lie(after, halt, at, lambda seat: seat)
                yield after

    # --- what is true

    def ruling(self, state: State, halt: int, at: int) -> Ruling:
        return self.judge.rulings[state.proposes[halt][at] - 1]

    def _said(self, state: State, seat: int, halt: int, at: int) -> tuple[int, int]:
        boundary, last = state.seats[seat].halts[halt][at] or (0, -1)
        return boundary, state.proposes[halt][last] - 1 if last >= 0 else -1

    def _leaver(self, state: State, seat: int) -> Leaver:
        halt, highest, last = state.seats[seat].leave or (0, -1, -1)
        return Leaver(seat, halt, highest, state.proposes[halt][last] - 1 if last >= 0 else -1)

    def _stands(self, state: State, halt: int, at: int) -> bool:
        """Whether a certificate of a ballot can stand, by what honest seats signed and the liar still may."""
        if not state.proposes[halt][at]:
            return False
        ruling, liar = self.ruling(state, halt, at), self.scene.liar
        given = self._given(state, halt, at)
        lies = liar in ruling.voters and not state.seats[liar].with_drop(halt, at).contradicts()
        return given > 0 and given + lies >= ruling.quota

    def _given(self, state: State, halt: int, at: int) -> int:
        voters = self.ruling(state, halt, at).voters
        return sum(state.seats[seat].drops[halt][at] for seat in self.honest if seat in voters)

    def check(self, state: State) -> None:
        """S1, S3 and L."""
        any_stands = False
        for halt in range(self.scene.halts):
            found = {self.ruling(state, halt, at).outcome for at in range(self.scene.ballots)
                     if self._stands(state, halt, at)}
            any_stands = any_stands or bool(found)
            self._check_outcomes(state, halt, found)
        self.decided += any_stands
        self._check_life(state)

    def _check_outcomes(self, state: State, halt: int, found: set[Outcome]) -> None:
        if len(found) > 1 and self.scene.loser is not None and any(
                one.why is Why.EVIDENCE for outcome in found for one in outcome.out):
            self.forked += 1
            return
        assert len(found) < 2, f"S1 two outcomes of halt {halt}: {found}"
        for outcome in found:
            if outcome.base:
                out = {one.seat for one in outcome.out}
                for number in self.honest:
                    seat = state.seats[number]
                    assert seat.halt == GONE or seat.halt <= halt, "S1 a drop and GO-ON"
                    if number not in out and number != self.scene.loser:
                        assert seat.knows <= outcome.base.rounds, "S3 a complete showdown is undone"

    def _check_life(self, state: State) -> None:
        """A strict majority of those who have not left, honest and together, decides in a fresh ballot: with all
        LEAVEs, with the evidence or without, everybody else silent for ever."""
        here = [number for number in self.honest if not state.seats[number].leave and state.seats[number].halt != GONE
                and not (state.seats[number].knows and number == self.scene.loser)]
        gone = tuple(self._leaver(state, seat) for seat in range(self.scene.players) if state.seats[seat].leave)
        for group in _subsets(here):
            halt = max((state.seats[seat].halt for seat in group), default=GONE)
            if halt >= self.scene.halts or any(left.halt > halt for left in gone):
                continue
            named = []
            for number in sorted(group):
                seat = state.seats[number]
                last = seat.last(halt) if seat.halt == halt else -1
                named.append(Named(number, seat.knows, state.proposes[halt][last] - 1 if last >= 0 else -1))
            case = Ballot(halt, self.scene.ballots + halt, tuple(named), gone, ())
            owners = self.scene.owners(max(one.boundary for one in named))
            electorate = set(owners) - {left.seat for left in gone if left.highest != UNSURE}
            if len(electorate & set(group)) * 2 <= len(electorate):
                continue
            for convicted in ((), (self.scene.liar,)) if self.scene.evidence and self.scene.liar is not None else ((),):
                self._revive(state, case._replace(convicted=convicted))

    def _revive(self, state: State, case: Ballot) -> None:
        self.revived += 1
        here = {one.seat for one in case.named}
        number = self.judge.rule(case, tuple(int(seat not in here) for seat in range(self.scene.players)))
        assert number is not None, f"L no outcome of {case}"
        ruling = self.judge.rulings[number]
        assert len(ruling.voters & here) >= ruling.quota, f"L too few for {ruling} of {case}"
        found = {self.ruling(state, case.halt, at).outcome for at in range(self.scene.ballots)
                 if self._stands(state, case.halt, at)}
        self._check_outcomes(state, case.halt, found | {ruling.outcome})


def _subsets(items: list[int]) -> Iterator[tuple[int, ...]]:
    for size in range(len(items) + 1):
        yield from itertools.combinations(items, size)
