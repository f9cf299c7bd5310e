"""The screen for people at a terminal: lines scroll above a prompt, a few lines under it show where the game stands.

No alternate screen and no mouse, so that a killed process leaves the terminal as it was. The panel stands below the
prompt, because then the cursor is on the first line that is ever redrawn: a terminal that folds the lines below it
anew when its size changes leaves nothing behind. It redraws on events and keys only.
"""

import asyncio
import contextlib
import sys
import time
from collections.abc import Callable, Iterator, Sequence

from prompt_toolkit import PromptSession
from prompt_toolkit.application import get_app_or_none
from prompt_toolkit.buffer import Buffer
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document
from prompt_toolkit.filters import Always
from prompt_toolkit.formatted_text import StyleAndTextTuples
from prompt_toolkit.input.typeahead import clear_typeahead
from prompt_toolkit.layout.controls import BufferControl
from prompt_toolkit.patch_stdout import patch_stdout
from prompt_toolkit.shortcuts import CompleteStyle
from prompt_toolkit.styles import Style

from p2pdice.cli import telling, vocabulary
from p2pdice.cli.bindings import bindings
from p2pdice.cli.clean import rows
from p2pdice.cli.commands import Move, parse, plain_form
from p2pdice.cli.language import _
from p2pdice.cli.panel import panel
from p2pdice.cli.screen import Screen
from p2pdice.cli.words import typed
from p2pdice.protocol import events
from p2pdice.rules import Action

# Reverse video over several lines is hard to read and says nothing.
_STYLE = Style([("bottom-toolbar", "noreverse"), ("bottom-toolbar.text", "noreverse")])
_COLUMNS = 80
GLANCE_S = 0.3  # nobody reads what came less long ago, and decides


