"""A game whose dice are known, at a real terminal: `python -m tests.cli.scripted STORY LANGUAGE PACE` plays one of the
stories of test_screen.py with the real screen, and waits for whoever sits there at each turn of seat 0."""

import asyncio
import sys

from p2pdice.cli import language
from p2pdice.cli.app import App
from p2pdice.cli.play import Play
from p2pdice.protocol import events
from p2pdice.rules import Action, View
from tests.cli.fakes import FakeDriver
from tests.cli.stories import Story
from tests.cli.test_screen import STORIES


class Scripted(FakeDriver):
    """Tells a story, and after each turn of seat 0 goes on once a move came, whatever it was."""

    def __init__(self, story: Story) -> None:
        super().__init__()
        self._story = story
        self._moved = asyncio.Event()

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
            due = isinstance(event, events.TurnBegan | events.MayOblige) and event.seat == 0
        await self.done.wait()
        return self.status

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


def main(name: str, spoken: str, pace: str) -> int:
    """Play one story to its end."""
    language.use(spoken)

    async def play() -> int:
        return await Play(Scripted(STORIES[name]()), App(), pace_s=float(pace)).run()

    return asyncio.run(play())


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
