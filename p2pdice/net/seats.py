"""The ways to a seat of a new game: opening a table, joining one, and playing again with the same people. Each makes a
driver that runs by itself; nothing here knows what happens at the table."""

import asyncio
import secrets
from collections.abc import Sequence
from dataclasses import replace

from p2pdice.bots import LEVELS, Bot
from p2pdice.net.dial import Address
from p2pdice.net.driver import Driver
from p2pdice.net.settings import Before, Settings
from p2pdice.protocol import roomcode
from p2pdice.protocol.peer import Peer
from p2pdice.protocol.roster import Terms
from p2pdice.rules import Ruleset


def host(settings: Settings, *, title: str | None, rules: Ruleset, players: int | None, bots: int, bot_level: str,
         turn_time_s: int, drop_time_s: int, code: str | None = None) -> Driver:
    """A driver that opens a table, with `bots` of its own; it starts by itself at `players` seats, if given. `code`:
    the room code, "" to make one, None for none."""
    if code is not None:
        code = roomcode.normal(code) or roomcode.make(secrets.token_bytes)
    return _host(settings, Terms(rules, turn_time_s, drop_time_s), title or settings.name, players or 0,
                 [LEVELS[bot_level]] * bots, code or "")


def join(settings: Settings, table: Address, *, wanted: Ruleset | None, code: str = "") -> Driver:
    """A driver that joins the table at an address; `wanted`: rules that the table must have; `code`: its room code."""
    return _join(settings, table, wanted, [], code)


def again(driver: Driver) -> Driver:
    """A driver for a new game after the one that `driver` has played. The host opens its table at the same port, for
    the same people only, and the others go there, each with the port it had; everyone has accepted these rules before.
    Nothing is carried over but who sits there and which bots they bring."""
    session, lobby = driver.peer.session, driver.peer.lobby
    assert session is not None, "a game was played"
    seated = session.seated
    terms, own = seated.roster.terms, driver.identity.key.public
    bots = [driver.bots.levels[player.key] for player in seated.players if player.owner == own and player.key != own]
    settings = replace(
        driver.settings,
        name=lobby.players.nick,
        record=None,
        port=driver.port,  # a guest that took the first free one could take the host's, on the same computer
        consent=True,
        identity=driver.identity if driver.identity.folder is None else None,
        before=Before.of(seated),
    )
    if driver.target is None:
        return _host(settings, terms, lobby.title, len(seated.players), bots, lobby.door.code)
    return _join(settings, driver.target, terms.rules, bots, lobby.door.code)


def _host(settings: Settings, terms: Terms, title: str, needed: int, bots: Sequence[Bot], code: str) -> Driver:
    def make_peer(driver: Driver, _: bytes) -> Peer:
        now = asyncio.get_running_loop().time()
        peer = Peer.host(driver.identity.key, settings.name, terms, title=title, needed=needed,
                         automatic=settings.consent, random_bytes=secrets.token_bytes, now=now,
                         window_s=2 * settings.pace_s, code=code, only=_only(settings))
        return _with_bots(peer, driver, bots, now)
    return Driver(settings, make_peer, None)


def _join(settings: Settings, table: Address, wanted: Ruleset | None, bots: Sequence[Bot], code: str) -> Driver:
    def make_peer(driver: Driver, host_key: bytes) -> Peer:
        now = asyncio.get_running_loop().time()
        peer = Peer.join(driver.identity.key, settings.name, host_key, wanted=wanted, automatic=settings.consent,
                         random_bytes=secrets.token_bytes, now=now, window_s=2 * settings.pace_s, code=code,
                         only=_only(settings))
        return _with_bots(peer, driver, bots, now)
    return Driver(settings, make_peer, table)


def _only(settings: Settings) -> frozenset[bytes]:
    return settings.before.owners if settings.before else frozenset()


def _with_bots(peer: Peer, driver: Driver, bots: Sequence[Bot], now: float) -> Peer:
    for bot in bots:
        driver.bots.levels[peer.add_bot("bot", now)] = bot
    return peer
