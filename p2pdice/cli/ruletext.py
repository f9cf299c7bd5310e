"""The rules in force, told to a player: differences from the named system first, then how the game goes.

Reads the text form of a ruleset's options, and which of them change nothing, so that a rule which changes changes its
sentence.
"""

from collections.abc import Mapping

from p2pdice.cli.language import _, ngettext
from p2pdice.cli.words import dice_of, listed
from p2pdice.rules import LIMITS, PRESETS, Ruleset, differences, idle, without_effect

Options = Mapping[str, str]


def describe(rules: Ruleset) -> list[str]:
    """The whole text, a paragraph or list item a line."""
    return [*headline(rules), "", *(f"- {line}" for line in in_force(rules))]


def headline(rules: Ruleset) -> list[str]:
    """The system's name and what is different here."""
    changed = differences(rules)
    unfelt = without_effect(rules)
    lines = [f"{rules.system}: {_about(rules.system)}"]
    if changed:
        lines.append(_("Different at this table:"))
    for key, value in changed.items():
        text = _("{what} [{setting}]").format(what=option(key, value), setting=f"{key}={value}")
        lines.append(
            "- " + (_("{option}: without effect in this combination").format(option=text) if key in unfelt else text)
        )
    options = rules.options()
    # What the system has, and what is different here leaves nothing to do; what it has not, nobody misses.
    before = {*changed, *idle(PRESETS[rules.system])}
    lost = [key for key in idle(rules) if key not in before and options[key] not in ("off", "nothing")]
    if lost:
        settings = listed(f"{key}={options[key]}" for key in lost)
        lines.append(_("Without effect in this combination: {settings}.").format(settings=settings))
    return lines


def systems() -> list[str]:
    """One line for each system."""
    return [f"{system}: {_about(system)}" for system in PRESETS]


def _about(system: str) -> str:
    return {
        "perudo": _("Perudo as played in Spain: wild ones, exact call in turn, palifico"),
        "dudo": _("Chilean dudo, or cacho: pass, direction, obliging open or closed, dice in favour"),
        "clasico": _("the classic online game: exact call for everyone, palifico, points race on request"),
        "perudo-pt": _("Perudo as told in Portuguese: seats by an opening roll, an exact call costs the bidder"),
        "doodoo": _("the plain game: nothing wild, no exact call, no special rounds, an opening roll"),
    }[system]


def option(key: str, value: str) -> str:
    """One setting in words."""
    match key:
        case "starting_dice":
            return ngettext("{n} die each to begin with", "{n} dice each to begin with", int(value)).format(n=value)
        case "rounds":
            return ngettext("{n} round", "{n} rounds", int(value)).format(n=value)
        case _:
            return _option_words()[key, value]


def _option_words() -> dict[tuple[str, str], str]:
    return {
        ("wild_ones", "on"): _("ones are wild"),
        ("wild_ones", "off"): _("ones are not wild"),
        ("open_on_ones", "on"): _("a round may open on aces"),
        ("open_on_ones", "off"): _("no round may open on aces"),
        ("ones_entry", "half"): _("over to aces with half the quantity, rounded up"),
        ("ones_entry", "half-plus-one"): _("over to aces with half the quantity, and one more if it was even"),
        ("exact", "off"): _("no exact call"),
        ("exact", "turn"): _("exact call only in turn"),
        ("exact", "anyone"): _("exact call for everyone but the bidder, out of turn too"),
        ("exact_requires", "nothing"): _("exact call at any stage of the game"),
        ("exact_requires", "half-dice-or-single-die"): _(
            "exact call only while half of the dice are in play, or with a single die"
        ),
        ("exact_reward", "regain"): _("a right exact call wins a die back"),
        ("exact_reward", "bank"): _("a right exact call wins a die, kept in favour when none is missing"),
        ("exact_reward", "bidder-loses"): _("a right exact call costs the bidder a die"),
        ("exact_in_special", "on"): _("exact call in special rounds too"),
        ("exact_in_special", "off"): _("no exact call in special rounds"),
        ("exact_with_two", "on"): _("exact call with two players left too"),
        ("exact_with_two", "off"): _("no exact call once two players are left"),
        ("special", "off"): _("no special rounds"),
        ("special", "palifico"): _("palifico for whoever falls to one die"),
        ("special", "obligar"): _("whoever falls to one die may oblige an open or a closed round"),
        ("special_with_two", "on"): _("special rounds with two players left too"),
        ("special_with_two", "off"): _("no special rounds once two players are left"),
        ("passing", "on"): _("passing is allowed"),
        ("passing", "off"): _("no passing"),
        ("direction", "fixed"): _("play always goes to the left"),
        ("direction", "opener"): _("the opener of a round sets its direction"),
        ("seating", "random"): _("seats and opener by lot"),
        ("seating", "roll-seats"): _("seats and opener by an opening roll"),
        ("seating", "roll-opener"): _("the opener by an opening roll"),
        ("format", "elimination"): _("whoever has no dice left is out"),
        ("format", "points"): _("a race for the fewest penalty points"),
        ("show_lost", "on"): _("lost dice are shown beside each player"),
        ("show_lost", "off"): _("lost dice are not shown"),
    }


