"""The inline screen, played through the toolkit's own pipe input."""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

import pytest
from prompt_toolkit.application import create_app_session
from prompt_toolkit.completion import CompleteEvent
from prompt_toolkit.document import Document
from prompt_toolkit.input import PipeInput, create_pipe_input
from prompt_toolkit.output import DummyOutput

from p2pdice.cli import play as play_module
from p2pdice.cli.app import GLANCE_S, App
from p2pdice.cli.play import Play
from p2pdice.protocol import events
from p2pdice.rules import DUDO, PRESETS, Gone, RoundBegan, apply, bid, deal, legal, make_ruleset, new_game
from tests.cli.fakes import FakeDriver
from tests.cli.stories import formed, lobby

RULES = make_ruleset("perudo", {})
MINE = events.TurnBegan(0, None, (bid(2, 3), bid(2, 4), DUDO))


@contextmanager
def keyboard() -> Iterator[PipeInput]:
    """Keys for an app that draws on nothing."""
    with create_pipe_input() as keys, create_app_session(input=keys, output=DummyOutput()):
        yield keys


async def _run(keys: PipeInput, driver: FakeDriver, *texts: str, make: Callable[[], App] = App) -> int:
    """Press each text once the prompt waits, and see the run to its end."""
    app = make()
    run = asyncio.create_task(Play(driver, app).run())
    for text in texts:
        await _waiting(app)
        keys.send_text(text)
        await _settled()
    return await run


async def _waiting(app: App) -> None:
    while not app._session.app.is_running:
        await asyncio.sleep(0.001)


async def _settled() -> None:
    for _ in range(20):
        await asyncio.sleep(0.001)


async def test_a_move_is_typed() -> None:
    """Words, Enter, and the driver has it; /quit ends the run."""
    driver = FakeDriver(formed(RULES), MINE)
    with keyboard() as keys:
        assert await _run(keys, driver, "dos treses\r", "/quit\r") == 0
    assert driver.asked == ["2x3", "quit"]


async def test_what_is_typed_into_a_prompt_drawn_early_counts() -> None:
    """The prompt may stand before there is a table; the line begun in it is the first that is read."""
    driver = FakeDriver(formed(RULES), MINE)
    with keyboard() as keys:
        app = App()
        await app.draw()
        assert app._session.app.is_running
        keys.send_text("dos tre")
        await _settled()
        run = asyncio.create_task(Play(driver, app).run())
        for text in ("ses\r", "/quit\r"):
            await _settled()
            keys.send_text(text)
        assert await run == 0
    assert driver.asked == ["2x3", "quit"]


async def test_enter_is_ready_in_the_lobby() -> None:
    """The lobby's prompt accepts the rules with an empty line."""
    driver = FakeDriver(lobby(RULES))
    with keyboard() as keys:
        await _run(keys, driver, "\r", "/quit\r")
    assert driver.asked == ["ready", "quit"]


@pytest.mark.parametrize("last", ["y\r", "sim\r", "\x03", "\x04"])
async def test_ctrl_c_drops_the_line_and_twice_asks(last: str) -> None:
    """With something typed it only clears; on an empty line the second one asks, and a third needs no answer."""
    driver = FakeDriver(formed(RULES), MINE)
    with keyboard() as keys:
        await _run(keys, driver, "2x3\x03", "\x03", "\x03", "\r", "2x3\r", "\x03", "\x03", last)
    assert driver.asked == ["2x3", "quit"]


async def test_ctrl_c_warns_once() -> None:
    """The first one says what the second will do; the second says no more."""
    said: list[str] = []

    class Listened(App):
        def answer(self, lines: Sequence[str]) -> None:
            said.extend(lines)

    with keyboard() as keys:
        await _run(keys, FakeDriver(formed(RULES)), "\x03", "\x03", "\x03", make=Listened)
    assert said.count("Ctrl-C once more asks whether you want to leave; /quit leaves.") == 1


