"""Sealed shares of open rounds: HPKE base mode (RFC 9180) with X25519, HKDF-SHA256 and ChaCha20-Poly1305, behind one
function each way. Must not know who seals for whom."""

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.hpke import AEAD, KDF, KEM, Suite

from p2pdice.fairness.errors import BadBox
from p2pdice.fairness.keys import KEY_BYTES
from p2pdice.fairness.shares import SHARE_BYTES

BOX_BYTES = KEY_BYTES + SHARE_BYTES + 16  # encapsulated key, share, tag

_SUITE = Suite(KEM.X25519, KDF.HKDF_SHA256, AEAD.CHACHA20_POLY1305)


def round_public(secret: bytes) -> bytes:
    """The public half of a one-round key made from 32 random bytes."""
    return X25519PrivateKey.from_private_bytes(secret).public_key().public_bytes_raw()


def seal(share: bytes, receiver: bytes, info: bytes) -> bytes:
    """A box of BOX_BYTES that only the holder of `receiver`'s secret opens; draws its own randomness (RFC 9180)."""
    return _SUITE.encrypt(share, X25519PublicKey.from_public_bytes(receiver), info)


def unseal(box: bytes, secret: bytes, info: bytes) -> bytes:
    """The share in a box. Raises BadBox whatever is wrong with it."""
    if len(box) != BOX_BYTES:
        raise BadBox("a box has one length")
    try:
        return _SUITE.decrypt(box, X25519PrivateKey.from_private_bytes(secret), info)
    except (InvalidTag, ValueError) as error:
        raise BadBox("a box that does not open") from error
