"""Whole tables under seeded weather: processes are killed or leave, links break, lose and hold back frames, and heal.
Whatever comes, no halt has two outcomes, nobody honest is convicted, all who finish tell the same story, nobody waits
for ever while a strict majority is there, and what is kept stays bounded."""

import random
from dataclasses import dataclass, field

import pytest

from p2pdice.protocol.ballot import Outcome
from p2pdice.protocol.events import FaultProved
from p2pdice.protocol.halting import Halting
from p2pdice.protocol.session import SLOTS_AHEAD, Session
from p2pdice.rules import PRESETS
from tests.tablekit import Node, Table

STORM_STEPS = 40
AFTERWARDS_S = 4 * 3600.0  # after all links have healed, a game that has not ended by then is stuck


@dataclass
class Run:
    """One game; `held` are frames that come late: (when, sender, receiver, frame)."""

    seed: int
    loss: float = 0.0
    delay: float = 0.0
    held: list[tuple[float, Node, Node, bytes]] = field(default_factory=list)
    story: list[str] = field(default_factory=list)
    most_votes: int = 0  # of one halt
    halts: int = 0

    def __post_init__(self) -> None:
        self.random = random.Random(self.seed)
        players = self.random.randint(3, 6)
        bots = self.random.choice([0, 0, 1, 2]) if players > 3 else 0
        self.system = sorted(PRESETS)[self.seed % len(PRESETS)]
        options = {"starting_dice": str(3 if self.system == "clasico" else self.random.choice([1, 2, 3, 5]))}
        self.table = Table(players, self.system, options, seed=self.seed, bots=bots, turn_time_s=60)
        self.table.settle()
        self.table.deliver = self.wire
        self.left: list[Node] = []

    # --- the wire

    def wire(self, sender: Node, receiver: Node, frame: bytes) -> bytes | None:
        if self.random.random() < self.loss:
            return None
        if self.random.random() < self.delay:
            self.held.append((self.table.now + self.random.uniform(0, 30), sender, receiver, frame))
            return None
        return frame

    def late(self, everything: bool = False) -> None:
        """Hand over held frames that are due."""
        until = float("inf") if everything else self.table.now
        due = [one for one in self.held if one[0] <= until]
        self.held = [one for one in self.held if one[0] > until]
        for _, sender, receiver, frame in due:
            if frozenset((sender.name, receiver.name)) not in self.table.cut and not receiver.gone:
                self.table.hand(sender, receiver, frame)

    def cut(self, one: Node, other: Node) -> None:
        self.table.cut.add(frozenset((one.name, other.name)))
        one.peer.lost(other.link, self.table.now)
        other.peer.lost(one.link, self.table.now)

    def heal(self) -> None:
        for one in self.table.nodes:
            for other in self.table.nodes:
                pair = frozenset((one.name, other.name))
                if pair in self.table.cut and not one.gone and not other.gone:
                    self.table.cut.discard(pair)
                    self.table.link(one, other)

    # --- who is there

    def session(self, node: Node) -> Session:
        assert node.peer.session is not None, "the game has begun"
        return node.peer.session

    @property
    def here(self) -> list[Node]:
        """Processes that run and have not left."""
        return [node for node in self.table.nodes if not node.gone and node not in self.left]

    def may_go(self, node: Node, leaves: bool) -> bool:
        """Whether those who remain are a strict majority of the others all the same, wherever the game stands.

        A LEAVE that may not reach anybody counts for nothing.
        """
        rest = {self.session(one).me for one in self.here if one is not node}
        gone = {self.session(one).me for one in self.left if self.session(one).me in self.heard_to_leave}
        if leaves and self.fair:
            gone.add(self.session(node).me)
        every = [set(self.session(one).ledger.owners_in(self.session(one).ledger.game)) for one in self.here]
        return len(rest) > 1 and all(len(rest & owners) * 2 > len(owners - gone) for owners in every)

    @property
    def heard_to_leave(self) -> set[int]:
        """Seats whose LEAVE has come to everybody who is here."""
        return set.intersection(*(set(self.session(one).dispute.leaves) for one in self.here))

    @property
    def fair(self) -> bool:
        """Whether everything that is sent arrives."""
        here = {node.name for node in self.here}
        return not (self.loss or self.delay or any(pair <= here for pair in self.table.cut))

    # --- weather

    def storm(self) -> None:
        """Some steps of play, with something happening before each."""
        for _ in range(STORM_STEPS):
            if not self.here or all(node.closed for node in self.here):
                return
            self.happen(self.random.random())
            self.late()
            self.table.play(self.random.randint(1, 6))
            if self.random.random() < 0.5:
                self.table.wait(self.random.choice([1, 5, 20, 100]))
            self.measure()

    def happen(self, dice: float) -> None:
        node = self.random.choice(self.here)
        others = [one for one in self.here if one is not node]
        if dice < 0.06 and self.may_go(node, leaves=False):
            self.tell(f"{node.name} is killed")
            node.bot, node.gone = None, True
            for other in others:
                self.cut(node, other)
        elif dice < 0.1 and not node.closed and self.may_go(node, leaves=True):
            self.tell(f"{node.name} leaves")
            node.peer.leave(self.table.now)
            node.bot = None
            self.table.settle()
            self.left.append(node)
        elif dice < 0.25 and others:
            other = self.random.choice(others)
            self.tell(f"{node.name} and {other.name} lose each other")
            self.cut(node, other)
        elif dice < 0.33:
            self.tell(f"{node.name} is cut off")
            for other in others:
                self.cut(node, other)
        elif dice < 0.43:
            side = self.random.sample(self.here, self.random.randint(1, len(self.here)))
            self.tell(f"{[one.name for one in side]} are on their own")
            for one in side:
                for other in self.here:
                    if other not in side:
                        self.cut(one, other)
        elif dice < 0.65:
            self.heal()
        elif dice < 0.8:
            self.loss, self.delay = self.random.choice([(0.0, 0.0), (0.3, 0.0), (0.0, 0.3), (0.1, 0.2)])

    def tell(self, text: str) -> None:
        self.story.append(f"{self.table.now:.0f} {text}")

    def calm(self) -> None:
        """All links heal; whoever is there plays to the end."""
        self.loss = self.delay = 0.0
        self.heal()
        self.late(everything=True)
        end = self.table.now + AFTERWARDS_S
        while self.table.now < end and not all(node.closed for node in self.here):
            self.table.play(50)
            self.table.wait(10)
            self.measure()

    # --- what is held

    def halts_of(self, node: Node) -> list[tuple[tuple[bytes, int], Halting]]:
        dispute = self.session(node).dispute
        every = [halting for _, halting in dispute.past] + [dispute.halting]
        return [((halting.around.epoch, halting.number), halting) for halting in every]

    def measure(self) -> None:
        """What a peer keeps is bounded by how many ballots there were, and how far it may be behind."""
        for node in self.table.nodes:
            session = self.session(node)
            seats = len(session.seated.players)
            assert len(session._aside.kept) <= (SLOTS_AHEAD + 1) * seats, self.story
            for _, halting in self.halts_of(node):
                ballots = 1 + max((vote.ballot for vote in halting.votes), default=0)
                assert len(halting.by_hash) <= (2 * seats + 1) * ballots, self.story
                self.most_votes = max(self.most_votes, len(halting.by_hash))

    def check_promises(self, halting: Halting) -> None:
        """HALT t says what its author's latest DROP below t is, and none comes below it afterwards."""
        for (at, seat), halt in halting.halts.items():
            below = [ballot for ballot, author in halting.drops if author == seat and ballot < at]
            if below:
                latest, named = halting.drops[max(below), seat].signed.hash, halt.payload.last
                # Or a later one, lost on the way.
                assert named, self.story
                assert named[0] == latest or named[0] not in halting.by_hash, self.story

    def judge(self) -> None:
        """All that must be true at the end."""
        outcomes: dict[tuple[bytes, int], set[Outcome]] = {}
        for node in self.table.nodes:
            assert not node.of(FaultProved), self.story
            assert not node.faults, (node.faults, self.story)
            for place, halting in self.halts_of(node):
                self.check_promises(halting)
                outcomes.setdefault(place, set()).update(halting.outcomes())
        assert all(len(found) < 2 for found in outcomes.values()), (outcomes, self.story)
        self.halts = sum(bool(found) for found in outcomes.values())
        told = set()
        for node in self.here:
            assert node.closed is not None, ("stuck", node.name, self.story)
            ahead = self.session(node)._aside.ahead()  # when it had halted, a showdown may have come that left two
            last = len(ahead.owners_in(ahead.game)) <= 2
            # Who was alone for long, without dice or halted, need not have heard how the others went on.
            reason, alone = node.closed.reason, "again" in node.closed.fields
            allowed = reason in ("won", "dropped") or (reason == "abandoned" and (last or alone))
            assert allowed, (reason, self.story)
            if reason == "won":
                report = node.report()
                assert (report.verdict, report.findings) == ("clean", []), (report.stopped_at, self.story)
                told.add((node.closed.winners, self.session(node).ledger.state, tuple(report.standings.items())))
        assert len(told) < 2, (told, self.story)


def run(seed: int) -> Run:
    """One whole game."""
    game = Run(seed)
    game.storm()
    game.calm()
    game.judge()
    ends = sorted(node.closed.reason for node in game.here if node.closed)
    print(f"seed {seed}: {len(game.table.nodes)} processes, {game.system}, {len(game.story)} events, "
          f"{game.halts} decisions, at most {game.most_votes} votes in a halt, {ends}")
    return game


@pytest.mark.parametrize("seed", range(12))
def test_random_runs(seed: int) -> None:
    """The short form."""
    run(seed)


@pytest.mark.long
def test_many_random_runs() -> None:
    """200 games."""
    games = [run(seed) for seed in range(100, 300)]
    assert sum(game.halts for game in games) > 200
