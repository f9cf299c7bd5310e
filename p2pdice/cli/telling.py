"""What happened in the game, in sentences. The same sentences serve a live game, a replay and the referee, so they take
the JSON form of the rules' records (names instead of seats) and know neither screen nor network."""

from collections.abc import Mapping, Sequence
from typing import Any

from p2pdice.cli.language import _
from p2pdice.cli.words import dice_count, dice_of, listed, typed
from p2pdice.rules import Action, Kind

Record = Mapping[str, Any]  # a rules record as record_json gives it


def order(data: Record) -> list[str]:
    """The opening roll, throw by throw, and who opens."""
    rolled = [
        _("Opening roll: {dice}.").format(dice=listed(f"{name}: {value}" for name, value in throw.items()))
        for throw in data.get("rolls", ())
    ]
    return [
        *rolled,
        _("Seats, clockwise: {names}. {opener} opens.").format(names=listed(data["seats"]), opener=data["opener"]),
    ]


def round_began(data: Record, *, turning: bool) -> list[str]:
    """A new round, its kind, and the direction of play where the rules let it change (`turning`)."""
    number, opener = data["round"], data["opener"]
    lines = [_("Round {number}. {opener} opens.").format(number=number, opener=opener)]
    match data["special"]:
        case "palifico":
            lines.append(_("Palifico: ones are not wild, and nobody may change the face, only raise the quantity."))
        case "open":
            lines.append(_("Open round: everyone sees the others' dice and nobody their own. Ones are not wild."))
        case "closed":
            lines.append(_("Closed round: only {opener} sees a die. Ones are not wild.").format(opener=opener))
        case _plain if turning:
            lines.append(_("Play goes to the left.") if data["direction"] == "left" else _("Play goes to the right."))
        case _:
            pass
    return lines


def action(by: str, made: Action, *, auto: bool = False) -> str:
    """One action of one player."""
    text = _action(made).format(name=by, dice=dice_of(made.quantity, made.face), bid=typed(made))
    return _("{action} (made by the clock)").format(action=text) if auto else text


def _action(made: Action) -> str:
    match made.kind, made.way:
        case Kind.BID, "left":
            return _("{name} bids {dice}, to the left.")
        case Kind.BID, "right":
            return _("{name} bids {dice}, to the right.")
        case Kind.BID, _:
            return _("{name} bids {dice}.")
        case Kind.DUDO, _:
            return _("{name} doubts.")
        case Kind.CALZO, _:
            return _("{name} calls exact.")
        case Kind.PASO, _:
            return _("{name} passes.")
        case Kind.OBLIGE, "open":
            return _("{name} obliges an open round.")
        case Kind.OBLIGE, "closed":
            return _("{name} obliges a closed round.")
        case _:
            return _("{name} does not oblige.")


def result(
    data: Record, caller: str, bid: Action | None, *, you: str | None, points: bool, banked: Mapping[str, int]
) -> list[str]:
    """A call judged: the count, who loses or gains what, who is out. `banked`: dice in favour before it."""
    lines = [_judged(data, caller, bid)]
    lines += [_loses(data, name, name == you, points, banked) for name in data["lost"]]
    lines += [_gains(data, name, name == you, points, banked) for name in data["gained"]]
    for name in data["out"]:
        lines.append(_("You are out.") if name == you else _("{name} is out.").format(name=name))
    return lines


def _judged(data: Record, caller: str, bid: Action | None) -> str:
    lost: Sequence[str] = data["lost"]
    if data["on"] == "pass" or bid is None:
        return _("The pass was true.") if caller in lost else _("The pass was a bluff.")
    counted, said = dice_of(data["count"], bid.face), dice_of(bid.quantity, bid.face)
    if data["call"] == "calzo":
        exact = data["count"] == bid.quantity
        text = _("Counted: {counted}. Exactly as bid.") if exact else _("Counted: {counted}. The bid was {said}.")
    elif data["count"] >= bid.quantity:
        text = _("Counted: {counted}. The bid of {said} holds.")
    else:
        text = _("Counted: {counted}. The bid of {said} does not hold.")
    return text.format(counted=counted, said=said)


