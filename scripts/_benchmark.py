"""What the groups of bench.py have in common: goals, what was measured for one, and the table of all.

Absolute times are not stable from run to run; the ratio of two things measured in turn, round by round, is.
"""

import re
import statistics
from collections.abc import Iterable, Sequence
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

    @property
    def limits(self) -> tuple[str, str]:
        """Must and aim, as tables show them."""
        sign = ">=" if self.at_least else "<="
        return f"{sign} {self.must:g}", f"{sign} {self.aim:g}"

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

    @property
    def verdict(self) -> str:
        """What became of the goal."""
        return "MISSED" if self.misses else "aim met" if self.goal.holds(self.median, self.goal.aim) else "met"

    @property
    def measured(self) -> tuple[str, str, str]:
        """The ratio's median, lowest and highest, as tables show them."""
        return f"{self.median:.2f}", f"{min(self.ratios):.2f}", f"{max(self.ratios):.2f}"


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
        goal = result.goal
        rows.append((goal.name, goal.figure, goal.against, result.ours, result.theirs, *result.measured, *goal.limits,
                     result.verdict))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
                     for row in rows)


SPEED = re.compile(r"(?<=<!-- table: speed -->\n)((?:\|.*\n)*)(?=<!-- end -->)")
HEAD = ("goal", "figure", "against", "ratio", "lowest", "highest", "must", "aim", "")


def told(text: str, results: Iterable[Result]) -> str:
    """README.md with these results in its table of speed; rows of goals that were not measured now stay as they are."""
    new = [(result.goal.name, result.goal.figure, result.goal.against, *result.measured, *result.goal.limits,
            result.verdict) for result in results]
    measured = {name for name, *_ in new}
    old = [row for row in speeds(text) if row[0] not in measured]
    rows = [HEAD, ["---"] * len(HEAD), *sorted([*old, *new], key=_order)]
    return SPEED.sub("".join(f"| {' | '.join(row)} |\n" for row in rows), text)


def speeds(text: str) -> list[tuple[str, ...]]:
    """The rows of README.md's table of speed, in the columns of HEAD."""
    [found] = SPEED.findall(text)
    return [tuple(cell.strip() for cell in line.split("|")[1:-1]) for line in found.splitlines()[2:]]


def _order(row: Sequence[str]) -> tuple[float, str]:
    """G2 before G10, and what has no number last."""
    number = row[0].removeprefix("G")
    return (float(number) if number.isdecimal() else float("inf")), row[0]
