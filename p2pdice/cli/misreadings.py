"""What is wrong with a line of a written game that cannot be judged, and how it should look: for whoever wrote it."""

from collections.abc import Mapping
from typing import Any

from p2pdice.cli.clean import clean
from p2pdice.cli.language import _
from p2pdice.cli.refusals import refusal
from p2pdice.cli.words import listed

Fields = Mapping[str, Any]


def misread(reason: str, fields: Fields) -> str:
    """The sentence for a NotationError's reason; what is quoted from the file is made harmless."""
    told = {name: _harmless(value) for name, value in fields.items()}
    text = _header(reason) or _rolls(reason) or _rounds(reason) or _shape(reason)
    return text.format(**told) if text else refusal(reason, fields)


def _harmless(value: object) -> object:
    if isinstance(value, tuple):
        return listed(clean(str(item), 80) for item in value)
    return clean(value, 80) if isinstance(value, str) else value


def _shape(reason: str) -> str | None:
    match reason:
        case "not-utf-8":
            return _("this is no UTF-8 text; save the file as UTF-8")
        case "no-such-form":
            return _("{text}: not understood; a line is WORD: and what belongs to it, such as Ana: 4x3")
        case "no-such-action":
            return _("{text}: no such action; there are bids such as 4x3, dudo, calzo, paso and ?")
        case "no-such-choice":
            return _("oblige: takes open or closed")
        case "empty-action":
            return _("what does the player do? For instance Ana: 4x3")
        case "empty-line":
            return _("{key}: has nothing after it")
        case "name-twice":
            return _("{name} stands there twice")
        case "unknown-name":
            return _("{name}: nobody at this table; players: lists everyone")
        case _:
            return None


def _header(reason: str) -> str | None:
    match reason:
        case "missing-line":
            return _("there is no {key}: line; the header needs rules: and players:")
        case "header-after-start":
            return _("{key}: belongs to the header, before the first round")
        case "second-header-line":
            return _("a second {key}: line; there can be only one")
        case "one-word-expected":
            return _("{key}: takes one word")
        case "one-number-a-player":
            return _("{key}: takes one number for each of the {players} players")
        case "not-a-number":
            return _("{key}: {value} is no number")
        case "more-than-at-start":
            return _("{value} dice: nobody has more than the {most} of the start")
        case "fewer-than-two-with-dice":
            return _("fewer than two players have dice: there is nothing to play")
        case "no-points-race":
            return _("penalties: is for a points race; that takes set: format=points")
        case "direction-fixed":
            return _("the direction of play is fixed in these rules")
        case "bad-name":
            return _("{name}: a name holds no : or =, and is none of the words that begin a line")
        case "opener-without-dice":
            return _("{name} cannot open without dice")
        case _:
            return None


def _rolls(reason: str) -> str | None:
    match reason:
        case "opener-beside-rolls":
            return _("who opens is said by the roll: leave out opener:")
        case "no-opening-roll":
            return _("these rules have no opening roll")
        case "no-such-roll":
            return _("{value}: a roll is 1 to 6, or * for all dice at once")
        case "not-open-ties":
            return _("a roll is of whole ties that are still open; open: {ties}")
        case "tie-left-open":
            return _("this tie has not rolled again: {names}")
        case _:
            return None


def _rounds(reason: str) -> str | None:
    match reason:
        case "no-round-open":
            return _("no round is open; one begins with round: and the cups")
        case "inside-a-round":
            return _("the round before is not over: nobody has called yet")
        case "after-the-end":
            return _("the game is over already")
        case "already-out":
            return _("{name} is out already")
        case "nobody-left":
            return _("somebody must stay in the game")
        case "cups-missing":
            return _("cups are missing: {names}")
        case "no-such-die":
            return _("{name}: {value} is no die; dice are 1 to 6, or ? if never shown")
        case "wrong-number-of-dice":
            return _("{name} has {dice} dice, not {found}")
        case "die-never-shown":
            return _("this needs the dice of {name}, and not all of them were shown")
        case _:
            return None
