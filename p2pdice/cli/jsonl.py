"""The screen for programs: one JSON object a line, seats by name, the same in every language but for `message`.

Which events and keys there are is a promise to programs in other languages; new ones may be added, none changed.
"""

import contextlib
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import IO, Any

from p2pdice.cli import troubles
from p2pdice.cli.clean import CHAT_CELLS, clean
from p2pdice.cli.lines import Lines
from p2pdice.cli.refusals import refusal
from p2pdice.cli.table import Table
from p2pdice.protocol import events
from p2pdice.rules import Action, Ended, Gone, OrderDrawn, RoundBegan, RoundSettled, differences, record_json

Object = dict[str, Any]


class Json:
    """A frontend that prints objects to one text stream and reads action lines from another."""

    piped = True

    def __init__(self, stdin: IO[str] | None, stdout: IO[str]) -> None:
        self._lines = Lines(stdin)
        self._stdout = stdout
        self.table = Table()

    def open(self) -> contextlib.AbstractContextManager[object]:
        """Nothing is held."""
        return contextlib.nullcontext()

    def show(self, event: events.Event) -> None:
        """Print the object that stands for `event`."""
        self.table.follow(event)
        found = as_object(self.table, event)
        if found is not None:
            self._print(found)

    def answer(self, lines: Sequence[str]) -> None:
        """Print the answer to a slash command; programs that ask none never see this."""
        self._print({"event": "answer", "lines": list(lines)})

    def hint(self, lines: Sequence[str], brief: str) -> None:
        """Programs reckon for themselves."""

    def keep(self, text: str) -> None:
        """A line that was read cannot be given back."""

    def restart(self) -> None:
        """Another table."""
        self.table = Table()

    def refuse(self, reason: str, message: str) -> None:
        """Print why a line did nothing."""
        self._print({"event": "error", "reason": reason, "message": message})

    async def draw(self) -> None:
        """There is nothing to be seen yet."""

    async def read(self) -> str | None:
        """The next line; None at the end of input."""
        return await self._lines.read()

    def _print(self, found: Object) -> None:
        # ASCII with escapes: a reader must not depend on the encoding that this process was started with.
        print(json.dumps(found, separators=(",", ":")), file=self._stdout, flush=True)


def as_object(table: Table, event: events.Event) -> Object | None:
    """The JSON form of `event`, which `table` has followed; None for what programs are not told."""
    match event:
        case OrderDrawn() | RoundBegan() | RoundSettled() | Gone() | Ended():
            return record_json(event, table.names)
        case events.Listening():
            return {"event": "listening", "port": event.port, "addresses": list(event.addresses), "line": event.line}
        case events.LobbyChanged() if not table.playing:
            return {"event": "lobby", "seats": list(table.names), "needed": event.needed, "code": event.code}
        case events.TableFormed():
            return _formed(table, event)
        case events.MayOblige():
            return {"event": "may-oblige", "by": table.name(event.seat)}
        case events.DiceDealt(seat=seat) if seat in (table.you, events.NOBODY):
            own = None if event.own is None else list(event.own)
            return {"event": "dice", "own": own, "seen": _cups(table, event.seen)}
        case events.TurnBegan():
            legal = _actions(event.legal) if event.legal is not None and event.seat == table.you else None
            return {"event": "turn", "by": table.name(event.seat), "seconds": event.seconds, "legal": legal}
        case events.MayCall(seat=seat) if seat == table.you:
            return {"event": "may", "legal": _actions(event.legal)}
        case events.ActionMade():
            return {"event": "action", "by": table.name(event.seat), "action": str(event.action), "auto": event.auto}
        case events.CupsShown():
            return {"event": "showdown", "cups": _cups(table, event.cups)}
        case events.PeerLost():
            return {"event": "lost", "player": table.name(event.seat)}
        case events.PeerBack():
            return {"event": "back", "player": table.name(event.seat)}
        case events.Halted():
            return {"event": "halt", "missing": [table.name(seat) for seat in event.missing]}
        case events.PauseWanted():
            return {"event": "pause", "by": [table.name(seat) for seat in event.seats], "paused": event.paused}
        case events.Resumed():
            return {"event": "resume"}
        case events.Dropped():
            players, votes = ([table.name(seat) for seat in seats] for seats in (event.seats, event.votes))
            return {"event": "drop", "players": players, "reason": event.reason, "votes": votes}
        case events.FaultProved():
            return {
                "event": "fault",
                "player": table.name(event.seat),
                "kind": event.kind,
                "evidence": event.transcript,
            }
        case events.NewKey():
            return {"event": "new-key", "player": table.name(event.seat)}
        case events.ChatSaid():
            return {"event": "chat", "by": table.name(event.seat), "text": clean(event.text, CHAT_CELLS)}
        case events.Watched():
            return {"event": "watching", "count": event.count}
        case events.Refused():
            message = refusal(event.reason, event.fields, table.names)
            return {"event": "error", "reason": event.reason, "message": message}
        case events.Troubled():
            message = " ".join(troubles.trouble(event.reason, event.fields))
            return {"event": "trouble", "reason": event.reason, "message": message}
        case events.Closed():
            return {
                "event": "closed",
                "winners": [table.name(seat) for seat in event.winners],
                "status": event.status,
                "reason": event.reason,
                "transcript": event.transcript,
                **({"again": True} if "again" in event.fields else {}),  # `join --resume` may find the others
            }
        case _:
            return None


def _formed(table: Table, event: events.TableFormed) -> Object:
    return {
        "event": "table",
        "game": event.game,
        "words": event.words,
        "you": None if event.you == events.NOBODY else table.name(event.you),
        "seats": list(table.names),
        "system": event.rules.system,
        "rules": event.rules.options(),
        "differences": differences(event.rules),
        "turn_time_s": event.turn_time_s,
        "drop_time_s": event.drop_time_s,
    }


def _actions(legal: Iterable[Action]) -> list[str]:
    return [str(action) for action in legal]


def _cups(table: Table, cups: Mapping[int, Sequence[int]]) -> dict[str, list[int]]:
    return {table.name(seat): list(dice) for seat, dice in cups.items()}
