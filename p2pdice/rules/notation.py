"""The one-line forms of the game notation: actions, lines of a .dice file, names, and the JSON of records.

It reads and prints; whether something may be done is the engine's and the referee's business.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from .actions import (
    CALZO,
    DUDO,
    OBLIGE_CLOSED,
    OBLIGE_NO,
    OBLIGE_OPEN,
    PASO,
    Action,
    Ended,
    Gone,
    OrderDrawn,
    Record,
    RoundBegan,
    RoundSettled,
    bid,
)
from .errors import NotationError, ParseError

Json = None | bool | int | str | list["Json"] | dict[str, "Json"]

HEADER_WORDS = (
    "rules",
    "set",
    "players",
    "opener",
    "direction",
    "dice",
    "banked",
    "penalties",
    "used",
    "special",
    "roll",
)
ROUND_WORDS = ("round", "oblige", "gone")
DIRECTION_WORDS = ("left", "right")

_BID = re.compile("([0-9]+)x([0-9])")
_WORDS = {str(action): action for action in (DUDO, CALZO, PASO, OBLIGE_OPEN, OBLIGE_CLOSED, OBLIGE_NO)}

# Longer numbers are read as the largest of this length: no table has as many dice, and no number is worth the work.
_DIGITS = 9


class Line(NamedTuple):
    """One item of a written game: the word before the first colon and the words after it; `number` counts from 1."""

    number: int
    key: str
    words: tuple[str, ...]


def number_of(digits: str) -> int:
    """The value of ASCII digits, bounded; raises ValueError for anything else."""
    if not (digits.isascii() and digits.isdigit()):
        raise ValueError(digits)
    digits = digits.lstrip("0") or "0"
    return int(digits) if len(digits) <= _DIGITS else 10**_DIGITS - 1


def parse_action(text: str) -> Action:
    """The action written as `text`, as `str` of it prints; whether it is legal is another question.

    A direction may follow anything but an obligar. Raises ParseError "no-such-action" (text).
    """
    words = text.split()
    if " ".join(words) in _WORDS:
        return _WORDS[" ".join(words)]
    way = words.pop() if len(words) == 2 and words[1] in DIRECTION_WORDS else ""
    if len(words) == 1:
        if found := _BID.fullmatch(words[0]):
            return bid(number_of(found[1]), int(found[2]), way)
        if words[0] in _WORDS:
            return _WORDS[words[0]]._replace(way=way)
    raise ParseError("no-such-action", text=text)


def read_lines(lines: Iterable[bytes | str]) -> Iterator[Line]:
    """The items of a written game, line by line. Bytes are UTF-8; lines end in LF or CRLF, kept or not.

    Raises NotationError "not-utf-8" or "no-such-form" (text).
    """
    for number, raw in enumerate(lines, 1):
        try:
            text = raw.decode() if isinstance(raw, bytes) else raw
        except UnicodeDecodeError:
            raise NotationError(number, "not-utf-8") from None
        if number == 1:
            text = text.removeprefix("\ufeff")
        text = text.partition("#")[0].strip()
        if not text:
            continue
        key, colon, rest = text.partition(":")
        key = key.rstrip()
        if not colon or not key or len(key.split()) != 1:
            raise NotationError(number, "no-such-form", text=text)
        yield Line(number, key, tuple(rest.split()))


def written_names(names: Iterable[str]) -> tuple[str, ...]:
    """Names as a file may hold them: `_` for what it may not, `_2`, `_3` where two would be equal."""
    written: list[str] = []
    for name in names:
        plain = "".join(c if c.isprintable() and not c.isspace() and c not in ":=#" else "_" for c in name) or "_"
        if plain in HEADER_WORDS or plain in ROUND_WORDS:
            plain += "_"
        unique, copies = plain, 1
        while unique in written:
            copies += 1
            unique = f"{plain}_{copies}"
        written.append(unique)
    return tuple(written)


def record_json(record: Record, names: Sequence[str]) -> dict[str, Json]:
    """One JSON object of the notation; `names` go by the seats of the record."""

    def by_name(values: Sequence[int]) -> dict[str, Json]:
        return dict(zip(names, values, strict=True))

    def listed(seats: Iterable[int]) -> list[Json]:
        return [names[seat] for seat in seats]

    def name_or_none(seat: int | None) -> str | None:
        return None if seat is None else names[seat]

    def text_or_none(text: object | None) -> str | None:
        return None if text is None else str(text)

    match record:
        case OrderDrawn():
            order: dict[str, Json] = {
                "event": "order",
                "seats": listed(record.order),
                "opener": names[record.opener],
            }
            rolls: list[Json] = [{names[seat]: value for seat, value in roll.items()} for roll in record.rolls]
            return order | {"rolls": rolls} if rolls else order
        case RoundBegan():
            return {
                "event": "round",
                "round": record.round_number,
                "opener": names[record.opener],
                "direction": record.direction,
                "special": text_or_none(record.special),
            }
        case RoundSettled():
            return {
                "event": "result",
                "round": record.round_number,
                "call": str(record.call),
                "on": record.on,
                "bid": text_or_none(record.bid),
                "count": record.count,
                "lost": listed(record.lost),
                "gained": listed(record.gained),
                "dice": by_name(record.dice),
                "banked": by_name(record.banked),
                "penalties": by_name(record.penalties),
                "out": listed(record.out),
                "special": text_or_none(record.special),
                "next_opener": name_or_none(record.next_opener),
                "next_special": text_or_none(record.next_special),
            }
        case Gone():
            return {
                "event": "gone",
                "players": listed(record.seats),
                "dice": by_name(record.dice),
                "next_opener": name_or_none(record.next_opener),
                "next_special": text_or_none(record.next_special),
            }
        case Ended():
            return {"event": "end", "winners": listed(record.winners)}
