"""Writes tests/vectors: what p2pdice must compute and must refuse, worked out from protocol.md alone.

Imports nothing of the package, so that a mistake there cannot bless itself. Everything is fixed: the same files come
out each time. `python scripts/make_vectors.py [FOLDER]`
"""

import hashlib
import itertools
import json
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from _independent import (
    BASE,
    MAGIC,
    ROOM,
    ZERO,
    Case,
    Game,
    Key,
    L,
    P,
    Signed,
    Toss,
    add,
    box,
    chained,
    cofactored_only,
    die,
    encoded,
    file_of,
    framed,
    hashed,
    index,
    pack,
    secret,
    shuffled,
    stream,
    times,
    torsion,
    transcript,
    unbox,
    words,
    x25519,
)
from _vote_cases import votes
from _vote_maker import UNSURE, Halt

FOLDER = Path(__file__).parent.parent / "tests" / "vectors"
FRAME_BYTES = 64 * 1024


def framing() -> list[Case]:
    lists: Mapping[str, tuple[str, tuple[int | str | bytes, ...]]] = {
        "no parts": ("body", ()),
        "an empty part is a part": ("body", (b"",)),
        "ab and c": ("body", (b"ab", b"c")),
        "a and bc": ("body", (b"a", b"bc")),
        "one part abc": ("body", (b"abc",)),
        "a number has eight bytes": ("calza", (bytes(32), 3, 2)),
        "the largest number": ("stream", (b"", 2**64 - 1)),
        "text is UTF-8": ("rules", ("Ação",)),
        "what is signed": ("sig", (pack((1, "ACCEPT", bytes(32), bytes(32))),)),
    }
    cases: list[Case] = [
        {"name": name, "label": label, "parts": list(parts), "frame": framed(label, *parts),
         "hash": hashed(label, *parts)} for name, (label, parts) in lists.items()]
    whole = framed("body", b"abc")
    refused = {
        "nothing": (b"", "no-label"),
        "a label of somebody else": (whole.replace(b"p2pdice", b"q2pdice"), "no-label"),
        "another version": (whole.replace(b"/1/", b"/2/"), "no-label"),
        "cut inside a part": (whole[:-1], "cut-short"),
        "cut inside a length": (whole[:-5], "cut-short"),
        "a byte too many": (whole + b"\0", "cut-short"),
        "a label that is no text": (whole.replace(b"body", b"bod\xff"), "not-text"),
    }
    return cases + [{"name": name, "frame": raw, "fails": why} for name, (raw, why) in refused.items()]


def encoding() -> list[Case]:
    values: Mapping[str, object] = {
        "zero": 0, "one byte": 127, "two bytes": 128, "three bytes": 256, "five bytes": 65536, "nine bytes": 2**32,
        "the largest number": 2**53, "no bytes": b"", "bytes": b"\x00\xff", "256 bytes": bytes(256), "no text": "",
        "text": "Zé", "32 bytes of text": "x" * 32, "an empty array": [], "sixteen items": list(range(16)),
        "five arrays deep": [[[[[]]]]], "a message": [1, "ACCEPT", b"t" * 32, b"k" * 32],
    }
    cases: list[Case] = [{"name": name, "value": value, "bytes": pack(value)} for name, value in values.items()]
    longest = b"\xc5" + (FRAME_BYTES - 3).to_bytes(2, "big")
    cases.append({"name": "the longest bytes", "bytes": longest, "zeros": FRAME_BYTES - 3})
    refused = {
        "5 in two bytes": ("cc05", "not-canonical"), "5 in three bytes": ("cd0005", "not-canonical"),
        "5 in nine bytes": ("cf0000000000000005", "not-canonical"),
        "5 as a signed number": ("d30000000000000005", "not-canonical"),
        "short text, long form": ("d90161", "not-canonical"), "short bytes, long form": ("c5000161", "not-canonical"),
        "short array, long form": ("dc000105", "not-canonical"),
        "minus one": ("ff", "number-out-of-range"), "2^53 + 1": ("cf0020000000000001", "number-out-of-range"),
        "2^64 - 1": ("cfffffffffffffffff", "number-out-of-range"),
        "-2^63": ("d38000000000000000", "number-out-of-range"),
        "nothing at all": ("", "not-msgpack"), "nil": ("c0", "type-not-allowed"), "true": ("c3", "type-not-allowed"),
        "false": ("c2", "type-not-allowed"), "a float": ("cb3ff0000000000000", "type-not-allowed"),
        "a short float": ("ca3f800000", "type-not-allowed"), "an empty map": ("80", "type-not-allowed"),
        "a map": ("81a16101", "type-not-allowed"), "a map with one key twice": ("82a16101a16102", "type-not-allowed"),
        "a map with a number for key": ("810102", "type-not-allowed"), "an extension": ("d40100", "type-not-allowed"),
        "a time": ("d6ff00000000", "type-not-allowed"), "a boolean inside": ("9201c3", "type-not-allowed"),
        "the byte that has no meaning": ("c1", "not-msgpack"), "a byte too many": ("0500", "not-msgpack"),
        "an item too few": ("9205", "not-msgpack"), "an array of 2^32 - 1 items": ("ddffffffff", "not-msgpack"),
        "bytes of 2^32 - 1": ("c6ffffffff", "not-msgpack"), "text that is not UTF-8": ("a1ff", "not-msgpack"),
        "half of a surrogate pair": ("a3eda080", "not-msgpack"), "a line feed": ("a10a", "control-character"),
        "escape": ("a11b", "control-character"), "delete": ("a17f", "control-character"),
        "a C1 control": ("a2c285", "control-character"), "six arrays deep": ("919191919190", "too-deep"),
        "a thousand arrays deep": ("91" * 1000 + "90", "too-deep"),
    }
    cases += [{"name": name, "bytes": bytes.fromhex(raw), "fails": why} for name, (raw, why) in refused.items()]
    over = b"\xc6" + (FRAME_BYTES - 4).to_bytes(4, "big")
    return [*cases, {"name": "a byte over 64 KiB", "bytes": over, "zeros": FRAME_BYTES - 4, "fails": "oversized"}]


