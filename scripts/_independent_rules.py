"""The rules a second time, for verify_independent.py: from protocol.md and the rules as players read them, nothing of
the package. It knows turns, calls and settlements, but no messages and no signatures."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

ENGINE = 1
OPTIONS = {  # allowed texts, in the order in which they travel (protocol.md section 14)
    "starting_dice": "[1-9]|10", "wild_ones": "on|off", "open_on_ones": "on|off", "ones_entry": "half|half-plus-one",
    "exact": "off|turn|anyone", "exact_requires": "nothing|half-dice-or-single-die",
    "exact_reward": "regain|bank|bidder-loses", "exact_in_special": "on|off", "exact_with_two": "on|off",
    "special": "off|palifico|obligar", "special_with_two": "on|off", "passing": "on|off", "direction": "fixed|opener",
    "seating": "random|roll-seats|roll-opener", "format": "elimination|points", "rounds": "[1-9]|[1-9][0-9]|100",
    "show_lost": "on|off"}
SYSTEMS = {"perudo": 32, "dudo": 32, "clasico": 6, "perudo-pt": 32, "doodoo": 32}  # most players


def good_options(system: str, options: Sequence[Sequence[str]]) -> bool:
    """Whether the terms are complete, in order, and each value one of its list."""
    return (system in SYSTEMS and [key for key, _ in options] == list(OPTIONS)
            and all(re.fullmatch(OPTIONS[key], text) for key, text in options)
            and (system != "clasico" or options[0][1] in "3456"))


class Rules:
    """The public state. `public()` is the array whose hash is R (protocol.md section 5.1)."""

    def __init__(self, system: str, options: Mapping[str, str], seats: int, opener: int = 0) -> None:
        self.system, self.options, self.seats = system, dict(options), seats
        self.start = int(options["starting_dice"])
        self.points = options["format"] == "points"
        self.stage, self.round, self.opener, self.special = "deal", 1, opener, ""
        self.direction = self.began = "left"
        self.dice, self.banked, self.penalties, self.used = [self.start] * seats, [0] * seats, [0] * seats, [0] * seats
        self.turn, self.last, self.bids, self.passed = opener, "", 0, list[int]()
        self.bid: tuple[int, int, int] | None = None
        self.call, self.on, self.caller = "", "", -1
        self.winners: list[int] = []

    def on_(self, key: str) -> bool:
        return self.options[key] == "on"

    @property
    def active(self) -> list[int]:
        return [seat for seat, dice in enumerate(self.dice) if dice]

    def public(self) -> list[Any]:
        bid = [self.bid[0], self.bid[1], [self.bid[2]]] if self.bid else []
        return [ENGINE, [self.system, *(part for pair in self.options.items() for part in pair)],
                [self.stage, self.round, self.opener, self.special], [self.direction, self.began], self.dice,
                self.banked, self.penalties, self.used, [seat for seat, dice in enumerate(self.dice) if not dice],
                [self.turn, self.last, self.bids, self.passed], bid,
                [self.call, self.on, [self.caller] if self.caller >= 0 else []], self.winners]

    @classmethod
    def restored(cls, state: Any) -> Rules:
        """From the array; raises ValueError if it is the array of no game."""
        try:
            system, options = state[1][0], list(zip(state[1][1::2], state[1][2::2], strict=True))
            if not good_options(system, options):
                raise ValueError("options")
            rules = cls(system, dict(options), len(state[4]))
            (rules.stage, rules.round, rules.opener, rules.special), (rules.direction, rules.began) = state[2:4]
            rules.dice, rules.banked, rules.penalties, rules.used = map(list, state[4:8])
            rules.turn, rules.last, rules.bids, rules.passed = state[9]
            rules.bid = (state[10][0], state[10][1], state[10][2][0]) if state[10] else None
            rules.call, rules.on, rules.caller = state[11][0], state[11][1], (state[11][2] or [-1])[0]
            rules.winners = state[12]
            if rules.public() != state or not rules._possible():
                raise ValueError("state")
        except (IndexError, TypeError, KeyError) as error:
            raise ValueError("state") from error
        return rules

    def _possible(self) -> bool:
        """Whether each part is one that a game may have; not whether a game comes to all of them."""
        named = [self.opener, self.turn, *self.passed, *([self.caller] if self.caller >= 0 else []), *self.winners]
        bid = self.bid or (1, 1, 0)
        return (2 <= self.seats <= SYSTEMS[self.system] and isinstance(self.passed, list)
                and isinstance(self.winners, list) and all(dice in range(self.start + 1) for dice in self.dice)
                and all(flag in (0, 1) for flag in self.used) and set(named) <= set(range(self.seats))
                and self.stage in ("oblige", "deal", "act", "showdown", "over")
                and self.special in ("", "palifico", "open", "closed")
                and {self.direction, self.began} <= {"left", "right"}
                and {self.last, self.call} <= {"", "bid", "dudo", "calzo", "paso", "oblige"}
                and self.on in ("", "bid", "pass") and (self.bids <= 65536 if self.bid else self.bids == 0)
                and (not self.bid or (bid[0] in range(1, sum(self.dice) + 1) and bid[1] in range(1, 7)
                                      and bid[2] in range(self.seats))))

    def after(self, seat: int) -> int:
        """The next seat with dice, in the direction of play."""
        step = 1 if self.direction == "left" else -1
        return next(other for k in range(1, self.seats + 1) if self.dice[other := (seat + k * step) % self.seats])

    def passer(self) -> int:
        step = -1 if self.direction == "left" else 1
        return next(s for k in range(1, self.seats + 1) if self.dice[s := (self.turn + k * step) % self.seats])

    # --- what may be said

    def _raises(self, seat: int, quantity: int, face: int) -> bool:
        assert self.bid is not None
        least, old, _ = self.bid
        if self.special and face != old:
            free = self.special != "palifico" and seat != self.opener and self.dice[seat] == 1
            return free and quantity > least
        if self.on_("wild_ones") and not self.special and 1 in (face, old) and face != old:
            if old == 1:
                return quantity >= 2 * least + 1
            if self.last == "paso":
                return quantity > least
            extra = self.options["ones_entry"] == "half-plus-one" and least % 2 == 0
            return quantity >= (least + 1) // 2 + extra
        return quantity > least or (quantity == least and face > old)

    def may_call_exact(self, seat: int) -> bool:
        """All but whose turn it is."""
        return (self.options["exact"] != "off" and self.bid is not None and self.bid[2] != seat
                and self.last != "paso" and (self.on_("exact_in_special") or not self.special)
                and (self.on_("exact_with_two") or len(self.active) > 2)
                and (self.options["exact_requires"] == "nothing" or self.dice[seat] == 1
                     or 2 * sum(self.dice) >= self.start * self.seats))

    def callers(self) -> list[int]:
        """Who may call exact out of turn now."""
        if self.stage != "act" or self.options["exact"] != "anyone":
            return []
        return [seat for seat in self.active if seat != self.turn and self.may_call_exact(seat)]

    def legal(self, seat: int, call: Sequence[Any]) -> bool:
        """Whether the seat in turn may say ["bid", quantity, face, way], ["dudo"], ["calzo"] or ["paso"]."""
        if self.stage != "act" or seat != self.turn:
            return False
        if call[0] == "calzo":
            return self.may_call_exact(seat)
        if call[0] == "dudo":
            return self.bid is not None
        if call[0] == "paso":
            return (self.on_("passing") and self.bid is not None and self.bid[2] != seat and self.dice[seat] == 5
                    and self.last != "paso" and seat not in self.passed and not self.special)
        _, quantity, face, way = call
        if not (1 <= quantity <= sum(self.dice) and 1 <= face <= 6):
            return False
        if way and (self.bid or self.options["direction"] != "opener"):
            return False
        if self.bid:
            return self._raises(seat, quantity, face)
        return bool(face != 1 or self.special) or self.on_("open_on_ones") or not self.on_("wild_ones")

    # --- what follows

    def oblige(self, choice: str) -> None:
        self.special, self.stage = "" if choice == "no" else choice, "deal"

    def deal(self) -> None:
        self.stage = "act"

    def say(self, seat: int, call: Sequence[Any]) -> None:
        if call[0] in ("dudo", "calzo"):
            self.on = "pass" if self.last == "paso" else "bid"
            self.call, self.caller, self.stage, self.last = call[0], seat, "showdown", call[0]
            return
        if call[0] == "paso":
            self.passed = [*self.passed, seat]
        else:
            self.direction = call[3] or self.direction
            self.bid, self.bids = (call[1], call[2], seat), self.bids + 1
        self.last, self.turn = call[0], self.after(seat)

    def shown(self) -> list[int]:
        """Whose cups open."""
        return [self.passer()] if self.on == "pass" else self.active

    def settle(self, cups: Mapping[int, Sequence[int]]) -> None:
        assert self.bid is not None
        quantity, face, bidder = self.bid
        wild = self.on_("wild_ones") and not self.special
        count = sum(die == face or (wild and die == 1) for cup in cups.values() for die in cup)
        loser: int | None
        if self.on == "pass":
            spots = sorted(cups[self.passer()].count(n) for n in range(1, 7))
            loser = self.caller if spots[-1] == 5 or spots[-2:] == [2, 3] or spots[1] == 1 else self.passer()
        elif self.call == "dudo":
            loser = self.caller if count >= quantity else bidder
        elif count != quantity:
            loser = self.caller
        else:
            loser = bidder if self.options["exact_reward"] == "bidder-loses" else None
            if loser is None:
                self._reward()
        fell = loser is not None and self._lose(loser)
        opener = self.caller if loser is None else loser
        if self.points and self.round >= int(self.options["rounds"]):
            return self._over()
        self._next(opener, fell)

    def _reward(self) -> None:
        if self.points:
            self.penalties[self.caller] = max(0, self.penalties[self.caller] - 1)
        elif self.dice[self.caller] < self.start:
            self.dice[self.caller] += 1
        elif self.options["exact_reward"] == "bank":
            self.banked[self.caller] += 1

    def _lose(self, seat: int) -> bool:
        """Whether that was a fall to one die which gives a special round."""
        if self.points:
            self.penalties[seat] += 1
        elif self.banked[seat]:
            self.banked[seat] -= 1
        else:
            self.dice[seat] -= 1
            enough = self.on_("special_with_two") or len(self.active) > 2
            if self.dice[seat] == 1 and not self.used[seat] and enough:
                self.used[seat] = 1
                return self.options["special"] != "off"
        return False

    def remove(self, gone: Sequence[int]) -> None:
        """Players who are out: an open round is void and is dealt again, of its kind where that is still allowed."""
        kept = self.opener not in gone
        for seat in gone:
            self.dice[seat] = self.banked[seat] = 0
        self.direction = self.began
        if len(self.active) < 2:
            return self._over()
        kept = kept and (self.on_("special_with_two") or len(self.active) > 2)
        if not kept:
            self.special = ""
        self.stage = "oblige" if self.stage == "oblige" and kept else "deal"
        self.opener = self.opener if self.dice[self.opener] else self.after(self.opener)
        self._clear()

    def _next(self, opener: int, fell: bool) -> None:
        if len(self.active) == 1:
            return self._over()
        self.opener = opener if self.dice[opener] else self.after(opener)
        self.special = ""
        self.stage = "deal"
        if fell:
            self.stage, self.special = ("oblige", "") if self.options["special"] == "obligar" else ("deal", "palifico")
        self.round += 1
        self._clear()

    def _clear(self) -> None:
        self.began = self.direction
        self.turn, self.last, self.bids, self.passed, self.bid = self.opener, "", 0, [], None
        self.call, self.on, self.caller = "", "", -1

    def _over(self) -> None:
        self.stage, self.special = "over", ""
        self._clear()
        least = min((self.penalties[seat] for seat in self.active), default=0)
        self.winners = [seat for seat in self.active if not self.points or self.penalties[seat] == least]
