"""Shapes of values: the fixed list of typed and bounded parts that each message has, as data. The same value judges a
message and prints its row in protocol.md. Must not know what a part means.

Every signed body and every frame is looked at part by part, so a shape is made into one Python expression, once.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias, cast

from p2pdice.protocol.codec import LARGEST_INT, Value, clean_text


class _Shape:
    """`value` in a condition is the source text of where the value stands, such as `value[2]`."""

    def condition(self, value: str) -> str:
        """Python source of whether a value has this shape."""
        raise NotImplementedError

    @cached_property
    def fits(self) -> Callable[[Value], bool]:
        """Whether a value has this shape. What fits is also free of all that the codec refuses in any value."""
        source = f"lambda value: {self.condition('value')}"
        return cast("Callable[[Value], bool]", eval(source, {"clean_text": clean_text}))


@dataclass(frozen=True)
class Int(_Shape):
    """A whole number from `low` to `high`, both included."""

    high: int = LARGEST_INT
    low: int = 0

    def condition(self, value: str) -> str:
        return f"type({value}) is int and {self.low} <= {value} <= {self.high}"

    def __str__(self) -> str:
        return f"int {self.low}..{'2^53' if self.high == LARGEST_INT else self.high}"


@dataclass(frozen=True)
class Raw(_Shape):
    """Bytes of one of the given lengths."""

    sizes: tuple[int, ...]

    def condition(self, value: str) -> str:
        fits = f"in {self.sizes}" if len(self.sizes) > 1 else f"== {self.sizes[0]}"
        return f"type({value}) is bytes and len({value}) {fits}"

    def __str__(self) -> str:
        return f"{' or '.join(map(str, self.sizes))} bytes"


@dataclass(frozen=True)
class Text(_Shape):
    """UTF-8 text of at most `most_bytes`, or one of the given words."""

    most_bytes: int = 0
    words: tuple[str, ...] = ()

    def condition(self, value: str) -> str:
        if self.words:
            return f"type({value}) is str and {value} in {tuple(map(str, self.words))}"
        return f"type({value}) is str and len({value}.encode()) <= {self.most_bytes} and clean_text({value})"

    def __str__(self) -> str:
        return " | ".join(f'"{word}"' for word in self.words) or f"text <= {self.most_bytes} bytes"


@dataclass(frozen=True)
class Blob(_Shape):
    """Bytes of any length up to `most`: something signed or encoded on its own."""

    most: int

    def condition(self, value: str) -> str:
        return f"type({value}) is bytes and len({value}) <= {self.most}"

    def __str__(self) -> str:
        return f"bytes <= {self.most}"


@dataclass(frozen=True)
class Row(_Shape):
    """An array of exactly these parts, in this order."""

    parts: tuple["Shape", ...]

    def condition(self, value: str) -> str:
        inside = [f"({part.condition(f'{value}[{place}]')})" for place, part in enumerate(self.parts)]
        return " and ".join([f"type({value}) is tuple", f"len({value}) == {len(self.parts)}", *inside])

    def __str__(self) -> str:
        return f"[{', '.join(map(str, self.parts))}]"


@dataclass(frozen=True)
class Many(_Shape):
    """An array of up to `most` values of one shape."""

    part: "Shape"
    most: int

    def condition(self, value: str) -> str:
        # What the list runs over is evaluated outside of it: lists in lists may use one name.
        inside = f"all([{self.part.condition('item')} for item in {value}])"
        return f"type({value}) is tuple and len({value}) <= {self.most} and {inside}"

    def __str__(self) -> str:
        return f"[{self.part} ... <= {self.most}]"


@dataclass(frozen=True)
class Either(_Shape):
    """One of several shapes."""

    choices: tuple["Shape", ...]

    def condition(self, value: str) -> str:
        return " or ".join(f"({choice.condition(value)})" for choice in self.choices)

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
