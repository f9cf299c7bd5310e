"""The header of a written game: which rules, who sits where, who opens, and how a game in its middle stands.

It is read whole before the first round, since its lines may come in any order; every error names the line it is in.
"""

from collections.abc import Iterator
from typing import NamedTuple

from .actions import OrderDrawn
from .engine import new_game
from .errors import NotationError, RulesetError
from .notation import DIRECTION_WORDS, HEADER_WORDS, ROUND_WORDS, Line, number_of
from .opening import FORFEITED, OpeningRoll
from .presets import check_players, make_ruleset
from .ruleset import Format, Ruleset, Seating, Special, Turning
from .state import LEFT, RIGHT, Game

_REPEATABLE = ("set", "roll")


class Start(NamedTuple):
    """What a header sets up. `players` are as listed, `names` by seat; `order` is about players as listed."""

    game: Game
    players: tuple[str, ...]
    names: tuple[str, ...]
    order: OrderDrawn | None


class Header:
    """Collects header lines and builds the start of the game from them."""

    def __init__(self) -> None:
        self._lines: dict[str, list[Line]] = {}

    def add(self, line: Line) -> None:
        """Raises NotationError "second-header-line" or "empty-line" (key)."""
        if line.key in self._lines and line.key not in _REPEATABLE:
            raise NotationError(line.number, "second-header-line", key=line.key)
        if not line.words:
            raise NotationError(line.number, "empty-line", key=line.key)
        self._lines.setdefault(line.key, []).append(line)

    @property
    def players(self) -> tuple[str, ...]:
        """The players listed so far."""
        line = self._find("players")
        return line.words if line else ()

    def build(self, end: int) -> Start:
        """The start of the game; `end` is the number of the line where the header ended.

        Raises NotationError for whatever a header may get wrong.
        """
        rules = self._rules(end)
        players = self._players(end, rules)
        roll = self._roll(rules, players)
        order = roll.order if roll else tuple(range(len(players)))
        dice = self._numbers("dice", players, rules.starting_dice)
        line = self._find("dice")
        if line and dice and len(dice) - dice.count(0) < 2:
            raise NotationError(line.number, "fewer-than-two-with-dice")
        opener = self._opener(players, dice, roll)
        special = self._word("special", tuple(map(str, Special)))
        by_seat = {key: self._numbers(key, players) for key in ("banked", "penalties")} | {"dice": dice}
        line = self._find("penalties")
        if line and rules.format is not Format.POINTS:
            raise NotationError(line.number, "no-points-race")
        used = self._used(players)
        game = new_game(
            rules,
            len(players),
            order.index(opener),
            direction=self._direction(rules),
            used=[seat for seat, player in enumerate(order) if player in used],
            special=Special(special) if special else None,
            **{key: [values[player] for player in order] for key, values in by_seat.items() if values},
        )
        drawn = OrderDrawn(order, opener, ()) if roll else None
        return Start(game, players, tuple(players[player] for player in order), drawn)

    def _find(self, key: str) -> Line | None:
        return self._lines[key][0] if key in self._lines else None

    def _required(self, key: str, end: int) -> Line:
        line = self._find(key)
        if line is None:
            raise NotationError(end, "missing-line", key=key)
        return line

    def _rules(self, end: int) -> Ruleset:
        line = self._required("rules", end)
        if len(line.words) != 1:
            raise NotationError(line.number, "one-word-expected", key="rules")
        system = line.words[0]
        rules = _checked(line, system, {})
        options: dict[str, str] = {}
        for line, key, value in self._pairs("set"):
            options[key] = value
            rules = _checked(line, system, options)
        return rules

    def _players(self, end: int, rules: Ruleset) -> tuple[str, ...]:
        line = self._required("players", end)
        for name in line.words:
            if ":" in name or "=" in name or name in HEADER_WORDS or name in ROUND_WORDS:
                raise NotationError(line.number, "bad-name", name=name)
        _known(line, line.words, line.words)
        try:
            check_players(rules, len(line.words))
        except RulesetError as error:
            raise NotationError(line.number, error.reason, **error.fields) from None
        return line.words

    def _pairs(self, key: str) -> Iterator[tuple[Line, str, str]]:
        """The line, name and value of every NAME=VALUE after `key`."""
        for line in self._lines.get(key, ()):
            for word in line.words:
                name, equals, value = word.partition("=")
                if not equals:
                    raise NotationError(line.number, "no-such-form", text=word)
                yield line, name, value

    def _word(self, key: str, allowed: tuple[str, ...]) -> str:
        """The one word after `key`, "" without such a line."""
        line = self._find(key)
        if line is None:
            return ""
        if len(line.words) != 1:
            raise NotationError(line.number, "one-word-expected", key=key)
        if line.words[0] not in allowed:
            raise NotationError(line.number, "bad-value", key=key, value=line.words[0], allowed=allowed)
        return line.words[0]

    def _numbers(self, key: str, players: tuple[str, ...], most: int | None = None) -> list[int] | None:
        """One number for each player as listed, None without such a line."""
        line = self._find(key)
        if line is None:
            return None
        if len(line.words) != len(players):
            raise NotationError(line.number, "one-number-a-player", key=key, players=len(players))
        numbers: list[int] = []
        for word in line.words:
            try:
                numbers.append(number_of(word))
            except ValueError:
                raise NotationError(line.number, "not-a-number", key=key, value=word) from None
            if most is not None and numbers[-1] > most:
                raise NotationError(line.number, "more-than-at-start", value=word, most=most)
        return numbers

    def _direction(self, rules: Ruleset) -> int:
        word = self._word("direction", DIRECTION_WORDS)
        line = self._find("direction")
        if line and rules.direction is Turning.FIXED:
            raise NotationError(line.number, "direction-fixed")
        return RIGHT if word == "right" else LEFT

    def _used(self, players: tuple[str, ...]) -> set[int]:
        line = self._find("used")
        if line is None:
            return set()
        _known(line, line.words, players)
        return {players.index(name) for name in line.words}

    def _opener(self, players: tuple[str, ...], dice: list[int] | None, roll: OpeningRoll | None) -> int:
        """The number of the first opener among the players as listed."""
        line = self._find("opener")
        if roll:
            if line:
                raise NotationError(line.number, "opener-beside-rolls")
            opener, line = roll.opener, self._lines["roll"][-1]
        elif line:
            opener = players.index(self._word("opener", players))
        else:
            return next((player for player, number in enumerate(dice or ()) if number), 0)
        if dice and not dice[opener]:
            raise NotationError(line.number, "opener-without-dice", name=players[opener])
        return opener

    def _roll(self, rules: Ruleset, players: tuple[str, ...]) -> OpeningRoll | None:
        lines = self._lines.get("roll")
        if not lines:
            return None
        if rules.seating is Seating.RANDOM:
            raise NotationError(lines[0].number, "no-opening-roll")
        values: dict[int, dict[int, int]] = {line.number: {} for line in lines}
        for line, name, value in self._pairs("roll"):
            _known(line, [name], players)
            player = players.index(name)
            if player in values[line.number]:
                raise NotationError(line.number, "name-twice", name=name)
            if value not in ("1", "2", "3", "4", "5", "6", "*"):
                raise NotationError(line.number, "no-such-roll", value=value)
            values[line.number][player] = FORFEITED if value == "*" else int(value)
        roll = OpeningRoll(len(players), rules.seating)
        for number, rolled in values.items():
            try:
                roll.roll(rolled)
            except ValueError:
                ties = tuple(" ".join(players[player] for player in tie) for tie in roll.open_ties())
                raise NotationError(number, "not-open-ties", ties=ties) from None
        if not roll.done:
            tie = tuple(players[player] for player in roll.open_ties()[0])
            raise NotationError(lines[-1].number, "tie-left-open", names=tie)
        return roll


def _checked(line: Line, system: str, options: dict[str, str]) -> Ruleset:
    try:
        return make_ruleset(system, options)
    except RulesetError as error:
        raise NotationError(line.number, error.reason, **error.fields) from None


def _known(line: Line, names: list[str] | tuple[str, ...], players: tuple[str, ...]) -> None:
    """Raises NotationError "unknown-name" or "name-twice" (name)."""
    seen: set[str] = set()
    for name in names:
        if name not in players:
            raise NotationError(line.number, "unknown-name", name=name)
        if name in seen:
            raise NotationError(line.number, "name-twice", name=name)
        seen.add(name)
