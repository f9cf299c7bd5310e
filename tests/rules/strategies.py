"""Hypothesis strategies: any ruleset, and a number of players it seats."""

from hypothesis import strategies as st

from p2pdice.rules import KEYS, LIMITS, PRESETS, Ruleset, allowed, make_ruleset


@st.composite
def rulesets(draw: st.DrawFn, most_rounds: int = 6) -> Ruleset:
    """A system with any house rules; points races are kept short."""
    system = draw(st.sampled_from(sorted(PRESETS)))
    options: dict[str, str] = {}
    for key in draw(st.sets(st.sampled_from(KEYS))):
        values = allowed(system, key)
        if len(values) == 1:
            low, high = map(int, values[0].split("-"))
            options[key] = str(draw(st.integers(low, min(high, most_rounds))))
        else:
            options[key] = draw(st.sampled_from(values))
    if options.get("format") == "points":
        options.setdefault("rounds", "4")
    return make_ruleset(system, options)


def players(rules: Ruleset, most: int = 6) -> st.SearchStrategy[int]:
    """A number of seats, small enough to be played in a moment."""
    low, high = LIMITS[rules.system].players
    return st.integers(low, min(high, most))
