"""Talk at a table: lines that everybody sees and no record holds, of a bounded length and number (protocol.md section
7.2). Must not know how they look on a screen."""

from p2pdice.protocol import frames
from p2pdice.protocol.events import ChatSaid
from p2pdice.protocol.often import Often
from p2pdice.protocol.table import Table

CHAT_CHARACTERS = 200
CHAT_PER_MINUTE = 5


class Chat:
    """Of one process."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._often = Often(CHAT_PER_MINUTE)

    def say(self, text: str) -> None:
        """A line of the user's, to everyone."""
        line = text[:CHAT_CHARACTERS]
        self._table.to_all(frames.Chat(line))
        self._said(self._table.own, line)

    def received(self, link: bytes, text: str, now: float) -> None:
        """A line of somebody else's; whoever says too much is not heard for a while."""
        if self._often.allows(link, now):
            self._said(link, text[:CHAT_CHARACTERS])

    def _said(self, key: bytes, text: str) -> None:
        order = self._table.order
        if key in order:
            self._table.effects.events.append(ChatSaid(order.index(key), text))
