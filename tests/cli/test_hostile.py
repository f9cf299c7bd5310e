"""Names and chat from people who mean no good, in every mode: nothing they hold reaches a terminal or breaks a line."""

import json
import sys
import unicodedata
from io import StringIO

import pytest
from prompt_toolkit.application import create_app_session
from prompt_toolkit.input import DummyInput
from prompt_toolkit.output import DummyOutput

from p2pdice.cli.app import App
from p2pdice.cli.jsonl import Json
from p2pdice.cli.plain import Plain
from p2pdice.protocol import events
from tests.cli.scripted import HOSTILE, hostile
from tests.cli.terminal import Terminal
from tests.cli.test_screen import elimination

PAIRS = range(0, len(HOSTILE), 2)


def _inert(text: str) -> bool:
    """Whether a text holds nothing that acts, hides or turns around."""
    return not any(unicodedata.category(char) in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp") for char in text)


@pytest.mark.parametrize("first", PAIRS)
def test_plain_mode_is_inert(first: int) -> None:
    """Every line is one of ours, and every character one that can be seen."""
    out, quiet = StringIO(), StringIO()
    for told, stream in ((hostile(elimination().events, first), out), (elimination().events, quiet)):
        plain = Plain(None, stream, piped=True)
        for event in told:
            plain.show(event)
    lines = out.getvalue().split("\n")
    assert all(map(_inert, lines))
    said = sum(line.startswith(f"{clean_name} says: ") for line in lines for clean_name in (_second(first),))
    assert said == len(HOSTILE)
    assert len(lines) == len(quiet.getvalue().split("\n")) + said


def _second(first: int) -> str:
    plain = Plain(None, StringIO(), piped=True)
    for event in hostile(elimination().events, first):
        plain.show(event)
    return plain.table.names[1]


@pytest.mark.parametrize("first", PAIRS)
def test_json_is_inert(first: int) -> None:
    """One object a line, in ASCII; the names in it are the cleaned ones, all different."""
    out = StringIO()
    frontend = Json(None, out)
    for event in hostile(elimination().events, first):
        frontend.show(event)
    assert out.getvalue().isascii()
    found = [json.loads(line) for line in out.getvalue().splitlines()]
    assert [each["event"] for each in found].count("chat") == len(HOSTILE) + 1  # and the one of the story
    [table] = [each for each in found if each["event"] == "table"]
    assert len(set(table["seats"])) == 3
    assert all(map(_inert, table["seats"]))
    assert all(_inert(each["text"]) for each in found if each["event"] == "chat")


@pytest.mark.parametrize("first", PAIRS)
def test_the_panel_is_inert(first: int, capsys: pytest.CaptureFixture[str]) -> None:
    """Neither markup nor escape: the panel and the printed lines are plain text."""
    with create_app_session(input=DummyInput(), output=DummyOutput()):
        app = App()
        for event in hostile(elimination().events, first):
            app.show(event)
            [(style, text, *_handler)] = app._status()
            assert style == ""
            assert all(map(_inert, text.split("\n")))
    assert all(map(_inert, capsys.readouterr().out.split("\n")))


@pytest.mark.skipif(sys.platform == "win32", reason="needs pseudo-terminals")
@pytest.mark.parametrize("first", [0, 2, 8])
def test_a_real_terminal_is_not_moved_by_them(first: int) -> None:
    """No clipboard, no title, no bell, no colour of theirs, and the prompt is where it belongs."""
    with Terminal(["tests.cli.scripted", "elimination", "en", "0", str(first)]) as terminal:
        lines = terminal.until(lambda lines: any(line.startswith("* Ana") for line in lines))
        at = lines.index(">")
        assert lines[at + 1].startswith("* Ana 2/2, ")
        assert lines[at - 1] == "Your turn"
        terminal.type("/quit\r")
        assert terminal.end() == 0
    assert not any(bad in terminal.raw for bad in ("\x1b]", "\x9b", "\u202e", "\u200b", "\x1b[31m", "\x1b[2J", "\x85"))
    assert "\x07" not in terminal.raw


def test_a_hostile_title_and_room_code_are_inert() -> None:
    """What the host says of the table is somebody else's text too."""
    out = StringIO()
    plain = Plain(None, out, piped=True)
    for event in elimination().events[:2]:
        if isinstance(event, events.LobbyChanged):
            event = events.LobbyChanged(**{
                **{name: getattr(event, name) for name in event.__slots__}, "title": HOSTILE[1], "code": HOSTILE[0]
            })
        plain.show(event)
    assert all(map(_inert, out.getvalue().split("\n")))
