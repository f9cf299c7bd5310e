"""Networks that lose what they should carry: multicast, what a firewall takes for an attack, everything between two
guests. Where packets can pass there is a game; where they cannot, `doctor` says why."""

import time

import pytest

from tests.networks.lan import Lan, within
from tests.networks.playing import (
    AUTO,
    address,
    ask_doctor,
    causes,
    doctor,
    find,
    host,
    join,
    one_clean_game,
    play,
    report,
)

MDNS = "ip daddr 224.0.0.251 udp dport 5353"


@pytest.mark.parametrize(("percent", "bound_s"), [(50, 40), pytest.param(80, 70, marks=pytest.mark.long)])
def test_lost_multicast(net: Lan, percent: int, bound_s: float) -> None:
    """Wi-Fi does not repeat multicast that got lost: asking and announcing again finds the table all the same."""
    computers = [net.computer() for _ in range(2)]
    for computer in computers:
        computer.firewall(f"{MDNS} numgen random mod 100 < {percent} drop")
    with within(bound_s):
        play(computers)


@pytest.mark.parametrize("deaf", ["the one who joins", pytest.param("the host", marks=pytest.mark.long)])
def test_multicast_to_one_computer_is_dropped(net: Lan, deaf: str) -> None:
    """Its own questions are answered by unicast; who cannot be asked announces again and again."""
    table, guest = net.computer(), net.computer()
    (guest if deaf == "the one who joins" else table).no_multicast()
    with within(30):
        seats = [join(guest)]  # first of all: the hard order
        one_clean_game([host(table, 2), *seats])


def test_the_host_blocks_the_mdns_port(net: Lan) -> None:
    """It hears no question, but what it announces goes out."""
    table, guest = net.computer(), net.computer()
    table.firewall("udp dport 5353 drop")
    with within(30):
        play([table, guest])


def test_the_one_who_joins_blocks_the_mdns_port(net: Lan) -> None:
    """Nothing is found, and everything says what to do: join by the line, ask the doctor, who names the firewall."""
    table, guest = net.computer(), net.computer()
    guest.firewall("udp dport 5353 drop")
    hosting = host(table, 2)
    line = address(hosting)
    with within(25):
        looking = guest.start("join", "--auto", "easy", "--wait", "3")
        assert looking.status() == 3
        told = looking.errors()
        assert "p2pdice join HOST:PORT" in told
        assert "p2pdice doctor" in told
        said, status = doctor(guest)
        assert (causes(said), status) == (["multicast-blocked"], 1), said
        assert "sudo ufw allow 5353/udp" in said["causes"][0]["steps"]
        one_clean_game([hosting, join(guest, line)])


def test_nothing_gets_in_but_what_was_asked_for(net: Lan) -> None:
    """One computer can only dial. It joins by address, and dials the third player, who cannot dial it."""
    computers = [net.computer() for _ in range(3)]
    computers[1].firewall("ct state established,related accept", "drop")
    with within(40):
        hosting = host(computers[0], 3)
        line = address(hosting)
        seats = [join(computers[1], line), join(computers[2], line)]
        one_clean_game([hosting, *seats])


def test_client_isolation_is_named(net: Lan) -> None:
    """Guest Wi-Fi: both see the router, neither sees the other. Nothing is found, and the doctor says so in time."""
    table, guest, router = net.computer(), net.computer(), net.computer()
    for computer in (table, guest):
        computer.ip("route", "add", "default", "via", router.address)
        computer.isolate()
    hosting = host(table, 2)
    line = address(hosting)
    begun = time.monotonic()
    said, status = doctor(guest, line)
    took_s = time.monotonic() - begun
    assert (causes(said), status) == (["isolation"], 1), said
    assert said["target"]["outcome"] == "unreachable"
    print(f"named after {took_s:.1f} s")
    assert took_s < 5
    assert find(guest, 2) == []


@pytest.mark.parametrize(("rule", "cause"), [
    ("drop", "firewall-drops"), pytest.param("reject", "firewall-refuses", marks=pytest.mark.long),
    pytest.param("reject with tcp reset", "firewall-refuses", marks=pytest.mark.long),
    ("reject with icmpx admin-prohibited", "firewall-refuses"),
])
def test_firewalls_are_told_apart(net: Lan, rule: str, cause: str) -> None:
    """A firewall at the host that drops the port, and one that refuses it in each of the usual ways."""
    table, guest = net.computer(), net.computer()
    table.firewall(f"tcp dport 47600-47609 {rule}")
    line = address(host(table, 2))
    with within(12):
        joining = guest.start("join", line, *AUTO)
        said, status = doctor(guest, line)
        assert joining.status() == 3
    assert (causes(said), status) == ([cause], 1), said
    assert any("sudo ufw allow 47600:47609/tcp" in step for step in said["causes"][0]["steps"])
    assert f"p2pdice doctor {line}" in joining.errors()


@pytest.mark.long
def test_an_announced_table_that_cannot_be_reached(net: Lan) -> None:
    """Without an address the doctor tries what is announced and does not answer."""
    table, guest = net.computer(), net.computer()
    table.firewall("tcp dport 47600-47609 drop")
    address(host(table, 2))
    with within(15):
        said, status = doctor(guest)
    assert (causes(said), status) == (["firewall-drops"], 1), said


@pytest.mark.long
def test_what_else_a_doctor_tells_apart(net: Lan) -> None:
    """Nothing on the port, another network, nobody there at all, no network; and a table that works."""
    table, guest, alone = net.computer(), net.computer(), net.computer(network=False)
    elsewhere = net.computer(bridge="second")
    line = address(host(table, 2))
    with within(40):
        asked = [ask_doctor(guest, line), ask_doctor(guest, f"{table.address}:47609"), ask_doctor(guest, "10.99.0.1"),
                 ask_doctor(guest, "10.77.0.99"), ask_doctor(alone, line), ask_doctor(elsewhere)]
        found = [(causes(said), status) for said, status in map(report, asked)]
    assert found == [([], 0), (["nothing-there"], 1), (["wrong-subnet"], 1), (["isolation"], 1), (["no-network"], 1),
                     (["alone"], 1)]


@pytest.mark.long
def test_a_way_through_a_tunnel(net: Lan) -> None:
    """A VPN that takes the whole network for itself is named."""
    guest = net.computer()
    guest.ip("link", "add", "tun0", "type", "bridge")
    guest.ip("link", "set", "tun0", "up")
    guest.ip("addr", "add", "10.8.0.2/24", "dev", "tun0")
    guest.ip("route", "add", "10.77.0.0/25", "dev", "tun0")
    with within(12):
        said, _ = doctor(guest, "10.77.0.9:47600")
    assert causes(said) == ["vpn"], said


@pytest.mark.parametrize("families", [pytest.param("6", marks=pytest.mark.long), "l"])
def test_link_local_addresses_need_no_zone_typed(net: Lan, families: str) -> None:
    """The interface is found out, for joining as for the doctor."""
    table, guest = net.computer(families), net.computer(families)
    with within(15):
        listening = host(table, 2).event("listening")
        local = next(one for one in listening["addresses"] if one.startswith("fe80"))
        said, status = doctor(guest, f"[{local}]:{listening['port']}")
    assert (causes(said), status) == ([], 0), said
