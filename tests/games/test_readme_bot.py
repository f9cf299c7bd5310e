"""The player of README.md's section for programs, taken out of it and run."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import require
from tests.games.tablehouse import LIMIT_S, ROOT, House, open_house
from tests.games.test_losses import LOCAL
from tests.games.test_processes import address
from tests.test_readme import BOT, README


@pytest.fixture
def loopback(tmp_path: Path) -> Iterator[House]:
    with open_house(tmp_path) as made:
        yield made


def test_twenty_lines_play_a_whole_game(loopback: House, tmp_path: Path) -> None:
    """Against two bots, to the end, without one move that is refused; the table hears nothing unusual from it."""
    require(os.name == "posix", "the command is put on PATH by a shell script")
    [source] = BOT.findall(README.read_text("utf-8"))
    assert source.count("\n") <= 20
    (tmp_path / "bot.py").write_text(source, encoding="utf-8")
    command = tmp_path / "bin" / "p2pdice"
    command.parent.mkdir()
    said = tmp_path / "said"
    command.write_text(f"#!/bin/sh\n'{sys.executable}' -m p2pdice \"$@\" 2>&1 | tee '{said}'\n", "utf-8")
    command.chmod(0o755)

    host = loopback.start("host", "--json", "--auto", "normal", "--bots", "1", "--players", "3", *LOCAL)
    variables = os.environ | {"PATH": f"{command.parent}:{os.environ['PATH']}", "P2PDICE_STATE": str(tmp_path / "bot"),
                              "PYTHONPATH": str(ROOT)}
    subprocess.run([sys.executable, str(tmp_path / "bot.py"), address(host), *LOCAL], env=variables, check=True,
                   timeout=LIMIT_S)
    assert host.status() == 0
    assert host.report().verdict == "clean"
    lines = said.read_text("utf-8")
    assert '"reason":"won"' in lines
    assert '"event":"error"' not in lines
    assert '"auto":true' not in lines
