"""Two kinds of blame: what a peer's bytes did wrong, and what our own caller did wrong. Neither carries a secret."""


class Malformed(ValueError):
    """Bytes that no honest client sends; `reason` is a stable word. Proves nothing by itself."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class PeerFault(Exception):
    """The peer behind a link sent what an honest one does not, without a signature that would prove it to others.

    The only exception that bytes from the network can cause; the link may be closed, the game stands as it was.
    """

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class LocalFault(Exception):
    """Our own user or program asked for what cannot be done now; nothing was sent. `fields` explain the reason."""

    def __init__(self, reason: str, **fields: object) -> None:
        super().__init__(reason)
        self.reason = reason
        self.fields = fields
