"""What a transcript holds, for people and for programs: its verdict, its game retold, its game in notation.

Judging is protocol.audit's; here are only forms and sentences.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from p2pdice.cli.clean import clean_names
from p2pdice.cli.complaint import FAILED, OK, USAGE
from p2pdice.cli.language import _, ngettext
from p2pdice.cli.refusals import offence
from p2pdice.cli.screen import Screen
from p2pdice.cli.words import listed
from p2pdice.protocol.audit import Finding, Report, audit
from p2pdice.protocol.events import ActionMade, CupsShown, Event, TableFormed
from p2pdice.protocol.roster import Seated
from p2pdice.rules import Gone, RoundBegan, RoundSettled, Writer

_STATUS = {"clean": OK, "fault": FAILED, "incomplete": FAILED, "unreadable": USAGE}


def examine(raw: bytes) -> Report:
    """Judge the bytes of a file; never raises."""
    return audit(raw)


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
    owner = seated.owner_seat(seat)
    return None if owner == seat else owner


def _player(report: Report, seated: Seated, names: Sequence[str], seat: int) -> dict[str, Any]:
    owner = _bot_of(seated, seat)
    return {
        "name": names[seat],
        "key": seated.players[seat].key.hex(),
        "standing": "convicted" if seat in report.convicted else "clean",
        "bot_of": None if owner is None else names[owner],
    }


def in_words(report: Report) -> list[str]:
    """The answer of verify to a person."""
    names = _names(report.seated)
    lines = [_headline(report), *(_fault(fault, names) for fault in report.findings)]
    seated = report.seated
    if seated is None:
        return lines
    lines.append(
        ngettext(
            "{n} round of {system}, {entries} entries.", "{n} rounds of {system}, {entries} entries.", report.rounds
        ).format(n=report.rounds, system=seated.roster.terms.rules.system, entries=report.entries)
    )
    lines.append(_("Table words: {words}").format(words=seated.words))
    for seat, name in enumerate(names):
        owner = _bot_of(seated, seat)
        who = name if owner is None else _("{name} (bot of {owner})").format(name=name, owner=names[owner])
        lines.append(_("  {who}, key {key}").format(who=who, key=seated.players[seat].key.hex()))
    if report.winners:
        lines.append(_("Won by: {names}.").format(names=listed(names[seat] for seat in report.winners)))
    return lines


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


def retold(report: Report, only: int | None = None) -> list[str]:
    """The game as it was told live, as an onlooker heard it; `only`: one round of it."""
    screen = Screen(detailed=False)
    told: list[str] = []
    current = 0
    for event in _all_events(report):
        lines = screen.tell(event)
        if isinstance(event, RoundBegan):
            current = event.round_number
        if only is None or current == only:
            told += lines
    return told


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


def _all_events(report: Report) -> Iterator[Event]:
    seated = report.seated
    assert seated is not None
    terms = seated.roster.terms
    yield TableFormed(
        game=seated.game_id.hex(),
        words=seated.words,
        you=-1,
        names=_names(seated),
        bots=tuple(_bot_of(seated, seat) for seat in range(len(seated.players))),
        rules=terms.rules,
        turn_time_s=terms.turn_time_s,
        drop_time_s=terms.drop_time_s,
    )
    yield from report.events
