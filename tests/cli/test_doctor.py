"""The doctor's sentences: each cause says what is wrong and what to type or do, on every platform and in each language.
"""

import pytest

from p2pdice.cli import doctor, language
from p2pdice.cli.options import parse
from p2pdice.net.doctor import Card, Cause, Reached, Report
from p2pdice.net.multicast import Heard

WHERE = {"host": "10.77.0.2", "port": 47600, "firewall": "", "platform": "linux"}
WORDS = ("nothing-there", "firewall-refuses", "firewall-drops", "isolation", "local-network-permission", "vpn",
         "wrong-subnet", "denied", "frozen", "missing-zone", "no-network", "no-interface", "mdns-port-busy", "failed",
         "multicast-blocked", "not-announced", "alone", "version", "unknown-host", "closed", "bad-handshake")
REPORT = Report(
    (Card("lo", "loopback", False, ("127.0.0.1/8",)), Card("eth0", "network", True, ("10.77.0.1/24",)),
     Card("tun0", "tunnel", False, ("10.8.0.2/32",)), Card("docker0", "virtual", False, ("172.17.0.1/16",)),
     Card("eth1", "down", False, ())),
    Heard(True, ("10.77.0.9",)), "", (), Reached("fe80::1%eth0", 47600, "refused", 0.0, True, "network", False), "ufw")


@pytest.mark.parametrize("platform", ["linux", "darwin", "win32"])
@pytest.mark.parametrize("spoken", language.LANGUAGES)
def test_every_cause_has_a_sentence_and_a_step(spoken: str, platform: str) -> None:
    """No cause is left with its word alone, and none without anything to do."""
    language.use(spoken)
    try:
        for word in WORDS:
            message, *steps = doctor.worded(Cause(word, WHERE), platform)
            assert steps
            assert message
            assert word not in (message, *steps)
    finally:
        language.use("en")


def test_platforms_have_steps_of_their_own() -> None:
    """macOS asks for a permission, Windows has public networks; nobody else hears of either."""
    def told(word: str, platform: str) -> str:
        return "\n".join(doctor.worded(Cause(word, WHERE), platform))

    assert "Local Network" in told("local-network-permission", "darwin")
    for word in ("multicast-blocked", "alone"):
        assert "Local Network" in told(word, "darwin")
        assert "private" in told(word, "win32")
        assert "macOS" not in told(word, "linux")
        assert "Windows" not in told(word, "linux")
    assert "private" in told("denied", "win32")


def test_the_lines_that_open_a_port() -> None:
    """For the firewall that is on, or for both; the whole range that tables use; any other port by itself."""
    drops = doctor.worded(Cause("firewall-drops", WHERE), "linux")
    assert "    sudo ufw allow 47600:47609/tcp" in drops
    assert "    sudo firewall-cmd --permanent --add-port=47600-47609/tcp" in drops
    assert "    sudo ufw allow 50000/tcp" in doctor.worded(Cause("firewall-drops", WHERE | {"port": 50000}), "linux")
    here = doctor.worded(Cause("multicast-blocked", {"firewall": "firewalld"}), "linux")
    assert "    sudo firewall-cmd --permanent --add-port=5353/udp" in here
    assert not any("ufw" in line for line in here)


def test_the_report_for_people() -> None:
    """Interfaces by what they are, what was heard, what came of the address, and the verdict."""
    told = doctor.facts(REPORT)
    assert told[1:5] == [
        "  lo: this computer itself, left out; 127.0.0.1/8", "  eth0: a network; 10.77.0.1/24",
        "  tun0: a tunnel or VPN, left out; 10.8.0.2/32",
        "  docker0: virtual machines or containers, left out; 172.17.0.1/16"]
    assert "Multicast: 1 other address was heard." in told
    assert told[-1] == "[fe80::1%eth0]:47600: that computer answers, but no game is on that port."
    assert doctor.told((), "linux") == ["Nothing is wrong, as far as can be seen from here."]


def test_the_report_for_programs() -> None:
    """The same as one object, with words that no language changes."""
    report = doctor.as_json(REPORT, [Cause("nothing-there", WHERE)], "linux")
    assert report["target"] == {"address": "[fe80::1%eth0]:47600", "outcome": "refused", "seconds": 0.0, "near": True,
                                "through": "network", "announced": False}
    assert report["firewall"] == "ufw"
    assert report["causes"] == [{
        "cause": "nothing-there", "message": "10.77.0.2 answers, but no game is on port 47600.",
        "steps": ["Has the host left? Ask for the line on the host's screen again."]}]


def test_the_command_line() -> None:
    """An address is optional."""
    assert parse(["doctor"]).target is None
    assert parse(["doctor", "10.0.0.5:47600", "--json"]).json
