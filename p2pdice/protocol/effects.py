"""What a process at a table wants done: what it asks of whoever holds its files, its links and its screen, and in which
order. Must not know why."""

from dataclasses import dataclass, field

from p2pdice.protocol import frames
from p2pdice.protocol.events import Event
from p2pdice.protocol.kept import Others
from p2pdice.protocol.messages import Signed


@dataclass
class Effects:
    """What there is to do, in this order: keep what must outlive a crash, append the records, both flushed, then send,
    dial, tell the screen. What is kept holds the records too, so that a crash between the two loses neither."""

    keep: dict[str, bytes] | None = None  # replaces what was kept before
    records: list[tuple[str, Signed]] = field(default_factory=list)
    keeps_records: bool = False  # whether what is kept holds them
    anew: bool = False  # they take the place of all that were recorded before
    sends: list[tuple[bytes, bytes]] = field(default_factory=list)  # (link, frame)
    dials: list[Others] = field(default_factory=list)
    drops: list[bytes] = field(default_factory=list)  # links to close, after what is sent to them
    events: list[Event] = field(default_factory=list)

    def send(self, link: bytes, frame: frames.Frame) -> None:
        """One frame over one link."""
        self.sends.append((link, frames.encode(frame)))
