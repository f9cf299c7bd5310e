"""One-line forms: actions, lines, names and the JSON of records."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from p2pdice.rules import (
    CALZO,
    DUDO,
    OBLIGE_CLOSED,
    OBLIGE_NO,
    OBLIGE_OPEN,
    PASO,
    Action,
    Ended,
    Gone,
    Kind,
    NotationError,
    OrderDrawn,
    ParseError,
    Record,
    RoundBegan,
    RoundSettled,
    Special,
    SpecialRounds,
    bid,
    parse_action,
    record_json,
    written_names,
)
from p2pdice.rules.notation import read_lines

BIDS = st.builds(bid, st.integers(0, 999), st.integers(0, 9), st.sampled_from(["", "left", "right"]))
OTHERS = st.sampled_from([DUDO, CALZO, PASO, OBLIGE_OPEN, OBLIGE_CLOSED, OBLIGE_NO])


@given(st.one_of(BIDS, OTHERS))
def test_an_action_is_read_as_it_is_written(action: Action) -> None:
    """Text and action say the same."""
    assert parse_action(str(action)) == action


@pytest.mark.parametrize(
    ("text", "action"),
    [
        ("5x3", bid(5, 3)),
        (" 12x1  right ", bid(12, 1, "right")),
        ("007x2", bid(7, 2)),
        ("0" * 5000 + "7x2", bid(7, 2)),
        ("0x9", bid(0, 9)),
        ("123456789x3", bid(123_456_789, 3)),
        ("dudo left", Action(Kind.DUDO, way="left")),
        ("9" * 5000 + "x3", bid(999_999_999, 3)),
    ],
)
def test_parse_action(text: str, action: Action) -> None:
    """Spaces and leading zeros say nothing, an absurd number is read as a large one."""
    assert parse_action(text) == action


@pytest.mark.parametrize(
    "text",
    [
        *("", "5", "x3", "5x", "5x10", "5X3", "5 x 3", "-5x3", "٥x3", "5x٣", "5x3 up", "5x3 left left", "left", "Dudo"),
        *("dudo 5x3", "oblige", "oblige maybe", "oblige open left", "no", "?"),
    ],
)
def test_parse_action_refuses(text: str) -> None:
    """Nothing else is an action."""
    with pytest.raises(ParseError) as caught:
        parse_action(text)
    assert (caught.value.reason, caught.value.fields) == ("no-such-action", {"text": text})


def test_bids_are_interned() -> None:
    """The bids a table can hold exist once."""
    assert bid(7, 3) is bid(7, 3)
    assert bid(7, 3) == Action(Kind.BID, 7, 3)


def test_lines() -> None:
    """Comments and blank lines are skipped and counted, a byte-order mark is skipped, lines end in LF or CRLF."""
    raw = b"\xef\xbb\xbfrules: perudo\r\n# nothing\n\n \t\r\nAna :  4x3   right # four\nBeto:\n"
    expected = [(1, "rules", ("perudo",)), (5, "Ana", ("4x3", "right")), (6, "Beto", ())]
    assert list(read_lines(raw.splitlines(keepends=True))) == expected
    assert list(read_lines(raw.decode().split("\n"))) == expected


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        (b"nothing", "no-such-form"),
        (b": 4x3", "no-such-form"),
        (b"Ana Beto: 4x3", "no-such-form"),
        (b"\xff: 4x3", "not-utf-8"),
        ("\ufeff\ufeff: x", None),
    ],
)
def test_lines_that_are_none(raw: bytes | str, reason: str | None) -> None:
    """A line without one word before a colon, or not in UTF-8, is an error with its number."""
    lines = [b"rules: perudo\n", raw]
    if reason is None:
        assert len(list(read_lines(lines))) == 2
        return
    with pytest.raises(NotationError) as caught:
        list(read_lines(lines))
    assert (caught.value.line, caught.value.reason) == (2, reason)
    assert str(caught.value).startswith("line 2: ")


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (("Ana", "Beto"), ("Ana", "Beto")),
        (("Ana María", "Ana\tMaría", "Ana_María_2"), ("Ana_María", "Ana_María_2", "Ana_María_2_2")),
        (("a:b=c#d", "", "\x1b[1m"), ("a_b_c_d", "_", "_[1m")),
        (("rules", "gone", "gone_"), ("rules_", "gone_", "gone__2")),
        (("X", "X", "X"), ("X", "X_2", "X_3")),
    ],
)
def test_written_names(names: tuple[str, ...], expected: tuple[str, ...]) -> None:
    """Names are written with _ for what they may not hold, and numbered where two would be equal."""
    assert written_names(names) == expected


@given(st.lists(st.text(), max_size=32))
def test_written_names_are_names(names: list[str]) -> None:
    """Whatever a name is, what is written for it is one distinct word."""
    written = written_names(names)
    assert len(set(written)) == len(names)
    assert all(len(name.split()) == 1 and not set(name) & set(":=#") for name in written)


NAMES = ("Ana", "Beto")
SETTLED = RoundSettled(
    round_number=3,
    call=Kind.DUDO,
    caller=0,
    on="bid",
    bid=bid(5, 5),
    bidder=1,
    count=3,
    lost=(1,),
    gained=(),
    dice=(5, 1),
    banked=(1, 0),
    penalties=(0, 0),
    out=(),
    special=Special.OPEN,
    next_opener=1,
    next_special=SpecialRounds.OBLIGAR,
    winners=(),
)


@pytest.mark.parametrize(
    ("record", "expected"),
    [
        (OrderDrawn((1, 0), 1, ()), {"event": "order", "seats": ["Beto", "Ana"], "opener": "Beto"}),
        (
            OrderDrawn((0, 1), 1, ({0: 2, 1: 5},)),
            {"event": "order", "seats": ["Ana", "Beto"], "opener": "Beto", "rolls": [{"Ana": 2, "Beto": 5}]},
        ),
        (
            RoundBegan(1, 0, "left", None),
            {"event": "round", "round": 1, "opener": "Ana", "direction": "left", "special": None},
        ),
        (
            SETTLED,
            {
                "event": "result",
                "round": 3,
                "call": "dudo",
                "on": "bid",
                "bid": "5x5",
                "count": 3,
                "lost": ["Beto"],
                "gained": [],
                "dice": {"Ana": 5, "Beto": 1},
                "banked": {"Ana": 1, "Beto": 0},
                "penalties": {"Ana": 0, "Beto": 0},
                "out": [],
                "special": "open",
                "next_opener": "Beto",
                "next_special": "obligar",
            },
        ),
        (
            Gone((1,), (5, 0), None, None, (0,)),
            {
                "event": "gone",
                "players": ["Beto"],
                "dice": {"Ana": 5, "Beto": 0},
                "next_opener": None,
                "next_special": None,
            },
        ),
        (Ended((0, 1)), {"event": "end", "winners": ["Ana", "Beto"]}),
    ],
)
def test_record_json(record: Record, expected: dict[str, object]) -> None:
    """Each record has its JSON object, in this order of keys."""
    event = record_json(record, NAMES)
    assert json.dumps(event) == json.dumps(expected)