async def test_ctrl_d_asks_before_it_leaves() -> None:
    """No goes on with the game, yes leaves, in any language."""
    driver = FakeDriver(formed(RULES), MINE)
    with keyboard() as keys:
        await _run(keys, driver, "\x04", "no\r", "2x3\r", "\x04", "sí\r")
    assert driver.asked == ["2x3", "quit"]


async def test_a_bracketed_paste_makes_no_move() -> None:
    """Of pasted lines the first stands at the prompt, for the person to look at."""
    driver = FakeDriver(formed(RULES), MINE)
    with keyboard() as keys:
        await _run(keys, driver, "\x1b[200~2x3\n2x4\ndudo\n\x1b[201~", "\r", "/quit\r")
    assert driver.asked == ["2x3", "quit"]


async def test_a_bare_paste_makes_one_move_at_most() -> None:
    """Where the terminal does not mark a paste, only its first line counts."""
    driver = FakeDriver(formed(RULES), MINE)
    with keyboard() as keys:
        await _run(keys, driver, "2x3\r2x4\rdudo\r", "/quit\r")
    assert driver.asked == ["2x3", "quit"]


async def test_the_end_of_the_game_frees_the_prompt() -> None:
    """When the table closes, the run ends although nobody pressed a key."""
    driver = FakeDriver(formed(RULES), MINE)
    with keyboard():
        app = App()
        run = asyncio.create_task(Play(driver, app).run())
        await _waiting(app)
        driver.tell(events.Closed((1,), 0, "won"))
        assert await asyncio.wait_for(run, 5) == 0
        assert not app._session.app.is_running


async def test_a_line_that_is_being_typed_survives_events() -> None:
    """News scroll above the prompt; what was typed stays."""
    driver = FakeDriver(formed(RULES))
    with keyboard() as keys:
        app = App()
        run = asyncio.create_task(Play(driver, app).run())
        await _waiting(app)
        keys.send_text("2x")
        await _settled()
        driver.tell(events.ChatSaid(1, "hola"), MINE)
        keys.send_text("3\r")
        await _settled()
        assert driver.asked == ["2x3"]
        keys.send_text("/quit\r")
        await run


async def test_a_move_typed_for_a_turn_that_has_passed_is_kept() -> None:
    """The clock has moved for this seat meanwhile: Enter says so, the text stays, and Enter once more sends it."""
    driver = FakeDriver(formed(RULES), RoundBegan(1, 0, "left", None), MINE)
    with keyboard() as keys:
        app = App()
        run = asyncio.create_task(Play(driver, app).run())
        await _waiting(app)
        keys.send_text("2x4")
        await _settled()
        driver.tell(events.ActionMade(0, bid(2, 3), auto=True), events.TurnBegan(1, None, None))
        keys.send_text("\r")
        await _settled()
        await _waiting(app)
        assert driver.asked == []
        assert app._session.default_buffer.text == "2x4"
        keys.send_text("\r")
        await _settled()
        assert driver.asked == ["2x4"]
        await _waiting(app)
        keys.send_text("/quit\r")
        await run


async def test_a_call_sent_before_anyone_could_see_the_bid_is_kept() -> None:
    """A doubt that was typed ahead meets a bid of a moment ago: it is asked for once more."""
    driver = FakeDriver(formed(RULES), RoundBegan(1, 1, "left", None), events.TurnBegan(2, None, None))
    with keyboard() as keys:
        app = App()
        run = asyncio.create_task(Play(driver, app).run())
        await _waiting(app)
        keys.send_text("dudo")
        await _settled()
        driver.tell(events.ActionMade(2, bid(2, 3), auto=False), MINE)
        keys.send_text("\r")
        await _settled()
        await _waiting(app)
        assert driver.asked == []
        keys.send_text("\r")
        await _settled()
        assert driver.asked == ["dudo"]
        await _waiting(app)
        keys.send_text("/quit\r")
        await run


