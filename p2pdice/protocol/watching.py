"""What a process at the table shows to whoever watches through it without a seat: the lobby, the record as it grows,
and what happens beside it (protocol.md section 7). One frame for each that was asked for, so that nobody who reads
slowly is waited for or kept much for. Must not know dice, secrets or what a record means."""

from collections import deque
from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass, field

from p2pdice.protocol import frames
from p2pdice.protocol.errors import Malformed
from p2pdice.protocol.events import (
    ChatSaid,
    Closed,
    Event,
    Halted,
    LobbyChanged,
    PauseWanted,
    PeerBack,
    PeerLost,
    Resumed,
    TableFormed,
    Watched,
)
from p2pdice.protocol.messages import Signed
from p2pdice.protocol.often import NEWS_PER_MINUTE, Often

LAG_S = 10.0  # whoever has not taken what it asked for by then is watched for no longer
PACE_S = 0.2  # the past is shown no faster than a frame in so many seconds
NEWS_KEPT = 32  # for each watcher; older news are lost
ENDS = ("won", "abandoned", "forked")  # after any other end of this process the game goes on elsewhere


@dataclass
class _Watcher:
    at: int  # records shown
    last: bytes  # what its next frame must name
    asked: bool = True  # it waits for a frame
    given_at: float = 0.0
    next_at: float = 0.0  # not before
    lobby: bool = True  # it has to be told (again) who is there
    news: deque[frames.News] = field(default_factory=lambda: deque(maxlen=NEWS_KEPT))
    told_end: bool = False


class Watchers:
    """Those who watch through this process. Give it all records and events as they come, then `serve`."""

    def __init__(self) -> None:
        self.admits = True  # False: nobody new
        self.records: list[tuple[str, Signed]] = []
        self.drops: list[bytes] = []  # links to close
        self._elsewhere: dict[bytes, int] = {}  # by link, how many watch through the process behind it, if any
        self._watchers: dict[bytes, _Watcher] = {}
        self._counted = 0  # watchers of the table, as the user was told
        self._often = Often(NEWS_PER_MINUTE)
        self._end = ""
        self._now = 0.0

    def __contains__(self, link: object) -> bool:
        return link in self._watchers

    def __len__(self) -> int:
        return len(self._watchers)

    @property
    def busy(self) -> bool:
        """Whether somebody has not taken the end of the game yet."""
        return bool(self._watchers) and self._end in ENDS

    def welcome(self, link: bytes, frame: frames.Watch, now: float) -> bool:
        """Somebody asks to watch; whether there is room."""
        self._now = now
        if not self.admits or len(self._watchers) >= frames.MOST_WATCHERS or (self._end and self._end not in ENDS):
            return False
        known = (number for number in range(len(self.records), 0, -1) if self.records[number - 1][1].hash == frame.last)
        self._watchers[link] = _Watcher(next(known, 0) if frame.last else 0, frame.last)
        return True

    def received(self, link: bytes, raw: bytes, now: float) -> None:
        """The next frame of a watcher: it has taken the last one, and asks for another. Anything else costs the
        link."""
        self._now = now
        watcher = self._watchers[link]
        try:
            frame = frames.decode(raw)
        except Malformed:
            frame = None
        if watcher.asked or watcher.told_end or not isinstance(frame, frames.Watch) or frame.last != watcher.last:
            self._drop(link)  # also after the end: then it has all there is
        else:
            watcher.asked = True

    def lost(self, link: bytes) -> None:
        """The link is gone, or is a fresh one."""
        self._watchers.pop(link, None)
        self._elsewhere.pop(link, None)

    def told(self, link: bytes, count: int) -> None:
        """So many watch through the process behind a link."""
        if count:
            self._elsewhere[link] = count
        else:
            self._elsewhere.pop(link, None)

    def tick(self, now: float) -> None:
        """Let time pass: whoever lags is sent away."""
        self._now = now
        for link in [link for link, one in self._watchers.items() if not one.asked and now > one.given_at + LAG_S]:
            self._drop(link)

    @property
    def deadline(self) -> float | None:
        """When there is more to be shown to somebody."""
        waiting = (one.next_at for one in self._watchers.values() if one.asked and one.next_at > self._now)
        return min(waiting, default=None)

    def follow(self, records: Sequence[tuple[str, Signed]], events: Sequence[Event]) -> None:
        """Take in what has happened: records that are on the disk before anything else is sent, and events."""
        self.records += records
        for event in events:
            match event:
                case LobbyChanged() | TableFormed():
                    for watcher in self._watchers.values():
                        watcher.lobby = True
                case ChatSaid():
                    self._tell("chat", (event.seat,), event.text)
                case PeerLost():
                    self._tell("lost", (event.seat,))
                case PeerBack():
                    self._tell("back", (event.seat,))
                case Halted():
                    self._tell("halt", event.missing)
                case Resumed():
                    self._tell("resume", ())
                case PauseWanted():
                    self._tell("pause" if event.paused else "wish", event.seats)
                case Closed():
                    self._end = event.reason
                    if event.reason not in ENDS:
                        for link in list(self._watchers):
                            self._drop(link)

    def counted(self, mates: Container[bytes]) -> list[Event]:
        """The news of how many watch the table, through whichever process; none if it is known."""
        count = len(self._watchers) + sum([count for link, count in self._elsewhere.items() if link in mates])
        if count == self._counted or self._end or not self._often.allows(b"", self._now):
            return []
        self._counted = count
        return [Watched(count)]

    def serve(self, lobby: Callable[[], frames.Lobby]) -> list[tuple[bytes, frames.Frame]]:
        """A frame for each who waits for one, if there is something to be told; `lobby` says who is there."""
        out: list[tuple[bytes, frames.Frame]] = []
        for link, watcher in list(self._watchers.items()):
            if not watcher.asked or self._now < watcher.next_at:
                continue
            frame = self._next(watcher, lobby)
            if frame is not None:
                watcher.asked, watcher.given_at = False, self._now
                out.append((link, frame))
        return out

    def _next(self, watcher: _Watcher, lobby: Callable[[], frames.Lobby]) -> frames.Frame | None:
        if watcher.lobby:
            watcher.lobby = False
            return lobby()
        batch: list[tuple[str, bytes, bytes]] = []
        size = 0
        for kind, signed in self.records[watcher.at:watcher.at + frames.BATCH_BODIES]:
            size += len(signed.body) + 96
            if batch and size > frames.BATCH_BYTES:
                break
            batch.append((kind, *signed.value()))
        first, watcher.at = watcher.at, watcher.at + len(batch)
        if batch:
            watcher.last = self.records[watcher.at - 1][1].hash
        news = tuple(watcher.news.popleft() for _ in range(min(len(watcher.news), frames.MOST_NEWS)))
        more = watcher.at < len(self.records) or bool(watcher.news)
        watcher.next_at = self._now + PACE_S if more else 0.0
        ended = not more and bool(self._end) and not watcher.told_end
        watcher.told_end = watcher.told_end or ended
        if not batch and not news and not ended:
            return None
        return frames.Seen(first, tuple(batch), news, "more" if more else self._end or "wait")

    def _tell(self, word: str, seats: tuple[int, ...], text: str = "") -> None:
        for watcher in self._watchers.values():
            watcher.news.append((word, seats, text))

    def _drop(self, link: bytes) -> None:
        self._watchers.pop(link, None)
        self.drops.append(link)
