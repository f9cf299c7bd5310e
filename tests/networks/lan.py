"""Computers on a network of the test's own: namespaces on a bridge, and the ways in which real networks fail people.

Needs root, iproute2 and nftables. The bridges live in a namespace too, so nothing of this computer is touched, and
nothing leaves it.
"""

import contextlib
import itertools
import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tests.games.tablehouse import House, Seat

_numbers = itertools.count(1)


def can_make_lans() -> bool:
    """Whether this process may make namespaces, and has the tools."""
    try:
        return bool(shutil.which("nft")) and subprocess.run(["unshare", "-n", "true"], check=False,
                                                            capture_output=True).returncode == 0
    except OSError:
        return False


def ip(*arguments: str, namespace: str = "") -> None:
    """Run iproute2's `ip`."""
    subprocess.run(["ip", *(["-n", namespace] if namespace else []), *arguments], check=True)


@dataclass(eq=False)
class Computer:
    """One computer on the network; `number` is the last part of its addresses."""

    lan: "Lan"
    number: int
    house: House
    cards: list[str] = field(default_factory=list)  # its network cards' ends at the bridge

    @property
    def namespace(self) -> str:
        """Its network namespace."""
        return f"{self.lan.name}-{self.number}"

    @property
    def address(self) -> str:
        """Its IPv4 address on the first network."""
        return f"10.77.0.{self.number}"

    def start(self, *arguments: str, state: Path | None = None) -> Seat:
        """Run p2pdice on it."""
        return self.house.start(*arguments, state=state)

    def run(self, *command: str) -> str:
        """Run another program on it, to its end; what it prints."""
        return subprocess.run([*self.house.prefix(), *command], check=True, text=True, capture_output=True).stdout

    def ip(self, *arguments: str) -> None:
        """Change its interfaces, addresses or routes."""
        ip(*arguments, namespace=self.namespace)

    def card(self, name: str, bridge: str, subnet: int, families: str) -> None:
        """A network card `name` on a bridge, with addresses of the families: 4, 6 (link-local too), l (only that)."""
        end = f"c{self.number}{name}"
        ip("link", "add", end, "type", "veth", "peer", "name", name, "netns", self.namespace, namespace=self.lan.switch)
        ip("link", "set", end, "master", bridge, "up", namespace=self.lan.switch)
        setting = "accept_dad=0" if set(families) & set("6l") else "disable_ipv6=1"
        self.run("sysctl", "-qw", f"net.ipv6.conf.{name}.{setting}")
        self.ip("link", "set", name, "up")
        if "4" in families:
            self.ip("addr", "add", f"10.{subnet}.0.{self.number}/24", "brd", "+", "dev", name)
        if "6" in families:
            self.ip("addr", "add", f"fd{subnet}::{self.number}/64", "dev", name, "nodad")
        if set(families) & set("6l"):
            end_at = time.monotonic() + 5
            while "fe80" not in self.run("ip", "-6", "addr", "show", "dev", name, "scope", "link"):
                assert time.monotonic() < end_at, "no link-local address came"
        self.cards.append(end)

    def firewall(self, *rules: str) -> None:
        """Judge what comes in, from the network only, by nft rules such as "udp dport 5353 drop"."""
        chain = "".join(f'iifname != "lo" {rule}; ' for rule in rules)
        subprocess.run(["ip", "netns", "exec", self.namespace, "nft", "-f", "-"], check=True, text=True,
                       input=f"table inet test {{ chain in {{ type filter hook input priority 0; {chain} }}; }}\n")

    def cut(self) -> None:
        """Pull its cable out."""
        self._ports("down")

    def plug(self) -> None:
        """Push its cable in again."""
        self._ports("up")

    def isolate(self) -> None:
        """As guest Wi-Fi does: nothing passes between this and any other isolated computer."""
        self._ports("type", "bridge_slave", "isolated", "on")

    def no_multicast(self) -> None:
        """Multicast is no longer passed on to it; all else is."""
        self._ports("type", "bridge_slave", "mcast_flood", "off")

    def _ports(self, *setting: str) -> None:
        for end in self.cards:
            ip("link", "set", end, *setting, namespace=self.lan.switch)


class Lan:
    """Computers on one bridge, 10.77.0.0/24 and fd77::/64; `second` is another bridge, 10.78.0.0/24 and fd78::/64."""

    def __init__(self, folder: Path) -> None:
        self.name = f"p2pt{os.getpid()}x{next(_numbers)}"
        self.switch = f"{self.name}-sw"
        self._folder = folder
        self.computers: list[Computer] = []

    def open(self) -> None:
        """Make the two bridges."""
        ip("netns", "add", self.switch)
        subprocess.run(["ip", "netns", "exec", self.switch, "sysctl", "-qw", "net.ipv6.conf.all.disable_ipv6=1"],
                       check=True)
        for bridge in ("first", "second"):
            # A dumb switch: ports forward at once, multicast goes everywhere.
            ip("link", "add", bridge, "type", "bridge", "stp_state", "0", "forward_delay", "0", "mcast_snooping", "0",
               namespace=self.switch)
            ip("link", "set", bridge, "up", namespace=self.switch)

    def computer(self, families: str = "4", *, card: str = "eth0", bridge: str = "first",
                 network: bool = True) -> Computer:
        """One more computer; without `network` only its loopback is up."""
        number = len(self.computers) + 1
        name = f"{self.name}-{number}"
        ip("netns", "add", name)
        computer = Computer(self, number, House(self._folder, name))
        self.computers.append(computer)
        ip("link", "set", "lo", "up", namespace=name)
        if network:
            computer.card(card, bridge, 77 if bridge == "first" else 78, families)
        return computer

    def close(self) -> None:
        """End what runs on the computers, and take them away."""
        for computer in self.computers:
            computer.house.close()
        for namespace in [*(computer.namespace for computer in self.computers), self.switch]:
            subprocess.run(["ip", "netns", "del", namespace], check=False)


@contextlib.contextmanager
def lan(folder: Path) -> Iterator[Lan]:
    """A network that is gone afterwards."""
    made = Lan(folder)
    try:
        made.open()
        yield made
    finally:
        made.close()


@contextlib.contextmanager
def within(seconds: float) -> Iterator[None]:
    """What happens inside takes no longer than that."""
    begun = time.monotonic()
    yield
    took = time.monotonic() - begun
    print(f"took {took:.1f} s of {seconds:.0f}")
    assert took <= seconds, f"took {took:.1f} s, may take {seconds} s"
