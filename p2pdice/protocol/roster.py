"""Who plays, by which rules, in which seats: the lobby's signed messages and the joint toss, as pure functions of
the live lobby and the verifier (protocol.md section 4). Must not know links, timers or screens."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from p2pdice.fairness.dice import die, made_words, shuffled, stream
from p2pdice.fairness.errors import BadKey
from p2pdice.fairness.framing import digest
from p2pdice.fairness.keys import SigningKey, Verifier
from p2pdice.fairness.labels import Label
from p2pdice.protocol.errors import Malformed
from p2pdice.protocol.events import TableFormed
from p2pdice.protocol.messages import (
    Acceptance,
    Joining,
    Proposal,
    SeatOpening,
    Signed,
    parse_lobby,
    sign_lobby,
    signed_from,
)
from p2pdice.rules import OpeningRoll, OrderDrawn, Ruleset, RulesetError, Seating, check_players, make_ruleset


@dataclass(frozen=True, slots=True)
class Terms:
    """What everyone accepts: the rules, and the two clocks in seconds (turn 0: no clock)."""

    rules: Ruleset
    turn_time_s: int
    drop_time_s: int


@dataclass(frozen=True)
class Join:
    """A place asked for at a table: key, name, commitment to the seat toss; for a bot, whose it is."""

    room: bytes
    nick: str
    seat_commit: bytes
    owner: bytes
    bots: tuple[bytes, ...]
    verifier: Verifier
    signed: Signed

    @property
    def key(self) -> bytes:
        return self.verifier.public

    @property
    def is_bot(self) -> bool:
        return self.owner != self.key


@dataclass(frozen=True)
class Roster:
    """The frozen list of players (keys ascending) and their terms, by one of them; `table` names it all."""

    room: bytes
    proposer: bytes
    terms: Terms
    joins: tuple[Join, ...]
    signed: Signed
    table: bytes

    @property
    def keys(self) -> tuple[bytes, ...]:
        return tuple(join.key for join in self.joins)


@dataclass(frozen=True)
class Seated:
    """The result of the toss: everything a game starts from. `players` are in seat order."""

    roster: Roster
    genesis: bytes
    game_id: bytes
    players: tuple[Join, ...]
    opener: int
    drawn: OrderDrawn | None
    words: str

    @cached_property
    def owners(self) -> tuple[int, ...]:
        """By seat: the seat of the player to whom it belongs, for a player their own."""
        seat_of = {player.key: seat for seat, player in enumerate(self.players)}
        return tuple(seat_of[player.owner] for player in self.players)

    @cached_property
    def processes(self) -> Mapping[bytes, tuple[int, ...]]:
        """By the key of a process's owner: its seats."""
        return {key: tuple(seat for seat, player in enumerate(self.players) if player.owner == key)
                for key in {player.owner for player in self.players}}


def formed(seated: Seated, you: int) -> TableFormed:
    """The news of a game, for the process whose player sits at `you`."""
    terms = seated.roster.terms
    bots = tuple(seated.owners[seat] if player.is_bot else None for seat, player in enumerate(seated.players))
    return TableFormed(seated.game_id.hex(), seated.words, you, tuple(player.nick for player in seated.players), bots,
                       terms.rules, terms.turn_time_s, terms.drop_time_s)


def sign_join(key: SigningKey, room: bytes, nick: str, nonce: bytes, owner: bytes,
              bots: Sequence[bytes] = ()) -> Signed:
    """A JOIN that commits to `nonce` (32 random bytes, opened by SEAT_OPEN, used once)."""
    seat_commit = digest(Label.SEAT_COMMIT, room, key.public, nonce)
    return sign_lobby(key, Joining(room, key.public, nick, seat_commit, owner, tuple(bots)))


def parse_join(signed: Signed, room: bytes) -> Join:
    """Raises Malformed: wrong shape, another room, a weak key, a signature that does not hold."""
    fields = parse_lobby(signed, Joining)
    try:
        verifier = Verifier(fields.key)
    except BadKey as error:
        raise Malformed("weak-key") from error
    if fields.room != room:
        raise Malformed("another-room")
    if not signed.holds(verifier):
        raise Malformed("bad-signature")
    return Join(room, fields.nick, fields.seat_commit, fields.owner, fields.bots, verifier, signed)


def sign_roster(key: SigningKey, room: bytes, terms: Terms, joins: Sequence[Join]) -> Signed:
    """The proposal of whoever opened the table."""
    options = tuple(terms.rules.options().items())
    ordered = tuple(join.signed.value() for join in sorted(joins, key=lambda join: join.key))
    return sign_lobby(key, Proposal(room, key.public, terms.rules.system, options, terms.turn_time_s,
                                    terms.drop_time_s, ordered))


def parse_terms(system: str, options: tuple[tuple[str, str], ...], turn_time_s: int, drop_time_s: int) -> Terms:
    """Terms out of a ROSTER or a table's card. Raises Malformed."""
    try:
        rules = make_ruleset(system, dict(options))
    except RulesetError as error:
        raise Malformed("unknown-rules") from error
    if tuple(rules.options().items()) != options:  # every key, in the one order: equal rules have equal bytes
        raise Malformed("rules-not-canonical")
    return Terms(rules, turn_time_s, drop_time_s)


