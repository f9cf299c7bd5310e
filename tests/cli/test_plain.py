"""The plain screen and the rhythm of piped lines, with a driver that plays a script."""

import asyncio
import os
import signal
from collections.abc import Sequence
from dataclasses import replace
from io import StringIO
from typing import IO

import pytest

from p2pdice.cli.complaint import INTERRUPTED
from p2pdice.cli.plain import Plain
from p2pdice.cli.play import Play
from p2pdice.protocol import events
from p2pdice.rules import CALZO, OBLIGE_NO, Special, apply, bid, deal, make_ruleset, new_game, round_begun, view
from tests.cli.fakes import FakeDriver, pipe
from tests.cli.stories import Story, formed, lobby

RULES = make_ruleset("clasico", {})
MOVES = (bid(2, 3), bid(3, 3))
MINE = events.TurnBegan(0, None, MOVES)
THEIRS = events.TurnBegan(1, None, None)
MADE = events.ActionMade(0, bid(2, 3), auto=False)
WON = events.Closed((0,), 0, "won")


async def _play(driver: FakeDriver, text: str, *, piped: bool = True, auto: bool = False) -> tuple[int, list[str]]:
    out = StringIO()
    with pipe(text) as stdin:
        status = await Play(driver, Plain(stdin, out, piped=piped), auto=auto).run()
    return status, out.getvalue().splitlines()


async def test_a_piped_move_waits_for_the_turn() -> None:
    """A move is taken when it is this seat's turn, not before, and the lines after it wait with it."""
    driver = FakeDriver(formed(RULES), THEIRS)
    driver.answers = [[MADE, THEIRS]]
    run = asyncio.create_task(_play(driver, "2x3\n/say done\n"))
    for _ in range(50):
        await asyncio.sleep(0.001)
    assert driver.asked == []
    driver.tell(MINE)
    status, _lines = await run
    assert status == 0
    assert driver.asked == ["2x3", ("say", "done"), "quit"]


async def test_one_turn_takes_one_move() -> None:
    """The second piped move is for the next turn, also when the first is slow to come back."""
    driver = FakeDriver(formed(RULES), MINE)
    run = asyncio.create_task(_play(driver, "2x3\n3x3\n"))
    await _until(driver, 1)
    await asyncio.sleep(0)
    assert driver.asked == ["2x3"]
    driver.tell(MADE, THEIRS, MINE)
    await run
    assert driver.asked == ["2x3", "3x3", "quit"]


async def test_a_refused_move_is_used_up() -> None:
    """After a refusal the next line is tried in the same turn."""
    driver = FakeDriver(formed(RULES), MINE)
    driver.answers = [[events.Refused("no-dice-bid", {"quantity": 0, "dice": 15})], [MADE]]
    _status, lines = await _play(driver, "0x3\n2x3\n")
    assert driver.asked == ["0x3", "2x3", "quit"]
    assert "A bid is for at least one die; 15 are in play." in lines


async def test_an_exact_call_is_taken_out_of_turn() -> None:
    """Where it is allowed, `calzo` does not wait for the turn."""
    driver = FakeDriver(formed(RULES), THEIRS, events.MayCall(0, (CALZO,)))
    await _play(driver, "calzo\n")
    assert driver.asked == ["calzo", "quit"]


CALL = events.ActionMade(0, CALZO, auto=False)


@pytest.mark.parametrize(("answers", "times"), [([], 1), ([CALL], 0), ([events.Refused("already-answered", {})], 0)])
async def test_an_exact_call_that_waits_for_the_one_in_turn_is_acknowledged(
    answers: list[events.Event], times: int
) -> None:
    """Nothing is to be seen of it until then, and a person would type it again."""
    driver = FakeDriver(formed(RULES), THEIRS, events.MayCall(0, (CALZO,)))
    driver.answers = [answers]
    _status, lines = await _play(driver, "calzo\n", piped=False)
    assert lines.count("Your call is made. It is told once Beto has moved.") == times


async def test_obliging_is_a_turn() -> None:
    """The choice before the dice is this seat's to make, with whatever line is there."""
    driver = FakeDriver(formed(RULES), events.MayOblige(0))
    driver.answers = [[events.ActionMade(0, OBLIGE_NO, auto=False)]]
    await _play(driver, "no\n")
    assert driver.asked == ["oblige no", "quit"]


async def test_who_may_oblige_is_told_the_choices() -> None:
    """Not how to bid, which comes after it."""
    _status, lines = await _play(FakeDriver(formed(RULES), events.MayOblige(0)), "obligo\n")
    assert "obligo: not understood. Choose oblige open, oblige closed or no." in lines


