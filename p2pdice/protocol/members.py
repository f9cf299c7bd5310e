"""Processes at a table before the game: the players that one brings, and how it is listed (protocol.md section 4). Must
not know who hosts, nor links."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from p2pdice.fairness.keys import RandomBytes, SigningKey
from p2pdice.protocol.errors import Malformed
from p2pdice.protocol.messages import signed_from
from p2pdice.protocol.roster import Join, Roster, parse_join, sign_join

NONCE_BYTES = 32


@dataclass(repr=False)
class Players:
    """The players of this process: its owner, then the bots it brought. A nonce is used for one toss only."""

    key: SigningKey
    nick: str
    random_bytes: RandomBytes
    bots: list[tuple[SigningKey, str]] = field(default_factory=list)
    joins: list[Join] = field(default_factory=list)
    secrets: dict[bytes, tuple[SigningKey, bytes]] = field(default_factory=dict)

    def add_bot(self, nick: str) -> bytes:
        """Bring a bot with a key of its own; its public key."""
        key = SigningKey(self.random_bytes(32))
        self.bots.append((key, nick))
        return key.public

    def join(self, room: bytes) -> None:
        """Sign fresh JOINs with fresh nonces."""
        owner = self.key.public
        everyone = [(self.key, self.nick, tuple(key.public for key, _ in self.bots)),
                    *((key, nick, ()) for key, nick in self.bots)]
        self.secrets = {key.public: (key, self.random_bytes(NONCE_BYTES)) for key, _, _ in everyone}
        self.joins = [parse_join(sign_join(key, room, nick, self.secrets[key.public][1], owner, bots), room)
                      for key, nick, bots in everyone]


@dataclass(frozen=True, slots=True)
class Member:
    """One process at the table: the JOINs of its players, its owner's first."""

    joins: tuple[Join, ...]
    ready: bool
    port: int
    addresses: tuple[str, ...]

    @property
    def key(self) -> bytes:
        return self.joins[0].key

    def value(self) -> tuple[tuple[tuple[bytes, bytes], ...], int, int, tuple[str, ...]]:
        """As it stands in a lobby frame."""
        return tuple(join.signed.value() for join in self.joins), int(self.ready), self.port, self.addresses


def parse_member(room: bytes, joins: Sequence[tuple[bytes, bytes]], ready: int, port: int,
                 addresses: tuple[str, ...]) -> Member:
    """Raises Malformed unless the first JOIN is a player's and the others are exactly its bots'."""
    parsed = tuple(parse_join(signed_from(join), room) for join in joins)
    if not parsed or parsed[0].is_bot or {join.key for join in parsed[1:]} != set(parsed[0].bots):
        raise Malformed("bot-without-owner")
    keys = {join.key for join in parsed}
    if any(join.owner != parsed[0].key or join.bots for join in parsed[1:]) or not (
            len(keys) == len(parsed) == 1 + len(parsed[0].bots)):  # nobody twice
        raise Malformed("bot-without-owner")
    return Member(parsed, bool(ready), port, addresses)


def members_of(roster: Roster, where: Mapping[bytes, tuple[int, tuple[str, ...]]]) -> list[Member]:
    """The processes of a frozen roster; `where`: port and addresses by owner's key, as far as they are known."""
    owners = dict.fromkeys(join.owner for join in roster.joins)
    return [Member(tuple(sorted((join for join in roster.joins if join.owner == owner), key=lambda join: join.is_bot)),
                   True, *where.get(owner, (0, ()))) for owner in owners]
