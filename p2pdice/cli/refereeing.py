"""The referee command: a written game judged line by line as it comes in, told in words or as JSON.

The judging and the JSON are rules.referee's; here are the sentences, for people and for `message`.
"""

import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from p2pdice.cli import misreadings, refusals, telling
from p2pdice.cli.complaint import USAGE
from p2pdice.cli.language import _
from p2pdice.cli.words import listed
from p2pdice.rules import Game, IllegalAction, NotationError, parse_action
from p2pdice.rules.referee import Referee


def run(lines: Iterable[bytes], *, as_json: bool) -> int:
    """Judge a file; 0 all legal, 1 something was refused, 2 an error."""
    referee = Referee(_explain)
    teller = Teller(referee)
    try:
        for event in referee.judge(lines):
            for line in [json.dumps(event)] if as_json else teller.tell(event):
                print(line, flush=True)
        for line in [] if as_json else teller.rest():
            print(line)
    except NotationError as error:
        problem = misreadings.misread(error.reason, error.fields)
        print(_("line {line}: {problem}").format(line=error.line, problem=problem), file=sys.stderr)
        return USAGE
    return referee.status


def _explain(refusal: IllegalAction, names: Sequence[str]) -> str:
    return refusals.refusal(refusal.reason, refusal.fields, names)


class Teller:
    """Turns the events of a referee into sentences.

    It remembers who called and what was in favour when the round began, which a result does not say, and how the game
    goes on, which is told when no more rounds come; the rules are those of the referee's game.
    """

    def __init__(self, referee: Referee) -> None:
        self._referee = referee
        self._caller = ""
        self._banked: Mapping[str, int] = {}
        self._next: Mapping[str, Any] | None = None  # what ended the last round, until there is another one

    def tell(self, event: Mapping[str, Any]) -> list[str]:
        """The lines for one event."""
        match event["event"]:
            case "order":
                return telling.order(event)
            case "round":
                return self._round(event)
            case "action":
                return [self._action(event)]
            case "legal":
                return [_legal(event["by"], event["actions"])]
            case "result":
                return [*self._result(event), *self._coming(event)]
            case "gone":
                return [telling.gone(event["players"]), *self._coming(event)]
            case _:
                return [telling.end(event["winners"])]

    def rest(self) -> list[str]:
        """The lines after the last event: how a game that is not over would go on."""
        if self._next is None:
            return []
        return [telling.opens_next(self._next["next_opener"], self._next["next_special"])]

    def _coming(self, event: Mapping[str, Any]) -> list[str]:
        """A choice that the next opener has, which no round will tell."""
        self._next = event if event["next_opener"] else None
        return [telling.may_oblige(event["next_opener"])] if event["next_special"] == "obligar" else []

    def _round(self, event: Mapping[str, Any]) -> list[str]:
        game, names = self._game()
        self._next = None
        self._banked = dict(zip(names, game.banked, strict=True))
        return telling.round_began(event, turning=game.rules.direction == "opener")

    def _action(self, event: Mapping[str, Any]) -> str:
        if not event["legal"]:
            return _("Line {line}: {action} by {name} is refused. {why}").format(
                line=event["line"], action=event["action"], name=event["by"], why=event["message"]
            )
        self._caller = event["by"]
        return telling.action(event["by"], parse_action(event["action"]))

    def _result(self, event: Mapping[str, Any]) -> list[str]:
        bid = parse_action(event["bid"]) if event["bid"] else None
        points = self._game()[0].rules.format == "points"
        return telling.result(event, self._caller, bid, you=None, points=points, banked=self._banked)

    def _game(self) -> tuple[Game, Sequence[str]]:
        start = self._referee.start
        assert start is not None, "no event comes before the header has been read"
        return start.game, start.names


def _legal(name: str, actions: Sequence[str]) -> str:
    if not actions:
        return _("{name} may not do anything now.").format(name=name)
    return _("{name} may say: {actions}").format(name=name, actions=listed(actions))
