"""The command line: every command and flag, judged as far as can be without the rules. Imports nothing heavy."""

import argparse
import math
import os
import sys
from collections.abc import Callable, Sequence

from p2pdice import __version__
from p2pdice.cli.complaint import Complaint
from p2pdice.cli.language import LANGUAGES, _, known

TYPE_CHECKING = False  # importing typing for it would take as long as everything else for --help together
if TYPE_CHECKING:
    from typing import NoReturn

SHELLS = ("bash", "zsh", "tcsh")
BOT_LEVELS = ("easy", "normal", "hard")
WAIT_JOIN_S, WAIT_FIND_S, TURN_TIME_S, DROP_TIME_S = 10.0, 3.0, 120, 90


def asked(arguments: Sequence[str], flag: str) -> str | None:
    """The value of a flag before the arguments have been judged, or None."""
    for index, argument in enumerate(arguments):
        if argument.startswith(f"{flag}="):
            return argument.partition("=")[2]
        if argument == flag:
            return next(iter(arguments[index + 1 :]), None)
    return None


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    """The command and its options. Raises Complaint; ends the process by itself for --help and --version."""
    if not arguments:
        arguments = ["--help"]
    chosen, unknown = _parser().parse_known_args(arguments)
    if unknown:  # the whole program's parser would say it, and name its own help
        complaint = _("unrecognized arguments: %s") % " ".join(unknown)
        raise Complaint(complaint, _shows_what_is_possible(f"p2pdice {chosen.command}"))
    return chosen


def _shows_what_is_possible(command: str) -> str:
    return _("{command} --help shows what is possible").format(command=command)


class _Parser(argparse.ArgumentParser):
    """argparse, except that errors become a Complaint in the reader's language."""

    def error(self, message: str) -> "NoReturn":
        raise Complaint(message, _shows_what_is_possible(self.prog))


class _PrintCompletion(argparse.Action):
    """Prints and ends, as --version does; only this loads what writes it."""

    def __call__(self, parser: argparse.ArgumentParser, namespace: object, value: object, flag: object = None) -> None:
        from p2pdice.cli import completion

        print(completion.script(parser, str(value)))
        parser.exit()


class _Formatter(argparse.HelpFormatter):
    """Knows the terminal's width by itself: argparse would load the archive formats of shutil to ask for it."""

    def __init__(self, prog: str) -> None:
        try:
            columns = int(os.environ.get("COLUMNS") or os.get_terminal_size(sys.stdout.fileno()).columns)
        except (OSError, ValueError, AttributeError):  # not a terminal
            columns = 0
        columns = columns or 80
        super().__init__(prog, width=columns - 2)


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="p2pdice",
        description=_("Liar's Dice over the local network, without a server."),
        epilog=_("p2pdice COMMAND --help says more. Try: p2pdice host --bots 2 --players 3"),
        allow_abbrev=False,
        formatter_class=_Formatter,
    )
    parser.add_argument("--version", action="version", version=f"p2pdice {__version__}", help=_("show the version"))
    parser.add_argument(
        "--print-completion",
        action=_PrintCompletion,
        choices=SHELLS,
        help=_("print what makes a shell complete commands and options"),
    )
    _common(parser)
    commands = parser.add_subparsers(dest="command", metavar=_("COMMAND"), required=True, parser_class=_Parser)

    def add(name: str, text: str, *fill: Callable[[argparse.ArgumentParser], None]) -> None:
        command = commands.add_parser(name, help=text, description=text, allow_abbrev=False, formatter_class=_Formatter)
        for part in fill:
            part(command)
        _common(command)

    add("host", _("open a table and wait for others"), _host, _rules, _seat)
    add("join", _("sit down at a table"), _join, _rules, _seat)
    add("find", _("list the tables on this network"), _find)
    add("doctor", _("find out why the others cannot be seen or reached"), _doctor)
    add("verify", _("check a finished game: was anything not as it must be"), _file, _json)
    add("replay", _("show a finished game again"), _file, _replay)
    add("rules", _("show the rules, differences first"), _system, _set)
    add("referee", _("judge a game written down by hand"), _file, _json)
    return parser


def _common(command: argparse.ArgumentParser) -> None:
    # SUPPRESS: a flag given before the command is not undone by the command's own default.
    command.add_argument(
        "--lang",
        type=_language,
        metavar="|".join(LANGUAGES),
        default=argparse.SUPPRESS,
        help=_("the language of all texts"),
    )
    command.add_argument(
        "--plain",
        action="store_true",
        default=argparse.SUPPRESS,
        help=_("line by line, nothing redrawn, for screen readers; so does ACCESSIBLE=1"),
    )
    if command.prog == "p2pdice":
        command.set_defaults(lang=None, plain=False)


