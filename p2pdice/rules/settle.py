"""How a round ends: which cups open, the count, who loses or gains, who opens next; and players who go.

With engine.py the only writer of games. It is given the dice of a showdown, never before, and draws nothing.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from .actions import Gone, Kind, RoundSettled
from .engine import prepare
from .ruleset import ExactReward, Format, Special, SpecialRounds
from .state import Game, Stage, after

_DUDO = Kind.DUDO
_SHOWDOWN = Stage.SHOWDOWN
_POINTS = Format.POINTS

# The stage before the round that follows a first fall to one die, and the round's kind if it needs no choice.
_AFTER_FALL: Mapping[SpecialRounds, tuple[Special | None, Stage]] = {
    SpecialRounds.OFF: (None, Stage.DEAL),
    SpecialRounds.PALIFICO: (Special.PALIFICO, Stage.DEAL),
    SpecialRounds.OBLIGAR: (None, Stage.OBLIGE),
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
        return (_claimant(game),)
    return tuple(seat for seat, dice in enumerate(game.dice) if dice)


def _claimant(game: Game) -> int:
    """Who made the bid or pass that is called."""
    if game.call_on == "pass":
        return game.history[-2][0]
    assert game.bidder is not None
    return game.bidder


class _Verdict(NamedTuple):
    total: int | None
    loser: int | None
    gainer: int | None


def _verdict(game: Game, cups: Mapping[int, Sequence[int]], caller: int, claimant: int) -> _Verdict:
    if game.call_on == "pass":
        return _Verdict(None, caller if pass_holds(cups[claimant]) else claimant, None)
    standing = game.bid
    assert standing is not None
    quantity = standing.quantity
    total = count(cups.values(), standing.face, game.terms.wild)
    if game.call is _DUDO:
        return _Verdict(total, caller if total >= quantity else claimant, None)
    if total != quantity:
        return _Verdict(total, caller, None)
    if game.rules.exact_reward is ExactReward.BIDDER_LOSES:
        return _Verdict(total, claimant, None)
    return _Verdict(total, None, caller)


def settle(game: Game, cups: Mapping[int, Sequence[int]]) -> RoundSettled:
    """SHOWDOWN -> OBLIGE, DEAL or OVER, by the dice (faces 1-6) of exactly the `cups_needed`.

    Raises ValueError for other cups or another number of dice: that is never a player's fault.
    """
    dice = game.dice
    caller, call, on = game.caller, game.call, game.call_on
    if cups.keys() != set(cups_needed(game)) or any(len(cup) != dice[seat] for seat, cup in cups.items()):
        raise ValueError("the cups are not those of this showdown")
    assert caller is not None
    assert call is not None
    assert on is not None
    claimant = _claimant(game)
    total, loser, gainer = _verdict(game, cups, caller, claimant)
    fell = loser is not None and _lose(game, loser)
    gained = (gainer,) if gainer is not None and _gain(game, gainer) else ()
    opener = caller if loser is None else loser
    out = () if dice[opener] else (opener,)
    number, special, called = game.round_number, game.special, None if on == "pass" else game.bid
    if _ended(game):
        _finish(game)
    else:
        game.round_number = number + 1
        _open_next(game, opener, fell)
    next_opener, next_special = _next(game)
    return RoundSettled(
        number,
        call,
        caller,
        on,
        called,
        claimant,
        total,
        () if loser is None else (loser,),
        gained,
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
    elif rules.exact_reward is ExactReward.BANK:
        game.banked[seat] += 1
    else:
        return False
    return True


def _in_play(game: Game) -> tuple[int, ...]:
    return tuple(seat for seat, dice in enumerate(game.dice) if dice)


def _ended(game: Game) -> bool:
    if game.seats - game.dice.count(0) < 2:
        return True
    return game.rules.format is _POINTS and game.round_number >= game.rules.rounds


def _finish(game: Game) -> None:
    """The last one with dice wins, in a points race the fewest points among those who still have dice."""
    left = _in_play(game)
    fewest = min((game.penalties[seat] for seat in left), default=0)
    game.winners = tuple(s for s in left if game.rules.format is not _POINTS or game.penalties[s] == fewest)
    prepare(game, game.opener, None, Stage.OVER)


def _special_allowed(game: Game) -> bool:
    return game.rules.special_with_two or game.seats - game.dice.count(0) > 2


def _open_next(game: Game, opener: int, fell: bool) -> None:
    """The next round: the loser opens it, or who comes after them; a first fall makes it a special one."""
    special, stage = None, Stage.DEAL
    if fell and _special_allowed(game):
        special, stage = _AFTER_FALL[game.rules.special]
        game.used[opener] = True
    if not game.dice[opener]:
        opener = after(game.dice, opener, game.direction)
    prepare(game, opener, special, stage)


def _next(game: Game) -> tuple[int | None, SpecialRounds | None]:
    """Who opens next and what they have coming; a choice that is already made is nothing to come."""
    if game.stage is Stage.OVER:
        return None, None
    if game.stage is Stage.OBLIGE:
        return game.opener, SpecialRounds.OBLIGAR
    return game.opener, SpecialRounds.PALIFICO if game.special is Special.PALIFICO else None


def remove(game: Game, seats: Collection[int]) -> Gone:
    """Seats that left, were dropped or convicted lose everything; an open round is void and to be dealt again.

    It stays what it was if its opener is still in, an obligar with the choice made; else the next one after opens a
    normal round. The direction goes back to what it was when the void round began. No fall to one die for anyone.
    """
    if game.stage is Stage.OVER or not all(game.dice[seat] for seat in seats):
        raise ValueError("only seats that still have dice can go, and only before the end")
    for seat in seats:
        game.dice[seat] = game.banked[seat] = 0
    game.direction = game.round_direction
    if len(_in_play(game)) < 2:
        _finish(game)
    elif not game.dice[game.opener]:
        prepare(game, after(game.dice, game.opener, game.direction), None, Stage.DEAL)
    elif not _special_allowed(game):
        prepare(game, game.opener, None, Stage.DEAL)
    else:
        prepare(game, game.opener, game.special, Stage.OBLIGE if game.stage is Stage.OBLIGE else Stage.DEAL)
    next_opener, next_special = _next(game)
    return Gone(tuple(sorted(seats)), tuple(game.dice), next_opener, next_special, game.winners)