def in_force(rules: Ruleset) -> list[str]:
    """How the game goes under these rules, in the order in which a game meets them."""
    # Nobody is told how to do what can never be done here.
    options = rules.options() | {key: "off" for key in ("special", "passing") if key in idle(rules)}
    low, high = LIMITS[rules.system].players
    return [
        _("For {low} to {high} players.").format(low=low, high=high),
        *_beginning(options),
        *_bidding(options),
        *_ones(options),
        *_calling(options),
        *_exact(options),
        *_passing(options),
        *_special(options),
        *_ending(options),
    ]


def _beginning(options: Options) -> list[str]:
    count = int(options["starting_dice"])
    lines = [
        ngettext(
            "Everyone has {n} die under a cup and sees only their own.",
            "Everyone has {n} dice under a cup and sees only their own.",
            count,
        ).format(n=count)
    ]
    match options["seating"]:
        case "random":
            lines.append(_("Seats and the first opener are drawn by lot."))
        case "roll-seats":
            lines.append(
                _(
                    "One roll of one die each gives the seats, from highest to lowest, and the highest opens; ties "
                    "roll "
                    "again among themselves."
                )
            )
        case _:
            lines.append(_("One roll of one die each says who opens; a tie for the highest is rolled again."))
    if options["seating"] != "random":
        lines.append(_("At a real table, whoever throws all dice at once forfeits that roll; here nobody can."))
    if options["direction"] == "opener":
        lines.append(
            _(
                "The opener may set the direction of the round with the opening bid, for instance 2x4 right; "
                "otherwise it "
                "stays as it was. The game starts to the left, that is clockwise."
            )
        )
    else:
        lines.append(_("Play goes to the left, that is clockwise."))
    return lines


def _bidding(options: Options) -> list[str]:
    return [
        _(
            "A bid is a quantity and a face: 4x3 says that at least four dice under all the cups together show a "
            "three. "
            "The quantity is never above the dice in play. You need not hold what you bid."
        ),
        _(
            "To raise, bid more dice of any face, a lower one included, or as many dice of a higher face. Fewer dice "
            "of a "
            "higher face is no raise."
        ),
    ]


def _ones(options: Options) -> list[str]:
    if options["wild_ones"] == "off":
        return [_("Ones are an ordinary face, the lowest. Nothing is wild.")]
    half = options["ones_entry"] == "half"
    over = (
        _("Over to aces, half the quantity is enough, rounded up: 5 fours, then {five}; 8 fours, then {eight}.")
        if half
        else _(
            "Over to aces, half the quantity is enough, rounded up if odd and with one more if even: 5 fours, then "
            "{five}; 8 fours, then {eight}."
        )
    )
    return [
        _(
            "Ones are called aces and are wild: they count for whatever face was bid. A bid of aces counts each just "
            "once."
        ),
        _("A round may be opened on aces.")
        if options["open_on_ones"] == "on"
        else _("A round may not be opened on aces; any other face will do."),
        over.format(five=dice_of(3, 1), eight=dice_of(4 if half else 5, 1)),
        _("Back from aces it takes twice as many and one more: 3 aces, then 7 of any face. Aces over aces: just more."),
    ]


def _calling(options: Options) -> list[str]:
    doubt = (
        _(
            "In turn you may doubt the standing bid (dudo). All cups open and the dice of that face are counted, aces "
            "with them. Are there as many as bid, or more, the doubter loses the round; else the bidder does."
        )
        if options["wild_ones"] == "on"
        else _(
            "In turn you may doubt the standing bid (dudo). All cups open and the dice of that face are counted. Are "
            "there "
            "as many as bid, or more, the doubter loses the round; else the bidder does."
        )
    )
    if options["format"] == "points":
        cost = _("Whoever loses a round gets a penalty point; nobody loses dice.")
    else:
        cost = _("Whoever loses a round loses a die.")
    return [doubt, cost]


