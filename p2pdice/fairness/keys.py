"""Ed25519 signing keys, and the check that refuses public keys under which a signature proves nothing. Knows framing
and labels; must not know what is signed, nor where a key is kept."""

from collections.abc import Callable

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey

from p2pdice.fairness.errors import BadKey
from p2pdice.fairness.framing import Part, framed
from p2pdice.fairness.labels import Label

KEY_BYTES = 32
RandomBytes = Callable[[int], bytes]  # so many fresh ones: what secrets are made from
SIGNATURE_BYTES = 64

_FIELD_PRIME = 2**255 - 19
# The y-coordinates of the eight points of small order on edwards25519. Under such a key one constant signature holds
# for many messages (under the identity for all), and OpenSSL accepts them, so evidence signed by one convicts nobody.
_SMALL_ORDER_Y = 0x05FC536D880238B13933C6D305ACDFD5F098EFF289F4C345B027B2C28F95E826
_WEAK_Y = frozenset({0, 1, _FIELD_PRIME - 1, _SMALL_ORDER_Y, _FIELD_PRIME - _SMALL_ORDER_Y})


class SigningKey:
    """A player's identity: an Ed25519 key made from 32 random bytes. Its repr shows the public half only."""

    __slots__ = ("_private", "public")

    def __init__(self, seed: bytes) -> None:
        self._private = Ed25519PrivateKey.from_private_bytes(seed)
        self.public: bytes = self._private.public_key().public_bytes_raw()

    def sign(self, label: Label, *parts: Part) -> bytes:
        """64 bytes over F(label, part...)."""
        return self._private.sign(framed(label, parts))

    def secret(self) -> bytes:
        """The 32 bytes that make this key again: for a file that nobody else may read."""
        return self._private.private_bytes_raw()

    def __repr__(self) -> str:
        return f"SigningKey(public={self.public.hex()})"


def check_public(public: bytes) -> None:
    """Raise BadKey unless `public` is 32 bytes, canonical, and not of small order (protocol.md section 3)."""
    if len(public) != KEY_BYTES:
        raise BadKey("a public key is 32 bytes")
    y = int.from_bytes(public, "little") & (2**255 - 1)
    if y >= _FIELD_PRIME or y in _WEAK_Y:
        raise BadKey("a public key of small order or in a form that is not canonical")
    try:
        Ed25519PublicKey.from_public_bytes(public)
    except ValueError as error:  # pragma: no cover - OpenSSL decodes the point only when it verifies
        raise BadKey("not a point of the curve") from error


class Verifier:
    """The public half, ready to check signatures; keep one per player, loading a key costs more than a look-up."""

    __slots__ = ("_key", "public")

    def __init__(self, public: bytes) -> None:
        """Raises BadKey."""
        check_public(public)
        self.public = public
        self._key = Ed25519PublicKey.from_public_bytes(public)

    def holds(self, signature: bytes, label: Label, *parts: Part) -> bool:
        """Whether `signature` is this key's over F(label, part...)."""
        try:
            self._key.verify(signature, framed(label, parts))
        except (InvalidSignature, ValueError):
            return False
        return True


def verify(public: bytes, signature: bytes, label: Label, *parts: Part) -> bool:
    """Whether the signature holds; False too for a key that check_public refuses."""
    try:
        return Verifier(public).holds(signature, label, *parts)
    except BadKey:
        return False


def check_round_key(public: bytes) -> None:
    """Raise BadKey unless `public` is a usable one-round X25519 key: 32 bytes, canonical, not of low order.

    A low-order key would make an honest sender's box impossible to make or to open (protocol.md section 6).
    """
    if len(public) != KEY_BYTES:
        raise BadKey("a one-round key is 32 bytes")
    if int.from_bytes(public, "little") >= _FIELD_PRIME:
        raise BadKey("a one-round key that is not canonical")
    try:
        X25519PrivateKey.from_private_bytes(b"\x01" * KEY_BYTES).exchange(X25519PublicKey.from_public_bytes(public))
    except ValueError as error:
        raise BadKey("a one-round key of low order") from error
