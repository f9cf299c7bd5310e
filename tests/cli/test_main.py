"""The command as it is run: exit statuses, complaints, and how little it loads."""

import errno
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from p2pdice import __version__
from p2pdice.cli import troubles
from p2pdice.cli.main import main

HEAVY = ("prompt_toolkit", "zeroconf", "cryptography", "asyncio", "msgpack", "p2pdice.rules", "p2pdice.net")


def run(*arguments: str, stdin: str = "", **environment: str) -> subprocess.CompletedProcess[str]:
    """The command in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "p2pdice", *arguments],
        input=stdin,
        capture_output=True,
        encoding="utf-8",
        env={**os.environ, "PYTHONIOENCODING": "utf-8", "LANGUAGE": "en", **environment},
        timeout=60,
        check=False,
    )


@pytest.mark.smoke
@pytest.mark.parametrize("arguments", [["--version"], ["--help"], ["host", "--help"], []])
def test_help_and_version_load_nothing_heavy(arguments: Sequence[str]) -> None:
    """Neither the toolkit nor the network nor the rules are loaded to say who one is."""
    code = (
        "import sys, contextlib\n"
        "from p2pdice.cli.main import main\n"
        "with contextlib.suppress(SystemExit), contextlib.redirect_stdout(None): main(sys.argv[1:])\n"
        "print(*sorted(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, encoding="utf-8", check=True)
    loaded = set(done.stdout.split())
    assert "p2pdice.cli.main" in loaded
    assert not loaded & set(HEAVY)
    if arguments == ["--version"]:
        assert not loaded & {"argparse", "enum", "gettext", "json", "signal", "p2pdice.cli.options"}


@pytest.mark.smoke
def test_a_host_draws_its_prompt_before_the_network_is_loaded() -> None:
    """What the first prompt needs has neither links nor keys nor mDNS in it, nor anything that only a game needs."""
    code = "import sys, p2pdice.cli.start, p2pdice.cli.app; print(*sys.modules)"
    loaded = set(subprocess.check_output([sys.executable, "-c", code], encoding="utf-8").split())
    assert "prompt_toolkit" in loaded
    assert not loaded & {"zeroconf", "cryptography", "msgpack", "spake2", "p2pdice.net.driver", "p2pdice.protocol.peer"}


@pytest.mark.smoke
def test_a_table_opens_without_what_only_a_game_needs() -> None:
    """Sessions are loaded when a game begins, the room code's groups when there is a code."""
    code = "import sys, p2pdice.cli.seat; print(*sys.modules)"
    loaded = set(subprocess.check_output([sys.executable, "-c", code], encoding="utf-8").split())
    assert "p2pdice.protocol.peer" in loaded
    assert not loaded & {"spake2", "p2pdice.protocol.session", "p2pdice.protocol.audit"}


@pytest.mark.skipif(sys.platform == "win32", reason="no pseudo-terminals")
@pytest.mark.parametrize(("columns", "environment"), [(64, {}), (100, {}), (100, {"COLUMNS": "60"})])
def test_help_is_as_wide_as_the_terminal(columns: int, environment: dict[str, str]) -> None:
    """No line is cut by the terminal in the middle of a word; COLUMNS, where it is set, counts more."""
    from tests.cli.terminal import Terminal

    with Terminal(["p2pdice", "host", "--help"], columns, 100, environment) as terminal:
        while terminal.read(1.0):
            pass
        lines = [line.rstrip() for line in terminal.screen.display if line.strip()]
    most = int(environment.get("COLUMNS", columns))
    assert most - 20 < max(map(len, lines)) < most


@pytest.mark.skipif(sys.platform == "win32", reason="no pseudo-terminals")
@pytest.mark.parametrize("arguments", [
    ("rules", "dudo", "--lang", "es"), ("verify", "/nowhere/" + "at all/" * 20),
    ("host", "--plain", "--bots", "1", "--players", "2", "--auto", "easy", "--set", "starting_dice=1",
     "--bind", "127.0.0.1", "--no-mdns"),
])
def test_what_is_printed_at_a_terminal_breaks_between_words(arguments: Sequence[str], tmp_path: Path) -> None:
    """The terminal would cut a word in two; into a pipe the lines go whole."""
    from tests.cli.terminal import Terminal

    with Terminal(["p2pdice", *arguments], 50, 24, {"P2PDICE_STATE": str(tmp_path)}) as terminal:
        while terminal.read(5.0):
            pass
        assert 40 < terminal.widest() < 50
    assert max(map(len, run("rules", "dudo").stdout.splitlines())) > 100


@pytest.mark.smoke
def test_version() -> None:
    """One line, status 0."""
    done = run("--version")
    assert (done.returncode, done.stdout) == (0, f"p2pdice {__version__}\n")