class App:
    """A frontend on prompt_toolkit; give `read` no second call before the first has returned."""

    piped = False

    def __init__(self) -> None:
        self.restart()
        self._asking = False
        self._warned = False
        self._kept = ""
        self._drawn: asyncio.Task[str] | None = None  # a prompt that stands, and nobody has read yet
        self._session: PromptSession[str] = PromptSession(
            message=self._message,
            bottom_toolbar=self._status,
            key_bindings=bindings(interrupted=self._interrupted, ended=self._ended),
            completer=_Legal(self._legal),
            complete_while_typing=False,
            complete_style=CompleteStyle.READLINE_LIKE,
            reserve_space_for_menu=0,
            erase_when_done=True,
            enable_suspend=True,
            style=_STYLE,
        )
        self._session.default_buffer.on_text_changed += self._typing
        for window in self._session.layout.find_all_windows():
            if isinstance(window.content, BufferControl) and window.content.buffer is self._session.default_buffer:
                # Else the panel hangs at the bottom of what it once needed, with a gap above it.
                window.dont_extend_height = Always()
        self._faces = _can_show("\u2680", sys.stdout.encoding)

    def restart(self) -> None:
        """Another table: nothing is remembered of the one before."""
        self._screen = Screen(detailed=False)
        self.table = self._screen.table
        self._until = ""
        self._hint: Sequence[str] = ()
        self._brief = ""
        self._moved_at = 0.0
        self._begun: tuple[int, int] | None = None  # where the game stood when the line was begun
        self._begun_due = False  # and whether this seat could have done something then

    @contextlib.contextmanager
    def open(self) -> Iterator[None]:
        """Prints from anywhere in the process go above the prompt."""
        with patch_stdout():
            yield

    async def draw(self) -> None:
        """Show the prompt now; what is typed into it is what the first `read` gets."""
        self._drawn = asyncio.create_task(self._session.prompt_async(handle_sigint=False))
        await asyncio.sleep(0)  # it draws itself before it waits for anything

    def show(self, event: events.Event) -> None:
        """Print what `event` says and redraw the panel."""
        position = self.table.position
        self.answer(self._screen.tell(event))
        if self.table.position != position:
            self._moved_at = time.monotonic()
            self._hint = ()
        if isinstance(event, events.TurnBegan | events.PauseWanted):
            self._until = "" if event.seconds is None else _time_of_day(event.seconds)
        self._redraw()

    def answer(self, lines: Sequence[str]) -> None:
        """Print lines above the prompt, in one go."""
        shown = [row for line in lines for row in rows(line, self._columns())]
        if shown:
            print("\n".join(shown), flush=True)

    def hint(self, lines: Sequence[str], brief: str) -> None:
        """Show the odds in the panel until somebody moves."""
        self._hint, self._brief = lines, brief
        self._redraw()

    def refuse(self, reason: str, message: str) -> None:
        """Print why a line did nothing."""
        self.answer([message])

    def keep(self, text: str) -> None:
        """The next prompt begins with this text, as typed now."""
        self._kept = text
        self._begun, self._begun_due = self.table.position, self._can_act()

    async def read(self) -> str | None:
        """The next line typed; None when the person leaves."""
        while True:
            # A terminal without bracketed paste sends pasted lines as if Enter had been pressed after each: the first
            # counts, what came with it is dropped.
            if not self._drawn:
                clear_typeahead(self._session.app.input)
            self._warned = False
            kept, self._kept = self._kept, ""
            if not kept:
                self._begun = None
            prompting, self._drawn = self._drawn, None
            try:
                text = await (prompting or self._session.prompt_async(default=kept, handle_sigint=False))
            except EOFError:
                return None
            if self._asking:
                self._asking = False
                if plain_form(text) in vocabulary.YES:
                    return None
            elif isinstance(parse(text), Move) and self._is_late():
                self.refuse("not-now", _("The table has moved on while you typed: look again, then press Enter."))
                self.keep(text)
            else:
                return text

    def _is_late(self) -> bool:
        """Whether the line was begun for a turn that has passed, or finished before anyone could see what is new."""
        if self._begun is None or self._begun == self.table.position:
            return False
        return self._begun_due or time.monotonic() - self._moved_at < GLANCE_S

    def _typing(self, buffer: Buffer) -> None:
        if not buffer.text:
            self._begun = None
        elif self._begun is None:
            self._begun, self._begun_due = self.table.position, self._can_act()

    def _can_act(self) -> bool:
        return self.table.to_move or bool(self.table.may_call)

    def _redraw(self) -> None:
        app = get_app_or_none() or self._session.app
        app.invalidate()

    def _columns(self) -> int:
        return self._session.app.output.get_size().columns or _COLUMNS

    def _message(self) -> str:
        return _("Leave the game? (yes/no) ") if self._asking else "> "

    def _status(self) -> StyleAndTextTuples:
        size = self._session.app.output.get_size()
        lines = panel(
            self.table,
            size.columns or _COLUMNS,
            rows=size.rows,
            until=self._until,
            hint=self._hint,
            brief=self._brief,
            faces=self._faces,
        )
        return [("", "\n".join(lines))]

    def _legal(self) -> Sequence[Action]:
        return (*self.table.legal, *self.table.may_call)

    def _interrupted(self) -> None:
        if self._warned:
            self._ended()
        else:
            self._warned = True
            self.answer([_("Ctrl-C once more asks whether you want to leave; /quit leaves.")])

    def _ended(self) -> None:
        if self._asking:  # whoever goes on pressing means it
            self._session.app.exit(exception=EOFError())
        self._asking = True


class _Legal(Completer):
    """Tab offers what is legal now, and nothing else: on an empty line the least bid on each face and the calls."""

    def __init__(self, legal: Callable[[], Sequence[Action]]) -> None:
        self._legal = legal

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterator[Completion]:
        start = document.text_before_cursor
        legal = self._legal()
        for action in legal if start.strip() else telling.least(legal):
            if (word := typed(action)).startswith(start.lstrip()):
                yield Completion(word, start_position=-len(start))


def _can_show(text: str, encoding: str | None) -> bool:
    try:
        text.encode(encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def _time_of_day(seconds: float) -> str:
    """The clock on the wall in so many seconds; it needs no redrawing, unlike seconds that run down."""
    return time.strftime("%H:%M:%S", time.localtime(time.time() + seconds))
