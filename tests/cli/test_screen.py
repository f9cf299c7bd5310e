"""Whole games as people read them. Run as `python -m tests.cli.test_screen` to write the expected texts anew, then read
the difference: it is what people will see.
"""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from p2pdice.cli import language, screen
from p2pdice.cli.clean import width
from p2pdice.cli.panel import PANEL_LINES, panel
from p2pdice.cli.screen import Screen
from p2pdice.cli.words import cup
from p2pdice.protocol import events
from p2pdice.rules import Ended, Gone, OrderDrawn, RoundBegan, Special, bid, make_ruleset, new_game, remove
from tests.cli.conftest import LANGUAGES
from tests.cli.stories import NAMES, Story, formed, lobby, watched

FOLDER = Path(__file__).parent / "screens"


def elimination() -> Story:
    """Raises, a doubt, two palificos, an exact call that is right, someone who goes, a winner."""
    story = Story("perudo", starting_dice="2")
    story.round({0: (3, 3), 1: (2, 4), 2: (1, 5)}, "2x3", "2x1", "dudo")
    story.events += [events.PeerLost(1), events.PeerBack(1)]
    story.round({0: (3, 3), 1: (4,), 2: (5, 5)}, "1x5", "2x5", "dudo")
    story.round({0: (3,), 1: (4,), 2: (5, 5)}, "1x3", "2x3", "dudo")
    story.round({0: (3,), 2: (1, 5)}, "2x3", "calzo")
    story.deal({0: (3, 6), 2: (1, 5)})
    story.turn()
    story.events += [
        events.ChatSaid(2, "hasta luego"),
        events.Refused(
            "too-few-aces", {"quantity": 1, "face": 1, "least": 2, "bid_quantity": 3, "bid_face": 4, "dice": 4}
        ),
        events.FaultProved(2, "ILLEGAL", b"", "games/x.p2pdice"),
        Gone((2,), (2, 0, 0), None, None, (0,)),
        Ended((0,)),
        events.Closed((0,), 0, "won", {}, "games/x.p2pdice"),
    ]
    return story


def chilean() -> Story:
    """An opening roll, a direction, a pass doubted, a die in favour won and paid with."""
    story = Story("dudo", seating="roll-opener")
    story.events.append(OrderDrawn((0, 1, 2), 0, ({0: 5, 1: 5, 2: 4}, {0: 6, 1: 2})))
    story.round({0: (1, 3, 3, 5, 6), 1: (2, 2, 4, 6, 6), 2: (1, 1, 3, 4, 5)}, "2x4 derecha", "paso", "dudo")
    story.round({0: (2, 2, 3, 3, 5), 1: (2, 2, 4, 6, 6), 2: (1, 4, 6, 6)}, "2x5", "calzo")
    story.round({0: (2, 2, 3, 3, 5), 1: (2, 2, 4, 6, 6), 2: (1, 4, 6, 6)}, "9x3", "dudo")
    return story


def obliging() -> Story:
    """A closed and an open round, and a right that is not used."""
    story = Story("dudo", starting_dice="2")
    story.round({0: (2, 2), 1: (4, 4), 2: (5, 5)}, "2x3", "dudo")
    story.round({0: (3,), 1: (4, 4), 2: (5, 5)}, "obligo cerrado", "1x3", "2x3", "dudo")
    story.round({0: (3,), 1: (4,), 2: (5, 5)}, "obligo abierto", "1x5", "3x5", "dudo")
    story.round({0: (3,), 1: (4,), 2: (5,)}, "no", "1x4", "1x5", "dudo")
    return story


def race() -> Story:
    """A points race between three."""
    story = Story("clasico", format="points", rounds="2")
    story.round({0: (1, 3, 3, 5, 6), 1: (2, 2, 4, 6, 6), 2: (1, 1, 3, 4, 5)}, "9x3", "dudo")
    story.round({0: (1, 3, 3, 5, 6), 1: (2, 2, 4, 6, 6), 2: (1, 1, 3, 4, 5)}, "6x3", "calzo")
    return story


def watching() -> Story:
    """The same as `obliging`, for somebody without a seat."""
    story = obliging()
    told = (watched(event) for event in story.events)
    story.events = [event for event in told if event is not None]
    story.views = {}
    return story


STORIES = {"elimination": elimination, "chilean": chilean, "obliging": obliging, "race": race, "watching": watching}


