"""A bad radio: fifty milliseconds each way with jitter, and every twentieth packet lost."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.conftest import require
from tests.networks.lan import Lan, within
from tests.networks.playing import host, join, one_clean_game


@pytest.mark.long
def test_a_game_over_a_bad_radio_is_pleasant(net: Lan) -> None:
    """Found, played to its end, and an action takes no longer than a person notices at a table."""
    require(os.path.exists("/dev/net/tun"), "needs /dev/net/tun")
    table, guest = net.computer(network=False), net.computer(network=False)
    wire = subprocess.Popen([sys.executable, str(Path(__file__).with_name("wire.py")), table.namespace,
                             guest.namespace, "50", "20", "5"],
                            text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    try:
        assert wire.stdout is not None
        assert wire.stdout.readline() == "up\n"
        with within(120):
            seats = [host(table, 2, "--set", "starting_dice=5"), join(guest)]
            seats[0].event("round")
            begun = time.monotonic()
            actions = sum('"event":"action"' in line for line in seats[0].output())
            each_s = (time.monotonic() - begun) / actions
            one_clean_game(seats)
        print(f"{actions} actions, {each_s:.2f} s each")
        assert each_s < 1.5
    finally:
        wire.communicate("bye")