def keys() -> list[Case]:
    cases: list[Case] = [{"name": f"key {name}", "kind": "ed25519", "key": Key(secret(f"key {name}")).public}
                         for name in "ABC"]
    weak = torsion()
    small = [times(factor, weak) for factor in range(8)]
    assert times(8, weak) == ZERO
    assert len(set(small)) == 8
    refused = {encoded(point): "small-order" for point in small}
    refused |= {(point[1] | 1 << 255).to_bytes(32, "little"): "not-canonical" for point in small if not point[0]}
    refused |= {(y | sign << 255).to_bytes(32, "little"): "not-canonical" for y in range(P, 2**255) for sign in (0, 1)}
    cases += [{"name": f"weak key {number}", "kind": "ed25519", "key": key, "fails": why}
              for number, (key, why) in enumerate(sorted(refused.items()))]
    cases += [{"name": f"{size} bytes", "kind": "ed25519", "key": b"\2" * size, "fails": "length"}
              for size in (0, 31, 33)]
    cases += [{"name": f"one-round key {seat}", "kind": "x25519", "key": x25519(secret(f"round key {seat}"))}
              for seat in range(3)]
    # The same points as X25519 sees them: u = (1 + y) / (1 - y). Its twist adds those of order four, with u = -1.
    low = {(1 + y) * pow(1 - y, -1, P) % P for _, y in small if y != 1} | {P - 1}
    cases += [{"name": f"low order {number}", "kind": "x25519", "key": u.to_bytes(32, "little"), "fails": "small-order"}
              for number, u in enumerate(sorted(low))]
    usable = int.from_bytes(x25519(secret("round key 0")), "little")
    for name, u in {"p": P, "p + 1": P + 1, "2^255 - 1": 2**255 - 1, "the top bit set": usable | 1 << 255}.items():
        cases.append({"name": name, "kind": "x25519", "key": u.to_bytes(32, "little"), "fails": "not-canonical"})
    cases.append({"name": "31 bytes for one round", "kind": "x25519", "key": b"\2" * 31, "fails": "length"})
    return cases


def signatures() -> list[Case]:
    key, body = Key(secret("key A")), pack((1, "a body"))
    signature = key.sign(body)[1]
    scalar = int.from_bytes(signature[32:], "little")
    identity = encoded(ZERO)
    assert add(BASE, ZERO) == BASE
    assert times(L, BASE) == ZERO
    made = {
        "holds": (key.public, body, signature, ""),
        "another body": (key.public, body + b"\0", signature, "does-not-hold"),
        "another key": (Key(secret("key B")).public, body, signature, "does-not-hold"),
        "made under another label": (key.public, body, key.signature("body", body), "does-not-hold"),
        "S + L": (key.public, body, signature[:32] + (scalar + L).to_bytes(32, "little"), "malleable"),
        "63 bytes": (key.public, body, signature[:63], "length"),
        "holds only with the cofactor": (key.public, body, cofactored_only(key, framed("sig", body)), "cofactor"),
        "one for every body": (identity, body, identity + bytes(32), "small-order"),
    }
    return [{"name": name, "key": public, "body": text, "signature": signed} | ({"fails": why} if why else {})
            for name, (public, text, signed, why) in made.items()]


def streams() -> list[Case]:
    seeds = (secret(f"skip {number}") for number in itertools.count())
    skipping = next(seed for seed in seeds if any(byte > 251 for byte in itertools.islice(stream(seed), 8)))
    cases: list[Case] = []
    for name, seed in {"a seed": secret("seed"), "an empty seed": b"", "a seed with bytes to skip": skipping}.items():
        cases += [
            {"name": name, "seed": seed, "bytes": bytes(itertools.islice(stream(seed), 80))},
            {"name": f"{name}: dice", "seed": seed,
             "dice": [die(source) for source in [stream(seed)] for _ in range(20)]},
            {"name": f"{name}: words", "seed": seed, "words": words(stream(seed))},
            *({"name": f"{name}: an order of {size}", "seed": seed, "order": shuffled(stream(seed), size)}
              for size in (2, 3, 6, 32)),
            *({"name": f"{name}: below {size}", "seed": seed, "size": size,
               "numbers": [index(source, size) for source in [stream(seed)] for _ in range(12)]}
              for size in (1, 2, 5, 12, 27, 32)),
        ]
    return cases