async def test_a_move_typed_ahead_counts_once_the_turn_can_be_seen() -> None:
    """Whoever types while others play and looks before Enter is not asked twice."""
    driver = FakeDriver(formed(RULES), RoundBegan(1, 1, "left", None), events.TurnBegan(2, None, None))
    with keyboard() as keys:
        app = App()
        run = asyncio.create_task(Play(driver, app).run())
        await _waiting(app)
        keys.send_text("2x4")
        await _settled()
        driver.tell(events.ActionMade(2, bid(2, 3), auto=False), MINE)
        app._moved_at -= GLANCE_S
        keys.send_text("\r")
        await _settled()
        assert driver.asked == ["2x4"]
        await _waiting(app)
        keys.send_text("/quit\r")
        await run


async def test_enter_skips_the_showdown_and_a_move_is_kept_for_after_it() -> None:
    """Cups go up at their pace; a bid typed meanwhile shows the rest and waits, Enter alone shows the rest."""
    cups = events.CupsShown({0: (1, 3), 1: (2, 2), 2: (4, 5)})
    driver = FakeDriver(formed(RULES), RoundBegan(1, 0, "left", None), cups)
    with keyboard() as keys:
        app = App()
        run = asyncio.create_task(Play(driver, app, pace_s=1000.0).run())
        await _waiting(app)
        keys.send_text("2x3\r")
        await _settled()
        await _waiting(app)
        assert driver.asked == []
        assert len(app.table.opened) == 3
        assert app._session.default_buffer.text == "2x3"
        assert not driver.telling()
        driver.tell(cups)
        assert driver.telling()
        keys.send_text("\x15\r")
        await _settled()
        assert not driver.telling()
        await _waiting(app)
        keys.send_text("/quit\r")
        await run


