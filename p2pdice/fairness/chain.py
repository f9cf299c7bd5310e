"""The chain of state hashes: every signed message names the hash of the whole agreed history (protocol.md section 5).
Must not know what the messages say or what the rules mean."""

from collections.abc import Sequence

from p2pdice.fairness.framing import digest
from p2pdice.fairness.labels import Label


def body_hash(body: bytes) -> bytes:
    """Name of a signed body: its hash, without the signature."""
    return digest(Label.BODY, body)


def first_epoch(game_id: bytes) -> bytes:
    """E0, the epoch a game begins with."""
    return digest(Label.EPOCH_ZERO, game_id)


def start_state(game_id: bytes, genesis: bytes, rules_hash: bytes) -> bytes:
    """The first S of a game."""
    return digest(Label.START, game_id, genesis, rules_hash)


def rules_hash(public_state: bytes) -> bytes:
    """R: hash of the canonical bytes of the whole public rules state."""
    return digest(Label.RULES, public_state)


def next_state(game_id: bytes, epoch: bytes, slot: int, state: bytes, phase: str, items: Sequence[bytes],
               rules: bytes) -> bytes:
    """S' = H("state", game_id, E, slot, S, phase, item..., R); items in the order of protocol.md section 5."""
    return digest(Label.STATE, game_id, epoch, slot, state, phase, *items, rules)
