"""The room code: who is at the other end of a link must know it, which SPAKE2 shows without giving anything to guess
offline (protocol.md section 4.5). Counts wrong guesses and slows them down. Must not know seats, nor what a link
carries once the code is proved."""

import hmac
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass

from p2pdice.fairness.dice import made_words, stream
from p2pdice.fairness.framing import digest
from p2pdice.fairness.labels import Label
from p2pdice.protocol import frames
from p2pdice.protocol.errors import PeerFault

MOST_GUESSES = 10  # after so many the code changes
EXCHANGE_S = 10.0  # an exchange that takes longer was a guess
PAIR_S = 2.0  # how long a newcomer waits for the proof of another guest, whom it may not reach at all
SLOWEST_S = 16.0  # at most this long between two answers to one address
MOST_ADDRESSES = 256  # guessers that are remembered

_DIALLER, _LISTENER = "I", "R"


def make(random_bytes: Callable[[int], bytes]) -> str:
    """Three made words, 35 bits."""
    return made_words(stream(random_bytes(32)))


def normal(words: str) -> str:
    """One form for however a code is typed: case, spaces and dashes do not matter."""
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", words).casefold())
    spaced = "".join(char if char.isalnum() else " " for char in folded)
    return "-".join(spaced.split()).encode()[:frames.CODE_BYTES].decode(errors="ignore")


@dataclass(frozen=True, slots=True)
class ChannelSession:
    """The connection under a link. `parts`: certificate hash, dialler's and listener's key, their nonces."""

    dialled: bool  # by this side
    address: str  # of the other side
    parts: tuple[bytes, ...]


class Exchange:
    """SPAKE2 over one connection; the dialler is side A."""

    def __init__(self, code: str, session: ChannelSession, random_bytes: Callable[[int], bytes]) -> None:
        from spake2 import SPAKE2_A, SPAKE2_B  # works out its groups when it is loaded; most tables have no code

        side, self._theirs = (SPAKE2_A, b"B") if session.dialled else (SPAKE2_B, b"A")
        identities = [digest(Label.PAKE, *session.parts, role) for role in (_DIALLER, _LISTENER)]
        self._spake = side(code.encode(), *identities, entropy_f=random_bytes)
        self._roles = (_DIALLER, _LISTENER) if session.dialled else (_LISTENER, _DIALLER)
        self._key: bytes | None = None
        self.message: bytes = self._spake.start()[1:]  # without the letter of its side, which the link tells

    @property
    def keyed(self) -> bool:
        """Whether the other side's message is in."""
        return self._key is not None

    def take(self, message: bytes) -> None:
        """The other side's message. Raises PeerFault if it is no message at all."""
        from spake2 import SPAKEError
        from spake2.ed25519_basic import NotOnCurve

        try:
            self._key = self._spake.finish(self._theirs + message)
        except (SPAKEError, NotOnCurve, ValueError) as error:
            raise PeerFault("not-an-exchange") from error

    def confirmation(self) -> bytes:
        """What shows the other side that this one has the same key."""
        return self._mac(self._roles[0])

    def confirms(self, mac: bytes) -> bool:
        """Whether the other side has the same key."""
        return hmac.compare_digest(mac, self._mac(self._roles[1]))

    def _mac(self, role: str) -> bytes:
        assert self._key is not None, "a confirmation follows the messages"
        return digest(Label.PAKE_CONFIRM, self._key, role)


@dataclass(slots=True)
class _Visitor:
    session: ChannelSession
    exchange: Exchange | None = None
    message: bytes | None = None  # a dialler's, not answered yet
    until: float = 0.0  # an answered one has to confirm by then
    spent: bool = False  # this connection has had its guess