WRONG = {
    ("dance",): "dance",
    ("host", "--rules", "poker"): "poker: no such rule system; there are perudo, dudo, clasico, perudo-pt, doodoo",
    ("host", "--set", "exact"): "exact: must be KEY=VALUE",
    ("host", "--set", "exact=maybe"): "exact=maybe: not a value of exact; allowed: off, turn, anyone",
    ("host", "--set", "dice=3"): "dice: no such option; there are starting_dice",
    ("host", "--players", "1"): "--players: 1: must be a whole number from 2 to 32",
    ("host", "--players", "seven"): "seven: must be a whole number",
    ("host", "--rules", "clasico", "--players", "7"): "these rules take 2 to 6 players, not 7",
    ("host", "--bots", "3", "--players", "3"): "3 bots and you do not fit on 3 seats",
    ("host", "--pace", "nan"): "nan: must be a number of seconds",
    ("host", "--port", "0"): "0: must be a whole number from 1 to 65535",
    ("host", "--lang", "tlh"): "tlh: not a language spoken here; possible: en, es, pt",
    ("join", "--wait", "-1"): "-1: must be a number of seconds",
    ("join", "somewhere", "else"): "unrecognized arguments: else",
    ("rules", "poker"): "poker: no such rule system",
    ("rules", "perudo", "--set", "rounds=0"): "rounds=0: not a value of rounds; allowed: 1-100",
    ("referee",): "FILE",
    ("referee", "/nowhere/at/all"): "/nowhere/at/all: cannot be read",
    ("verify", "/nowhere/at/all"): "/nowhere/at/all: cannot be read",
    ("replay", os.devnull): "not a transcript",
}


@pytest.mark.parametrize(("arguments", "said"), WRONG.items())
def test_wrong_usage_is_status_2_with_a_hint(
    arguments: tuple[str, ...], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """One line that names what is wrong and what is allowed, a hint under it, nothing on standard output."""
    assert main(arguments) == 2
    out, err = capsys.readouterr()
    first, hint, *_rest = err.splitlines()
    assert out == ""
    assert first.startswith("p2pdice: ")
    assert said in first
    assert hint


@pytest.mark.parametrize("arguments", [("host", "--bogus"), ("join", "somewhere", "else"), ("host", "--port", "0")])
def test_the_hint_names_the_help_of_the_command(
    arguments: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    """That of the program tells nothing of the command's options."""
    assert main(arguments) == 2
    assert capsys.readouterr().err.endswith(f"\np2pdice {arguments[0]} --help shows what is possible\n")


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has its own words, in the language of its user")
def test_what_the_system_says_is_translated(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], spoken: str
) -> None:
    """A file that cannot be read or written is told why in the reader's language, not in the system's."""
    said = {
        "en": ("no such file or folder", "that is a folder", "it exists already"),
        "es": ("no existe", "es una carpeta", "ya existe"),
        "pt": ("não existe", "é uma pasta", "já existe"),
    }[spoken]
    there = tmp_path / "there"
    there.touch()
    assert main(["verify", str(tmp_path / "nowhere"), "--lang", spoken]) == 2
    assert f": {said[0]}\n" in capsys.readouterr().err
    assert main(["verify", str(tmp_path), "--lang", spoken]) == 2
    assert f": {said[1]}\n" in capsys.readouterr().err
    assert troubles.system(os.strerror(errno.EEXIST)) == said[2]
    assert troubles.system("something else") == "something else"


def test_complaints_speak_the_readers_language(capsys: pytest.CaptureFixture[str]) -> None:
    """The language is known before the arguments are judged."""
    assert main(["host", "--lang", "es", "--rules", "poker"]) == 2
    assert "no hay tal sistema de reglas" in capsys.readouterr().err
    assert main(["--lang=pt", "dance"]) == 2
    assert "não vale" in capsys.readouterr().err


def test_help_speaks_the_readers_language(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """argparse's own words are translated too."""
    monkeypatch.setenv("P2PDICE_LANG", "es")
    with pytest.raises(SystemExit) as ended:
        main(["host", "--help"])
    assert ended.value.code == 0
    out = capsys.readouterr().out
    assert out.startswith("uso: p2pdice host")
    assert "mostrar esta ayuda y salir" in out


@pytest.mark.smoke
def test_rules_of_a_system(spoken: str) -> None:
    """Printed in the reader's language, also where the terminal has no letters for it."""
    done = run("rules", "dudo", "--lang", spoken, PYTHONIOENCODING="ascii:strict")
    assert done.returncode == 0
    assert done.stderr == ""
    assert done.stdout.startswith("dudo: ")


def test_rules_without_a_system_lists_them(capsys: pytest.CaptureFixture[str]) -> None:
    """The five systems, a line each."""
    assert main(["rules"]) == 0
    assert [line.split(":")[0] for line in capsys.readouterr().out.splitlines()[:5]] == [
        "perudo", "dudo", "clasico", "perudo-pt", "doodoo",
    ]


def test_verify_of_what_is_no_transcript(capsys: pytest.CaptureFixture[str]) -> None:
    """Status 2, and the same in JSON."""
    assert main(["verify", os.devnull]) == 2
    assert "Not a transcript." in capsys.readouterr().out
    assert main(["verify", "--json", os.devnull]) == 2
    assert json.loads(capsys.readouterr().out)["verdict"] == "unreadable"


@pytest.mark.smoke
def test_a_reader_that_goes_away_is_no_error() -> None:
    """`p2pdice rules dudo | head -1` ends quietly."""
    command = subprocess.Popen(
        [sys.executable, "-m", "p2pdice", "rules", "dudo"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert command.stdout is not None
    assert command.stderr is not None
    command.stdout.close()
    assert command.stderr.read() == b""
    command.stderr.close()
    assert command.wait(60) == 0