def _exact(options: Options) -> list[str]:
    points = options["format"] == "points"
    match options["exact"]:
        case "off":
            return [_("There is no exact call.")]
        case "turn":
            lines = [_("In turn you may call exact (calzo): that there are as many as bid, not one more or less.")]
        case _:
            lines = [
                _(
                    "Anyone with dice but the bidder may call exact (calzo) until the next bid, out of turn too: "
                    "that there "
                    "are as many as bid, not one more or less. Over the network, calls for the same moment are drawn "
                    "by lot "
                    "and come before what the player in turn does."
                )
            ]
    lines.append(_reward(options["exact_reward"], points))
    if options["exact_requires"] == "half-dice-or-single-die":
        lines.append(
            _(
                "An exact call needs at least half of the dice of the start still in play, dice in favour not "
                "counted, or "
                "a caller with a single die."
            )
        )
    if options["exact_with_two"] == "off":
        lines.append(_("Once two players are left there is no exact call."))
    return lines


def _reward(reward: str, points: bool) -> str:
    if points:
        return (
            _("If it is exact, the bidder gets a penalty point; if not, the caller does.")
            if reward == "bidder-loses"
            else _("If it is exact, a penalty point is taken off the caller, never below none; if not, one is added.")
        )
    match reward:
        case "regain":
            return _(
                "If it is exact, the caller gets a die back, up to the starting number; if not, the caller loses one."
            )
        case "bank":
            return _(
                "If it is exact, the caller gets a die back, or with none missing keeps one in favour, which pays "
                "for the "
                "next die lost; several add up. If not, the caller loses a die."
            )
        case _:
            return _("If it is exact, the bidder loses a die and opens the next round; if not, the caller loses one.")


def _passing(options: Options) -> list[str]:
    if options["passing"] == "off":
        return []
    lines = [
        _(
            "In turn, with exactly five dice and a bid by someone else standing, you may pass (paso) once a round, "
            "but not "
            "in a special round nor straight after another pass. It claims five alike, or three and two alike, or five "
            "different. It may be a lie."
        ),
        _(
            "After a pass you may only doubt the pass or raise the bid; over to aces it then takes more dice, no "
            "halving. "
            "If the pass is doubted only the passer's cup opens: if it was true the doubter loses, else the passer."
        )
        if options["wild_ones"] == "on"
        else _(
            "After a pass you may only doubt the pass or raise the bid. If the pass is doubted only the passer's cup "
            "opens: if it was true the doubter loses, else the passer."
        ),
    ]
    if options["exact"] == "anyone":
        lines.append(_("Nobody calls exact straight after a pass, out of turn neither."))
    return lines


def _special(options: Options) -> list[str]:
    if options["special"] == "off":
        return []
    if options["special"] == "palifico":
        lines = [
            _(
                "Whoever falls to one die for the first time opens the next round as a palifico: ones are not wild, "
                "the "
                "opener bids any face, ones included, and nobody may change it, only raise the quantity."
            )
        ]
    else:
        lines = [
            _(
                "Whoever falls to one die for the first time may oblige the next round before its dice are rolled, "
                "open or "
                "closed, or let it be; the chance does not come again. Open: everyone sees the others' dice and nobody "
                "their own. Closed: only the opener sees a die, the own one."
            ),
            _(
                "In such a round ones are not wild and the opener bids any face, ones included; only another player "
                "with "
                "exactly one die may change the face, and only with more dice."
            ),
        ]
    if options["special_with_two"] == "off":
        lines.append(_("Once two players are left there is no special round."))
    if options["exact"] != "off":
        lines.append(
            _("The exact call is allowed in special rounds.")
            if options["exact_in_special"] == "on"
            else _("In special rounds there is no exact call.")
        )
    return lines


def _ending(options: Options) -> list[str]:
    opens = (
        _("Whoever lost the round opens the next one, or, if now out, the next player with dice.")
        if options["exact"] == "off" or options["exact_reward"] == "bidder-loses"
        else _(
            "Whoever lost the round opens the next one, or, if now out, the next player with dice; after an exact "
            "call that cost nobody anything, the caller opens."
        )
    )
    if options["format"] == "points":
        count = int(options["rounds"])
        return [
            opens,
            ngettext(
                "After {n} round the fewest penalty points win; a tie is a shared win.",
                "After {n} rounds the fewest penalty points win; a tie is a shared win.",
                count,
            ).format(n=count),
            _("Whoever leaves or is dropped cannot win, and an open round is dealt again."),
        ]
    return [
        opens,
        _("Without dice you are out. The last player with dice wins."),
        _("Whoever leaves or is dropped is out with all dice, and an open round is dealt again."),
    ]
