"""Tables found by real programs, each run in a network of its own that nothing leaves (Linux, `unshare`)."""

import asyncio
import errno
import ipaddress
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from zeroconf import ServiceStateChange

from p2pdice.net import discovery as module
from p2pdice.net.discovery import Discovery
from p2pdice.net.errors import DiscoveryFailed
from p2pdice.net.hints import Hint
from p2pdice.net.interfaces import LOOPBACK, Interface, Reach, choose, every_interface
from tests.conftest import require
from tests.net.netkit import LIMIT_S
from tests.net.two_programs import MDNS_ONLY_PORT

ROOT = Path(__file__).parents[2]

# Two hosts on a bridge. What is in /run and in the namespaces vanishes with the last process.
LAN = """
mount -t tmpfs none /run
ip link set lo up
ip link add br0 type bridge mcast_snooping 0 && ip link set br0 up
for host in h j; do
  ip netns add $host
  ip link add v$host type veth peer name eth0 netns $host
  ip link set v$host master br0 up
  ip -n $host link set lo up
  ip netns exec $host sh -c 'echo 0 > /proc/sys/net/ipv6/conf/eth0/accept_dad'
  [ "$IPV6" ] || ip netns exec $host sh -c 'echo 1 > /proc/sys/net/ipv6/conf/eth0/disable_ipv6'
  ip -n $host link set eth0 up
done
if [ "$IPV4" ]; then ip -n h addr add 10.77.0.1/24 dev eth0; ip -n j addr add 10.77.0.2/24 dev eth0; fi
for host in h j; do  # a link-local address takes its moment
  while [ "$IPV6" ] && ! ip -n $host -6 addr show dev eth0 | grep -q fe80; do :; done
done
"""


def in_a_network(flags: str, script: str, **environment: str) -> list[dict[str, Any]]:
    """Run a shell script in new namespaces; the JSON lines it prints."""
    require(sys.platform == "linux" and shutil.which("unshare") and shutil.which("ip"), "needs unshare and iproute2")
    probe = subprocess.run(["unshare", flags, "true"], check=False, stderr=subprocess.DEVNULL)
    require(probe.returncode == 0, "no right to make network namespaces")
    done = subprocess.run(["unshare", flags, "sh", "-ec", script], cwd=ROOT, text=True, timeout=60, check=False,
                          capture_output=True, env={**os.environ, "PYTHON": sys.executable, **environment})
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def check(lines: list[dict[str, Any]], host: str) -> None:
    """One table, found, updated and gone again, under one name."""
    assert len(lines) >= 2
    *found, gone = lines
    assert {line["instance"] for line in found} == {gone["gone"]}
    assert all((line["title"], line["room"]) == ("Mesa de Ana", "ab" * 16) for line in found)
    assert found[-1]["players"] == "2/6"
    address, port = found[-1]["addresses"][0]
    assert address.startswith(host)
    assert port == MDNS_ONLY_PORT


@pytest.mark.parametrize("order", ["host-first", "join-first"])
def test_two_programs_on_a_computer_without_network(order: str) -> None:
    """Only loopback is up, no multicast route, no default route: they find each other, changes and goodbyes too."""
    check(in_a_network("-rn", f"ip link set lo up; $PYTHON -m tests.net.two_programs both {order}"), "127.0.0.1")


@pytest.mark.parametrize("order", ["host-first", "join-first"])
@pytest.mark.parametrize(("families", "host"), [("4", "10.77.0.1"), ("6", "fe80::"), ("46", "10.77.0.1")])
def test_two_computers(order: str, families: str, host: str) -> None:
    """IPv4 only, link-local IPv6 only, and both: found under an address that can be dialled as it is."""
    lines = in_a_network("-rnm", LAN + f"$PYTHON -m tests.net.two_programs lan {order}",
                         IPV4="4" if "4" in families else "", IPV6="6" if "6" in families else "")
    check(lines, host)
    for address, _ in lines[0]["addresses"]:
        assert ("%" in address) == address.startswith("fe80")


def test_a_program_without_mdns_is_found_on_the_same_computer() -> None:
    """The usual ports of this computer are tried, whatever multicast does."""
    [found] = in_a_network("-rn", "ip link set lo up; $PYTHON -m tests.net.two_programs knock")
    assert found["addresses"] == [["127.0.0.1", 47605]]
    assert found["title"] == ""


