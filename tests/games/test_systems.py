"""Whole games of every rule system by real processes; each is written down in notation, and the referee, who knows
nothing of the network, comes to the same results."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from p2pdice.rules import PRESETS
from tests.games.tablehouse import House, Seat, open_house
from tests.games.test_losses import LOCAL
from tests.games.test_processes import address, one_clean_game

# Settings under which a short game has what makes a system special: blind rounds, exact calls out of turn, a race.
GAMES = [
    *((system, ()) for system in sorted(PRESETS)),
    ("dudo", ("starting_dice=2",)),
    ("clasico", ("starting_dice=3", "exact_with_two=on")),
    ("dudo", ("format=points", "rounds=4", "exact=anyone", "exact_requires=nothing")),
]


@pytest.fixture
def loopback(tmp_path: Path) -> Iterator[House]:
    with open_house(tmp_path) as made:
        yield made


def results(seat: Seat) -> list[dict[str, object]]:
    """The results a process told, as JSON objects."""
    return [event for line in seat.lines if line.startswith("{") and (event := json.loads(line))["event"] == "result"]


@pytest.mark.parametrize(("system", "settings"), GAMES, ids=lambda value: value if isinstance(value, str) else ",".join(
    value) or "plain")
def test_a_whole_game_and_the_referee_agrees(loopback: House, tmp_path: Path, system: str,
                                             settings: tuple[str, ...]) -> None:
    """Three processes play; the transcript is clean, and its notation refereed gives every result again."""
    house_rules = [part for setting in settings for part in ("--set", setting)]
    host = loopback.start("host", "--json", "--auto", "normal", "--players", "3", "--rules", system, *house_rules,
                          "--name", "Ana", *LOCAL)
    where = address(host)
    guests = [loopback.start("join", where, "--json", "--auto", "hard", "--name", name, *LOCAL)
              for name in ("Beto", "Caro")]
    one_clean_game([host, *guests])
    told = results(host)
    assert len(told) >= 4
    assert results(guests[0]) == results(guests[1]) == told

    transcript = next(host.state.glob("games/*.p2pdice"))
    written = tmp_path / "game.dice"
    replay = loopback.start("replay", str(transcript), "--notation", str(written))
    assert replay.status() == 0, replay.errors()
    referee = loopback.start("referee", str(written), "--json")
    assert referee.status() == 0, referee.errors()
    assert results(referee) == told
