"""Whether multicast arrives at this computer: its own, which its own firewall may drop, and others', which networks do.
Listens beside whatever else uses the mDNS port; must not know what the messages say."""

import asyncio
import contextlib
import errno
import ipaddress
import socket
import struct
from collections.abc import Sequence
from dataclasses import dataclass

from p2pdice.net.interfaces import Reach

PORT = 5353
GROUP_4, GROUP_6 = "224.0.0.251", "ff02::fb"
ASK_S = 0.8

# A question that every mDNS responder answers: which kinds of service it knows (RFC 6763 section 9).
_QUESTION = (struct.pack("!6H", 0, 0, 1, 0, 0, 0) + b"\x09_services\x07_dns-sd\x04_udp\x05local\x00"
             + struct.pack("!2H", 12, 1))


@dataclass(frozen=True, slots=True)
class Heard:
    """`own`: the own questions came back. `others`: addresses of other computers that said anything at all. `trouble`:
    why nothing could be heard, a word as in DiscoveryFailed, or ""."""

    own: bool
    others: tuple[str, ...]
    trouble: str = ""


async def listen(where: Reach, own: Sequence[str], seconds: float) -> Heard:
    """Ask everyone on these interfaces, and listen for so long. `own`: the addresses of this computer."""
    sources: set[str] = set()
    try:
        ears = _ears(where)
    except OSError as error:
        return Heard(False, (), "mdns-port-busy" if error.errno == errno.EADDRINUSE else "failed")
    if not ears:
        return Heard(False, (), "no-interface")
    loop = asyncio.get_running_loop()
    transports = []
    try:
        for ear in ears:
            transport, _ = await loop.create_datagram_endpoint(lambda: _Ear(sources), sock=ear)
            transports.append(transport)
        end = loop.time() + seconds
        while (left := end - loop.time()) > 0:
            for ear in ears:
                _ask(ear, where)
            await asyncio.sleep(min(ASK_S, left))
    finally:
        for transport in transports:
            transport.close()
    return Heard(bool(sources & set(own)), tuple(sorted(sources - set(own))))


class _Ear(asyncio.DatagramProtocol):
    def __init__(self, sources: set[str]) -> None:
        self._sources = sources

    def datagram_received(self, data: bytes, address: tuple[str, int]) -> None:
        if len(self._sources) < 256:
            self._sources.add(address[0].partition("%")[0])


def _ears(where: Reach) -> list[socket.socket]:
    """A socket for each family that these interfaces have, in the group on each of them. Raises OSError."""
    ears: list[socket.socket] = []
    try:
        for family, host in ((socket.AF_INET, ""), (socket.AF_INET6, "::")):
            chosen = [choice for choice in where.multicast if isinstance(choice, str) == (family == socket.AF_INET)]
            if not chosen:
                continue
            ear = socket.socket(family, socket.SOCK_DGRAM, socket.IPPROTO_UDP)
            ears.append(ear)
            for option in ("SO_REUSEADDR", "SO_REUSEPORT"):
                if hasattr(socket, option):
                    ear.setsockopt(socket.SOL_SOCKET, getattr(socket, option), 1)
            if family == socket.AF_INET6:
                ear.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
            ear.setblocking(False)
            ear.bind((host, PORT))
            for choice in chosen:
                with contextlib.suppress(OSError):  # in the group there already, or gone
                    _join(ear, choice)
    except BaseException:
        for ear in ears:
            ear.close()
        raise
    return ears


def _join(ear: socket.socket, choice: str | int) -> None:
    if isinstance(choice, str):
        member = ipaddress.IPv4Address(GROUP_4).packed + ipaddress.IPv4Address(choice).packed
        ear.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, member)
    else:
        member = ipaddress.IPv6Address(GROUP_6).packed + struct.pack("@I", choice)
        ear.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_JOIN_GROUP, member)


def _ask(ear: socket.socket, where: Reach) -> None:
    for choice in where.multicast:
        with contextlib.suppress(OSError):  # that interface cannot send now; another may
            if isinstance(choice, str) and ear.family == socket.AF_INET:
                ear.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, ipaddress.IPv4Address(choice).packed)
                ear.sendto(_QUESTION, (GROUP_4, PORT))
            elif isinstance(choice, int) and ear.family == socket.AF_INET6:
                ear.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_MULTICAST_IF, choice)
                ear.sendto(_QUESTION, (GROUP_6, PORT, 0, choice))
