"""The engine (G1, G2, G3): actions per second of random games, against a floor and other engines, in turn.

_engines.py says what each side does. The other engines are installed into an environment of their own, .venv-peers,
when they are first needed; with --short only the floor is measured, which needs nothing.
"""

import json
import statistics
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path

from _benchmark import Goal, Result, Unable
from _engines import USUAL, floor, ours, rates
from _venv import ROOT, SetupError, ensure

HERE = Path(__file__).resolve().parent

FLOOR = Goal("G2", "engine, the same, 6 players, whole games", "inline floor", 0.45, 0.8, at_least=True)
PEERS = {
    "open_spiel": Goal("G1", "engine, judged random play, 2 players, actions/s", "OpenSpiel", 1.5, 3, at_least=True),
    "pokerkit": Goal("G3", "engine, the same, 6 players, whole games", "PokerKit", 40, 75, at_least=True),
    "python_chess": Goal("G3", "engine, the same, 6 players, whole games", "python-chess", 20, 35, at_least=True),
}
GOALS = (*PEERS.values(), FLOOR)


def run(short: bool) -> Iterator[Result]:
    """The goals of the engine; peers only in full."""
    yield result(FLOOR, *rates(ours(USUAL, 6), floor(6), 5 if short else 30, 0.2))
    if short:
        return
    try:
        python = ensure(ROOT / ".venv-peers", HERE / "requirements-peers.txt")
    except SetupError as error:
        raise Unable(str(error)) from error
    for name, goal in PEERS.items():
        command = [str(python), str(HERE / "_engines.py"), name, "15", "0.4"]
        yield result(goal, *json.loads(subprocess.check_output(command)))


def result(goal: Goal, mine: Sequence[float], others: Sequence[float]) -> Result:
    """The result of rates per second that were measured in turn."""
    ratios = [one / other for one, other in zip(mine, others, strict=True)]
    return Result(goal, ratios, *(f"{statistics.median(each) / 1000:.1f} k/s" for each in (mine, others)))
