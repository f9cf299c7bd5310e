"""The game: pure functions over rules and states, without clock, chance, input or output.

Everything other layers and programs may use is named here; it knows nothing of them. A round, from the deal to the die
that is lost:

>>> from p2pdice.rules import DUDO, PRESETS, apply, bid, check, deal, legal, new_game, settle
>>> game = new_game(PRESETS["perudo"], seats=2)
>>> deal(game)  # the dice lie under the cups; the engine does not see them
>>> for seat, action in [(0, bid(2, 5)), (1, bid(3, 5)), (0, DUDO)]:
...     check(game, seat, action)
...     apply(game, seat, action)
>>> settled = settle(game, {0: (1, 3, 5, 5, 6), 1: (2, 2, 3, 4, 4)})
>>> settled.count, settled.lost, settled.dice, str(game.stage)
(3, (0,), (4, 5), 'deal')

What may be done, and why something may not:

>>> deal(game)
>>> legal(game, game.turn)[0] == bid(1, 2)
True
>>> check(game, 0, bid(1, 1))
Traceback (most recent call last):
p2pdice.rules.errors.IllegalAction: opens-on-ones

The names, by what they are for:

rulesets    Ruleset PRESETS LIMITS KEYS make_ruleset allowed differences without_effect idle check_players
options     Exact ExactRequires ExactReward Format OnesEntry Seating SpecialRounds Turning
actions     Action Kind bid DUDO CALZO PASO OBLIGE_OPEN OBLIGE_CLOSED OBLIGE_NO parse_action
a game      Game Stage Special ENGINE new_game deal check legal callers apply mildest settle cups_needed remove
            round_begun public OpeningRoll
a seat      View view sees chance chance_exact
helpers     count pass_holds after direction_name
records     Record OrderDrawn RoundBegan RoundSettled Gone Ended
notation    Referee Explain Writer record_json written_names Json
refusals    RulesError RulesetError IllegalAction NotationError ParseError Field
"""

from .actions import (
    CALZO,
    DUDO,
    OBLIGE_CLOSED,
    OBLIGE_NO,
    OBLIGE_OPEN,
    PASO,
    Action,
    Ended,
    Gone,
    Kind,
    OrderDrawn,
    Record,
    RoundBegan,
    RoundSettled,
    bid,
)
from .engine import apply, callers, check, deal, legal, mildest, new_game, round_begun
from .errors import Field, IllegalAction, NotationError, ParseError, RulesError, RulesetError
from .notation import Json, parse_action, record_json, written_names
from .odds import chance, chance_exact
from .opening import OpeningRoll
from .presets import LIMITS, PRESETS, allowed, check_players, differences, idle, make_ruleset, without_effect
from .referee import Explain, Referee
from .ruleset import (
    KEYS,
    Exact,
    ExactRequires,
    ExactReward,
    Format,
    OnesEntry,
    Ruleset,
    Seating,
    Special,
    SpecialRounds,
    Turning,
)
from .settle import count, cups_needed, pass_holds, remove, settle
from .state import ENGINE, Game, Stage, after, direction_name, public
from .view import View, sees, view
from .writer import Writer

__all__ = [
    "CALZO",
    "DUDO",
    "ENGINE",
    "KEYS",
    "LIMITS",
    "OBLIGE_CLOSED",
    "OBLIGE_NO",
    "OBLIGE_OPEN",
    "PASO",
    "PRESETS",
    "Action",
    "Ended",
    "Exact",
    "ExactRequires",
    "ExactReward",
    "Explain",
    "Field",
    "Format",
    "Game",
    "Gone",
    "IllegalAction",
    "Json",
    "Kind",
    "NotationError",
    "OnesEntry",
    "OpeningRoll",
    "OrderDrawn",
    "ParseError",
    "Record",
    "Referee",
    "RoundBegan",
    "RoundSettled",
    "RulesError",
    "Ruleset",
    "RulesetError",
    "Seating",
    "Special",
    "SpecialRounds",
    "Stage",
    "Turning",
    "View",
    "Writer",
    "after",
    "allowed",
    "apply",
    "bid",
    "callers",
    "chance",
    "chance_exact",
    "check",
    "check_players",
    "count",
    "cups_needed",
    "deal",
    "differences",
    "direction_name",
    "idle",
    "legal",
    "make_ruleset",
    "mildest",
    "new_game",
    "parse_action",
    "pass_holds",
    "public",
    "record_json",
    "remove",
    "round_begun",
    "sees",
    "settle",
    "view",
    "without_effect",
    "written_names",
]
