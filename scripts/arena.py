"""How well the bots play: many games of each pairing under `perudo`, the share that is won, and how sure that is.

    python3 scripts/arena.py [--games N] [--write]

Prints the table and ends with 1 if a share that must be reached is not; --write puts the table into README.md, too.
With four players each kind has two seats, and wins with either. The games are the same in every run.
"""

import os
import sys
from collections.abc import Iterable
from math import sqrt
from pathlib import Path
from typing import NamedTuple

from play import refusal

GAMES = 2000
NAME = "bots"  # of the table in README.md
HEAD = ("kind", "against", "players", "won", "95 % interval")


class Pairing(NamedTuple):
    """Two kinds at tables of so many seats, and the share of games that the first must win."""

    first: str
    second: str
    players: int
    must: float


PAIRINGS = (
    Pairing("hard", "baseline", 2, 0.70),
    Pairing("hard", "baseline", 4, 0.60),
    Pairing("normal", "easy", 2, 0.60),
    Pairing("normal", "easy", 4, 0.60),
)


def first_wins(pairing: Pairing, seed: int) -> bool:
    """Play the game with that number; the placings take turns, and so do the two kinds in each."""
    from itertools import combinations

    from p2pdice.bots import LEVELS
    from p2pdice.rules import PRESETS
    from tests.bots.arena import Baseline, play

    bots = {**LEVELS, "baseline": Baseline()}
    placings = list(combinations(range(pairing.players), pairing.players // 2))
    ours = placings[seed % len(placings)]
    kinds = [pairing.first if seat in ours else pairing.second for seat in range(pairing.players)]
    (winner,) = play(PRESETS["perudo"], [bots[kind] for kind in kinds], seed)
    return winner in ours


def wilson(won: int, games: int) -> "tuple[float, float]":
    """The 95 % interval of a share, by Wilson's score."""
    z = 1.959964
    share = won / games
    middle = (share + z * z / (2 * games)) / (1 + z * z / games)
    reach = z / (1 + z * z / games) * sqrt(share * (1 - share) / games + z * z / (4 * games * games))
    return middle - reach, middle + reach


def row(pairing: Pairing, won: int, games: int) -> "tuple[str, ...]":
    """A line of the table, without anything around it."""
    low, high = wilson(won, games)
    cells = (pairing.first, pairing.second, pairing.players, f"{won / games:.1%}", f"{low:.1%} to {high:.1%}")
    return tuple(str(cell).replace("%", " %") for cell in cells)


def table(rows: "Iterable[tuple[str, ...]]") -> str:
    """The rows under their heading, as README.md has them."""
    lines = [HEAD, ("---",) * len(HEAD), *rows]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)


def write(text: str, path: Path) -> None:
    """Put a table where README.md has the old one."""
    readme = path.read_text(encoding="utf-8")
    before, mark, rest = readme.partition(f"<!-- table: {NAME} -->\n")
    after = rest[rest.index("<!-- end -->"):]
    path.write_text(before + mark + text + after, encoding="utf-8", newline="\n")


def main(args: "list[str]") -> int:
    import argparse
    from concurrent.futures import ProcessPoolExecutor
    from functools import partial

    from _venv import ROOT, within

    parser = argparse.ArgumentParser(description="Let the bots of p2pdice play each other.")
    parser.add_argument("--games", type=int, default=GAMES, metavar="N", help="games of each pairing (%(default)s)")
    parser.add_argument("--write", action="store_true", help="also put the table into README.md")
    options = parser.parse_args(args)
    status = within(__file__, args)
    if status is not None:
        return status

    rows, missed = [], False
    with ProcessPoolExecutor(os.cpu_count()) as processes:
        for pairing in PAIRINGS:
            won = sum(processes.map(partial(first_wins, pairing), range(options.games), chunksize=25))
            rows.append(row(pairing, won, options.games))
            missed = missed or won < pairing.must * options.games
            print(*rows[-1], f"(must: {pairing.must:.0%})", sep="  ", flush=True)
    print("", table(rows), sep="\n", end="")
    if options.write:
        write(table(rows), ROOT / "README.md")
    return int(missed)


if __name__ == "__main__":
    message = refusal(sys.version_info[:2])
    sys.exit(message or main(sys.argv[1:]))
