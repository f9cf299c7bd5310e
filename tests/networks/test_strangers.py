"""Other programs on the network: one that keeps the mDNS port to itself, one that announces nonsense."""

import subprocess
import sys
from pathlib import Path

from tests.networks.lan import Lan, within
from tests.networks.playing import address, causes, doctor, find, host, join, one_clean_game

STRANGERS = str(Path(__file__).with_name("strangers.py"))


def test_the_mdns_port_is_taken(net: Lan) -> None:
    """Not even to be shared: hosting and joining by address go on, and it is said what is missing."""
    table, guest = net.computer(), net.computer()
    holder = subprocess.Popen([*table.house.prefix(), sys.executable, STRANGERS, "hold"], text=True,
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    try:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        with within(30):
            hosting = host(table, 2)
            line = address(hosting)
            report, status = doctor(table)
            assert (causes(report), status) == (["mdns-port-busy"], 1)
            looking = table.start("find", "--wait", "2")
            assert looking.status() == 3
            assert "another program" in looking.errors()
            one_clean_game([hosting, join(guest, line)])
    finally:
        holder.communicate("bye")


def test_a_flood_of_hostile_announcements(net: Lan) -> None:
    """Escapes in names, two hundred tables, texts too long, broken packets: the real table is found as quickly."""
    table, evil, guest = net.computer(), net.computer(), net.computer()
    hosting = host(table, 2, "--table", "real", "--set", "starting_dice=2")
    hosting.event("listening")
    with within(40):
        searching = guest.start("find", "--wait", "4")
        evil.run(sys.executable, STRANGERS, "flood", evil.address)
        guests = [join(guest, "real")]
        evil.run(sys.executable, STRANGERS, "flood", evil.address)
        assert searching.status() == 0
        assert "\x1b" not in "".join(searching.lines)
        assert sum("real" in line for line in searching.lines) == 1
        assert len(searching.lines) == 1
        one_clean_game([hosting, *guests])
        evil.run(sys.executable, STRANGERS, "flood", evil.address)
        assert find(guest, 2) == []
