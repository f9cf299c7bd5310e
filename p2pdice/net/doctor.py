"""Why others cannot be seen or reached: facts about this computer's interfaces, multicast and one address, and what
they mean, as stable words. The sentences, and what to do about it, are made from the words elsewhere."""

import asyncio
import contextlib
import ipaddress
import secrets
import socket
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from p2pdice.fairness.keys import SigningKey
from p2pdice.net.cards import Found, ask_card
from p2pdice.net.dial import Address
from p2pdice.net.discovery import Discovery
from p2pdice.net.errors import ChannelError, DiscoveryFailed
from p2pdice.net.hints import PLAYING, Hint
from p2pdice.net.interfaces import Interface, Reach, choose, every_interface, kind
from p2pdice.net.look import look
from p2pdice.net.multicast import Heard, listen
from p2pdice.protocol import frames

LOOK_S = 3.0
AT_ONCE_S = 1.0  # nobody answering for an address takes a kernel seconds to find out; a firewall's "no" comes at once


@dataclass(frozen=True, slots=True)
class Card:
    """One interface: `kind` as interfaces.kind says; `used`: tables are announced and looked for there."""

    name: str
    kind: str
    used: bool
    addresses: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Reached:
    """What came of trying one address. `outcome`: "answered" or a ChannelError's reason; `near`: in a network of this
    computer; `through`: the kind of interface that leads there, "" if none does; `announced`: a table says that it is
    there."""

    host: str
    port: int
    outcome: str
    took_s: float
    near: bool
    through: str
    announced: bool


@dataclass(frozen=True, slots=True)
class Cause:
    """Something that is wrong, and what a sentence about it may need."""

    reason: str
    fields: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Report:
    """All that was seen. `firewall`: "ufw" or "firewalld", if this computer seems to have one of them on, else ""."""

    cards: tuple[Card, ...]
    heard: Heard
    trouble: str
    tables: tuple[Found, ...]
    reached: Reached | None
    firewall: str


async def examine(target: Address | None) -> Report:
    """Look around for LOOK_S, and try `target`, if given; takes as long as the slower of the two.

    Without a target, the first table that is announced but does not answer is one.
    """
    every = every_interface()
    where = choose(every, None)
    own = [str(address.ip) for interface in every for address in interface.addresses]
    used = {interface.index for interface in where.interfaces}
    cards = tuple(Card(interface.name, kind(interface), interface.index in used and where.bind is None,
                       tuple(str(address) for address in interface.addresses)) for interface in every)
    hints: dict[str, Hint] = {}
    heard, (trouble, found), reached = await asyncio.gather(
        listen(where, own, LOOK_S), _tables(hints), _reach(target, where, every) if target else _nothing())
    if reached is None and target is None:
        silent = next((hint for hint in hints.values() if hint.instance not in found), None)
        if silent:
            reached = await _reach(silent.addresses[0], where, every)
    if reached:
        announced = any((reached.host, reached.port) in hint.addresses for hint in hints.values())
        reached = Reached(reached.host, reached.port, reached.outcome, reached.took_s, reached.near, reached.through,
                          announced)
    return Report(cards, heard, trouble, tuple(found.values()), reached, _firewall())


def causes(report: Report, platform: str = sys.platform) -> tuple[Cause, ...]:
    """What is wrong by this report, the most certain first; nothing if everything works."""
    reached = report.reached
    networks = [card for card in report.cards if card.used]
    found: list[Cause] = []
    if reached and reached.outcome != "answered":
        found.append(_cause(reached, bool(networks), platform))
    if not networks and not any(cause.reason == "no-network" for cause in found):
        found.append(Cause("no-network"))
    if report.trouble and networks:
        found.append(Cause(report.trouble))
    elif networks and not report.heard.own:
        found.append(Cause("multicast-blocked", {"firewall": report.firewall}))
    elif networks and not report.tables:
        if reached and reached.outcome == "answered":
            found.append(Cause("not-announced", {"host": reached.host, "port": reached.port}))
        elif not report.heard.others and not reached:
            found.append(Cause("alone", {"platform": platform}))
    return tuple(found)


def _cause(reached: Reached, network: bool, platform: str) -> Cause:
    where = {"host": reached.host, "port": reached.port}
    match reached.outcome:
        case "refused":
            return Cause("firewall-refuses" if reached.announced else "nothing-there", where)
        case "unreachable" | "timeout" | "no-network" if reached.through == "tunnel":
            return Cause("vpn", where)
        case "no-network":
            return Cause("wrong-subnet" if network else "no-network", where)
        case "unreachable" | "timeout" if not reached.near:
            return Cause("wrong-subnet", where)
        case "unreachable" if platform == "darwin":
            return Cause("local-network-permission", where)
        case "unreachable":
            return Cause("firewall-refuses" if reached.took_s < AT_ONCE_S else "isolation", where)
        case "timeout":
            return Cause("firewall-drops", where)
        case other:
            return Cause(other, where)


async def _nothing() -> None:
    return None


async def _tables(hints: dict[str, Hint]) -> tuple[str, dict[str, Found]]:
    """Fill `hints` with all that is announced; why not, or "", and by instance the tables that answered."""
    found: dict[str, Found] = {}
    asking: set[asyncio.Task[None]] = set()

    async def ask(hint: Hint) -> None:
        answer = await ask_card(hint)
        if answer and answer.id not in {other.id for other in found.values()}:
            found[hint.instance] = answer
        elif answer:
            hints.pop(hint.instance, None)  # the same table once more

    def heard(hint: Hint) -> None:
        if hint.state != PLAYING:
            if hint.room:  # what only listens on this computer need not be a table
                hints[hint.instance] = hint
            asking.add(asyncio.create_task(ask(hint)))

    discovery = Discovery()
    try:
        await discovery.start()
        discovery.browse(heard, lambda instance: None)
        await asyncio.sleep(LOOK_S)
    except DiscoveryFailed as error:
        return error.reason, {}
    finally:
        for task in asking:
            task.cancel()
        await asyncio.gather(*asking, return_exceptions=True)
        await discovery.aclose()
    return "", found


async def _reach(target: Address, where: Reach, every: list[Interface]) -> Reached:
    host, port = target
    loop = asyncio.get_running_loop()
    begun = loop.time()
    try:
        await look([(route, port) for route in where.reachable(host)], SigningKey(secrets.token_bytes(32)),
                   frames.encode(frames.Look()))
        outcome = "answered"
    except ChannelError as error:
        # A player's program answers only those who sit at its table, and says nothing to others.
        outcome = error.reason
    took_s = loop.time() - begun
    near = False
    with contextlib.suppress(ValueError):
        near = where.near(host)
    return Reached(host, port, outcome, took_s, near, _through(host, port, every), False)


def _through(host: str, port: int, every: list[Interface]) -> str:
    """The kind of interface by which packets to that address leave; connecting a UDP socket sends none."""
    try:
        family, _, _, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_DGRAM, flags=socket.AI_NUMERICHOST)[0]
        with socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.connect(address)
            source = ipaddress.ip_address(str(probe.getsockname()[0]).partition("%")[0])
    except (OSError, ValueError):
        return ""
    return next((kind(interface) for interface in every for address in interface.addresses if address.ip == source), "")


def _firewall() -> str:
    with contextlib.suppress(OSError):
        if "ENABLED=yes" in Path("/etc/ufw/ufw.conf").read_text(encoding="utf-8", errors="replace"):
            return "ufw"
    return "firewalld" if Path("/run/firewalld").exists() else ""
