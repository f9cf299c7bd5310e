"""A process that watches a table: the driver's rhythm, mesh and files around a watcher, without a port, an identity or
a seat. Decides nothing that the protocol decides."""

import asyncio
import secrets
from collections.abc import Callable, Sequence
from dataclasses import replace

from p2pdice.fairness.keys import SigningKey
from p2pdice.net.dial import Address
from p2pdice.net.driver import Driver
from p2pdice.net.settings import Before, Settings
from p2pdice.net.store import SEED_BYTES, Identity
from p2pdice.protocol.events import Event, Refused
from p2pdice.protocol.peer import Peer
from p2pdice.protocol.watcher import Watcher
from p2pdice.rules import Ruleset, View


def watch_again(driver: "WatchDriver") -> "WatchDriver":
    """A driver that watches another game of the same people, where `driver` has watched one."""
    seated = driver.watcher.seated
    assert seated is not None, "a game was watched"
    assert driver.target is not None, "where it was found"
    settings = replace(driver.settings, record=None, before=Before.of(seated))
    return WatchDriver(settings, driver.target, wanted=None, code=driver.watcher.code)


class WatchDriver(Driver):
    """Whatever a player could do is refused."""

    def __init__(self, settings: Settings, table: Address, *, wanted: Ruleset | None, code: str) -> None:
        """`wanted`, `code`: as for whoever joins."""
        def make(driver: Driver, first: bytes) -> Watcher:
            return Watcher(first, wanted=wanted, code=code, random_bytes=secrets.token_bytes,
                           now=asyncio.get_running_loop().time())
        key = SigningKey(secrets.token_bytes(SEED_BYTES))  # a throw-away one: it is nobody's at the table
        super().__init__(replace(settings, identity=Identity(key, None, None)), make, table)
        self._known: dict[bytes, Sequence[Address]] = {}  # where somebody was reached who may say otherwise of itself

    @property
    def watcher(self) -> Watcher:
        assert isinstance(self.core, Watcher), "as it was made"
        return self.core

    def view(self) -> View | None:
        """What anybody may know of the round."""
        return self.watcher.view if self._core else None

    def _try(self, do: Callable[[Peer, float], None]) -> None:
        self.on_event(Refused("watching", {}))

    async def _open(self) -> None:
        """Nobody needs to reach this process."""

    async def _connect(self, routes: Sequence[Address]) -> bytes:
        first = await super()._connect(routes)
        self._known[first] = routes
        return first

    def _expect(self, key: bytes, addresses: Sequence[Address]) -> None:
        super()._expect(key, [*self._known.get(key, ()), *addresses])

    def _listening(self, addresses: tuple[str, ...]) -> None:
        self._pump()

    def _begun(self) -> None:
        """The others need not look for this process."""

    def _follow(self, event: Event) -> None:
        """Nothing is owed."""
