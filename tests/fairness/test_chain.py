"""The chain of states: a preimage is read back as it was written, and nothing else is read at all."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from p2pdice.fairness.chain import (
    State,
    body_hash,
    child_epoch,
    child_preimage,
    first_epoch,
    next_preimage,
    read_state,
    rules_hash,
    start_preimage,
    state_hash,
)
from p2pdice.fairness.framing import frame
from p2pdice.fairness.labels import Label

HASH = st.binary(min_size=32, max_size=32)
PHASE = st.text(st.characters(min_codepoint=97, max_codepoint=122), max_size=8)


@given(HASH, HASH, st.integers(0, 2**53), HASH, PHASE, st.lists(HASH, max_size=5), HASH)
def test_read_state_is_the_inverse(game: bytes, epoch: bytes, slot: int, before: bytes, phase: str,
                                   items: list[bytes], rules: bytes) -> None:
    """Everything in the preimage of a state is read back."""
    preimage = next_preimage(game, epoch, slot, before, phase, items, rules)
    assert read_state(preimage) == State(game, epoch, slot, phase, tuple(items), rules)


@given(HASH, HASH, HASH)
def test_the_start_reads_as_the_slot_before_the_first(game: bytes, genesis: bytes, rules: bytes) -> None:
    """The first state stands before slot 0, in the epoch that follows from the game."""
    read = read_state(start_preimage(game, genesis, rules))
    assert read == State(game, first_epoch(game), -1, "start", (), rules)


@given(HASH, HASH, HASH, HASH)
def test_a_child_reads_as_the_slot_before_its_first(game: bytes, epoch: bytes, base: bytes, rules: bytes) -> None:
    """The first state after a drop stands before slot 0 of the epoch that it names."""
    assert read_state(child_preimage(game, epoch, base, rules)) == State(game, epoch, -1, "start", (), rules)


@given(st.binary(max_size=120))
def test_any_bytes_are_refused(raw: bytes) -> None:
    """Bytes that are no preimage give ValueError and nothing else."""
    with pytest.raises(ValueError, match=r"preimage|framed|decode"):
        read_state(raw)


@given(HASH, st.lists(HASH, max_size=2), st.data())
def test_changed_preimages_are_refused_or_name_another_state(game: bytes, items: list[bytes],
                                                             data: st.DataObject) -> None:
    """A preimage with one byte changed is refused or has another hash."""
    preimage = next_preimage(game, game, 3, game, "act", items, game)
    raw = bytearray(preimage)
    raw[data.draw(st.integers(0, len(raw) - 1))] ^= data.draw(st.integers(1, 255))
    try:
        read_state(bytes(raw))
    except ValueError:
        return
    assert state_hash(bytes(raw)) != state_hash(preimage)


@pytest.mark.parametrize("preimage", [
    frame(Label.START, b"g" * 32, b"s" * 32),
    frame(Label.START, b"g" * 32, b"s" * 32, b"r" * 32, b"more"),
    frame(Label.CHILD, b"g" * 32, b"e" * 32, b"s" * 32),
    frame(Label.CHILD, b"g" * 32, b"e" * 32, b"s" * 32, b"r" * 32, b"more"),
    frame(Label.STATE, b"g" * 32, b"e" * 32, 1, b"s" * 32, "act"),
    frame(Label.STATE, b"g" * 32, b"e" * 32, b"\1", b"s" * 32, "act", b"r" * 32),
    frame(Label.STATE, b"g" * 32, b"e" * 32, 1, b"s" * 32, "act", b"short"),
    frame(Label.STATE, b"g" * 32, b"e" * 32, 1, b"s" * 32, b"\xff", b"r" * 32),
    frame(Label.DICE, b"g" * 32, b"e" * 32, 1, b"s" * 32, "act", b"r" * 32),
])
def test_frames_of_other_things_are_refused(preimage: bytes) -> None:
    """Too few parts, too many, a slot or rules hash of another length, no text, another label."""
    with pytest.raises(ValueError, match=r"preimage|decode"):
        read_state(preimage)


def test_each_part_of_the_history_enters_the_state() -> None:
    """Another game, epoch, slot, state before, phase, message, order or rules gives another S."""
    parts = (b"g" * 32, b"e" * 32, 1, b"s" * 32, "act", (b"1" * 32, b"2" * 32), b"r" * 32)
    changed = (b"h" * 32, b"f" * 32, 2, b"t" * 32, "seal", (b"2" * 32, b"1" * 32), b"q" * 32)
    names = {state_hash(next_preimage(*parts))}
    for place, value in enumerate(changed):
        names.add(state_hash(next_preimage(*(*parts[:place], value, *parts[place + 1:]))))  # type: ignore[arg-type]
    assert len(names) == 1 + len(parts)


def test_names_of_different_things_never_meet() -> None:
    """Two values hashed as body, rules and game give six names; an epoch has a child for each halt and outcome."""
    values = (b"x" * 32, b"y" * 32)
    names = {name(value) for value in values for name in (body_hash, rules_hash, first_epoch)}
    names |= {child_epoch(*parts) for parts in product(values, (0, 1), values)}
    assert len(names) == 6 + 8
