"""Short ways to a position, to a judged game, and through a whole random game."""

from collections.abc import Iterable, Iterator, Sequence
from random import Random
from typing import Any

import pytest

from p2pdice.rules import (
    Action,
    Ended,
    Game,
    IllegalAction,
    Kind,
    NotationError,
    Referee,
    RoundSettled,
    Ruleset,
    Special,
    Stage,
    Turning,
    Writer,
    apply,
    callers,
    check,
    cups_needed,
    deal,
    legal,
    make_ruleset,
    new_game,
    parse_action,
    record_json,
    remove,
    round_begun,
    settle,
)

Event = dict[str, Any]


def table(
    system: str,
    dice: Sequence[int] = (5, 5, 5),
    *actions: str,
    opener: int = 0,
    special: Special | None = None,
    used: Iterable[int] = (),
    **options: str,
) -> Game:
    """A dealt round of `system` with house rules, after `actions` of the seats in turn."""
    rules = make_ruleset(system, options)
    game = new_game(rules, len(dice), opener, dice=dice, special=special, used=tuple(used))
    deal(game)
    return play(game, *actions)


def play(game: Game, *actions: str) -> Game:
    """The same game after checked actions of the seats in turn, "2: calzo" naming another seat."""
    for text in actions:
        seat, _, rest = text.rpartition(": ")
        action = parse_action(rest)
        check(game, int(seat or game.turn), action)
        apply(game, int(seat or game.turn), action)
    return game


def allows(game: Game, text: str, seat: int | None = None) -> bool:
    """Whether the seat, or the one in turn, may do this now; check and legal must agree."""
    action = parse_action(text)
    seat = game.turn if seat is None else seat
    try:
        check(game, seat, action)
    except IllegalAction:
        assert action not in legal(game, seat)
        return False
    assert action in legal(game, seat) or action.way in ("left", "right")
    return True


def refusal(game: Game, text: str | Action, seat: int | None = None) -> tuple[str, dict[str, Any]]:
    """Reason and fields of the refusal that this must meet."""
    action = parse_action(text) if isinstance(text, str) else text
    with pytest.raises(IllegalAction) as caught:
        check(game, game.turn if seat is None else seat, action)
    return caught.value.reason, dict(caught.value.fields)


def cups(*texts: str) -> dict[int, tuple[int, ...]]:
    """Cups by seat from texts like "13356"; "" is a seat that is out or whose cup stays shut."""
    return {seat: tuple(map(int, text)) for seat, text in enumerate(texts) if text}


def judge(text: str | bytes) -> tuple[list[Event], int, NotationError | None]:
    """Events, status and error of a written game; a refusal's message is its reason."""
    lines = text.splitlines(keepends=True) if isinstance(text, bytes) else text.split("\n")
    referee = Referee(lambda refused, names: refused.reason)
    events: list[Event] = []
    try:
        events.extend(referee.judge(lines))
    except NotationError as error:
        return events, referee.status, error
    return events, referee.status, None


def judged(text: str) -> list[Event]:
    """The events of a game in which everything is legal."""
    events, status, error = judge(text)
    assert error is None
    assert status == 0, [event for event in events if event.get("legal") is False]
    return events


def results(text: str) -> list[Event]:
    """The results of its rounds."""
    return [event for event in judged(text) if event["event"] == "result"]


def roll(game: Game, chance: Random) -> dict[int, tuple[int, ...]]:
    """Fresh dice for everyone who has any."""
    return {seat: tuple(chance.choices(range(1, 7), k=dice)) for seat, dice in enumerate(game.dice) if dice}


def any_legal(game: Game, seat: int, chance: Random) -> Action:
    """An action at random, calls made likelier so that rounds stay short."""
    actions = legal(game, seat)
    return chance.choice(actions if chance.random() < 0.7 else actions[-3:])


def random_game(rules: Ruleset, seats: int, chance: Random) -> Iterator[tuple[Game, RoundSettled | None]]:
    """Plays a whole game, in turn and out of it; gives the game before each action, and each round's record."""
    game = new_game(rules, seats, chance.randrange(seats))
    while game.stage is not Stage.OVER:
        while game.stage in (Stage.OBLIGE, Stage.ACT):
            yield game, None
            seat = chance.choice([game.turn, *callers(game)])
            action = any_legal(game, seat, chance)
            check(game, seat, action)
            apply(game, seat, action)
        if game.stage is Stage.DEAL:
            deal(game)
            dice = roll(game, chance)
        else:
            yield game, settle(game, {seat: dice[seat] for seat in cups_needed(game)})


def written(rules: Ruleset, seats: int, seed: int, leave: float = 0.0) -> tuple[str, list[Event]]:
    """A random game in notation and the events it must be judged to have; `leave` is the chance that a seat goes."""
    names = tuple(f"P{seat}" for seat in range(seats))
    chance = Random(seed)
    game = new_game(rules, seats, chance.randrange(seats))
    writer = Writer(rules, names, game.opener)
    events: list[Event] = []
    while game.stage is not Stage.OVER:
        if chance.random() < leave:
            gone = remove(game, [chance.choice([seat for seat, dice in enumerate(game.dice) if dice])])
            writer.gone(gone)
            events.append(record_json(gone, names))
            continue
        if game.stage is Stage.OBLIGE:
            choice = any_legal(game, game.opener, chance)
            apply(game, game.opener, choice)
            writer.act(game.opener, choice)
            if choice.way != "no":
                events.append({"event": "action", "by": names[game.opener], "action": str(choice), "legal": True})
        deal(game)
        dice = roll(game, chance)
        events.append(record_json(round_begun(game), names))
        while game.stage is Stage.ACT:
            seat = chance.choice([game.turn, *callers(game)])
            action = any_legal(game, seat, chance)
            if action.kind is Kind.BID and not game.history and rules.direction is Turning.OPENER:
                action = action._replace(way=chance.choice(["", "left", "right"]))
            check(game, seat, action)
            apply(game, seat, action)
            writer.act(seat, action)
            events.append({"event": "action", "by": names[seat], "action": str(action), "legal": True})
        shown = {seat: dice[seat] for seat in cups_needed(game)}
        writer.show(shown)
        record = settle(game, shown)
        writer.settled(record)
        events.append(record_json(record, names))
    events.append(record_json(Ended(game.winners), names))
    return writer.text(), events
