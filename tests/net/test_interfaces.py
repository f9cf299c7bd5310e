"""Which interfaces are announced on, and what strangers' addresses and texts become."""

import ipaddress

from hypothesis import given
from hypothesis import strategies as st

from p2pdice.net.hints import MOST_ROOMS, MOST_ROOMS_PER_ADDRESS, TEXT_BYTES, Hint, Hints, bounded, is_instance, read
from p2pdice.net.interfaces import LOOPBACK, MOST_INTERFACES, Interface, Reach, choose, every_interface


def interface(name: str, index: int, *addresses: str) -> Interface:
    """An interface with addresses in the form 192.168.1.5/24."""
    return Interface(name, index, tuple(ipaddress.ip_interface(address) for address in addresses))


LO = interface("lo", 1, "127.0.0.1/8", "::1/128")
LAN = interface("wlan0", 2, "192.168.77.5/24", "fd77::5/64", "fe80::5/64")
NOISE = [
    interface("docker0", 3, "172.17.0.1/16"), interface("br-12ab", 4, "172.18.0.1/16"),
    interface("veth1", 5, "169.254.1.1/16"), interface("virbr0", 6, "192.168.122.1/24"),
    interface("tun0", 7, "10.8.0.2/24"), interface("corporate", 8, "10.9.0.2/32"),
    interface("VirtualBox Host-Only Ethernet Adapter", 9, "192.168.56.1/24"),
]


def test_tunnels_and_bridges_are_left_out() -> None:
    """Of a laptop full of them only the network that others are on is left, with both families."""
    where = choose([LO, *NOISE, LAN], None)
    assert [found.name for found in where.interfaces] == ["wlan0"]
    assert where.multicast == ["192.168.77.5", 2]
    assert where.addresses == ("192.168.77.5", "fd77::5", "fe80::5")


def test_without_a_network_loopback_is_used() -> None:
    """Two terminals on one computer find each other on a plane, too."""
    where = choose([LO, *NOISE], None)
    assert where.multicast == [LOOPBACK]
    assert where.addresses == (LOOPBACK,)


def test_bind_means_that_address_alone() -> None:
    """A tunnel is used when the user asks for it, with nothing beside it; an address that is not ours is none."""
    assert choose([LO, *NOISE, LAN], "10.9.0.2").multicast == ["10.9.0.2"]
    assert choose([LO, LAN], "fe80::5%wlan0").multicast == [2]
    assert choose([LO, LAN], "fe80::5%wlan0").addresses == ("fe80::5",)
    assert choose([LO, LAN], "192.0.2.1").multicast == []
    assert choose([LO, LAN], "nonsense").multicast == []
    assert choose([LO, LAN], "0.0.0.0") == choose([LO, LAN], None)


def test_only_so_many_interfaces_are_joined() -> None:
    """Linux caps the memberships of a socket; the network must not be the one left out by chance."""
    many = [interface(f"eth{number}", number + 2, f"10.0.{number}.1/24") for number in range(30)]
    assert len(choose([LO, *many], None).interfaces) == MOST_INTERFACES


def test_an_ipv6_only_link_is_joined_by_its_index() -> None:
    """No IPv4 address is needed, not even a global IPv6 one."""
    where = choose([LO, interface("eth0", 4, "fe80::1/64")], None)
    assert where.multicast == [4]
    assert where.addresses == ("fe80::1",)


def test_this_computer_has_a_loopback() -> None:
    """The real list of interfaces holds 127.0.0.1, whatever else it holds."""
    assert any(str(address.ip) == LOOPBACK for found in every_interface() for address in found.addresses)


def test_addresses_are_tried_nearest_first() -> None:
    """A tunnel's address that came first comes last; a link-local one gets the zones of this computer."""
    hint = read("0" * 16, ["10.8.0.1", "fe80::9", "192.168.77.9", "fe80::8%3"], 47600, {}, Reach((LAN,)))
    assert hint is not None
    assert [host for host, _ in hint.addresses] == ["192.168.77.9", "fe80::9%2", "fe80::8%3", "10.8.0.1"]


def test_addresses_that_lead_to_ourselves_or_nowhere_are_dropped() -> None:
    """A stranger cannot make us dial our own services; on a computer without network loopback is what there is."""
    hosts = [LOOPBACK, "0.0.0.0", "::1", "224.0.0.251", "::"]
    for host in ("::ffff:127.0.0.1", "::ffff:7f00:1", "::ffff:224.0.0.251", "::127.0.0.1", "255.255.255.255"):
        assert Reach((LAN,)).routes(host) == []
    assert read("0" * 16, hosts, 47600, {}, Reach((LAN,))) is None
    local = read("0" * 16, hosts, 47600, {}, choose([LO], None))
    assert local is not None
    assert local.addresses[0] == (LOOPBACK, 47600)
    assert read("0" * 16, ["192.168.77.9"], 0, {}, Reach((LAN,))) is None


@given(st.dictionaries(st.sampled_from([*TEXT_BYTES, "other"]), st.none() | st.text()))
def test_texts_are_bounded(said: dict[str, str | None]) -> None:
    """Whatever was announced, each text is a text of bounded length, cut between characters."""
    texts = bounded(said)
    assert texts.keys() == TEXT_BYTES.keys()
    for name, text in texts.items():
        assert len(text.encode()) <= TEXT_BYTES[name]
        assert (said.get(name) or "").encode(errors="replace").decode().startswith(text)
    assert sum(TEXT_BYTES.values()) <= 200


def test_only_our_own_form_of_name_is_looked_at() -> None:
    """An instance name is 16 hexadecimal digits; escape sequences and lines never get further."""
    assert is_instance("0123456789abcdef")
    for name in ("", "0123456789ABCDEF", "0123456789abcde", "0123456789abcdef\n", "\x1b[2J", "Ana's table"):
        assert not is_instance(name)


def test_hints_are_capped_in_all_and_by_address() -> None:
    """One machine's flood leaves room for others, a network's flood stops at the cap, and goodbyes make room."""
    hints = Hints()
    flood = [Hint(f"{number:016x}", (("10.0.0.1", number + 1),)) for number in range(20)]
    assert sum(hints.add(hint) for hint in flood) == MOST_ROOMS_PER_ADDRESS
    assert not hints.add(flood[0])  # no news
    assert hints.add(Hint(flood[0].instance, flood[0].addresses, title="news"))
    others = [Hint(f"{number:016x}", ((f"10.0.1.{number}", 1),)) for number in range(100, 200)]
    assert sum(hints.add(hint) for hint in others) == MOST_ROOMS - MOST_ROOMS_PER_ADDRESS
    assert hints.drop(flood[0].instance)
    assert not hints.drop(flood[0].instance)
    assert hints.add(flood[19])
    assert flood[19].instance in hints
