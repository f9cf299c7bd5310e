"""What the facts mean: one cause for each way in which an address cannot be reached or tables are not seen."""

from dataclasses import replace

import pytest

from p2pdice.net.cards import Found
from p2pdice.net.doctor import Card, Reached, Report, causes
from p2pdice.net.multicast import Heard

LAN = Card("eth0", "network", True, ("10.77.0.1/24",))
LO = Card("lo", "loopback", False, ("127.0.0.1/8",))
VPN = Card("tun0", "tunnel", False, ("10.8.0.2/24",))
TABLE = Found("ab" * 16, "Mesa", ("Ana",), 2, "perudo", "open", ("10.77.0.2", 47600))
FINE = Report((LO, LAN, VPN), Heard(True, ("10.77.0.2",)), "", (TABLE,), None, "")
TRIED = Reached("10.77.0.2", 47600, "answered", 0.1, True, "network", False)


def words(report: Report, platform: str = "linux") -> list[str]:
    """The causes' words."""
    return [cause.reason for cause in causes(report, platform)]


def test_nothing_wrong() -> None:
    """Tables found, the address answers: no cause."""
    assert words(FINE) == []
    assert words(replace(FINE, reached=TRIED)) == []


@pytest.mark.parametrize(("change", "cause"), [
    ({"outcome": "refused"}, "nothing-there"),
    ({"outcome": "refused", "announced": True}, "firewall-refuses"),
    ({"outcome": "timeout", "took_s": 4.0}, "firewall-drops"),
    ({"outcome": "timeout", "took_s": 4.0, "near": False}, "wrong-subnet"),
    ({"outcome": "timeout", "took_s": 4.0, "near": False, "through": "tunnel"}, "vpn"),
    ({"outcome": "unreachable", "took_s": 3.1}, "isolation"),
    ({"outcome": "unreachable", "took_s": 0.01}, "firewall-refuses"),
    ({"outcome": "unreachable", "took_s": 0.01, "near": False}, "wrong-subnet"),
    ({"outcome": "unreachable", "took_s": 3.1, "through": "tunnel"}, "vpn"),
    ({"outcome": "no-network", "near": False, "through": ""}, "wrong-subnet"),
    ({"outcome": "missing-zone"}, "missing-zone"),
    ({"outcome": "denied"}, "denied"),
    ({"outcome": "frozen", "took_s": 5.0}, "frozen"),
    ({"outcome": "version"}, "version"),
    ({"outcome": "unknown-host", "near": False}, "unknown-host"),
])
def test_one_address(change: dict[str, object], cause: str) -> None:
    """Each outcome, with how long it took and where the way leads, is one cause and no other."""
    reached = replace(TRIED, **change)  # type: ignore[arg-type]
    assert words(replace(FINE, reached=reached)) == [cause]


def test_macos_may_forbid_the_local_network() -> None:
    """There "no route to host" in the own network is the permission's word first of all."""
    reached = replace(TRIED, outcome="unreachable", took_s=0.01)
    assert words(replace(FINE, reached=reached), "darwin") == ["local-network-permission"]
    assert words(replace(FINE, reached=replace(reached, near=False)), "darwin") == ["wrong-subnet"]


def test_multicast() -> None:
    """Not even the own questions come back; only they do; a table answers that is not announced; the port is taken."""
    assert words(replace(FINE, heard=Heard(False, ()), tables=())) == ["multicast-blocked"]
    assert words(replace(FINE, heard=Heard(True, ()), tables=())) == ["alone"]
    assert words(replace(FINE, tables=())) == []  # others are there, only no table is
    assert words(replace(FINE, tables=(), reached=TRIED)) == ["not-announced"]
    assert words(replace(FINE, trouble="mdns-port-busy", heard=Heard(False, ()), tables=())) == ["mdns-port-busy"]


def test_no_network_is_said_once() -> None:
    """Whatever else fails then fails because of it."""
    nowhere = Report((LO, VPN), Heard(False, ()), "", (), None, "")
    assert words(nowhere) == ["no-network"]
    assert words(replace(nowhere, reached=replace(TRIED, outcome="no-network", near=False))) == ["no-network"]