def _host(command: argparse.ArgumentParser) -> None:
    command.add_argument("--table", metavar=_("TITLE"), help=_("what the table is called"))
    command.add_argument(
        "--players", type=_number(2, 32), metavar="N", help=_("begin by itself at N seats, bots included")
    )
    command.add_argument("--bots", type=_number(0, 31), metavar="N", default=0, help=_("bring N bots"))
    command.add_argument("--bot-level", choices=BOT_LEVELS, default="normal", help=_("how well they play"))
    command.add_argument(
        "--code",
        nargs="?",
        const="",
        metavar=_("WORDS"),
        help=_("only who knows the room code sits down; without WORDS it is made up"),
    )
    command.add_argument(
        "--turn-time",
        type=_number(0, 86400),
        metavar="S",
        default=TURN_TIME_S,
        help=_("seconds for a turn, 0 for no clock (default: %(default)s)"),
    )
    command.add_argument(
        "--drop-time",
        type=_number(1, 86400),
        metavar="S",
        default=DROP_TIME_S,
        help=_("seconds of silence that may cost a seat (default: %(default)s)"),
    )


def _join(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "target",
        nargs="?",
        metavar=_("TABLE|HOST:PORT"),
        help=_("a title or the first letters of an id from find, or an address"),
    )
    command.add_argument("--code", metavar=_("WORDS"), help=_("the table's room code, if it asks for one"))
    command.add_argument(
        "--wait",
        type=_seconds,
        metavar="S",
        default=WAIT_JOIN_S,
        help=_("how long to look for a table (default: %(default)s)"),
    )
    instead = command.add_mutually_exclusive_group()
    instead.add_argument(
        "--resume", action="store_true", help=_("back to the game that a crash interrupted, as its host too")
    )
    instead.add_argument("--watch", action="store_true", help=_("look on without a seat, at a running game too"))


def _find(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--wait", type=_seconds, metavar="S", help=_("how long to look; on a terminal until you leave")
    )
    _json(command)


def _doctor(command: argparse.ArgumentParser) -> None:
    command.add_argument("target", nargs="?", metavar=_("HOST:PORT"), help=_("also try this address"))
    _json(command)


def _rules(command: argparse.ArgumentParser) -> None:
    command.add_argument("--rules", metavar=_("SYSTEM"), help=_("the rule system; p2pdice rules lists them"))
    _set(command)


def _set(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--set",
        dest="settings",
        type=_setting,
        metavar=_("KEY=VALUE"),
        nargs="+",
        action="extend",
        default=[],
        help=_("house rules over the system"),
    )


def _system(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "system", nargs="?", metavar=_("SYSTEM"), help=_("the rule system; without it they are listed")
    )


def _seat(command: argparse.ArgumentParser) -> None:
    command.add_argument("--name", metavar=_("NAME"), help=_("what the others call you"))
    _json(command)
    command.add_argument("--auto", choices=BOT_LEVELS, help=_("a bot plays this seat"))
    command.add_argument("--pace", type=_seconds, metavar="S", help=_("how long bots of this process think"))
    command.add_argument("--hints", choices=("on", "off"), default="on", help=_("show how likely the standing bid is"))
    command.add_argument("--record", metavar=_("FILE"), help=_("where the transcript goes"))
    command.add_argument("--state", metavar=_("FOLDER"), help=_("where identities and transcripts are kept"))
    command.add_argument("--bind", metavar=_("ADDRESS"), help=_("use only this address of this computer"))
    command.add_argument("--port", type=_number(1, 65535), metavar="P", help=_("listen on this port only"))
    command.add_argument("--no-mdns", action="store_true", help=_("neither announce nor look for tables"))


def _file(command: argparse.ArgumentParser) -> None:
    command.add_argument("file", metavar=_("FILE"))


def _json(command: argparse.ArgumentParser) -> None:
    command.add_argument("--json", action="store_true", help=_("one JSON object a line, for programs"))


def _replay(command: argparse.ArgumentParser) -> None:
    command.add_argument("--round", type=_number(1, 10**6), metavar="N", help=_("only this round"))
    command.add_argument("--notation", metavar=_("OUT"), help=_("write the game down for the referee, - for here"))


def _language(text: str) -> str:
    language = known(text)
    if language is None:
        raise argparse.ArgumentTypeError(
            _("{value}: not a language spoken here; possible: {allowed}").format(
                value=text, allowed=", ".join(LANGUAGES)
            )
        )
    return language


def _number(least: int, most: int) -> Callable[[str], int]:
    def number(text: str) -> int:
        if not text.isascii() or not text.isdigit() or len(text) > 9 or not least <= int(text) <= most:
            raise argparse.ArgumentTypeError(
                _("{value}: must be a whole number from {least} to {most}").format(value=text, least=least, most=most)
            )
        return int(text)

    return number


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = -1.0
    if not math.isfinite(seconds) or not 0 <= seconds <= 86400:
        raise argparse.ArgumentTypeError(_("{value}: must be a number of seconds").format(value=text))
    return seconds


def _setting(text: str) -> tuple[str, str]:
    key, equals, value = text.partition("=")
    if not (key and equals and value):
        raise argparse.ArgumentTypeError(_("{value}: must be KEY=VALUE, such as exact=off").format(value=text))
    return key, value
