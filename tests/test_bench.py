"""What the benchmark makes of its measurements; the measuring itself runs by scripts/bench.py only."""

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from _benchmark import Result

SCRIPTS = str(Path(__file__).parent.parent / "scripts")


@pytest.fixture(autouse=True)
def _scripts(monkeypatch: pytest.MonkeyPatch) -> None:
    """The scripts import each other by bare name."""
    monkeypatch.syspath_prepend(SCRIPTS)


def test_a_ratio_is_taken_round_by_round_and_judged_by_its_median() -> None:
    """One slow round of both is no miss; what must hold and what is aimed at are told apart."""
    from _benchmark import Goal, compare, table

    met = compare(Goal("G1", "join", "bare", 1.3, 1.05), [0.1, 9.0, 0.2], [0.1, 9.0, 0.1])
    assert list(met.ratios) == [1.0, 1.0, 2.0]
    assert not met.misses
    missed = compare(Goal("G2", "moves", "peer", 1.5, 3, at_least=True), [1.0], [1.0])
    assert missed.misses
    between = compare(Goal("G3", "start", "python", 1.5, 1.3), [1.4], [1.0])
    heading, *rows = table([met, missed, between]).splitlines()
    assert heading.split()[:4] == ["goal", "figure", "against", "ours"]
    assert rows[0].split()[:9] == ["G1", "join", "bare", "200", "ms", "100", "ms", "1.00", "1.00"]
    assert [row.split("  ")[-1].strip() for row in rows] == ["aim met", "MISSED", "met"]


def test_results_of_some_goals_leave_the_rows_of_others() -> None:
    """What ran takes the place of what stood there for its goals, in the order of their numbers; the rest stays."""
    from _benchmark import Goal, compare, speeds, told

    def result(name: str, figure: str, ratio: float) -> "Result":
        return compare(Goal(name, figure, "peer", 1.5, 1.2), [ratio, ratio + 0.2, ratio + 0.1], [1.0] * 3)

    empty = "before\n<!-- table: speed -->\n<!-- end -->\nafter\n"
    pair = [result("G2", "one", 1.0), result("G2", "two", 1.3)]
    first = told(empty, [result("G10", "bid", 1.0), *pair, result("x", "y", 2.0)])
    second = told(first, [result("G2", "three", 1.4)])
    assert [row[:2] for row in speeds(first)] == [("G2", "one"), ("G2", "two"), ("G10", "bid"), ("x", "y")]
    assert speeds(second) == [
        ("G2", "three", "peer", "1.50", "1.40", "1.60", "<= 1.5", "<= 1.2", "met"),
        ("G10", "bid", "peer", "1.10", "1.00", "1.20", "<= 1.5", "<= 1.2", "aim met"),
        ("x", "y", "peer", "2.10", "2.00", "2.20", "<= 1.5", "<= 1.2", "MISSED"),
    ]
    assert told(second, []) == second
    assert second.startswith("before\n")
    assert second.endswith("\n<!-- end -->\nafter\n")


def test_groups_are_found_by_their_files() -> None:
    """A group is a file; each has `run` and its goals, and nothing is measured by importing one."""
    import importlib

    import bench

    assert "network" in bench.groups()
    for group in bench.groups():
        module = importlib.import_module(f"_bench_{group}")
        assert callable(module.run)
        assert module.GOALS


def test_the_floor_plays_the_games_that_the_engine_plays() -> None:
    """It draws the same chances, judges nothing, and comes to the same end after as many actions."""
    from random import Random

    from _engines import USUAL, floor, ours

    engine, least = ours(USUAL, 4), floor(4)
    for seed in range(50):
        mine, its = Random(seed), Random(seed)
        assert (engine(mine), mine.random()) == (least(its), its.random())
