"""The referee: reads a written game line by line, says what was allowed and how each round ended.

It knows the notation and asks the engine; it decides no rule itself, and speaks no language: `explain` does.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence

from .actions import OBLIGE_CLOSED, OBLIGE_NO, OBLIGE_OPEN, Action, Ended, Gone, Kind, Record, RoundSettled
from .engine import apply, check, deal, legal, round_begun
from .errors import IllegalAction, NotationError, ParseError
from .header import Header, Start
from .notation import DIRECTION_WORDS, HEADER_WORDS, ROUND_WORDS, Json, Line, parse_action, read_lines, record_json
from .settle import cups_needed, remove, settle
from .state import Stage

# Turns a refusal into a sentence for people; gets the names by seat, since the fields hold seat numbers.
Explain = Callable[[IllegalAction, Sequence[str]], str]

_FACES = "123456"
_NEVER_SHOWN = 0
_CHOICES = {"open": OBLIGE_OPEN, "closed": OBLIGE_CLOSED}


class Referee:
    """One judging of one game. `status`: 0 all legal so far, 1 some action was refused, 2 an error.

    `start` is there once the header is read; its game is the one that is judged, and changes with it.
    """

    def __init__(self, explain: Explain) -> None:
        self.status = 0
        self.start: Start | None = None
        self._explain = explain

    def judge(self, lines: Iterable[bytes | str]) -> Iterator[dict[str, Json]]:
        """The events of the game, as far as it can be judged, while its lines are read.

        Raises NotationError, which ends the judging.
        """
        try:
            for event in self._judge(lines):
                if event.get("legal") is False:
                    self.status = 1
                yield event
        except NotationError:
            self.status = 2
            raise

    def _judge(self, lines: Iterable[bytes | str]) -> Iterator[dict[str, Json]]:
        header, table, number = Header(), None, 1
        for line in read_lines(lines):
            number, key = line.number, line.key
            if key in HEADER_WORDS:
                if table:
                    raise NotationError(number, "header-after-start", key=key)
                header.add(line)
                continue
            if key not in ROUND_WORDS and key not in header.players:
                raise NotationError(number, "unknown-name", name=key)
            if table is None:
                table = self._seated(header, number)
                yield from table.order()
            yield from table.read(line)
        if table is None:
            yield from self._seated(header, number).order()

    def _seated(self, header: Header, end: int) -> "_Table":
        self.start = header.build(end)
        return _Table(self.start, self._explain)


class _Table:
    """The game while it is judged: state, names, and what lies under the cups of the open round."""

    def __init__(self, start: Start, explain: Explain) -> None:
        self._start = start
        self._game = start.game
        self._names = start.names
        self._seats = {name: seat for seat, name in enumerate(start.names)}
        self._cups: dict[int, tuple[int, ...]] = {}
        self._explain = explain

    def order(self) -> Iterator[dict[str, Json]]:
        """The event of the opening roll, if there was one."""
        if self._start.order:
            yield record_json(self._start.order, self._start.players)

    def read(self, line: Line) -> Iterator[dict[str, Json]]:
        """The events of one line after the header."""
        match line.key:
            case "round":
                return self._round(line)
            case "oblige":
                return self._oblige(line)
            case "gone":
                return self._gone(line)
            case _:
                return self._action(line, self._seats[line.key])

    def _round(self, line: Line) -> Iterator[dict[str, Json]]:
        game = self._game
        self._between_rounds(line)
        self._cups = self._read_cups(line)
        if game.stage is Stage.OBLIGE:
            apply(game, game.opener, OBLIGE_NO)
        deal(game)
        yield record_json(round_begun(game), self._names)

    def _read_cups(self, line: Line) -> dict[int, tuple[int, ...]]:
        cups: dict[int, tuple[int, ...]] = {}
        for word in line.words:
            name, equals, dice = word.partition("=")
            if not equals:
                raise NotationError(line.number, "no-such-form", text=word)
            seat = self._seat(line, name)
            if seat in cups:
                raise NotationError(line.number, "name-twice", name=name)
            for die in dice:
                if die not in _FACES and die != "?":
                    raise NotationError(line.number, "no-such-die", name=name, value=die)
            number = self._game.dice[seat]
            if len(dice) != number:
                raise NotationError(line.number, "wrong-number-of-dice", name=name, found=len(dice), dice=number)
            if number:
                cups[seat] = tuple(_NEVER_SHOWN if die == "?" else int(die) for die in dice)
        missing = [name for name, seat in self._seats.items() if self._game.dice[seat] and seat not in cups]
        if missing:
            raise NotationError(line.number, "cups-missing", names=tuple(missing))
        return cups

    def _action(self, line: Line, seat: int) -> Iterator[dict[str, Json]]:
        game, words = self._game, line.words
        if not words:
            raise NotationError(line.number, "empty-action")
        if game.stage is not Stage.ACT:
            raise NotationError(line.number, "no-round-open")
        if words[0] == "?" and (len(words) == 1 or (len(words) == 2 and words[1] in DIRECTION_WORDS)):
            if len(words) == 1:
                actions: list[Json] = [str(action) for action in legal(game, seat)]
                yield {"event": "legal", "line": line.number, "by": line.key, "actions": actions}
            else:
                yield self._refused(line, seat, " ".join(words), IllegalAction("direction-on-question"))
            return
        try:
            action = parse_action(" ".join(words))
        except ParseError as error:
            raise NotationError(line.number, error.reason, **error.fields) from None
        if action.kind is Kind.OBLIGE:
            raise NotationError(line.number, "no-such-action", text=str(action))
        yield from self._act(line, seat, action)

    def _act(self, line: Line, seat: int, action: Action) -> Iterator[dict[str, Json]]:
        game = self._game
        try:
            check(game, seat, action)
        except IllegalAction as refusal:
            yield self._refused(line, seat, str(action), refusal)
            return
        apply(game, seat, action)
        needed = cups_needed(game)
        for other in needed:
            if _NEVER_SHOWN in self._cups[other]:
                raise NotationError(line.number, "die-never-shown", name=self._names[other])
        yield self._event(line, seat, str(action), legal=True)
        if needed:
            yield from self._ended(settle(game, {other: self._cups[other] for other in needed}))

    def _oblige(self, line: Line) -> Iterator[dict[str, Json]]:
        self._between_rounds(line)
        if len(line.words) != 1 or line.words[0] not in _CHOICES:
            raise NotationError(line.number, "no-such-choice", text=" ".join(line.words))
        return self._act(line, self._game.opener, _CHOICES[line.words[0]])

    def _gone(self, line: Line) -> Iterator[dict[str, Json]]:
        self._between_rounds(line)
        if not line.words:
            raise NotationError(line.number, "empty-line", key=line.key)
        seats: list[int] = []
        for name in line.words:
            seat = self._seat(line, name)
            if seat in seats:
                raise NotationError(line.number, "name-twice", name=name)
            if not self._game.dice[seat]:
                raise NotationError(line.number, "already-out", name=name)
            seats.append(seat)
        if len(seats) == len(self._game.active):
            raise NotationError(line.number, "nobody-left")
        return self._ended(remove(self._game, seats))

    def _between_rounds(self, line: Line) -> None:
        if self._game.stage is Stage.OVER:
            raise NotationError(line.number, "after-the-end")
        if self._game.stage is Stage.ACT:
            raise NotationError(line.number, "inside-a-round")

    def _seat(self, line: Line, name: str) -> int:
        if name not in self._seats:
            raise NotationError(line.number, "unknown-name", name=name)
        return self._seats[name]

    def _ended(self, record: RoundSettled | Gone) -> Iterator[dict[str, Json]]:
        """The event of a record that may end the game, and the end."""
        yield self._listed(record)
        if record.winners:
            yield self._listed(Ended(record.winners))

    def _listed(self, record: Record) -> dict[str, Json]:
        """The record with its names in the order of `players`, which an opening roll may have left."""
        event = record_json(record, self._names)
        for value in event.values():
            if isinstance(value, list):
                value.sort(key=lambda name: self._start.players.index(str(name)))
        return event

    def _event(self, line: Line, seat: int, action: str, legal: bool) -> dict[str, Json]:
        return {"event": "action", "line": line.number, "by": self._names[seat], "action": action, "legal": legal}

    def _refused(self, line: Line, seat: int, action: str, refusal: IllegalAction) -> dict[str, Json]:
        event = self._event(line, seat, action, legal=False)
        return event | {"reason": refusal.reason, "message": self._explain(refusal, self._names)}
