"""What proves that a key cheated, and the one pure function that judges it (protocol.md section 8). A piece of evidence
needs only itself and the players' keys, so a peer, a verifier and a stranger come to the same verdict. Silence is
never evidence."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, cast

from p2pdice.fairness.chain import State, read_state, rules_hash, state_hash
from p2pdice.fairness.framing import digest
from p2pdice.fairness.keys import Verifier
from p2pdice.fairness.labels import Label
from p2pdice.protocol.codec import FRAME_BYTES, pack, unpack
from p2pdice.protocol.deal import fits, is_round_key, named_shares, opened_box
from p2pdice.protocol.errors import Malformed
from p2pdice.protocol.messages import (
    EVIDENCE_BYTES,
    SIGNED,
    Answer,
    AnyMessage,
    AnyVote,
    Commit,
    Message,
    Open,
    Ready,
    Reveal,
    Seal,
    Show,
    Signed,
    Vote,
    narrow,
    parse_game,
    signed_from,
)
from p2pdice.protocol.phases import Phase, fault_in, next_phase
from p2pdice.protocol.promises import breaks_promise
from p2pdice.protocol.shapes import Blob, Many, Text, row
from p2pdice.rules.restore import restore


class FaultKind(StrEnum):
    """Ways to be convicted; the word stands in transcripts and in JSON."""

    EQUIV = "EQUIV"  # two bodies for one slot
    BAD_OPEN = "BAD_OPEN"  # an OPEN that contradicts the author's COMMIT
    BAD_REVEAL = "BAD_REVEAL"  # a REVEAL that contradicts a COMMIT
    BAD_BOX = "BAD_BOX"  # a box without the share that was committed to
    FALSE_COMPLAINT = "FALSE_COMPLAINT"  # a complaint about a good box, or with another key
    ILLEGAL = "ILLEGAL"  # not the author's turn, or not what the rules allow
    BAD_SEAL = "BAD_SEAL"  # something else was shown than was sealed
    BAD_HALT = "BAD_HALT"  # a vote that breaks what another one of the author promised


@dataclass(frozen=True, slots=True)
class Evidence:
    """Signed bodies in the order its kind asks for, preimages of the states they name, and for ILLEGAL the canonical
    bytes of the public rules state."""

    kind: FaultKind
    bodies: tuple[Signed, ...]
    states: tuple[bytes, ...] = ()
    rules: bytes = b""

    def encode(self) -> bytes:
        """As it stands in a transcript."""
        return pack((self.kind.value, tuple(body.value() for body in self.bodies), self.states, self.rules))


_SHAPE = row(Text(words=tuple(FaultKind)), Many(SIGNED, 4), Many(Blob(FRAME_BYTES), 2), Blob(FRAME_BYTES))
# How many bodies, and states, each kind asks for. With more beside them one cheat would be shown in any number of ways.
_PARTS: Mapping[FaultKind, tuple[tuple[int, ...], int]] = {
    FaultKind.EQUIV: ((2,), 0),
    FaultKind.BAD_OPEN: ((2,), 1),
    FaultKind.BAD_REVEAL: ((2,), 1),
    FaultKind.BAD_BOX: ((4,), 2),
    FaultKind.FALSE_COMPLAINT: ((4,), 2),
    FaultKind.ILLEGAL: ((1,), 1),
    FaultKind.BAD_SEAL: ((2,), 0),
    FaultKind.BAD_HALT: ((2, 3), 0),
}


def decode_evidence(raw: bytes) -> Evidence:
    """Raises Malformed."""
    if len(raw) > EVIDENCE_BYTES:
        raise Malformed("oversized")
    value = unpack(raw, _SHAPE.fits, "not-evidence")
    kind, bodies, states, rules = cast(tuple[Any, ...], value)
    return Evidence(FaultKind(kind), tuple(map(signed_from, bodies)), states, rules)


def convict(evidence: Evidence, game_id: bytes, verifiers: Sequence[Verifier]) -> int:
    """The seat that the evidence convicts; `verifiers` by seat. Raises Malformed if it proves nothing."""
    bodies, states_asked = _PARTS[evidence.kind]
    _demand(len(evidence.bodies) in bodies and len(evidence.states) == states_asked)
    _demand(evidence.kind is FaultKind.ILLEGAL or not evidence.rules)
    messages = [parse_game(signed) for signed in evidence.bodies]
    for message in messages:
        if message.game_id != game_id or message.seat >= len(verifiers):
            raise Malformed("another-game")
        if not message.signed.holds(verifiers[message.seat]):
            raise Malformed("bad-signature")
    try:
        states = [read_state(preimage) for preimage in evidence.states]
        case = Case(evidence, messages, states, [state_hash(raw) for raw in evidence.states],
                    [verifier.public for verifier in verifiers])
        return _JUDGES[evidence.kind](case)
    except (ValueError, LookupError, TypeError) as error:  # what is asked for is missing, or of another kind
        raise Malformed(str(error) if isinstance(error, Malformed) else "proves-nothing") from error


@dataclass(frozen=True, slots=True)
class Case:
    """Evidence whose signatures hold, parsed."""

    evidence: Evidence
    messages: list[AnyMessage | AnyVote]
    states: list[State]
    names: list[bytes]  # the hash of each state
    keys: list[bytes]


def _demand(holds: bool) -> None:
    if not holds:
        raise Malformed("proves-nothing")


def _equivocation(case: Case) -> int:
    first, second = case.messages
    _demand((first.epoch, first.slot, first.seat) == (second.epoch, second.slot, second.seat))
    _demand(first.signed != second.signed)
    return first.seat


def _committed(case: Case, message: AnyMessage | AnyVote, commit_state: bytes) -> Message[Commit]:
    """The COMMIT, shown to be one of those after which the state `commit_state` stood (states[0])."""
    commit = narrow(message, Commit)
    state = case.states[0]
    _demand(case.names[0] == commit_state and state.phase == Phase.COMMIT and commit.signed.hash in state.items)
    return commit


def _wrong_share(case: Case, kind: type[Open] | type[Reveal]) -> int:
    message = narrow(case.messages[1], kind)
    named = message.payload.commit_state if isinstance(message.payload, Reveal) else message.state
    commit = _committed(case, case.messages[0], named)
    _demand(any(contributor == commit.seat and not fits(commit, case.keys[commit.seat], cup, share)
                for contributor, cup, share in named_shares(message)))
    return message.seat


def _complaint(case: Case) -> int:
    """Two states: the one after the COMMITs, and the one after the OPENs that READY answers.

    Without the second, a sender with two OPENs could turn a true complaint about one into a false one about the other.
    """
    ready = narrow(case.messages[3], Ready)
    opening = narrow(case.messages[2], Open)
    commit_state = ready.payload.commit_state
    sender_commit = _committed(case, case.messages[0], commit_state)
    viewer_commit = _committed(case, case.messages[1], commit_state)
    _demand(bool(ready.payload.complaint))
    sender, cup, secret = cast(tuple[int, int, bytes], ready.payload.complaint)
    _demand(opening.seat == sender == sender_commit.seat and viewer_commit.seat == ready.seat)
    _demand(opening.state == commit_state)
    # A box that nobody owed proves nothing: without this any true key would convict whoever it is pointed at.
    _demand(any((to_cup, viewer) == (cup, ready.seat) for to_cup, viewer, _ in opening.payload.boxes))
    _demand(ready.state == case.names[1] and opening.signed.hash in case.states[1].items)
    good = opened_box(sender_commit, opening, case.keys[sender], cup, ready.seat, secret) is not None
    false = good or not is_round_key(viewer_commit, secret)
    _demand(case.evidence.kind == (FaultKind.FALSE_COMPLAINT if false else FaultKind.BAD_BOX))
    return ready.seat if false else sender


def _illegal(case: Case) -> int:
    message, state = case.messages[0], case.states[0]
    if isinstance(message, Vote):
        raise Malformed("wrong-type")
    _demand(message.state == case.names[0] and state.rules == rules_hash(case.evidence.rules))
    game = restore(cast(tuple[Any, ...], unpack(case.evidence.rules)))
    phase = next_phase(Phase(state.phase), game)
    _demand(phase is not Phase.OVER)
    misplaced = message.slot != state.slot + 1 or message.epoch != state.epoch
    _demand(misplaced or fault_in(message, phase, game) is not None)
    return message.seat


def _broken_seal(case: Case) -> int:
    sealed, show = case.messages[0], narrow(case.messages[1], Show)
    _demand((sealed.epoch, sealed.seat) == (show.epoch, show.seat))
    _demand(breaks_seal(sealed, show))
    return show.seat


def _broken_promise(case: Case) -> int:
    votes = [message for message in case.messages if isinstance(message, Vote)]
    _demand(len(votes) == len(case.messages))
    promise, vote, *last = votes
    _demand(breaks_promise(promise, vote, last[0] if last else None))
    return vote.seat


_JUDGES: Mapping[FaultKind, Callable[[Case], int]] = {
    FaultKind.EQUIV: _equivocation,
    FaultKind.BAD_OPEN: lambda case: _wrong_share(case, Open),
    FaultKind.BAD_REVEAL: lambda case: _wrong_share(case, Reveal),
    FaultKind.BAD_BOX: _complaint,
    FaultKind.FALSE_COMPLAINT: _complaint,
    FaultKind.ILLEGAL: _illegal,
    FaultKind.BAD_SEAL: _broken_seal,
    FaultKind.BAD_HALT: _broken_promise,
}


def breaks_seal(sealed: AnyMessage | AnyVote, show: Message[Show]) -> bool:
    """Whether a SHOW contradicts its author's SEAL (two slots before) or ANSWER (one before)."""
    if isinstance(sealed, Vote):
        raise Malformed("not-a-seal")
    payload = sealed.payload
    if isinstance(payload, Seal):
        label, ahead = Label.ACT, 2
    elif isinstance(payload, Answer):
        label, ahead = Label.ANSWER, 1
    else:
        raise Malformed("not-a-seal")
    _demand(show.slot == sealed.slot + ahead)
    made = sealed_hash(label, sealed.game_id, sealed.epoch, sealed.slot, sealed.state, sealed.seat,
                       show.payload.sealed, show.payload.salt)
    return made != payload.seal


def sealed_hash(label: Label, game_id: bytes, epoch: bytes, slot: int, state: bytes, seat: int,
                sealed: "tuple[object, ...] | str", salt: bytes) -> bytes:
    """What SEAL (label act) and ANSWER (label answer) carry: the choice and 32 salt bytes, bound to their place."""
    return digest(label, game_id, epoch, slot, state, seat, pack(sealed), salt)  # type: ignore[arg-type]
