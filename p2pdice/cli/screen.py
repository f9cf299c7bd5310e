"""Events and the table's picture become lines of text: pure functions, shared by the inline and the plain screen.

Knows sentences and their order; not where they are printed, nor how anything is typed or sent.
"""

from collections.abc import Mapping, Sequence
from copy import copy

from p2pdice.cli import refusals, ruletext, telling, troubles
from p2pdice.cli.clean import CHAT_CELLS, clean
from p2pdice.cli.language import _, ngettext
from p2pdice.cli.table import Table
from p2pdice.cli.tally import Tally, summary
from p2pdice.cli.words import cup, dice_count, listed
from p2pdice.protocol import events
from p2pdice.rules import Ended, Gone, Kind, OrderDrawn, RoundBegan, RoundSettled, Seating, Special, count, record_json

_LOOPBACK = "127.0.0.1"


class Screen:
    """A table followed event by event, each told in lines. `detailed`: nothing is shown beside these lines."""

    def __init__(self, *, detailed: bool) -> None:
        self.table = Table()
        self._detailed = detailed
        self._tally = Tally()

    def tell(self, event: events.Event) -> list[str]:
        """Take in one event; the lines that tell it, perhaps none."""
        before = copy(self.table)
        self.table.follow(event)
        self._tally.follow(event)
        told = lines(before, self.table, event, detailed=self._detailed)
        return [*told, *summary(self._tally, self.table.names)] if isinstance(event, Ended) else told


def lines(before: Table, table: Table, event: events.Event, *, detailed: bool = True) -> list[str]:
    """What to print when `event` has turned the picture `before` into `table`."""
    match event:
        case events.Listening():
            here = event.addresses == (_LOOPBACK,)
            text = _("Others join with: {line} (only from this computer)") if here else _("Others join with: {line}")
            return [text.format(line=clean(event.line, CHAT_CELLS))]
        case events.LobbyChanged():
            return [] if table.playing else _lobby(before, table)
        case events.TableFormed():
            return _formed(table)
        case OrderDrawn() | RoundBegan() | RoundSettled() | Gone() | Ended():
            return _record(before, table, event)
        case events.MayOblige():
            return may_oblige(table, event.seat)
        case events.DiceDealt(seat=seat) if seat == table.you:
            return dice(table)
        case events.TurnBegan():
            return _turn(table, detailed)
        case events.MayCall(seat=seat) if seat == table.you:
            return [telling.choices(event.legal)] if detailed else []
        case events.ActionMade():
            return [telling.action(table.name(event.seat), event.action, auto=event.auto)]
        case events.CupsShown():
            return _cups(before, table, event.cups)
        case events.PeerLost(seat=seat) | events.PeerBack(seat=seat) if table.is_out(seat):
            return []  # it keeps no seat: the game goes on as well without
        case events.PeerLost():
            return [_("{name} cannot be heard. The seat is kept for now.").format(name=table.name(event.seat))]
        case events.PeerBack():
            return [_("{name} is back.").format(name=table.name(event.seat))]
        case events.Halted():
            return waits(table)
        case events.PauseWanted():
            return _pause(before, table)
        case events.Resumed():
            return [_("Everyone is heard again: the game goes on.")]
        case events.Dropped():
            return _dropped(table, event)
        case events.FaultProved():
            what = refusals.offence(event.kind)
            return [_("Proved: {name} {what}.").format(name=table.name(event.seat), what=what)]
        case events.NewKey():
            name = table.name(event.seat)
            return [_("{name} has another key than the last time: is it really them?").format(name=name)]
        case events.ChatSaid():
            return [_("{name} says: {text}").format(name=table.name(event.seat), text=clean(event.text, CHAT_CELLS))]
        case events.Watched():
            return watching(table)
        case events.Refused():
            return [_sentence(refusals.refusal(event.reason, event.fields, table.names))]
        case events.Troubled():
            return [_sentence(" ".join(troubles.trouble(event.reason, event.fields)))]
        case events.Closed():
            return refusals.closing(event.reason, event.fields, event.transcript)
        case _:
            return []


def _sentence(text: str) -> str:
    """What stands behind the program's name on the command line, for where it stands by itself."""
    return text[:1].upper() + text[1:] + ("" if text.endswith((".", "?", ")")) else ".")


def _record(before: Table, table: Table, event: OrderDrawn | RoundBegan | RoundSettled | Gone | Ended) -> list[str]:
    data: telling.Record = record_json(event, table.names)
    you = None if table.you is None else table.name(table.you)
    match event:
        case OrderDrawn():
            return telling.order(data)
        case RoundBegan():
            turning = table.rules is not None and table.rules.direction == "opener"
            return telling.round_began(data, turning=turning)
        case RoundSettled():
            banked = dict(zip(table.names, before.banked, strict=True))
            caller = table.name(event.caller)
            return telling.result(data, caller, event.bid, you=you, points=table.points, banked=banked)
        case Gone():
            return [telling.gone(data["players"])]
        case Ended():
            return [telling.end(data["winners"], you=you)]


