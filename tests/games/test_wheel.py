"""The wheel as people get it: far from the source, it plays in every language."""

import os
import subprocess
import sys
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from p2pdice.cli.language import LANGUAGES
from tests.conftest import require
from tests.games.tablehouse import LIMIT_S, ROOT
from tests.games.test_losses import LOCAL
from tests.test_setup import built, script

GAME = ("host", "--plain", "--auto", "normal", "--bots", "1", "--players", "2", *LOCAL)
WORDS = {"en": "The game begins.", "es": "Empieza la partida.", "pt": "Começa a partida."}


def run(command: Sequence[str], folder: Path, environment: Mapping[str, str]) -> str:
    """What a command prints that ends well and complains of nothing."""
    ours = ("PYTHON", "P2PDICE", "PYENV")
    variables = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
    variables |= {"PYTHONUTF8": "1", **environment}
    done = subprocess.run(command, env=variables, cwd=folder, check=True, stdin=subprocess.DEVNULL,
                          capture_output=True, encoding="utf-8", timeout=LIMIT_S)
    assert done.stderr == ""
    return done.stdout


def plays_in(languages: Sequence[str], command: Sequence[str], folder: Path, **environment: str) -> None:
    """A game in each language, to a transcript that is clean."""
    for language in languages:
        state = folder / f"state-{language}"
        told = run([*command, *GAME, "--lang", language, "--state", str(state)], folder, environment)
        assert WORDS[language] in told
        [transcript] = state.glob("games/*.p2pdice")
        assert '"verdict": "clean"' in run([*command, "verify", str(transcript), "--json"], folder, environment)


def test_what_is_in_the_wheel_is_enough_to_play(tmp_path: Path) -> None:
    """Unpacked, with the dependencies of this environment: a game in a language that needs its catalogue."""
    unpacked = tmp_path / "unpacked"
    zipfile.ZipFile(built(tmp_path / "build")).extractall(unpacked)
    plays_in(["pt"], [sys.executable, "-m", "p2pdice"], tmp_path, PYTHONPATH=str(unpacked), PYTHONSAFEPATH="1")


@pytest.mark.long
@pytest.mark.parametrize("version", ["3.11", "3.12", "3.13"])
def test_the_installed_wheel_plays_in_every_language(version: str, tmp_path: Path,
                                                     monkeypatch: pytest.MonkeyPatch) -> None:
    """In an empty environment of each Python; the man page is where `man` looks, and completion is printed."""
    monkeypatch.syspath_prepend(str(ROOT / "scripts"))
    found = script("test").find(version)
    require(found, f"needs Python {version}")
    home = tmp_path / "home"
    subprocess.run([found[0], "-m", "venv", str(home)], check=True)
    python = script("_venv").interpreter(home)
    pip = [str(python), "-I", "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, "--require-hashes", "-r", str(ROOT / "scripts" / "requirements.txt")], check=True)
    subprocess.run([*pip, "--no-deps", str(built(tmp_path / "build"))], check=True)

    command = [str(python.with_name("p2pdice"))]
    plays_in(LANGUAGES, command, tmp_path)
    assert "host" in run([*command, "--print-completion", "bash"], tmp_path, {})
    assert (home / "share" / "man" / "man1" / "p2pdice.1").is_file()
