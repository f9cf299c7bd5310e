"""What can be wrong with a key or a sealed share, as exceptions without any secret in them."""


class FairnessError(ValueError):
    """Base of this package's errors."""


class BadKey(FairnessError):
    """A public key that honest software never makes (protocol.md section 3)."""


class BadBox(FairnessError):
    """A sealed share that does not open: wrong length, wrong key, changed bytes."""
