"""The screen for people at a terminal: lines scroll above a prompt, a few lines under it show where the game stands.

No alternate screen and no mouse, so that a killed process leaves the terminal as it was. It redraws on events only.
"""

import contextlib
from collections.abc import Iterator, Sequence

from prompt_toolkit import PromptSession
from prompt_toolkit.application import get_app_or_none
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document
from prompt_toolkit.formatted_text import StyleAndTextTuples
from prompt_toolkit.input.typeahead import clear_typeahead
from prompt_toolkit.patch_stdout import patch_stdout
from prompt_toolkit.shortcuts import CompleteStyle
from prompt_toolkit.styles import Style

from p2pdice.cli import screen, vocabulary
from p2pdice.cli.bindings import bindings
from p2pdice.cli.commands import plain_form
from p2pdice.cli.language import _
from p2pdice.cli.table import Table
from p2pdice.cli.words import typed
from p2pdice.protocol import events

# Reverse video over several lines is hard to read and says nothing.
_STYLE = Style([("bottom-toolbar", "noreverse"), ("bottom-toolbar.text", "noreverse")])
_COLUMNS = 80


class App:
    """A frontend on prompt_toolkit; give `read` no second call before the first has returned."""

    piped = False

    def __init__(self) -> None:
        self._screen = screen.Screen(detailed=False)
        self.table = self._screen.table
        self._asking = False
        self._warned = False
        self._session: PromptSession[str] = PromptSession(
            message=self._message,
            bottom_toolbar=self._status,
            key_bindings=bindings(interrupted=self._interrupted, ended=self._ended),
            completer=_Legal(self.table),
            complete_while_typing=False,
            complete_style=CompleteStyle.READLINE_LIKE,
            reserve_space_for_menu=0,
            erase_when_done=True,
            style=_STYLE,
        )

    @contextlib.contextmanager
    def open(self) -> Iterator[None]:
        """Prints from anywhere in the process go above the prompt."""
        with patch_stdout():
            yield

    def show(self, event: events.Event) -> None:
        """Print what `event` says and redraw the status."""
        self.answer(self._screen.tell(event))
        app = get_app_or_none() or self._session.app
        app.invalidate()

    def answer(self, lines: Sequence[str]) -> None:
        """Print lines above the prompt, in one go."""
        rows = [row for line in lines for row in self._rows(line)]
        if rows:
            print("\n".join(rows), flush=True)

    def refuse(self, reason: str, message: str) -> None:
        """Print why a line did nothing."""
        self.answer([message])

    async def read(self) -> str | None:
        """The next line typed; None when the person leaves."""
        while True:
            # A terminal without bracketed paste sends pasted lines as if Enter had been pressed after each: the first
            # counts, what came with it is dropped.
            clear_typeahead(self._session.app.input)
            self._warned = False
            try:
                text = await self._session.prompt_async(handle_sigint=False)
            except EOFError:
                return None
            if not self._asking:
                return text
            self._asking = False
            if plain_form(text) in vocabulary.YES:
                return None

    def _rows(self, line: str) -> list[str]:
        # A command is meant to be copied: the terminal may break it, we do not.
        return [line] if "p2pdice " in line else screen.wrapped(line, self._columns())

    def _columns(self) -> int:
        return self._session.app.output.get_size().columns or _COLUMNS

    def _message(self) -> str:
        return _("Leave the game? (yes/no) ") if self._asking else "> "

    def _status(self) -> StyleAndTextTuples:
        return [("", "\n".join(screen.status(self.table, self._columns())))]

    def _interrupted(self) -> None:
        if self._warned:
            self._session.app.exit(exception=EOFError())
        else:
            self._warned = True
            self.answer([_("Ctrl-C once more leaves the game; so does /quit.")])

    def _ended(self) -> None:
        self._asking = True


class _Legal(Completer):
    """Tab offers what is legal now, and nothing else."""

    def __init__(self, table: Table) -> None:
        self._table = table

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterator[Completion]:
        start = document.text_before_cursor
        for action in (*self._table.legal, *self._table.may_call):
            if (word := typed(action)).startswith(start):
                yield Completion(word, start_position=-len(start))
