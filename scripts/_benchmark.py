"""What the groups of bench.py have in common: goals, what was measured for one, and the table of all.

Absolute times are not stable from run to run; the ratio of two things measured in turn, round by round, is.
"""

import statistics
from collections.abc import Sequence
from dataclasses import dataclass


class Unable(Exception):
    """This computer lacks what a group needs; the text says what."""


@dataclass(frozen=True)
class Goal:
    """A figure held against another one. Ratios of at most `must` (or at least, where more is better)."""

    name: str
    figure: str
    against: str
    must: float
    aim: float
    at_least: bool = False

    def holds(self, ratio: float, limit: float) -> bool:
        """Whether a ratio is on the right side of a limit."""
        return ratio >= limit if self.at_least else ratio <= limit


@dataclass(frozen=True)
class Result:
    """A goal's ratios, one for each round; `ours` and `theirs` say the two medians with their unit."""

    goal: Goal
    ratios: Sequence[float]
    ours: str
    theirs: str

    @property
    def median(self) -> float:
        """The ratio that counts."""
        return statistics.median(self.ratios)

    @property
    def misses(self) -> bool:
        """Whether what must hold does not."""
        return not self.goal.holds(self.median, self.goal.must)


def compare(goal: Goal, ours: Sequence[float], theirs: Sequence[float]) -> Result:
    """The result of times in seconds that were measured in turn."""
    ratios = [mine / other for mine, other in zip(ours, theirs, strict=True)]
    return Result(goal, ratios, milliseconds(ours), milliseconds(theirs))


def milliseconds(times: Sequence[float]) -> str:
    """The median of times in seconds."""
    return f"{statistics.median(times) * 1000:.0f} ms"


def table(results: Sequence[Result]) -> str:
    """All results, a line each under a heading."""
    rows = [("goal", "figure", "against", "ours", "theirs", "ratio", "min", "max", "must", "aim", "")]
    for result in results:
        goal, sign = result.goal, ">=" if result.goal.at_least else "<="
        verdict = "MISSED" if result.misses else "aim met" if goal.holds(result.median, goal.aim) else "met"
        rows.append((goal.name, goal.figure, goal.against, result.ours, result.theirs, f"{result.median:.2f}",
                     f"{min(result.ratios):.2f}", f"{max(result.ratios):.2f}", f"{sign} {goal.must:g}",
                     f"{sign} {goal.aim:g}", verdict))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
                     for row in rows)
