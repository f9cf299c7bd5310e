"""Tables on this network: listing them as they appear, and choosing the one to join.

Knows titles, ids and addresses; how tables are found is net's business.
"""

import argparse
import asyncio
import contextlib
import ipaddress
import json
import signal
import sys
from collections.abc import AsyncGenerator, Callable, Sequence

from p2pdice.cli import troubles
from p2pdice.cli.clean import CHAT_CELLS, clean
from p2pdice.cli.complaint import NO_TABLE, OK, Complaint
from p2pdice.cli.language import _, ngettext
from p2pdice.cli.options import WAIT_FIND_S
from p2pdice.cli.printing import say
from p2pdice.cli.signals import SIGNALS
from p2pdice.net.cards import Found, ask_card
from p2pdice.net.errors import DiscoveryFailed, ListenError, NetError
from p2pdice.net.hints import Hint
from p2pdice.net.interfaces import reach
from p2pdice.net.tables import tables

FIRST_PORT = 47600
SECOND_TABLE_S = 1.0


def run(options: argparse.Namespace) -> int:
    """The command: print tables as they appear. Open-ended on a terminal, unless --wait says how long."""
    endless = options.wait is None and sys.stdout.isatty()
    wait_s = WAIT_FIND_S if options.wait is None else options.wait
    try:
        return asyncio.run(_list(None if endless else wait_s, as_json=options.json))
    except NetError as error:
        line, hint = troubles.trouble(error.reason, error.fields)
        raise Complaint(line, hint, NO_TABLE) from error


async def _list(wait_s: float | None, *, as_json: bool) -> int:
    number = 0
    if wait_s is None and not as_json:
        say([_("Tables on this network, as they appear; Ctrl-C ends.")], sys.stdout)
    async for found in _tables(wait_s):
        number += 1
        print(json.dumps(as_object(found)) if as_json else described(found), flush=True)
    if not number and not as_json:
        say([_("No table was found. With the address that the host's screen shows: p2pdice join HOST:PORT"),
             ask_the_doctor(None)], sys.stdout)
    return OK


async def _tables(wait_s: float | None, bind: str | None = None) -> AsyncGenerator[Found, None]:
    """Tables as they answer, until `wait_s` is over (None: for ever); the one place that knows how they are found."""
    try:
        async for found in tables(wait_s, bind=bind):
            yield found
    except DiscoveryFailed as failed:
        if bind is not None and not reach(bind).interfaces:
            raise ListenError("bad-address", bind=bind) from failed
        raise


def as_object(found: Found) -> dict[str, object]:
    """The JSON form of a table."""
    return {
        "id": found.id,
        "title": found.title,
        "seats": list(found.names),
        "needed": found.needed,
        "system": found.system,
        "address": address_text(found.address),
        "code": found.code,
    }


def described(found: Found) -> str:
    """A table in one line."""
    if found.code:  # until it is proved, nothing more is known
        return _("{title} (asks for a room code): p2pdice join {id} --code WORDS").format(
            title=clean(found.title, CHAT_CELLS), id=clean(found.id, 64)[:8]
        )
    count = len(found.names)
    if found.needed is None:
        seats = ngettext("{n} player", "{n} players", count).format(n=count)
    else:
        seats = _("{n} of {needed} players").format(n=count, needed=found.needed)
    return _("{title} ({system}, {seats}): p2pdice join {id}").format(
        title=clean(found.title, CHAT_CELLS), system=clean(found.system, 24), seats=seats, id=clean(found.id, 64)[:8]
    )


