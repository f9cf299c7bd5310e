"""What the benchmark makes of its measurements; the measuring itself runs by scripts/bench.py only."""

from pathlib import Path

import pytest

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


def test_groups_are_found_by_their_files() -> None:
    """A group is a file; each has `run`, and nothing is measured by importing one."""
    import importlib

    import bench

    assert "network" in bench.groups()
    for group in bench.groups():
        assert callable(importlib.import_module(f"_bench_{group}").run)
