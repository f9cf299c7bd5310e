"""The three levels. All play every system; they differ in how far they look.

easy    goes by a rough feeling for the odds, and raises at whim
normal  knows the odds of its own dice, and nothing of what others said
hard    listens to bids, and asks what the next player will make of each of its own
"""

from collections.abc import Mapping
from math import exp

from p2pdice.rules import (
    CALZO,
    DUDO,
    OBLIGE_NO,
    OBLIGE_OPEN,
    PASO,
    Action,
    ExactReward,
    Format,
    Kind,
    Stage,
    View,
    chance,
    chance_exact,
    pass_holds,
)

from . import belief
from .base import Bot, RandomSource, sensible

# How likely a pass is true, once somebody made one: few would pass on nothing.
PASS_IS_TRUE = 0.7


def pick(choices: list[Action], random: RandomSource) -> Action:
    return choices[int(random.random() * len(choices))]


def has_pass(view: View) -> bool:
    """Whether a pass of this seat would be true."""
    return view.own is not None and pass_holds(view.own)


def reward(view: View) -> float:
    """What a right exact call is worth, with a die lost as the unit: a die or point back, or the bidder's loss."""
    if view.rules.exact_reward is ExactReward.BIDDER_LOSES:
        return share(view)
    if view.rules.format is Format.POINTS:
        return float(view.penalties[view.seat] > 0)
    full = view.dice[view.seat] >= view.rules.starting_dice
    return float(not full or view.rules.exact_reward is ExactReward.BANK)


def share(view: View) -> float:
    """What another player's loss is worth to this one: it is shared by all who are still in."""
    return 1 / max(1, sum(dice > 0 for dice in view.dice) - 1)


class Easy:
    """Feels the odds to within two fifths, and raises to any bid that feels right."""

    def choose(self, view: View, random: RandomSource) -> Action:
        moves = sensible(view)
        if view.stage is Stage.OBLIGE:
            return OBLIGE_NO
        if PASO in moves and has_pass(view):
            return PASO
        bids = [move for move in moves if move.kind is Kind.BID]
        likely = [move for move in bids if chance(view, move) + 0.8 * (random.random() - 0.5) > 0.4]
        if view.bid is None:
            return pick(likely or bids, random)
        feeling = PASS_IS_TRUE if view.last is Kind.PASO else chance(view, view.bid)
        if DUDO in moves and (not likely or feeling + 0.8 * (random.random() - 0.5) < 0.4):
            return DUDO
        return pick(likely or list(moves), random)

    def choose_call(self, view: View, random: RandomSource) -> bool:
        return view.bid is not None and chance_exact(view, view.bid) > 0.7


class Normal:
    """Doubts what its own dice make unlikely, else raises no further than it must."""

    def choose(self, view: View, random: RandomSource) -> Action:
        moves = sensible(view)
        if view.stage is Stage.OBLIGE:
            return OBLIGE_OPEN
        bids = [move for move in moves if move.kind is Kind.BID]
        if view.bid is None:
            likely = [move for move in bids if chance(view, move) > 0.5]
            most = max((move.quantity for move in likely), default=0)
            return pick([move for move in likely if move.quantity == most] or bids[:1], random)
        if PASO in moves and has_pass(view):
            return PASO
        exact = chance_exact(view, view.bid)
        holds = PASS_IS_TRUE if view.last is Kind.PASO else chance(view, view.bid)
        if CALZO in moves and reward(view) and exact > max(0.5, 1 - holds):
            return CALZO
        possible = [move for move in bids if chance(view, move) > 0.15]
        if DUDO in moves and (holds < 0.35 or not possible):
            return DUDO
        lowest = [move for move in possible if move.quantity == possible[0].quantity]
        return max(lowest, key=lambda move: chance(view, move), default=moves[0])

    def choose_call(self, view: View, random: RandomSource) -> bool:
        return view.bid is not None and reward(view) > 0 and chance_exact(view, view.bid) > 0.6


class Hard:
    """Weighs every move by what it is likely to cost or bring, the next player's answer included.

    The unit is a die of one's own; another player's loss is worth a `share` of it. The numbers were found by playing.
    """

    # The next player is taken to doubt a bid that looks less likely than this to it, the more surely the further away.
    DOUBTED_BELOW = 0.42
    STEEPNESS = 12.0
    # How good it is, in shares, that the round goes on past the next player; and what an untrue pass costs.
    PASSED_ON = 0.6
    FALSE_PASS = -0.5
    # Moves this close to each other are a matter of chance, so that one cannot read the dice from the move.
    TREMBLE = 0.02

    def choose(self, view: View, random: RandomSource) -> Action:
        if view.stage is Stage.OBLIGE:
            return OBLIGE_OPEN
        moves = sensible(view)
        faces = {move.face for move in (*moves, view.bid) if move is not None and move.kind is Kind.BID}
        outlooks = {face: belief.outlook(view, face) for face in faces}
        gain = share(view)
        worth = {move: self._worth(view, move, outlooks, gain) + self.TREMBLE * random.random() for move in moves}
        return max(worth, key=worth.__getitem__)

    def choose_call(self, view: View, random: RandomSource) -> bool:
        # Silence has its worth too: the bid is then somebody else's to lose by.
        assert view.bid is not None
        outlook = belief.outlook(view, view.bid.face)
        return self._exact(view, outlook, view.bid) > 0.5 * share(view)

    def _worth(self, view: View, move: Action, outlooks: Mapping[int, belief.Outlook], gain: float) -> float:
        """What a move is worth, where another player's loss is worth `gain`."""
        if move.kind is Kind.BID:
            return self._bid(outlooks[move.face], move.quantity, sum(view.dice), gain)
        if move.kind is Kind.PASO:
            return self.PASSED_ON * gain if has_pass(view) else self.FALSE_PASS
        assert view.bid is not None
        outlook = outlooks[view.bid.face]
        if move.kind is Kind.CALZO:
            return self._exact(view, outlook, view.bid)
        holds = PASS_IS_TRUE if view.last is Kind.PASO else outlook.holds(view.bid.quantity)
        return _doubt(1 - holds, gain)

    def _exact(self, view: View, outlook: belief.Outlook, bid: Action) -> float:
        exact = outlook.holds(bid.quantity) - outlook.holds(bid.quantity + 1)
        return exact * reward(view) - (1 - exact)

    def _bid(self, outlook: belief.Outlook, quantity: int, dice: int, gain: float) -> float:
        """Over every count that only the next player may see: doubted, and true or not, or passed on."""
        worth = 0.0
        for held, likely in enumerate(outlook.theirs):
            looks = outlook.looks(quantity, held)
            doubted = 1 / (1 + exp(self.STEEPNESS * (looks - self.DOUBTED_BELOW)))
            if quantity == dice:
                doubted = 1.0  # nothing is left to raise to
            called = _doubt(outlook.holds_with(quantity, held), gain)
            # With two left the raise comes straight back, to be doubted or outbid in turn.
            returned = _doubt(1 - outlook.holds_with(quantity + 1, held), gain)
            onward = max(0.0, returned) if gain == 1 else self.PASSED_ON * gain
            worth += likely * (doubted * called + (1 - doubted) * onward)
        return worth


def _doubt(winning: float, gain: float) -> float:
    """What a showdown is worth to a seat that wins it with that chance: another's loss, or its own."""
    return winning * gain - (1 - winning)


LEVELS: Mapping[str, Bot] = {"easy": Easy(), "normal": Normal(), "hard": Hard()}
