"""A bad radio: fifty milliseconds each way with jitter, and every twentieth packet lost."""

import time

import pytest

from tests.networks.lan import Lan, within
from tests.networks.playing import host, join, one_clean_game
from tests.networks.weather import wire


@pytest.mark.long
def test_a_game_over_a_bad_radio_is_pleasant(net: Lan) -> None:
    """Found, played to its end, and an action takes no longer than a person notices at a table."""
    table, guest = net.computer(network=False), net.computer(network=False)
    with wire(table, guest) as between:
        between.weather(delay_ms=50, jitter_ms=20, loss_percent=5)
        with within(120):
            seats = [host(table, 2, "--set", "starting_dice=5"), join(guest)]
            seats[0].event("round")
            begun = time.monotonic()
            actions = sum('"event":"action"' in line for line in seats[0].output())
            each_s = (time.monotonic() - begun) / actions
            one_clean_game(seats)
        print(f"{actions} actions, {each_s:.2f} s each")
        assert each_s < 1.5
