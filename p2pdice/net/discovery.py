"""Tables on this network, announced and found by mDNS (python-zeroconf). A convenience only: what is found is a hint
from a stranger, to be asked over an authenticated channel, and whatever fails here, joining by address works."""

import asyncio
import errno
import logging
import secrets
from collections.abc import Callable, Mapping
from typing import Any

from zeroconf import (  # type: ignore[attr-defined]  # the last two are exported, only not in __all__
    DNSOutgoing,
    DNSQuestion,
    Error,
    ServiceInfo,
    ServiceStateChange,
    Zeroconf,
)
from zeroconf.asyncio import AsyncServiceBrowser, AsyncServiceInfo, AsyncZeroconf

from p2pdice.net.connect import connect
from p2pdice.net.errors import ChannelError, DiscoveryFailed
from p2pdice.net.hints import MOST_ADDRESSES, Hint, Hints, bounded, is_instance, read
from p2pdice.net.interfaces import LOOPBACK, Reach, reach
from p2pdice.net.listener import PORTS

TYPE = "_p2pdice._tcp.local."
TURN_S = 1.0
ASK_S = 3.0  # Wi-Fi loses multicast: one question is not enough (RFC 9119), nor is one announcement
ANNOUNCE_S = 5.0
POLL_S = 3.0  # no system tells us portably when a network appears
RESOLVE_MS = 3000
CLOSE_S = 2.0
MOST_HEARD = 128

_QUERY, _PTR, _IN, _UNICAST = 0, 12, 1, 1 << 15  # RFC 1035, and the unicast-response bit of RFC 6762 section 5.4

# Unhandled, its warnings and tracebacks would be written across the screen.
logging.getLogger("zeroconf").propagate = False
logging.getLogger("zeroconf").addHandler(logging.NullHandler())