@pytest.mark.parametrize(("then", "times"), [
    ([], 1),
    ([events.ActionMade(0, bid(2, 3), auto=False), events.TurnBegan(1, 30.0, None)], 0),
    ([events.PauseWanted((0, 1), True, None)], 0),
    ([events.PauseWanted((0, 1), True, None), events.PauseWanted((1,), False, 30.0)], 1),
    ([events.Halted((1,))], 0),
])
async def test_the_last_seconds_of_a_turn_are_told_once(
    then: list[events.Event], times: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only to whom the turn is, not once they have moved, and not while the clock stands still."""
    monkeypatch.setattr(play_module, "LAST_S", 29.99)
    said: list[str] = []

    class Listened(App):
        def answer(self, lines: Sequence[str]) -> None:
            said.extend(lines)

    driver = FakeDriver(formed(RULES), events.TurnBegan(1, 30.0, None), replace(MINE, seconds=30.0), *then)
    with keyboard() as keys:
        run = asyncio.create_task(Play(driver, app := Listened()).run())
        await _waiting(app)
        for _ in range(3):
            await _settled()
        keys.send_text("/quit\r")
        await run
    assert sum("left for your turn" in line for line in said) == times


async def test_another_game_is_asked_for_after_the_end() -> None:
    """After a game that was played out, /rematch is a wish; anything else asks again, Enter ends."""
    for typed, again in (("/revancha\r", True), ("\r", False)):
        driver = FakeDriver(formed(RULES), events.Closed((1,), 0, "won"))
        with keyboard() as keys:
            app = App()
            play = Play(driver, app, offer=True)
            run = asyncio.create_task(play.run())
            await _waiting(app)
            keys.send_text("2x3\r")
            await _settled()
            await _waiting(app)
            keys.send_text(typed)
            assert await run == 0
            assert (play.again, driver.asked) == (again, [])
            app.restart()
            assert not app.table.playing


OVER = events.Closed((0,), 0, "won")


@pytest.mark.parametrize(("pace_s", "first", "answers"), [
    (0.0, [], [[OVER]]),
    (60.0, [events.CupsShown({0: (1, 3)}), OVER], []),
])
async def test_whoever_has_said_quit_is_not_asked_for_another_game(
    pace_s: float, first: list[events.Event], answers: list[list[events.Event]]
) -> None:
    """/quit that the end of the game overtakes, the others having left first, or its last cups still going up."""
    driver = FakeDriver(formed(RULES), *first)
    driver.answers = answers
    with keyboard() as keys:
        play = Play(driver, app := App(), offer=True, pace_s=pace_s)
        run = asyncio.create_task(play.run())
        await _waiting(app)
        keys.send_text("/quit\r")
        assert await asyncio.wait_for(run, play_module.AGAIN_S / 2) == 0
        assert not play.again


async def test_no_other_game_is_offered_where_everyone_else_has_left() -> None:
    """The table would be waited for in vain; bots of this process, or one other player, are company enough."""
    for gone, offered in (((1, 2), False), ((2,), True)):
        driver = FakeDriver(formed(RULES), Gone(gone, (5, 0, 0), 0, None, ()), events.Closed((0,), 0, "won"))
        with keyboard() as keys:
            play = Play(driver, app := App(), offer=True)
            run = asyncio.create_task(play.run())
            if offered:
                await _waiting(app)
                keys.send_text("/rematch\r")
            assert await asyncio.wait_for(run, play_module.AGAIN_S / 2) == 0
            assert play.again is offered


async def test_no_other_game_is_offered_after_a_broken_one() -> None:
    """Who has been left alone is not asked."""
    driver = FakeDriver(formed(RULES), events.Closed((), 1, "abandoned"))
    with keyboard():
        play = Play(driver, App(), offer=True)
        assert await play.run() == 1
        assert not play.again


async def test_tab_offers_what_is_legal_and_nothing_else() -> None:
    """Completion knows the moves of this turn."""
    with keyboard():
        app = App()
        app.show(formed(RULES))
        app.show(MINE)
        completer = app._session.completer
        assert completer is not None

        def offered(text: str) -> list[str]:
            return [found.text for found in completer.get_completions(Document(text), CompleteEvent())]

        assert offered("") == ["2x3", "2x4", "dudo"]
        assert offered("2x") == ["2x3", "2x4"]
        assert offered("9") == []
        assert offered("/") == []


@pytest.mark.parametrize("system", list(PRESETS))
async def test_tab_offers_the_lowest_bid_on_each_face_and_then_all_that_begins_so(system: str) -> None:
    """Over a standing bid, in every system: as the engine has it, lowest first."""
    game = new_game(PRESETS[system], 3)
    deal(game)
    apply(game, 0, bid(3, 4))
    moves = tuple(legal(game, 1))
    with keyboard():
        app = App()
        app.show(replace(formed(PRESETS[system]), you=1))
        app.show(events.TurnBegan(1, None, moves))
        completer = app._session.completer
        assert completer is not None

        def offered(text: str) -> list[str]:
            return [found.text for found in completer.get_completions(Document(text), CompleteEvent())]

        bids = [word for word in offered("") if word[0].isdigit()]
        assert sorted(word[-1] for word in bids) == list("123456")
        assert bids == sorted(bids)
        assert all(word in map(str, moves) for word in offered(""))
        assert offered("4") == [str(move) for move in moves if str(move).startswith("4")]


async def test_the_status_shows_the_table() -> None:
    """Seats, turn, own dice and what is legal stand under the prompt."""
    with keyboard():
        app = App()
        for event in (formed(RULES), events.DiceDealt(0, (1, 3, 3), {}), MINE):
            app.show(event)
        text = "".join(part[1] for part in app._status())
        assert text.splitlines() == [
            "* Ana 5/5, Beto 5/5, Caro 5/5",
            "No bid yet.",
            "Your dice: 1 3 3 ⚀ ⚂ ⚂",
            "You may bid 2x3, 2x4 or more, or dudo.",
        ]


@pytest.mark.parametrize("name", ["\x1b[31mAna", "<b>Ana", "{Ana}", "%(Ana)s"])
async def test_hostile_names_are_plain_text_in_the_status(name: str) -> None:
    """A name is never markup, nor an escape sequence."""
    with keyboard():
        app = App()
        app.show(formed(RULES, names=(name, "Beto", "Caro")))
        [(style, text, *_handler)] = app._status()
        assert style == ""
        assert app.table.names[0] in text
        assert "\x1b" not in text
