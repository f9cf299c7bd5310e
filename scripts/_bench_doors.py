"""Doors: the time an action takes in a running game whose host's port strangers flood, or whose own player floods it,
against a game that nobody disturbs, in turn. Needs root and iproute2; loopback of a namespace only.
"""

import tempfile
from collections.abc import Iterator
from pathlib import Path

from _benchmark import Goal, Result, Unable, compare

from tests.games.flooding import STRANGERS, play
from tests.games.tablehouse import House, can_make_namespaces, house

FLOODS = ("all together", *STRANGERS)


def run(short: bool) -> Iterator[Result]:
    """One result for each kind of flood."""
    if not can_make_namespaces():
        raise Unable("needs root and network namespaces")
    with tempfile.TemporaryDirectory() as folder, house(Path(folder)) as network:
        for flood in FLOODS[:1] if short else FLOODS:
            yield _strangers(network, flood, 1 if short else 3)
        yield _player(network, 1 if short else 3)


def _strangers(network: House, flood: str, rounds: int) -> Result:
    kinds = STRANGERS if flood == FLOODS[0] else (flood,)
    games = [(play(network, kinds), play(network)) for _ in range(rounds)]
    peak_mb = max(flooded.peak_mb for flooded, _ in games)
    goal = Goal("doors", f"an action, {flood} (host {peak_mb:.0f} MB)", "undisturbed", 2.0, 1.2)
    return compare(goal, [flooded.action_s for flooded, _ in games], [quiet.action_s for _, quiet in games])


def _player(network: House, rounds: int) -> Result:
    games = [(play(network, extra="player"), play(network, extra="honest")) for _ in range(rounds)]
    goal = Goal("doors", "a turn beside a flooding player", "four honest", 2.0, 1.2)
    return compare(goal, [flooded.turn_s for flooded, _ in games], [quiet.turn_s for _, quiet in games])
