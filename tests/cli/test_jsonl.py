"""The screen for programs: which objects come for which events, in any language."""

import json
from dataclasses import replace
from io import StringIO
from typing import Any

import pytest

from p2pdice.cli.jsonl import Json
from p2pdice.cli.play import Play
from p2pdice.protocol import events
from p2pdice.rules import CALZO, DUDO, Ended, Gone, OrderDrawn, bid, make_ruleset
from tests.cli.fakes import FakeDriver, pipe
from tests.cli.stories import ADDRESS, Story, formed, lobby

RULES = make_ruleset("perudo", {"exact": "off"})


def objects(*told: events.Event) -> list[dict[str, Any]]:
    """What is printed for these events at a table that has begun."""
    out = StringIO()
    frontend = Json(None, out)
    frontend.show(formed(RULES))
    out.truncate(out.seek(0))
    for event in told:
        frontend.show(event)
    return [json.loads(line) for line in out.getvalue().splitlines()]


def test_the_lobby() -> None:
    """Where others join, and who is there."""
    out = StringIO()
    frontend = Json(None, out)
    frontend.show(ADDRESS)
    frontend.show(lobby(RULES, names=("Ana", "Ana")))
    assert [json.loads(line) for line in out.getvalue().splitlines()] == [
        {"event": "listening", "port": 47600, "addresses": ["10.0.0.5"], "line": "p2pdice join 10.0.0.5:47600"},
        {"event": "lobby", "seats": ["Ana", "Ana 2"], "needed": 3, "code": None},
    ]


def test_the_table() -> None:
    """Everything that was agreed, once."""
    out = StringIO()
    Json(None, out).show(formed(RULES))
    table = json.loads(out.getvalue())
    assert table.pop("rules") == RULES.options()
    assert table == {
        "event": "table", "game": "ab" * 32, "words": "duka-silo-pamo", "you": "Ana", "seats": ["Ana", "Beto", "Caro"],
        "system": "perudo", "differences": {"exact": "off"}, "turn_time_s": 120, "drop_time_s": 90,
    }


TOLD: list[tuple[events.Event, dict[str, Any] | None]] = [
    (OrderDrawn((0, 1, 2), 0, ({0: 4, 1: 2, 2: 1},)),
     {"event": "order", "seats": ["Ana", "Beto", "Caro"], "opener": "Ana",
      "rolls": [{"Ana": 4, "Beto": 2, "Caro": 1}]}),
    (events.MayOblige(0), {"event": "may-oblige", "by": "Ana"}),
    (events.DiceDealt(0, (1, 3, 3), {}), {"event": "dice", "own": [1, 3, 3], "seen": {}}),
    (events.DiceDealt(0, None, {2: (5,)}), {"event": "dice", "own": None, "seen": {"Caro": [5]}}),
    (events.DiceDealt(1, (6, 6), {}), None),
    (events.TurnBegan(0, 87.5, (bid(2, 2), DUDO)),
     {"event": "turn", "by": "Ana", "seconds": 87.5, "legal": ["2x2", "dudo"]}),
    (events.TurnBegan(1, None, (bid(2, 2),)), {"event": "turn", "by": "Beto", "seconds": None, "legal": None}),
    (events.MayCall(0, (CALZO,)), {"event": "may", "legal": ["calzo"]}),
    (events.MayCall(1, (CALZO,)), None),
    (events.ActionMade(1, bid(4, 3, "left"), auto=True),
     {"event": "action", "by": "Beto", "action": "4x3 left", "auto": True}),
    (events.CupsShown({0: (1, 3), 2: (2,)}), {"event": "showdown", "cups": {"Ana": [1, 3], "Caro": [2]}}),
    (Gone((1,), (5, 0, 5), 2, None, ()),
     {"event": "gone", "players": ["Beto"], "dice": {"Ana": 5, "Beto": 0, "Caro": 5}, "next_opener": "Caro",
      "next_special": None}),
    (Ended((2,)), {"event": "end", "winners": ["Caro"]}),
    (events.PeerLost(1), {"event": "lost", "player": "Beto"}),
    (events.PeerBack(1), {"event": "back", "player": "Beto"}),
    (events.FaultProved(1, "EQUIV", b"x", "games/x.p2pdice"),
     {"event": "fault", "player": "Beto", "kind": "EQUIV", "evidence": "games/x.p2pdice"}),
    (events.ChatSaid(1, "hi\x1b[2J"), {"event": "chat", "by": "Beto", "text": "hi[2J"}),
    (events.Refused("not-your-turn", {"turn": 1}),
     {"event": "error", "reason": "not-your-turn", "message": "It is the turn of Beto."}),
    (events.Closed((0,), 0, "won", {}, "games/x.p2pdice"),
     {"event": "closed", "winners": ["Ana"], "status": 0, "reason": "won", "transcript": "games/x.p2pdice"}),
    (events.Closed((), 1, "abandoned", {"again": True}),
     {"event": "closed", "winners": [], "status": 1, "reason": "abandoned", "transcript": None, "again": True}),
    (lobby(RULES), None),
]


