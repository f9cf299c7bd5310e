"""Help for whoever sits at the prompt: what can be typed now, and what a line that was not understood could have
been."""

from p2pdice.cli.clean import clean
from p2pdice.cli.commands import Command, Nonsense, Slash
from p2pdice.cli.language import _
from p2pdice.cli.table import Table
from p2pdice.cli.words import typed
from p2pdice.rules import OBLIGE_CLOSED, OBLIGE_NO, OBLIGE_OPEN

WATCHERS = ("help", "rules", "odds", "history", "who", "quit")


def for_watchers(command: Command) -> bool:
    """Whether a command is for whoever has no seat too."""
    return isinstance(command, Nonsense) or (isinstance(command, Slash) and command.name in WATCHERS)


def help_lines(table: Table, *, watching: bool = False) -> list[str]:
    """The answer to /help."""
    if watching:
        return [
            _("/odds: how likely the standing bid is by what you see, and what else is; /odds 5x3: that bid"),
            _("/history: what was said in this round"),
            _("/rules: the rules at this table"),
            _("/who: who sits here"),
            _("/quit: leave"),
        ]
    if not table.playing:
        return [
            _("Enter on an empty line: accept the rules and take your seat"),
            _("/start: begin with who is here (host)"),
            _("/bot LEVEL: add a bot; LEVEL is easy, normal or hard"),
            _("/kick NAME: send someone away (host)"),
            _("/name NAME: be called something else"),
            *_anytime(),
        ]
    return [
        _("5x3 or five threes: bid at least five threes, the quantity first"),
        _("dudo, liar: doubt the standing bid"),
        _("calzo, spot on: the standing bid is exact"),
        _("paso, pass: where the rules have it"),
        _("5x3 left, 5x3 right: an opening bid with a direction, where the rules have it"),
        _("/odds: how likely the standing bid is by what you see, and what else is; /odds 5x3: that bid"),
        _("/history: what was said in this round"),
        _("/hints on, /hints off: the odds with each turn"),
        _("/wait NAME: do not agree to go on without them; /drop NAME: go on without them"),
        _("/pause: stop the clocks, once everyone has typed it; again: go on"),
        *_anytime(),
    ]


def _anytime() -> list[str]:
    return [
        _("/rules: the rules at this table"),
        _("/say TEXT: talk to the others"),
        _("/who: who sits here"),
        _("/quit: leave"),
        _("/rematch: after the end, play again with the same people"),
    ]


def nonsense(text: str, table: Table, *, watching: bool = False) -> str:
    """The answer to a line that is nothing known."""
    shown = clean(text, 40)
    if text.startswith("/") or watching:
        return _("{text}: no such command. /help lists them.").format(text=shown)
    if table.may_oblige is not None and table.may_oblige == table.you:
        choices = dict(zip(("open", "closed", "no"), map(typed, (OBLIGE_OPEN, OBLIGE_CLOSED, OBLIGE_NO)), strict=True))
        return _("{text}: not understood. Choose {open}, {closed} or {no}.").format(text=shown, **choices)
    if not table.playing and (table.you is None or table.ready[table.you]):
        return _("{text}: not understood. /help lists what you can do.").format(text=shown)
    if not table.playing:
        return _("{text}: not understood. Press Enter to accept the rules, or type /help.").format(text=shown)
    return _("{text}: not understood. Bid like 5x3 or five threes, doubt with dudo, or type /help.").format(text=shown)


def usage(name: str) -> str:
    """How a command that lacks something is meant; /rules lacks a table."""
    match name:
        case "say":
            return _("/say needs a text, such as /say hello")
        case "kick":
            return _("/kick needs a name, such as /kick Ana")
        case "name":
            return _("/name needs a name, such as /name Ana")
        case "bot":
            return _("/bot takes easy, normal or hard, or nothing")
        case "odds":
            return _("/odds takes a bid, such as /odds 5x3, or nothing")
        case "drop":
            return _("/drop needs the name of someone the game waits for, such as /drop Ana")
        case "rematch":
            return _("/rematch is for after the end of a game.")
        case _:
            return _("/rules can be used once you sit at a table.")
