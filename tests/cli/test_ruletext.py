"""The rules in force, told so that each option can be heard in them."""

from collections.abc import Iterator

import pytest

from p2pdice.cli import ruletext
from p2pdice.rules import KEYS, PRESETS, allowed, differences, make_ruleset, without_effect


def settings(system: str) -> Iterator[tuple[str, str]]:
    """Every key with every value that is not the system's own; of numbers, two."""
    base = PRESETS[system].options()
    for key in KEYS:
        values = {"starting_dice": ("3", "6"), "rounds": ("1", "100")}.get(key) or allowed(system, key)
        yield from ((key, value) for value in values if value != base[key])


ALL = [(system, key, value) for system in PRESETS for key, value in settings(system)]


def test_every_option_and_value_has_a_phrase(spoken: str) -> None:
    """No setting is shown as its bare key and value."""
    for key in KEYS:
        values = {"starting_dice": ("1", "5"), "rounds": ("1", "10")}.get(key) or allowed("perudo", key)
        phrases = [ruletext.option(key, value) for value in values]
        assert len(set(phrases)) == len(phrases)
        assert all(len(phrase) > 5 or key == "rounds" for phrase in phrases)


@pytest.mark.parametrize(("system", "key", "value"), ALL)
def test_differences_come_first(system: str, key: str, value: str) -> None:
    """A house rule stands in the headline with its setting, marked where it changes nothing."""
    rules = make_ruleset(system, {key: value})
    lines = ruletext.headline(rules)
    assert lines[1] == "Different at this table:"
    line, *lost = lines[2:]
    assert f"[{key}={value}]" in line
    assert ("without effect" in line) == (key in without_effect(rules))
    assert all(line.startswith("Without effect in this combination: ") for line in lost)


@pytest.mark.parametrize(
    ("system", "options", "lost", "word"),
    [
        ("dudo", {"starting_dice": "4"}, "passing=on", "pass"),
        ("dudo", {"starting_dice": "1"}, "exact_requires=half-dice-or-single-die, exact_in_special=on, "
                                         "special=obligar, special_with_two=on, passing=on", "oblige"),
        ("perudo", {"format": "points"}, "exact_in_special=on, special=palifico, show_lost=on", "palifico"),
        ("perudo", {"special": "off"}, "exact_in_special=on", "special round"),
        ("perudo", {"exact": "off"}, "exact_reward=regain, exact_in_special=on, exact_with_two=on", "gets a die back"),
        ("perudo", {"wild_ones": "off"}, "ones_entry=half", "aces"),
        ("dudo", {"wild_ones": "off"}, "ones_entry=half-plus-one", "aces"),
        ("dudo", {"exact": "off"}, "exact_requires=half-dice-or-single-die, exact_reward=bank, exact_in_special=on, "
                                   "exact_with_two=on", "after an exact call"),
        ("doodoo", {"format": "points"}, "show_lost=on", "exact call that"),
    ],
)
def test_what_a_house_rule_leaves_without_effect(system: str, options: dict[str, str], lost: str, word: str) -> None:
    """Said of the system's own options too, and nobody is told how to do what can never be done here."""
    rules = make_ruleset(system, options)
    assert ruletext.headline(rules)[-1] == f"Without effect in this combination: {lost}."
    assert not [line for line in ruletext.in_force(rules) if word in line]


def test_a_pass_stops_exact_calls_out_of_turn_too() -> None:
    """Where everyone may call exact, the pause after a pass is said to be for everyone."""
    told = ruletext.in_force(make_ruleset("clasico", {"passing": "on"}))
    assert "Nobody calls exact straight after a pass, out of turn neither." in told


@pytest.mark.parametrize(("system", "key", "value"), ALL)
def test_a_house_rule_changes_the_rules_told(system: str, key: str, value: str) -> None:
    """An option that changes the game changes what is told of it, and one without effect does not.

    `show_lost` is about the screen and stands in the headline only.
    """
    rules = make_ruleset(system, {key: value})
    same = ruletext.in_force(rules) == ruletext.in_force(PRESETS[system])
    assert same == (key in without_effect(rules) or key == "show_lost")


@pytest.mark.parametrize("system", PRESETS)
def test_a_system_as_it_is_has_no_differences(system: str, spoken: str) -> None:
    """The headline of a plain system is its one line; the rules follow after a blank one."""
    lines = ruletext.describe(PRESETS[system])
    assert differences(PRESETS[system]) == {}
    assert lines[0].startswith(f"{system}: ")
    assert lines[1] == ""
    assert all(line.startswith("- ") and line.endswith(".") for line in lines[2:])
    assert len(lines) > 10


@pytest.mark.parametrize(("system", "text"), [("clasico", "For 2 to 6 players."), ("dudo", "For 2 to 32 players.")])
def test_how_many_can_play_is_told(system: str, text: str) -> None:
    """It belongs to the system, and no option changes it."""
    assert ruletext.in_force(PRESETS[system])[0] == text


def test_worked_numbers_are_the_rules_own() -> None:
    """The examples for going over to aces agree with the option."""
    half = " ".join(ruletext.in_force(PRESETS["perudo"]))
    more = " ".join(ruletext.in_force(PRESETS["dudo"]))
    assert "5 fours, then 3 aces; 8 fours, then 4 aces." in half
    assert "5 fours, then 3 aces; 8 fours, then 5 aces." in more
