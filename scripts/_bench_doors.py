"""Doors: the time an action takes in a running game whose host's port strangers flood, or whose own player floods it,
against a game that nobody disturbs, in turn. Needs root and iproute2; loopback of a namespace only.
"""

import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from _benchmark import Goal, Result, Unable, compare

from tests.games.flooding import STRANGERS, play
from tests.games.tablehouse import House, can_make_namespaces, house

ALL = "all together"
FLOODS = {flood: Goal("doors", f"an action, {flood}", "undisturbed", 2.0, 1.2) for flood in (ALL, *STRANGERS)}
PLAYER = Goal("doors", "a turn beside a flooding player", "four honest", 2.0, 1.2)
GOALS = (*FLOODS.values(), PLAYER)


def run(short: bool) -> Iterator[Result]:
    """One result for each kind of flood."""
    if not can_make_namespaces():
        raise Unable("needs root and network namespaces")
    with tempfile.TemporaryDirectory() as folder, house(Path(folder)) as network:
        for flood in [ALL] if short else FLOODS:
            yield _strangers(network, flood, 1 if short else 3)
        yield _player(network, 1 if short else 3)


def _strangers(network: House, flood: str, rounds: int) -> Result:
    kinds = STRANGERS if flood == ALL else (flood,)
    games = [(play(network, kinds), play(network)) for _ in range(rounds)]
    peak_mb = max(flooded.peak_mb for flooded, _ in games)
    result = compare(FLOODS[flood], [each.action_s for each, _ in games], [each.action_s for _, each in games])
    return replace(result, ours=f"{result.ours}, host {peak_mb:.0f} MB")


def _player(network: House, rounds: int) -> Result:
    games = [(play(network, extra="player"), play(network, extra="honest")) for _ in range(rounds)]
    return compare(PLAYER, [flooded.turn_s for flooded, _ in games], [quiet.turn_s for _, quiet in games])
