"""Clients that lie at random, in any message and vote, to each reader otherwise, beside honest ones that may crash:
nobody honest is convicted or thrown out, no file is spoilt, and the game comes to its end."""

import random
from collections.abc import Callable
from typing import cast

import pytest

from p2pdice.protocol import frames
from p2pdice.protocol.codec import Value, unpack
from p2pdice.protocol.errors import LocalFault, Malformed
from p2pdice.protocol.events import Dropped, FaultProved
from p2pdice.protocol.messages import (
    Drop,
    Halt,
    Leave,
    Propose,
    Signed,
    VotePayload,
    VoteSlot,
    parse_game,
    sign,
    sign_game,
)
from p2pdice.protocol.session import Session
from p2pdice.rules import PRESETS, IllegalAction
from tests.fuzzing import twisted
from tests.protocol.test_drops import session_of
from tests.tablekit import Node, Table

MOST_STEPS = 40_000
MOST_CRASHES = 6


def without_conscience(session: Session) -> None:
    """A client that never gives away what it hears about itself."""
    receive = session.receive

    def deaf(signed: Signed, now: float) -> int | None:
        try:
            own = parse_game(signed).seat == session.me
        except Malformed:
            own = False
        return None if own else receive(signed, now)

    session.receive = deaf  # type: ignore[method-assign]
    session.receive_evidence = lambda raw, now: None  # type: ignore[method-assign]
    session._convicted = lambda seat, raw, now: None  # type: ignore[method-assign]


