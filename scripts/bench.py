"""How fast p2pdice is, as ratios against a floor or a peer measured in the same run; tests measure no time, this does.

    python3 scripts/bench.py [GROUP ...] [--short | --write]

Prints a table and ends with 1 if a goal that must be met is missed. --short only shows, within a minute, that all of it
runs: the groups run side by side, and misses are only printed. --write puts the ratios into the table of README.md.
Each group is a module `_bench_GROUP.py` beside this file with `GOALS`, all the goals it measures, and
`run(short: bool) -> Iterator[Result]`.
"""

import sys
from pathlib import Path

from play import refusal

HERE = Path(__file__).resolve().parent


def groups() -> "list[str]":
    """The groups that there are."""
    return sorted(path.stem.removeprefix("_bench_") for path in HERE.glob("_bench_*.py"))


def side_by_side(chosen: "list[str]") -> int:
    """Run the short forms of several groups, a process each, at once; 1 if one of them breaks."""
    import subprocess

    running = [subprocess.Popen([sys.executable, __file__, group, "--short"], stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT, text=True) for group in chosen]
    for process in running:
        print(process.communicate()[0], end="", flush=True)
    return 1 if any(process.returncode for process in running) else 0


def main(args: "list[str]") -> int:
    import argparse
    import importlib

    from _venv import ROOT, within

    parser = argparse.ArgumentParser(description="Measure p2pdice against floors and peers.")
    parser.add_argument("groups", nargs="*", metavar="GROUP", help=f"of {', '.join(groups())}; all by default")
    extent = parser.add_mutually_exclusive_group()
    extent.add_argument("--short", action="store_true", help="a few rounds of all at once; misses are only printed")
    extent.add_argument("--write", action="store_true", help="also write the ratios into README.md")
    options = parser.parse_args(args)
    unknown = sorted(set(options.groups) - set(groups()))
    if unknown:
        parser.error(f"no such group: {', '.join(unknown)}")

    status = within(__file__, args)
    if status is not None:
        return status

    if options.short and len(options.groups) != 1:
        return side_by_side(options.groups or groups())

    from _benchmark import Unable, table, told

    readme = ROOT / "README.md"
    missed = False
    for group in options.groups or groups():
        print(f"\n== {group}", flush=True)
        try:
            results = list(importlib.import_module(f"_bench_{group}").run(options.short))
        except Unable as reason:
            print(f"not measured: {reason}")
            continue
        print(table(results), flush=True)
        if options.write:
            readme.write_text(told(readme.read_text("utf-8"), results), "utf-8")
        missed = missed or any(result.misses for result in results)
    return 1 if missed and not options.short else 0


if __name__ == "__main__":
    message = refusal(sys.version_info[:2])
    sys.exit(message or main(sys.argv[1:]))
