"""How much of this process strangers and peers may use: connections not yet authenticated, links, incoming frames.
Counts only; must not know what is counted."""

from collections import Counter


class Gate:
    """Counts connections, in all and by address; those from this computer itself have a limit of their own."""

    def __init__(self, in_all: int, per_address: int, local: int) -> None:
        self._in_all = in_all
        self._per_address = per_address
        self._local = local
        self._by_address: Counter[str] = Counter()
        self._local_count = 0

    def enter(self, address: str, *, local: bool) -> bool:
        """Count one more if it fits; each True needs one `leave`."""
        if local:
            if self._local_count >= self._local:
                return False
            self._local_count += 1
            return True
        if self._by_address.total() >= self._in_all or self._by_address[address] >= self._per_address:
            return False
        self._by_address[address] += 1
        return True

    def leave(self, address: str, *, local: bool) -> None:
        """The connection is over, or has become something else."""
        if local:
            self._local_count -= 1
            return
        self._by_address[address] -= 1
        if not self._by_address[address]:
            del self._by_address[address]  # addresses are the strangers' to choose: keep none


class Bucket:
    """A token bucket: bursts up to `burst`, in the long run `rate` a second. Times are seconds of any one clock."""

    __slots__ = ("_burst", "_filled_at", "_rate", "_tokens")

    def __init__(self, rate: float, burst: float, now: float) -> None:
        self._rate = rate
        self._burst = burst
        self._tokens = burst
        self._filled_at = now

    def take(self, amount: float, now: float) -> float:
        """Take `amount`, and return how many seconds to wait before taking again; 0 while there is some left."""
        self._tokens = min(self._burst, self._tokens + (now - self._filled_at) * self._rate) - amount
        self._filled_at = now
        return max(0.0, -self._tokens / self._rate)