class Assault:
    """One game of which the last one or two players lie."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        players = self.random.choice((3, 4, 5, 5, 6))
        system = self.random.choice(sorted(PRESETS))
        dice = "3" if system == "clasico" else self.random.choice("123")
        self.table = Table(players, system, {"starting_dice": dice}, seed=seed, turn_time_s=60)
        self.table.play(self.random.randrange(12))
        self.table.settle()
        lying = self.random.choice((1, 2)) if players > 4 else 1
        self.honest, self.cheats = self.table.nodes[:-lying], self.table.nodes[-lying:]
        self.guilty = {self.table.seat(cheat) for cheat in self.cheats}
        self.lies = self.random.choice((0.02, 0.1, 0.4))
        self.two_faced = self.random.choice((0.0, 0.0, 0.1, 0.5))
        self.votes = self.random.choice((0.0, 0.05, 0.3))
        self.crashes = self.random.choice((0.0, 0.0, 0.003))
        self.crashed = 0
        self.told: dict[tuple[bytes, str], Signed] = {}
        self.table.deliver = self.wire
        for cheat in self.cheats:
            without_conscience(session_of(cheat))

    # --- what the cheats say

    def wire(self, sender: Node, receiver: Node, raw: bytes) -> bytes | None:
        if sender not in self.cheats or self.random.random() < self.lies / 4:
            return raw if sender not in self.cheats else None
        match frames.decode(raw):
            case frames.Bodies(bodies) if bodies:
                said = [self.said(sender, receiver, Signed(*body)) for body in bodies]
                kept = tuple(body.value() for body in said if self.random.random() > self.lies / 2)
                return frames.encode(frames.Bodies(kept)) if kept else None
            case frames.Ping() as ping if self.random.random() < self.lies:
                place = self.random.choice((0, ping.position, 10**6))
                return frames.encode(ping._replace(position=place, held=self.random.randbytes(32), heard=()))
        return raw

    def said(self, sender: Node, receiver: Node, body: Signed) -> Signed:
        """To this reader: what the cheat's own program meant, or a lie, the same one each time."""
        try:
            own = parse_game(body).seat in sender.peer.seats
        except Malformed:
            own = False
        if not own:
            return body
        place = body.body, receiver.name if self.random.random() < self.two_faced else ""
        if place not in self.told:
            self.told[place] = self.lie(sender, body) if self.random.random() < self.lies else body
        return self.told[place]

    def lie(self, cheat: Node, body: Signed) -> Signed:
        version, kind, game_id, epoch, slot, state, seat, payload = cast("tuple[Value, ...]", unpack(body.body))
        for _ in range(20):
            said: tuple[Value, ...]
            match self.random.randrange(5):
                case 0:
                    said = (slot, self.random.choice((bytes(32), b"", self.random.randbytes(32))), seat, payload)
                case 1:
                    said = (twisted(self.random, slot), state, seat, payload)
                case _:
                    said = (slot, state, seat, twisted(self.random, payload))
            try:
                made = sign(cheat.key, (version, kind, game_id, epoch, *said))
                parse_game(made)
                return made
            except (Malformed, ValueError, OverflowError):
                continue
        return body

    def vote(self) -> None:
        """A vote out of turn, made of what the honest ones hold, to some of them."""
        reader = self.random.choice([node for node in self.honest if not node.closed] or self.honest)
        cheat, session = self.random.choice(self.cheats), session_of(reader)
        ledger, halting = session.ledger, session.dispute.halting
        some: Callable[[], bool] = lambda: self.random.random() < 0.7  # noqa: E731
        known = [*halting.by_hash, self.random.randbytes(32)]
        last: tuple[()] | tuple[bytes] = (self.random.choice(known),) if some() else ()
        number = self.random.choice((halting.number, halting.number, halting.number + 1, 0))
        ballot = self.random.choice((0, 0, 1, 2, 3, max(0, halting.ballot), 255))
        base = self.random.choice((ledger.marks[-1], ledger.marks[0])).boundary
        seats = range(len(self.table.nodes))
        slot: VoteSlot
        payload: VotePayload
        match self.random.randrange(4):
            case 0:
                names = tuple((seat, ledger.slot) if some() else (seat,) for seat in seats if some())
                tip = self.random.choice((0, ledger.slot, ledger.slot + 1, 10**9))
                slot, state = ("halt", number, ballot), base.state
                payload = Halt(base.rounds, self.random.choice(("", "open")), tip, int(some()), names, last)
            case 1:
                halts = tuple((vote.seat, vote.signed.hash) for vote in halting.halts.values()
                              if vote.ballot == ballot and some())
                leaves = tuple((vote.seat, vote.signed.hash) for vote in session.dispute.all_leaves.values() if some())
                proofs = tuple((owner, name) for name, owner in session.dispute.proofs.items() if some())
                slot, state, payload = ("propose", number, ballot), b"", Propose(halts, leaves[:32], proofs[:32])
            case 2:
                proposals = [vote.signed.hash for votes in halting.proposals.values() for vote in votes]
                outcomes = [drop.payload.outcome for drop in halting.drops.values()]
                out = ((self.random.choice(seats), "silent", b""),)
                outcome = self.random.choice([*outcomes, (), (out, base.rounds, base.state, "")])
                slot, state = ("drop", number, ballot), b""
                payload = Drop(self.random.choice(proposals or known), outcome)
            case _:
                slot, state = ("leave",), ledger.state
                payload = Leave(number, self.random.choice((0, 1, 3, 2**53)), last)
        signed = sign_game(cheat.key, ledger.game_id, ledger.epoch, slot, state, self.table.seat(cheat), payload)
        for node in self.honest:
            if not node.closed and some():
                self.table.hand(cheat, node, frames.encode(frames.Bodies((signed.value(),))))

    # --- the game

    @property
    def outnumbered(self) -> bool:
        """Whether those who are honest and have dice are no majority any more: then nothing can be decided."""
        owners = [session_of(node).ledger.owners_in(session_of(node).ledger.game) for node in self.honest]
        return any(2 * len(self.guilty.intersection(some)) >= len(some) for some in owners)

    def play(self) -> bool:
        """To the end of every honest process; False if the cheats have come to be as many as the others."""
        for step in range(MOST_STEPS):
            if all(node.closed for node in self.honest):
                return True
            if step > 3000 and self.outnumbered:
                return False
            self.happen()
            if not self.table.flush() and not any([self.decides(node) for node in self.table.nodes]):
                until = min(node.peer.deadline for node in self.table.nodes if not node.closed)
                self.table.now = max(self.table.now + 0.001, min(until + 0.001, self.table.now + 5))
                for node in self.table.nodes:
                    node.peer.tick(self.table.now)
        raise AssertionError("the game does not end")

    def happen(self) -> None:
        if self.votes and self.random.random() < self.votes / 5:
            self.vote()
        node = self.random.choice(self.honest)
        if self.crashed < MOST_CRASHES and self.random.random() < self.crashes and not node.closed:
            self.crashed += 1
            self.table.restart(node)
            assert not node.gone, "there is nothing to resume"

    def decides(self, node: Node) -> bool:
        try:
            return self.table.decide(node)
        except (LocalFault, IllegalAction):
            assert node in self.cheats
            node.bot = None  # its own lies have confused it
            return False

    def check(self) -> None:
        for node in self.honest:
            assert {event.seat for event in node.of(FaultProved) if isinstance(event, FaultProved)} <= self.guilty
            for event in node.of(Dropped):
                assert isinstance(event, Dropped)
                assert self.guilty.issuperset(event.seats) or self.guilty.intersection(event.votes)
            assert {finding.seat for finding in node.report().findings} <= self.guilty


@pytest.mark.slow
@pytest.mark.parametrize("seed", [5, 38, 66, 120, 262, 1193, 30001])
def test_liars(seed: int) -> None:
    """Some that once did harm, and others."""
    assault = Assault(seed)
    assault.play()
    assault.check()


@pytest.mark.long
def test_many_liars() -> None:
    """Three hundred games."""
    for seed in range(10_000, 10_300):
        assault = Assault(seed)
        assault.play()
        assault.check()
