"""A finished game told again: round by round, each bid with its chance as its bidder saw it.

The dice come from the showdown that ended the round: where they were not shown, the chance of a bid stays unknown.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from p2pdice.cli.language import _
from p2pdice.cli.screen import Screen
from p2pdice.cli.words import percent
from p2pdice.protocol.audit import Report
from p2pdice.protocol.events import NOBODY, ActionMade, CupsShown, Event
from p2pdice.protocol.roster import formed
from p2pdice.rules import Gone, Kind, RoundBegan, RoundSettled, chance, deal, new_game, sees, view

Cups = Mapping[int, tuple[int, ...]]


@dataclass(frozen=True, slots=True)
class Chapter:
    """The lines of one round, with what led up to it; `number` 0 is what came before the first."""

    number: int
    lines: list[str]


def chapters(report: Report) -> list[Chapter]:
    """The game in rounds; what follows the last one belongs to it."""
    screen = Screen(detailed=False)
    found = [Chapter(0, [])]
    odds = _odds(report)
    for event in told(report):
        lines = screen.tell(event)
        if isinstance(event, RoundBegan) and event.round_number != found[-1].number:  # else it is dealt again
            found.append(Chapter(event.round_number, []))
        if isinstance(event, ActionMade) and (held := next(odds)) is not None:
            lines = [_("{action} ({percent})").format(action=lines[0], percent=percent(held)), *lines[1:]]
        found[-1].lines.extend(lines)
    found[0].lines.append(_("In brackets: the chance that a bid holds, by the dice that its bidder saw."))
    return found


def told(report: Report) -> Iterator[Event]:
    """The events of a whole game, for an onlooker."""
    seated = report.seated
    assert seated is not None
    yield formed(seated, NOBODY)
    yield from report.events


def _odds(report: Report) -> Iterator[float | None]:
    """For every action, in order: the chance of the bid by what its bidder saw, None where that is not known, and for
    what is no bid."""
    seated = report.seated
    assert seated is not None
    rules, seats = seated.roster.terms.rules, len(seated.players)
    game = new_game(rules, seats, seated.opener)
    dice: Sequence[int] = game.dice
    dealt: Cups = {}
    for place, event in enumerate(report.events):
        match event:
            case RoundBegan():
                # Each round by itself: a round may have been void, or dealt again with fewer players.
                game = new_game(rules, seats, event.opener, dice=dice, special=event.special)
                deal(game)
                dealt = _cups_of_round(report.events, place)
            case ActionMade(seat=seat, action=action):
                known = action.kind is Kind.BID and dealt.keys() >= set(sees(game, seat))
                yield chance(view(game, seat, dealt), action) if known else None
            case RoundSettled() | Gone():
                dice = event.dice
            case _:
                pass


def _cups_of_round(events: list[Event], begun: int) -> Cups:
    """The cups that the round begun at that place ended with; none for a round that is void or broken off."""
    for event in events[begun + 1 :]:
        match event:
            case CupsShown(cups=cups):
                return cups
            case RoundBegan() | RoundSettled() | Gone():
                return {}
            case _:
                pass
    return {}
