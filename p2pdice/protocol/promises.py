"""What a player promises with a vote, and how it breaks it: a HALT of ballot t reaches its author's latest DROP below
t, and after a LEAVE nothing more is signed (protocol.md sections 8 and 10.1). Pure; must not know signatures or clocks.
"""

from bisect import bisect_left
from collections.abc import Sequence

from p2pdice.protocol.ballot import UNSURE
from p2pdice.protocol.messages import AnyVote, Drop, Halt, Leave


def breaks_promise(promise: AnyVote, vote: AnyVote, last: AnyVote | None = None) -> bool:
    """Whether `vote` breaks what the HALT or LEAVE `promise` of the same author says.

    `last`: what the promise names as its author's latest DROP, None if it names nothing.
    """
    if (promise.epoch, promise.seat) != (vote.epoch, vote.seat) or isinstance(vote.payload, Leave):
        return False
    if isinstance(promise.payload, Leave):
        if promise.payload.ballot == UNSURE:
            return False
        if vote.halt > promise.halt or (vote.halt == promise.halt and vote.ballot >= promise.payload.ballot):
            return last is None
    elif not isinstance(promise.payload, Halt) or vote.halt != promise.halt or vote.ballot >= promise.ballot:
        return False
    return isinstance(vote.payload, Drop) and vote.halt == promise.halt and _hides(promise.payload.last, vote, last)


def _hides(named: Sequence[bytes], drop: AnyVote, last: AnyVote | None) -> bool:
    """Whether what is named as the latest DROP is none, or one below another."""
    if not named:
        return last is None
    if last is None or last.signed.hash != named[0]:
        return False  # what it names is not shown
    ours = isinstance(last.payload, Drop) and (last.epoch, last.seat, last.halt) == (drop.epoch, drop.seat, drop.halt)
    return not ours or last.ballot < drop.ballot


def broken_promise(votes: Sequence[AnyVote]) -> tuple[AnyVote, ...] | None:
    """Of votes of one author in one epoch: a promise and what breaks it, as evidence lists them; None if all hold."""
    by_hash = {vote.signed.hash: vote for vote in votes}
    signed = [vote for vote in votes if not isinstance(vote.payload, Leave)]
    drops = sorted((vote for vote in signed if isinstance(vote.payload, Drop)), key=_place)
    for promise in votes:
        suspects: list[AnyVote] = []
        if isinstance(promise.payload, Leave):
            below = (promise.halt, promise.payload.ballot)
            suspects = [vote for vote in signed if _place(vote) >= below][:1]
        elif isinstance(promise.payload, Halt):
            below = _place(promise)
        else:
            continue
        suspects += drops[:bisect_left(drops, below, key=_place)][-1:]  # whoever reaches the latest reaches all
        last = [by_hash[name] for name in promise.payload.last if name in by_hash]
        for vote in suspects:
            for shown in ([], last):
                if breaks_promise(promise, vote, *shown):
                    return (promise, vote, *shown)
    return None


def _place(vote: AnyVote) -> tuple[int, int]:
    return vote.halt, vote.ballot
