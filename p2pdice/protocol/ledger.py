"""The public course of one game: which slot is open, what has been said in it, and the state that follows. The live
session, and a verifier reading a file years later, feed it the same signed messages and it judges them alike
(protocol.md section 5). Must not know secrets, clocks or links."""

import copy
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, cast

from p2pdice.fairness.chain import (
    child_epoch,
    child_preimage,
    first_epoch,
    next_preimage,
    rules_hash,
    start_preimage,
    state_hash,
)
from p2pdice.fairness.keys import Verifier
from p2pdice.protocol.ballot import Boundary, Outcome, Why
from p2pdice.protocol.codec import pack
from p2pdice.protocol.deal import Deal
from p2pdice.protocol.errors import Malformed
from p2pdice.protocol.events import ActionMade, CupsShown, Dropped, Event
from p2pdice.protocol.evidence import Evidence, FaultKind, breaks_seal, convict
from p2pdice.protocol.halting import outcome_value
from p2pdice.protocol.messages import (
    Act,
    AnyMessage,
    AnyVote,
    Commit,
    Message,
    Mode,
    Open,
    Ready,
    Reveal,
    Show,
)
from p2pdice.protocol.phases import SPEAKERS, Phase, action_of, deal_policy, fault_in, next_phase
from p2pdice.protocol.roster import Seated
from p2pdice.rules import (
    CALZO,
    Action,
    Ended,
    Game,
    Kind,
    RoundBegan,
    apply,
    cups_needed,
    deal,
    new_game,
    public,
    remove,
    settle,
)


class Proved(Exception):
    """A message, or a pair of them, convicts `seat`; `evidence` is what anyone can check."""

    def __init__(self, seat: int, evidence: Evidence) -> None:
        super().__init__(f"{evidence.kind} by seat {seat}")
        self.seat = seat
        self.evidence = evidence


def equivocation(first: AnyMessage | AnyVote, second: AnyMessage | AnyVote) -> Proved:
    """Two bodies of one key for one slot; in one order, so that whoever meets them makes the same evidence."""
    bodies = sorted((first.signed, second.signed), key=lambda signed: signed.body)
    return Proved(second.seat, Evidence(FaultKind.EQUIV, (bodies[0], bodies[1])))


class OtherState(Exception):
    """A message names a state that is not the one of its slot here: its author has another history, or lies."""


@dataclass(frozen=True, slots=True)
class Mark:
    """A boundary that a drop may go back to: the game as it was there, and the slot that opened after it."""

    boundary: Boundary
    game: Game
    slot: int


@dataclass(frozen=True, slots=True)
class Past:
    """An epoch that is over."""

    epoch: bytes
    slots: list[dict[int, AnyMessage]]


