"""From a roster to seats: everyone accepts the same roster, then everyone opens their part of the toss (protocol.md
section 4). Takes signed bodies in any order and from anyone; must not know links or timers."""

from collections.abc import Mapping

from p2pdice.fairness.keys import SigningKey
from p2pdice.protocol.errors import Malformed
from p2pdice.protocol.messages import Acceptance, SeatOpening, Signed, lobby_fields
from p2pdice.protocol.roster import (
    Roster,
    Seated,
    draw_seats,
    genesis,
    parse_accept,
    parse_seat_open,
    sign_accept,
    sign_seat_open,
)


class Toss:
    """One attempt: `own` holds the local players' keys and the nonces that their JOINs committed to, by public key."""

    def __init__(self, roster: Roster, own: Mapping[bytes, tuple[SigningKey, bytes]]) -> None:
        self.roster = roster
        self.seated: Seated | None = None
        self._own = own
        self._accepts: dict[bytes, Signed] = {}
        self._opens: dict[bytes, tuple[Signed, bytes]] = {}
        self._early: list[Signed] = []  # openings that came before the last acceptance
        self._genesis = b""

    @property
    def accepted(self) -> bool:
        """Whether the local players have accepted. Their nonces are then used up, come what may."""
        return all(key in self._accepts for key in self._own)

    @property
    def missing(self) -> tuple[bytes, ...]:
        """Keys whose next message has not come."""
        said = self._opens if self._genesis else self._accepts
        return tuple(key for key in self.roster.keys if key not in said)

    @property
    def position(self) -> int:
        """How many messages are known."""
        return len(self._accepts) + len(self._opens)

    def accept(self) -> list[Signed]:
        """The local players accept; what is to be sent."""
        made = [sign_accept(key, self.roster) for key, _ in self._own.values()]
        self._accepts |= {signer.public: signed for (signer, _), signed in zip(self._own.values(), made, strict=True)}
        return made + self._open()

    def receive(self, signed: Signed) -> tuple[bytes, list[Signed]]:
        """Take in one body: the key that said something new (b"" if it was known), and what is to be sent now.

        Raises Malformed.
        """
        fields = lobby_fields(signed)
        if fields is Acceptance:
            key = parse_accept(signed, self.roster).key
            if key in self._accepts:
                return b"", []
            self._accepts[key] = signed
            return key, self._open()
        if fields is SeatOpening:
            return self._receive_open(signed), []
        raise Malformed("not-of-a-toss")

    def known(self) -> list[Signed]:
        """All messages of the toss, for somebody who missed some; the roster first."""
        opens = [signed for signed, _ in self._opens.values()]
        return [self.roster.signed, *self._accepts.values(), *opens]

    def records(self) -> list[tuple[str, Signed]]:
        """A finished toss as a transcript begins with it."""
        keys = self.roster.keys
        return [("roster", self.roster.signed), *(("accept", self._accepts[key]) for key in keys),
                *(("seat", self._opens[key][0]) for key in keys)]

    def _receive_open(self, signed: Signed) -> bytes:
        if not self._genesis:
            # Unread as yet, so a spoilt copy is another one: it must not hide the true one (attack row 47).
            if signed.value() not in [early.value() for early in self._early]:
                self._early = [*self._early, signed][-2 * len(self.roster.joins):]
            return b""
        join, nonce = parse_seat_open(signed, self.roster, self._genesis)
        if join.key in self._opens:
            return b""
        self._opens[join.key] = (signed, nonce)
        if len(self._opens) == len(self.roster.joins):
            keys = self.roster.keys
            self.seated = draw_seats(self.roster, self._genesis, [self._opens[key][1] for key in keys])
        return join.key

    def _open(self) -> list[Signed]:
        """Once all have accepted: the local players' openings."""
        if len(self._accepts) < len(self.roster.joins) or self._genesis:
            return []
        self._genesis = genesis(self.roster, [self._accepts[key] for key in self.roster.keys])
        made = [sign_seat_open(key, self.roster, self._genesis, nonce) for key, nonce in self._own.values()]
        for signed in made + self._early:
            try:
                self._receive_open(signed)
            except Malformed:
                continue  # an early one was kept unread; nobody can be blamed by whom it came from
        return made
