"""Within a round: what may be done, why not, and doing it. How a round ends is settle.py's.

check, legal and apply are the only doors for a move, the mover's own and a peer's alike. The engine never sees a die
before the showdown, knows no names and speaks no language: refusals are reasons with fields.
"""

from collections.abc import Collection, Sequence
from functools import cache
from itertools import compress

from .actions import CALZO, OBLIGE_CLOSED, OBLIGE_NO, OBLIGE_OPEN, PASO, Action, Kind, RoundBegan, bid
from .bids import (
    AFTER_PASS,
    FACE_CHANGE,
    FACE_FIXED,
    HALF,
    HALF_PLUS_ONE,
    NEVER,
    OPEN,
    OPEN_NOT_ON_ONES,
    PER_DIE,
    PLAIN,
    WITH_EXACT,
    WITH_PASS,
    Raising,
)
from .errors import Field, IllegalAction
from .presets import check_players
from .ruleset import Exact, ExactRequires, OnesEntry, Ruleset, Special, Turning
from .state import LEFT, RIGHT, Game, Stage, Terms, direction_name

# Bound to names of the module: looking a member up in its enum costs more than the comparison.
_BID, _DUDO, _CALZO, _PASO, _OBLIGE = Kind.BID, Kind.DUDO, Kind.CALZO, Kind.PASO, Kind.OBLIGE
_DEAL, _ACT, _SHOWDOWN = Stage.DEAL, Stage.ACT, Stage.SHOWDOWN
_OFF, _ANYONE = Exact.OFF, Exact.ANYONE
_HALF_DICE = ExactRequires.HALF_DICE_OR_SINGLE_DIE

_WAYS = {"left": LEFT, "right": RIGHT}
_CHOICES = {OBLIGE_OPEN: Special.OPEN, OBLIGE_CLOSED: Special.CLOSED, OBLIGE_NO: None}
_ENTRIES = {OnesEntry.HALF: HALF, OnesEntry.HALF_PLUS_ONE: HALF_PLUS_ONE}
# Palifico lets nobody change the face, an obligar those with a single die.
_SINGLE_DIE = {Special.PALIFICO: FACE_FIXED, Special.OPEN: FACE_CHANGE, Special.CLOSED: FACE_CHANGE}
_PASS_DICE = 5
# The one reason against exact calls in a round that does not hold for everyone: who has a single die may.
_NEEDS_HALF_DICE = "exact-needs-half-dice"


def new_game(
    rules: Ruleset,
    seats: int,
    opener: int = 0,
    *,
    direction: int = LEFT,
    dice: Sequence[int] | None = None,
    banked: Sequence[int] | None = None,
    penalties: Sequence[int] | None = None,
    used: Collection[int] = (),
    special: Special | None = None,
) -> Game:
    """A game before its first deal; the keywords start it in its middle, with `special` the first round's kind.

    Raises RulesetError for a number of seats the system does not take. The opener must have dice, and another seat too.
    """
    check_players(rules, seats)
    game = Game()
    game.rules = rules
    game.seats = seats
    game.round_number = 1
    game.direction = direction
    game.dice = [rules.starting_dice] * seats if dice is None else list(dice)
    game.banked = [0] * seats if banked is None else list(banked)
    game.penalties = [0] * seats if penalties is None else list(penalties)
    game.used = [False] * seats
    for seat in used:
        game.used[seat] = True
    if special is not None:
        game.used[opener] = True
    game.winners = ()
    game.normal = _terms(rules, None)
    if not seats == len(game.dice) == len(game.banked) == len(game.penalties):
        raise ValueError("dice, banked and penalties go by seat")
    if not game.dice[opener] or seats - game.dice.count(0) < 2:
        raise ValueError("the opener and another seat need dice")
    prepare(game, opener, special, _DEAL)
    return game


@cache
def _everyone(seats: int) -> tuple[int, ...]:
    return tuple(range(seats))


def prepare(game: Game, opener: int, special: Special | None, stage: Stage) -> None:
    """Clear the table for the round that `opener` opens."""
    game.opener = game.turn = opener
    game.special = special
    game.stage = stage
    game.round_direction = game.direction
    game.bid = game.bidder = game.last = game.caller = game.call = game.call_on = None
    game.history = []
    dice = game.dice
    game.active = tuple(compress(range(game.seats), dice)) if 0 in dice else _everyone(game.seats)
    game.total = total = sum(dice)
    game.terms = terms = game.normal if special is None else _terms(game.rules, special)
    game.no_exact = no_exact = terms.no_exact or _why_no_exact(game)
    game.position = terms.opening
    game.menu = menu = PER_DIE * total
    game.menu_after_bid = menu if no_exact else menu + WITH_EXACT
    game.by_seat = terms.by_seat or no_exact == _NEEDS_HALF_DICE


def deal(game: Game) -> None:
    """DEAL -> ACT: the dice are under the cups."""
    if game.stage is not _DEAL:
        raise ValueError(f"no deal while the game waits for {game.stage}")
    game.stage = _ACT


