"""The commands that need no table: verify, replay, rules and referee. Each prints to standard output and ends."""

import argparse
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from p2pdice.cli import houserules, ruletext, troubles
from p2pdice.cli.complaint import OK, Complaint
from p2pdice.cli.language import _
from p2pdice.cli.printing import say

if TYPE_CHECKING:
    from p2pdice.cli.replaying import Chapter


def run(options: argparse.Namespace) -> int:
    """Do one of them; the exit status."""
    match options.command:
        case "rules":
            return _rules(options)
        case "referee":
            from p2pdice.cli import refereeing

            lines = sys.stdin.buffer if options.file == "-" else _read(options.file).split(b"\n")
            return refereeing.run(lines, as_json=options.json)
        case "verify":
            return _verify(options)
        case _:
            return _replay(options)


def _read(name: str) -> bytes:
    """A whole file. Raises Complaint."""
    try:
        return Path(name).read_bytes()
    except (OSError, ValueError) as error:
        problem = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise Complaint(
            _("{file}: cannot be read: {problem}").format(file=name, problem=troubles.system(problem)),
            _("Is the name right?"),
        ) from error


def _rules(options: argparse.Namespace) -> int:
    if options.system is None and not options.settings:
        say([*ruletext.systems(), "", _("p2pdice rules SYSTEM tells one of them in full.")], sys.stdout)
    else:
        rules = houserules.ruleset(options.system or houserules.DEFAULT_SYSTEM, dict(options.settings))
        say(ruletext.describe(rules), sys.stdout)
    return OK


def _verify(options: argparse.Namespace) -> int:
    from p2pdice.cli import verdict

    report = verdict.examine(_read(options.file))
    if options.json:
        print(json.dumps(verdict.as_object(report)))
    else:
        say(verdict.in_words(report), sys.stdout)
    return verdict.status(report)


def _replay(options: argparse.Namespace) -> int:
    from p2pdice.cli import replaying, verdict
    from p2pdice.cli.lines import is_terminal

    report = verdict.examine(_read(options.file))
    if report.seated is None:
        raise Complaint(_("{file}: not a transcript").format(file=options.file), _("Transcripts end in .p2pdice."))
    if options.notation:
        _write(options.notation, verdict.written_down(report))
    if options.notation == "-":
        return OK
    rounds = replaying.chapters(report)
    if options.round is not None:
        chosen = [chapter for chapter in rounds if chapter.number == options.round]
        if not chosen:
            raise Complaint(
                _("{file}: there is no round {number}").format(file=options.file, number=options.round),
                _last(rounds[-1].number),
            )
        say(chosen[0].lines, sys.stdout)
    elif options.plain or os.environ.get("ACCESSIBLE") or not (is_terminal(sys.stdin) and is_terminal(sys.stdout)):
        say((line for chapter in rounds for line in chapter.lines), sys.stdout)
    else:
        _step(rounds)
    return OK


def _step(rounds: "Sequence[Chapter]") -> None:
    """Show round after round, as far and in which order the person at the terminal likes."""
    at = 0
    while at < len(rounds):
        say(rounds[at].lines, sys.stdout)
        at += 1
        if at == len(rounds):
            break
        wish = _wish(at, len(rounds) - 1)
        if wish is None:
            break
        at = wish


def _wish(following: int, last: int) -> int | None:
    """The round to show next; None to leave."""
    while True:
        try:
            answer = input(_("-- Enter: round {number}; a number: that round; q: leave -- ").format(number=following))
        except EOFError:
            return None
        answer = answer.strip().casefold()
        if not answer:
            return following
        if answer.isascii() and answer.isdigit() and 0 < int(answer[:6]) <= last:
            return int(answer[:6])
        if answer in ("q", "quit", "salir", "sair"):
            return None
        say([_last(last)], sys.stdout)


def _last(number: int) -> str:
    return _("The game has rounds 1 to {last}.").format(last=number)


def _write(name: str, text: str) -> None:
    if name == "-":
        sys.stdout.write(text)
        return
    try:
        with open(name, "x", encoding="utf-8", newline="\n") as file:
            file.write(text)
    except OSError as error:
        problem = troubles.system(error.strerror or str(error))
        raise Complaint(
            _("{file}: cannot be written: {problem}").format(file=name, problem=problem),
            _("An existing file is not overwritten: choose another name."),
        ) from error
