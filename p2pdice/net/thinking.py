"""The bots of this process: which seats they play and how well, and that each decides after a pause, when people have
seen what it answers. Must not know links or files, nor how a bot comes to its choice."""

import asyncio
import contextlib
import random
from collections.abc import Callable
from functools import partial

from p2pdice.bots import LEVELS, Bot
from p2pdice.protocol.errors import LocalFault
from p2pdice.protocol.events import Event, MayCall, MayOblige, TurnBegan
from p2pdice.protocol.peer import Peer
from p2pdice.rules import CALZO, IllegalAction

SHOWING_S = 0.2  # how often a bot looks whether the cups that went up have been shown

Callback = Callable[[], None]


class Bots:
    """`levels`: who plays, by the key of the seat."""

    def __init__(self, pace_s: float, *, guarded: Callable[[Callback], Callback], telling: Callable[[], bool],
                 moved: Callback) -> None:
        """`guarded(callback)`: the same for the event loop, with somebody to tell of its faults; `telling()`: whether
        people are still being told what has happened; `moved()`: a bot has decided."""
        self.levels: dict[bytes, Bot] = {}
        self._pace_s = pace_s
        self._guarded = guarded
        self._telling = telling
        self._moved = moved
        self._timers: set[asyncio.TimerHandle] = set()
        self._random = random.SystemRandom()

    def packed(self) -> bytes:
        """`levels` in a form that outlives the process."""
        names = {id(bot): name for name, bot in LEVELS.items()}
        return " ".join(f"{key.hex()}={names[id(bot)]}" for key, bot in sorted(self.levels.items())).encode()

    def take_up(self, packed: bytes, person: bytes) -> None:
        """The levels of an earlier process, but for the seat with the key `person`. Raises ValueError."""
        found = {bytes.fromhex(key): level for key, level in (pair.split("=") for pair in packed.decode().split())}
        self.levels |= {key: LEVELS[level] for key, level in found.items() if level in LEVELS and key != person}

    def follow(self, event: Event, peer: Peer) -> None:
        """Something has happened at the table; it may be a bot's turn."""
        match event:
            case TurnBegan(seat=seat) | MayOblige(seat=seat):
                self._think(peer, seat, self._choose)
            case MayCall(seat=seat):
                self._think(peer, seat, self._choose_call)

    def cancel(self) -> None:
        """Nobody decides any more."""
        for timer in self._timers:
            timer.cancel()

    def _think(self, peer: Peer, seat: int, decide: Callable[[Peer, int, Bot], None]) -> None:
        """Let the bot of a local seat decide, after the pace that people expect."""
        session = peer.session
        bot = self.levels.get(session.seated.players[seat].key) if session else None
        if bot and session:
            self._wait(self._pace_s, partial(self._due, peer, session.ledger.slot, partial(decide, peer, seat, bot)))

    def _wait(self, pause_s: float, then: Callback) -> None:
        self._timers.add(asyncio.get_running_loop().call_later(pause_s, self._guarded(then)))

    def _due(self, peer: Peer, slot: int, decide: Callback) -> None:
        now = asyncio.get_running_loop().time()
        self._timers = {timer for timer in self._timers if timer.when() > now}
        if self._telling():
            self._wait(max(SHOWING_S, self._pace_s), partial(self._due, peer, slot, decide))
            return
        session = peer.session
        if session and not session.closed and session.ledger.slot in (slot, slot + 1):
            with contextlib.suppress(LocalFault, IllegalAction):  # the moment has passed
                decide()
            self._moved()

    def _choose(self, peer: Peer, seat: int, bot: Bot) -> None:
        peer.act(seat, bot.choose(peer.view(seat), self._random), asyncio.get_running_loop().time())

    def _choose_call(self, peer: Peer, seat: int, bot: Bot) -> None:
        now = asyncio.get_running_loop().time()
        if bot.choose_call(peer.view(seat), self._random):
            peer.act(seat, CALZO, now)
        else:
            peer.waive(seat, now)
