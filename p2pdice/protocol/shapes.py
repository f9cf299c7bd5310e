"""Shapes of values: the fixed list of typed and bounded parts that each message has, as data. The same value judges a
message and prints its row in protocol.md. Must not know what a part means."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from p2pdice.protocol.codec import LARGEST_INT, Value


@dataclass(frozen=True, slots=True)
class Int:
    """A whole number from `low` to `high`, both included."""

    high: int = LARGEST_INT
    low: int = 0

    def fits(self, value: Value) -> bool:
        return type(value) is int and self.low <= value <= self.high

    def __str__(self) -> str:
        return f"int {self.low}..{'2^53' if self.high == LARGEST_INT else self.high}"


@dataclass(frozen=True, slots=True)
class Raw:
    """Bytes of one of the given lengths."""

    sizes: tuple[int, ...]

    def fits(self, value: Value) -> bool:
        return type(value) is bytes and len(value) in self.sizes

    def __str__(self) -> str:
        return f"{' or '.join(map(str, self.sizes))} bytes"


@dataclass(frozen=True, slots=True)
class Text:
    """UTF-8 text of at most `most_bytes`, or one of the given words."""

    most_bytes: int = 0
    words: tuple[str, ...] = ()

    def fits(self, value: Value) -> bool:
        if type(value) is not str:
            return False
        return value in self.words if self.words else len(value.encode()) <= self.most_bytes

    def __str__(self) -> str:
        return " | ".join(f'"{word}"' for word in self.words) or f"text <= {self.most_bytes} bytes"


@dataclass(frozen=True, slots=True)
class Blob:
    """Bytes of any length up to `most`: something signed or encoded on its own."""

    most: int

    def fits(self, value: Value) -> bool:
        return type(value) is bytes and len(value) <= self.most

    def __str__(self) -> str:
        return f"bytes <= {self.most}"


@dataclass(frozen=True, slots=True)
class Row:
    """An array of exactly these parts, in this order."""

    parts: tuple["Shape", ...]

    def fits(self, value: Value) -> bool:
        return (type(value) is tuple and len(value) == len(self.parts)
                and all(part.fits(item) for part, item in zip(self.parts, value, strict=True)))

    def __str__(self) -> str:
        return f"[{', '.join(map(str, self.parts))}]"


@dataclass(frozen=True, slots=True)
class Many:
    """An array of up to `most` values of one shape."""

    part: "Shape"
    most: int

    def fits(self, value: Value) -> bool:
        return type(value) is tuple and len(value) <= self.most and all(self.part.fits(item) for item in value)

    def __str__(self) -> str:
        return f"[{self.part} ... <= {self.most}]"


@dataclass(frozen=True, slots=True)
class Either:
    """One of several shapes."""

    choices: tuple["Shape", ...]

    def fits(self, value: Value) -> bool:
        return any(choice.fits(value) for choice in self.choices)

    def __str__(self) -> str:
        return " or ".join(map(str, self.choices))


Shape: TypeAlias = Int | Raw | Text | Blob | Row | Many | Either


def row(*parts: Shape) -> Row:
    """A Row without the tuple's brackets."""
    return Row(tuple(parts))


def word(*words: str) -> Text:
    """One of these words."""
    return Text(words=words)


def either(*choices: Shape) -> Either:
    """An Either without the tuple's brackets."""
    return Either(tuple(choices))


def list_of(shapes: Sequence[Shape]) -> str:
    """Shapes as protocol.md prints them."""
    return ", ".join(map(str, shapes))
