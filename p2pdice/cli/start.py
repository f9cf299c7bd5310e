"""Sitting down: from the options of `host` and `join` to a driver and a frontend, and the exit status of the run."""

import argparse
import asyncio
import getpass
import os
import signal
import sys
from collections.abc import Mapping
from typing import IO

from p2pdice.cli import houserules, memory, troubles
from p2pdice.cli.clean import clean_name
from p2pdice.cli.complaint import NO_TABLE, USAGE, Complaint
from p2pdice.cli.language import _
from p2pdice.cli.lines import is_terminal
from p2pdice.cli.parts import Frontend
from p2pdice.net.errors import ChannelError, ListenError, NetError, StoreError
from p2pdice.rules import Ruleset

PACE_S = 1.0


def run(options: argparse.Namespace) -> int:
    """Host or join, play, and come back with the exit status."""
    options.watch = options.command == "join" and options.watch
    if options.watch and options.auto:
        raise Complaint(_("--watch takes no seat that --auto could play"), _("Leave one of them out."), USAGE)
    place = memory.folder(options.state, os.environ)
    remembered = memory.load(place)
    name = clean_name(options.name or remembered.name or _login())
    rules = houserules.chosen(options, remembered)
    if options.command == "host":
        assert rules is not None
        houserules.check_seats(options, rules)
    _remember(place, options, name)
    interactive = wants_screen(options, os.environ, sys.stdin, sys.stdout)
    frontend = _frontend(options, interactive=interactive)
    if options.pace is None:
        options.pace = PACE_S if wants_a_person(options, sys.stdin) else 0.0
    try:
        return asyncio.run(_play(options, frontend, name, rules))
    except NetError as error:
        usage = isinstance(error, ListenError | StoreError)
        line, hint = troubles.trouble(error.reason, error.fields)
        if isinstance(error, ChannelError) and error.reason in troubles.UNREACHED:
            from p2pdice.cli import find

            hint = f"{hint}\n{find.ask_the_doctor(options.target)}"
        raise Complaint(line, hint, USAGE if usage else NO_TABLE) from error


async def _play(options: argparse.Namespace, frontend: Frontend, name: str, rules: Ruleset | None) -> int:
    _end_like_ctrl_c()
    if options.command == "host":
        await frontend.draw()  # before the network is loaded, which takes longer than all else together
    from p2pdice.cli import seat
    from p2pdice.cli.play import Play

    driver = await seat.driver(options, name, rules)
    auto = options.auto is not None
    hints = options.hints == "on" and not options.json and not auto
    # The pace is for people: programs and pipes are told everything at once, whatever pace their bots have.
    person = wants_a_person(options, sys.stdin)
    # Who comes back has no way to the new table.
    offer = person and not (options.command == "join" and options.resume)
    if options.watch and not options.json:
        frontend.answer([_("You are watching: you see what everybody sees, and no dice before they are shown.")])
    if options.command == "join" and options.resume and not options.json:
        frontend.answer([_("Looking for the others of your table.")])
    while True:
        pace_s = options.pace if person else 0.0
        play = Play(driver, frontend, auto=auto, hints=hints, pace_s=pace_s, offer=offer, watching=options.watch)
        status = await play.run()
        if not play.again:
            return status
        frontend.restart()
        driver = seat.again(driver)
        if driver.target:
            frontend.answer([_("Waiting for the host to open the table again; /quit leaves.")])


def _end_like_ctrl_c() -> None:
    """Until there is a game to leave, TERM and HUP end the program as Ctrl-C does: with the terminal as it was."""
    interrupted = signal.getsignal(signal.SIGINT)
    if interrupted is signal.SIG_IGN:  # what a script starts in the background does not hear Ctrl-C, but these
        interrupted = signal.default_int_handler
    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is not signal.SIG_IGN:  # nohup ignores HUP
            signal.signal(number, interrupted)


def wants_screen(
    options: argparse.Namespace, environment: Mapping[str, str], stdin: IO[str] | None, stdout: IO[str] | None
) -> bool:
    """Whether a live prompt is possible and wanted; else it goes line by line."""
    if options.plain or options.json or environment.get("ACCESSIBLE") or environment.get("TERM") == "dumb":
        return False
    return is_terminal(stdin) and is_terminal(stdout)


def wants_a_person(options: argparse.Namespace, stdin: IO[str] | None) -> bool:
    """Whether somebody sits at this process and plays."""
    return is_terminal(stdin) and not options.json and not options.auto


def _frontend(options: argparse.Namespace, *, interactive: bool) -> Frontend:
    if options.json:
        from p2pdice.cli.jsonl import Json

        return Json(sys.stdin, sys.stdout)
    if interactive:
        from p2pdice.cli.app import App

        return App()
    from p2pdice.cli.plain import Plain

    return Plain(sys.stdin, sys.stdout, piped=not is_terminal(sys.stdin))


def _login() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):  # no such user, as in some containers
        return _("player")


def _remember(place: str, options: argparse.Namespace, name: str) -> None:
    changes: dict[str, object] = {}
    if options.name:
        changes["name"] = name
    if options.lang:
        changes["language"] = options.lang
    if options.command == "host" and (options.rules or options.settings):
        changes |= {"system": options.rules or houserules.DEFAULT_SYSTEM, "options": dict(options.settings)}
    memory.remember(place, **changes)