def told(story: Story) -> str:
    """The whole game in lines, and after each turn of ours the status area."""
    shown = Screen(detailed=True)
    lines: list[str] = []
    for event in story.events:
        lines += shown.tell(event)
        if isinstance(event, events.TurnBegan | events.MayOblige):
            lines += [f"    | {line}" for line in panel(shown.table, 60)]
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("name", STORIES)
def test_games_read_as_they_should(name: str, spoken: str) -> None:
    """The texts of whole games, word for word, in each language."""
    assert told(STORIES[name]()) == (FOLDER / f"{name}.{spoken}.txt").read_text("utf-8")


def test_your_turn_stands_on_a_line_of_its_own(spoken: str) -> None:
    """Screen readers announce a line: this one must say nothing else."""
    said = {"en": "Your turn", "es": "Es tu turno", "pt": "É a sua vez"}[spoken]
    assert said in told(elimination()).splitlines()


@pytest.mark.parametrize("columns", [20, 40, 60, 80, 200])
def test_the_status_area_stays_small(columns: int, spoken: str) -> None:
    """Never more than six lines, never wider than the terminal, at any moment of a game."""
    for make in STORIES.values():
        shown = Screen(detailed=False)
        for event in make().events:
            shown.tell(event)
            assert _fits(panel(shown.table, columns), columns)


@pytest.mark.parametrize("columns", [20, 30, 80])
def test_no_own_die_is_cut_off(columns: int, spoken: str) -> None:
    """A cup that lost its last die to the edge of the terminal would be taken for a smaller one."""
    shown = Screen(detailed=False)
    shown.tell(formed(elimination().rules))
    shown.tell(events.DiceDealt(0, (1, 2, 3, 4, 5, 6), {}))
    [line] = [line for line in panel(shown.table, columns, faces=True) if "1 2 3 4 5 6" in line]
    assert ("\u2680" in line) == ("\u2685" in line) == (columns == 80)


@pytest.mark.parametrize(("columns", "others"), [(80, 5), (40, 3), (40, 2)])
def test_the_cups_of_an_open_round_are_all_in_the_status_area(columns: int, others: int, spoken: str) -> None:
    """They are what is played by in it; that the own dice are not seen is known from them."""
    names = ["Ana", "Beto", "Caro", "Dora", "Elsa", "Fito"][: others + 1]
    shown = Screen(detailed=False)
    shown.tell(formed(make_ruleset("dudo", {}), names=names))
    shown.tell(RoundBegan(3, 0, "left", Special.OPEN))
    shown.tell(events.DiceDealt(0, None, {seat: (seat, 2, 3, 4, 5) for seat in range(1, others + 1)}))
    shown.tell(events.TurnBegan(0, 60.0, (bid(1, 1), bid(1, 2), bid(1, 3))))
    lines = panel(shown.table, columns, until="12:00:00")
    assert _fits(lines, columns)
    for seat in range(1, others + 1):
        assert f"{names[seat]}: {cup((seat, 2, 3, 4, 5))}" in " ".join(lines)
    assert "12:00:00" in " ".join(lines)


@pytest.mark.parametrize("columns", [30, 40, 50, 80])
def test_a_name_is_not_parted_from_what_it_has(columns: int) -> None:
    """Of "bot" and "2 5/5" on the next line nobody knows who has what."""
    shown = Screen(detailed=False)
    shown.tell(formed(make_ruleset("perudo", {}), names=["Ana", *["bot"] * 7]))
    lines = panel(shown.table, columns)
    assert _fits(lines, columns)
    assert all(line.rstrip(",").endswith("/5") for line in lines[:2])


def test_thirty_two_players_fit_the_status_area() -> None:
    """A full table shows what fits on two lines; /who shows everyone."""
    names = [f"Player number {seat}" for seat in range(32)]
    shown = Screen(detailed=False)
    shown.tell(formed(elimination().rules, names=names))
    shown.tell(events.TurnBegan(31, None, None))
    assert _fits(panel(shown.table, 80), 80)
    assert len(screen.who(shown.table)) == 33


def _fits(lines: Sequence[str], columns: int) -> bool:
    return len(lines) <= PANEL_LINES and all(width(line) < columns for line in lines)


@pytest.mark.parametrize("name", ["\x1b[31mAna\x07", "An\u202ea", "{0}", "{name}", "%s", "<b>&", "/quit"])
def test_hostile_names_are_inert(name: str) -> None:
    """No name reaches the screen with a control in it, nor is taken for a format."""
    shown = Screen(detailed=True)
    story = elimination()
    text = ""
    for event in story.events:
        if isinstance(event, events.LobbyChanged | events.TableFormed):
            event = replace(event, names=(name, *NAMES[1:]))
        text += "\n".join(shown.tell(event))
    assert shown.table.names[0] in text
    assert not {"\x1b", "\x07", "\u202e", "\x9b"} & set(text)


