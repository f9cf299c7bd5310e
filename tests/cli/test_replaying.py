"""A finished game told again: its rounds, the odds at each bid, and the way through it at a terminal."""

import json
import sys
from copy import copy
from math import comb
from pathlib import Path

import pytest

from p2pdice.cli import replaying
from p2pdice.cli.clean import clean_names
from p2pdice.cli.verdict import examine, in_words
from p2pdice.cli.words import percent
from p2pdice.protocol import events
from p2pdice.protocol.audit import Report
from p2pdice.rules import Gone, Kind, RoundBegan, RoundSettled
from tests.cli.terminal import Terminal
from tests.cli.test_main import run

VECTORS = Path(__file__).parents[1] / "vectors" / "transcripts.json"


def _played(folder: Path, *options: str) -> tuple[Path, Report]:
    path = folder / "game.p2pdice"
    table = ("host", "--no-mdns", "--bind", "127.0.0.1", "--name", "Ana", "--bots", "2", "--players", "3")
    done = run(*table, "--auto", "easy", *options, "--record", str(path), P2PDICE_STATE=str(folder))
    assert done.returncode == 0, done.stderr
    return path, examine(path.read_bytes())


@pytest.fixture(scope="module")
def perudo(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Report]:
    """A game of bots."""
    return _played(tmp_path_factory.mktemp("perudo"), "--set", "starting_dice=3")


def _by_hand(report: Report) -> list[str]:
    """The chances of all bids, from the cups of their round and nothing else."""
    found: list[str] = []
    for place, event in enumerate(report.events):
        if isinstance(event, RoundBegan):
            special = event.special
            cups = next(later.cups for later in report.events[place:] if isinstance(later, events.CupsShown))
        elif isinstance(event, events.ActionMade) and event.action.kind is Kind.BID:
            face, wild = event.action.face, special is None and event.action.face != 1
            own = sum(die == face or (wild and die == 1) for die in cups[event.seat])
            unknown = sum(map(len, cups.values())) - len(cups[event.seat])
            chance = 1 / 3 if wild else 1 / 6
            needed = max(0, event.action.quantity - own)
            total = sum(comb(unknown, hits) * chance**hits * (1 - chance) ** (unknown - hits)
                        for hits in range(needed, unknown + 1))
            found.append(percent(1.0 if needed == 0 else total))
    return found


def test_each_bid_has_its_chance(perudo: tuple[Path, Report]) -> None:
    """As its bidder saw it, against a reckoning by hand."""
    _path, report = perudo
    lines = [line for chapter in replaying.chapters(report) for line in chapter.lines]
    told = [line.rpartition("(")[2].rstrip(")") for line in lines if " bids " in line and line.endswith("%)")]
    assert len(told) > 3
    assert told == _by_hand(report)


@pytest.mark.parametrize("shown", [(), (1,)])
def test_a_bid_by_dice_that_nobody_saw_has_no_chance(perudo: tuple[Path, Report], shown: tuple[int, ...]) -> None:
    """A void round never opens a cup, a doubted pass only one: what other bidders saw is not known, nor guessed at."""
    report = copy(perudo[1])
    report.events = [
        events.CupsShown({seat: event.cups[seat] for seat in shown if seat in event.cups})
        if isinstance(event, events.CupsShown) else event
        for event in report.events
    ]
    lines = [line for chapter in replaying.chapters(report) for line in chapter.lines if " bids " in line]
    assert report.seated
    names = clean_names(player.nick for player in report.seated.players)
    bidders = {
        event.seat for event in report.events
        if isinstance(event, events.ActionMade) and event.action.kind is Kind.BID
    }
    known = {names[seat] for seat in bidders.intersection(shown)}
    assert {line.partition(" bids ")[0] for line in lines if line.endswith("%)")} == known
    assert any(not line.endswith("%)") for line in lines)


def test_rounds_are_chapters(perudo: tuple[Path, Report]) -> None:
    """One for what came before, one for each round; the last one ends with the game in numbers."""
    _path, report = perudo
    chapters = replaying.chapters(report)
    assert [chapter.number for chapter in chapters] == list(range(report.rounds + 1))
    assert all(chapter.lines[0].startswith(f"Round {chapter.number}.") for chapter in chapters[1:])
    assert f"{report.rounds} rounds were played." in chapters[-1].lines
    assert sum(isinstance(event, RoundSettled) for event in report.events) == report.rounds


