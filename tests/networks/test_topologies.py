"""Whole games on the networks that people have, from a computer without any to one with thirty bridges: the table is
found by multicast alone, and every transcript is clean."""

import pytest

from tests.networks.lan import Computer, Lan, within
from tests.networks.playing import address, find, host, join, one_clean_game, play


def test_two_terminals_without_any_network(net: Lan) -> None:
    """Only loopback is up: on a train, two terminals on one computer."""
    train = net.computer(network=False)
    with within(30):
        play([train, train])


@pytest.mark.parametrize("players", [pytest.param(2, marks=pytest.mark.long), 4])
def test_players_on_one_computer_with_a_network(net: Lan, players: int) -> None:
    """They share the mDNS port, and each hears of the table."""
    with within(40):
        play([net.computer("46")] * players)


@pytest.mark.parametrize("players", [2, *(pytest.param(players, marks=pytest.mark.long) for players in (6, 12))])
def test_computers_on_one_network(net: Lan, players: int) -> None:
    """A table of as many as there are computers."""
    with within(20 + 6 * players):
        play([net.computer("46") for _ in range(players)])


@pytest.mark.parametrize("families", [pytest.param("6", marks=pytest.mark.long), "l"])
def test_without_ipv4(net: Lan, families: str) -> None:
    """IPv6 alone, and nothing but link-local addresses, which need an interface to mean anything."""
    with within(40):
        play([net.computer(families) for _ in range(3)])


@pytest.mark.long
@pytest.mark.parametrize("families", ["6", "l"])
def test_the_line_to_type_without_ipv4(net: Lan, families: str) -> None:
    """What the host's screen says can be typed as it stands on another computer."""
    one, two = net.computer(families), net.computer(families)
    with within(30):
        table = host(one, 2)
        one_clean_game([table, join(two, address(table), "--no-mdns")])


@pytest.mark.long
def test_with_a_default_route(net: Lan) -> None:
    """All other networks here have none; with one it is no different."""
    computers = [net.computer() for _ in range(3)]
    for computer in computers:
        computer.ip("route", "add", "default", "via", "10.77.0.254")
    with within(40):
        play(computers)


@pytest.mark.long
def test_two_adapters_on_two_networks(net: Lan) -> None:
    """The host is on both; the players of one network reach those of the other through it."""
    middle = net.computer("46")
    middle.card("eth1", "second", 78, "46")
    left, right = net.computer("46"), net.computer("46", bridge="second")
    with within(60):
        play([middle, left, right])


def add_bridge(computer: Computer, name: str, cidr: str) -> None:
    """An interface of virtual machines or containers."""
    computer.ip("link", "add", name, "type", "bridge")
    computer.ip("link", "set", name, "up")
    computer.ip("addr", "add", cidr, "dev", name)


def test_thirty_bridges(net: Lan) -> None:
    """Linux caps memberships at twenty; the network itself must never be the one left out."""
    busy, other = net.computer(network=False), net.computer()
    for number in range(15):
        add_bridge(busy, f"br-{number}", f"172.20.{number}.1/24")
        add_bridge(busy, f"lab{number}", f"172.21.{number}.1/24")
    busy.card("eth0", "first", 77, "4")
    with within(40):
        play([busy, other])


def test_a_tunnel_in_front(net: Lan) -> None:
    """A VPN's /32 comes first in every list of addresses, and leads nowhere."""
    computers = [net.computer(network=False) for _ in range(2)]
    for computer in computers:
        add_bridge(computer, "corp0", f"10.8.0.{computer.number}/32")
        computer.card("eth0", "first", 77, "4")
    with within(30):
        table = host(computers[0], 2)
        assert address(table).startswith("10.77.0.1:")
        one_clean_game([table, join(computers[1])])


def test_the_same_address_on_both_sides(net: Lan) -> None:
    """Both have 172.17.0.1, and more such networks; each has a table. The address leads to the own one, the id to the
    right one."""
    computers = [net.computer(network=False) for _ in range(2)]
    for computer in computers:
        add_bridge(computer, "docker0", "172.17.0.1/16")
        add_bridge(computer, "lab0", "172.18.0.1/16")
        computer.card("eth0", "first", 77, "4")
    here, there = computers
    with within(40):
        own, other = host(here, 2, "--table", "own"), host(there, 2, "--table", "other")
        assert {own.event("listening")["port"], other.event("listening")["port"]} == {47600}
        found = {table["title"]: table for table in find(here, 3)}
        assert found["other"]["address"] == "10.77.0.2:47600"
        guest = join(here, found["other"]["id"][:8])
        one_clean_game([other, guest])


@pytest.mark.long
def test_two_tables_and_two_players_of_one_name(net: Lan) -> None:
    """Titles and names may be equal; ids tell tables apart, numbers players."""
    one, two, three = (net.computer() for _ in range(3))
    with within(40):
        tables = [host(one, 2, "--table", "Mesa", "--name", "Ana"), host(two, 2, "--table", "Mesa", "--name", "Ana")]
        found = {table["address"]: table for table in find(three, 3)}
        assert {table["title"] for table in found.values()} == {"Mesa"}
        undecided = three.start("join", "--auto", "normal")
        assert undecided.status() == 3
        guest = join(three, found[f"{two.address}:47600"]["id"][:8], "--name", "Ana")
        one_clean_game([tables[1], guest])
        assert guest.event("table")["seats"] in (["Ana", "Ana 2"], ["Ana 2", "Ana"])
