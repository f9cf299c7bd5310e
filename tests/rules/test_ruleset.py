"""Rule systems as values: what they set, what may be set over them, and what is refused."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from p2pdice.rules import (
    KEYS,
    PRESETS,
    Ruleset,
    RulesetError,
    allowed,
    check_players,
    differences,
    make_ruleset,
    without_effect,
)
from tests.rules.strategies import rulesets

# One column a system: perudo, dudo, clasico, perudo-pt, doodoo.
TABLE = """
starting_dice    5       5                       5      5           5
wild_ones        on      on                      on     on          off
open_on_ones     off     off                     off    on          on
ones_entry       half    half-plus-one           half   half        half
exact            turn    turn                    anyone turn        off
exact_requires   nothing half-dice-or-single-die nothing nothing    nothing
exact_reward     regain  bank                    regain bidder-loses regain
exact_in_special on      on                      off    off         on
exact_with_two   on      on                      off    on          on
special          palifico obligar                palifico palifico  off
special_with_two off     on                      off    on          off
passing          off     on                      off    off         off
direction        fixed   opener                  fixed  fixed       fixed
seating          random  random                  random roll-seats  roll-opener
format           elimination elimination elimination elimination elimination
rounds           10      10                      10     10          10
show_lost        on      on                      on     on          on
"""
SYSTEMS = ("perudo", "dudo", "clasico", "perudo-pt", "doodoo")


def test_presets() -> None:
    """Each system sets what its description says, and lists its keys in this order."""
    rows = [line.split() for line in TABLE.strip().splitlines()]
    assert tuple(PRESETS) == SYSTEMS
    for column, system in enumerate(SYSTEMS, 1):
        assert list(PRESETS[system].options().items()) == [(row[0], row[column]) for row in rows]


@given(rulesets())
def test_text_forms_read_back(rules: Ruleset) -> None:
    """A ruleset is its system and the text forms of its options, and also the system and the differences."""
    assert make_ruleset(rules.system, rules.options()) == rules
    assert make_ruleset(rules.system, differences(rules)) == rules
    assert hash(make_ruleset(rules.system, differences(rules))) == hash(rules)


def test_differences() -> None:
    """Only what differs from the named system is a difference, also where it was said in so many words."""
    rules = make_ruleset("perudo", {"starting_dice": "4", "exact": "off", "passing": "off"})
    assert differences(rules) == {"starting_dice": "4", "exact": "off"}
    assert differences(PRESETS["dudo"]) == {}


@pytest.mark.parametrize(
    ("system", "options", "reason", "fields"),
    [
        ("poker", {}, "unknown-system", {"system": "poker", "allowed": SYSTEMS}),
        ("perudo", {"dice": "4"}, "unknown-key", {"key": "dice", "allowed": KEYS}),
        ("perudo", {"system": "dudo"}, "unknown-key", {"key": "system", "allowed": KEYS}),
        ("perudo", {"players": "4"}, "unknown-key", {"key": "players", "allowed": KEYS}),
        ("perudo", {"exact": "on"}, "bad-value", {"key": "exact", "value": "on", "allowed": ("off", "turn", "anyone")}),
        ("perudo", {"passing": "yes"}, "bad-value", {"key": "passing", "value": "yes", "allowed": ("on", "off")}),
        ("perudo", {"starting_dice": "11"}, "bad-value", {"key": "starting_dice", "value": "11", "allowed": ("1-10",)}),
        ("clasico", {"starting_dice": "7"}, "bad-value", {"key": "starting_dice", "value": "7", "allowed": ("3-6",)}),
        ("clasico", {"starting_dice": "2"}, "bad-value", {"key": "starting_dice", "value": "2", "allowed": ("3-6",)}),
        ("perudo", {"rounds": "0"}, "bad-value", {"key": "rounds", "value": "0", "allowed": ("1-100",)}),
        ("perudo", {"rounds": "٣"}, "bad-value", {"key": "rounds", "value": "٣", "allowed": ("1-100",)}),
    ],
)
def test_refused_options(system: str, options: dict[str, str], reason: str, fields: dict[str, object]) -> None:
    """What is not offered is refused with what would be."""
    with pytest.raises(RulesetError) as caught:
        make_ruleset(system, options)
    assert (caught.value.reason, caught.value.fields) == (reason, fields)


@pytest.mark.parametrize(("system", "low", "high"), [("perudo", 2, 32), ("doodoo", 2, 32), ("clasico", 2, 6)])
def test_players(system: str, low: int, high: int) -> None:
    """Each system seats so many and no more."""
    rules = PRESETS[system]
    check_players(rules, low)
    check_players(rules, high)
    for players, reason in ((low - 1, "too-few-players"), (high + 1, "too-many-players")):
        with pytest.raises(RulesetError) as caught:
            check_players(rules, players)
        assert caught.value.reason == reason
        assert caught.value.fields == {"players": players, "low": low, "high": high}


@pytest.mark.parametrize(
    ("system", "options", "idle"),
    [
        ("perudo", {}, ()),
        ("perudo", {"passing": "on"}, ()),
        ("perudo", {"passing": "on", "starting_dice": "4"}, ("passing",)),
        ("perudo", {"passing": "on", "starting_dice": "6"}, ()),
        ("perudo", {"passing": "on", "starting_dice": "6", "format": "points"}, ("passing",)),
        ("perudo", {"special": "obligar", "format": "points"}, ("special",)),
        (
            "perudo",
            {"exact": "off", "exact_reward": "bank", "exact_with_two": "off"},
            ("exact_reward", "exact_with_two"),
        ),
        ("perudo", {"exact_reward": "bank", "format": "points"}, ("exact_reward",)),
        ("perudo", {"exact_reward": "bidder-loses", "format": "points"}, ()),
        ("perudo", {"rounds": "5"}, ("rounds",)),
        ("perudo", {"rounds": "5", "format": "points", "show_lost": "off"}, ("show_lost",)),
        ("perudo", {"special": "off", "exact_in_special": "off"}, ("exact_in_special",)),
        ("perudo", {"starting_dice": "1", "special": "off", "special_with_two": "on"}, ("special", "special_with_two")),
        ("doodoo", {"open_on_ones": "off", "ones_entry": "half-plus-one"}, ("open_on_ones", "ones_entry")),
        ("doodoo", {"wild_ones": "on", "open_on_ones": "off"}, ()),
        ("doodoo", {"exact_requires": "half-dice-or-single-die"}, ("exact_requires",)),
    ],
)
def test_without_effect(system: str, options: dict[str, str], idle: tuple[str, ...]) -> None:
    """Options that change nothing in their combination are accepted and named."""
    assert without_effect(make_ruleset(system, options)) == idle


@given(st.sampled_from(SYSTEMS), st.sampled_from(KEYS))
def test_all_allowed_values_are_accepted(system: str, key: str) -> None:
    """What `allowed` lists is what `make_ruleset` takes, ranges with both ends."""
    values = allowed(system, key)
    for value in values[0].split("-") if len(values) == 1 else values:
        assert make_ruleset(system, {key: value}).options()[key] == value
