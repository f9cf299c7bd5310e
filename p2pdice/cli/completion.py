"""What makes a shell complete commands, options and values: written by shtab from the command line's own parser."""

import argparse
from collections.abc import Iterator

import shtab

from p2pdice.cli.language import LANGUAGES
from p2pdice.rules import PRESETS

# What the parser judges by itself, and so does not list.
_VALUES = {"rules": tuple(PRESETS), "system": tuple(PRESETS), "lang": tuple(LANGUAGES)}
_FILES = {"file": shtab.FILE, "record": shtab.FILE, "notation": shtab.FILE, "state": shtab.DIRECTORY}


def script(parser: argparse.ArgumentParser, shell: str) -> str:
    """The text that `shell` has to read."""
    for action in _actions(parser):
        if action.dest in _VALUES:
            action.choices = _VALUES[action.dest]
        elif action.dest in _FILES:
            action.complete = _FILES[action.dest]  # type: ignore[attr-defined]  # where shtab looks for it
    return shtab.complete(parser, shell)


def _actions(parser: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    """All options and arguments, of the subcommands too."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for command in action.choices.values():
                yield from _actions(command)
        else:
            yield action
