"""Before a table: which screen fits, and which rules are meant."""

import io
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from p2pdice.cli import houserules, options, seat, start
from p2pdice.cli.memory import Memory
from p2pdice.protocol.peer import Peer
from p2pdice.rules import make_ruleset
from tests.cli import terminal as terminals


class Terminal(io.StringIO):
    """A stream with a person at its other end."""

    def isatty(self) -> bool:
        """Yes."""
        return True


@pytest.mark.parametrize(
    ("arguments", "environment", "expected"),
    [
        (["host"], {"TERM": "xterm"}, True),
        (["host"], {}, True),
        (["host"], {"TERM": "dumb"}, False),
        (["host"], {"ACCESSIBLE": "1"}, False),
        (["host", "--plain"], {}, False),
        (["--plain", "host"], {}, False),
        (["host", "--json"], {}, False),
    ],
)
def test_a_live_prompt_is_for_terminals_that_want_one(
    arguments: list[str], environment: dict[str, str], expected: bool
) -> None:
    """Flags, a dumb terminal and ACCESSIBLE each ask for plain lines."""
    chosen = options.parse(arguments)
    assert start.wants_screen(chosen, environment, Terminal(), Terminal()) == expected


def test_both_ends_must_be_a_terminal() -> None:
    """A pipe on either side, or a stream that is missing or closed, means plain lines."""
    chosen = options.parse(["host"])
    closed = Terminal()
    closed.close()
    for other in (io.StringIO(), None, closed):
        assert not start.wants_screen(chosen, {}, Terminal(), other)
        assert not start.wants_screen(chosen, {}, other, Terminal())


REMEMBERED = Memory(system="dudo", options={"exact": "off"})


@pytest.mark.parametrize(
    ("arguments", "remembered", "system", "settings"),
    [
        (["host"], Memory(), "perudo", {}),
        (["host"], REMEMBERED, "dudo", {"exact": "off"}),
        (["host"], Memory(system="gone", options={"no": "such"}), "perudo", {}),
        (["host", "--rules", "clasico"], REMEMBERED, "clasico", {}),
        (["host", "--set", "passing=on", "exact=off"], REMEMBERED, "perudo", {"passing": "on", "exact": "off"}),
        (["join", "--set", "exact=off"], REMEMBERED, "perudo", {"exact": "off"}),
    ],
)
def test_which_rules_are_meant(
    arguments: list[str], remembered: Memory, system: str, settings: dict[str, str]
) -> None:
    """What is asked for; else, for a host, the last house rules; else perudo as it is."""
    assert houserules.chosen(options.parse(arguments), remembered) == make_ruleset(system, settings)


def test_who_joins_and_asks_for_no_rules_takes_the_tables() -> None:
    """Remembered rules are a host's."""
    assert houserules.chosen(options.parse(["join"]), REMEMBERED) is None


@pytest.mark.smoke
@pytest.mark.skipif(not hasattr(signal, "SIGHUP"), reason="needs POSIX signals")
@pytest.mark.parametrize(
    ("number", "shell"),
    [
        ("SIGINT", ()),
        ("SIGTERM", ()),
        ("SIGHUP", ()),
        # What a script starts in the background is deaf to Ctrl-C, not to these.
        ("SIGTERM", ("sh", "-c", 'trap "" INT; exec "$@"', "sh")),
        ("SIGHUP", ("sh", "-c", 'trap "" INT; exec "$@"', "sh")),
    ],
)
def test_a_signal_ends_a_real_process_with_130(number: str, shell: tuple[str, ...], tmp_path: Path) -> None:
    """The goodbye is printed, no traceback, status 130."""
    with subprocess.Popen(
        [*shell, sys.executable, "-m", "p2pdice", "host", "--no-mdns", "--bind", "127.0.0.1", "--name", "Ana"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        env={**os.environ, "P2PDICE_STATE": str(tmp_path)},
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        while "At the table" not in process.stdout.readline():
            pass
        process.send_signal(getattr(signal, number))
        assert process.wait(30) == 130
        assert process.stdout.read().endswith("You have left the table.\n")
        assert process.stderr.read() == ""


@pytest.mark.skipif(sys.platform == "win32", reason="needs pseudo-terminals")
@pytest.mark.parametrize("number", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_a_signal_while_the_network_is_loaded_leaves_the_terminal_as_it_was(tmp_path: Path, number: str) -> None:
    """The prompt is drawn before there is a game to leave; a signal then ends the program with status 130."""
    import termios

    held = tmp_path / "seat_loaded_slowly.py"
    held.write_text(
        "import os, sys, time\n"
        "class Slow:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        while name == 'p2pdice.cli.seat' and not os.path.exists(os.environ['GO_ON']):\n"
        "            time.sleep(0.01)\n"
        "sys.meta_path.insert(0, Slow())\n"
        "from p2pdice.cli.main import main\n"
        "sys.exit(main(sys.argv[1:]))\n", encoding="utf-8")
    with terminals.Terminal(["seat_loaded_slowly", "host", "--no-mdns", "--bind", "127.0.0.1", "--name", "Ana"],
                            environment={"PYTHONPATH": str(tmp_path), "P2PDICE_STATE": str(tmp_path / "state"),
                                         "GO_ON": str(tmp_path / "go-on")}) as terminal:
        own = os.dup(terminal.child.child_fd)
        before = termios.tcgetattr(own)
        terminal.until(lambda lines: any(line.startswith(">") for line in lines))
        assert termios.tcgetattr(own)[3] != before[3], "the prompt reads keys one by one"
        terminal.child.kill(getattr(signal, number))
        (tmp_path / "go-on").touch()
        assert terminal.end() == 130
        assert termios.tcgetattr(own)[3] == before[3]
        os.close(own)


@pytest.mark.parametrize(("table", "name", "title"), [
    ("x" * 200, "Ana", "x" * 64), ("\x1b[31mRojo\n", "Ana", "[31mRojo"), ("\u200b", "Ana", "Ana"),
    (None, "ก" * 24, "ก" * 21),
])
async def test_a_title_is_one_that_can_be_sent(table: str | None, name: str, title: str, tmp_path: Path) -> None:
    """What others may show, and as much of it as the table's card holds; without one the host's name, cut like it."""
    chosen = options.parse(["host", "--state", str(tmp_path), *(["--table", table] if table else [])])
    chosen.pace = 0.0
    driver = await seat.driver(chosen, name, make_ruleset("perudo", {}))
    peer = driver._make_peer(driver, b"")
    assert isinstance(peer, Peer)
    assert peer.lobby.title == title
    driver.identity.release()