def tosses() -> list[Case]:
    made = {"three players": Toss(3), "a player's bot": Toss(3, bot=True), "two players": Toss(2),
            "rolled for seats": Toss(6, seating="roll-seats"), "rolled for the opener": Toss(6, seating="roll-opener")}
    cases: list[Case] = [
        {"name": name, "room": ROOM, "seeds": [key.seed for key in toss.keys],
         "nonces": [toss.nonces[key.public] for key in toss.keys], "roster": toss.roster, "table": toss.table,
         "accepts": toss.accepts, "genesis": toss.genesis, "opens": toss.opens, "game_id": toss.game_id,
         "seats": toss.order, "opener": toss.opener, "words": toss.words,
         "rolls": [sorted(roll.items()) for roll in toss.rolls]} for name, toss in made.items()]
    toss = made["three players"]
    (key, join), *rest = toss.joins
    fields = (1, "JOIN", ROOM, key.public, "Player", secret("commitment"), key.public, ())
    joins = [signed for _, signed in toss.joins]
    bot = Key(secret("key D"))
    stray = bot.say(1, "JOIN", ROOM, bot.public, "Bot", secret("commitment"), toss.host.public, ())

    def roster(*signed: Signed, **options: str) -> Signed:
        return toss.propose(signed, **options)

    def join_as(place: int, value: object) -> Signed:
        return key.say(*fields[:place], value, *fields[place + 1:])

    ordered = sorted([*toss.joins, (bot, stray)], key=lambda item: item[0].public)
    refused = {
        "JOIN: of another version": ("JOIN", join_as(0, 2), "not-a-lobby-message"),
        "JOIN: a field too many": ("JOIN", key.say(*fields, 0), "not-a-lobby-message"),
        "JOIN: a name of 97 bytes": ("JOIN", join_as(4, "x" * 97), "not-a-lobby-message"),
        "JOIN: for another room": ("JOIN", join_as(2, bytes(16)), "another-room"),
        "JOIN: with a weak key": ("JOIN", join_as(3, encoded(ZERO)), "weak-key"),
        "JOIN: signed by another": ("JOIN", (join[0], bot.sign(join[0])[1]), "bad-signature"),
        "ROSTER: not ascending": ("ROSTER", roster(*reversed(joins)), "roster-not-sorted"),
        "ROSTER: one player twice": ("ROSTER", roster(joins[0], *joins), "roster-not-sorted"),
        "ROSTER: one player": ("ROSTER", roster(next(own for who, own in toss.joins if who is toss.host)),
                               "wrong-number-of-players"),
        "ROSTER: proposed by an outsider": ("ROSTER", (toss.roster[0], bot.sign(toss.roster[0])[1]), "bad-signature"),
        "ROSTER: a bot that its owner does not list": ("ROSTER", roster(*(signed for _, signed in ordered)),
                                                       "bot-without-owner"),
        "ROSTER: a bot that is not there": ("ROSTER", roster(*_listing(toss, bot.public)), "owner-without-bot"),
        "ROSTER: unknown rules": ("ROSTER", roster(*joins, hats="on"), "unknown-rules"),
        "ROSTER: a rule with an unknown value": ("ROSTER", roster(*joins, passing="sometimes"), "unknown-rules"),
        "ROSTER: an option missing": ("ROSTER", _without_last_option(toss, joins), "rules-not-canonical"),
        "ACCEPT: another table": ("ACCEPT", key.say(1, "ACCEPT", bytes(32), key.public), "another-table"),
        "ACCEPT: by an outsider": ("ACCEPT", bot.say(1, "ACCEPT", toss.table, bot.public), "another-table"),
        "ACCEPT: signed by another": ("ACCEPT", bot.say(1, "ACCEPT", toss.table, key.public), "bad-signature"),
        "SEAT_OPEN: another nonce": ("SEAT_OPEN", toss.open(key, secret("another")), "wrong-seat-opening"),
        "SEAT_OPEN: another's nonce": ("SEAT_OPEN", toss.open(key, toss.nonces[rest[0][0].public]),
                                       "wrong-seat-opening"),
        "SEAT_OPEN: before this genesis": ("SEAT_OPEN", key.say(1, "SEAT_OPEN", toss.table, bytes(32), key.public,
                                                                toss.nonces[key.public]), "another-genesis"),
    }
    return cases + [{"name": name, "type": kind, "message": signed, "fails": why}
                    for name, (kind, signed, why) in refused.items()]


def _listing(toss: Toss, bot: bytes) -> list[Signed]:
    own = toss.host.say(1, "JOIN", ROOM, toss.host.public, "Player", secret("commitment"), toss.host.public, [bot])
    return [own if key is toss.host else signed for key, signed in toss.joins]


