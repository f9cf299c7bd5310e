"""The small words that every other text is built from: dice, faces, what to type.

The texts themselves stand beside what they tell (telling.py, refusals.py, ruletext.py, guide.py); all go through
language.py.

Tone, for every text of this package:
- Whole sentences with named fields, never glued together from parts: languages differ in order and gender.
- Plain words, present tense, spoken to one person without formality (Spanish "tú", Portuguese "você").
- Say what happened, then what can be done about it. Every error ends with a hint, and no one is blamed.
- Numbers in digits. Faces by their own names: "4 treses", never "4 tres-s".
- No exclamation marks, no jargon of the protocol, no colour or symbol that the words do not say as well.
- The same thing has the same name everywhere: table, seat, round, bid, standing bid, doubt, exact call.
"""

from collections.abc import Iterable, Sequence

from p2pdice.cli.language import _, ngettext
from p2pdice.rules import Action, Kind


def dice_of(quantity: int, face: int) -> str:
    """A number of dice of one face, in the face's own plural: "4 threes"."""
    match face:
        case 1:
            text = ngettext("{n} ace", "{n} aces", quantity)
        case 2:
            text = ngettext("{n} two", "{n} twos", quantity)
        case 3:
            text = ngettext("{n} three", "{n} threes", quantity)
        case 4:
            text = ngettext("{n} four", "{n} fours", quantity)
        case 5:
            text = ngettext("{n} five", "{n} fives", quantity)
        case 6:
            text = ngettext("{n} six", "{n} sixes", quantity)
        case _:
            return f"{quantity}x{face}"
    return text.format(n=quantity)


def face_name(face: int) -> str:
    """The plural of a face without a number: "threes"."""
    names = (_("aces"), _("twos"), _("threes"), _("fours"), _("fives"), _("sixes"))
    return names[face - 1] if 1 <= face <= 6 else str(face)


def dice_count(count: int) -> str:
    """A number of dice of no particular face."""
    return ngettext("{n} die", "{n} dice", count).format(n=count)


def typed(action: Action) -> str:
    """What to type for an action, in the reader's language."""
    match action.kind:
        case Kind.BID:
            way = {"left": _("left"), "right": _("right")}.get(action.way)
            return f"{action.quantity}x{action.face}" + (f" {way}" if way else "")
        case Kind.DUDO:
            return _("dudo")
        case Kind.CALZO:
            return _("calzo")
        case Kind.PASO:
            return _("paso")
        case Kind.OBLIGE:
            return {"open": _("oblige open"), "closed": _("oblige closed"), "no": _("no")}[action.way]


def cup(dice: Sequence[int] | None) -> str:
    """Dice in digits, in ascending order: "1 3 3 5 6"; "?" for a cup that was not shown."""
    return "?" if dice is None else " ".join(str(die) for die in sorted(dice)) or "-"


def percent(chance: float) -> str:
    """A chance, 0 to 1, in whole per cent; what is only nearly sure is not rounded to what is."""
    if 0 < chance < 0.005:
        return _("under 1 %")
    if 0.995 <= chance < 1:
        return _("over 99 %")
    return _("{n} %").format(n=round(100 * chance))


def pips(dice: Sequence[int]) -> str:
    """Dice as U+2680 to U+2685, in the order of `cup`; only for terminals whose encoding has them."""
    return " ".join(chr(0x267F + die) for die in sorted(dice))


def listed(items: Iterable[str]) -> str:
    """Items one after another. Commas only: the word for "and" changes with its neighbour in Spanish."""
    return ", ".join(items)