def _loses(data: Record, name: str, mine: bool, points: bool, banked: Mapping[str, int]) -> str:
    left = data["dice"][name]
    if points:
        total = data["penalties"][name]
        text = _("You get a penalty point: {n} now.") if mine else _("{name} gets a penalty point: {n} now.")
        return text.format(name=name, n=total)
    if data["banked"][name] < banked.get(name, 0):
        text = (
            _("You pay with a die in favour and keep {dice}.")
            if mine
            else _("{name} pays with a die in favour and keeps {dice}.")
        )
    elif mine:
        text = _("You lose a die: {dice} left.") if left else _("You lose your last die.")
    else:
        text = _("{name} loses a die: {dice} left.") if left else _("{name} loses the last die.")
    return text.format(name=name, dice=dice_count(left))


def _gains(data: Record, name: str, mine: bool, points: bool, banked: Mapping[str, int]) -> str:
    if points:
        text = (
            _("A penalty point is taken off you: {n} now.")
            if mine
            else _("A penalty point is taken off {name}: {n} now.")
        )
        return text.format(name=name, n=data["penalties"][name])
    if data["banked"][name] > banked.get(name, 0):
        text = _("You keep a die in favour.") if mine else _("{name} keeps a die in favour.")
    else:
        text = _("You get a die back: {dice} now.") if mine else _("{name} gets a die back: {dice} now.")
    return text.format(name=name, dice=dice_count(data["dice"][name]))


def may_oblige(name: str) -> str:
    """The next opener, not the reader, has a choice to make."""
    return _("{name} may oblige a special round.").format(name=name)


def opens_next(name: str, special: str | None) -> str:
    """Who opens a round that is not there yet, and a kind that needs no choice."""
    text = _("{name} opens the next round, a palifico.") if special == "palifico" else _("{name} opens the next round.")
    return text.format(name=name)


def gone(names: Sequence[str]) -> str:
    """Players who left the game, or were put out of it, with all their dice."""
    return _("Out of the game with all dice: {names}.").format(names=listed(names))


def end(winners: Sequence[str], *, you: str | None = None) -> str:
    """Who won."""
    if len(winners) != 1:
        return _("A shared win: {names}.").format(names=listed(winners))
    return _("You win the game.") if winners[0] == you else _("{name} wins the game.").format(name=winners[0])


def standing(bid: Action, bidder: str, *, passed: bool) -> str:
    """The bid on the table."""
    text = (
        _("Standing bid: {dice} ({bid}), by {name}; a pass lies over it.")
        if passed
        else _("Standing bid: {dice} ({bid}), by {name}.")
    )
    return text.format(dice=dice_of(bid.quantity, bid.face), bid=f"{bid.quantity}x{bid.face}", name=bidder)


def least(legal: Sequence[Action]) -> list[Action]:
    """The lowest bid on each face, lowest first, then everything else that is legal."""
    lowest: dict[int, Action] = {}
    for item in legal:
        if item.kind is Kind.BID:
            lowest.setdefault(item.face, item)
    bids = sorted(lowest.values(), key=lambda bid: (bid.quantity, bid.face))
    return [*bids, *(item for item in legal if item.kind is not Kind.BID)]


def choices(legal: Sequence[Action]) -> str:
    """What may be done now, short: the least bid on each face, then the calls."""
    lowest = [typed(item) for item in least(legal) if item.kind is Kind.BID]
    calls = [typed(item) for item in legal if item.kind is not Kind.BID]
    if lowest and calls:
        text = _("You may bid {bids} or more, or {calls}.")
    elif lowest:
        text = _("You may bid {bids} or more.")
    else:
        text = _("You may say {calls}.")
    return text.format(bids=listed(lowest), calls=listed(calls))
