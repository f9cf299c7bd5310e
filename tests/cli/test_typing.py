"""Every command and every synonym, typed key by key at the inline prompt."""

import asyncio
from collections.abc import Sequence

import pytest

from p2pdice.cli import vocabulary
from p2pdice.cli.app import App
from p2pdice.cli.play import Play
from p2pdice.protocol import events
from p2pdice.rules import CALZO, DUDO, OBLIGE_CLOSED, OBLIGE_NO, OBLIGE_OPEN, PASO, bid, make_ruleset
from tests.cli.fakes import FakeDriver
from tests.cli.stories import formed, lobby
from tests.cli.test_app import keyboard

RULES = make_ruleset("dudo", {})
ALL = (bid(5, 3), DUDO, CALZO, PASO)
# What reaches the driver when "/command Beto" is typed in a game, or in the lobby; nothing where the screen answers.
IN_GAME = {
    "say": [("say", "Beto")],
    "wait": [("hold", 1, True)],
    "drop": [("hold", 1, False)],
    "pause": ["pause"],
}
IN_LOBBY = {
    "ready": ["ready"],
    "start": ["start"],
    "kick": [("kick", 1)],
    "name": [("name", "Beto")],
    "say": [("say", "Beto")],
}
ANSWERED = {"help", "rules", "odds", "history", "who", "hints"}


class Heard(App):
    """Keeps what is printed."""

    def __init__(self) -> None:
        super().__init__()
        self.said: list[str] = []
        self.reads = 0

    async def read(self) -> str | None:
        """Counted: the line before it has been dealt with."""
        self.reads += 1
        return await super().read()

    def answer(self, lines: Sequence[str]) -> None:
        """Kept instead of shown."""
        self.said += lines


async def _type(first: Sequence[events.Event], lines: Sequence[str]) -> list[tuple[list[object], list[str]]]:
    """For each line typed: what the driver was asked, and what was said."""
    found = []
    driver = FakeDriver(*first)
    with keyboard() as keys:
        app = Heard()
        run = asyncio.create_task(Play(driver, app).run())
        for line in [*lines, "/quit"]:
            while not app._session.app.is_running:
                await asyncio.sleep(0.001)
            driver.asked.clear()
            app.said.clear()
            keys.send_text(f"{line}\r")
            reads = app.reads
            while app.reads == reads and not run.done():
                await asyncio.sleep(0.001)
            found.append((list(driver.asked), list(app.said)))
        assert await run == 0
    return found[:-1]


async def test_every_slash_command_in_a_game() -> None:
    """Each in three languages: it reaches the driver, or is answered, and is never unknown."""
    before = {"quit", "bot", *IN_LOBBY} - {"say"}
    words = sorted(word for word, name in vocabulary.SLASHES.items() if name not in before)
    found = await _type([formed(RULES)], [f"/{word} Beto" for word in words])
    for word, (asked, said) in zip(words, found, strict=True):
        name = vocabulary.SLASHES[word]
        assert asked == IN_GAME.get(name, []), word
        assert said or name in ("say", "pause"), word
        assert not any("no such command" in line for line in said), word


async def test_every_slash_command_of_the_lobby() -> None:
    """Ready, start, kick, name and talk, in three languages."""
    words = sorted(word for word, name in vocabulary.SLASHES.items() if name in IN_LOBBY)
    found = await _type([lobby(RULES)], [f"/{word} Beto" for word in words])
    for word, (asked, _said) in zip(words, found, strict=True):
        assert asked == IN_LOBBY[vocabulary.SLASHES[word]], word


@pytest.mark.parametrize("level", sorted(vocabulary.LEVELS))
async def test_bots_of_every_level(level: str) -> None:
    """`/bot` takes the level in three languages."""
    [(asked, _said)] = await _type([lobby(RULES)], [f"/bot {level}"])
    assert asked == [("bot", vocabulary.LEVELS[level])]


@pytest.mark.parametrize("word", sorted(word for word, name in vocabulary.SLASHES.items() if name == "quit"))
async def test_every_way_to_leave(word: str) -> None:
    """Each leaves the table."""
    driver = FakeDriver(formed(RULES))
    with keyboard() as keys:
        app = App()
        run = asyncio.create_task(Play(driver, app).run())
        while not app._session.app.is_running:
            await asyncio.sleep(0.001)
        keys.send_text(f"/{word}\r")
        assert await run == 0
    assert driver.asked == ["quit"]


async def test_every_call_and_choice() -> None:
    """All synonyms of doubt, exact, pass and oblige become the same moves."""
    calls = {phrase: name for name, phrases in vocabulary.CALLS.items() for phrase in phrases}
    ways = {"open": OBLIGE_OPEN, "closed": OBLIGE_CLOSED, "no": OBLIGE_NO}
    obliged = {
        f"{verb} {word}": str(ways[way])
        for verb in vocabulary.OBLIGE_VERBS
        for word, way in vocabulary.OBLIGE_WAYS.items()
    }
    expected = {**calls, **obliged, **{word: str(ways[way]) for word, way in vocabulary.OBLIGE_WAYS.items()}}
    found = await _type([formed(RULES), events.TurnBegan(0, None, ALL)], list(expected))
    assert [asked for asked, _said in found] == [[action] for action in expected.values()]


async def test_bids_in_words_and_digits() -> None:
    """Those of the documents, and directions."""
    lines = {
        "5x3": "5x3", "5 3": "5x3", "cinco treses": "5x3", "cinco tres": "5x3", "five threes": "5x3",
        "três ases": "3x1", "dos trenes": "2x3", "dos sextas": "2x6", "dos sextos": "2x6", "5x3 left": "5x3 left",
        "5x3 izquierda": "5x3 left", "5x3 esquerda": "5x3 left", "5x3 right": "5x3 right", "5x3 derecha": "5x3 right",
        "5x3 direita": "5x3 right",
    }
    found = await _type([formed(RULES), events.TurnBegan(0, None, ALL)], list(lines))
    assert [asked for asked, _said in found] == [[action] for action in lines.values()]


async def test_answers_are_given_at_the_prompt() -> None:
    """Help, rules, odds, history, who and hints each say something, in the lobby too."""
    for first in ([formed(RULES)], [lobby(RULES)]):
        found = await _type(first, [f"/{name}" for name in sorted(ANSWERED)])
        assert all(said and not asked for asked, said in found)
