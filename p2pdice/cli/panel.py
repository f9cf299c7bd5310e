"""The live panel under the prompt: who has how much, what stands, the own dice, the clock, what can be done. Pure
functions of the table's picture and the size of the terminal; what they return is redrawn on events only."""

from collections.abc import Sequence

from p2pdice.cli import telling
from p2pdice.cli.clean import clean, width, wrapped
from p2pdice.cli.language import _, ngettext
from p2pdice.cli.screen import dice, lobby_hint, may_oblige, paused, places, standing, waits
from p2pdice.cli.table import Table
from p2pdice.cli.words import cup, listed, pips, typed
from p2pdice.rules import Kind

PANEL_LINES, CUP_LINES = 6, 2


def panel(
    table: Table,
    columns: int,
    *,
    rows: int = 24,
    until: str = "",
    hint: Sequence[str] = (),
    brief: str = "",
    faces: bool = False,
) -> list[str]:
    """At most PANEL_LINES lines, each less than `columns` cells wide, fewer where there are few rows.

    `until`: the time of day when the turn's clock runs out, empty without a clock; `hint`: what the odds say, and
    `brief` the same for where it does not fit; `faces`: the terminal can show U+2680 to U+2685.
    """
    room = max(1, min(PANEL_LINES, rows - 2))
    if table.over or table.rules is None:
        shown: list[str] = []
    elif not table.playing:
        due = [line for text in lobby_hint(table) for line in wrapped(text, columns)]
        shown = [*wrapped(listed(places(table)), columns)[: max(0, room - len(due))], *due]
    else:
        # The standing bid, the own dice and what is due are worth more than the last of many seats.
        middle = [_bid(table, columns), *_cups(table, columns, faces)[:CUP_LINES]]
        due = [line for text in _due(table, until, columns) for line in wrapped(text, columns)]
        seats = _seats(table, columns, 2 if room - len(middle) - len(due) > 1 else 1)
        left = room - len(seats) - len(middle) - len(due)
        odds = list(hint)
        if len(odds) > left or any(width(line) >= columns for line in odds):
            odds = wrapped(brief, columns) if hint else []
        shown = [*seats, *middle, *due, *odds]
    return [clean(line, max(1, columns - 1)) for line in shown[:room]]


def _seats(table: Table, columns: int, most: int) -> list[str]:
    """Every seat on at most `most` lines; of more than fit, those from the seat in turn on."""
    order = list(table.order)
    lines = _listed([_seat(table, seat) for seat in order], columns)
    if len(lines) <= most:
        return lines
    at = table.may_oblige if table.turn is None else table.turn
    if at in order:
        first = order.index(at)
        order = order[first:] + order[:first]
    return _listed([_seat(table, seat) for seat in order], columns)[:most]


def _listed(texts: Sequence[str], columns: int) -> list[str]:
    """A list on as many lines as it takes; only what is too long for a line of its own is broken."""
    if any(width(text) + 1 >= columns for text in texts):
        return wrapped(listed(texts), columns)
    return _packed([*(f"{text}," for text in texts[:-1]), *texts[-1:]], columns, " ")


def _seat(table: Table, seat: int) -> str:
    mark = "* " if seat in (table.turn, table.may_oblige) else ""
    held = str(table.dice[seat])
    if table.rules is not None and table.rules.show_lost and not table.points:
        held += f"/{table.rules.starting_dice}"
    if table.banked[seat]:
        held += f"+{table.banked[seat]}"
    if table.points:
        points = table.penalties[seat]
        held = ngettext("{n} point", "{n} points", points).format(n=points)
    return f"{mark}{table.name(seat)} {held}" + (" ?" if seat in table.lost else "")


def _bid(table: Table, columns: int) -> str:
    """The standing bid and whose it is, in few words where the terminal is narrow."""
    told = standing(table)
    if not told or table.bid is None or table.bidder is None:
        return _("No bid yet.")
    if width(told[0]) < columns:
        return told[0]
    short = _("{bid} by {name}, passed") if table.last is not None and table.last.kind is Kind.PASO else _(
        "{bid} by {name}"
    )
    return short.format(bid=typed(table.bid).split(" ")[0], name=table.name(table.bidder))


def _cups(table: Table, columns: int, faces: bool) -> list[str]:
    """The own dice, with their faces where all of it fits, and the cups that this round shows; in few words where they
    would take more than CUP_LINES."""
    told = dice(table)
    if table.own:
        told[0] = told[0] if width(told[0]) < columns else cup(table.own)
        drawn = f"{told[0]}   {pips(table.own)}"
        told[0] = drawn if faces and width(drawn) < columns else told[0]
    rows = _packed(told, columns)
    if table.seen and len(rows) > CUP_LINES:
        rows = _packed([f"{table.name(seat)}: {cup(shown)}" for seat, shown in table.seen.items()], columns)
    return rows


def _packed(texts: Sequence[str], columns: int, gap: str = "  ") -> list[str]:
    """As many texts on each line as fit."""
    rows: list[str] = []
    for text in texts:
        if rows and width(rows[-1] + gap + text) < columns:
            rows[-1] += gap + text
        else:
            rows.append(text)
    return rows


def _due(table: Table, until: str, columns: int) -> list[str]:
    if table.missing:
        return waits(table)
    if table.paused:
        return [paused()]
    if table.may_oblige is not None:
        return may_oblige(table, table.may_oblige)[-1:]
    mine = table.turn == table.you and table.turn is not None
    offered = table.legal if mine else table.may_call
    told = [telling.choices(offered)] if offered else []
    if told and width(told[0]) >= columns:
        told = [" ".join(map(typed, telling.least(offered)))]  # no room for sentences
    if table.turn is not None and not mine:
        text = _("{name} to play, until {time}.") if until else _("{name} to play.")
        told.append(text.format(name=table.name(table.turn), time=until))
    elif mine and until:
        told.append(_("Your turn until {time}.").format(time=until))
    joined = " ".join(told)
    return [joined] if told and width(joined) < columns else told
