"""Answers about chances: what the engine's odds say, in a sentence."""

from p2pdice.cli import guide
from p2pdice.cli.commands import Move, parse
from p2pdice.cli.language import _
from p2pdice.cli.words import dice_of
from p2pdice.rules import Action, Kind, View, chance


def odds(view: View | None, argument: str) -> list[str]:
    """The answer to /odds: for the bid asked about, else for the standing one."""
    if view is None:
        return [_("There is no game yet.")]
    bid = view.bid
    if argument:
        match parse(argument):
            case Move(action) if action.kind is Kind.BID and 1 <= action.face <= 6:
                bid = action
            case _:
                return [guide.usage("odds")]
    if bid is None:
        return [_("No bid is standing. Ask about one: /odds 4x3")]
    return [_chance(view, bid)]


def hint(view: View | None) -> list[str]:
    """What a player in turn is told unasked: how likely the standing bid is, if there is one."""
    return [] if view is None or view.bid is None else [_chance(view, view.bid)]


def _chance(view: View, bid: Action) -> str:
    percent = round(100 * chance(view, bid))
    return _("By what you see, at least {dice}: {percent} %.").format(
        dice=dice_of(bid.quantity, bid.face), percent=percent
    )
