"""Who was met under which name: a convenience, so that a known name with a new key can be said in one line. A file that
cannot be read or written changes nothing. Must not know tables."""

import contextlib
import json
from collections.abc import Iterable
from pathlib import Path

from p2pdice.net.files import replace_file

MOST_NAMES = 500
MOST_KEYS = 8  # of one name: somebody with several terminals has as many


def meet(path: Path, players: Iterable[tuple[str, bytes]]) -> list[bytes]:
    """Remember players, (name, key) each; the keys of those whose name was known with other keys only."""
    known = _load(path)
    strangers = []
    for name, key in players:
        called = name.casefold()
        keys = known.pop(called, [])
        if keys and key.hex() not in keys:
            strangers.append(key)
        known[called] = [*(one for one in keys if one != key.hex()), key.hex()][-MOST_KEYS:]  # the latest come last
    data = json.dumps(dict(list(known.items())[-MOST_NAMES:])).encode()
    with contextlib.suppress(OSError):  # the game's own files say so, if nothing can be kept
        replace_file(path, data)
    return strangers


def _load(path: Path) -> dict[str, list[str]]:
    try:
        found = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    if not isinstance(found, dict):
        return {}
    return {name: keys for name, keys in found.items()
            if isinstance(keys, list) and all(isinstance(key, str) for key in keys)}
