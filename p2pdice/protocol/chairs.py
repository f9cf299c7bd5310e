"""The seats of one process together: what they owe to the open slot, what their screens are told, and what must outlive
a crash. What one seat knows stays with it. Must not know links, clocks or votes."""

import contextlib
from collections.abc import Iterable, Iterator, Mapping

from p2pdice.fairness.keys import RandomBytes
from p2pdice.protocol.chair import Chair
from p2pdice.protocol.errors import Malformed
from p2pdice.protocol.events import DiceDealt, Event, MayCall, MayOblige, TurnBegan
from p2pdice.protocol.ledger import Ledger
from p2pdice.protocol.messages import SlotPayload
from p2pdice.protocol.phases import Phase
from p2pdice.rules import CALZO, callers, legal


class Chairs:
    """Local seats by number."""

    def __init__(self, chairs: Iterable[Chair], random_bytes: RandomBytes) -> None:
        self._by_seat = {chair.seat: chair for chair in chairs}
        self._random_bytes = random_bytes

    def __getitem__(self, seat: int) -> Chair:
        """Raises KeyError for a seat of another process."""
        return self._by_seat[seat]

    def __contains__(self, seat: object) -> bool:
        return seat in self._by_seat

    def __iter__(self) -> Iterator[Chair]:
        return iter(self._by_seat.values())

    def owed(self, ledger: Ledger) -> tuple[Chair, SlotPayload] | None:
        """What a local seat signs next for the open slot without asking its user; None if none does."""
        for chair in self:
            owes = chair.seat in ledger.authors and chair.seat not in ledger.slots[-1]
            payload = chair.automatic(ledger, self._random_bytes) if owes else None
            if payload is not None:
                return chair, payload
        return None

    def undecided(self, ledger: Ledger) -> tuple[int, ...]:
        """Seats that may call exact out of turn now and have not said whether they will."""
        if ledger.phase not in (Phase.SEAL, Phase.ANSWER):
            return ()
        return tuple(seat for seat in callers(ledger.game) if seat in self and self[seat].claim is None)

    def look(self, ledger: Ledger) -> list[Event]:
        """The dice that each seat may see."""
        events: list[Event] = []
        for chair in self:
            if ledger.deal and chair.seat in ledger.deal.policy.active:
                chair.look(ledger)
                seen = {cup: faces for cup, faces in chair.cups.items() if cup != chair.seat}
                events.append(DiceDealt(chair.seat, chair.cups.get(chair.seat), seen))
        return events

    def announce(self, ledger: Ledger) -> list[Event]:
        """Whose turn it is, and what each seat may do."""
        game = ledger.game
        if ledger.phase is Phase.MODE:
            return [MayOblige(game.opener)]
        if ledger.phase not in (Phase.ACT, Phase.SEAL):
            return []
        seconds = ledger.seated.roster.terms.turn_time_s or None
        events: list[Event] = [
            TurnBegan(game.turn, seconds, tuple(legal(game, game.turn)) if game.turn in self else None)]
        for chair in self:
            chair.claim = None
            if ledger.phase is Phase.SEAL and chair.seat in callers(game):
                events.append(MayCall(chair.seat, (CALZO,)))
        return events

    def forget(self) -> None:
        """The round is settled or void: its secrets have no more use."""
        for chair in self:
            chair.forget()

    def secrets(self) -> dict[str, bytes]:
        """What must outlive a crash, by name."""
        return {f"chair-{chair.seat}": chair.secrets() for chair in self}

    def restore(self, kept: Mapping[str, bytes]) -> None:
        """Take up what `secrets` gave; a seat for which it is lost or damaged knows nothing."""
        for chair in self:
            with contextlib.suppress(Malformed):
                chair.restore(kept.get(f"chair-{chair.seat}", b""))

    def hold_all(self, ledger: Ledger) -> bool:
        """Whether every seat knows the secrets behind what it has signed in the open round."""
        return all(chair.holds(ledger) for chair in self)