def round_begun(game: Game) -> RoundBegan:
    """The record of the round that is to be dealt, or was and has no action yet."""
    return RoundBegan(game.round_number, game.opener, direction_name(game.round_direction), game.special)


def _terms(rules: Ruleset, special: Special | None) -> Terms:
    # Not cached by the rules themselves: their hash goes over all options, and takes as long as the rest of a new game.
    open_on_ones, exact_in_special = rules.open_on_ones, rules.exact_in_special
    return _terms_of(
        rules.wild_ones, open_on_ones, rules.ones_entry, rules.exact, exact_in_special, rules.passing, special
    )


@cache
def _terms_of(
    wild: bool,
    open_on_ones: bool,
    entry: OnesEntry,
    exact: Exact,
    exact_in_special: bool,
    passing: bool,
    special: Special | None,
) -> Terms:
    no_exact = "exact-off" if exact is _OFF else ""
    no_pass = "" if passing else "passing-off"
    if special is not None:
        single = _SINGLE_DIE[special]
        return Terms(
            opening=OPEN,
            raising=FACE_FIXED,
            after_pass=FACE_FIXED,
            single=single,
            no_exact=no_exact or ("" if exact_in_special else "exact-in-special"),
            no_pass=no_pass or "pass-in-special",
            by_seat=single is not FACE_FIXED,
            wild=False,
        )
    raising = _ENTRIES[entry] if wild else PLAIN
    return Terms(
        opening=OPEN if open_on_ones or not wild else OPEN_NOT_ON_ONES,
        raising=raising,
        after_pass=AFTER_PASS if wild else PLAIN,
        single=raising,
        no_exact=no_exact,
        no_pass=no_pass,
        by_seat=passing,
        wild=wild,
    )


def _why_no_exact(game: Game) -> str:
    """The reason that lies in the dice of this round."""
    rules = game.rules
    if not rules.exact_with_two and len(game.active) == 2:
        return "exact-with-two"
    if rules.exact_requires is _HALF_DICE and game.total < half_of_start(game):
        return _NEEDS_HALF_DICE
    return ""


def half_of_start(game: Game) -> int:
    """At least half the dice of the start of the game, those of seats now out included (15 -> 8)."""
    return (game.seats * game.rules.starting_dice + 1) // 2


def _exact_refused(game: Game, seat: int) -> str:
    """The reason why this seat may not call exact now, in or out of turn, or ""."""
    reason = game.no_exact
    if reason and not (reason == _NEEDS_HALF_DICE and game.dice[seat] == 1):
        return reason
    if game.bid is None:
        return "exact-without-bid"
    if game.last is _PASO:
        return "exact-after-pass"
    return "exact-own-bid" if seat == game.bidder else ""


def _pass_refused(game: Game, seat: int) -> str:
    """The reason why the mover may not pass now, or "". Over one's own bid it is always straight after a pass."""
    if game.terms.no_pass:
        return game.terms.no_pass
    if game.bid is None:
        return "pass-without-bid"
    if game.last is _PASO:
        return "pass-after-pass"
    if game.dice[seat] != _PASS_DICE:
        return "pass-needs-five-dice"
    return "pass-used" if (seat, PASO) in game.history else ""


def check(game: Game, seat: int, action: Action) -> None:
    """Raises IllegalAction if `seat` may not do this now; the fields say what would be."""
    if seat != game.turn or game.stage is not _ACT:
        _check_elsewhere(game, seat, action)
        return
    kind, quantity, face, way = action
    if kind is not _BID:
        _check_call(game, seat, action)
    elif way or not (0 < face < 7 and game.position.least[face] <= quantity <= game.total):
        _check_bid(game, action)


def _check_elsewhere(game: Game, seat: int, action: Action) -> None:
    """An action out of turn, or while no round is open."""
    stage = game.stage
    if stage is Stage.OVER:
        raise IllegalAction("game-over")
    if not game.dice[seat]:
        raise IllegalAction("out")
    if stage is Stage.OBLIGE:
        if seat != game.turn:
            raise IllegalAction("not-your-turn", turn=game.turn)
        if action.kind is not _OBLIGE:
            raise IllegalAction("oblige-first")
        if action not in _CHOICES:
            raise IllegalAction("no-such-choice", way=action.way)
    elif action.kind is _OBLIGE:
        raise _no_choice(game)
    elif stage is not _ACT:
        raise IllegalAction("no-round-open")
    elif action.kind is _CALZO and game.rules.exact is _ANYONE:
        _check_call(game, seat, action)
    else:
        raise IllegalAction("not-your-turn", turn=game.turn)


def _no_choice(game: Game) -> IllegalAction:
    chosen = game.special in (Special.OPEN, Special.CLOSED)
    return IllegalAction("already-obliged" if chosen else "no-right-to-oblige")


def _check_call(game: Game, seat: int, action: Action) -> None:
    kind = action.kind
    if kind is _OBLIGE:
        raise _no_choice(game)
    if action.way:
        raise IllegalAction("direction-on-call", action=str(kind))
    if kind is _DUDO:
        reason = "doubt-without-bid" if game.bid is None else ""
    elif kind is _CALZO:
        reason = _exact_refused(game, seat)
    else:
        reason = _pass_refused(game, seat)
    if reason:
        raise IllegalAction(reason, **_call_fields(game, seat, reason))