async def test_no_interface_is_one_clean_reason() -> None:
    """Where mDNS cannot work, the caller gets a word to show, and nothing else happens."""
    with pytest.raises(DiscoveryFailed, match="no-interface"):
        await Discovery(look_around=lambda bind: Reach(())).start()
    with pytest.raises(DiscoveryFailed, match="no-interface"):
        await Discovery(bind="192.0.2.77").start()


async def test_sockets_that_fail_are_one_clean_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    """A port held by another program, a permission: each family is tried, then the reason has a word."""
    tried: list[list[str | int]] = []
    for number, reason in ((errno.EADDRINUSE, "mdns-port-busy"), (errno.EPERM, "denied"), (errno.EIO, "failed")):
        def fails(interfaces: list[str | int], number: int = number) -> None:
            tried.append(interfaces)
            raise OSError(number, "no")

        monkeypatch.setattr(module, "AsyncZeroconf", fails)
        with pytest.raises(DiscoveryFailed, match=reason):
            module._open(choose(every_interface(), "127.0.0.1"))
    assert tried == [["127.0.0.1"]] * 6


async def found(heard: "asyncio.Queue[Hint]", title: str) -> Hint:
    """The next hint of a table of that title: others may be playing on this computer."""
    async with asyncio.timeout(LIMIT_S):
        while (hint := await heard.get()).title != title:
            pass
        return hint


async def test_a_hint_that_was_forgotten_is_reported_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """A table that once did not answer is asked again, as long as it is announced."""
    monkeypatch.setattr(module, "TURN_S", 0.02)
    monkeypatch.setattr(module, "ASK_S", 0.02)
    heard: asyncio.Queue[Hint] = asyncio.Queue()
    host, seeker = Discovery(LOOPBACK), Discovery(LOOPBACK)
    await host.start()
    await seeker.start()
    await host.announce(MDNS_ONLY_PORT, {"title": host._instance})
    seeker.browse(heard.put_nowait, lambda instance: None)
    first = await found(heard, host._instance)
    seeker.forget(first.instance)
    assert await found(heard, host._instance) == first
    await host.aclose()
    await seeker.aclose()


async def test_a_new_address_is_announced(monkeypatch: pytest.MonkeyPatch) -> None:
    """When the network changes under a table, those who search hear of the new address without asking."""
    monkeypatch.setattr(module, "TURN_S", 0.02)
    monkeypatch.setattr(module, "POLL_S", 0.02)
    one, two = (ipaddress.ip_interface(address) for address in ("127.0.0.1/8", "127.0.0.2/8"))
    now = Reach((Interface("lo", 1, (one,)),))
    heard: asyncio.Queue[Hint] = asyncio.Queue()
    host, seeker = Discovery(look_around=lambda bind: now), Discovery(LOOPBACK)
    await host.start()
    await seeker.start()
    await host.announce(MDNS_ONLY_PORT, {"title": host._instance})
    seeker.browse(heard.put_nowait, lambda instance: None)
    assert len((await found(heard, host._instance)).addresses) == 1
    now = Reach((Interface("lo", 1, (one, two)),))
    assert {address for address, _ in (await found(heard, host._instance)).addresses} == {"127.0.0.1", "127.0.0.2"}
    await host.aclose()
    await seeker.aclose()


async def test_hostile_names_and_records_never_raise() -> None:
    """Escape sequences, lines and foreign names in a service name are not looked at, before and after a goodbye."""
    discovery = Discovery(bind="127.0.0.1")
    await discovery.start()
    discovery.browse(lambda hint: None, lambda instance: None)
    assert discovery._zeroconf is not None
    for name in ("\x1b[2Jx", "a\nb", "x" * 300, "", "\u202egnihtemos", "0123456789abcde"):
        for change in ServiceStateChange:
            discovery._changed(discovery._zeroconf.zeroconf, module.TYPE, f"{name}.{module.TYPE}", change)
    assert discovery._heard == set()
    assert discovery._resolving == {}
    await asyncio.wait_for(discovery.aclose(), 10)
