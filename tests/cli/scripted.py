"""A game whose dice are known, at a real terminal: `python -m tests.cli.scripted STORY LANGUAGE PACE` plays one of the
stories of test_screen.py with the real screen, and waits for whoever sits there at each turn of seat 0. With a fourth
argument, a number, the others have the HOSTILE names from that one on."""

import asyncio
import sys
from collections.abc import Iterable, Iterator
from dataclasses import replace

from p2pdice.cli import language
from p2pdice.cli.app import App
from p2pdice.cli.play import Play
from p2pdice.protocol import events
from p2pdice.rules import Action, RoundBegan, Special, View
from tests.cli.fakes import FakeDriver
from tests.cli.stories import Story
from tests.cli.test_screen import STORIES

HOSTILE = (
    "\x1b[31mRed\x1b[0m", "\x1b]52;c;AAAA\x07clip", "\x9b2Jclear", "bell\x07\x07", "\u202eesrever\u202c",
    "zero\u200bwidth", "<b>&amp;{name}%s", "lone\ud800surrogate", "日本語の名前がとても長い人です",
    "❤\ufe0f👨\u200d👩\u200d👧🏽", "\r\n> 5x3\n", "\u2028\u2029\x85",
)


def hostile(told: Iterable[events.Event], first: int) -> Iterator[events.Event]:
    """The same events with two such names, and with each of them said as chat once the game has begun."""
    for event in told:
        if isinstance(event, events.LobbyChanged | events.TableFormed):
            event = replace(event, names=(event.names[0], HOSTILE[first], HOSTILE[first + 1]))
        yield event
        if isinstance(event, events.TableFormed):
            yield from (events.ChatSaid(1, text) for text in HOSTILE)


class Scripted(FakeDriver):
    """Tells a story, and after each turn of seat 0 goes on once a move came, whatever it was."""

    def __init__(self, story: Story) -> None:
        super().__init__()
        self._story = story
        self._moved = asyncio.Event()
        self._watched = self._open = False

    async def run(self) -> int:
        """The whole story."""
        due = False
        for place, event in enumerate(self._story.events):
            if due:
                await self._moved.wait()
            if self.done.is_set():
                break
            self._moved.clear()
            self.seen = self._story.views.get(place, self.seen)
            self.tell(event)
            due = self._stops(event)
        await self.done.wait()
        return self.status

    def _stops(self, event: events.Event) -> bool:
        """Whether somebody has to do something now; where nobody has a seat, whether there is something to look at."""
        if isinstance(event, events.TableFormed):
            self._watched = event.you == events.NOBODY
        if isinstance(event, RoundBegan):
            self._open = event.special is Special.OPEN
        if self._watched:
            return self._open and isinstance(event, events.TurnBegan)
        return isinstance(event, events.TurnBegan | events.MayOblige) and event.seat == 0

    def act(self, action: Action) -> None:
        """The move of seat 0 has come."""
        self._moved.set()

    def quit(self) -> None:
        """Whoever sits there leaves."""
        super().quit()
        self._moved.set()

    def view(self) -> View | None:
        """What seat 0 knew at its last turn."""
        return self.seen


def main(name: str, spoken: str, pace: str, first: str = "") -> int:
    """Play one story to its end."""
    language.use(spoken)
    story = STORIES[name]()
    if first:
        story.events = list(hostile(story.events, int(first)))

    async def play() -> int:
        return await Play(Scripted(story), App(), pace_s=float(pace), watching=name == "watching").run()

    return asyncio.run(play())


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