def test_hostile_chat_is_inert() -> None:
    """What others say cannot repaint the terminal, however long it is."""
    shown = Screen(detailed=True)
    shown.tell(formed(elimination().rules))
    [line] = shown.tell(events.ChatSaid(1, "hi\x1b]52;c;AAAA\x07\nYour turn\u202e" + "x" * 10_000))
    assert line.startswith("Beto says: hi]52;c;AAAA Your turnxxx")
    assert width(line) <= 420


def test_a_joiner_sees_all_rules_and_a_host_what_is_different() -> None:
    """Who accepts rules that somebody else chose reads them first."""
    rules = Story("perudo", exact="off").rules
    joiner = Screen(detailed=True).tell(lobby(rules, hosting=False))
    host = Screen(detailed=True).tell(lobby(rules, hosting=True))
    assert "- no exact call [exact=off]" in joiner
    assert "- no exact call [exact=off]" in host
    assert any("doubt the standing bid" in line for line in joiner)
    assert not any("doubt the standing bid" in line for line in host)


def test_the_lobby_says_what_it_waits_for_and_from_whom() -> None:
    """Whoever has not accepted the rules is told to, seats being free or not; the others, for whom it waits then. Each
    is said once, and stands in the panel also where the names alone would fill it."""
    rules, enter = make_ruleset("perudo", {}), "Press Enter to accept the rules and take your seat."
    shown = Screen(detailed=True)
    first = shown.tell(lobby(rules, names=NAMES[:1], hosting=False))
    assert first[-2:] == ["Waiting for 2 more players.", enter]
    assert shown.tell(lobby(rules, names=NAMES[:2], hosting=False))[1:] == ["Waiting for 1 more player."]
    assert panel(shown.table, 80)[-2:] == ["Waiting for 1 more player.", enter]
    full = lobby(rules, names=[f"A rather long name, {seat}" for seat in range(3)], hosting=False)
    shown.tell(full)
    assert "take your seat." in " ".join(panel(shown.table, 20))
    waits = shown.tell(replace(full, ready=(True, False, True)))
    assert waits[1:] == ["It begins as soon as these have accepted the rules: A rather long name, 1."]
    assert shown.tell(replace(full, ready=(True, True, True)))[1:] == []


def test_a_host_who_waits_in_vain_is_told_how_to_begin() -> None:
    """Once there is somebody to play with; alone there is nothing to begin."""
    rules, shown = make_ruleset("perudo", {}), Screen(detailed=True)
    assert shown.tell(lobby(rules, names=NAMES[:1], ready=True))[-1] == "Waiting for 2 more players."
    assert shown.tell(lobby(rules, names=NAMES[:2], ready=True))[-2:] == [
        "Waiting for 1 more player.", "/start begins the game, /bot adds a bot."]


@pytest.mark.parametrize("dropped", [True, False])
def test_who_is_out_of_the_game_keeps_no_seat(dropped: bool) -> None:
    """Somebody dropped who comes to hear what became of the game, or somebody without dice who goes, is not told as a
    player lost or back."""
    shown = Screen(detailed=True)
    shown.tell(formed(elimination().rules))
    shown.tell(events.PeerLost(1))
    if dropped:
        shown.tell(Gone((1,), (5, 0, 5), 0, None, ()))
    else:
        shown.table.dice = (5, 0, 5)
    assert shown.tell(events.PeerBack(1)) == shown.tell(events.PeerLost(1)) == []
    assert "?" not in " ".join(panel(shown.table, 80))


def test_before_an_opening_roll_nobody_has_a_seat() -> None:
    """Where seats or opener are rolled for, the seats are told once, after the roll; each roll beside its name."""
    shown = Screen(detailed=True)
    began = shown.tell(formed(make_ruleset("perudo-pt", {}), names=("Ana", "bot", "bot 2")))
    assert began[0] == "The game begins: Ana (you), bot, bot 2."
    assert shown.tell(OrderDrawn((2, 0, 1), 2, ({0: 3, 1: 1, 2: 4},))) == [
        "Opening roll: Ana: 3, bot: 1, bot 2: 4.", "Seats, clockwise: bot 2, Ana, bot. bot 2 opens."]


def test_an_address_of_this_computer_alone_is_told_as_that() -> None:
    """Without a network, or with --bind, nobody elsewhere can use the line."""
    line = "p2pdice join 127.0.0.1:47600"
    shown = Screen(detailed=True)
    assert shown.tell(events.Listening(47600, ("127.0.0.1",), line)) == [
        f"Others join with: {line} (only from this computer)"]
    assert shown.tell(events.Listening(47600, ("10.0.0.5",), "p2pdice join 10.0.0.5:47600")) == [
        "Others join with: p2pdice join 10.0.0.5:47600"]