def _lobby(before: Table, table: Table) -> list[str]:
    shown: list[str] = []
    if table.rules is not None and table.rules != before.rules:
        shown.append(_("Table {title}").format(title=clean(table.title, CHAT_CELLS)))
        # Who joins accepts rules that somebody else chose, and so sees all of them first.
        accepts = not table.hosting and table.you is not None
        shown += ruletext.describe(table.rules) if accepts else ruletext.headline(table.rules)
        shown += _times(table)
        if not accepts:
            shown.append(_("/rules shows the rules in full."))
    if places(table) != (places(before) if before.rules else []):
        shown.append(_("At the table: {seats}.").format(seats=listed(places(table))))
    if table.code and table.code != before.code:
        shown.append(_("Room code: {code}. The others add: --code {code}").format(code=clean(table.code, CHAT_CELLS)))
    if any(owner is not None for owner in table.bots) and not any(owner is not None for owner in before.bots):
        shown.append(_("Whoever brings a bot could read its dice."))
    told = lobby_hint(before) if before.rules is not None else []
    return [*shown, *(line for line in lobby_hint(table) if line not in told)]


def lobby_hint(table: Table) -> list[str]:
    """What the lobby waits for."""
    missing = 0 if table.needed is None else table.needed - len(table.names)
    hints = []
    if missing > 0:
        text = ngettext("Waiting for {n} more player.", "Waiting for {n} more players.", missing)
        hints.append(text.format(n=missing))
    if table.you is not None and not table.ready[table.you]:
        hints.append(_("Press Enter to accept the rules and take your seat."))
    elif table.hosting and (table.needed is None or (missing > 0 and len(table.names) > 1)):
        hints.append(_("/start begins the game, /bot adds a bot."))
    elif missing <= 0 and (names := [name for name, ready in zip(table.names, table.ready, strict=True) if not ready]):
        hints.append(refusals.refusal("not-all-ready", {"names": names}))
    return hints


def places(table: Table) -> list[str]:
    return [
        name if not (marks := _marks(table, seat)) else _("{name} ({marks})").format(name=name, marks=listed(marks))
        for seat, name in enumerate(table.names)
    ]


def _marks(table: Table, seat: int) -> list[str]:
    marks = []
    if seat == table.you:
        marks.append(_("you"))
    owner = table.bots[seat]
    if owner is not None:
        marks.append(_("bot of {owner}").format(owner=table.name(owner)))
    elif not table.playing and table.ready[seat]:
        marks.append(_("ready"))
    if seat in table.lost:
        marks.append(_("not heard"))
    return marks


def _times(table: Table) -> list[str]:
    turn = (
        _("No clock on turns.")
        if not table.turn_time_s
        else _("{seconds} s for each turn; then the mildest move is made for you.").format(seconds=table.turn_time_s)
    )
    return [turn, _("Whoever is silent for {seconds} s may be dropped.").format(seconds=table.drop_time_s)]


def _formed(table: Table) -> list[str]:
    rolled = table.rules is not None and table.rules.seating is not Seating.RANDOM
    begins = _("The game begins: {names}.") if rolled else _("The game begins. Seats, clockwise: {names}.")
    return [
        begins.format(names=listed(places(table))),
        _("Table words: {words}. Everyone at this table has the same: read one aloud.").format(words=table.words),
    ]


def watching(table: Table) -> list[str]:
    """How many look on without a seat."""
    if not table.watched:
        return [_("Nobody is watching any more.")]
    count = table.watched
    return [ngettext("{n} person is watching without a seat.", "{n} people are watching without a seat.", count).format(
        n=count)]


def waits(table: Table) -> list[str]:
    """Why the game stands still, while it does."""
    if not table.missing:
        return []
    names = listed(table.name(seat) for seat in table.missing)
    return [_("The game waits: nothing from {names}. The others are agreeing on what to do.").format(names=names)]


def _pause(before: Table, table: Table) -> list[str]:
    """Who asks for a pause now, and whether it begins or ends by that."""
    asked = [seat for seat in table.pausing if seat not in before.pausing]
    told = [
        _("You ask for a pause: the clocks stop once everyone has typed /pause.")
        if seat == table.you
        else _("{name} asks for a pause; /pause agrees.").format(name=table.name(seat))
        for seat in asked
    ]
    if table.paused and not before.paused:
        return [*(told if table.you not in asked else []), paused()]
    if before.paused and not table.paused:
        return [_("The pause is over: the clocks run.")]
    withdrawn = [seat for seat in before.pausing if seat not in table.pausing]
    return told or [_("{name} does without the pause.").format(name=table.name(seat)) for seat in withdrawn]


