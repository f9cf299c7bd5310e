"""The way back to a game that a crash interrupted: the newest unfinished one of a free identity, from its transcript
and from what was written ahead. There is no host once a game has begun, so a restarted host comes back like anyone."""

import asyncio
import secrets
from dataclasses import replace
from pathlib import Path

from p2pdice.bots import LEVELS
from p2pdice.net.driver import Driver, Settings
from p2pdice.net.errors import NetError
from p2pdice.net.files import Appender
from p2pdice.net.store import Store
from p2pdice.protocol.errors import LocalFault
from p2pdice.protocol.kept import unrecorded
from p2pdice.protocol.peer import Peer
from p2pdice.protocol.transcript import go_on_with


def resume(settings: Settings) -> Driver:
    """A driver that takes the game up again. Raises NetError("nothing-to-resume") if there is none that it can be."""
    found = Store(settings.folder).resumable()
    if found is None:
        raise NetError("nothing-to-resume")
    identity, room = found
    kept = dict(Store(settings.folder).ahead(identity, room).entries)
    try:
        path = settings.record or (Path(told) if (told := kept.get("transcript", b"").decode()) else None)
        levels = {bytes.fromhex(key): level
                  for key, level in (pair.split("=") for pair in kept.get("levels", b"").decode().split())}
        port = int(kept.get("port", b"0"))
        raw = path.read_bytes() if path else b""
        writer, whole = go_on_with(raw)
        if "roster" in kept and raw:  # the seats were not drawn yet
            raise ValueError("a game in the file of a toss")
        file = Appender.take_up(path, whole) if path else None
        missing = b"".join(writer.add(kind, signed) for kind, signed in unrecorded(kept, writer.entries))
        if file:
            file.append(missing)
    except (OSError, ValueError) as error:  # Damaged is a ValueError, as is what a damaged folder makes of the rest
        identity.release()
        raise NetError("nothing-to-resume") from error

    def make_peer(driver: Driver, _: bytes) -> Peer:
        try:
            return Peer.resume(identity.key, raw[:whole] + missing, kept, random_bytes=secrets.token_bytes,
                               now=asyncio.get_running_loop().time(), window_s=2 * settings.pace_s)
        except LocalFault as error:
            raise NetError(error.reason) from error

    driver = Driver(replace(settings, record=None, identity=identity), make_peer, None)
    driver.usual_port = port
    if file:
        driver.take_up(file, writer)
    for key, level in levels.items():
        if level in LEVELS and key != identity.key.public:
            driver.levels[key] = LEVELS[level]
    return driver
