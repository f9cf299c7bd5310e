"""The way back to a game that a crash interrupted: the newest unfinished one of a free identity, from its transcript
and from what was written ahead. There is no host once a game has begun, so a restarted host comes back like anyone."""

import asyncio
import secrets
from dataclasses import replace

from p2pdice.net.driver import Driver
from p2pdice.net.errors import NetError
from p2pdice.net.settings import Settings
from p2pdice.net.store import Store
from p2pdice.protocol.errors import LocalFault
from p2pdice.protocol.peer import Peer


def resume(settings: Settings) -> Driver:
    """A driver that takes the game up again. Raises NetError("nothing-to-resume") if there is none that it can be."""
    found = Store(settings.folder).resumable()
    if found is None:
        raise NetError("nothing-to-resume")
    identity, room = found

    def make_peer(driver: Driver, _: bytes) -> Peer:
        try:
            peer = Peer.resume(identity.key, transcript, kept, random_bytes=secrets.token_bytes,
                               now=asyncio.get_running_loop().time(), window_s=2 * settings.pace_s)
            if peer.lobby.room.hex() != room:  # the record of another game of this player's
                raise LocalFault("nothing-to-resume")
            driver.keeper.go_on()
        except (LocalFault, OSError) as error:
            raise NetError("nothing-to-resume") from error
        return peer

    driver = Driver(replace(settings, record=None, identity=identity), make_peer, None)
    try:
        kept, transcript = driver.keeper.take_up(room, settings.record)
        driver.bots.take_up(kept.get("levels", b""), identity.key.public)
        port = int(kept.get("port", b"0"))
        if not 0 <= port < 2**16:
            raise ValueError("no port")
        driver.usual_port = port
    except (OSError, ValueError) as error:  # Damaged is a ValueError, as is what a damaged folder makes of the rest
        identity.release()
        raise NetError("nothing-to-resume") from error
    return driver
