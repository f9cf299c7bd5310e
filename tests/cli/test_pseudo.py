"""A language that nobody speaks, longer than any and all in brackets: whatever a person reads outside the brackets does
not come from the catalogues."""

import gettext
import re
from collections.abc import Iterable
from pathlib import Path

import pytest

from p2pdice.cli import answers, guide, language, refusals, replaying, ruletext, screen, troubles, verdict, vocabulary
from p2pdice.cli.clean import width
from p2pdice.cli.find import described
from p2pdice.cli.main import main
from p2pdice.cli.panel import PANEL_LINES, panel
from p2pdice.cli.screen import Screen
from p2pdice.cli.tally import Tally, summary
from p2pdice.net.cards import Found
from p2pdice.protocol import events
from p2pdice.rules import KEYS, PRESETS, make_ruleset
from tests.cli.stories import NAMES, lobby
from tests.cli.test_main import run
from tests.cli.test_refusals import FIELDS, LOCAL_FAULTS, RULES
from tests.cli.test_screen import STORIES

# Names, addresses and what is typed or kept as it is.
UNTRANSLATED = {*NAMES, *PRESETS, *KEYS, "Café", "duka", "silo", "pamo", "games", "p2pdice", "hasta", "luego", "pt"}
OPEN, CLOSE = "⟦", "⟧"
_FIELD = re.compile(r"(\{[a-z_]*\}|%\([a-z_]+\)[sr]|%[sr])")
_INNER = re.compile(f"{OPEN}[^{OPEN}{CLOSE}]*{CLOSE}")


class Pseudo(gettext.NullTranslations):
    """Every text in brackets and with marks on its vowels, two fifths longer."""

    def gettext(self, message: str) -> str:
        """One text."""
        parts = _FIELD.split(message)
        accents = str.maketrans("aeiouAEIOU", "äëïöüÄËÏÖÜ")
        text = "".join(part if _FIELD.fullmatch(part) else part.translate(accents) for part in parts)
        return f"{OPEN}{text}{'~' * (len(message) * 2 // 5)}{CLOSE}"

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> str:
        """One of two texts."""
        return self.gettext(msgid1 if n == 1 else msgid2)


