"""The chain of state hashes: every signed message names the hash of the whole agreed history (protocol.md section 5).
A state is kept as its preimage, so that evidence can show what a signed hash stands for. Must not know what the
messages say or what the rules mean."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from p2pdice.fairness.framing import HASH_BYTES, digest, frame, unframe
from p2pdice.fairness.labels import Label


def body_hash(body: bytes) -> bytes:
    """Name of a signed body: its hash, without the signature."""
    return digest(Label.BODY, body)


def first_epoch(game_id: bytes) -> bytes:
    """E0, the epoch a game begins with."""
    return digest(Label.EPOCH_ZERO, game_id)


def child_epoch(epoch: bytes, halt: int, outcome: bytes) -> bytes:
    """E', from the outcome only (its canonical bytes): whoever decided it, by which ballot, the epoch is the same."""
    return digest(Label.EPOCH, epoch, halt, outcome)


def rules_hash(public_state: bytes) -> bytes:
    """R: hash of the canonical bytes of the whole public rules state."""
    return digest(Label.RULES, public_state)


def start_preimage(game_id: bytes, genesis: bytes, rules: bytes) -> bytes:
    """What the first S of a game is the hash of; `rules` is R."""
    return frame(Label.START, game_id, genesis, rules)


def next_preimage(game_id: bytes, epoch: bytes, slot: int, state: bytes, phase: str, items: Sequence[bytes],
                  rules: bytes) -> bytes:
    """What the S after a slot is the hash of; items in the order of protocol.md section 5, `rules` is R."""
    return frame(Label.STATE, game_id, epoch, slot, state, phase, *items, rules)


def child_preimage(game_id: bytes, epoch: bytes, base: bytes, rules: bytes) -> bytes:
    """What the first S of a child epoch is the hash of; `base` is the S it goes on from, `rules` R after the drop."""
    return frame(Label.CHILD, game_id, epoch, base, rules)


def state_hash(preimage: bytes) -> bytes:
    """S."""
    return hashlib.sha256(preimage).digest()


@dataclass(frozen=True, slots=True)
class State:
    """A preimage read back: the slot it ended (-1: the start), that slot's phase, its items, and R."""

    game_id: bytes
    epoch: bytes
    slot: int
    phase: str
    items: tuple[bytes, ...]
    rules: bytes


def read_state(preimage: bytes) -> State:
    """Raises ValueError for bytes that are no preimage of a state."""
    label, parts = unframe(preimage)
    if label == Label.START and len(parts) == 3:
        game_id, _, rules = parts
        return State(game_id, first_epoch(game_id), -1, "start", (), rules)
    if label == Label.CHILD and len(parts) == 4:
        game_id, epoch, _, rules = parts
        return State(game_id, epoch, -1, "start", (), rules)
    if label == Label.STATE and len(parts) >= 6 and len(parts[2]) == 8 and len(parts[-1]) == HASH_BYTES:
        game_id, epoch, slot, _, phase, *items, rules = parts
        return State(game_id, epoch, int.from_bytes(slot, "big"), phase.decode(), tuple(items), rules)
    raise ValueError("not the preimage of a state")