class Door:
    """All exchanges of one process. Drain `out`, `drops` and `opened` after each call; with the code "" it is open.

    A host counts: every exchange that it has answered and that is not completed is a guess.
    """

    def __init__(self, code: str, random_bytes: Callable[[int], bytes]) -> None:
        self.code = normal(code)
        self.proven: set[bytes] = set()  # links
        self.opened: list[bytes] = []  # links proved since this was last drained
        self.out: list[tuple[bytes, frames.Frame]] = []
        self.drops: list[bytes] = []
        self.changed = False  # there is a new code since this was last reset
        self._random_bytes = random_bytes
        self._visitors: dict[bytes, _Visitor] = {}
        self._failures = 0
        self._guesses: dict[str, tuple[int, float]] = {}  # address -> guesses that count, when the next is answered
        self._since: dict[bytes, float] = {}

    def linked(self, link: bytes, session: ChannelSession | None) -> None:
        """A fresh connection: whatever was proved over the one before is proved again."""
        self.lost(link)
        if session and self.code:
            self._visitors[link] = _Visitor(session)

    def lost(self, link: bytes) -> None:
        """The connection is gone; an exchange that it leaves open was a guess."""
        self.proven.discard(link)
        visitor = self._visitors.pop(link, None)
        if visitor and _is_open(visitor):
            self._failed(visitor)

    def begin(self, link: bytes) -> None:
        """Prove the code over a link that this side dialled, once."""
        visitor = self._visitors.get(link)
        if visitor and visitor.session.dialled and visitor.exchange is None:
            visitor.exchange = Exchange(self.code, visitor.session, self._random_bytes)
            self.out.append((link, frames.Pake(visitor.exchange.message)))

    def received(self, link: bytes, frame: frames.Pake | frames.Confirm, now: float) -> None:
        """The other side's part. Raises PeerFault for what is not due."""
        visitor = self._visitors.get(link)
        if visitor is None or visitor.spent:
            return
        exchange = visitor.exchange
        match frame:
            case frames.Pake(message) if not visitor.session.dialled and exchange is None and visitor.message is None:
                visitor.message = message
            case frames.Pake(message) if visitor.session.dialled and exchange and not exchange.keyed:
                exchange.take(message)
                self.out.append((link, frames.Confirm(exchange.confirmation())))
            case frames.Confirm(mac) if exchange and exchange.keyed and link not in self.proven:
                if exchange.confirms(mac):
                    self._prove(link, visitor)
                else:
                    self._turn_away(link, visitor)
            case _:
                raise PeerFault("out-of-turn")

    def step(self, now: float, admits: Callable[[bytes], bool]) -> None:
        """Answer those whose time has come and whom `admits` lets try, and give up those who do not confirm."""
        if not self.code:
            return
        for link, visitor in list(self._visitors.items()):
            if _is_open(visitor) and now >= visitor.until:
                self._turn_away(link, visitor)
            _, due = self._guesses.get(visitor.session.address, (0, now))
            if visitor.message is not None and now >= due and admits(link) and self._room:
                self._answer(link, visitor, visitor.message, now)

    def deadline(self, admits: Callable[[bytes], bool]) -> float | None:
        """When `step` has something to do."""
        if not self.code:
            return None
        times = [visitor.until for visitor in self._visitors.values() if _is_open(visitor)]
        times += [self._guesses[visitor.session.address][1] for link, visitor in self._visitors.items()
                  if visitor.message is not None and visitor.session.address in self._guesses and admits(link)
                  and self._room]
        return min(times, default=None)

    def awaits(self, links: set[bytes], now: float) -> float | None:
        """Until when to wait for those of `links` that have not proved the code; None if there is none to wait for."""
        self._since = {link: self._since.get(link, now) for link in links}
        times = [since + PAIR_S for link, since in self._since.items() if link not in self.proven]
        return max((time for time in times if time > now), default=None)

    @property
    def _room(self) -> bool:
        """Whether one more guess is allowed for this code: those not completed yet may all be wrong."""
        return self._failures + sum(map(_is_open, self._visitors.values())) < MOST_GUESSES

    def _answer(self, link: bytes, visitor: _Visitor, message: bytes, now: float) -> None:
        visitor.message, visitor.until = None, now + EXCHANGE_S
        visitor.exchange = Exchange(self.code, visitor.session, self._random_bytes)
        address = visitor.session.address
        guesses = self._guesses.pop(address, (0, 0.0))[0] + 1
        self._guesses[address] = (guesses, now + min(2.0 ** (guesses - 1), SLOWEST_S))
        if len(self._guesses) > MOST_ADDRESSES:
            del self._guesses[next(iter(self._guesses))]
        try:
            visitor.exchange.take(message)
        except PeerFault:
            self._turn_away(link, visitor)
        else:
            self.out.append((link, frames.Pake(visitor.exchange.message)))

    def _prove(self, link: bytes, visitor: _Visitor) -> None:
        if not visitor.session.dialled:
            assert visitor.exchange is not None, "it was confirmed"
            self.out.append((link, frames.Confirm(visitor.exchange.confirmation())))
            address = visitor.session.address
            guesses, due = self._guesses.get(address, (1, 0.0))
            if guesses > 1:
                self._guesses[address] = (guesses - 1, due)
            else:
                self._guesses.pop(address, None)
        visitor.spent = True
        self.proven.add(link)
        self.opened.append(link)

    def _turn_away(self, link: bytes, visitor: _Visitor) -> None:
        visitor.spent = True
        self.out.append((link, frames.Refuse("code")))
        self.drops.append(link)
        self._failed(visitor)

    def _failed(self, visitor: _Visitor) -> None:
        if visitor.session.dialled:
            return  # the other side's guess at most, and it was we who went there
        self._failures += 1
        if self._failures >= MOST_GUESSES:
            self._failures = 0
            self.code = make(self._random_bytes)
            self.changed = True


def _is_open(visitor: _Visitor) -> bool:
    """Whether a listener has answered and the dialler not confirmed."""
    return visitor.exchange is not None and not visitor.session.dialled and not visitor.spent
