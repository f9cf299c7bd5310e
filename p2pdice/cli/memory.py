"""What one start leaves for the next: the name, the language and the last house rules, in the state folder.

A convenience only: a folder that cannot be read or written never stops anything, and whatever does not fit is ignored.
"""

import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

_FILE = "remembered.json"


@dataclass(frozen=True, slots=True)
class Memory:
    """Remembered choices; None or empty where nothing is."""

    name: str | None = None
    language: str | None = None
    system: str | None = None
    options: dict[str, str] = field(default_factory=dict)


def folder(asked: str | None, environment: Mapping[str, str]) -> Path:
    """The state folder: `--state`, P2PDICE_STATE, else the platform's place for such things. It may not exist yet."""
    if wish := asked or environment.get("P2PDICE_STATE"):
        return Path(wish)
    from platformdirs import user_state_path

    return user_state_path("p2pdice", appauthor=False)


def load(place: Path) -> Memory:
    """What is remembered there; an empty Memory when nothing readable is."""
    try:
        found = json.loads((place / _FILE).read_text("utf-8"))
    except (OSError, ValueError, RecursionError):
        return Memory()
    if not isinstance(found, dict):
        return Memory()
    texts = {key: found[key] for key in ("name", "language", "system") if isinstance(found.get(key), str)}
    options = found.get("options")
    if not isinstance(options, dict) or not all(isinstance(value, str) for value in options.values()):
        options = {}
    return Memory(**texts, options=options)


def remember(place: Path, **changes: object) -> None:
    """Keep these fields for the next start, beside those that are there."""
    memory = load(place)
    changed = replace(memory, **changes)  # type: ignore[arg-type]  # the callers name fields of Memory
    if changed == memory:
        return
    try:
        place.mkdir(parents=True, exist_ok=True)
        written = place / f"{_FILE}.{os.getpid()}"
        written.write_text(json.dumps(asdict(changed)), "utf-8")
        written.replace(place / _FILE)
    except OSError:
        pass
