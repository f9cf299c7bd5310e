"""Staying findable and reachable while networks change: announces the table while seats are open, follows this
computer's addresses, and looks for players whose links are missing. Must not know rules, seats or what a frame says."""

import asyncio
import contextlib
import ipaddress
from collections.abc import Callable, Sequence

from p2pdice.net.dial import MOST_TARGETS, Address
from p2pdice.net.discovery import Discovery
from p2pdice.net.errors import DiscoveryFailed
from p2pdice.net.hints import MOST_ADDRESSES, PLAYING, Hint
from p2pdice.net.interfaces import LOOPBACK, every_interface, reach
from p2pdice.net.mesh import Mesh

POLL_S = 2.0  # no system tells us portably when an address changes
MISSING_S = 4.0  # a link that comes back by itself, by dialling, does so sooner
RETRY_S = 10.0  # for announcing, where that failed
PEER_DIGITS = 16


class Presence:
    """One process's place on the network, around its mesh."""

    def __init__(self, mesh: Mesh, bind: str | None, *, mdns: bool,
                 moved: Callable[[tuple[str, ...]], None] = lambda addresses: None,
                 troubled: Callable[[DiscoveryFailed], None] = lambda error: None) -> None:
        """moved(addresses): others reach this computer there from now on. troubled(error): tables cannot be announced,
        said once; it is tried again."""
        self._mesh = mesh
        self._bind = bind
        self._mdns = mdns
        self._on_moved = moved
        self._on_troubled = troubled
        self._reach = reach(bind)
        self._own = _own_addresses()
        self._port = 0
        self._me = ""
        self._table: dict[str, str] = {}  # what is announced while seats are open
        self._game: dict[str, str] = {}  # what is announced while players of the game are missing
        self._peers: dict[bytes, tuple[Address, ...]] = {}
        self._hinted: dict[bytes, tuple[Address, ...]] = {}  # where strangers say that they are, the latest first
        self._discovery: Discovery | None = None
        self._tending: asyncio.Task[None] | None = None
        self._withdrawing: asyncio.Task[None] | None = None
        self._told = False

    @property
    def addresses(self) -> tuple[str, ...]:
        """Where others reach this computer, the likeliest first."""
        return self._reach.addresses

    def routes(self, address: Address) -> list[Address]:
        """An address somebody typed, with the zones that a link-local one needs here."""
        host, port = address
        return [(route, port) for route in self._reach.reachable(host)]

    def open(self, port: int, own: bytes) -> None:
        """The port is open, and its owner has the key `own`: follow the network from here on."""
        self._port = port
        self._me = own.hex()[:PEER_DIGITS]
        self._tending = asyncio.create_task(self._tend())

    async def announce(self, text: dict[str, str]) -> None:
        """Tell the network of a table with open seats. Whatever fails costs the finding only, never the game."""
        self._table = text
        await self._begin()

    def expect(self, peer: bytes, addresses: Sequence[Address]) -> None:
        """`want`, at addresses that others say: numeric ones, each over every interface that it may be meant for."""
        self.want(peer, [(route, port) for host, port in addresses for route in self._usable(host)])

    def want(self, peer: bytes, addresses: Sequence[Address]) -> None:
        """Have a link to this peer at one of these addresses; those known from before are tried after them."""
        known = tuple(dict.fromkeys([*addresses, *self._peers.get(peer, ())]))[:MOST_TARGETS]
        if known != self._peers.get(peer):
            self._peers[peer] = known
            self._want(peer)

    def forget(self, peer: bytes) -> None:
        """Look for this peer no more; it may still come by itself, to learn what became of the game."""
        self._peers.pop(peer, None)
        self._hinted.pop(peer, None)
        self._mesh.forget(peer)

    def playing(self, room: str) -> None:
        """The table takes in nobody more; from here on its players look for each other when they lose each other."""
        self._table = {}
        self._game = {"v": "", "room": room, "state": PLAYING, "peer": self._me}
        self._withdrawing = asyncio.create_task(self._end())

    async def aclose(self) -> None:
        """Say goodbye and follow nothing any more."""
        if self._tending:
            self._tending.cancel()
            await asyncio.gather(self._tending, return_exceptions=True)
        if self._withdrawing:
            await self._withdrawing
        await self._end()

    async def _tend(self) -> None:
        loop = asyncio.get_running_loop()
        complete = tried = loop.time()
        while True:
            await asyncio.sleep(POLL_S)
            now = loop.time()
            self._follow()
            if self._table:
                if self._discovery is None and now - tried >= RETRY_S:
                    tried = now
                    await self._begin()
                continue
            if not self._mesh.missing:
                complete = now
                await self._end()
            elif self._game and self._discovery is None and now - complete >= MISSING_S and now - tried >= POLL_S:
                tried = now
                await self._begin()

    def _follow(self) -> None:
        own = _own_addresses()
        if own and own != self._own:
            self._own = own
            self._mesh.moved(own)
        now = reach(self._bind)
        if now == self._reach or not now.interfaces:
            return
        before, self._reach = self._reach, now
        # Without any network there is loopback, which is nowhere for others: keep telling them the old address.
        if now.addresses != before.addresses and now.addresses != (LOOPBACK,):
            self._on_moved(now.addresses)

    async def _begin(self) -> None:
        if not self._mdns or self._discovery is not None:
            return
        discovery = Discovery(self._bind)
        try:
            await discovery.start()
            await discovery.announce(self._port, self._table or self._game)
        except DiscoveryFailed as error:
            if not self._told and self._table:
                self._told = True
                self._on_troubled(error)
            return
        except BaseException:
            await discovery.aclose()
            raise
        self._discovery = discovery
        if not self._table:
            discovery.browse(self._heard, lambda instance: None)

    async def _end(self) -> None:
        discovery, self._discovery = self._discovery, None
        if discovery:
            await discovery.aclose()

    def _heard(self, hint: Hint) -> None:
        """Somebody looks for this game's players, or a program on this computer listens: it may be one who is missing.

        Whoever it is has to prove it with the key. Anybody can say such things, so they take the place of one another,
        never of what was said at the table.
        """
        if hint.room not in ("", self._game["room"]):
            return
        for peer in self._mesh.missing:
            if hint.peer in ("", peer.hex()[:PEER_DIGITS]):
                hinted = dict.fromkeys([*hint.addresses, *self._hinted.get(peer, ())])
                self._hinted[peer] = tuple(hinted)[:MOST_ADDRESSES]
                self._want(peer)

    def _want(self, peer: bytes) -> None:
        hinted = self._hinted.get(peer, ())
        self._mesh.want(peer, (*self._peers.get(peer, ())[:MOST_TARGETS - len(hinted)], *hinted))

    def _usable(self, host: str) -> list[str]:
        with contextlib.suppress(ValueError):
            ipaddress.ip_address(host)  # a name would make this computer ask its name server for a stranger
            return self._reach.routes(host)
        return []


def _own_addresses() -> frozenset[str]:
    return frozenset(str(address.ip) for interface in every_interface() for address in interface.addresses)