class Ledger:
    """One game, from its seats on. `add` takes a message of the open slot; when all authors have spoken the slot
    closes, the state moves on and the events say what happened. `descend` begins the epoch after a drop."""

    def __init__(self, seated: Seated) -> None:
        self.seated = seated
        self.game_id = seated.game_id
        self.epoch = first_epoch(seated.game_id)
        self.game = new_game(seated.roster.terms.rules, len(seated.players), seated.opener)
        self.verifiers: Sequence[Verifier] = [player.verifier for player in seated.players]
        self.keys = [player.key for player in seated.players]
        self.slots: list[dict[int, AnyMessage]] = [{}]  # by slot number, then by seat; the last one is open
        self.slot = 0  # its number
        self._rules = self._hash_of_game()
        self.preimage = start_preimage(self.game_id, seated.genesis, self._rules)
        self.state = state_hash(self.preimage)
        self.deal: Deal | None = None
        self._open_slot(Phase.START)
        self.past: list[Past] = []
        self._commit_preimage = b""
        self._rounds = 0
        self._owners: dict[tuple[int, ...], tuple[int, ...]] = {}
        self.marks = [Mark(Boundary(0, self.state), self.game.copy(), 0)]  # of this epoch

    @property
    def missing(self) -> tuple[int, ...]:
        """Authors whose message for the open slot is not in."""
        said = self.slots[-1]
        return tuple([seat for seat in self.authors if seat not in said])

    def spoken(self, slot: int, seat: int) -> AnyMessage | None:
        """The message taken in from a seat for a slot, if any."""
        return self.slots[slot].get(seat) if 0 <= slot < len(self.slots) else None

    def owners_at(self, boundary: Boundary) -> tuple[int, ...] | None:
        """Seats of the players of whom a seat, their own or a bot's, has dice at a boundary; None if it is not here."""
        mark = self.mark(boundary)
        return self.owners_in(mark.game) if mark else None

    def owners_in(self, game: Game) -> tuple[int, ...]:
        """Seats of the players of whom a seat has dice in a game."""
        dice = tuple(game.dice)
        if dice not in self._owners:  # asked for with every message, and changed once a round
            self._owners[dice] = tuple(sorted({self.owner(seat) for seat, left in enumerate(dice) if left}))
        return self._owners[dice]

    def owner(self, seat: int) -> int:
        """The seat of the player to whom a seat belongs."""
        return self.seated.owners[seat]

    def mark(self, boundary: Boundary) -> Mark | None:
        """The place of a boundary in this epoch, if the log has come to it."""
        return next((mark for mark in self.marks if mark.boundary == boundary), None)

    @property
    def choice(self) -> str:
        """The choice signed in MODE since the last boundary, "" if none."""
        said = self.slots[self.marks[-1].slot]
        return next((message.payload.choice for message in said.values() if isinstance(message.payload, Mode)), "")

    def branch(self) -> "Ledger":
        """A ledger that can go on without changing this one."""
        other = copy.copy(self)
        other.slots = [dict(said) for said in self.slots]
        other.game = self.game.copy()
        other.marks = list(self.marks)
        other.past = list(self.past)
        other.deal = self.deal.branch() if self.deal else None
        return other

    def descend(self, halt: int, outcome: Outcome, votes: Sequence[int]) -> list[Event]:
        """Go on without those who are out: the round after the base is void, and dealt again (protocol.md section 10).

        The base must be a boundary of this epoch that the log has come to; `votes`: seats whose DROPs decided it.
        """
        assert outcome.base is not None, "only a drop makes an epoch"
        mark = self.mark(outcome.base)
        assert mark is not None, "a certificate is followed when the log has come to its base"
        self.past.append(Past(self.epoch, self.slots))
        self.epoch = child_epoch(self.epoch, halt, pack(outcome_value(outcome)))
        self.game = mark.game.copy()
        if outcome.mode:
            apply(self.game, self.game.opener, Action(Kind.OBLIGE, way=outcome.mode))
        gone = {one.seat: one.why for one in outcome.out}
        seats = [seat for seat, dice in enumerate(self.game.dice) if dice and self.owner(seat) in gone]
        told: list[Event] = []
        for why in Why:
            dropped = tuple(seat for seat in seats if gone[self.owner(seat)] is why)
            told += [Dropped(dropped, why.value, tuple(votes))] if dropped else []
        told.append(remove(self.game, seats))
        self._rules = self._hash_of_game()
        self.preimage = child_preimage(self.game_id, self.epoch, outcome.base.state, self._rules)
        self.state = state_hash(self.preimage)
        self._open_slot(Phase.START)
        self.slots, self.slot = [{}], 0
        self.deal = None
        self._rounds = outcome.base.rounds
        self.marks = [Mark(Boundary(self._rounds, self.state), self.game.copy(), 0)]
        return [*told, *self._round_began()]

    def opening(self) -> list[Event]:
        """What there is to tell before slot 0."""
        drawn = self.seated.drawn
        return [*([drawn] if drawn else []), *self._round_began()]

    def add(self, message: AnyMessage) -> list[Event]:
        """Take in a message whose signature holds, for the open slot, from a seat not heard in it.

        Raises OtherState, or Proved when the message convicts its author (or READY the sender of a box).
        """
        if message.slot != self.slot or message.state != self.state or message.epoch != self.epoch:
            raise OtherState
        self._judge(message)
        said = self.slots[-1]
        said[message.seat] = message
        return self._close() if len(said) == len(self.authors) else []

    def _judge(self, message: AnyMessage) -> None:
        if fault_in(message, self.phase, self.game, self.authors):
            rules = pack(public(self.game))
            raise Proved(message.seat, Evidence(FaultKind.ILLEGAL, (message.signed,), (self.preimage,), rules))
        judge = _JUDGES.get(self.phase)
        if judge:
            judge(self, message)

    def _judge_reveal(self, reveal: Message[Reveal]) -> None:
        self._judge_commit_state(reveal.payload.commit_state)
        self._judge_shares(reveal)

    def _judge_ready(self, ready: Message[Ready]) -> None:
        self._judge_commit_state(ready.payload.commit_state)
        if ready.payload.complaint:
            raise self._judge_complaint(ready)

    def _judge_commit_state(self, named: bytes) -> None:
        # It can prove nothing, since no state says so, but an honest client names the one it stands on.
        if named != self._deal.commit_state:
            raise OtherState

    def _judge_shares(self, message: Message[Open | Reveal]) -> None:
        contributor = self._deal.contradicted(message)
        if contributor is not None:
            kind = FaultKind.BAD_OPEN if isinstance(message.payload, Open) else FaultKind.BAD_REVEAL
            commit = self._deal.commits[contributor]
            raise Proved(message.seat, Evidence(kind, (commit.signed, message.signed), (self._commit_preimage,)))

    def _judge_complaint(self, ready: Message[Ready]) -> Proved:
        sender, _, _ = cast(tuple[int, int, bytes], ready.payload.complaint)
        commits = self._deal.commits
        bodies = (commits[sender].signed, commits[ready.seat].signed, self._deal.opens[sender].signed, ready.signed)
        for kind in (FaultKind.BAD_BOX, FaultKind.FALSE_COMPLAINT):
            evidence = Evidence(kind, bodies, (self._commit_preimage, self.preimage))
            try:
                return Proved(convict(evidence, self.game_id, self.verifiers), evidence)
            except Malformed:
                continue
        raise AssertionError("a complaint convicts either its author or the sender")  # pragma: no cover

    def _judge_seal(self, show: Message[Show]) -> None:
        seal_slot = self.slots[-3] if show.seat == self.game.turn else self.slots[-2]
        if breaks_seal(seal_slot[show.seat], show):
            bodies = (seal_slot[show.seat].signed, show.signed)
            raise Proved(show.seat, Evidence(FaultKind.BAD_SEAL, bodies))

    @property
    def _deal(self) -> Deal:
        assert self.deal is not None, "phases after COMMIT have a deal"
        return self.deal

    def _close(self) -> list[Event]:
        said: dict[int, Any] = self.slots[-1]  # messages with the payload of the phase: all have been judged
        phase = self.phase
        items = [said[seat].signed.hash for seat in sorted(said)]
        closer = _CLOSERS.get(phase)
        events = closer(self, said) if closer else []
        if phase in _MOVES:
            self._rules = self._hash_of_game()
        self.preimage = next_preimage(self.game_id, self.epoch, self.slot, self.state, phase, items, self._rules)
        self.state = state_hash(self.preimage)
        self._open_slot(phase)
        self.slots.append({})
        self.slot += 1
        if phase is Phase.COMMIT:
            self._begin_deal(said)
        elif phase in (Phase.MODE, Phase.REVEAL):
            events += self._round_began()
        if phase is Phase.REVEAL:
            self._rounds += 1
            self.marks.append(Mark(Boundary(self._rounds, self.state), self.game.copy(), self.slot))
        return events

    def _hash_of_game(self) -> bytes:
        return rules_hash(pack(public(self.game)))

    def _open_slot(self, before: Phase) -> None:
        """The phase after `before`, and the seats that sign a message for its slot, ascending."""
        self.phase = next_phase(before, self.game)
        self.over = self.phase is Phase.OVER
        self.authors: tuple[int, ...] = () if self.over else SPEAKERS[self.phase].authors(self.game)

    def _round_began(self) -> list[Event]:
        if self.over:
            return [Ended(self.game.winners)]
        if self.phase is Phase.MODE:
            return []
        game = self.game
        return [RoundBegan(game.round_number, game.opener, "left" if game.direction > 0 else "right", game.special)]

    def _begin_deal(self, commits: dict[int, Message[Commit]]) -> None:
        self._commit_preimage = self.preimage
        self.deal = Deal(deal_policy(self.game), self.game.seats, self.keys, commits, self.state)

    def _close_mode(self, said: dict[int, Message[Mode]]) -> list[Event]:
        seat, choice = self.game.opener, said[self.game.opener].payload
        action = Action(Kind.OBLIGE, way=choice.choice)
        apply(self.game, seat, action)
        return [ActionMade(seat, action, bool(choice.auto))]

    def _close_commit(self, said: dict[int, Message[Commit]]) -> list[Event]:
        deal(self.game)
        return []

    def _close_open(self, said: dict[int, Message[Open]]) -> list[Event]:
        for message in said.values():
            self._deal.open(message)
        return []

    def _close_act(self, said: dict[int, Message[Act]]) -> list[Event]:
        act = said[self.game.turn].payload
        return self._move(self.game.turn, action_of(act.call), bool(act.auto))

    def _close_show(self, said: dict[int, Message[Show]]) -> list[Event]:
        """An exact call comes before the mover's doubt or bid; of several the lot decides (protocol.md section 7)."""
        mover = self.game.turn
        call, auto = cast("tuple[tuple[str], int]", said[mover].payload.sealed)
        action = action_of(call)
        claimers = [seat for seat, message in said.items()
                    if seat != mover and message.payload.sealed == "claim"]
        if not claimers:
            return self._move(mover, action, bool(auto))
        if action == CALZO:
            claimers.append(mover)
        return self._move(self._deal.first_claim(self.game.bids, claimers), CALZO, False)

    def _move(self, seat: int, action: Action, auto: bool) -> list[Event]:
        apply(self.game, seat, action)
        return [ActionMade(seat, action, auto)]

    def _close_reveal(self, said: dict[int, Message[Reveal]]) -> list[Event]:
        deal = self._deal
        for message in said.values():
            deal.reveal(message)
        cups = {}
        for cup in cups_needed(self.game):
            faces = deal.faces(cup, self.game.dice[cup], deal.shares)
            assert faces is not None, "the policy names every share that was missing"
            cups[cup] = faces
        return [CupsShown(cups), settle(self.game, cups)]


# What is judged, beyond what `fault_in` says, and what is done when a slot closes: of messages of the phase.
_JUDGES: dict[Phase, Callable[[Ledger, Any], None]] = {
    Phase.OPEN: Ledger._judge_shares,
    Phase.READY: Ledger._judge_ready,
    Phase.SHOW: Ledger._judge_seal,
    Phase.REVEAL: Ledger._judge_reveal,
}
_CLOSERS: dict[Phase, Callable[[Ledger, dict[int, Any]], list[Event]]] = {
    Phase.MODE: Ledger._close_mode,
    Phase.COMMIT: Ledger._close_commit,
    Phase.OPEN: Ledger._close_open,
    Phase.ACT: Ledger._close_act,
    Phase.SHOW: Ledger._close_show,
    Phase.REVEAL: Ledger._close_reveal,
}
_MOVES = _CLOSERS.keys() - {Phase.OPEN}  # phases whose end changes the game
