"""Another game with the same people, under the same rules: the host opens its table again at the same port, for them
only, and the others go there, each with the port it had. Nothing is carried over but who sits there and which bots
they bring."""

import asyncio
import secrets
from dataclasses import replace

from p2pdice.net.driver import Driver
from p2pdice.protocol.peer import Peer


def again(driver: Driver) -> Driver:
    """A driver for a new game after the one that `driver` has played; everyone has accepted these rules before."""
    session = driver.peer.session
    assert session is not None, "a game was played"
    seated = session.seated
    terms, title = seated.roster.terms, driver.peer.lobby.title
    nick, code = driver.peer.lobby.players.nick, driver.peer.lobby.door.code
    own = driver.identity.key.public
    bots = [driver.levels[player.key] for player in seated.players if player.owner == own and player.key != own]
    is_host = driver.target is None
    settings = replace(
        driver.settings,
        record=None,
        port=driver.port,  # a guest that took the first free one could take the host's, on the same computer
        consent=True,
        identity=driver.identity if driver.identity.folder is None else None,
        company=frozenset(player.key for player in seated.players),
    )

    def make_peer(new: Driver, host: bytes) -> Peer:
        now, window_s = asyncio.get_running_loop().time(), 2 * settings.pace_s
        key, random_bytes = new.identity.key, secrets.token_bytes
        if is_host:
            peer = Peer.host(key, nick, terms, title=title, needed=len(seated.players), automatic=True,
                             random_bytes=random_bytes, now=now, window_s=window_s, code=code)
        else:
            peer = Peer.join(key, nick, host, wanted=terms.rules, automatic=True, random_bytes=random_bytes, now=now,
                             window_s=window_s, code=code)
        for bot in bots:
            new.levels[peer.add_bot("bot", now)] = bot
        return peer

    return Driver(settings, make_peer, driver.target)
