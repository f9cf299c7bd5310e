"""How much of this process strangers and peers may use: connections not yet authenticated, links, incoming frames,
the time that they take. Counts only; must not know what is counted."""

from collections import Counter
from dataclasses import dataclass


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
    """A token bucket: bursts up to `burst`, in the long run `rate` a second, which may be changed. Times are seconds of
    any one clock."""

    __slots__ = ("_burst", "_filled_at", "_tokens", "rate")

    def __init__(self, rate: float, burst: float, now: float) -> None:
        self.rate = rate
        self._burst = burst
        self._tokens = burst
        self._filled_at = now

    def take(self, amount: float, now: float) -> float:
        """Take `amount`, and return how many seconds to wait before taking again; 0 while there is some left."""
        full = self._tokens + (now - self._filled_at) * self.rate
        self._tokens = tokens = (full if full < self._burst else self._burst) - amount
        self._filled_at = now
        return 0.0 if tokens >= 0 else -tokens / self.rate

    def try_take(self, now: float) -> bool:
        """Take one if there is one."""
        if self.take(0, now) > 0 or self._tokens < 1:
            return False
        self._tokens -= 1
        return True


@dataclass(frozen=True, slots=True)
class Budget:
    """What a link, or all strangers together, may bring."""

    frames: Bucket
    data: Bucket  # bytes
    work: Bucket  # seconds of this process's time

    def take(self, size: int, work_s: float, now: float) -> float:
        """One frame of that size, which took so long; how many seconds to wait before the next."""
        return max(self.frames.take(1, now), self.data.take(size, now), self.work.take(work_s, now))


class Turnstile:
    """A bucket of visits for each address, and one for all of them."""

    def __init__(self, rate: float, burst: float, in_all: float, burst_in_all: float, most: int, now: float) -> None:
        self._each = (rate, burst)
        self._all = Bucket(in_all, burst_in_all, now)
        self._most = most
        self._by_address: dict[str, Bucket] = {}

    def enter(self, address: str, now: float) -> bool:
        """Whether one more visit fits now; an address that is refused costs the others nothing."""
        bucket = self._by_address.pop(address, None) or Bucket(*self._each, now)
        self._by_address[address] = bucket  # those that came last stand last
        if len(self._by_address) > self._most:
            del self._by_address[next(iter(self._by_address))]
        return bucket.try_take(now) and self._all.try_take(now)
