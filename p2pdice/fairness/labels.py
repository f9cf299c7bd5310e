"""Every label that may stand in front of a hash or a signature, named once. Two purposes never share a label, so what
was made for one can never be used for another (protocol.md section 2). This file must not know what the parts mean."""

from enum import StrEnum

PREFIX = "p2pdice/1/"


class Label(StrEnum):
    """Purpose of a hash or signature; the framed bytes start with PREFIX and this word, behind their length: `head`."""

    head: bytes

    def __init__(self, word: str) -> None:
        name = (PREFIX + word).encode()
        self.head = len(name).to_bytes(4, "big") + name

    # signatures
    SIGNED_BODY = "sig"
    CHANNEL_LISTENER = "chan-R"
    CHANNEL_DIALLER = "chan-I"
    # the room code
    PAKE = "pake"
    PAKE_CONFIRM = "pake-confirm"
    # lobby
    SEAT_COMMIT = "seat-commit"
    TABLE = "table"
    GENESIS = "genesis"
    GAME = "game"
    SEATS = "seats"
    ROLLS = "rolls"
    TABLE_WORDS = "sas"
    # the chain of states, and of records
    RECORD = "record"
    BODY = "body"
    EPOCH_ZERO = "epoch0"
    START = "start"
    STATE = "state"
    EPOCH = "epoch"
    CHILD = "child"
    EVIDENCE = "evidence"
    HELD = "held"
    RULES = "rules"
    # a deal
    SHARE = "share"
    DICE = "dice"
    TIE = "tie"
    SEAL_INFO = "seal"
    # a sealed turn
    ACT = "act"
    ANSWER = "answer"
    CALZA = "calza"
    # bytes from a seed
    STREAM = "stream"
