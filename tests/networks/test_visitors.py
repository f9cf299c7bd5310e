"""Who dials a player that is not at a table yet: searches on the same computer knock at every usual port."""

from tests.networks.lan import Lan, within
from tests.networks.playing import host, join


def test_a_search_beside_a_player_who_is_still_dialling(net: Lan) -> None:
    """The first link is not the host's because it is the first: what the player hears of is the table that it dialled.
    """
    table, guest = net.computer(), net.computer()
    hosting = host(table, 2)
    line = str(hosting.event("listening")["line"]).split()[-1]
    table.firewall("tcp dport 47600-47609 drop")
    with within(20):
        dialling = join(guest, line)
        guest.run("bash", "-c", "until (: > /dev/tcp/127.0.0.1/47600) 2> /dev/null; do sleep 0.05; done")
        searching = guest.start("find", "--wait", "1")
        assert searching.status() == 0
        assert dialling.status() == 3
        assert "nothing came back" in dialling.errors()