def test_a_trouble_or_a_refusal_is_a_sentence() -> None:
    """With a capital letter and a full stop, where nothing stands before it as it does on the command line."""
    [line] = Screen(detailed=True).tell(events.Troubled("no-interface", {}))
    assert line.startswith("There is no network on which")
    told = Screen(detailed=True).tell(events.Refused("too-few-players", {"low": 2, "high": 6, "players": 1}))
    assert told == ["These rules take 2 to 6 players, not 1."]


def test_others_dice_are_not_ours() -> None:
    """Dice of a bot in this process are never shown to the person at it."""
    shown = Screen(detailed=True)
    shown.tell(formed(elimination().rules))
    assert shown.tell(events.DiceDealt(1, (6, 6, 6, 6, 6), {})) == []
    assert shown.table.own is None


def test_players_are_told_who_watches() -> None:
    """At each change in one line, and by /who."""
    shown = Screen(detailed=False)
    shown.tell(formed(elimination().rules))
    assert shown.tell(events.Watched(1)) == ["1 person is watching without a seat."]
    assert shown.tell(events.Watched(2)) == ["2 people are watching without a seat."]
    assert "2 people are watching without a seat." in screen.who(shown.table)
    assert shown.tell(events.Watched(0)) == ["Nobody is watching any more."]
    assert not any("watching" in line for line in screen.who(shown.table))


def test_who_goes_keeps_nothing_in_favour() -> None:
    """Dice in favour go with their player, at once and not only when the next round is over."""
    game = new_game(make_ruleset("dudo", {}), 3, banked=[2, 1, 0])
    shown = Screen(detailed=True)
    shown.tell(formed(game.rules))
    shown.table.banked = tuple(game.banked)
    shown.tell(remove(game, [1]))
    assert shown.table.banked == tuple(game.banked) == (2, 0, 0)
    assert "Beto: out" in screen.who(shown.table)
    assert "Beto 0/5" in " ".join(panel(shown.table, 80))


def test_lost_dice_are_shown_without_a_status_area_too() -> None:
    """/who says how many everybody has lost, unless the rules keep that off the screen."""
    for show_lost, beto in (("on", "Beto: 3 dice, 2 lost"), ("off", "Beto: 3 dice")):
        game = new_game(make_ruleset("perudo", {"show_lost": show_lost}), 3, dice=[5, 3, 1])
        shown = Screen(detailed=True)
        shown.tell(formed(game.rules))
        shown.table.dice = tuple(game.dice)
        shown.tell(remove(game, [2]))
        assert [line for line in screen.who(shown.table) if line.startswith(("Beto", "Caro"))] == [beto, "Caro: out"]


def test_a_late_lobby_changes_nothing() -> None:
    """Once the game has begun, names and seats are fixed."""
    shown = Screen(detailed=True)
    shown.tell(formed(elimination().rules, names=("Beto", "Ana", "Caro")))
    assert shown.tell(lobby(elimination().rules)) == []
    assert shown.table.names == ("Beto", "Ana", "Caro")


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for spoken_here in LANGUAGES:
        language.use(spoken_here)
        for title, story_of in STORIES.items():
            (FOLDER / f"{title}.{spoken_here}.txt").write_text(told(story_of()), "utf-8")


def test_a_pause_is_told_once_and_stays_in_sight() -> None:
    """Who asks, that it begins, that it is over; the panel says it as long as it lasts."""
    shown = Screen(detailed=True)
    shown.tell(formed(make_ruleset("perudo", {})))
    assert shown.tell(events.PauseWanted((1,), False, 60.0)) == ["Beto asks for a pause; /pause agrees."]
    assert shown.tell(events.PauseWanted((0, 1), False, 60.0)) == [
        "You ask for a pause: the clocks stop once everyone has typed /pause."]
    begun = shown.tell(events.PauseWanted((0, 1, 2), True, None))
    assert begun == ["Caro asks for a pause; /pause agrees.",
                     "Pause: the clocks stand still until somebody types /pause again."]
    assert begun[-1] in panel(shown.table, 100)
    assert shown.tell(events.PauseWanted((0, 1), False, 42.0)) == ["The pause is over: the clocks run."]
    assert begun[-1] not in panel(shown.table, 100)
    assert shown.tell(events.PauseWanted((0,), False, 42.0)) == ["Beto does without the pause."]