async def test_a_person_is_told_at_once_that_it_is_not_their_turn() -> None:
    """Only piped lines wait: at a terminal the engine answers."""
    driver = FakeDriver(formed(RULES), THEIRS)
    driver.answers = [[events.Refused("not-your-turn", {"turn": 1})]]
    _status, lines = await _play(driver, "2x3\n", piped=False)
    assert driver.asked == ["2x3", "quit"]
    assert "It is the turn of Beto." in lines


async def test_the_end_of_input_means_nothing_to_a_bot() -> None:
    """With --auto the seat stays until the game is over."""
    driver = FakeDriver(formed(RULES))
    run = asyncio.create_task(_play(driver, "", auto=True))
    for _ in range(20):
        await asyncio.sleep(0.001)
    assert not run.done()
    driver.tell(events.Closed((1,), 1, "dropped"))
    assert (await run)[0] == 1
    assert driver.asked == []


async def test_missing_input_is_the_end_of_input() -> None:
    """A process started without standard input leaves politely instead of failing."""
    driver = FakeDriver(formed(RULES))
    assert await Play(driver, Plain(None, StringIO(), piped=True)).run() == 0
    assert driver.asked == ["quit"]


async def test_enter_is_ready_in_the_lobby_only() -> None:
    """An empty line accepts the rules; in the game it does nothing."""
    driver = FakeDriver(lobby(RULES))
    await _play(driver, "\n")
    assert driver.asked == ["ready", "quit"]
    driver = FakeDriver(formed(RULES))
    await _play(driver, "\n")
    assert driver.asked == ["quit"]


@pytest.mark.parametrize(("names", "ready", "piped", "asked"), [
    (("Ana", "Ana"), False, False, [("name", "Ana 2")]), (("Beto", "Ana"), False, False, []),
    (("Ana", "Ana"), True, False, []), (("Ana", "Ana"), False, True, []),
])
async def test_of_two_with_one_name_the_later_takes_the_other_that_is_shown(
    names: tuple[str, str], ready: bool, piped: bool, asked: list[object]
) -> None:
    """Seats are drawn: else the number would go to either of them in the game. Asked for once, and before the rules are
    accepted, for then the draw may begin; who accepts them unasked keeps the name."""
    told = replace(lobby(RULES, names=names, ready=ready, hosting=False), you=1)
    driver = FakeDriver(told, told)
    run = asyncio.create_task(_play(driver, "/quien\n", piped=piped))
    await run
    assert driver.asked == [*asked, "quit"]


COMMANDS: dict[str, list[object]] = {
    "/ready": ["ready"], "/listo": ["ready"], "/start": ["start"], "/kick beto": [("kick", 1)], "/kick Nobody": [],
    "/kick": [], "/bot": [("bot", None)], "/bot difícil": [("bot", "hard")], "/bot genius": [],
    "/name Ana\x1b[0m": [("name", "Ana[0m")], "/name": [], "/say  hola\x07 a todos": [("say", "hola a todos")],
    "/say": [], "/who": [], "/help": [], "?": [], "/rules": [], "/history": [], "/odds": [], "/hints": [],
    "/hints off": [], "gibberish": [], "/gibberish": [],
}


@pytest.mark.parametrize(("line", "asked"), COMMANDS.items())
async def test_slash_commands_reach_the_driver(line: str, asked: Sequence[object], spoken: str) -> None:
    """Each does its one thing; what lacks something, or is none, is answered in words and costs nothing."""
    driver = FakeDriver(lobby(RULES))
    _status, lines = await _play(driver, line + "\n")
    assert driver.asked == [*asked, "quit"]
    before = FakeDriver(lobby(RULES))
    _status, silent = await _play(before, "")
    assert len(lines) > len(silent) or asked


@pytest.mark.parametrize("line", ["/pause", "/wait", "/wait Beto", "/drop Beto", "/drop"])
async def test_what_is_of_the_game_waits_for_it(line: str) -> None:
    """In the lobby the answer is when, not how."""
    _status, lines = await _play(FakeDriver(lobby(RULES)), line + "\n")
    assert "That is only possible once the game has begun." in lines


async def test_quit_ends_with_status_0() -> None:
    """Leaving on purpose is no failure."""
    driver = FakeDriver(formed(RULES))
    assert (await _play(driver, "/quit\n", piped=False))[0] == 0


