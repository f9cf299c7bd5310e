"""What one start leaves for the next: the name, the language and the last house rules, in the state folder.

A convenience only: a folder that cannot be read or written never stops anything, and whatever does not fit is ignored.
Even `--help` asks here for the language, so nothing is imported before it is needed.
"""

import os
import sys
from collections.abc import Mapping

_FILE = "remembered.json"
_TEXTS = ("name", "language", "system")
_PLATFORM: str = sys.platform  # as a variable, so that type checkers look at every platform's branch


class Memory:
    """Remembered choices; None or empty where nothing is."""

    def __init__(
        self,
        name: str | None = None,
        language: str | None = None,
        system: str | None = None,
        options: Mapping[str, str] | None = None,
    ) -> None:
        self.name = name
        self.language = language
        self.system = system
        self.options = dict(options or {})


def folder(asked: str | None, environment: Mapping[str, str]) -> str:
    """The state folder: `--state`, P2PDICE_STATE, else the platform's place for such things. It may not exist yet."""
    if wish := asked or environment.get("P2PDICE_STATE"):
        return wish
    if _PLATFORM == "linux":  # what platformdirs says there; importing it would double the time of --help
        home = environment.get("XDG_STATE_HOME", "")
        return os.path.join(home if os.path.isabs(home) else os.path.expanduser("~/.local/state"), "p2pdice")
    from platformdirs import user_state_dir

    return user_state_dir("p2pdice", appauthor=False)


def load(place: str) -> Memory:
    """What is remembered there; an empty Memory when nothing readable is."""
    path = os.path.join(place, _FILE)
    if not os.path.exists(path):
        return Memory()
    import json

    try:
        with open(path, encoding="utf-8") as file:
            found = json.load(file)
    except (OSError, ValueError, RecursionError):
        return Memory()
    if not isinstance(found, dict):
        return Memory()
    name, language, system = (found[key] if isinstance(found.get(key), str) else None for key in _TEXTS)
    options = found.get("options")
    if not isinstance(options, dict) or not all(isinstance(value, str) for value in options.values()):
        options = {}
    return Memory(name, language, system, options)


def remember(place: str, **changes: object) -> None:
    """Keep these fields for the next start, beside those that are there."""
    known = vars(load(place))
    changed = known | changes
    if changed == known:
        return
    import json

    try:
        os.makedirs(place, mode=0o700, exist_ok=True)
        written = os.path.join(place, f"{_FILE}.{os.getpid()}")
        with open(written, "w", encoding="utf-8") as file:
            json.dump(changed, file)
        os.replace(written, os.path.join(place, _FILE))
    except OSError:
        pass