class Discovery:
    """One process's share in mDNS: at most one announcement, at most one search."""

    def __init__(self, bind: str | None = None, look_around: Callable[[str | None], Reach] = reach) -> None:
        """`bind`: only the interface of that address. `look_around(bind)` says which interfaces there are."""
        self._bind = bind
        self._look_around = look_around
        self._instance = secrets.token_hex(8)
        # Unique for each process: two hosts under one server name would share both their addresses.
        self._server = f"p2pdice-{secrets.token_hex(4)}.local."
        self._reach = Reach(())
        self._zeroconf: AsyncZeroconf | None = None
        self._port = 0
        self._text: dict[str, str] = {}
        self._told: dict[str, str] = {}
        self._announced: ServiceInfo | None = None
        self._browser: AsyncServiceBrowser | None = None
        self._found: Callable[[Hint], None] = lambda hint: None
        self._gone: Callable[[str], None] = lambda instance: None
        self._hints = Hints()
        self._heard: set[str] = set()  # instances announced now, whether a hint came of them or not
        self._resolving: dict[str, asyncio.Task[None]] = {}
        self._tasks: set[asyncio.Future[Any]] = set()

    async def start(self) -> None:
        """Open the sockets. Raises DiscoveryFailed; the object is then of no further use."""
        self._reach = self._look_around(self._bind)
        self._zeroconf = _open(self._reach)
        try:
            await self._zeroconf.zeroconf.async_wait_for_start()
        except (Error, OSError) as error:
            raise DiscoveryFailed("failed", detail=str(error)) from error
        self._keep(asyncio.create_task(self._tend()))

    async def announce(self, port: int, text: Mapping[str, str]) -> None:
        """Tell the network of a table, at once and again and again; called again, replaces what is told."""
        self._port = port
        self._text = bounded(text)
        if self._announced is None:
            await self._publish()  # later changes wait for the next turn of _tend: they come in bursts

    async def withdraw(self) -> None:
        """Say that the table takes in nobody more; nothing happens if none was announced."""
        announced, self._announced = self._announced, None
        if announced is not None and self._zeroconf is not None:
            self._keep(asyncio.ensure_future(await self._zeroconf.async_unregister_service(announced)))

    def browse(self, found: Callable[[Hint], None], gone: Callable[[str], None]) -> None:
        """Search, until `aclose`: found(hint) for each table and each change in it, gone(instance) at goodbyes.

        A table on this computer may be found twice, once without any text; whose key answers there tells.
        """
        assert self._zeroconf is not None  # started
        self._found = found
        self._gone = gone
        self._browser = AsyncServiceBrowser(self._zeroconf.zeroconf, TYPE, handlers=[self._changed])
        self._ask()
        self._keep(asyncio.create_task(self._knock()))

    def forget(self, instance: str) -> None:
        """A hint led nowhere. It counts no more, and is reported again with one of the next questions, if it is still
        announced: the caller decides how often to believe it."""
        self._hints.drop(instance)

    async def aclose(self) -> None:
        """Say goodbye for what is announced, and end."""
        for task in [*self._tasks, *self._resolving.values()]:
            task.cancel()
        await asyncio.gather(*self._tasks, *self._resolving.values(), return_exceptions=True)
        if self._zeroconf is not None:
            if self._browser is not None:
                await self._browser.async_cancel()
            try:
                async with asyncio.timeout(CLOSE_S):
                    await self._zeroconf.async_close()
            except (TimeoutError, OSError, Error):
                pass  # the goodbye is a courtesy: hints are asked before anyone believes them
            self._zeroconf = None

    async def _publish(self) -> None:
        assert self._zeroconf is not None
        info = ServiceInfo(
            TYPE, f"{self._instance}.{TYPE}", port=self._port, server=self._server, properties=dict(self._text),
            parsed_addresses=list(self._reach.addresses[:MOST_ADDRESSES]))
        if self._announced is None:
            # No probing: a name with 64 random bits in it needs none, and it would cost 1.2 s (RFC 6762 section 8.1).
            sent = await self._zeroconf.async_register_service(info, cooperating_responders=True)
        else:
            sent = await self._zeroconf.async_update_service(info)
        self._announced = info
        self._told = self._text
        self._keep(asyncio.ensure_future(sent))

    async def _tend(self) -> None:
        assert self._zeroconf is not None
        zeroconf = self._zeroconf.zeroconf
        loop = asyncio.get_running_loop()
        asked = announced = polled = loop.time()
        while True:
            await asyncio.sleep(TURN_S)
            now = loop.time()
            if now - polled >= POLL_S:
                polled = now
                await self._follow_interfaces()
            if self._browser is not None and now - asked >= ASK_S:
                asked = now
                self._ask()
                await self._knock()
                for instance in self._heard:
                    if instance not in self._hints:
                        self._begin_resolving(zeroconf, instance)
            if self._announced is not None:
                if self._text != self._told:
                    await self._publish()
                elif now - announced >= ANNOUNCE_S:
                    announced = now
                    zeroconf.async_send(zeroconf.generate_service_broadcast(self._announced, None))

    async def _follow_interfaces(self) -> None:
        assert self._zeroconf is not None
        now = self._look_around(self._bind)
        if now == self._reach or not now.interfaces:
            return  # without any network the old sockets wait for it to come back
        self._reach = now
        try:
            await self._zeroconf.async_update_interfaces(now.multicast)
        except (OSError, RuntimeError, Error):
            return  # gone again; the next turn sees it
        if self._announced is not None:
            await self._publish()
        if self._browser is not None:
            self._ask()

    def _ask(self) -> None:
        # Both ways: the unicast answer comes at once and where multicast does not; but of several programs on one
        # computer, which share the port, only one gets it.
        assert self._zeroconf is not None
        for unicast in (_UNICAST, 0):
            out = DNSOutgoing(_QUERY)
            out.add_question(DNSQuestion(TYPE, _PTR, _IN | unicast))
            self._zeroconf.zeroconf.async_send(out)

    async def _knock(self) -> None:
        """Look on this computer itself, on the usual ports.

        Programs that share the mDNS port miss each other's unicast answers, and multicast ones may be a second late.
        """
        await asyncio.gather(*(self._knock_on(port) for port in PORTS if port != self._port))

    async def _knock_on(self, port: int) -> None:
        hint = Hint(f"local-{port}", ((LOOPBACK, port),))
        if hint.instance not in self._hints:
            try:
                (await connect(LOOPBACK, port)).close()
            except ChannelError:
                return
            if self._hints.add(hint):
                self._found(hint)

    def _changed(self, zeroconf: Zeroconf, service_type: str, name: str, state_change: ServiceStateChange) -> None:
        instance = name.removesuffix(f".{TYPE}")
        if not is_instance(instance) or instance == self._instance:
            return
        if state_change is ServiceStateChange.Removed:
            self._heard.discard(instance)
            if self._hints.drop(instance):
                self._gone(instance)
        elif instance in self._heard or len(self._heard) < MOST_HEARD:
            self._heard.add(instance)
            self._begin_resolving(zeroconf, instance)

    def _begin_resolving(self, zeroconf: Zeroconf, instance: str) -> None:
        if instance not in self._resolving:
            task = asyncio.create_task(self._resolve(zeroconf, instance))
            self._resolving[instance] = task
            task.add_done_callback(lambda _: self._resolving.pop(instance, None))

    async def _resolve(self, zeroconf: Zeroconf, instance: str) -> None:
        try:
            info = AsyncServiceInfo(TYPE, f"{instance}.{TYPE}")
            if not await info.async_request(zeroconf, RESOLVE_MS):
                return
            hint = read(instance, info.parsed_scoped_addresses(), info.port or 0, info.decoded_properties, self._reach)
        except (Error, OSError, ValueError):
            return  # a stranger's nonsense
        if hint is not None and self._hints.add(hint):
            self._found(hint)

    def _keep(self, task: asyncio.Future[Any]) -> None:
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


_REASONS = {errno.EADDRINUSE: "mdns-port-busy", errno.EACCES: "denied", errno.EPERM: "denied",
            errno.ENODEV: "no-interface", errno.EADDRNOTAVAIL: "no-interface"}


def _open(where: Reach) -> AsyncZeroconf:
    """Sockets on all of it; failing that, of one family: a bad IPv6 address must not cost the IPv4 ones."""
    choice = where.multicast
    if not choice:
        raise DiscoveryFailed("no-interface")
    reason, detail = "failed", ""
    for part in (choice, [one for one in choice if type(one) is str], [one for one in choice if type(one) is int]):
        if not part:
            continue
        try:
            return AsyncZeroconf(interfaces=part)
        except (OSError, RuntimeError, Error) as error:
            reason = _REASONS.get(getattr(error, "errno", None) or 0, "failed")
            detail = str(error)
    raise DiscoveryFailed(reason, detail=detail)
