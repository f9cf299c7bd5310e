"""README.md against the code: commands parse, samples run, tables are printed from the code, paths exist.

`python -m tests.test_readme --write` prints the tables and the sample's answer into it again.
"""

import argparse
import contextlib
import importlib
import re
import subprocess
import sys
from collections.abc import Callable, Iterable
from io import StringIO
from pathlib import Path

import pytest

import p2pdice
from p2pdice.cli import language, options
from p2pdice.cli.commands import Nonsense, parse
from p2pdice.cli.refereeing import Teller, _explain
from p2pdice.cli.ruletext import systems
from p2pdice.rules import KEYS, LIMITS, PRESETS
from p2pdice.rules.referee import Referee

ROOT = Path(__file__).parent.parent
README = ROOT / "README.md"
# The table of speed is the benchmark's to fill, that of bots the arena's.
TABLE = re.compile(r"(<!-- table: (?P<name>(?!speed|bots)[a-z]+) -->\n).*?(<!-- end -->)", re.DOTALL)
INPUT = re.compile(r"<!-- sample: input -->\n```text\n(.*?)```", re.DOTALL)
OUTPUT = re.compile(r"(<!-- sample: output -->\n```text\n)(.*?)(```)", re.DOTALL)
BOT = re.compile(r"<!-- sample: bot -->\n```python\n(.*?)```", re.DOTALL)
SHELL = re.compile(r"```sh\n(.*?)```", re.DOTALL)

FOLDERS = {
    "p2pdice/rules": "the game: systems, bids, rounds, odds, the referee; pure",
    "p2pdice/fairness": "keys, shares, commitments, dice, boxes; no network, no turns",
    "p2pdice/protocol": "what is said and when, evidence, transcripts; no input or output",
    "p2pdice/bots": "players that are programs, and see what one seat sees",
    "p2pdice/net": "links, finding tables, files: asyncio around the protocol",
    "p2pdice/cli": "commands, the screen, the words in three languages",
    "tests": "in the same folders, with vectors from a second implementation",
    "scripts": "set-up, tests, benchmarks, a second verifier, makers of vectors and of the man page",
}


def _table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    lines = [list(head), ["---" for _ in head], *map(list, rows)]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)


def commands() -> str:
    """The subcommands, as --help has them."""
    parser = options._parser()
    [chosen] = [action for action in parser._actions if isinstance(action, argparse._SubParsersAction)]
    helped = {each.dest: each.help or "" for each in chosen._get_subactions()}
    return _table(("command", "what it does"), ((f"`{name}`", helped[name]) for name in chosen.choices))


def rule_systems() -> str:
    """The five systems in a line each, as `p2pdice rules` lists them."""
    told = dict(line.split(": ", 1) for line in systems() if ": " in line)
    return _table(("system", "what it is"), ((f"`{name}`", told[name]) for name in PRESETS))


def rule_options() -> str:
    """What each system sets."""
    players = ["players", *(f"{low}-{high}" for low, high in (LIMITS[name].players for name in PRESETS))]
    rows = [[f"`{key}`", *(rules.options()[key] for rules in PRESETS.values())] for key in KEYS]
    return _table(("option", *PRESETS), [players, *rows])


def folders() -> str:
    """Where things are."""
    return _table(("folder", "what is in it"), ((f"`{name}`", text) for name, text in FOLDERS.items()))


TABLES: dict[str, Callable[[], str]] = {
    "commands": commands, "systems": rule_systems, "options": rule_options, "folders": folders,
}


def judged(sample: str) -> str:
    """What the referee says of the sample."""
    out = StringIO()
    referee = Referee(_explain)
    teller = Teller(referee)
    for event in referee.judge(sample.encode().splitlines()):
        print(*teller.tell(event), sep="\n", file=out)
    print(*teller.rest(), sep="\n", file=out)
    return out.getvalue()


def written(text: str) -> str:
    """README.md as it has to be."""
    language.use("en")
    text = TABLE.sub(lambda found: found[1] + TABLES[found["name"]]() + found[3], text)
    [sample] = INPUT.findall(text)
    return OUTPUT.sub(lambda found: found[1] + judged(sample) + found[3], text)


def test_tables_and_sample_are_those_of_the_code() -> None:
    """Nothing in a table is written by hand, and the referee says what the sample says it does."""
    text = README.read_text("utf-8")
    assert [found["name"] for found in TABLE.finditer(text)] == list(TABLES)
    assert written(text) == text


def test_the_referee_command_says_the_same() -> None:
    """The sample, through the command."""
    text = README.read_text("utf-8")
    [sample], [(_head, answer, _tail)] = INPUT.findall(text), OUTPUT.findall(text)
    done = subprocess.run([sys.executable, "-m", "p2pdice", "--lang", "en", "referee", "-"], input=sample,
                          capture_output=True, encoding="utf-8", cwd=ROOT, check=False)
    assert (done.stdout, done.returncode) == (answer, 1)  # one line of it is refused


