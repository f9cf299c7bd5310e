"""Text from other people's computers, made harmless: cleaned once, before anything else sees it.

A name or a chat line could hold escape sequences that repaint a terminal, marks that reverse the writing direction,
or invisible characters that make two names look alike. Knows nothing of the game.
"""

import unicodedata
from collections.abc import Iterable

from wcwidth import wcswidth, wcwidth

# As many bytes of UTF-8 as travel: letters with their marks may take nine of them for a cell.
NAME_CELLS, NAME_BYTES = 24, 96
TITLE_BYTES = 64
CHAT_CELLS = 400

# Controls, format characters (bidi, zero width), surrogates, private use, unassigned.
_DROPPED = frozenset({"Cc", "Cf", "Cs", "Co", "Cn"})
# Letters by category, but blank to the eye: a name of them would look like no name.
_BLANK = str.maketrans(dict.fromkeys("\u115f\u1160\u3164\uffa0\u2800", " "))
# Marks by category that draw nothing: two names that differ in them only would look alike.
_UNSEEN = (0x034F, 0x17B4, 0x17B5, *range(0x180B, 0x1810), *range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0))
_LOOKS_LIKE = _BLANK | dict.fromkeys(_UNSEEN)
# Piled-up marks draw over the lines above and below; no written language needs more on one letter in NFC.
_MOST_MARKS = 2


def clean(text: str, cells: int, most_bytes: int | None = None) -> str:
    """`text` without anything that could move a cursor or hide, on one line, at most `cells` terminal cells wide, and
    `most_bytes` long in UTF-8."""
    spaced = " ".join(text[: cells * 8].translate(_LOOKS_LIKE).split())
    kept = "".join(char for char in spaced if unicodedata.category(char) not in _DROPPED)
    return _clip(" ".join(unicodedata.normalize("NFC", kept).split()), cells, most_bytes)


def clean_name(text: str) -> str:
    """A name fit to be shown and told apart; "?" when nothing of it is left."""
    return clean(text, NAME_CELLS, NAME_BYTES) or "?"


def clean_title(text: str) -> str:
    """A table's title fit to be shown; "" when nothing of it is left."""
    return clean(text, TITLE_BYTES, TITLE_BYTES)


def clean_names(names: Iterable[str]) -> tuple[str, ...]:
    """Names cleaned, in order; one that comes out equal to an earlier one gets " 2", " 3" and so on."""
    taken: set[str] = set()
    result: list[str] = []
    for name in map(clean_name, names):
        unique, number = name, 1
        while unique.casefold() in taken:
            number += 1
            suffix = f" {number}"
            unique = _clip(name, NAME_CELLS - len(suffix), NAME_BYTES - len(suffix)) + suffix
        taken.add(unique.casefold())
        result.append(unique)
    return tuple(result)


def width(text: str) -> int:
    """Terminal cells that cleaned `text` takes."""
    return max(0, wcswidth(text))


def wrapped(text: str, columns: int) -> list[str]:
    """Text on as many lines as it takes, broken between words; cells are counted, not letters. Keeps an indent."""
    indent = text[: len(text) - len(text.lstrip())]
    shown = [indent]
    for word in text.split():
        if shown[-1].strip() and width(shown[-1]) + 1 + width(word) >= columns:
            shown.append(indent)
        shown[-1] += (" " if shown[-1].strip() else "") + word
    return shown


def rows(text: str, columns: int) -> list[str]:
    """A line of text as it is printed at a terminal."""
    # A command is meant to be copied: the terminal may break it, we do not.
    return [text] if "p2pdice " in text or "sudo " in text else wrapped(text, columns)


def _clip(text: str, cells: int, most_bytes: int | None) -> str:
    kept: list[str] = []
    used = marks = length = 0
    for char in text:
        size = wcwidth(char)
        if size < 0 or used + size > cells:
            break
        marks = marks + 1 if size == 0 else 0
        if marks <= (_MOST_MARKS if kept else 0):
            length += len(char.encode())
            if most_bytes is not None and length > most_bytes:
                break
            kept.append(char)
            used += size
    return "".join(kept).strip()
