"""Games as events, played by the real rules with given dice: what screens are shown in the tests."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from p2pdice.cli.commands import Move, parse
from p2pdice.protocol import events
from p2pdice.rules import (
    Game,
    Kind,
    Ruleset,
    View,
    apply,
    check,
    cups_needed,
    deal,
    legal,
    make_ruleset,
    new_game,
    round_begun,
    sees,
    settle,
    view,
)

NAMES = ("Ana", "Beto", "Caro")
ADDRESS = events.Listening(47600, ("10.0.0.5",), "p2pdice join 10.0.0.5:47600")


def lobby(
    rules: Ruleset, *, names: Sequence[str] = NAMES, ready: bool = False, hosting: bool = True
) -> events.LobbyChanged:
    """A lobby of people at a table for three; the first name is you."""
    return events.LobbyChanged(
        title="Café",
        names=tuple(names),
        bots=(None,) * len(names),
        ready=(ready,) * len(names),
        needed=3,
        code=None,
        you=0,
        hosting=hosting,
        rules=rules,
        turn_time_s=120,
        drop_time_s=90,
    )


def formed(rules: Ruleset, *, names: Sequence[str] = NAMES) -> events.TableFormed:
    """The start of a game; seat 0 is you."""
    return events.TableFormed("ab" * 32, "duka-silo-pamo", 0, tuple(names), (None,) * len(names), rules, 120, 90)


def watched(event: events.Event) -> events.Event | None:
    """An event as whoever has no seat is told it; None for what they are not."""
    match event:
        case events.LobbyChanged():
            return replace(event, you=events.NOBODY, hosting=False)
        case events.TableFormed():
            return replace(event, you=events.NOBODY)
        case events.DiceDealt():
            return events.DiceDealt(events.NOBODY, None, {})
        case events.TurnBegan():
            return replace(event, legal=None)
        case events.MayCall() | events.Listening():
            return None
        case _:
            return event


class Story:
    """A game in the making: `round` adds the events of one, as the session would tell them to seat 0."""

    def __init__(self, system: str = "perudo", **options: str) -> None:
        self.rules = make_ruleset(system, options)
        self.game: Game = new_game(self.rules, len(NAMES))
        self.views: dict[int, View] = {}  # what seat 0 knows at its turns, by the event's place
        self._cups: Mapping[int, tuple[int, ...]] = {}
        self.events: list[events.Event] = [ADDRESS, lobby(self.rules, ready=True), formed(self.rules)]

    def round(self, cups: Mapping[int, Sequence[int]], *lines: str) -> "Story":
        """Play one round: the cups by seat, then what the seat in turn says, line by line; the last one is a call."""
        game = self.game
        if game.stage == "oblige":
            self.events.append(events.MayOblige(game.turn))
            self._act(lines[0])
            lines = lines[1:]
        self.deal(cups)
        for line in lines:
            self.turn()
            self._act(line)
        needed = {seat: tuple(cups[seat]) for seat in cups_needed(game)}
        self.events += [events.CupsShown(needed), settle(game, needed)]
        return self

    def deal(self, cups: Mapping[int, Sequence[int]]) -> None:
        """The beginning of a round: its kind, and the dice that seat 0 sees."""
        self.events.append(round_begun(self.game))
        deal(self.game)
        known = {seat: tuple(cups[seat]) for seat in sees(self.game, 0)}
        self._cups = dict(known)
        own = known.pop(0, None)
        self.events.append(events.DiceDealt(0, own, known))

    def turn(self) -> None:
        """The seat in turn is to move."""
        turn = self.game.turn
        if turn == 0:
            self.views[len(self.events)] = view(self.game, 0, self._cups)
        moves = tuple(legal(self.game, turn)) if turn == 0 else None
        self.events.append(events.TurnBegan(turn, 87.5 if turn == 0 else None, moves))

    def _act(self, line: str) -> None:
        command = parse(line)
        assert isinstance(command, Move), line
        seat = self.game.turn
        check(self.game, seat, command.action)
        apply(self.game, seat, command.action)
        self.events.append(events.ActionMade(seat, command.action, auto=command.action.kind is Kind.BID and seat == 2))