async def test_hints_tell_the_odds_with_each_turn() -> None:
    """With hints, a turn over a standing bid says how likely it is; switched off, it does not."""
    game = new_game(RULES, 3, opener=2)
    deal(game)
    apply(game, 2, bid(5, 3))
    driver, out = FakeDriver(), StringIO()
    driver.seen = view(game, 0, {0: (1, 3, 3, 5, 6)})
    play = Play(driver, Plain(None, out, piped=True))
    driver.tell(formed(RULES), round_begun(game), events.ActionMade(2, bid(5, 3), auto=False), MINE)
    assert out.getvalue().count("By what you see, at least 5 threes") == 1
    await play.line("/hints off")
    driver.tell(MADE, MINE)
    assert out.getvalue().count("By what you see, at least 5 threes") == 1


async def test_odds_of_any_bid() -> None:
    """/odds answers for the bid asked about: 100 % only for what the own cup holds, and exactly as many apart."""
    game = new_game(RULES, 3)
    deal(game)
    driver = FakeDriver(formed(RULES))
    driver.seen = view(game, 0, {0: (1, 3, 3, 5, 6)})
    _status, lines = await _play(driver, "/odds 3x3\n/odds 13x3\n/odds rubbish\n")
    assert lines[-5:] == [
        "By what you see, at least 3 threes: 100 %.",
        "Exactly 3 threes: 2 %.",
        "By what you see, at least 13 threes: under 1 %.",
        "Exactly 13 threes: under 1 %.",
        "/odds takes a bid, such as /odds 5x3, or nothing",
    ]


async def test_odds_say_what_is_likely_on_each_face() -> None:
    """Without a bid they list, face by face, the highest that holds with half a chance or more; for whoever is in turn
    only faces that may be bid, so no aces where no round opens on them, and one face in a palifico."""
    cup, all_faces = {0: (1, 3, 3, 5, 6), 1: (1, 3, 3, 5, 6)}, "3x1, 4x2, 6x3, 4x4, 5x5, 5x6."
    game = new_game(RULES, 3)
    deal(game)
    palifico = new_game(RULES, 3, dice=(1, 5, 5), special=Special.PALIFICO)
    deal(palifico)
    apply(palifico, 0, bid(1, 3))
    for seen, likely in ((view(game, 0, cup), all_faces.removeprefix("3x1, ")), (view(game, 1, cup), all_faces),
                         (view(palifico, 1, cup), "3x3.")):
        driver = FakeDriver(formed(RULES))
        driver.seen = seen
        _status, lines = await _play(driver, "/odds\n")
        assert lines[-1] == f"Likely (50 % or more): {likely}"


@pytest.mark.skipif(not hasattr(signal, "SIGHUP"), reason="needs POSIX signals")
@pytest.mark.parametrize("number", ["SIGINT", "SIGTERM", "SIGHUP"])
async def test_signals_leave_with_a_goodbye(number: str) -> None:
    """An interrupt, a kill or a closed terminal leaves the table and ends with 130."""
    driver = FakeDriver(formed(RULES))
    play = Play(driver, Plain(None, StringIO(), piped=True), auto=True)
    run = asyncio.create_task(play.run())
    while not asyncio.all_tasks() - {asyncio.current_task(), run}:
        await asyncio.sleep(0)
    before = signal.getsignal(getattr(signal, number))
    os.kill(os.getpid(), getattr(signal, number))
    assert await run == INTERRUPTED
    assert driver.asked == ["quit"]
    assert before is not signal.getsignal(getattr(signal, number))


async def test_a_second_interrupt_does_not_wait_for_the_goodbye() -> None:
    """Whoever asks twice is not kept."""

    class Stuck(FakeDriver):
        def quit(self) -> None:
            self.asked.append("quit")

    driver = Stuck(formed(RULES))
    play = Play(driver, Plain(None, StringIO(), piped=True), auto=True)
    run = asyncio.create_task(play.run())
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    play.interrupt()
    play.interrupt()
    assert await run == INTERRUPTED


async def test_no_escape_reaches_a_plain_stream() -> None:
    """Every line of a whole game is free of control characters."""
    story = Story("perudo", starting_dice="2")
    story.round({0: (3, 3), 1: (2, 4), 2: (1, 5)}, "2x3", "2x1", "dudo")
    driver = FakeDriver(*story.events, events.ChatSaid(1, "\x1b[2J\x9b"), WON)
    _status, lines = await _play(driver, "", auto=True)
    assert all(line.isprintable() for line in lines)


async def _until(driver: FakeDriver, asked: int) -> None:
    while len(driver.asked) < asked:
        await asyncio.sleep(0.001)


def _closed(stream: IO[str]) -> IO[str]:
    stream.close()
    return stream


async def test_closed_input_is_the_end_of_input() -> None:
    """`<&-` in a shell is no reason for a traceback."""
    driver = FakeDriver(formed(RULES))
    assert await Play(driver, Plain(_closed(pipe("")), StringIO(), piped=True)).run() == 0