@pytest.mark.parametrize(("event", "expected"), TOLD, ids=lambda value: type(value).__name__)
def test_events_have_the_promised_form(event: events.Event, expected: dict[str, Any] | None) -> None:
    """Names instead of seats; nothing of other local seats."""
    assert objects(event) == ([] if expected is None else [expected])


def test_who_watches_has_no_name_no_dice_and_no_moves() -> None:
    """The same objects, with null where a seat's own would stand; the players' programs are told how many watch."""
    found = objects(
        replace(formed(RULES), you=events.NOBODY),
        events.DiceDealt(events.NOBODY, None, {}),
        events.TurnBegan(0, None, None),
        events.Watched(2),
    )
    assert found[0]["you"] is None
    assert found[1:] == [
        {"event": "dice", "own": None, "seen": {}},
        {"event": "turn", "by": "Ana", "seconds": None, "legal": None},
        {"event": "watching", "count": 2},
    ]


async def test_lines_of_who_watches_are_answered_at_once() -> None:
    """A move is refused, not held until a turn that never comes; what may be asked is answered."""
    driver, out = FakeDriver(replace(formed(RULES), you=events.NOBODY)), StringIO()
    with pipe("2x3\n/say hi\n/start\n\n/who\n") as stdin:
        assert await Play(driver, Json(stdin, out), watching=True).run() == 0
    told = [json.loads(line) for line in out.getvalue().splitlines()][1:]
    assert [event.get("reason") for event in told[:3]] == ["watching"] * 3
    assert [event["event"] for event in told[3:]] == ["answer"]
    assert driver.asked == ["quit"]


def test_a_round_has_the_form_of_the_notation() -> None:
    """Rounds and results are the referee's objects."""
    story = Story("perudo", starting_dice="2").round({0: (3, 3), 1: (2, 4), 2: (1, 5)}, "2x3", "2x1", "dudo")
    found = {told["event"]: told for told in objects(*story.events[3:])}
    assert found["round"] == {"event": "round", "round": 1, "opener": "Ana", "direction": "left", "special": None}
    result = found["result"]
    assert (result["bid"], result["count"], result["lost"]) == ("2x1", 1, ["Beto"])


def test_the_language_changes_only_messages(spoken: str) -> None:
    """The same events give the same objects in every language, but for `message`."""
    [error] = objects(events.Refused("no-round-open", {}))
    message = error.pop("message")
    assert error == {"event": "error", "reason": "no-round-open"}
    assert (message == "No round is open: wait for the dice.") == (spoken == "en")


def test_lines_are_ascii() -> None:
    """No reader depends on the encoding that this process was started with."""
    out = StringIO()
    Json(None, out).show(lobby(RULES, names=("José", "骰")))
    assert out.getvalue().isascii()


async def test_actions_come_in_as_lines() -> None:
    """A program plays by printing notation; nonsense comes back as an error object, answers as one too."""
    driver = FakeDriver(formed(RULES), events.TurnBegan(0, None, (bid(2, 3),)))
    out = StringIO()
    with pipe("rubbish\n/who\n2x3\n") as stdin:
        await Play(driver, Json(stdin, out), hints=False).run()
    found = [json.loads(line) for line in out.getvalue().splitlines()]
    assert driver.asked == ["2x3", "quit"]
    assert [told["event"] for told in found[2:]] == ["error", "answer"]
    assert found[2]["reason"] == "nonsense"
