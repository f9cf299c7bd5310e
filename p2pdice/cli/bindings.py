"""Keys at the prompt, where they differ from what the toolkit does by itself."""

from collections.abc import Callable

from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.keys import Keys


def bindings(*, interrupted: Callable[[], None], ended: Callable[[], None]) -> KeyBindings:
    """Ctrl-C and Ctrl-D drop or delete what was typed; on an empty line they call `interrupted` and `ended`."""
    keys = KeyBindings()

    @keys.add("c-c")
    def _interrupt(event: KeyPressEvent) -> None:
        if event.current_buffer.text:
            event.current_buffer.reset()
        else:
            interrupted()

    @keys.add("c-d")
    def _end(event: KeyPressEvent) -> None:
        if event.current_buffer.text:
            event.current_buffer.delete()
        else:
            ended()

    @keys.add(Keys.BracketedPaste)
    def _paste(event: KeyPressEvent) -> None:
        # One line at most, and never with Enter: pasted text must not make a move that nobody looked at.
        event.current_buffer.insert_text(next(iter(event.data.splitlines()), ""))

    return keys
