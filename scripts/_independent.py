"""The protocol a second time, from protocol.md alone: what make_vectors.py needs of it, and nothing of the package."""

import hashlib
import hmac
import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import msgpack
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

Case = dict[str, Any]
Signed = tuple[bytes, bytes]  # body, signature


# --- framing, hashing, signing (protocol.md sections 1 to 3)


def framed(label: str, *parts: int | str | bytes) -> bytes:
    def raw(part: int | str | bytes) -> bytes:
        return part.to_bytes(8, "big") if isinstance(part, int) else part.encode() if isinstance(part, str) else part

    pieces = map(raw, (f"p2pdice/1/{label}", *parts))
    return b"".join(len(piece).to_bytes(4, "big") + piece for piece in pieces)


def hashed(label: str, *parts: int | str | bytes) -> bytes:
    return hashlib.sha256(framed(label, *parts)).digest()


def pack(value: object) -> bytes:
    packed: bytes = msgpack.packb(value, use_bin_type=True)
    return packed


def secret(name: str) -> bytes:
    """32 fixed bytes that stand for random ones."""
    return hashlib.sha256(f"p2pdice vectors: {name}".encode()).digest()


class Key:
    def __init__(self, seed: bytes) -> None:
        self.seed = seed
        self._private = Ed25519PrivateKey.from_private_bytes(seed)
        self.public = self._private.public_key().public_bytes_raw()

    def signature(self, label: str, body: bytes) -> bytes:
        return self._private.sign(framed(label, body))

    def sign(self, body: bytes) -> Signed:
        return body, self.signature("sig", body)

    def say(self, *value: object) -> Signed:
        return self.sign(pack(value))


def stream(seed: bytes) -> Iterator[int]:
    return itertools.chain.from_iterable(hashed("stream", seed, block) for block in itertools.count())


def index(source: Iterator[int], size: int) -> int:
    while (byte := next(source)) >= 256 - 256 % size:
        pass
    return byte % size


def die(source: Iterator[int]) -> int:
    return 1 + index(source, 6)


def shuffled(source: Iterator[int], count: int) -> list[int]:
    order = list(range(count))
    for place in reversed(range(1, count)):
        other = index(source, place + 1)
        order[place], order[other] = order[other], order[place]
    return order


def words(source: Iterator[int]) -> str:
    letters = [("bdfgklmnprst", "aeiou")[place % 2] for place in range(12)]
    text = "".join(choice[index(source, len(choice))] for choice in letters)
    return "-".join((text[:4], text[4:8], text[8:]))


# --- edwards25519, as far as weak keys need it (section 3)

P = 2**255 - 19
L = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, -1, P) % P
Point = tuple[int, int]
ZERO: Point = (0, 1)


def add(one: Point, two: Point) -> Point:
    (x, y), (u, v) = one, two
    cross = D * x * u * y * v % P
    return (x * v + u * y) * pow(1 + cross, -1, P) % P, (y * v + x * u) * pow(1 - cross, -1, P) % P


def times(factor: int, point: Point) -> Point:
    total = ZERO
    while factor:
        if factor & 1:
            total = add(total, point)
        point, factor = add(point, point), factor >> 1
    return total


