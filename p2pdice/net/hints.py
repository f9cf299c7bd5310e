"""What strangers say about tables: parsed, bounded, and counted, so that nobody's flood hides the others. Must not
know how it came in, and believes none of it."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from p2pdice.net.dial import Address
from p2pdice.net.interfaces import Reach

MOST_ROOMS = 64
MOST_ROOMS_PER_ADDRESS = 8
MOST_ADDRESSES = 8
PLAYING = "playing"  # the state of an announcement by which the players of a game find each other again

# What an announcement may say, and how many bytes of UTF-8 each; 200 bytes together (RFC 6763 section 6.2).
TEXT_BYTES = {"v": 16, "room": 32, "title": 72, "players": 8, "state": 12, "peer": 16}

_INSTANCE = re.compile(r"[0-9a-f]{16}")


@dataclass(frozen=True, slots=True)
class Hint:
    """Somebody says that there is a table. Texts are uncleaned, of bounded length, "" where nothing was said."""

    instance: str
    addresses: tuple[Address, ...]
    v: str = ""
    room: str = ""
    title: str = ""
    players: str = ""
    state: str = ""
    peer: str = ""


class Hints:
    """The hints that count now, by instance."""

    def __init__(self) -> None:
        self._known: dict[str, Hint] = {}

    def add(self, hint: Hint) -> bool:
        """Whether it is news and within the caps; then it replaces what the instance said before."""
        others = [known for known in self._known.values() if known.instance != hint.instance]
        if self._known.get(hint.instance) == hint or len(others) >= MOST_ROOMS:
            return False
        for host, _ in hint.addresses:
            if sum(host in (other for other, _ in known.addresses) for known in others) >= MOST_ROOMS_PER_ADDRESS:
                return False
        self._known[hint.instance] = hint
        return True

    def drop(self, instance: str) -> bool:
        """Whether the instance was known; it no longer is."""
        return self._known.pop(instance, None) is not None

    def __contains__(self, instance: str) -> bool:
        return instance in self._known


def is_instance(name: str) -> bool:
    """Whether a service instance is named as ours are: whatever else a stranger puts into a name ends here."""
    return _INSTANCE.fullmatch(name) is not None


def read(instance: str, hosts: list[str], port: int, said: Mapping[str, str | None], where: Reach) -> Hint | None:
    """A hint as this computer can use it, nearest addresses first; None if nothing in it can be dialled."""
    routes = [route for host in dict.fromkeys(hosts[:MOST_ADDRESSES]) for route in where.routes(host)]
    # The order they came in means nothing: a tunnel's address often stands first.
    routes.sort(key=lambda host: (not where.near(host), "%" in host))
    if not routes or not port:
        return None
    return Hint(instance, tuple((host, port) for host in routes[:MOST_ADDRESSES]), **bounded(said))


def bounded(said: Mapping[str, str | None]) -> dict[str, str]:
    """The texts that an announcement may have, each cut to its length between two characters."""
    return {key: (said.get(key) or "").encode(errors="replace")[:most].decode(errors="ignore")
            for key, most in TEXT_BYTES.items()}
