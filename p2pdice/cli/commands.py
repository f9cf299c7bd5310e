"""A typed line becomes a command: a move, a slash command, an empty line or nonsense.

Knows words and shapes, no rules: whether a move is allowed is the engine's business. All three languages are
understood at any time, whatever language is on the screen, and no line whatever raises.
"""

import re
import unicodedata
from typing import NamedTuple

from p2pdice.cli import vocabulary
from p2pdice.rules import CALZO, DUDO, OBLIGE_CLOSED, OBLIGE_NO, OBLIGE_OPEN, PASO, Action, bid


class Move(NamedTuple):
    """Something a seat does in the game, not yet checked against the rules."""

    action: Action


class Slash(NamedTuple):
    """A command to this program: `name` is the English one, `argument` the rest of the line as it was typed."""

    name: str
    argument: str


class Empty(NamedTuple):
    """Enter on an empty line."""


class Nonsense(NamedTuple):
    """A line that is nothing of the above, clipped; it costs nothing."""

    text: str


Command = Move | Slash | Empty | Nonsense

# No move is longer than this. It also bounds the work that a pasted novel can cause.
_LONGEST_MOVE = 80
_TIMES = re.compile(r"(?<=\d)\s*[x×*]\s*(?=\w)", re.IGNORECASE)
# Marks mean nothing, except between two digits ("5.3" is no bid); a hyphen only joins two words.
_MARKS = re.compile(r"""(?<!\d)[¡!¿?.,;:…"'«»“”]|[¡!¿?.,;:…"'«»“”](?!\d)|(?<=[^\W\d])-(?=[^\W\d])""")
_DIGITS = re.compile(r"[0-9]{1,6}", re.ASCII)


def parse(text: str) -> Command:
    """Understand one line. Never raises, whatever the line holds."""
    line = text.strip()
    if not line:
        return Empty()
    if line.startswith("/"):
        return _slash(line)
    if len(line) <= _LONGEST_MOVE:
        if set(line) <= set("?¿"):
            return Slash("help", "")
        words = plain_form(line)
        action = _call(words) or _oblige(words.split()) or _bid(words.split())
        if action is not None:
            return Move(action)
    return Nonsense(line[:_LONGEST_MOVE])


def plain_form(text: str) -> str:
    """Lower case without accents or punctuation, words parted by single spaces; `5x3` becomes `5 3`."""
    parted = _MARKS.sub(" ", _TIMES.sub(" ", text))
    decomposed = unicodedata.normalize("NFKD", parted).casefold()
    return " ".join("".join(char for char in decomposed if not unicodedata.combining(char)).split())


def _slash(line: str) -> Command:
    word, _, argument = line[1:].partition(" ")
    name = vocabulary.SLASHES.get(plain_form(word[:_LONGEST_MOVE]))
    if name is None:
        return Nonsense(line[:_LONGEST_MOVE])
    return Slash(name, argument.strip())


_ACTIONS = {str(action): action for action in (DUDO, CALZO, PASO, OBLIGE_OPEN, OBLIGE_CLOSED, OBLIGE_NO)}
_PHRASES = {phrase: _ACTIONS[name] for name, phrases in vocabulary.CALLS.items() for phrase in phrases}


def _call(words: str) -> Action | None:
    return _PHRASES.get(words)


def _oblige(words: list[str]) -> Action | None:
    if words and words[0] in vocabulary.OBLIGE_VERBS:
        words = words[1:]
    way = vocabulary.OBLIGE_WAYS.get(words[0]) if len(words) == 1 else None
    return _ACTIONS[f"oblige {way}"] if way else None


def _bid(words: list[str]) -> Action | None:
    way = vocabulary.DIRECTIONS.get(words[-1], "") if words else ""
    if way:
        words = words[:-1]
        while words and words[-1] in vocabulary.DIRECTION_FILLERS:
            words = words[:-1]
    if len(words) < 2:
        return None
    face = _face(words[-1])
    quantity = _quantity(words[:-1])
    return None if face is None or quantity is None else bid(quantity, face, way)


def _face(word: str) -> int | None:
    # Any one digit parses: that there is no face 7 is for the engine to say, in better words than "nonsense".
    return int(word) if len(word) == 1 and word in "0123456789" else vocabulary.FACES.get(word)


def _quantity(words: list[str]) -> int | None:
    if len(words) > 1 and words[-1] in vocabulary.BID_JOINTS:
        words = words[:-1]
    if len(words) == 1:
        word = words[0]
        return int(word) if _DIGITS.fullmatch(word) else vocabulary.UNITS.get(word, vocabulary.TENS.get(word))
    tens = vocabulary.TENS.get(words[0])
    unit = vocabulary.UNITS.get(words[-1])
    joints = words[1:-1]
    if tens is None or unit is None or unit > 9 or len(joints) > 1 or not vocabulary.TENS_JOINTS.issuperset(joints):
        return None
    return tens + unit
