"""The rules that the command line asks for, or why they cannot be had, in words."""

import argparse
from collections.abc import Mapping

from p2pdice.cli import refusals
from p2pdice.cli.complaint import Complaint
from p2pdice.cli.language import _
from p2pdice.cli.memory import Memory
from p2pdice.rules import Ruleset, RulesetError, check_players, make_ruleset

DEFAULT_SYSTEM = "perudo"


def chosen(options: argparse.Namespace, remembered: Memory) -> Ruleset | None:
    """The host's rules, or what a joiner insists on (None: whatever the table plays)."""
    settings = dict(options.settings)
    if options.rules is None and not settings:
        if options.command == "join":
            return None
        try:
            return make_ruleset(remembered.system or DEFAULT_SYSTEM, remembered.options)
        except RulesetError:  # remembered by another version
            return make_ruleset(DEFAULT_SYSTEM, {})
    return ruleset(options.rules or DEFAULT_SYSTEM, settings)


def ruleset(system: str, settings: Mapping[str, str]) -> Ruleset:
    """The rules asked for. Raises Complaint in words for what is not offered."""
    try:
        return make_ruleset(system, settings)
    except RulesetError as error:
        raise _complaint(error) from error


def _complaint(error: RulesetError) -> Complaint:
    hint = _("p2pdice rules lists the systems, p2pdice rules SYSTEM tells one in full.")
    return Complaint(refusals.refusal(error.reason, error.fields), hint)


def check_seats(options: argparse.Namespace, rules: Ruleset) -> None:
    """Whether the players and bots asked for fit these rules. Raises Complaint."""
    seats = options.players or max(2, options.bots + 1)
    try:
        check_players(rules, seats)
    except RulesetError as error:
        raise _complaint(error) from error
    if options.bots + 1 > seats:
        line = _("{bots} bots and you do not fit on {seats} seats").format(bots=options.bots, seats=seats)
        raise Complaint(line, _("Give fewer --bots or more --players."))
