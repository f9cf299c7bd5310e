"""The referee command: a written game judged line by line as it comes in, told in words or as JSON.

The judging and the JSON are rules.referee's; here are the sentences, for people and for `message`.
"""

import json
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from p2pdice.cli import misreadings, refusals, telling
from p2pdice.cli.complaint import USAGE
from p2pdice.cli.language import _
from p2pdice.cli.words import listed
from p2pdice.rules import IllegalAction, NotationError, Ruleset, make_ruleset, parse_action
from p2pdice.rules.referee import Referee


def run(lines: Iterable[bytes], *, as_json: bool) -> int:
    """Judge a file; 0 all legal, 1 something was refused, 2 an error."""
    referee = Referee(_explain)
    teller = Teller()
    try:
        for event in referee.judge(teller.watch(lines)):
            for line in [json.dumps(event)] if as_json else teller.tell(event):
                print(line, flush=True)
    except NotationError as error:
        problem = misreadings.misread(error.reason, error.fields)
        print(_("line {line}: {problem}").format(line=error.line, problem=problem), file=sys.stderr)
        return USAGE
    return referee.status


def _explain(refusal: IllegalAction, names: Sequence[str]) -> str:
    return refusals.refusal(refusal.reason, refusal.fields, names)


class Teller:
    """Turns the referee's events into sentences.

    It remembers who called and what was in favour, which a result does not say, and reads the rules off the header as
    the lines go by; whatever is wrong with those is the referee's to find.
    """

    def __init__(self) -> None:
        self._caller = ""
        self._banked: Mapping[str, int] = {}
        self._header: dict[str, list[str]] = {"rules": [], "set": [], "players": [], "banked": []}

    def watch(self, lines: Iterable[bytes]) -> Iterator[bytes]:
        """The same lines, looked at in passing."""
        for line in lines:
            key, _colon, rest = line.decode("utf-8", "replace").partition("#")[0].partition(":")
            if key.strip() in self._header:
                self._header[key.strip()] += rest.split()
            yield line

    def tell(self, event: Mapping[str, Any]) -> list[str]:
        """The lines for one event."""
        match event["event"]:
            case "order":
                return telling.order(event)
            case "round":
                return telling.round_began(event, turning=self._rules().direction == "opener")
            case "action":
                return [self._action(event)]
            case "legal":
                return [_legal(event["by"], event["actions"])]
            case "result":
                return self._result(event)
            case "gone":
                return [telling.gone(event["players"])]
            case _:
                return [telling.end(event["winners"])]

    def _action(self, event: Mapping[str, Any]) -> str:
        if not event["legal"]:
            return _("Line {line}: {action} by {name} is refused. {why}").format(
                line=event["line"], action=event["action"], name=event["by"], why=event["message"]
            )
        self._caller = event["by"]
        return telling.action(event["by"], parse_action(event["action"]))

    def _result(self, event: Mapping[str, Any]) -> list[str]:
        bid = parse_action(event["bid"]) if event["bid"] else None
        banked = self._banked or dict(zip(self._header["players"], map(int, self._header["banked"]), strict=False))
        points = self._rules().format == "points"
        self._banked = event["banked"]
        return telling.result(event, self._caller, bid, you=None, points=points, banked=banked)

    def _rules(self) -> Ruleset:
        # The referee has accepted the header before it says anything.
        return make_ruleset(self._header["rules"][0], dict(word.split("=", 1) for word in self._header["set"]))


def _legal(name: str, actions: Sequence[str]) -> str:
    if not actions:
        return _("{name} may not do anything now.").format(name=name)
    return _("{name} may say: {actions}").format(name=name, actions=listed(actions))