def address_text(address: tuple[str, int]) -> str:
    """HOST:PORT, with the brackets that IPv6 needs."""
    host, port = address
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def as_address(target: str) -> tuple[str, int] | None:
    """HOST, HOST:PORT, [IPv6]:PORT or a bare IPv6 address; None for what can only be a table's title or id."""
    host, port = target, ""
    if target.startswith("["):
        host, _bracket, port = target[1:].partition("]")
        if port and not port.startswith(":"):
            return None
        port = port[1:]
    elif target.count(":") == 1:
        host, _colon, port = target.partition(":")
    elif not _is_numeric(target) and "." not in target and target != "localhost":
        return None
    if not host or any(char.isspace() for char in host) or (port and not (port.isascii() and port.isdigit())):
        return None
    number = int(port) if 0 < len(port) <= 5 else FIRST_PORT
    return (host, number) if 0 < number < 65536 else None


def _is_numeric(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


async def choose(target: str | None, wait_s: float, bind: str | None = None) -> tuple[str, int]:
    """The address of the table to join. Raises Complaint with status 3 when there is none, or no way to tell which."""
    if target is not None and (address := as_address(target)):
        return address
    if sys.stdout is not None and sys.stdout.isatty():
        say([_("Looking for tables on this network.")], sys.stdout)
    found_all: list[Found] = []
    deadline = asyncio.get_running_loop().time() + wait_s
    async with contextlib.aclosing(_tables(None, bind)) as finding:
        while True:
            try:
                async with asyncio.timeout_at(deadline):
                    found = await anext(finding)
            except (TimeoutError, StopAsyncIteration):
                break
            if target is None:
                # A second table may be a moment behind the first.
                found_all.append(found)
                deadline = min(deadline, asyncio.get_running_loop().time() + SECOND_TABLE_S)
            elif fits(found, target):
                return found.address
    return only(found_all, target, ask=_ask if sys.stdin is not None and sys.stdin.isatty() else None)


async def ask_code(table: tuple[str, int]) -> str:
    """The room code, if the table at that address asks for one and somebody types it; else ""."""
    found = await ask_card(Hint("", (table,)))
    if found is None or not found.code:
        return ""
    return _typed(_("Room code: "))


def _typed(prompt: str) -> str:
    """The line that a person types, nothing at the end of input. Whoever interrupts is not held up: what asyncio does
    with a signal only ends a coroutine that waits for something else than a person."""
    before = {number: signal.getsignal(number) for number in SIGNALS}
    for number, handler in before.items():
        if handler is not signal.SIG_IGN:
            signal.signal(number, signal.default_int_handler)
    try:
        return input(prompt)
    except EOFError:
        print()  # what follows does not belong on the line of the question
        return ""
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def ask_the_doctor(target: str | None) -> str:
    """What to type to find out why nothing was found, or why an address cannot be reached."""
    if target is None or as_address(target) is None:
        return _("To find out why: p2pdice doctor")
    return _("To find out why: p2pdice doctor {address}").format(address=clean(target, CHAT_CELLS))


def fits(found: Found, target: str) -> bool:
    """Whether a table is meant by a title or the first letters of an id."""
    return clean(found.title, CHAT_CELLS).casefold() == target.strip().casefold() or found.id.startswith(target.lower())


def only(
    choice: Sequence[Found], target: str | None, ask: Callable[[Sequence[Found]], Found | None] | None = None
) -> tuple[str, int]:
    """The address of the one table there is, or of the one that `ask` gives. Raises Complaint."""
    match choice:
        case [table]:
            return table.address
        case []:
            what = _("no table was found") if target is None else _("{table}: no such table").format(table=target)
            hint = "\n".join((
                _("With the address that the host's screen shows it always works: p2pdice join HOST:PORT"),
                ask_the_doctor(None),
            ))
            raise Complaint(what, hint, NO_TABLE)
        case _ if ask is not None and (asked := ask(choice)) is not None:
            return asked.address
        case _:
            listing = "\n".join(map(described, choice))
            raise Complaint(_("there are several tables; say which one"), listing, NO_TABLE)


def _ask(choice: Sequence[Found]) -> Found | None:
    for number, table in enumerate(choice, 1):
        print(f"{number}. {described(table)}")
    answer = _typed(_("Which table? (number) ")).strip()
    return choice[int(answer) - 1] if answer in map(str, range(1, len(choice) + 1)) else None
