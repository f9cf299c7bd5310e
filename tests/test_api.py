"""What programs in Python may rely on: the examples in the packages run, and their lists of names are complete."""

import doctest
import importlib
import json
import re
from pathlib import Path

import pytest

import p2pdice
from p2pdice import rules

VECTORS = Path(__file__).parent / "vectors"


@pytest.mark.parametrize("name", ["p2pdice.rules", "p2pdice.protocol", "p2pdice.bots"])
def test_examples_say_what_comes_out(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each package's own example runs as it stands, beside a file of a finished game."""
    case = json.loads((VECTORS / "transcripts.json").read_text("utf-8"))["cases"][0]
    (tmp_path / "game.p2pdice").write_bytes(bytes.fromhex(case["file"]))
    monkeypatch.chdir(tmp_path)
    result = doctest.testmod(importlib.import_module(name), optionflags=doctest.IGNORE_EXCEPTION_DETAIL)
    assert result.attempted >= 4
    assert result.failed == 0


def test_every_public_name_of_the_rules_is_listed_once() -> None:
    """The list by purpose in the package's docstring is that of `__all__`."""
    assert rules.__doc__
    lines = rules.__doc__.partition("what they are for:\n\n")[2].splitlines()
    listed = [name for line in lines for name in line[12:].split()]
    assert sorted(listed) == sorted(rules.__all__)


def test_the_package_names_its_parts_for_programs() -> None:
    """What the first docstring sends a reader to is there."""
    assert p2pdice.__doc__
    names = re.findall(r"`(p2pdice\.[a-z.]+)`", p2pdice.__doc__)
    assert len(names) == 3
    for name in names:
        importlib.import_module(name)