def _without_last_option(toss: Toss, joins: list[Signed]) -> Signed:
    return toss.host.say(1, "ROSTER", ROOM, toss.host.public, "perudo", list(toss.options.items())[:-1], 120, 90, joins)


def deals() -> list[Case]:
    toss = Toss(3)
    game = Game(toss)
    start = game.preimage
    shares = [[game.share(seat, cup) for cup in range(4)] for seat in range(3)]
    commit_state = game.round(4, 3)
    whole: Case = {
        "name": "a normal round of three", "toss": "three players", "epoch": game.epoch, "start": start,
        "start_state": hashlib.sha256(start).digest(), "shares": shares, "slots": game.slots,
        "commit_state": commit_state, "cups": [Game(toss).faces(cup, commit_state) for cup in range(3)],
        "dice_after": game.dice}
    fresh, after_commits, after_opens = Game(toss), Game(toss), Game(toss)
    cups = [(cup, secret("another")) for cup in range(4)]
    refused = {
        "COMMIT: none for the table's cup": (0, fresh.body(0, "COMMIT", 1, cups[:3], b""), "ILLEGAL"),
        "COMMIT: cups not in order": (0, fresh.body(0, "COMMIT", 1, cups[::-1], b""), "ILLEGAL"),
        "COMMIT: of another round": (0, fresh.commit(0, number=2), "ILLEGAL"),
        "COMMIT: with a one-round key in a normal round": (0, fresh.commit(0, open_round=True), "ILLEGAL"),
        "COMMIT: naming another state": (0, fresh.body(0, "COMMIT", 1, cups, b"", state=bytes(32)), "other-state"),
        "COMMIT: of another epoch": (0, fresh.body(0, "COMMIT", 1, cups, b"", epoch=bytes(32)), "other-state"),
        "OPEN: before all have committed": (0, fresh.opening(0), "ILLEGAL"),
    }
    after_commits.close("commit", {seat: after_commits.commit(seat) for seat in range(3)}, after_commits.public("act"))
    after_opens.deal()
    refused |= {
        "OPEN: a share that was not committed to": (1, after_commits.opening(0, cup1=secret("another")), "BAD_OPEN"),
        "OPEN: another's share": (1, after_commits.opening(0, cup1=after_commits.share(2, 1)), "BAD_OPEN"),
        "OPEN: the own share of the own cup too": (1, after_commits.body(
            0, "OPEN", [(cup, after_commits.share(0, cup)) for cup in range(4)], ()), "ILLEGAL"),
        "OPEN: naming the state before the COMMITs": (1, after_commits.body(
            0, "OPEN", [(cup, after_commits.share(0, cup)) for cup in (1, 2, 3)], (), state=fresh.state),
                                                       "other-state"),
        "ACT: out of turn": (2, after_opens.body(1, "ACT", ("bid", 1, 2, ""), 0), "ILLEGAL"),
        "ACT: a bid on no dice": (2, after_opens.body(0, "ACT", ("bid", 0, 2, ""), 0), "ILLEGAL"),
        "ACT: a face of seven": (2, after_opens.body(0, "ACT", ("bid", 1, 7, ""), 0), "ILLEGAL"),
        "ACT: a doubt without a bid": (2, after_opens.body(0, "ACT", ("dudo",), 0), "ILLEGAL"),
        "REVEAL: before a call": (2, after_opens.reveal(0, after_opens.state), "ILLEGAL"),
    }
    called = Game(toss)
    called.round(4, 3)
    called.preimage, called.slots = called.slots[3]["preimage"], called.slots[:4]
    refused |= {
        "REVEAL: another share": (4, called.reveal(0, commit_state, secret("another")), "BAD_REVEAL"),
        "REVEAL: of another's cup": (4, called.body(0, "REVEAL", commit_state, [(1, 1, called.share(1, 1))]),
                                     "ILLEGAL"),
        "REVEAL: another deal": (4, called.reveal(0, bytes(32)), "other-state"),
    }
    return [whole, *({"name": name, "after_slots": slot, "message": signed, "fails": why}
                     for name, (slot, signed, why) in refused.items())]


def turns() -> list[Case]:
    toss = Toss(3)
    game = Game(toss)
    commit_state = game.deal()
    tie = hashed("tie", commit_state, *(game.share(seat, 3) for seat in range(3)))
    lots = [[hashed("calza", tie, bids, seat) for seat in range(3)] for bids in range(1, 5)]
    cases: list[Case] = [
        {"name": f"lots after bid {bids} among {claimers}", "commit_state": commit_state,
         "shares": [game.share(seat, 3) for seat in range(3)], "tie": tie, "bid_number": bids,
         "lots": lots[bids - 1], "claimers": claimers,
         "first": min(claimers, key=lambda seat: lots[bids - 1][seat])}
        for bids in range(1, 5) for claimers in ([0, 1, 2], [0, 2], [1])]
    sealed = {"a bid": ("act", (("bid", 4, 3, ""), 0)), "a bid that turns": ("act", (("bid", 4, 3, "left"), 0)),
              "a doubt by the clock": ("act", (("dudo",), 1)), "a waive": ("answer", "waive"),
              "a claim": ("answer", "claim")}
    for name, (label, choice) in sealed.items():
        slot = 5 if label == "act" else 6
        salt = secret(f"salt {name}")
        cases.append({"name": f"sealing {name}", "label": label, "game_id": game.game_id, "epoch": game.epoch,
                      "slot": slot, "state": game.state, "seat": 1, "choice": choice, "salt": salt,
                      "seal": hashed(label, game.game_id, game.epoch, slot, game.state, 1, pack(choice), salt)})
    return cases


