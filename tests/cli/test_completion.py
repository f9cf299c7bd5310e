"""The man page and the completion of shells: both are made from the parser, and leave nothing out."""

import argparse
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from p2pdice.cli import language, options
from p2pdice.cli.main import main
from p2pdice.rules import PRESETS

SCRIPTS = Path(__file__).parent.parent.parent / "scripts"


def parsers() -> dict[str, argparse.ArgumentParser]:
    """Every subcommand's parser, by name."""
    [chosen] = [each for each in options._parser()._actions if isinstance(each, argparse._SubParsersAction)]
    return dict(chosen.choices)


def flags() -> Iterator[str]:
    """Every long option of the command and its subcommands."""
    for parser in (options._parser(), *parsers().values()):
        for action in parser._actions:
            yield from (name for name in action.option_strings if name.startswith("--"))


def completion(shell: str, capsys: pytest.CaptureFixture[str]) -> str:
    """What --print-completion prints."""
    with pytest.raises(SystemExit) as ended:
        main(["--print-completion", shell])
    assert ended.value.code == 0
    return capsys.readouterr().out


@pytest.mark.parametrize("shell", options.SHELLS)
def test_completion_knows_every_command(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    """One text on standard output, in which no command and no rule system is missing."""
    text = completion(shell, capsys)
    assert not [name for name in (*parsers(), *PRESETS) if name not in text]


def test_bash_completes_commands_flags_and_values(capsys: pytest.CaptureFixture[str]) -> None:
    """Bash itself, asked for what may follow: a command, a flag of that command, a value of that flag."""
    bash = shutil.which("bash")
    assert bash

    def candidates(*words: str) -> set[str]:
        quoted = " ".join(f"'{word}'" for word in ("p2pdice", *words))
        ask = f"COMP_WORDS=({quoted}); COMP_CWORD={len(words)}; _shtab_p2pdice; printf '%s\\n' \"${{COMPREPLY[@]}}\""
        done = subprocess.run([bash, "-c", f"{text}\n{ask}"], capture_output=True, encoding="utf-8", check=True)
        return set(done.stdout.split())

    text = completion("bash", capsys)
    assert candidates("re") == {"replay", "referee"}
    assert candidates("host", "--bot") == {"--bots", "--bot-level"}
    assert candidates("host", "--bot-level", "") == set(options.BOT_LEVELS)
    assert candidates("host", "--rules", "perudo") == {"perudo", "perudo-pt"}
    assert candidates("verify", "--lang", "") == set(language.LANGUAGES)


def test_the_man_page_is_that_of_the_parser(monkeypatch: pytest.MonkeyPatch) -> None:
    """`python scripts/manpage.py` was run after the last change of the command line."""
    monkeypatch.syspath_prepend(str(SCRIPTS))
    import manpage

    try:
        assert manpage.PAGE.read_text("utf-8") == manpage.page()
    finally:
        language.use("en")


def test_the_man_page_names_every_command_and_flag() -> None:
    """Nothing that can be typed is left out."""
    text = (SCRIPTS / "p2pdice.1").read_text("utf-8").replace("\\-", "-")
    assert set(re.findall(r"^\.SS (\S+)$", text, re.MULTILINE)) == set(parsers())
    assert set(flags()) <= set(re.findall(r"\\fB(--[a-z-]+)", text))