def parse_roster(signed: Signed) -> Roster:
    """Raises Malformed unless every JOIN in it holds, keys ascend strictly, and owners and bots agree."""
    fields = parse_lobby(signed, Proposal)
    terms = parse_terms(fields.system, fields.options, fields.turn_time_s, fields.drop_time_s)
    joins = tuple(parse_join(signed_from(item), fields.room) for item in fields.joins)
    keys = [join.key for join in joins]
    if any(low >= high for low, high in pairwise(keys)):
        raise Malformed("roster-not-sorted")
    by_key = {join.key: join for join in joins}
    proposer = by_key.get(fields.key)
    if proposer is None or not signed.holds(proposer.verifier):
        raise Malformed("bad-signature")
    for join in joins:
        owner = by_key.get(join.owner)
        if join.is_bot and (owner is None or owner.is_bot or join.bots or join.key not in owner.bots):
            raise Malformed("bot-without-owner")
        if any(bot == join.key or bot not in by_key or by_key[bot].owner != join.key for bot in join.bots):
            raise Malformed("owner-without-bot")
        if len(set(join.bots)) < len(join.bots):
            raise Malformed("repeated")
    try:
        check_players(terms.rules, len(joins))
    except RulesetError as error:
        raise Malformed("wrong-number-of-players") from error
    return Roster(fields.room, fields.key, terms, joins, signed, digest(Label.TABLE, signed.body))


def sign_accept(key: SigningKey, roster: Roster) -> Signed:
    """Acceptance of exactly this roster and these rules."""
    return sign_lobby(key, Acceptance(roster.table, key.public))


def parse_accept(signed: Signed, roster: Roster) -> Join:
    """Whose acceptance it is. Raises Malformed."""
    fields = parse_lobby(signed, Acceptance)
    return _signer(signed, roster, fields.table, fields.key)


def genesis(roster: Roster, accepts: Sequence[Signed]) -> bytes:
    """S0 from everyone's ACCEPT, in roster order."""
    return digest(Label.GENESIS, roster.table, *(accept.body for accept in accepts))


def sign_seat_open(key: SigningKey, roster: Roster, start: bytes, nonce: bytes) -> Signed:
    """Opening of this key's part of the toss; `start` is the genesis."""
    return sign_lobby(key, SeatOpening(roster.table, start, key.public, nonce))


def parse_seat_open(signed: Signed, roster: Roster, start: bytes) -> tuple[Join, bytes]:
    """Whose opening it is, and its nonce. Raises Malformed, also where the commitment does not match."""
    fields = parse_lobby(signed, SeatOpening)
    if fields.genesis != start:
        raise Malformed("another-genesis")
    join = _signer(signed, roster, fields.table, fields.key)
    if digest(Label.SEAT_COMMIT, roster.room, join.key, fields.nonce) != join.seat_commit:
        raise Malformed("wrong-seat-opening")
    return join, fields.nonce


def _signer(signed: Signed, roster: Roster, table: bytes, key: bytes) -> Join:
    join = next((join for join in roster.joins if join.key == key), None)
    if table != roster.table or join is None:
        raise Malformed("another-table")
    if not signed.holds(join.verifier):
        raise Malformed("bad-signature")
    return join


def draw_seats(roster: Roster, start: bytes, nonces: Sequence[bytes]) -> Seated:
    """Seats, opener, opening rolls and table words from everyone's nonce, in roster order (section 4)."""
    game_id = digest(Label.GAME, start, *nonces)
    count = len(roster.joins)
    seating = roster.terms.rules.seating
    order, opener, drawn = shuffled(stream(digest(Label.SEATS, game_id)), count), 0, None
    if seating is not Seating.RANDOM:
        rolls = _roll(seating, count, stream(digest(Label.ROLLS, game_id)))
        if seating is Seating.ROLL_SEATS:
            order = list(rolls.order)
            seat_of = {place: seat for seat, place in enumerate(order)}
        else:
            seat_of = {seat: seat for seat in range(count)}
        opener = seat_of[rolls.opener]
        drawn = OrderDrawn(tuple(range(count)), opener, tuple(_renamed(roll, seat_of) for roll in rolls.rolls))
    players = tuple(roster.joins[place] for place in order)
    words = made_words(stream(digest(Label.TABLE_WORDS, game_id)))
    return Seated(roster, start, game_id, players, opener, drawn, words)


def _roll(seating: Seating, count: int, source: Iterator[int]) -> OpeningRoll:
    """All roll in order, then tie by tie: one die each from the stream."""
    rolls = OpeningRoll(count, seating)
    while not rolls.done:
        rolls.roll({place: die(source) for place in rolls.open_ties()[0]})
    return rolls


def _renamed(roll: Mapping[int, int], seat_of: Mapping[int, int]) -> dict[int, int]:
    return {seat_of[place]: value for place, value in roll.items()}