RFC_9180_A_2_1 = {
    "info": "4f6465206f6e2061204772656369616e2055726e", "extra": "436f756e742d30",
    "ephemeral": "f4ec9b33b792c372c1d2c2063507b684ef925b8c75a42dbcbf57d63ccd381600",
    "secret": "8057991eef8f1f1af18f4a9491d16a1ce333f695d4db8e38da75975c4478e0fb",
    "text": "4265617574792069732074727574682c20747275746820626561757479",
    "box": "1afa08d3dec047a643885163f1180476fa7ddb54c6a8029ea33f95796bf2ac4a"
           "1c5250d8034ec2b784ba2cfd69dbdb8af406cfe3ff938e131f0def8c8b60b4db21993c62ce81883d2dd1b51a28",
}


def seals() -> list[Case]:
    published = {name: bytes.fromhex(raw) for name, raw in RFC_9180_A_2_1.items()}
    made = box(published["text"], x25519(published["secret"]), published["info"], published["ephemeral"],
               published["extra"])
    assert made == published["box"], "the HPKE here is the one of RFC 9180, appendix A.2.1, sequence number 0"
    place = (secret("game"), secret("epoch"), 3, secret("state"), 1, 2, 0)
    info, share, private = framed("seal", *place), secret("share"), secret("round key 2")
    good = box(share, x25519(private), info, secret("ephemeral"))
    assert unbox(good, private, info) == share
    elsewhere = framed("seal", *place[:-1], 1)
    return [
        {"name": "a box opens", "place": list(place), "info": info, "secret": private, "box": good, "share": share},
        *({"name": name, "info": where, "secret": who, "box": what, "fails": why} for name, where, who, what, why in (
            ("for another cup", elsewhere, private, good, "does-not-open"),
            ("with another's key", info, secret("round key 1"), good, "does-not-open"),
            ("a changed key", info, private, bytes([good[0] ^ 1]) + good[1:], "does-not-open"),
            ("a changed share", info, private, good[:32] + bytes([good[32] ^ 1]) + good[33:], "does-not-open"),
            ("a changed tag", info, private, good[:-1] + bytes([good[-1] ^ 1]), "does-not-open"),
            ("a key of low order", info, private, bytes(32) + good[32:], "low-order"),
            ("without the key", info, private, good[32:], "length"),
            ("a byte too many", info, private, good + b"\0", "length"),
            ("of a shorter text", info, private, box(share[:31], x25519(private), info, secret("ephemeral")),
             "length"))),
    ]


