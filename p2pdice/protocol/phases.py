"""The transition table: which phase follows which, who speaks in it, and what may be said, as a function of the public
rules state alone. The same table judges our own messages, a peer's, and a verifier's (protocol.md section 5). Must
not know keys, shares or sockets."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from p2pdice.fairness.errors import BadKey
from p2pdice.fairness.keys import check_round_key
from p2pdice.fairness.shares import Mode, Policy, policy_of
from p2pdice.protocol.errors import Malformed
from p2pdice.protocol.messages import (
    Act,
    Answer,
    AnyMessage,
    Call,
    Commit,
    Open,
    Payload,
    Ready,
    Reveal,
    Seal,
    Show,
)
from p2pdice.protocol.messages import Mode as ModeChoice
from p2pdice.rules import (
    Action,
    Game,
    IllegalAction,
    Kind,
    Special,
    Stage,
    bid,
    callers,
    check,
    cups_needed,
)


class Phase(StrEnum):
    """What a slot of the log is for; the word enters the state hash."""

    START = "start"  # before slot 0
    MODE = "mode"
    COMMIT = "commit"
    OPEN = "open"
    READY = "ready"
    ACT = "act"
    SEAL = "seal"
    ANSWER = "answer"
    SHOW = "show"
    REVEAL = "reveal"
    OVER = "over"


TURN_PHASES = (Phase.MODE, Phase.ACT, Phase.SEAL)  # those in which a seat decides, and a turn clock runs

Condition = Callable[[Game], bool]

# Bound to names of the module: looking a member up in its enum costs more than the comparison.
_OPEN, _NORMAL = Special.OPEN, Mode.NORMAL


def opener_may_oblige(game: Game) -> bool:
    return game.stage is Stage.OBLIGE


def round_is_open(game: Game) -> bool:
    return game.special is _OPEN


def someone_may_call_out_of_turn(game: Game) -> bool:
    return bool(callers(game))


def a_call_was_made(game: Game) -> bool:
    return game.stage is Stage.SHOWDOWN


def the_game_is_over(game: Game) -> bool:
    return game.stage is Stage.OVER


def otherwise(game: Game) -> bool:
    return True


_DEAL = ((the_game_is_over, Phase.OVER), (opener_may_oblige, Phase.MODE), (otherwise, Phase.COMMIT))
_TURN = ((someone_may_call_out_of_turn, Phase.SEAL), (otherwise, Phase.ACT))
_AFTER_ACT = ((a_call_was_made, Phase.REVEAL), *_TURN)

# First condition that holds decides. protocol.md prints this table.
NEXT: Mapping[Phase, tuple[tuple[Condition, Phase], ...]] = {
    Phase.START: _DEAL,
    Phase.MODE: ((otherwise, Phase.COMMIT),),
    Phase.COMMIT: ((otherwise, Phase.OPEN),),
    Phase.OPEN: ((round_is_open, Phase.READY), *_TURN),
    Phase.READY: _TURN,
    Phase.ACT: _AFTER_ACT,
    Phase.SEAL: ((otherwise, Phase.ANSWER),),
    Phase.ANSWER: ((otherwise, Phase.SHOW),),
    Phase.SHOW: _AFTER_ACT,
    Phase.REVEAL: _DEAL,
}


def next_phase(phase: Phase, game: Game) -> Phase:
    """The phase after `phase`, whose slot is complete and already counted in `game`."""
    for condition, following in NEXT[phase]:
        if condition(game):
            return following
    raise AssertionError("the last condition of each row always holds")  # pragma: no cover


_MODES: Mapping[Special | None, Mode] = {Special.OPEN: Mode.OPEN, Special.CLOSED: Mode.CLOSED}


def deal_policy(game: Game) -> Policy:
    """Who sees what in the round that is dealt or open now."""
    return policy_of(_MODES.get(game.special, _NORMAL), game.active, game.opener)


def action_of(call: Call) -> Action:
    """The action in the `call` field of ACT or SHOW, whose shape has been checked."""
    return bid(*call[1:]) if len(call) > 1 else Action(Kind(call[0]))


def call_of(action: Action) -> Call:
    """The `call` field for an action."""
    if action.kind is Kind.BID:
        return (action.kind.value, action.quantity, action.face, action.way)
    return (action.kind.value,)


def _expect(holds: bool, reason: str) -> None:
    if not holds:
        raise Malformed(reason)


def _fit_mode(game: Game, seat: int, mode: ModeChoice) -> None:
    check(game, seat, Action(Kind.OBLIGE, way=mode.choice))


def _fit_commit(game: Game, seat: int, commit: Commit) -> None:
    _expect(commit.round_number == game.round_number, "another-round")
    cups = [cup for cup, _ in commit.commitments]
    _expect(cups == [*game.active, game.seats], "wrong-commitments")
    _expect(bool(commit.round_key) == round_is_open(game), "wrong-round-key")
    if commit.round_key:
        try:
            check_round_key(commit.round_key)
        except BadKey as error:
            raise Malformed("wrong-round-key") from error


def _fit_open(game: Game, seat: int, opening: Open) -> None:
    policy = deal_policy(game)
    cups = [cup for cup, _ in opening.shares]
    _expect(cups == [*policy.public_cups(seat), game.seats], "wrong-openings")
    _expect(tuple([(cup, viewer) for cup, viewer, _ in opening.boxes]) == policy.boxes(seat), "wrong-boxes")


def _fit_ready(game: Game, seat: int, ready: Ready) -> None:
    if ready.complaint:
        sender, cup, _ = ready.complaint
        _expect(sender in game.active and (cup, seat) in deal_policy(game).boxes(sender), "no-such-box")


def _fit_act(game: Game, seat: int, act: Act) -> None:
    check(game, seat, action_of(act.call))


def _fit_sealed(game: Game, seat: int, sealed: Seal | Answer) -> None:
    """Nothing can be said of it before it is shown."""


def _fit_show(game: Game, seat: int, show: Show) -> None:
    if seat != game.turn:
        _expect(isinstance(show.sealed, str), "not-an-answer")
        return
    if isinstance(show.sealed, str):
        raise Malformed("not-an-act")
    check(game, seat, action_of(show.sealed[0]))


def _fit_reveal(game: Game, seat: int, reveal: Reveal) -> None:
    named = tuple([(cup, contributor) for cup, contributor, _ in reveal.shares])
    _expect(named == deal_policy(game).revealed(seat, cups_needed(game)), "wrong-reveal")


@dataclass(frozen=True, slots=True)
class Speakers:
    """One row: the payload a phase consists of, who signs one each, and whether it is one that this seat may sign now:
    `fit` raises Malformed or IllegalAction if not."""

    payload: type[Payload]
    who: str  # as protocol.md prints it
    authors: Callable[[Game], tuple[int, ...]]
    fit: Callable[[Game, int, Any], None]


def _active(game: Game) -> tuple[int, ...]:
    return game.active


def _mover(game: Game) -> tuple[int, ...]:
    return (game.turn,)


SPEAKERS: Mapping[Phase, Speakers] = {
    Phase.MODE: Speakers(ModeChoice, "the opener", lambda game: (game.opener,), _fit_mode),
    Phase.COMMIT: Speakers(Commit, "every active seat", _active, _fit_commit),
    Phase.OPEN: Speakers(Open, "every active seat", _active, _fit_open),
    Phase.READY: Speakers(Ready, "every active seat", _active, _fit_ready),
    Phase.ACT: Speakers(Act, "the mover", _mover, _fit_act),
    Phase.SEAL: Speakers(Seal, "the mover", _mover, _fit_sealed),
    Phase.ANSWER: Speakers(Answer, "every caller", callers, _fit_sealed),
    Phase.SHOW: Speakers(Show, "the mover and every caller", lambda game: tuple(sorted((game.turn, *callers(game)))),
                         _fit_show),
    Phase.REVEAL: Speakers(Reveal, "every holder of a share of a shown cup",
                           lambda game: deal_policy(game).revealers(cups_needed(game)), _fit_reveal),
}


def fault_in(message: AnyMessage, phase: Phase, game: Game, authors: tuple[int, ...] | None = None) -> str | None:
    """Why a message does not belong in this phase of this game, as a stable word; None if it does. `authors`: the
    phase's, by whoever has worked them out already.

    Looks at author, type and payload only; whether shares fit their commitments is the deal's to say.
    """
    speakers = SPEAKERS.get(phase)
    if speakers is None or not isinstance(message.payload, speakers.payload):
        return "wrong-type"
    if message.seat not in (speakers.authors(game) if authors is None else authors):
        return "not-the-author"
    try:
        speakers.fit(game, message.seat, message.payload)
    except (Malformed, IllegalAction) as error:
        return error.reason
    return None