def paused() -> str:
    """What a pause means."""
    return _("Pause: the clocks stand still until somebody types /pause again.")


def _dropped(table: Table, event: events.Dropped) -> list[str]:
    text = {
        "silent": _("No longer in the game, after a long silence: {names}. Agreed by {votes}."),
        "left": _("No longer in the game, by leaving it: {names}. Agreed by {votes}."),
    }.get(event.reason, _("No longer in the game, for what is proved: {names}. Agreed by {votes}."))
    names, votes = (listed(map(table.name, seats)) for seats in (event.seats, event.votes))
    return [text.format(names=names, votes=votes)]


def may_oblige(table: Table, seat: int) -> list[str]:
    if seat != table.you:
        return [telling.may_oblige(table.name(seat))]
    return [
        _("Your turn"),
        _("You may oblige a special round before the dice are rolled: {open}, {closed} or {no}.").format(
            open=_("oblige open"), closed=_("oblige closed"), no=_("no")
        ),
    ]


def dice(table: Table) -> list[str]:
    """The own dice, and those of others that this round shows."""
    shown = []
    if table.own is not None:
        shown.append(_("Your dice: {dice}").format(dice=cup(table.own)))
    elif table.you is not None and table.special in (Special.OPEN, Special.CLOSED):
        shown.append(_("You do not see your own dice in this round."))
    for seat, cups in table.seen.items():
        shown.append(_("You see {name}: {dice}").format(name=table.name(seat), dice=cup(cups)))
    return shown


def _cups(before: Table, table: Table, cups: Mapping[int, Sequence[int]]) -> list[str]:
    """Cups in the order in which they are turned up, each with the count so far where it is a bid that was called."""
    opened = dict(before.opened)
    shown = []
    for seat in table.turned(cups):
        opened[seat] = tuple(cups[seat])
        if table.bid is None or table.passed:
            shown.append(f"  {table.name(seat)}: {cup(cups[seat])}")
        else:
            text = _("  {name}: {dice} ({n} of {quantity})")
            n = count(opened.values(), table.bid.face, table.wild)
            shown.append(text.format(name=table.name(seat), dice=cup(cups[seat]), n=n, quantity=table.bid.quantity))
    return shown


def _turn(table: Table, detailed: bool) -> list[str]:
    if table.turn is None:
        return []
    if table.turn != table.you:
        return [_("{name} to play.").format(name=table.name(table.turn))] if detailed else []
    shown = [_("Your turn")]
    if detailed:
        shown += dice(table) if table.history else []  # else they were told a moment ago
        shown += standing(table)
        shown.append(telling.choices(table.legal))
        if table.seconds is not None:
            shown.append(_("You have {seconds} s.").format(seconds=round(table.seconds)))
    return shown


def standing(table: Table) -> list[str]:
    if table.bid is None or table.bidder is None:
        return []
    passed = table.last is not None and table.last.kind is Kind.PASO
    return [telling.standing(table.bid, table.name(table.bidder), passed=passed)]


def who(table: Table) -> list[str]:
    """The answer to /who: everyone at the table, with what they have left."""
    onlookers = watching(table) if table.watched else []
    if not table.playing:
        return [_("At the table: {seats}.").format(seats=listed(places(table))), *onlookers]
    shown = []
    for seat in table.order:
        marks = _marks(table, seat)
        name = (
            table.name(seat) if not marks else _("{name} ({marks})").format(name=table.name(seat), marks=listed(marks))
        )
        shown.append(_("{who}: {dice}").format(who=name, dice=_holding(table, seat)))
    return [*shown, *onlookers, _("Table words: {words}").format(words=table.words)]


def _holding(table: Table, seat: int) -> str:
    held = dice_count(table.dice[seat]) if table.dice[seat] else _("out")
    extra = []
    if table.rules is not None and table.rules.show_lost and not table.points and table.dice[seat]:
        lost = table.rules.starting_dice - table.dice[seat]
        if lost:
            extra.append(ngettext("{n} lost", "{n} lost", lost).format(n=lost))
    if table.banked[seat]:
        extra.append(_("{n} in favour").format(n=table.banked[seat]))
    if table.points:
        extra.append(_("penalty points: {n}").format(n=table.penalties[seat]))
    return listed([held, *extra])


def history(table: Table) -> list[str]:
    """The answer to /history: what was said in this round."""
    if not table.history:
        return [_("Nothing has been said in this round.")]
    return [telling.action(table.name(seat), made) for seat, made in table.history]
