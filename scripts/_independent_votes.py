"""Halts and what is decided in them, for verify_independent.py: section 10 of protocol.md, nothing of the package. It
sees bodies whose signatures hold, and knows of the game only the boundaries that the file has come to."""

from __future__ import annotations

import contextlib
import copy
from collections.abc import Sequence
from typing import Any

from _independent_base import BIG, Body, Wrong, hashed
from _independent_rules import Rules

Outcome = list[Any]  # [] to go on, or [[[seat, reason, hash] ...], rounds, S, mode]


class Unheld(Exception):
    """A vote does not hold, or decides nothing: nobody acts on it."""


def name_of(body: Body) -> bytes:
    return hashed("body", body.raw)


class Halts:
    """The votes of a game, halt by halt."""

    def __init__(self, owner_of: Sequence[int]) -> None:
        self.owner_of = owner_of
        self.epochs: list[bytes] = []
        self.proofs: dict[bytes, int] = {}  # hash of the evidence: the owner against whom it is
        self.leaves: dict[bytes, Body] = {}

    def owners(self, rules: Rules) -> list[int]:
        return sorted({self.owner_of[seat] for seat in rules.active})

    def begin(self, epoch: bytes, rounds: int, state: bytes, rules: Rules) -> None:
        """A new epoch, with the first boundary in it."""
        self.epochs.append(epoch)
        self.boundaries = {rounds: (state, copy.deepcopy(rules))}
        self.proposers = self.owners(rules)
        self.halt = -1
        self._next_halt()

    def _next_halt(self) -> None:
        self.halt += 1
        self.votes: dict[bytes, Body] = {}  # of the open halt, LEAVEs not among them
        self.outcomes: dict[bytes, tuple[Outcome, int, set[int]]] = {}  # by PROPOSE: what, how many DROPs, by whom
        self.left: dict[bytes, list[bytes]] = {}  # by PROPOSE: the DROPs that the LEAVEs in it carry on
        self._place: tuple[object, ...] = ()
        self._fresh: set[bytes] = set()  # what stands in the file since the last decision

    @property
    def open(self) -> bool:
        return bool(self._place)

    def only_leaves(self) -> bool:
        return not self.votes and not self.outcomes

    def stand(self, body: Body) -> None:
        """Whether a vote may stand where it does: one order of all, what convicts its author not left out."""
        name, place = name_of(body), (-1, 0)
        if self.owner_of[body.seat] != body.seat:
            raise Wrong("vote-by-a-bot")
        if body.kind != "LEAVE":
            _, halt, ballot = body.votes_at
            place = (ballot, ("HALT", "PROPOSE", "DROP").index(body.kind))
            if body.epoch != self.epochs[-1] or halt != self.halt or ballot > 255:
                raise Wrong("out-of-order")
        if (*place, body.seat, name) <= self._place or name in self.leaves:  # a LEAVE of whichever epoch it is
            raise Wrong("out-of-order")
        self._place = (*place, body.seat, name)

    def take(self, body: Body) -> Outcome | None:
        """One vote in the order of the file; the outcome if it decides the halt."""
        self._fresh.add(name_of(body))
        self.keep(body)
        try:
            return self._drop(body) if body.kind == "DROP" else None
        except Unheld:
            return None

    def keep(self, body: Body) -> None:
        """What others may name; a second body for one place too."""
        name = name_of(body)
        if body.kind == "LEAVE":
            self.leaves[name] = body
            return
        self.votes[name] = body
        if body.kind == "PROPOSE":
            ballot = body.votes_at[2]
            if body.seat != self.proposers[(self.halt + ballot) % len(self.proposers)]:
                raise Wrong("not-the-proposer")
            with contextlib.suppress(Unheld):
                self.outcomes[name] = self._outcome(body, ballot)

    def twin(self, body: Body) -> bool:
        """Whether its author signed something else for the same place."""
        return any((other.seat, other.slot, other.epoch) == (body.seat, body.slot, body.epoch) and other.raw != body.raw
                   for other in [*self.votes.values(), *self.leaves.values()])

    def named(self, proof: bytes) -> bool:
        """Whether a PROPOSE of the open halt has named this evidence already."""
        return any(proof in (name for _, name in vote.payload[2]) for vote in self.votes.values()
                   if vote.kind == "PROPOSE")

    def _drop(self, body: Body) -> Outcome | None:
        followed, outcome = body.payload
        found = self.outcomes.get(followed)
        if found is None or found[0] != outcome or self.votes[followed].votes_at[2] != body.votes_at[2]:
            raise Unheld
        _, needed, voters = found
        if body.seat not in voters:
            return None
        drops = [name for name, vote in self.votes.items()
                 if vote.kind == "DROP" and vote.payload == body.payload and vote.seat in voters
                 and vote.votes_at[2] == body.votes_at[2]]
        if len(drops) != needed:
            return None
        if self._fresh - self._closure([followed, *drops]):
            raise Wrong("more-than-decides")
        if not outcome:
            self._next_halt()
        return list(outcome)

    def _closure(self, names: list[bytes]) -> set[bytes]:
        """All that these votes name, to the end."""
        found: set[bytes] = set()
        while names:
            name = names.pop()
            body = self.votes.get(name) or self.leaves.get(name)
            if name in found or body is None:
                continue
            found.add(name)
            pay = body.payload
            if body.kind == "PROPOSE":
                names += [*(named for part in pay[:2] for _, named in part), *self.left.get(name, [])]
            elif body.kind != "LEAVE":
                names += pay[:1] if body.kind == "DROP" else pay[-1]
        return found

    def _last(self, body: Body, highest: int) -> Body | None:
        """The DROP that a HALT or LEAVE carries on."""
        if not body.payload[-1]:
            return None
        drop = self.votes.get(body.payload[-1][0])
        if drop is None or drop.kind != "DROP" or drop.seat != body.seat or drop.votes_at[2] > highest \
                or drop.payload[0] not in self.votes or self.votes[drop.payload[0]].votes_at[2] != drop.votes_at[2] \
                or self.outcomes.get(drop.payload[0], (None,))[0] != drop.payload[1]:
            raise Unheld
        return drop

    def _outcome(self, propose: Body, ballot: int) -> tuple[Outcome, int, set[int]]:
        """What a PROPOSE decides, how many DROPs that takes, and whose count; raises Unheld if it decides nothing."""
        lists: list[dict[int, bytes]] = [dict(part) for part in propose.payload]
        if [len(names) for names in lists] != [len(part) for part in propose.payload]:
            raise Unheld
        halts = {seat: self.votes[name] for seat, name in lists[0].items() if name in self.votes}
        leaves = {seat: self.leaves[name] for seat, name in lists[1].items() if name in self.leaves}
        if len(halts) < len(lists[0]) or len(leaves) < len(lists[1]) or not halts or lists[0].keys() & lists[2].keys() \
                or any(vote.kind != "HALT" or vote.seat != seat or vote.votes_at[2] != ballot
                       for seat, vote in halts.items()) \
                or any(leave.seat != seat for seat, leave in leaves.items()) \
                or any(self.proofs.get(name) != seat for seat, name in lists[2].items()):
            raise Unheld
        if any(self.boundaries.get(vote.payload[0], (b"",))[0] != vote.state for vote in halts.values()):
            raise Unheld
        rounds = max(vote.payload[0] for vote in halts.values())
        state, rules = self.boundaries[rounds]
        owners = self.owners(rules)
        convicted = {seat for seat in owners if seat in lists[2]}
        counted_out = {seat for seat in owners if seat in leaves and self._counted_out(leaves[seat], ballot, owners)}
        voters = set(owners) - counted_out - convicted
        needed = max(1, min((len(owners) - len(counted_out)) // 2 + 1, len(voters)))
        counting = {seat: vote for seat, vote in halts.items() if seat in voters}
        if len(counting) < needed:
            raise Unheld

        carried = [drop for seat, drop in ((seat, self._last(vote, ballot - 1)) for seat, vote in halts.items())
                   if seat in counting]
        left = [self._last(leave, ballot - 1) for seat, leave in leaves.items()
                if seat in counted_out and self._here(leave)]
        self.left[name_of(propose)] = [name_of(drop) for drop in left if drop is not None]
        drops = [drop for drop in [*carried, *left] if drop is not None]
        if drops:
            highest = min(drops, key=lambda drop: (-drop.votes_at[2], name_of(drop)))
            return highest.payload[1], needed, voters

        out: list[list[Any]] = []
        for seat in owners:
            against = sum(any(name[0] == seat and not _answered(name, counting.get(seat)) for name in vote.payload[4])
                          for vote in counting.values())
            if seat in convicted:
                out.append([seat, "evidence", lists[2][seat]])
            elif seat in leaves:
                out.append([seat, "left", lists[1][seat]])
            elif against >= needed:
                out.append([seat, "silent", b""])
        if set(owners) - {seat for seat, _, _ in out} - counting.keys():
            raise Unheld
        if not out:
            return [], needed, voters
        modes = [vote.payload[1] for seat, vote in counting.items() if vote.payload[0] == rounds
                 and rules.stage == "oblige" and self.owner_of[rules.opener] == seat]
        return [out, rounds, state, next(filter(None, modes), "")], needed, voters

    def _here(self, leave: Body) -> bool:
        return leave.epoch == self.epochs[-1] and bool(leave.payload[0] == self.halt)

    def _counted_out(self, leave: Body, ballot: int, owners: Sequence[int]) -> bool:
        halt, highest, _ = leave.payload
        if highest == BIG:
            return len(self.proposers) == 2
        before = leave.epoch in self.epochs[:-1] or (leave.epoch == self.epochs[-1] and halt < self.halt)
        return before or (self._here(leave) and highest <= ballot + 1) or len(owners) == 2


def _answered(name: Sequence[int], halt: Body | None) -> bool:
    if halt is None or len(name) == 1:
        return halt is not None
    _, _, tip, own, _, _ = halt.payload
    return bool(tip > name[1] or (tip == name[1] and own == 1))
