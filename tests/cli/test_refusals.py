"""Every reason word of the layers below has its sentence, in every language."""

import ast
import re
from pathlib import Path

import pytest

from p2pdice.cli import refusals, troubles
from p2pdice.rules import IllegalAction, RulesetError, apply, bid, check, deal, make_ruleset, new_game

PACKAGE = Path(__file__).parents[2] / "p2pdice"
WORD = re.compile(r"[a-z]+(-[a-z0-9]+)+")
# All that any sentence may need.
FIELDS = {
    "action": "dudo", "allowed": ("on", "off"), "bid_face": 3, "bid_quantity": 8, "dice": 15, "face": 1, "key": "exact",
    "least": 5, "low": 2, "high": 6, "names": ("Ana",), "players": 9, "quantity": 4, "system": "x", "turn": 1,
    "value": "maybe", "way": "up",
}


def literals(*files: str) -> set[str]:
    """The hyphenated words that stand as text in these files: their reasons."""
    trees = [ast.parse((PACKAGE / file).read_text("utf-8")) for file in files]
    return {
        node.value
        for tree in trees
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and WORD.fullmatch(node.value)
    }


def local_faults() -> set[str]:
    """The reasons why a session refuses what its own user wants; a seat that cannot be resumed is told as a trouble."""
    files = [file for layer in ("protocol", "net") for file in (PACKAGE / layer).glob("*.py")]
    trees = [ast.parse(file.read_text("utf-8")) for file in files]
    calls = [
        node for tree in trees for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "LocalFault"
    ]
    said = {
        node.value for call in calls for node in ast.walk(call.args[0])
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    return said - {"nothing-to-resume"}


LOCAL_FAULTS = sorted(local_faults())
RULES = sorted(literals("rules/engine.py", "rules/bids.py") | {"out", "direction-on-question"})


def test_the_reasons_are_found() -> None:
    """The scan sees the engine's reasons, old and new."""
    assert len(RULES) >= 30
    assert {"too-few-aces", "not-your-turn", "pass-used", "face-fixed"} <= set(RULES)
    assert {"game-halted", "game-over", "only-the-host", "not-now", "already-answered"} <= set(LOCAL_FAULTS)


@pytest.mark.parametrize("reason", [*RULES, *LOCAL_FAULTS, "unknown-system", "unknown-key", "bad-value",
                                    "too-few-players", "too-many-players"])
def test_every_refusal_has_a_sentence(reason: str, spoken: str) -> None:
    """A sentence, not the bare word, with all its fields filled in."""
    text = refusals.refusal(reason, FIELDS, ("Ana", "Beto"))
    assert f"({reason})" not in text
    assert "{" not in text
    assert len(text) > 10


@pytest.mark.parametrize(
    ("system", "standing", "raised", "text"),
    [
        ("dudo", (8, 3), (4, 1), "8 is even, so half and one more: at least 5 aces."),
        ("dudo", (7, 3), (3, 1), "Half of 7, rounded up: at least 4 aces."),
        ("perudo", (8, 3), (3, 1), "Half of 8: at least 4 aces."),
        ("perudo", (3, 1), (6, 6), "From 3 aces, twice as many and one more: at least 7 sixes."),
        ("perudo", (4, 3), (4, 2), "4 threes stands: for twos, at least 5 twos."),
        ("perudo", (7, 1), (7, 2), "From 7 aces, twice as many and one more: at least 15 twos."),
        ("perudo", (8, 1), (8, 2), "From 8 aces, twice as many and one more: at least 17 twos. "
                                   "With 15 dice in play that is out of reach."),
        ("perudo", (4, 3), (16, 2), "Only 15 dice are in play: 16 cannot be true."),
        ("perudo", (4, 3), (5, 7), "There is no face 7: a face is 1 to 6, and the quantity comes first."),
        ("perudo", None, (2, 1), "A round may not be opened on aces here: bid any other face."),
    ],
)
def test_refused_bids_say_what_would_be_legal(
    system: str, standing: tuple[int, int] | None, raised: tuple[int, int], text: str
) -> None:
    """From the engine's own refusal to the sentence: why, and the least that would do."""
    game = new_game(make_ruleset(system, {}), 3)
    deal(game)
    if standing:
        # A standing bid of ones is put there by way of another face where a round may not open on them.
        opening = bid(*standing) if standing[1] != 1 else bid(standing[0], 2)
        apply(game, game.turn, opening)
        if standing[1] == 1:
            apply(game, game.turn, bid(*standing))
    with pytest.raises(IllegalAction) as refused:
        check(game, game.turn, bid(*raised))
    assert refusals.refusal(refused.value.reason, refused.value.fields) == text


@pytest.mark.parametrize("reason", [reason for reason in RULES if reason.startswith(("exact-", "pass"))])
def test_refused_calls_say_what_would_be_legal(reason: str, spoken: str) -> None:
    """Why, and behind a colon what would do instead or when it would."""
    why, colon, instead = refusals.refusal(reason, FIELDS).partition(": ")
    assert why
    assert colon
    assert len(instead) > 5


def test_a_seat_is_named() -> None:
    """Whose turn it is, by name; without names the sentence does without."""
    assert refusals.refusal("not-your-turn", {"turn": 1}, ("Ana", "Beto")) == "It is the turn of Beto."
    assert refusals.refusal("not-your-turn", {"turn": 1}) == "It is not your turn: wait for it."


def test_settings_name_what_is_allowed() -> None:
    """A wrong value is answered with the right ones."""
    with pytest.raises(RulesetError) as refused:
        make_ruleset("clasico", {"starting_dice": "9"})
    text = refusals.refusal(refused.value.reason, refused.value.fields)
    assert text == "starting_dice=9: not a value of starting_dice; allowed: 3-6"


def test_an_unknown_reason_is_named_not_dropped() -> None:
    """A gap in this file never becomes a crash."""
    assert "no-such-reason" in refusals.refusal("no-such-reason", {})


@pytest.mark.parametrize(
    "reason",
    ["abandoned", "forked", "convicted", "dropped", "left", "host-left", "host-lost", "table-full", "table-playing",
     "refused-full", "refused-kicked", "refused-silent", "refused-toss-failed", "toss-failed", "other-rules"],
)
def test_every_end_has_a_sentence(reason: str, spoken: str) -> None:
    """However a game or a lobby ends, it is said why."""
    fields = {"names": ("Ana",), "rules": make_ruleset("perudo", {"exact": "off"}), "missing": (1,)}
    [first, *_rest] = refusals.closing(reason, fields, None)
    assert f"({reason})" not in first
    assert "{" not in first


def test_who_finds_nobody_is_told_how_to_try_again() -> None:
    """The game is not over for its files."""
    assert refusals.closing("abandoned", {"again": True}, None)[1].endswith(": p2pdice join --resume")


def test_a_game_that_was_won_tells_where_it_is_kept() -> None:
    """The winner was named before; the last lines are for whoever wants to check."""
    assert refusals.closing("won", {}, "games/x.p2pdice") == [
        "The game is kept; check it with:",
        "p2pdice verify games/x.p2pdice",
    ]


@pytest.mark.parametrize(("platform", "quoted"), [
    ("darwin", "'/Users/Ana/Library/Application Support/p2pdice/games/x.p2pdice'"),
    ("win32", '"/Users/Ana/Library/Application Support/p2pdice/games/x.p2pdice"'),
])
def test_the_line_to_check_a_game_can_be_typed_as_it_stands(
    platform: str, quoted: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The place where macOS wants such files has a blank in it, as users' names may have elsewhere."""
    monkeypatch.setattr(refusals, "_PLATFORM", platform)
    file = "/Users/Ana/Library/Application Support/p2pdice/games/x.p2pdice"
    assert refusals.closing("won", {}, file)[-1] == f"p2pdice verify {quoted}"


# The words that net/errors.py lists for connecting, listening, finding and keeping.
NET = (
    "refused", "timeout", "unreachable", "no-network", "missing-zone", "unknown-host", "denied", "frozen", "closed",
    "bad-handshake", "version", "self", "other-key", "other-table", "oversized", "port-taken", "port-denied",
    "bad-address", "mdns-port-busy", "no-interface", "failed", "record-exists", "record-unwritable", "nothing-kept",
    "watched-lost",
)


def test_the_troubles_are_those_of_the_network_layer() -> None:
    """No sentence is kept here for a word that the network layer does not know."""
    listed = (PACKAGE / "net" / "errors.py").read_text("utf-8")
    assert [word for word in NET if word not in listed] == ["nothing-kept", "watched-lost"]


@pytest.mark.parametrize("reason", NET)
def test_every_trouble_has_a_line_and_a_hint(reason: str, spoken: str) -> None:
    """What keeps a seat from its table is told with what can be done about it."""
    line, hint = troubles.trouble(reason, {"port": 47600, "bind": "10.0.0.5", "detail": "disk full"})
    assert f"({reason})" not in line
    assert "{" not in line + hint
    assert hint


@pytest.mark.parametrize(
    "kind", ["EQUIV", "BAD_OPEN", "BAD_REVEAL", "BAD_BOX", "FALSE_COMPLAINT", "ILLEGAL", "BAD_SEAL", "BAD_HALT"]
)
def test_every_offence_has_words(kind: str, spoken: str) -> None:
    """Evidence is told in words, not as a code."""
    assert kind not in refusals.offence(kind)