def evidence() -> list[Case]:
    toss = Toss(3)
    before, game, late = Game(toss), Game(toss), Game(toss)
    commit_state = game.deal()
    acting = game.slots[1]["preimage"], game.rules
    bid, other_bid = (game.body(0, "ACT", ("bid", number, 3, ""), 0) for number in (1, 2))
    late.round(4, 3)
    commits: list[Signed] = game.slots[0]["bodies"]
    s_c: bytes = game.slots[0]["preimage"]
    committed = Game(toss)
    committed.close("commit", dict(enumerate(commits)), committed.public("act"))
    bad_open = committed.opening(0, cup1=secret("another"))
    bad_reveal = late.body(0, "REVEAL", commit_state, [(0, 0, secret("another"))], slot=4, state=secret("some state"))
    good_reveal: Signed = late.slots[4]["bodies"][0]
    foreign = Game(Toss(2)).body(0, "ACT", ("bid", 1, 3, ""), 0)
    over = framed("state", game.game_id, game.epoch, 1, secret("some state"), "over", hashed("rules", game.rules))
    named = game.body(0, "ACT", ("bid", 1, 3, ""), 0, slot=2, state=hashlib.sha256(over).digest())
    cases: list[tuple[str, str, list[Signed], list[bytes], bytes, int | str]] = [
        ("two bodies for one slot", "EQUIV", [bid, other_bid], [], b"", 0),
        ("one body twice", "EQUIV", [bid, bid], [], b"", "proves-nothing"),
        ("bodies of two slots", "EQUIV", [bid, game.body(0, "ACT", ("bid", 2, 3, ""), 0, slot=9)], [], b"",
         "proves-nothing"),
        ("bodies of two seats", "EQUIV", [bid, game.body(1, "ACT", ("dudo",), 0)], [], b"", "proves-nothing"),
        ("one body only", "EQUIV", [bid], [], b"", "proves-nothing"),
        ("a body of another game", "EQUIV", [bid, foreign], [], b"", "another-game"),
        ("a body signed by another", "EQUIV", [bid, (other_bid[0], game.seats[1].sign(other_bid[0])[1])], [], b"",
         "bad-signature"),
        ("an opening that contradicts the COMMIT", "BAD_OPEN", [commits[0], bad_open], [s_c], b"", 0),
        ("an opening that does not", "BAD_OPEN", [commits[0], committed.opening(0)], [s_c], b"", "proves-nothing"),
        ("against another's COMMIT", "BAD_OPEN", [commits[1], bad_open], [s_c], b"", "proves-nothing"),
        ("a COMMIT that the state does not list", "BAD_OPEN", [before.commit(0, number=2), committed.opening(0)], [s_c],
         b"", "proves-nothing"),
        ("no state", "BAD_OPEN", [commits[0], bad_open], [], b"", "proves-nothing"),
        ("a shown share that contradicts the COMMIT", "BAD_REVEAL", [commits[0], bad_reveal], [s_c], b"", 0),
        ("a shown share that does not", "BAD_REVEAL", [commits[0], good_reveal], [s_c], b"", "proves-nothing"),
        ("out of turn", "ILLEGAL", [game.body(1, "ACT", ("bid", 1, 3, ""), 0)], [acting[0]], acting[1], 1),
        ("a bid the rules refuse", "ILLEGAL", [game.body(0, "ACT", ("bid", 1, 1, ""), 0)], [acting[0]], acting[1], 0),
        ("a slot that does not follow", "ILLEGAL", [game.body(0, "ACT", ("bid", 1, 3, ""), 0, slot=7)], [acting[0]],
         acting[1], 0),
        ("a bid the rules allow", "ILLEGAL", [bid], [acting[0]], acting[1], "proves-nothing"),
        ("a state that the message does not name", "ILLEGAL", [game.body(1, "ACT", ("dudo",), 0)], [s_c], acting[1],
         "proves-nothing"),
        ("other rules than the state's", "ILLEGAL", [game.body(1, "ACT", ("dudo",), 0)], [acting[0]],
         pack(game.public("act", number=2)), "proves-nothing"),
        ("rules that are no state", "ILLEGAL", [game.body(1, "ACT", ("dudo",), 0)], [acting[0]], pack(()),
         "proves-nothing"),
        ("a state after the end", "ILLEGAL", [named], [over], game.rules, "proves-nothing"),
        *_seals_broken(game), *_complaints(toss), *_promises_broken(game)]
    game_id, public = game.game_id, [key.public for key in toss.seats]
    return [{"name": name, "game_id": game_id, "keys": public, "evidence": pack((kind, bodies, states, rules))}
            | ({"convicts": verdict} if isinstance(verdict, int) else {"fails": verdict})
            for name, kind, bodies, states, rules, verdict in cases]


Charge = tuple[str, str, list[Signed], list[bytes], bytes, int | str]


def _promises_broken(game: Game) -> list[Charge]:
    """Seat 1's votes in the halts of one epoch."""
    halts = [Halt(game, number) for number in range(3)]

    def halt(ballot: int, *last: Signed, of: int = 0, seat: int = 1) -> Signed:
        hashes = [hashed("body", vote[0]) for vote in last]
        return game.body(seat, "HALT", 0, "", 0, 1, [], hashes, at=["halt", of, ballot], state=secret("boundary"))

    def drop(ballot: int, of: int = 0, seat: int = 1) -> Signed:
        return game.body(seat, "DROP", secret("a PROPOSE"), (), at=["drop", of, ballot], state=b"")

    def leave(ballot: int, *last: Signed) -> Signed:
        return halts[1].leave(1, ballot, [hashed("body", vote[0]) for vote in last])

    propose = game.body(1, "PROPOSE", [], [], [], at=["propose", 1, 2], state=b"")
    low, high, nothing = drop(1), drop(3), "proves-nothing"
    cases: list[tuple[str, list[Signed], int | str]] = [
        ("a HALT that hides a DROP", [halt(2), low], 1),
        ("a HALT that names a lower DROP", [halt(4, low), high, low], 1),
        ("a HALT that names another's DROP", [halt(2, drop(1, seat=0)), low, drop(1, seat=0)], 1),
        ("a HALT that names a DROP of another halt", [halt(2, drop(1, of=1)), low, drop(1, of=1)], 1),
        ("a HALT that names no DROP", [halt(2, halt(0)), low, halt(0)], 1),
        ("a HALT that names it", [halt(2, low), low, low], nothing),
        ("a HALT that names a higher one", [halt(4, high), low, high], nothing),
        ("what a HALT names is not shown", [halt(4, low), high], nothing),
        ("something else is shown", [halt(4, low), high, drop(0)], nothing),
        ("a HALT that names nothing, and something is shown", [halt(2), low, high], nothing),
        ("a DROP of the HALT's own ballot", [halt(1), low], nothing),
        ("a DROP of another halt", [halt(2), drop(1, of=1)], nothing),
        ("somebody else's DROP", [halt(2), drop(1, seat=0)], nothing),
        ("a HALT of a lower ballot", [halt(2), halt(1)], nothing),
        ("the DROP first", [low, halt(2)], nothing),
        ("a slot's body", [halt(2), game.body(1, "ACT", ("dudo",), 0)], nothing),
        ("one vote", [halt(2)], nothing),
        ("a LEAVE that hides a DROP", [leave(2), drop(1, of=1)], 1),
        ("a LEAVE that names it", [leave(2, drop(1, of=1)), drop(1, of=1), drop(1, of=1)], nothing),
        ("a HALT after a LEAVE", [leave(2), halt(2, of=1)], 1),
        ("a PROPOSE after a LEAVE", [leave(2), propose], 1),
        ("a DROP after a LEAVE", [leave(2), drop(2, of=1)], 1),
        ("a HALT of a later halt", [leave(2), halt(0, of=2)], 1),
        ("the same, and something is shown", [leave(2), halt(0, of=2), low], nothing),
        ("a HALT before a LEAVE", [leave(2), halt(1, of=1)], nothing),
        ("a vote of an earlier halt", [leave(2), halt(5)], nothing),
        ("a LEAVE by somebody who is not sure", [leave(UNSURE), drop(1, of=1)], nothing),
        ("two LEAVEs", [leave(2), leave(1)], nothing),
    ]
    return [(name, "BAD_HALT", votes, [], b"", verdict) for name, votes, verdict in cases]