def _call_fields(game: Game, seat: int, reason: str) -> dict[str, Field]:
    if reason == _NEEDS_HALF_DICE:
        return {"least": half_of_start(game), "dice": game.total}
    if reason == "pass-needs-five-dice":
        return {"least": _PASS_DICE, "dice": game.dice[seat]}
    return {}


def _check_bid(game: Game, action: Action) -> None:
    """Says which rule a bid breaks; returns if it is only an opening bid that rightly names a direction."""
    quantity, face, standing, least = action.quantity, action.face, game.bid, game.position.least
    if face not in range(1, 7):
        raise IllegalAction("no-such-face", face=face)
    if quantity < 1:
        raise IllegalAction("no-dice-bid", quantity=quantity, dice=game.total)
    if quantity > game.total:
        raise IllegalAction("more-than-in-play", quantity=quantity, dice=game.total)
    if quantity < least[face]:
        reason = game.position.refusals[face]
        if standing is None:
            raise IllegalAction(reason)
        raise IllegalAction(
            reason,
            quantity=quantity,
            face=face,
            bid_quantity=standing.quantity,
            bid_face=standing.face,
            least=least[face if least[face] != NEVER else standing.face],
            dice=game.total,
        )
    if action.way not in _WAYS:
        raise IllegalAction("no-such-direction", way=action.way)
    if game.rules.direction is Turning.FIXED:
        raise IllegalAction("direction-fixed")
    if standing is not None:
        raise IllegalAction("direction-on-raise")


def legal(game: Game, seat: int) -> tuple[Action, ...]:
    """All that `seat` may do now: bids by quantity then face, dudo, calzo, paso; directions are not listed.

    Never empty for the seat in turn. Out of turn it is an exact call or nothing.
    """
    if game.stage is _ACT:
        if seat == game.turn:
            return game.position[game.menu]
        return (CALZO,) if seat in callers(game) else ()
    return tuple(_CHOICES) if game.stage is Stage.OBLIGE and seat == game.turn else ()


def callers(game: Game) -> tuple[int, ...]:
    """Seats that may call exact now without being in turn; () when nobody may."""
    if game.stage is not _ACT or game.rules.exact is not _ANYONE:
        return ()
    turn = game.turn
    return tuple(
        seat for seat, dice in enumerate(game.dice) if dice and seat != turn and not _exact_refused(game, seat)
    )


def apply(game: Game, seat: int, action: Action) -> None:
    """Do an action that `check` lets pass; a call leads to SHOWDOWN, a choice to DEAL."""
    kind = action.kind
    if kind is _BID:
        standing = action
        if action.way:
            game.direction = _WAYS[action.way]
            standing = bid(action.quantity, action.face)
        game.bid = standing
        game.bidder = seat
    elif kind is _PASO:
        assert game.bid is not None
        standing = game.bid
    elif kind is _OBLIGE:
        prepare(game, game.opener, _CHOICES[action], _DEAL)
        return
    else:
        _call(game, seat, action)
        return
    game.history.append((seat, action))
    game.last = kind
    dice, direction, seats = game.dice, game.direction, game.seats
    turn = (seat + direction) % seats
    while not dice[turn]:
        turn = (turn + direction) % seats
    game.turn = turn
    if game.by_seat:
        raising, game.menu = ways_of(game, turn)
    else:
        raising, game.menu = game.terms.raising, game.menu_after_bid
    game.position = raising[standing]


def _call(game: Game, seat: int, action: Action) -> None:
    game.history.append((seat, action))
    game.caller = seat
    game.call = action.kind
    game.call_on = "pass" if game.last is _PASO else "bid"
    game.last = action.kind
    game.stage = _SHOWDOWN


def ways_of(game: Game, seat: int) -> tuple[Raising, int]:
    """How this seat may raise, and the number of its menu."""
    terms, menu = game.terms, PER_DIE * game.total
    if game.last is _PASO:  # over which nobody calls exact or passes
        return terms.after_pass, menu
    if not _exact_refused(game, seat):
        menu += WITH_EXACT
    if not _pass_refused(game, seat):
        menu += WITH_PASS
    return terms.single if game.dice[seat] == 1 and seat != game.opener else terms.raising, menu


def mildest(game: Game, seat: int) -> Action:
    """What is done for a seat in turn whose time is over: no obligar, the lowest opening, the lowest raise, a doubt.

    The lowest raise goes to ones, or away from them, only where nothing else is left.
    """
    choices = legal(game, seat)
    if game.stage is Stage.OBLIGE:
        return OBLIGE_NO
    bids = [action for action in choices if action.kind is _BID]
    standing = game.bid
    if standing is None:
        return bids[0]
    return min(bids, key=lambda raised: ((raised.face == 1) != (standing.face == 1), raised), default=choices[0])
