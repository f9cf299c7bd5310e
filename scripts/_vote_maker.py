"""Halts as make_vectors.py needs them, from protocol.md section 10 alone: votes, what a PROPOSE decides, and the epoch
that follows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from _independent import Game, Signed, framed, hashed, pack

UNSURE = 2**53
Outcome = tuple[object, ...]  # as it is encoded
Name = tuple[int, int] | tuple[int]
Last = tuple[int, bytes, Outcome]  # ballot, name and outcome of a DROP


def quorum(owners: int, left: int, convicted: int) -> int:
    """Of so many owners, of whom `left` are counted out and `convicted` others convicted."""
    count = owners - left
    return max(1, min(count // 2 + 1, count - convicted))


def proposer(owners: Sequence[int], halt: int, ballot: int) -> int:
    return owners[(halt + ballot) % len(owners)]


def name(vote: Signed) -> bytes:
    return hashed("body", vote[0])


@dataclass(frozen=True)
class Halted:
    """A HALT: what it says, and the vote; `last` is the author's own DROP."""

    seat: int
    rounds: int
    state: bytes
    tip: int
    own: int
    names: tuple[Name, ...]
    last: Last | None
    vote: Signed


class Halt:
    """Halt number `number` of a game's epoch."""

    def __init__(self, game: Game, number: int = 0) -> None:
        self.game, self.number = game, number
        self.owners = game.active

    def halt(self, seat: int, *names: Name, ballot: int = 0, own: int = 1, tip: int | None = None,
             boundary: tuple[int, bytes] | None = None, mode: str = "", last: Last | None = None) -> Halted:
        rounds, state = boundary or self.game.boundary
        tip = len(self.game.slots) if tip is None else tip
        vote = self.game.body(seat, "HALT", rounds, mode, tip, own, names, [last[1]] if last else [],
                              at=["halt", self.number, ballot], state=state)
        return Halted(seat, rounds, state, tip, own, names, last, vote)

    def propose(self, halts: Sequence[Halted], leaves: Mapping[int, Signed] | None = None,
                proofs: Mapping[int, bytes] | None = None, ballot: int = 0, by: int | None = None) -> Signed:
        return self.names([(one.seat, name(one.vote)) for one in halts],
                          [(leaver, name(vote)) for leaver, vote in sorted((leaves or {}).items())],
                          [(owner, hashed("evidence", raw)) for owner, raw in sorted((proofs or {}).items())],
                          ballot=ballot, by=by)

    def names(self, *lists: Sequence[tuple[int, bytes]], ballot: int = 0, by: int | None = None) -> Signed:
        """A PROPOSE with these three lists."""
        seat = proposer(self.owners, self.number, ballot) if by is None else by
        return self.game.body(seat, "PROPOSE", *lists, at=["propose", self.number, ballot], state=b"")

    def drop(self, seat: int, propose: Signed, outcome: Outcome, ballot: int = 0) -> Signed:
        return self.game.body(seat, "DROP", name(propose), outcome, at=["drop", self.number, ballot], state=b"")

    def leave(self, seat: int, ballot: int = 0, last: Sequence[bytes] = ()) -> Signed:
        """`ballot`: 1 + that of the highest HALT."""
        return self.game.body(seat, "LEAVE", self.number, ballot, last, at=["leave"])

    def outcome(self, owners: Sequence[int], halts: Sequence[Halted], left: Mapping[int, tuple[bytes, bool]],
                proofs: Mapping[int, bytes]) -> Outcome | None:
        """Section 10.2. `owners`: those with dice at the highest boundary; `left`: the LEAVE's name, and whether its
        author is counted out; `proofs`: the name of the evidence. None: the ballot fails."""
        gone = {seat for seat, (_, counted_out) in left.items() if counted_out and seat in owners}
        guilty = {seat for seat in proofs if seat in owners and seat not in gone}
        needed = quorum(len(owners), len(gone), len(guilty))
        counting = {one.seat: one for one in halts if one.seat in owners and one.seat not in gone | set(proofs)}
        if len(counting) < needed:
            return None
        carried = [one.last for one in counting.values() if one.last]
        if carried:
            return min(carried, key=lambda last: (-last[0], last[1]))[2]

        def unanswered(called: Name, seat: int) -> bool:
            answer = counting.get(seat)
            return called[0] == seat and (
                answer is None or (len(called) == 2 and (answer.tip, answer.own) < (called[1], 1)))

        out: list[tuple[int, str, bytes]] = []
        for seat in owners:
            if seat in proofs:
                out.append((seat, "evidence", proofs[seat]))
            elif seat in left:
                out.append((seat, "left", left[seat][0]))
            elif sum(any(unanswered(called, seat) for called in one.names) for one in counting.values()) >= needed:
                out.append((seat, "silent", b""))
        if {seat for seat, _, _ in out} | set(counting) != set(owners):
            return None
        base = max((one.rounds, one.state) for one in halts)
        return (tuple(out), *base, "") if out else ()


def descend(game: Game, halt: int, outcome: Outcome) -> None:
    """The child epoch of a drop that goes back to the last boundary, where the rules' state is that of a round's
    beginning."""
    out = {seat for seat, _, _ in outcome[0]}  # type: ignore[attr-defined]
    rounds, base = game.boundary
    game.dice = [0 if seat in out else dice for seat, dice in enumerate(game.dice)]
    game.epoch = hashed("epoch", game.epoch, halt, pack(outcome))
    left = game.active
    game.rules = pack(game.public() if len(left) > 1 else game.public("over", winners=left))
    game.preimage = framed("child", game.game_id, game.epoch, base, hashed("rules", game.rules))
    game.slots = []
    game.boundary = rounds, game.state
