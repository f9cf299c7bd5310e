"""What a game says about its players once it is over: bluffs that held, and luck. Counted from events alone, so that a
live game and a replay come to the same; only from cups that everyone has seen."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from p2pdice.cli.language import _, ngettext
from p2pdice.protocol import events
from p2pdice.rules import Action, Kind, RoundBegan, RoundSettled, Ruleset, Special, count


@dataclass(slots=True)
class Tally:
    """One game's counts, by seat.

    A bluff is a bid that the dice, once all cups were up, did not bear out; it held if its bidder did not lose that
    round for it. Luck is the number of a seat's dice that counted for the bids that were called, beside the number
    that was to be expected of that many dice.
    """

    rules: Ruleset | None = None
    rounds: int = 0
    whole: bool = False  # the first round was seen too
    bluffs: dict[int, int] = field(default_factory=dict)
    held: dict[int, int] = field(default_factory=dict)
    counted: dict[int, int] = field(default_factory=dict)
    expected: dict[int, float] = field(default_factory=dict)
    _special: Special | None = None
    _bids: list[tuple[int, Action]] = field(default_factory=list)
    _cups: dict[int, tuple[int, ...]] = field(default_factory=dict)

    def follow(self, event: events.Event) -> None:
        """Take in one event, in order."""
        match event:
            case events.TableFormed():
                self.rules = event.rules
            case RoundBegan():
                self.whole = self.whole or event.round_number == 1
                self._special = event.special
                self._bids, self._cups = [], {}
            case events.ActionMade(seat=seat, action=action) if action.kind is Kind.BID:
                self._bids.append((seat, action))
            case events.CupsShown():
                self._cups |= event.cups
            case RoundSettled():
                self.rounds += 1
                if event.bid is not None:
                    self._judge(event, event.bid)
            case _:
                pass

    def _judge(self, settled: RoundSettled, called: Action) -> None:
        wild = self.rules is not None and self.rules.wild_ones and self._special is None
        for seat, bid in self._bids:
            if count(self._cups.values(), bid.face, wild) < bid.quantity:
                self.bluffs[seat] = self.bluffs.get(seat, 0) + 1
                paid_for = seat in settled.lost and (seat, bid) == self._bids[-1]
                self.held[seat] = self.held.get(seat, 0) + (not paid_for)
        chance = 1 / 3 if wild and called.face != 1 else 1 / 6
        for seat, cup in self._cups.items():
            self.counted[seat] = self.counted.get(seat, 0) + count((cup,), called.face, wild)
            self.expected[seat] = self.expected.get(seat, 0.0) + len(cup) * chance


def summary(tally: Tally, names: Sequence[str]) -> list[str]:
    """The game in numbers, a line for each player whose cup was ever seen; nothing for a game without a round, nor to
    whoever came when some were over."""
    if not tally.rounds or not tally.whole:
        return []
    lines = [ngettext("{n} round was played.", "{n} rounds were played.", tally.rounds).format(n=tally.rounds)]
    for seat, name in enumerate(names):
        if seat in tally.counted:
            lines.append(f"  {_player(tally, seat, name)}")
    return lines


def _player(tally: Tally, seat: int, name: str) -> str:
    told: Mapping[str, object] = {
        "name": name,
        "held": tally.held.get(seat, 0),
        "bluffs": tally.bluffs.get(seat, 0),
        "counted": tally.counted[seat],
        "expected": f"{tally.expected[seat]:.1f}",
    }
    text = (
        _("{name}: bluffs that held: {held} of {bluffs}; dice that counted as the cups went up: {counted}, "
          "expected: {expected}.")
        if told["bluffs"]
        else _("{name}: no bluffs; dice that counted as the cups went up: {counted}, expected: {expected}.")
    )
    return text.format(**told)