@pytest.fixture(autouse=True)
def _pseudo(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(language, "_catalogue", Pseudo())
    monkeypatch.setattr(language, "use", lambda name: None)


def outside(lines: Iterable[str]) -> set[str]:
    """The words that stand outside every bracket, and are not there by right."""
    found: set[str] = set()
    for line in lines:
        bare = line
        while bare != (bare := _INNER.sub(" ", bare)):
            pass
        words = re.findall(r"[^\W\d_]{2,}", re.sub(r"\S*p2pdice\S*|\[[a-z_]+=[a-z0-9-]+\]", " ", bare))
        found |= {f"{word} in {line!r}" for word in words if word not in UNTRANSLATED}
    return found


@pytest.mark.parametrize("name", STORIES)
def test_games(name: str) -> None:
    """Everything that is told of whole games, in every kind of round, and everything in the panel."""
    for detailed in (True, False):
        shown, told = Screen(detailed=detailed), []
        for event in STORIES[name]().events:
            told += shown.tell(event)
            told += panel(shown.table, 200, until="12:00:00")
        told += screen.who(shown.table) + screen.history(shown.table)
        assert len(told) > 50
        assert outside(told) == set()


def test_longer_texts_still_fit() -> None:
    """Two fifths more, and the panel keeps to its lines and to sixty columns."""
    for make in STORIES.values():
        shown = Screen(detailed=False)
        for event in make().events:
            shown.tell(event)
            lines = panel(shown.table, 60, until="12:00:00", hint=["x" * 70], brief="y " * 40)
            assert len(lines) <= PANEL_LINES
            assert all(width(line) < 60 for line in lines)


def test_events_that_no_story_has() -> None:
    """Halts, drops, faults of every kind, troubles, lobbies of both sides, a room code."""
    told: list[str] = []
    for hosting in (True, False):
        told += Screen(detailed=True).tell(lobby(make_ruleset("perudo", {"exact": "off"}), hosting=hosting))
    shown = Screen(detailed=True)
    for event in STORIES["chilean"]().events[:8]:
        shown.tell(event)
    unusual: list[events.Event] = [
        events.Halted((1,)), events.Resumed(), *(events.Dropped((1,), why, (0, 2)) for why in
        ("silent", "left", "evidence")), events.PeerLost(1), events.PeerBack(1), events.NewKey(1), events.MayOblige(1),
        events.MayOblige(0), *(events.PauseWanted(seats, paused, None) for seats, paused in
        (((0,), False), ((0, 1), False), ((0, 1, 2), True), ((), False), ((1,), False), ((), False))),
        *(events.FaultProved(1, kind, b"") for kind in
        ("EQUIV", "BAD_OPEN", "BAD_REVEAL", "BAD_BOX", "FALSE_COMPLAINT", "ILLEGAL", "BAD_SEAL", "BAD_HALT")),
    ]
    for event in unusual:
        told += shown.tell(event) + panel(shown.table, 200)
    assert outside(told) == set()


def test_answers_and_refusals() -> None:
    """Help, usage, nonsense, and a sentence for every reason."""
    table = Screen(detailed=True).table
    told = [*guide.help_lines(table), guide.nonsense("??", table), guide.nonsense("/??", table)]
    told += answers.odds(None, "") + [guide.usage(name) for name in sorted(set(vocabulary.SLASHES.values()))]
    told += [refusals.refusal(reason, FIELDS, NAMES) for reason in (*RULES, *LOCAL_FAULTS)]
    told += [line for reason in ("abandoned", "forked", "convicted", "dropped", "left", "host-left", "host-lost",
                                 "toss-failed", "table-full") for line in refusals.closing(reason, FIELDS, None)]
    told += [line for reason in ("refused", "timeout", "port-taken", "failed", "no-network")
             for line in troubles.trouble(reason, {"port": 1})]
    assert outside(told) == set()


@pytest.mark.parametrize("system", PRESETS)
def test_rules_of_every_system(system: str) -> None:
    """The whole rule texts."""
    assert outside([*ruletext.describe(PRESETS[system]), *ruletext.systems()]) == set()


def test_the_end_of_a_game_and_tables(tmp_path: Path) -> None:
    """Summaries, verify and replay of a real game, and a table in a list."""
    record = tmp_path / "g.p2pdice"
    done = run("host", "--no-mdns", "--bind", "127.0.0.1", "--name", "Ana", "--auto", "easy", "--bots", "1",
               "--players", "2", "--set", "starting_dice=2", "--record", str(record), P2PDICE_STATE=str(tmp_path))
    assert done.returncode == 0
    report = verdict.examine(record.read_bytes())
    told = [line for chapter in replaying.chapters(report) for line in chapter.lines]
    told += summary(Tally(), NAMES)
    told += [line for line in verdict.in_words(report)]
    words = set((report.seated.words if report.seated else "").split("-"))
    keys = {word for line in told for word in re.findall(r"[0-9a-f]{64}", line)}
    told += [described(Found("ab12", "Café", NAMES, 3, "perudo", "open", ("10.0.0.5", 1)))]
    clean = [re.sub("|".join([*words, *keys, "bot"]), " ", line) for line in told]
    assert outside(line.replace("ab12", " ") for line in clean) == set()


def test_help_of_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    """--help holds flags, placeholders in capitals and texts of the catalogues; the rest is argparse's own."""
    for command in ("host", "join", "find", "verify", "replay", "rules", "referee"):
        with pytest.raises(SystemExit):
            main([command, "--help"])
        shown = " ".join(capsys.readouterr().out.split())
        assert OPEN in shown
