"""Keys: a signature must be able to convict, so keys under which it proves nothing are refused."""

import hashlib

import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from p2pdice.fairness.errors import BadKey
from p2pdice.fairness.framing import frame
from p2pdice.fairness.keys import SigningKey, Verifier, check_public, check_round_key, verify
from p2pdice.fairness.labels import Label
from p2pdice.fairness.seal import round_public

PRIME = 2**255 - 19
ORDER = 2**252 + 27742317777372353535851937790883648493
ORDER_EIGHT_Y = 0x05FC536D880238B13933C6D305ACDFD5F098EFF289F4C345B027B2C28F95E826
SMALL_ORDER = [y | sign << 255 for y in (0, 1, PRIME - 1, ORDER_EIGHT_Y, PRIME - ORDER_EIGHT_Y) for sign in (0, 1)]
NOT_CANONICAL = [y | sign << 255 for y in range(PRIME, 2**255) for sign in (0, 1)]
IDENTITY = (1).to_bytes(32, "little")
# The whole of it: points of order 1, 2, 4 and 8 on the curve and on its twist, as X25519 reads them.
LOW_ORDER_U = [
    0, 1, PRIME - 1,
    int.from_bytes(bytes.fromhex("e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800"), "little"),
    int.from_bytes(bytes.fromhex("5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157"), "little"),
]


def key(number: int) -> SigningKey:
    return SigningKey(seed(number))


def seed(number: int) -> bytes:
    return hashlib.sha256(number.to_bytes(8, "big")).digest()


def test_all_weak_keys_are_refused() -> None:
    """The small-order points in every form, and all encodings that are not canonical: 48 of them."""
    weak = SMALL_ORDER + NOT_CANONICAL
    assert len(set(weak)) == 48
    for number in weak:
        with pytest.raises(BadKey):
            check_public(number.to_bytes(32, "little"))
        with pytest.raises(BadKey):
            Verifier(number.to_bytes(32, "little"))


def test_normal_keys_pass() -> None:
    """5,000 keys made from random bytes are all accepted."""
    for number in range(5_000):
        check_public(key(number).public)


@pytest.mark.parametrize("length", [0, 31, 33, 64])
def test_a_public_key_has_32_bytes(length: int) -> None:
    """Other lengths are refused, and verify says no."""
    with pytest.raises(BadKey):
        check_public(b"\x02" * length)
    assert not verify(b"\x02" * length, bytes(64), Label.BODY)


def test_signatures_hold_for_their_label_and_parts_only() -> None:
    """The same key, another label, part or order of parts: the signature does not hold."""
    signer = key(1)
    signature = signer.sign(Label.SIGNED_BODY, b"one", b"two")
    assert verify(signer.public, signature, Label.SIGNED_BODY, b"one", b"two")
    assert not verify(signer.public, signature, Label.BODY, b"one", b"two")
    assert not verify(signer.public, signature, Label.SIGNED_BODY, b"two", b"one")
    assert not verify(signer.public, signature, Label.SIGNED_BODY, b"onetwo")
    assert not verify(key(2).public, signature, Label.SIGNED_BODY, b"one", b"two")
    assert Verifier(signer.public).public == signer.public


@pytest.mark.parametrize("length", [0, 63, 65])
def test_a_signature_has_64_bytes(length: int) -> None:
    """Other lengths do not hold, and raise nothing."""
    assert not Verifier(key(1).public).holds(bytes(length), Label.BODY)


def test_malleable_signatures_are_refused() -> None:
    """Adding the group order to S gives another 64 bytes for the same equation: they must not hold."""
    signer = key(3)
    signature = signer.sign(Label.SIGNED_BODY, b"body")
    scalar = int.from_bytes(signature[32:], "little") + ORDER
    twisted = signature[:32] + scalar.to_bytes(32, "little")
    assert twisted != signature
    assert not verify(signer.public, twisted, Label.SIGNED_BODY, b"body")


def test_one_signature_for_every_message_is_refused() -> None:
    """Under the identity point one constant signature holds for all messages, by OpenSSL; not here."""
    constant = IDENTITY + bytes(32)
    unchecked = Ed25519PublicKey.from_public_bytes(IDENTITY)
    for number in range(64):
        unchecked.verify(constant, frame(Label.SIGNED_BODY, seed(number)))  # raises if it does not hold
        assert not verify(IDENTITY, constant, Label.SIGNED_BODY, seed(number))


def test_other_weak_keys_sign_much_with_little() -> None:
    """Under a point of order 8 a few constant signatures hold for many messages, by OpenSSL: why all are out."""
    weak = ORDER_EIGHT_Y.to_bytes(32, "little")
    points = [number.to_bytes(32, "little") for number in SMALL_ORDER]
    messages = [frame(Label.SIGNED_BODY, seed(number)) for number in range(64)]
    assert sum(any(_holds(weak, point + bytes(32), message) for point in points) for message in messages) > 16


def _holds(public: bytes, signature: bytes, message: bytes) -> bool:
    try:
        Ed25519PublicKey.from_public_bytes(public).verify(signature, message)
    except InvalidSignature:
        return False
    return True


def test_unusable_one_round_keys_are_refused() -> None:
    """Low order, not canonical, top bit set, wrong length: an honest sender's box could not be made or opened."""
    bad = [number.to_bytes(32, "little") for number in LOW_ORDER_U + list(range(PRIME, 2**255))]
    bad += [(int.from_bytes(round_public(seed(1)), "little") | 1 << 255).to_bytes(32, "little"), b"", b"\x09" * 31]
    for public in bad:
        with pytest.raises(BadKey):
            check_round_key(public)


def test_normal_one_round_keys_pass() -> None:
    """500 one-round keys made from random bytes are all accepted."""
    for number in range(500):
        check_round_key(round_public(seed(number)))


def test_repr_shows_no_secret() -> None:
    """A key in a log or a traceback shows its public half only."""
    signer = key(4)
    assert repr(signer) == str(signer) == f"SigningKey(public={signer.public.hex()})"
    assert seed(4).hex() not in repr(signer)
    assert not hasattr(signer, "__dict__")
