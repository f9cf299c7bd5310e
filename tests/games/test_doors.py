"""A running game at a port that strangers flood, or whose own player floods it: it goes on, and little is held.

How long an action takes is printed, and compared by scripts/bench.py, group `doors`; here is no claim about time.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import require
from tests.games.flooding import STRANGERS, Played, play
from tests.games.tablehouse import House, can_make_namespaces, house

MOST_MB = 256.0  # of the host, at its peak; an undisturbed one takes 50


@pytest.fixture
def network(tmp_path: Path) -> Iterator[House]:
    """A loopback of its own."""
    require(can_make_namespaces(), "needs root and network namespaces")
    with house(tmp_path) as made:
        yield made


def told(kind: str, played: Played) -> None:
    """Figures for whoever reads the test's output (pytest -rP)."""
    print(f"{kind}: {played.actions} actions, {played.action_s * 1000:.0f} ms each, a turn "
          f"{played.turn_s * 1000:.0f} ms, host at most {played.peak_mb:.0f} MB")


def holds(played: Played) -> None:
    """Every honest seat ended well with a clean transcript, and the host's memory is bounded."""
    assert [seat.status() for seat in played.seats] == [0] * len(played.seats)
    assert {seat.report().verdict for seat in played.seats} == {"clean"}
    assert 0 < played.peak_mb < MOST_MB


def test_a_game_goes_on_while_all_kinds_of_strangers_flood_the_port(network: House) -> None:
    """1,000 half-open connections, slow drips, megabytes, connections that come and go, and noise, all together."""
    played = play(network, STRANGERS)
    told("all", played)
    holds(played)


@pytest.mark.long
@pytest.mark.parametrize("kind", STRANGERS)
def test_a_game_goes_on_under_each_flood(network: House, kind: str) -> None:
    """One kind alone, as fast as its process can, beside a game that nobody disturbs."""
    told("undisturbed", play(network))
    played = play(network, [kind])
    told(kind, played)
    holds(played)


def test_one_flooding_player_does_not_stop_the_others(network: House) -> None:
    """A seat that asks for the whole game without end, pings, talks and repeats all that was said, as much as a link
    may bring: the others play to the end."""
    told("four honest", play(network, extra="honest"))
    played = play(network, extra="player")
    told("flooding player", played)
    holds(played)


@pytest.mark.long
@pytest.mark.parametrize("number", range(5))
def test_a_player_far_above_the_limits_is_late_or_out_and_nobody_else(network: House, number: int) -> None:
    """Its moves wait behind its noise, or its links break for it: it may be voted out, and only it."""
    played = play(network, extra="torrent", options=["--drop-time", "5", "--turn-time", "10"])
    told(f"torrent {number}", played)
    holds(played)
    for seat in played.seats:
        report = seat.report()
        assert report.seated is not None
        out = [report.seated.players[place].nick for place, end in report.standings.items() if end != "clean"]
        assert out in ([], ["Flooder"])