def test_a_round_that_is_dealt_again_is_one_chapter(perudo: tuple[Path, Report]) -> None:
    """Somebody left in the middle of round 2: asked for by its number, both tries are shown, and 3 is still 3."""
    report = copy(perudo[1])
    second = next(event for event in report.events if isinstance(event, RoundBegan) and event.round_number == 2)
    place = report.events.index(second)
    gone = Gone((), (3, 3, 3), None, None, ())
    report.events = [*report.events[:place], second, gone, *report.events[place:]]
    chapters = replaying.chapters(report)
    assert [chapter.number for chapter in chapters] == list(range(report.rounds + 1))
    assert sum(line.startswith("Round 2.") for line in chapters[2].lines) == 2


def test_blind_rounds_can_be_told(tmp_path: Path) -> None:
    """Where bidders did not see their own dice, the chance is by what they did see."""
    _path, report = _played(tmp_path, "--rules", "dudo", "--set", "starting_dice=2")
    lines = [line for chapter in replaying.chapters(report) for line in chapter.lines]
    assert any("%)" in line for line in lines)


@pytest.mark.parametrize("case", json.loads(VECTORS.read_text())["cases"], ids=lambda case: str(case["name"]))
def test_files_that_are_cut_changed_or_end_in_a_fault(case: dict[str, str], spoken: str) -> None:
    """Whatever the verdict: what there is can be told, in words and again, and nothing fails."""
    report = examine(bytes.fromhex(case["file"]))
    assert in_words(report)
    if report.seated is not None:
        assert replaying.chapters(report)


def test_verify_says_what_was_checked(perudo: tuple[Path, Report]) -> None:
    """How many signatures and dice, who with which key, and the words of the table."""
    _path, report = perudo
    lines = in_words(report)
    assert lines[0].startswith("Clean:")
    assert f"{report.signatures} signatures checked." in lines
    assert any(line.startswith(f"{report.dice} dice worked out again") for line in lines)
    assert report.seated
    assert any(report.seated.words in line for line in lines)
    for player in report.seated.players:
        assert any(player.key.hex() in line for line in lines)


@pytest.mark.skipif(sys.platform == "win32", reason="needs pseudo-terminals")
def test_stepping_through(perudo: tuple[Path, Report]) -> None:
    """Enter for the next round, a number for that one, q to leave; what is none of these is asked again."""
    path, report = perudo
    with Terminal(["p2pdice", "replay", str(path), "--lang", "en"]) as terminal:
        terminal.until("Enter: round 1;")
        assert "Round 1." not in terminal.everything()
        terminal.type("\n")
        terminal.until("Enter: round 2;")
        terminal.type(f"{report.rounds}\n")
        assert terminal.end() == 0
        assert f"Round {report.rounds}." in terminal.everything()
        assert ("Round 2." in terminal.everything()) == (report.rounds == 2)
    with Terminal(["p2pdice", "replay", str(path), "--lang", "en"]) as terminal:
        terminal.until("Enter: round 1;")
        terminal.type(f"{report.rounds + 1}\n")
        terminal.until(f"The game has rounds 1 to {report.rounds}.")
        terminal.type("round one\n")
        terminal.until(lambda lines: terminal.everything().count("The game has rounds") == 2)
        terminal.type("q\n")
        assert terminal.end() == 0
        assert "Round 1." not in terminal.everything()


@pytest.mark.skipif(sys.platform == "win32", reason="needs pseudo-terminals")
@pytest.mark.parametrize(("flags", "environment"), [(["--plain"], {}), ([], {"ACCESSIBLE": "1"})])
def test_plain_asks_nothing(perudo: tuple[Path, Report], flags: list[str], environment: dict[str, str]) -> None:
    """All of it at once, as into a pipe; the environment asks for that as well as the flag."""
    path, report = perudo
    with Terminal(["p2pdice", "replay", str(path), "--lang", "en", *flags], environment=environment) as terminal:
        assert terminal.end() == 0
        assert "Enter" not in terminal.everything()
        assert f"Round {report.rounds}." in terminal.everything()