def _seals_broken(game: Game) -> list[Charge]:
    """Seat 1 seals a bid at slot 2 and shows at slot 4; seat 2 answers at slot 3."""
    salt, state, act = secret("salt"), game.state, (("bid", 4, 3, ""), 0)
    sealing = game.body(1, "SEAL", hashed("act", game.game_id, game.epoch, 2, state, 1, pack(act), salt), slot=2)
    waive = hashed("answer", game.game_id, game.epoch, 3, state, 2, pack("waive"), salt)
    answer = game.body(2, "ANSWER", waive, slot=3)

    def show(seat: int, sealed: object, with_salt: bytes = salt, slot: int = 4) -> Signed:
        return game.body(seat, "SHOW", sealed, with_salt, slot=slot)

    return [
        ("another act than was sealed", "BAD_SEAL", [sealing, show(1, (("dudo",), 0))], [], b"", 1),
        ("another salt", "BAD_SEAL", [sealing, show(1, act, secret("another"))], [], b"", 1),
        ("a claim where a waive was sealed", "BAD_SEAL", [answer, show(2, "claim")], [], b"", 2),
        ("what was sealed", "BAD_SEAL", [sealing, show(1, act)], [], b"", "proves-nothing"),
        ("the waive that was sealed", "BAD_SEAL", [answer, show(2, "waive")], [], b"", "proves-nothing"),
        ("a SHOW of a later turn", "BAD_SEAL", [sealing, show(1, (("dudo",), 0), slot=7)], [], b"", "proves-nothing"),
        ("somebody else's SHOW", "BAD_SEAL", [sealing, show(2, "claim")], [], b"", "proves-nothing"),
        ("no seal", "BAD_SEAL", [show(1, act, slot=2), show(1, act)], [], b"", "not-a-seal"),
    ]


def _complaints(toss: Toss) -> list[Charge]:
    """An open round of three: the share of cup 0 that seat 1 owes to seat 2 travels in a box."""
    game = Game(toss)
    commits = {seat: game.commit(seat, open_round=True) for seat in range(3)}
    game.close("commit", commits, game.public("act"))
    s_c, commit_state, private = game.preimage, game.state, secret("round key 2")
    info = framed("seal", game.game_id, game.epoch, 1, commit_state, 1, 2, 0)

    def after(share: bytes) -> tuple[Signed, bytes, bytes]:
        """Seat 1's OPEN with this share in the box, and the state and preimage after the OPENs."""
        boxed = box(share, x25519(private), info, secret("ephemeral"))
        opening = game.body(1, "OPEN", [(1, game.share(1, 1)), (2, game.share(1, 2)), (3, game.share(1, 3))],
                            [(0, 2, boxed)])
        items = [hashed("body", body) for body in (b"0", opening[0], b"2")]
        preimage = framed("state", game.game_id, game.epoch, 1, commit_state, "open", *items,
                          hashed("rules", game.rules))
        return opening, preimage, hashlib.sha256(preimage).digest()

    def charge(name: str, kind: str, share: bytes, verdict: int | str, cup: int = 0, key: bytes = private,
               listed: bytes = b"") -> Charge:
        opening, preimage, state = after(share)
        if listed:  # the state after another OPEN
            _, preimage, state = after(listed)
        complaint = game.body(2, "READY", commit_state, (1, cup, key), slot=2, state=state)
        return name, kind, [commits[1], commits[2], opening, complaint], [s_c, preimage], b"", verdict

    good, bad = game.share(1, 0), secret("another")
    return [
        charge("another share in the box", "BAD_BOX", bad, 1),
        charge("a complaint about a good box", "FALSE_COMPLAINT", good, 2),
        charge("a complaint with another key", "FALSE_COMPLAINT", bad, 2, key=secret("another key")),
        charge("a good box", "BAD_BOX", good, "proves-nothing"),
        charge("a bad box", "FALSE_COMPLAINT", bad, "proves-nothing"),
        charge("a box that nobody owed", "BAD_BOX", good, "proves-nothing", cup=1),
        charge("an OPEN that the complaint is not about", "BAD_BOX", bad, "proves-nothing", listed=good),
    ]


