"""Messages that came before they could be taken in, and what the game would be with them (protocol.md section 10): a
process that has halted takes in nothing more, but what others stand on must be provable here. Must not know clocks."""

from p2pdice.protocol.ballot import Boundary
from p2pdice.protocol.ledger import Ledger, OtherState, Proved
from p2pdice.protocol.messages import AnyMessage


class Aside:
    """Kept by (slot, seat), for the open epoch of a ledger that moves on under it."""

    def __init__(self, ledger: Ledger) -> None:
        self.kept: dict[tuple[int, int], AnyMessage] = {}
        self.second: dict[tuple[int, int], AnyMessage] = {}  # what the same author said besides
        self._ledger = ledger

    def of_slot(self, slot: int) -> list[AnyMessage]:
        """What is kept for a slot."""
        return [message for kept in (self.kept, self.second) for (at, _), message in kept.items() if at == slot]

    def add_second(self, message: AnyMessage) -> None:
        """Others may stand on it: whoever is told first what fits nowhere must be able to follow them all the same."""
        place = message.slot, message.seat
        known = self.second.get(place)
        if known is None or self.ahead().spoken(*place) is not known:
            self.second[place] = message

    def drop_below(self, slot: int) -> None:
        """What is kept for earlier slots has no more use."""
        self.kept = {place: message for place, message in self.kept.items() if place[0] >= slot}
        self.second = {place: message for place, message in self.second.items() if place[0] >= slot}

    def discard(self, message: AnyMessage) -> None:
        """This one has no more use; what else its author said for the slot may have."""
        for kept in (self.kept, self.second):
            if kept.get((message.slot, message.seat)) is message:
                del kept[message.slot, message.seat]

    def drop(self, slot: int, seat: int) -> None:
        """An author has spoken for a slot: whatever is kept of it has no more use."""
        self.kept.pop((slot, seat), None)
        self.second.pop((slot, seat), None)

    def clear(self) -> None:
        """Another epoch begins."""
        self.kept.clear()
        self.second.clear()

    def ahead(self, boundary: Boundary | None = None) -> Ledger:
        """The ledger as far as it goes with what is kept, or to a boundary."""
        ahead = self._ledger.branch()
        while boundary is None or ahead.mark(boundary) is None:
            slot = ahead.slot
            for message in self.of_slot(slot):
                try:
                    if message.seat in ahead.missing and ahead.slot == slot:
                        ahead.add(message)
                except (OtherState, Proved):
                    continue
            if ahead.slot == slot:
                break
        return ahead

    def prove(self, boundary: Boundary) -> Ledger | None:
        """The ledger that has come to a boundary by all that has been said, kept aside or not; None if none has."""
        if self._ledger.mark(boundary):
            return self._ledger
        ahead = self.ahead(boundary)
        return ahead if ahead.mark(boundary) else None

    def said(self, owner: int, slot: int, split: bool) -> bool:
        """Whether all that an owner owed to a slot is here, kept aside or not.

        `split`: also what names another state than here; it counts only where somebody is known to have made two
        histories. Else whoever says what fits nowhere could hold up the game for ever, and never be out.
        """
        ahead = self.ahead()
        return slot < ahead.slot or (slot == ahead.slot and all(
            ahead.spoken(slot, seat) or (split and (slot, seat) in self.kept)
            for seat in ahead.authors if ahead.owner(seat) == owner))
