"""The referee command: a written game judged line by line, told in words or as JSON.

The judging and the JSON are rules.referee's; here are the sentences, for people and for `message`.
"""

import json
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from p2pdice.cli import refusals, telling
from p2pdice.cli.complaint import FAILED, OK, USAGE
from p2pdice.cli.language import _
from p2pdice.cli.words import listed
from p2pdice.rules import Action, NotationError, parse_action
from p2pdice.rules.referee import judge


def run(raw: bytes, *, as_json: bool) -> int:
    """Judge a file; 0 all legal, 1 something was refused, 2 an error."""
    refused = False
    teller = Teller()
    try:
        for event in judge(raw.splitlines(), refusals.refusal):
            refused = refused or event.get("legal") is False
            if as_json:
                print(json.dumps(event))
            else:
                for line in teller.tell(event):
                    print(line)
    except NotationError as error:
        sys.stdout.flush()
        print(_("line {line}: {problem}").format(line=error.line, problem=misread(error)), file=sys.stderr)
        return USAGE
    return FAILED if refused else OK


class Teller:
    """Turns the referee's events into sentences; remembers who called, since a result does not say."""

    def __init__(self) -> None:
        self._caller = ""
        self._banked: Mapping[str, int] = {}

    def tell(self, event: Mapping[str, Any]) -> list[str]:
        """The lines for one event."""
        match event["event"]:
            case "order":
                return telling.order(event)
            case "round":
                return telling.round_began(event, turning=True)
            case "action":
                return [self._action(event)]
            case "legal":
                actions = [parse_action(text) for text in event["actions"]]
                return [_legal(event["by"], actions)]
            case "result":
                return self._result(event)
            case "gone":
                return [telling.gone(event["players"])]
            case "end":
                return [telling.end(event["winners"])]
            case _:
                return []

    def _action(self, event: Mapping[str, Any]) -> str:
        if not event["legal"]:
            return _("Line {line}: {action} by {name} is refused. {why}").format(
                line=event["line"], action=event["action"], name=event["by"], why=event["message"]
            )
        self._caller = event["by"]
        return telling.action(event["by"], parse_action(event["action"]))

    def _result(self, event: Mapping[str, Any]) -> list[str]:
        bid = parse_action(event["bid"]) if event["bid"] else None
        points = any(event["penalties"].values())
        told = telling.result(event, self._caller, bid, you=None, points=points, banked=self._banked)
        self._banked = event["banked"]
        return told


def _legal(name: str, actions: Sequence[Action]) -> str:
    if not actions:
        return _("{name} may not do anything now.").format(name=name)
    return _("{name} may say: {actions}").format(name=name, actions=listed(map(str, actions)))


def misread(error: NotationError) -> str:
    """What is wrong with a line that cannot be judged."""
    return refusals.refusal(error.reason, error.fields)
