"""How a round ends: which cups open, the count, who loses or gains, who opens next; and players who go.

With engine.py the only writer of games. It is given the dice of a showdown, never before, and draws nothing.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence

from .actions import Gone, Kind, RoundSettled
from .engine import prepare
from .ruleset import ExactReward, Format, Special, SpecialRounds
from .state import Game, Stage, after

# Bound to names of the module, as in engine.py.
_DUDO = Kind.DUDO
_OBLIGE, _DEAL, _SHOWDOWN, _OVER = Stage.OBLIGE, Stage.DEAL, Stage.SHOWDOWN, Stage.OVER
_BANK, _BIDDER_LOSES = ExactReward.BANK, ExactReward.BIDDER_LOSES
_POINTS = Format.POINTS
_OBLIGAR, _PALIFICO = SpecialRounds.OBLIGAR, Special.PALIFICO

# Calling the class itself packs its many arguments twice, which takes as long as it takes to lose a die.
_new_record = RoundSettled.__new__

# The round that follows a first fall to one die: its kind, if that needs no choice, and what is waited for.
_AFTER_FALL: Mapping[SpecialRounds, tuple[Special | None, Stage]] = {
    SpecialRounds.OFF: (None, _DEAL),
    SpecialRounds.PALIFICO: (Special.PALIFICO, _DEAL),
    SpecialRounds.OBLIGAR: (None, _OBLIGE),
}


def count(cups: Iterable[Sequence[int]], face: int, wild: bool) -> int:
    """Dice that show `face`, ones included where they are wild; a one never counts twice (worked case 6)."""
    total = 0
    for cup in cups:
        total += cup.count(face)
        if wild and face != 1:
            total += cup.count(1)
    return total


def pass_holds(cup: Sequence[int]) -> bool:
    """Five alike, three and two alike, or five different; ones count as ones."""
    return sorted(cup.count(face) for face in set(cup)) in ([5], [2, 3], [1, 1, 1, 1, 1])


def cups_needed(game: Game) -> tuple[int, ...]:
    """The seats whose cups open at this showdown: all with dice, or only the passer's; () at any other time."""
    if game.stage is not _SHOWDOWN:
        return ()
    if game.call_on == "pass":
        return game.passed[-1:]
    return game.active


def settle(game: Game, cups: Mapping[int, Sequence[int]]) -> RoundSettled:
    """SHOWDOWN -> OBLIGE, DEAL or OVER, by the dice (faces 1-6) of exactly the `cups_needed`.

    Raises ValueError for other cups or another number of dice: that is never a player's fault.
    """
    dice, caller, call, on, bid, bidder = game.dice, game.caller, game.call, game.call_on, game.bid, game.bidder
    if caller is None or call is None or on is None or bid is None or bidder is None:
        raise ValueError("nothing was called")
    if on == "pass":
        bid, bidder = None, game.passed[-1]
    if len(cups) != (1 if bid is None else len(game.active)) or bidder not in cups:
        raise ValueError("the cups are not those of this showdown")
    shown: list[int] = []
    for seat, cup in cups.items():
        if not cup or len(cup) != dice[seat]:
            raise ValueError("a cup has another number of dice than its player")
        shown += cup

    total = loser = gainer = None
    if bid is None:
        loser = caller if pass_holds(cups[bidder]) else bidder
    else:
        total = count((shown,), bid.face, game.terms.wild)
        if call is _DUDO:
            loser = caller if total >= bid.quantity else bidder
        elif total != bid.quantity:
            loser = caller
        elif game.rules.exact_reward is _BIDDER_LOSES:
            loser = bidder
        else:
            gainer = caller

    fell = loser is not None and _lose(game, loser)
    gained = gainer is not None and _gain(game, gainer)
    opener = caller if loser is None else loser
    out = () if dice[opener] else (opener,)
    number, special = game.round_number, game.special
    if len(game.active) - len(out) < 2 or (game.rules.format is _POINTS and number >= game.rules.rounds):
        _finish(game)
    else:
        game.round_number = number + 1
        _open_next(game, opener, fell)
    next_opener, next_special = _next(game)
    return _new_record(
        RoundSettled,
        number,
        call,
        caller,
        on,
        bid,
        bidder,
        total,
        () if loser is None else (loser,),
        (caller,) if gained else (),
        tuple(dice),
        tuple(game.banked),
        tuple(game.penalties),
        out,
        special,
        next_opener,
        next_special,
        game.winners,
    )


