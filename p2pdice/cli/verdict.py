"""What a transcript holds, for people and for programs: its verdict, and its game in notation.

Judging is protocol.audit's; here are only forms and sentences.
"""

from collections.abc import Sequence
from typing import Any

from p2pdice.cli.clean import clean_names
from p2pdice.cli.complaint import FAILED, OK, USAGE
from p2pdice.cli.language import _, ngettext
from p2pdice.cli.refusals import offence
from p2pdice.cli.words import listed
from p2pdice.protocol.audit import Finding, Report, audit
from p2pdice.protocol.events import ActionMade, CupsShown
from p2pdice.protocol.roster import Seated
from p2pdice.rules import Gone, RoundSettled, Writer

_STATUS = {"clean": OK, "fault": FAILED, "incomplete": FAILED, "unreadable": USAGE}


LONG_BYTES = 256 * 1024  # below that a file is read almost as soon as another process can help


def examine(raw: bytes) -> Report:
    """Judge the bytes of a file; never raises."""
    if len(raw) < LONG_BYTES:
        return audit(raw)
    from p2pdice.cli.cores import judged

    return judged(raw)


def status(report: Report) -> int:
    """The exit status of verify."""
    return _STATUS[report.verdict]


def as_object(report: Report) -> dict[str, Any]:
    """The one JSON object of `verify --json`."""
    seated = report.seated
    names = _names(seated)
    return {
        "verdict": report.verdict,
        "game": seated.game_id.hex() if seated else None,
        "words": seated.words if seated else None,
        "system": seated.roster.terms.rules.system if seated else None,
        "rounds": report.rounds,
        "entries": report.entries,
        "players": [_player(report, seated, names, seat) for seat in range(len(names))] if seated else [],
        "winners": [names[seat] for seat in report.winners],
        "faults": [
            {
                "player": None if fault.seat is None else names[fault.seat],
                "kind": fault.kind,
                "entry": fault.entry,
                "detail": fault.detail,
            }
            for fault in report.findings
        ],
    }


def _names(seated: Seated | None) -> tuple[str, ...]:
    return clean_names(player.nick for player in seated.players) if seated else ()


def _bot_of(seated: Seated, seat: int) -> int | None:
    owner = seated.owners[seat]
    return None if owner == seat else owner


def _player(report: Report, seated: Seated, names: Sequence[str], seat: int) -> dict[str, Any]:
    owner = _bot_of(seated, seat)
    return {
        "name": names[seat],
        "key": seated.players[seat].key.hex(),
        "standing": report.standings.get(seat, "clean"),
        "bot_of": None if owner is None else names[owner],
    }


def in_words(report: Report) -> list[str]:
    """The answer of verify to a person."""
    names = _names(report.seated)
    lines = [_headline(report), *(_fault(fault, names) for fault in report.findings)]
    seated = report.seated
    if seated is None:
        return lines
    lines += _checked(report, seated.roster.terms.rules.system)
    words = _("Table words: {words}. Those who played saw the same above their first round.")
    lines.append(words.format(words=seated.words))
    for seat, name in enumerate(names):
        owner = _bot_of(seated, seat)
        who = name if owner is None else _("{name} (bot of {owner})").format(name=name, owner=names[owner])
        text = {
            "convicted": _("  {who}, convicted, key {key}"),
            "dropped": _("  {who}, dropped by the others, key {key}"),
            "left": _("  {who}, left the game, key {key}"),
        }.get(report.standings.get(seat, "clean"), _("  {who}, key {key}"))
        lines.append(text.format(who=who, key=seated.players[seat].key.hex()))
    if report.winners:
        lines.append(_("Won by: {names}.").format(names=listed(names[seat] for seat in report.winners)))
    return lines


def _checked(report: Report, system: str) -> list[str]:
    """What the verdict stands on: how much of what was looked at."""
    rounds = ngettext(
        "{n} round of {system}, {entries} entries: each signed by whom it names, each at its place in the chain.",
        "{n} rounds of {system}, {entries} entries: each signed by whom it names, each at its place in the chain.",
        report.rounds,
    )
    signatures = ngettext("{n} signature checked.", "{n} signatures checked.", report.signatures)
    dice = ngettext(
        "{n} die worked out again from what all players put in, as promised before anyone saw it.",
        "{n} dice worked out again from what all players put in, as promised before anyone saw them.",
        report.dice,
    )
    return [
        rounds.format(n=report.rounds, system=system, entries=report.entries),
        signatures.format(n=report.signatures),
        dice.format(n=report.dice),
    ]


def _headline(report: Report) -> str:
    match report.verdict:
        case "clean":
            return _("Clean: every entry holds, and the game is there to its end.")
        case "fault":
            return _("Not clean:")
        case "incomplete":
            return _(
                "Incomplete: all that is there holds, but the end is missing; it stops before entry {entry}."
            ).format(entry=report.stopped_at)
        case _:
            return _("Not a transcript. Transcripts end in .p2pdice and stand in the state folder under games.")


def _fault(fault: Finding, names: Sequence[str]) -> str:
    if fault.seat is None:
        text = _("  the file was changed after the game: entry {entry} is the first that does not hold ({detail})")
        return text.format(entry=fault.entry, detail=fault.detail)
    what = offence(fault.kind)
    return _("  {name}, entry {entry}: {what}").format(name=names[fault.seat], entry=fault.entry, what=what)


def written_down(report: Report) -> str:
    """The game in notation, for the referee."""
    seated = report.seated
    assert seated is not None
    writer = Writer(seated.roster.terms.rules, _names(seated), seated.opener, seated.drawn)
    for event in report.events:
        match event:
            case ActionMade():
                writer.act(event.seat, event.action)
            case CupsShown():
                writer.show(event.cups)
            case RoundSettled():
                writer.settled(event)
            case Gone():
                writer.gone(event)
            case _:
                pass
    return writer.text()
