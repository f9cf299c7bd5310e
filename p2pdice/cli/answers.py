"""Answers about chances: what the engine's odds say, in a sentence. They are exact for the dice that this seat does not
see, and listen to nobody's bids."""

from p2pdice.cli import guide
from p2pdice.cli.commands import Move, parse
from p2pdice.cli.language import _
from p2pdice.cli.words import dice_of, listed, percent, typed
from p2pdice.rules import Action, Exact, Kind, View, bid, chance, chance_exact

LIKELY = 0.5


def odds(view: View | None, argument: str) -> list[str]:
    """The answer to /odds: for the bid asked about, else for the standing one, and what is likely on each face."""
    if view is None:
        return [_("There is no game yet.")]
    asked = view.bid
    if argument:
        match parse(argument):
            case Move(action) if action.kind is Kind.BID and 1 <= action.face <= 6:
                asked = action
            case _:
                return [guide.usage("odds")]
    told = [] if asked is None else [_chance(view, asked)]
    if asked is not None and view.rules.exact is not Exact.OFF:
        text = _("Exactly {dice}: {percent}.")
        told.append(text.format(dice=dice_of(asked.quantity, asked.face), percent=percent(chance_exact(view, asked))))
    return told if argument else [*told, *_likely(view)]


def hint(view: View) -> list[str]:
    """What a player in turn is told unasked: how likely the standing bid is, and what could be bid instead."""
    return [*([] if view.bid is None else [_chance(view, view.bid)]), *_likely(view)]


def brief(view: View) -> str:
    """The same as `hint` in as few cells as can be."""
    bids = " ".join(map(typed, likely(view)))
    if view.bid is None:
        return _("Likely: {bids}").format(bids=bids)
    standing = f"{view.bid.quantity}x{view.bid.face}"
    text = _("{bid}: {percent}. Likely: {bids}")
    return text.format(bid=standing, percent=percent(chance(view, view.bid)), bids=bids)


def likely(view: View) -> list[Action]:
    """For each face that this seat may bid, all of them out of turn, the highest bid that holds with a chance of LIKELY
    or more; none where not even one die does."""
    found = []
    faces = {action.face for action in view.legal if action.kind is Kind.BID} if view.legal else range(1, 7)
    for face in sorted(faces):
        held = [quantity for quantity in range(1, sum(view.dice) + 1) if chance(view, bid(quantity, face)) >= LIKELY]
        if held:
            found.append(bid(held[-1], face))
    return found


def _likely(view: View) -> list[str]:
    bids = likely(view)
    if not bids:
        return []
    return [_("Likely (50 % or more): {bids}.").format(bids=listed(map(typed, bids)))]


def _chance(view: View, asked: Action) -> str:
    return _("By what you see, at least {dice}: {percent}.").format(
        dice=dice_of(asked.quantity, asked.face), percent=percent(chance(view, asked))
    )
