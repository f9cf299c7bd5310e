"""What can go wrong between this program and the network or the disk, each with a stable word for the reason. The
sentences a person reads are made from the words elsewhere."""


class NetError(Exception):
    """Base of this package's errors: a reason word, and fields that a message may need."""

    def __init__(self, reason: str, **fields: object) -> None:
        super().__init__(reason)
        self.reason = reason
        self.fields = fields

    def __str__(self) -> str:
        return " ".join([self.reason, *(f"{name}={value!r}" for name, value in self.fields.items())])


class ChannelError(NetError):
    """No authenticated channel came about, or it broke its own rules.

    Before a connection: refused (that computer answers, nothing is on the port), timeout (nothing at all came back),
    unreachable, no-network, missing-zone (a link-local address without its interface), unknown-host, denied (this
    computer's own firewall or permissions). After it: frozen (connected, no answer), closed (hung up in the middle),
    bad-handshake, version, self, other-key (authenticated, but as somebody else), other-table (it shows another table
    than the one looked for), oversized.
    """


class VersionMismatch(ChannelError):
    """The other side speaks another protocol or plays by another rules engine; both sides learn both pairs."""

    def __init__(self, theirs: tuple[int, int], ours: tuple[int, int]) -> None:
        super().__init__("version", theirs=theirs, ours=ours)
        self.theirs = theirs
        self.ours = ours


class SelfConnect(ChannelError):
    """The other end of the connection is this very identity."""

    def __init__(self) -> None:
        super().__init__("self")


class ListenError(NetError):
    """No port could be opened: port-taken, port-denied, bad-address (not one of this computer's)."""


class PortTaken(ListenError):
    """The port the user asked for is in use."""

    def __init__(self, port: int) -> None:
        super().__init__("port-taken", port=port)


class DiscoveryFailed(NetError):
    """Tables on this network can be neither announced nor found: mdns-port-busy, denied, no-interface, failed.

    Joining by address goes on working; callers show the reason once and carry on.
    """


class StoreError(NetError):
    """A file cannot be what it has to be: record-exists (another game's, or no transcript), record-unwritable."""
