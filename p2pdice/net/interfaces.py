"""Which of this computer's network interfaces reach other players, and under which addresses. The order in which an
operating system lists them means nothing, and tunnels and bridges of virtual machines often come first."""

import ipaddress
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import ifaddr

LOOPBACK = "127.0.0.1"
MOST_INTERFACES = 10  # Linux caps multicast memberships at 20 for each socket

# Tunnels lead elsewhere, bridges of virtual machines nowhere; both have addresses that others have too.
_TUNNELS = ("tun", "tap", "utun", "wg", "ppp", "ipsec", "tailscale", "zt", "vpn")
_VIRTUAL = ("docker", "br-", "veth", "virbr", "vmnet", "vboxnet", "lxc", "lxd", "cni", "flannel", "cali", "awdl", "llw")
_TUNNEL_WORDS = ("tap-windows", "wintun", "wireguard", "openvpn")
_VIRTUAL_WORDS = ("virtualbox", "vmware", "hyper-v")
_LIKELY_NAMES = ("en", "eth", "wl", "wi-fi", "ethernet")

Address = ipaddress.IPv4Interface | ipaddress.IPv6Interface


@dataclass(frozen=True, slots=True)
class Interface:
    """One interface: its name (a sentence on Windows), its index, and its addresses with their networks."""

    name: str
    index: int
    addresses: tuple[Address, ...]


@dataclass(frozen=True, slots=True)
class Reach:
    """Where to announce and to listen, and the addresses to announce. Equal as long as nothing changed."""

    interfaces: tuple[Interface, ...]
    bind: str | None = None

    @property
    def addresses(self) -> tuple[str, ...]:
        """For others to dial, IPv4 first and link-local last, without zones: those are the dialler's."""
        if self.bind is not None:
            return (self.bind.partition("%")[0],)
        every = [address.ip for interface in self.interfaces for address in interface.addresses]
        return tuple(str(ip) for ip in sorted(every, key=lambda ip: (ip.is_link_local, ip.version)))

    @property
    def multicast(self) -> list[str | int]:
        """As zeroconf wants it: an IPv4 address or an interface index for each family of each interface."""
        choice: list[str | int] = []
        for interface in self.interfaces:
            choice += [str(address.ip) for address in interface.addresses if address.version == 4][:1]
            if any(address.version == 6 and not address.is_loopback for address in interface.addresses):
                choice.append(interface.index)
        return choice

    def routes(self, host: str) -> list[str]:
        """A stranger's numeric address as this computer can dial it: none for one that leads to itself or nowhere.

        A link-local one that came without its zone is dialled in each.
        """
        ip = ipaddress.ip_address(host)
        if ip.is_loopback:
            return [host] if self.bind == LOOPBACK else []
        # In the other form of an IPv4 address it would lead to this very computer, or to many, all the same.
        mapped = isinstance(ip, ipaddress.IPv6Address) and ip.ipv4_mapped is not None
        if ip.is_unspecified or ip.is_multicast or ip.is_reserved or mapped:
            return []
        if "%" in host or ip.version == 4 or not ip.is_link_local:
            return [host]
        return [f"{host}%{interface.index}" for interface in self.interfaces
                if any(address.version == 6 for address in interface.addresses)]

    def reachable(self, host: str) -> list[str]:
        """`routes`, for what may also be a computer's name or nonsense: that is left to whoever dials."""
        try:
            return self.routes(host) or [host]
        except ValueError:
            return [host]

    def near(self, host: str) -> bool:
        """Whether a numeric address is in a network of one of these interfaces."""
        ip = ipaddress.ip_address(host.partition("%")[0])
        return any(ip in address.network for interface in self.interfaces for address in interface.addresses
                   if address.version == ip.version)


def reach(bind: str | None = None) -> Reach:
    """What this computer has now. With `bind` only the interface of that address; with no network, loopback."""
    return choose(every_interface(), bind)


def choose(every: Sequence[Interface], bind: str | None) -> Reach:
    """The choice among `every` interface of a computer; nothing is chosen if `bind` is not one of its addresses."""
    if bind is not None:
        try:
            if not ipaddress.ip_address(bind).is_unspecified:
                return Reach(_only(every, bind), bind)
        except ValueError:  # no address at all
            return Reach((), bind)
    useful = [found for interface in every if (found := _useful(interface)).addresses]
    # The cap must not cost the network that the others are on: those named as cables and radios are come first.
    useful.sort(key=lambda found: not found.name.lower().startswith(_LIKELY_NAMES))
    if useful:
        return Reach(tuple(useful[:MOST_INTERFACES]))
    # No network at all: two terminals on this one computer can still find each other.
    return Reach(_only(every, LOOPBACK), LOOPBACK)


def every_interface() -> list[Interface]:
    """All interfaces, by index. Empty if the system does not say."""
    try:
        adapters = sorted(ifaddr.get_adapters(), key=lambda adapter: adapter.index or 0)
    except OSError:
        return []
    return [Interface(adapter.nice_name, adapter.index or 0, tuple(_addresses(adapter.ips))) for adapter in adapters]


def _addresses(ips: Iterable[ifaddr.IP]) -> Iterable[Address]:
    for ip in ips:
        host = ip.ip if isinstance(ip.ip, str) else ip.ip[0]
        try:
            yield ipaddress.ip_interface(f"{host}/{ip.network_prefix}")
        except ValueError:
            continue


def _only(every: Sequence[Interface], host: str) -> tuple[Interface, ...]:
    ip = ipaddress.ip_address(host.partition("%")[0])
    return tuple(Interface(interface.name, interface.index, (address,))
                 for interface in every for address in interface.addresses if address.ip == ip)


def kind(interface: Interface) -> str:
    """What an interface is: "loopback", "tunnel", "virtual" (of virtual machines or containers), "network", or "down"
    if it has no address."""
    name = interface.name.lower()
    if not interface.addresses:
        return "down"
    if all(address.is_loopback for address in interface.addresses):
        return "loopback"
    if name.startswith(_TUNNELS) or any(word in name for word in _TUNNEL_WORDS):
        return "tunnel"
    if name.startswith(_VIRTUAL) or any(word in name for word in _VIRTUAL_WORDS):
        return "virtual"
    # An address without a network around it is a tunnel's, whatever its name.
    return "network" if any(_has_network(address) for address in interface.addresses) else "tunnel"


def _useful(interface: Interface) -> Interface:
    addresses = interface.addresses if kind(interface) == "network" else ()
    return Interface(interface.name, interface.index, tuple(
        address for address in addresses if not address.is_loopback and _has_network(address)))


def _has_network(address: Address) -> bool:
    return address.network.prefixlen < address.max_prefixlen
