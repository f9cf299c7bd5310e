"""What a bot is, and the least that is asked of each: no move that its own view shows to be hopeless.

A bot gets a View, so it knows what a person in its seat would know, and all chance it uses is handed to it: the same
view and the same random source give the same move.
"""

from typing import Protocol

from p2pdice.rules import Action, Kind, View, chance, chance_exact


class RandomSource(Protocol):
    """What random.Random and random.SystemRandom have."""

    def random(self) -> float:
        """A number from 0 up to, not including, 1."""
        ...


class Bot(Protocol):
    """A player. It keeps no memory between moves: all that counts is in the view."""

    def choose(self, view: View, random: RandomSource) -> Action:
        """One of `view.legal`, for the seat in turn; an opening bid may name a direction where the rules let it."""
        ...

    def choose_call(self, view: View, random: RandomSource) -> bool:
        """Whether to call exact out of turn, where `view.legal` holds nothing else."""
        ...


def sensible(view: View) -> tuple[Action, ...]:
    """The legal actions that can still turn out well; all of them if none can."""
    return tuple(action for action in view.legal if not _hopeless(view, action)) or view.legal


def _hopeless(view: View, action: Action) -> bool:
    if action.kind is Kind.BID:
        return chance(view, action) == 0
    if view.bid is None or view.last is Kind.PASO:
        return False
    if action.kind is Kind.DUDO:
        return chance(view, view.bid) == 1
    return action.kind is Kind.CALZO and chance_exact(view, view.bid) == 0
