"""Canonical msgpack: one value has one encoding, and only arrays, whole numbers, bytes and text exist (protocol.md
section 1). What is signed is always the bytes received, never a re-encoded value. Must not know any message."""

import re
from collections.abc import Callable
from typing import TypeAlias

import msgpack

from p2pdice.protocol.errors import Malformed

FRAME_BYTES = 64 * 1024
DEPTH = 5
LARGEST_INT = 2**53

Value: TypeAlias = "int | bytes | str | tuple[Value, ...]"

_packer = msgpack.Packer(use_bin_type=True)
_UNCLEAN = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff]")


def pack(value: Value) -> bytes:
    """The canonical bytes of a value. The caller passes only what `unpack` would give back."""
    packed: bytes = _packer.pack(value)
    return packed


def unpack(raw: bytes, fits: Callable[[Value], bool] | None = None, reason: str = "") -> Value:
    """The value of canonical bytes; arrays come as tuples. Raises Malformed for anything else.

    `fits`: the only shape that will do; `reason`: of the Malformed where nothing else is wrong. A value that fits has
    had all its parts looked at, which saves looking at them here: most of what a table hears is read this way.

    Refused: more than FRAME_BYTES, deeper than DEPTH arrays, floats, maps, nil, booleans, extensions, numbers outside
    0..2^53, text with control characters or invalid UTF-8, and every longer form of the same value.
    """
    if len(raw) > FRAME_BYTES:
        raise Malformed("oversized")
    try:
        value = msgpack.unpackb(raw, raw=False, use_list=False, strict_map_key=False)
    except (ValueError, RecursionError, TypeError) as error:  # msgpack's own errors are ValueErrors
        raise Malformed("not-msgpack") from error
    fitting = fits is not None and fits(value)
    if not fitting:
        _check(value, DEPTH)
    # A value has one encoding only: else one signed meaning would have many hashes (attack row 34).
    if _packer.pack(value) != raw:
        raise Malformed("not-canonical")
    if fits is not None and not fitting:
        raise Malformed(reason)
    checked: Value = value
    return checked


def _check(value: object, depth: int) -> None:
    kind = type(value)
    if kind is tuple:
        if not depth:
            raise Malformed("too-deep")
        for item in value:  # type: ignore[attr-defined]  # kind was compared exactly, so that bool is no int
            _check(item, depth - 1)
    elif kind is int:
        if not 0 <= value <= LARGEST_INT:  # type: ignore[operator]
            raise Malformed("number-out-of-range")
    elif kind is str:
        if not clean_text(value):  # type: ignore[arg-type]
            raise Malformed("control-character")
    elif kind is not bytes:
        raise Malformed("type-not-allowed")


def clean_text(text: str) -> bool:
    """Whether a text may travel: no C0 or C1 control, no DEL, no lone surrogate. Look-alikes are the screen's work."""
    return _UNCLEAN.search(text) is None
