"""From the options of `host` and `join` to a driver: the one place that knows how one is made. It brings the network
in, so that nothing else imports it before it is needed."""

import argparse
import os
import sys
from pathlib import Path

from p2pdice.cli import find, memory, start
from p2pdice.cli.clean import clean_title
from p2pdice.net import resume as resuming
from p2pdice.net import seats
from p2pdice.net.driver import Driver
from p2pdice.net.settings import Settings
from p2pdice.rules import Ruleset


async def driver(options: argparse.Namespace, name: str, rules: Ruleset | None) -> Driver:
    """The driver of a seat, or of a watcher's place; for `join` a table is found first. Raises NetError."""
    settings = Settings(
        name=name,
        folder=Path(memory.folder(options.state, os.environ)),
        record=Path(options.record) if options.record else None,
        bind=options.bind,
        port=options.port,
        mdns=not options.no_mdns,
        auto=options.auto,
        pace_s=options.pace,
        consent=bool(options.auto or options.json),
        person=not (options.auto or options.json),
    )
    if options.command == "host":
        assert rules is not None
        return seats.host(
            settings,
            title=clean_title(options.table or "") or clean_title(name),
            rules=rules,
            players=options.players,
            bots=options.bots,
            bot_level=options.bot_level,
            turn_time_s=options.turn_time,
            drop_time_s=options.drop_time,
            code=options.code,
        )
    if options.resume:
        return resuming.resume(settings)
    table = await find.choose(options.target, options.wait, options.bind)
    code = options.code
    if code is None and start.wants_a_person(options, sys.stdin):
        code = await find.ask_code(table)
    if options.watch:
        from p2pdice.net.watch import WatchDriver

        return WatchDriver(settings, table, wanted=rules, code=code or "")
    return seats.join(settings, table, wanted=rules, code=code or "")


def again(played: Driver) -> Driver:
    """The driver for another game with the same people, to play or to watch as the one before."""
    from p2pdice.net.watch import WatchDriver, watch_again

    return watch_again(played) if isinstance(played, WatchDriver) else seats.again(played)