def _lose(game: Game, seat: int) -> bool:
    """Take what losing a round costs; True if it was the seat's first fall to one die."""
    if game.rules.format is _POINTS:
        game.penalties[seat] += 1
        return False
    if game.banked[seat]:
        game.banked[seat] -= 1
        return False
    game.dice[seat] -= 1
    return game.dice[seat] == 1 and not game.used[seat]


def _gain(game: Game, seat: int) -> bool:
    """Give what a right exact call earns its caller; False if there was nothing to give."""
    rules = game.rules
    if rules.format is _POINTS:
        if not game.penalties[seat]:
            return False
        game.penalties[seat] -= 1
    elif game.dice[seat] < rules.starting_dice:
        game.dice[seat] += 1
    elif rules.exact_reward is _BANK:
        game.banked[seat] += 1
    else:
        return False
    return True


def _finish(game: Game) -> None:
    """The last one with dice wins, in a points race the fewest points among those who still have dice."""
    left = [seat for seat, dice in enumerate(game.dice) if dice]
    if game.rules.format is _POINTS and left:
        fewest = min(game.penalties[seat] for seat in left)
        left = [seat for seat in left if game.penalties[seat] == fewest]
    game.winners = tuple(left)
    prepare(game, game.opener, None, _OVER)


def _special_allowed(game: Game) -> bool:
    return game.rules.special_with_two or game.seats - game.dice.count(0) > 2


def _open_next(game: Game, opener: int, fell: bool) -> None:
    """The next round: the loser opens it, or who comes after them; a first fall makes it a special one."""
    special, stage = None, _DEAL
    if fell and _special_allowed(game):
        special, stage = _AFTER_FALL[game.rules.special]
        game.used[opener] = True
    if not game.dice[opener]:
        opener = after(game.dice, opener, game.direction)
    prepare(game, opener, special, stage)


def _next(game: Game) -> tuple[int | None, SpecialRounds | None]:
    """Who opens next and what they have coming; a choice that is already made is nothing to come."""
    if game.stage is _OVER:
        return None, None
    if game.stage is _OBLIGE:
        return game.opener, _OBLIGAR
    return game.opener, SpecialRounds.PALIFICO if game.special is _PALIFICO else None


def remove(game: Game, seats: Collection[int]) -> Gone:
    """Seats that left, were dropped or convicted lose everything; an open round is void and to be dealt again.

    It stays what it was if its opener is still in, an obligar with the choice made; else the next one after opens a
    normal round. The direction goes back to what it was when the void round began. No fall to one die for anyone.
    """
    if game.stage is _OVER or not all(game.dice[seat] for seat in seats):
        raise ValueError("only seats that still have dice can go, and only before the end")
    for seat in seats:
        game.dice[seat] = game.banked[seat] = 0
    game.direction = game.round_direction
    if game.seats - game.dice.count(0) < 2:
        _finish(game)
    elif not game.dice[game.opener]:
        prepare(game, after(game.dice, game.opener, game.direction), None, _DEAL)
    elif not _special_allowed(game):
        prepare(game, game.opener, None, _DEAL)
    else:
        prepare(game, game.opener, game.special, _OBLIGE if game.stage is _OBLIGE else _DEAL)
    next_opener, next_special = _next(game)
    return Gone(tuple(sorted(seats)), tuple(game.dice), next_opener, next_special, game.winners)