def lift(y: int) -> Point | None:
    """The point with this y and even x, if the curve has one."""
    square = (y * y - 1) * pow(D * y * y + 1, -1, P) % P
    x = pow(square, (P + 3) // 8, P)
    if x * x % P != square:
        x = x * pow(2, (P - 1) // 4, P) % P
    if x * x % P != square:
        return None
    return (x if x % 2 == 0 else P - x), y


def encoded(point: Point) -> bytes:
    return (point[1] | (point[0] & 1) << 255).to_bytes(32, "little")


def torsion() -> Point:
    """A point of order eight: what the prime part of the group takes away from some point, if that is not less."""
    candidates = (times(L, point) for y in itertools.count(2) if (point := lift(y)))
    return next(point for point in candidates if times(4, point) != ZERO)


BASE = lift(4 * pow(5, -1, P) % P) or ZERO


def cofactored_only(key: Key, message: bytes) -> bytes:
    """A signature that holds only where both sides of the equation are multiplied by eight."""
    expanded = hashlib.sha512(key.seed).digest()
    scalar = (int.from_bytes(expanded[:32], "little") & (2**254 - 8)) | 2**254
    nonce = int.from_bytes(secret("nonce"), "little") % L
    point = encoded(add(times(nonce, BASE), torsion()))
    challenge = int.from_bytes(hashlib.sha512(point + key.public + message).digest(), "little")
    return point + ((nonce + challenge * scalar) % L).to_bytes(32, "little")


# --- HPKE base mode, RFC 9180, with the one suite of section 6


def hpke_keys(shared: bytes, enc: bytes, receiver: bytes, info: bytes) -> tuple[bytes, bytes]:
    """Key and nonce of the first message; `shared` is the result of the key exchange."""
    kem, suite = b"KEM\0\x20", b"HPKE\0\x20\0\x01\0\x03"

    def extract(salt: bytes, label: bytes, text: bytes, name: bytes = suite) -> bytes:
        return hmac.digest(salt, b"HPKE-v1" + name + label + text, "sha256")

    def expand(key: bytes, label: bytes, text: bytes, size: int, name: bytes = suite) -> bytes:
        return hmac.digest(key, size.to_bytes(2, "big") + b"HPKE-v1" + name + label + text + b"\1", "sha256")[:size]

    mixed = expand(extract(b"", b"eae_prk", shared, kem), b"shared_secret", enc + receiver, 32, kem)
    context = b"\0" + extract(b"", b"psk_id_hash", b"") + extract(b"", b"info_hash", info)
    base = extract(mixed, b"secret", b"")
    return expand(base, b"key", context, 32), expand(base, b"base_nonce", context, 12)


def x25519(private: bytes) -> bytes:
    return X25519PrivateKey.from_private_bytes(private).public_key().public_bytes_raw()


def box(text: bytes, receiver: bytes, info: bytes, ephemeral: bytes, extra: bytes = b"") -> bytes:
    """Encapsulated key and ciphertext, from an ephemeral secret that is chosen here."""
    shared = X25519PrivateKey.from_private_bytes(ephemeral).exchange(X25519PublicKey.from_public_bytes(receiver))
    key, nonce = hpke_keys(shared, x25519(ephemeral), receiver, info)
    return x25519(ephemeral) + ChaCha20Poly1305(key).encrypt(nonce, text, extra)


def unbox(sealed: bytes, private: bytes, info: bytes) -> bytes:
    """Raises InvalidTag."""
    shared = X25519PrivateKey.from_private_bytes(private).exchange(X25519PublicKey.from_public_bytes(sealed[:32]))
    key, nonce = hpke_keys(shared, sealed[:32], x25519(private), info)
    return ChaCha20Poly1305(key).decrypt(nonce, sealed[32:], b"")


# --- a table and its game (sections 4 to 7)

PERUDO = {
    "starting_dice": "5", "wild_ones": "on", "open_on_ones": "off", "ones_entry": "half", "exact": "turn",
    "exact_requires": "nothing", "exact_reward": "regain", "exact_in_special": "on", "exact_with_two": "on",
    "special": "palifico", "special_with_two": "off", "passing": "off", "direction": "fixed", "seating": "random",
    "format": "elimination", "rounds": "10", "show_lost": "on",
}
ROOM = secret("room")[:16]


class Toss:
    """Players A, B, ... and, if asked, a bot of A; everything from their JOINs to their seats."""

    def __init__(self, players: int, *, bot: bool = False, **options: str) -> None:
        self.options = PERUDO | options
        keys = [Key(secret(f"key {name}")) for name in "ABCDEF"[:players]]
        last = keys[-1].public if bot else b""
        self.nonces = {key.public: secret(f"nonce {place}") for place, key in enumerate(keys)}
        joins = []
        for place, key in enumerate(keys):
            commit = hashed("seat-commit", ROOM, key.public, self.nonces[key.public])
            owner = keys[0].public if key.public == last else key.public
            bots = [last] if bot and place == 0 else []
            joins.append((key, key.say(1, "JOIN", ROOM, key.public, f"Player {place}", commit, owner, bots)))
        self.host, self.joins = keys[0], sorted(joins, key=lambda item: item[0].public)
        self.keys = [key for key, _ in self.joins]
        self.roster = self.propose([join for _, join in self.joins])
        self.table = hashed("table", self.roster[0])
        self.accepts = [key.say(1, "ACCEPT", self.table, key.public) for key in self.keys]
        self.genesis = hashed("genesis", self.table, *(body for body, _ in self.accepts))
        self.opens = [self.open(key, self.nonces[key.public]) for key in self.keys]
        self.game_id = hashed("game", self.genesis, *(self.nonces[key.public] for key in self.keys))
        self.order = shuffled(stream(hashed("seats", self.game_id)), len(self.keys))
        self.opener, self.rolls = 0, list[dict[int, int]]()
        if self.options["seating"] != "random":
            self._roll(self.options["seating"] == "roll-seats")
        self.seats = [self.keys[place] for place in self.order]
        self.words = words(stream(hashed("sas", self.game_id)))

    def propose(self, joins: Iterable[Signed], **options: str) -> Signed:
        pairs = list((self.options | options).items())
        return self.host.say(1, "ROSTER", ROOM, self.host.public, "perudo", pairs, 120, 90, list(joins))

    def open(self, key: Key, nonce: bytes) -> Signed:
        return key.say(1, "SEAT_OPEN", self.table, self.genesis, key.public, nonce)

    def _roll(self, for_seats: bool) -> None:
        source = stream(hashed("rolls", self.game_id))
        groups = [list(range(len(self.keys)))]
        while ties := [group for group in (groups if for_seats else groups[:1]) if len(group) > 1]:
            rolled = {place: die(source) for place in ties[0]}
            self.rolls.append(rolled)
            place = groups.index(ties[0])
            groups[place:place + 1] = [[item for item in ties[0] if rolled[item] == value]
                                       for value in range(6, 0, -1) if value in rolled.values()]
        if for_seats:  # those who roll are then places of the roster, which become seats
            self.order = [item for group in groups for item in group]
            self.rolls = [{self.order.index(item): value for item, value in roll.items()} for roll in self.rolls]
        else:
            self.opener = groups[0][0]


class Game:
    """The log of a game, slot by slot; the public rules states are given, not computed."""

    def __init__(self, toss: Toss) -> None:
        self.toss, self.seats, self.game_id = toss, toss.seats, toss.game_id
        self.count, self.slots = len(toss.seats), list[Case]()
        self.each = int(toss.options["starting_dice"])
        self.dice = [self.each] * self.count
        self.epoch = hashed("epoch0", self.game_id)
        self.rules = pack(self.public())
        self.preimage = framed("start", self.game_id, toss.genesis, hashed("rules", self.rules))
        self.boundary = (0, self.state)

    @property
    def active(self) -> list[int]:
        return [seat for seat, dice in enumerate(self.dice) if dice]

    @property
    def cups(self) -> list[int]:
        """Those of the active seats, then the table's."""
        return [*self.active, self.count]

    @property
    def state(self) -> bytes:
        return hashlib.sha256(self.preimage).digest()

    def public(self, stage: str = "deal", number: int = 1, opener: int = 0, turn: int = 0, last: str = "",
               bid: Sequence[object] = (), call: Sequence[object] = ("", "", ()),
               winners: Sequence[int] = ()) -> object:
        """The rules state of engine 1: section 5 says what stands where."""
        none = [0] * self.count
        texts = ["perudo", *itertools.chain.from_iterable(self.toss.options.items())]
        out = [seat for seat, dice in enumerate(self.dice) if not dice]
        bids = 1 if bid else 0
        return (1, texts, (stage, number, opener, ""), ("left", "left"), self.dice, none, none, none, out,
                (turn, last, bids, ()), bid, call, winners)

    def body(self, seat: int, kind: str, *payload: object, slot: int | None = None, state: bytes | None = None,
             epoch: bytes | None = None, at: Sequence[object] = ()) -> Signed:
        """One signed message; for the open slot unless told otherwise. `at`: the slot of a vote."""
        place = at or (len(self.slots) if slot is None else slot)
        return self.seats[seat].say(1, kind, self.game_id, epoch or self.epoch, place,
                                    self.state if state is None else state, seat, payload)

    def close(self, phase: str, said: Mapping[int, Signed], rules: object) -> None:
        """All authors have spoken; `rules` is the public state from here on."""
        items = [hashed("body", said[seat][0]) for seat in sorted(said)]
        before, self.rules = self.state, pack(rules)
        self.preimage = framed("state", self.game_id, self.epoch, len(self.slots), before, phase, *items,
                               hashed("rules", self.rules))
        self.slots.append({"phase": phase, "bodies": [said[seat] for seat in sorted(said)], "preimage": self.preimage,
                           "state": self.state, "rules": self.rules})

    def share(self, seat: int, cup: int) -> bytes:
        again = " again" if self.epoch != hashed("epoch0", self.game_id) else ""
        return secret(f"share of {seat} in {cup}{again}")

    def commit(self, seat: int, *, open_round: bool = False, number: int = 1) -> Signed:
        made = [(cup, hashed("share", self.game_id, self.epoch, number, self.state, seat, cup, self.seats[seat].public,
                             self.share(seat, cup))) for cup in self.cups]
        return self.body(seat, "COMMIT", number, made, x25519(secret(f"round key {seat}")) if open_round else b"")

    def faces(self, cup: int, commit_state: bytes) -> list[int]:
        shares = [self.share(seat, cup) for seat in self.active]
        source = stream(hashed("dice", self.game_id, self.epoch, 1, commit_state, cup, self.dice[cup], *shares))
        return [die(source) for _ in range(self.dice[cup])]

    def deal(self) -> bytes:
        """COMMIT and OPEN of a normal round; returns S_c."""
        acting = self.public("act")
        self.close("commit", {seat: self.commit(seat) for seat in self.active}, acting)
        commit_state = self.state
        self.close("open", {seat: self.opening(seat) for seat in self.active}, acting)
        return commit_state

    def opening(self, seat: int, **changed: bytes) -> Signed:
        cups = [cup for cup in self.cups if cup != seat]
        return self.body(seat, "OPEN", [(cup, changed.get(f"cup{cup}", self.share(seat, cup))) for cup in cups], ())

    def round(self, quantity: int, face: int) -> bytes:
        """A whole round: seat 0 bids, seat 1 doubts, all cups open; returns S_c."""
        commit_state = self.deal()
        bid = (quantity, face, (0,))
        self.close("act", {0: self.body(0, "ACT", ("bid", quantity, face, ""), 0)},
                   self.public("act", turn=1, last="bid", bid=bid))
        self.close("act", {1: self.body(1, "ACT", ("dudo",), 0)},
                   self.public("showdown", turn=1, last="dudo", bid=bid, call=("dudo", "bid", (1,))))
        said = {seat: self.reveal(seat, commit_state) for seat in self.active}
        self.close("reveal", said, self.settled(quantity, face, commit_state))
        self.boundary = (self.boundary[0] + 1, self.state)
        return commit_state

    def reveal(self, seat: int, commit_state: bytes, share: bytes | None = None) -> Signed:
        return self.body(seat, "REVEAL", commit_state, [(seat, seat, share or self.share(seat, seat))])

    def settled(self, quantity: int, face: int, commit_state: bytes) -> object:
        """Ones are wild; who was wrong loses a die and opens the next round, unless one player is left."""
        rolled = [self.faces(cup, commit_state) for cup in self.active]
        loser = 1 if sum(value in (1, face) for cup in rolled for value in cup) >= quantity else 0
        self.dice = [dice - (seat == loser) for seat, dice in enumerate(self.dice)]
        left = [seat for seat, dice in enumerate(self.dice) if dice]
        if len(left) == 1:
            return self.public("over", winners=left)
        return self.public("deal", number=2, opener=loser, turn=loser)


def transcript(toss: Toss, game: Game) -> list[tuple[str, Signed]]:
    entries = [("roster", toss.roster), *(("accept", body) for body in toss.accepts),
               *(("seat", body) for body in toss.opens)]
    return entries + [("game", body) for slot in game.slots for body in slot["bodies"]]


MAGIC = b"p2pdice/1 transcript\n"


def chained(entries: Iterable[tuple[str, Signed]]) -> list[bytes]:
    """The records of a transcript, without their lengths."""
    records, previous = [], hashed("record", MAGIC)
    for number, (kind, (body, signature)) in enumerate(entries):
        records.append(pack((number, previous, kind, body, signature)))
        previous = hashed("record", records[-1])
    return records


def file_of(records: Iterable[bytes]) -> bytes:
    return MAGIC + b"".join(len(record).to_bytes(4, "big") + record for record in records)