def _command_lines() -> list[str]:
    text = README.read_text("utf-8")
    lines = [line.partition("#")[0].strip() for block in SHELL.findall(text) for line in block.splitlines()]
    return [*lines, *re.findall(r"`(p2pdice [^`]+)`", text)]


def test_every_command_line_is_one() -> None:
    """Each parses as it stands; scripts exist."""
    lines = _command_lines()
    assert len(lines) >= 9
    for line in lines:
        first, *rest = line.split()
        if first == "p2pdice" and rest != ["ARGS"]:
            with contextlib.suppress(SystemExit):  # those that print something and end; a wrong one is a Complaint
                options.parse(rest)
        elif first == "python3":
            assert (ROOT / rest[0]).is_file(), line
        else:
            assert first == "p2pdice", line


@pytest.mark.parametrize("line", ["p2pdice rules perudo", "p2pdice --version"])
def test_lines_that_need_no_table_run(line: str) -> None:
    """They end with status 0 and say something."""
    done = subprocess.run([sys.executable, "-m", *line.split()], capture_output=True, cwd=ROOT, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout


def test_what_is_typed_is_understood() -> None:
    """Each example of the prompt is a move or a command."""
    [prompt] = re.findall(r"^At the prompt:.*?\n\n", README.read_text("utf-8"), re.DOTALL | re.MULTILINE)
    typed = re.findall(r"`([^`]+)`", prompt)
    assert len(typed) >= 9
    assert not [text for text in typed if isinstance(parse(text), Nonsense)]


def test_paths_exist_and_no_folder_is_missing() -> None:
    """Everything named is there, and every part of the package is named."""
    text = README.read_text("utf-8")
    for name in {*FOLDERS, *re.findall(r"\]\(([^)]+)\)", text), *re.findall(r"`([a-z0-9_/]+\.py)`", text)}:
        assert (ROOT / name).exists(), name
    parts = {f"p2pdice/{path.name}" for path in (ROOT / "p2pdice").iterdir() if (path / "__init__.py").exists()}
    assert parts <= set(FOLDERS)


def test_speeds_are_of_goals_that_the_benchmark_measures(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each row names a goal as it stands in the code, and its ratio is the benchmark's verdict; none is there twice."""
    monkeypatch.syspath_prepend(str(ROOT / "scripts"))
    bench, benchmark = importlib.import_module("bench"), importlib.import_module("_benchmark")
    groups = [importlib.import_module(f"_bench_{group}") for group in bench.groups()]
    goals = {(goal.name, goal.figure, goal.against): goal for group in groups for goal in group.GOALS}
    rows = benchmark.speeds(README.read_text("utf-8"))
    assert len({row[:3] for row in rows}) == len(rows)
    for *named, ratio, lowest, highest, must, aim, verdict in rows:
        goal = goals[tuple(named)]
        assert (must, aim) == goal.limits
        assert float(lowest) <= float(ratio) <= float(highest)
        rounded = [benchmark.Result(goal, [float(ratio) + part], "", "") for part in (-0.005, 0, 0.005)]
        assert verdict in {result.verdict for result in rounded}


def test_bots_are_as_strong_as_they_must_be(monkeypatch: pytest.MonkeyPatch) -> None:
    """A row for each pairing of the arena, with a share inside its interval and not below what must be reached."""
    monkeypatch.syspath_prepend(str(ROOT / "scripts"))
    arena = importlib.import_module("arena")
    [block] = re.findall(r"<!-- table: bots -->\n(.*?)<!-- end -->", README.read_text("utf-8"), re.DOTALL)
    head, _rule, *rows = ([cell.strip() for cell in line.strip("|").split("|")] for line in block.splitlines())
    assert head == list(arena.HEAD)
    for pairing, (first, second, players, won, interval) in zip(arena.PAIRINGS, rows, strict=True):
        assert (first, second, players) == (pairing.first, pairing.second, str(pairing.players))
        share, low, high = (float(cell.removesuffix(" %")) / 100 for cell in (won, *interval.split(" to ")))
        assert low < share < high
        assert share >= pairing.must


def test_the_newest_change_is_this_version() -> None:
    """The list of changes begins with the version that is here."""
    changes = README.read_text("utf-8").partition("## Changes")[2]
    assert re.findall(r"^- ([0-9.]+):", changes, re.MULTILINE)[0] == p2pdice.__version__


if __name__ == "__main__" and "--write" in sys.argv:
    README.write_text(written(README.read_text("utf-8")), "utf-8")
