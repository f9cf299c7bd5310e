"""The man page, written from the command line's own parser: `python scripts/manpage.py` writes scripts/p2pdice.1.

What the parser does not know (files, environment, exit statuses) stands below; a test compares the file with this.
"""

import argparse
from collections.abc import Iterable, Iterator
from pathlib import Path

from p2pdice import __version__
from p2pdice.cli import language, options

PAGE = Path(__file__).resolve().parent / "p2pdice.1"

REST = {
    "environment": (
        ("P2PDICE_STATE", "where identities and transcripts are kept, as --state"),
        ("P2PDICE_LANG", "the language of all texts, as --lang"),
        ("NO_COLOR", "no colours"),
        ("ACCESSIBLE", "line by line, as --plain"),
    ),
    "files": (
        ("games/DATE-words.p2pdice", "transcripts, in the state folder; the last line of a game names its own"),
    ),
    "exit status": (
        ("0", "done: the game was played to its end, or left; nothing was wrong"),
        ("1", "verify found a fault or no end, the game was abandoned, this seat was put out, the referee refused a "
              "move, or doctor found a cause"),
        ("2", "wrong usage, a file that cannot be read, a port that is taken"),
        ("3", "no table, several and nobody to ask, or refused at the door"),
        ("130", "interrupted"),
    ),
}


def page() -> str:
    """The page in the man macros of roff, in English."""
    language.use("en")
    parser = options._parser()
    return "\n".join((f'.TH P2PDICE 1 "" "p2pdice {__version__}"', *_lines(parser))) + "\n"


def _lines(parser: argparse.ArgumentParser) -> Iterator[str]:
    yield from (".SH NAME", rf"p2pdice \- {_text(str(parser.description)).rstrip('.')}")
    [commands] = [action for action in parser._actions if isinstance(action, argparse._SubParsersAction)]
    yield ".SH SYNOPSIS"
    for name, command in commands.choices.items():
        arguments = [_metavar(command, action) for action in command._actions if not action.option_strings]
        yield from (rf".B p2pdice {name}", " ".join(["[options]", *arguments]), ".br")
    yield from (".SH OPTIONS", "Of every command, or without one:", *_options(parser, parser._actions))
    yield ".SH COMMANDS"
    shared = {name for action in parser._actions for name in action.option_strings}
    for name, command in commands.choices.items():
        own = [action for action in command._actions if shared.isdisjoint(action.option_strings)]
        yield from (f".SS {name}", _text(str(command.description)), *_options(command, own))
    for heading, entries in REST.items():
        yield f".SH {heading.upper()}"
        for term, text in entries:
            yield from (".TP", rf".B {_text(term)}", _text(text))
    yield from (".SH SEE ALSO", "README.md and protocol.md of the source, and p2pdice COMMAND \\-\\-help.")


def _options(parser: argparse.ArgumentParser, actions: Iterable[argparse.Action]) -> Iterator[str]:
    """Options and arguments of one command; what has no text, or stands under a heading of its own, is left out."""
    for action in actions:
        if isinstance(action, argparse._SubParsersAction) or not action.help:
            continue
        names = r", ".join(rf"\fB{_text(name)}\fR" for name in action.option_strings)
        yield from (".TP", f"{names} {_metavar(parser, action)}".strip(), _text(str(action.help % vars(action))))


def _metavar(parser: argparse.ArgumentParser, action: argparse.Action) -> str:
    """What stands for the values of an option or argument, brackets included."""
    return _text(parser._get_formatter()._format_args(action, _default(action))).strip()


def _default(action: argparse.Action) -> str:
    return action.dest.upper() if action.choices is None else f"{{{','.join(action.choices)}}}"


def _text(text: str) -> str:
    """As roff takes it: no backslash, minus or leading full stop with a meaning of its own."""
    safe = text.replace("\\", r"\e").replace("-", r"\-").replace("'", r"\(aq")
    return rf"\&{safe}" if safe.startswith(".") else safe


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8", newline="\n")
