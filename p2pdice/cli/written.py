"""A finished or broken-off game as text for the referee, so that it can be read and judged without this program.

Pure: events in, lines out. A round is written when its cups are open; one that was made void never is.
"""

from collections.abc import Iterable, Iterator, Sequence

from p2pdice.protocol.events import ActionMade, CupsShown, Event, TableFormed
from p2pdice.rules import Gone, Kind, OrderDrawn, RoundBegan, RoundSettled, differences

_HEADER_WORDS = frozenset(
    [
        "rules",
        "set",
        "players",
        "opener",
        "direction",
        "dice",
        "banked",
        "penalties",
        "used",
        "special",
        "roll",
        "round",
        "oblige",
        "gone",
    ]
)


def lines(events: Iterable[Event]) -> Iterator[str]:
    """The lines of the file; the first event must be TableFormed."""
    names: tuple[str, ...] = ()
    dice: Sequence[int] = ()
    held: list[str] = []
    opened = False
    for event in events:
        match event:
            case TableFormed():
                names = notation_names(event.names)
                dice = (event.rules.starting_dice,) * len(names)
                yield f"rules: {event.rules.system}"
                if changed := differences(event.rules):
                    yield "set: " + " ".join(f"{key}={value}" for key, value in changed.items())
                yield "players: " + " ".join(names)
            case OrderDrawn():
                opened = bool(event.rolls)
                for roll in event.rolls:
                    yield "roll: " + " ".join(f"{names[seat]}={value or '*'}" for seat, value in roll.items())
            case RoundBegan():
                if not opened:
                    yield f"opener: {names[event.opener]}"
                opened = True
                held.clear()
            case ActionMade() if event.action.kind is Kind.OBLIGE:
                if event.action.way != "no":
                    yield f"oblige: {event.action.way}"
            case ActionMade():
                held.append(f"{names[event.seat]}: {event.action}")
            case CupsShown():
                cups = (
                    f"{names[seat]}=" + ("".join(map(str, event.cups[seat])) if seat in event.cups else "?" * count)
                    for seat, count in enumerate(dice)
                    if count
                )
                yield ""
                yield "round: " + " ".join(cups)
                yield from held
            case RoundSettled():
                dice = event.dice
            case Gone():
                dice = event.dice
                for seat in event.seats:
                    yield f"gone: {names[seat]}"
            case _:
                pass


def notation_names(names: Sequence[str]) -> tuple[str, ...]:
    """Names with `_` for what a name in notation may not hold, and `_2` where two would be equal."""
    result: list[str] = []
    for name in names:
        plain = "".join("_" if char.isspace() or char in ":=#" else char for char in name)
        if plain in _HEADER_WORDS:
            plain += "_"
        unique, number = plain, 1
        while unique in result:
            number += 1
            unique = f"{plain}_{number}"
        result.append(unique)
    return tuple(result)