def flipped(record: bytes, where: bytes) -> bytes:
    """The record with one bit of some bytes in it changed."""
    assert where in record
    return record.replace(where, bytes([where[0] ^ 1]) + where[1:])


def transcripts() -> list[Case]:
    toss = Toss(2, starting_dice="1")
    game = Game(toss)
    game.round(1, 3)
    entries = transcript(toss, game)
    records = chained(entries)
    files = {
        "a game of two with one die each": (file_of(records), "clean", len(records), ""),
        "no further than the seats": (file_of(records[:5]), "incomplete", 5, ""),
        "cut inside a record": (file_of(records)[:-1], "incomplete", len(records) - 1, ""),
        "not a transcript": (b"p2pdice/2 transcript\n" + file_of(records)[len(MAGIC):], "unreadable", None, ""),
        "a byte of a body changed": (file_of([*records[:6], records[6].replace(b"COMMIT", b"COMMOT"), *records[7:]]),
                                     "fault", 6, "not-a-game-message"),
        "a byte of a share changed": (file_of([*records[:7], flipped(records[7], game.share(0, 1)), *records[8:]]),
                                      "fault", 7, "bad-signature"),
        "a byte of a hash in the chain changed": (
            file_of([*records[:3], flipped(records[3], hashed("record", records[2])), *records[4:]]), "fault", 3,
            "broken-chain"),
        "two records exchanged": (file_of([*records[:5], records[6], records[5], *records[7:]]), "fault", 5,
                                  "broken-chain"),
        "a record left out": (file_of(records[:5] + records[6:]), "fault", 5, "broken-chain"),
        "chained again after two messages were exchanged": (
            file_of(chained([*entries[:5], entries[6], entries[5], *entries[7:]])), "fault", 6, "out-of-order"),
        "chained again with a signature changed": (
            file_of(chained([*entries[:5], ("game", (entries[5][1][0], bytes(64))), *entries[6:]])), "fault", 5,
            "bad-signature"),
        "chained again without an ACCEPT": (file_of(chained(entries[:1] + entries[2:])), "fault", 1, "out-of-order"),
        "chained again with more after the end": (file_of(chained([*entries, entries[-1]])), "fault", len(entries),
                                                  "out-of-order"),
    }
    return [{"name": name, "file": raw, "verdict": verdict, "entry": entry} | ({"fails": why} if why else {})
            for name, (raw, verdict, entry, why) in files.items()]


# File -> protocol.md section, what it pins, its cases.
FILES: Mapping[str, tuple[int, str, Callable[[], list[Case]]]] = {
    "encoding": (1, "Values, their one encoding, and bytes that no honest client sends.", encoding),
    "framing": (2, "Labels and parts as bytes, and their hash; bytes that are no frame.", framing),
    "streams": (2, "Bytes, dice, numbers, orders and words that follow from a seed.", streams),
    "keys": (3, "Public keys that are taken, and all that must not be.", keys),
    "signatures": (3, "Signatures that hold, and those that must not.", signatures),
    "tosses": (4, "From JOINs to game, seats and table words; messages of the lobby that must be refused.", tosses),
    "deals": (6, "A whole normal round of three, every body and state; messages that must be refused in it.", deals),
    "seals": (6, "Boxes with the shares of an open round, as RFC 9180 makes them.", seals),
    "turns": (7, "Lots among exact callers, and what SEAL and ANSWER carry.", turns),
    "evidence": (8, "What convicts whom, and what proves nothing.", evidence),
    "transcripts": (9, "A whole game as a file, and what is wrong with changed ones.", transcripts),
    "votes": (10, "Majorities, votes, what they decide, the epoch that follows, and files with them.", votes),
}


def plain(value: object, inside: bool = False) -> object:
    """As JSON: bytes are hex; inside a value or a list of parts, where text may stand too, {"hex": ...}."""
    if isinstance(value, bytes):
        return {"hex": value.hex()} if inside else value.hex()
    if isinstance(value, dict):
        return {key: plain(item, key in ("value", "parts", "place")) for key, item in value.items()}
    return [plain(item, inside) for item in value] if isinstance(value, list | tuple) else value


def texts() -> dict[str, str]:
    """File name -> contents: one case a line."""
    found = {}
    for name, (section, pins, make) in FILES.items():
        lines = ",\n".join(json.dumps(plain(case), ensure_ascii=False) for case in make())
        head = json.dumps({"pins": pins, "section": section}, ensure_ascii=False)[1:-1]
        found[f"{name}.json"] = f'{{{head}, "cases": [\n{lines}\n]}}\n'
    return found


if __name__ == "__main__":
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER
    for name, text in texts().items():
        (folder / name).write_text(text, encoding="utf-8", newline="\n")
