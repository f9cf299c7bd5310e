"""Games written down from what happened in them."""

from p2pdice.rules import (
    OBLIGE_NO,
    OBLIGE_OPEN,
    PRESETS,
    OrderDrawn,
    Writer,
    cups_needed,
    deal,
    make_ruleset,
    new_game,
    parse_action,
    remove,
    settle,
)
from tests.rules.kit import cups, judged, play


def test_a_game_as_text() -> None:
    """House rules, unknown dice where cups stayed shut, and who went are written; a void round is not."""
    rules = make_ruleset("dudo", {"starting_dice": "5", "exact": "off"})
    writer = Writer(rules, ["Ana", "Be to", "Be to"], opener=1)
    game = new_game(rules, 3, 1)
    deal(game)
    for text in ("2x3 right", "paso", "dudo"):
        seat = game.turn
        play(game, text)
        writer.act(seat, parse_action(text))
    shown = cups("22334")
    assert cups_needed(game) == (0,)
    writer.show(shown)
    writer.settled(settle(game, shown))
    writer.act(0, parse_action("2x2"))
    writer.gone(remove(game, [0]))
    assert writer.text() == (
        "rules: dudo\nset: exact=off\nplayers: Ana Be_to Be_to_2\nopener: Be_to\n"
        "\nround: Ana=22334 Be_to=????? Be_to_2=?????\nBe_to: 2x3 right\nAna: paso\nBe_to_2: dudo\n"
        "\ngone: Ana\n"
    )
    assert judged(writer.text())[-1]["next_opener"] == "Be_to_2"


def test_obligar_as_text() -> None:
    """An obligar stands before its round, none is not written, and it survives a round that is void."""
    writer = Writer(PRESETS["dudo"], ["A", "B"])
    writer.act(0, OBLIGE_NO)
    assert writer.lines[-1] == "opener: A"
    writer.act(0, OBLIGE_OPEN)
    assert writer.lines[-2:] == ["", "oblige: open"]


def test_several_go_on_one_line() -> None:
    """Who goes together is named together."""
    writer = Writer(PRESETS["perudo"], ["A", "B", "C", "D"])
    writer.gone(remove(new_game(PRESETS["perudo"], 4), [1, 3]))
    assert writer.lines[-1] == "gone: B D"


def test_an_opening_roll_as_text() -> None:
    """Rolls stand in place of an opener, a forfeited one as *."""
    order = OrderDrawn((0, 1, 2), 1, ({0: 0, 1: 4, 2: 4}, {1: 5, 2: 2}))
    writer = Writer(PRESETS["doodoo"], ["A", "B", "C"], order=order)
    assert writer.lines == ["rules: doodoo", "players: A B C", "roll: A=* B=4 C=4", "roll: B=5 C=2"]
    assert judged(writer.text()) == [{"event": "order", "seats": ["A", "B", "C"], "opener": "B"}]
