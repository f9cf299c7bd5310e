"""How often something that nobody has signed may come of each, so that no flood of it fills a screen or keeps others
busy (protocol.md section 14). Must not know what it is."""

NEWS_PER_MINUTE = 20  # of one seat: links that come and go, wishes that change
ASKS_PER_MINUTE = 90  # of one guest in the lobby: seats, another name, being ready; each of 30 bots costs two
MOST_REMEMBERED = 256  # keys are the strangers' to make


class Often:
    """So many times a minute, by key; a fresh link brings no fresh start."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._came_at: dict[bytes, list[float]] = {}

    def allows(self, key: bytes, now: float) -> bool:
        """Whether it may come of this key once more, which is counted then."""
        recent = [at for at in self._came_at.pop(key, ()) if at > now - 60]
        allowed = len(recent) < self._most
        if allowed:
            recent.append(now)
        self._came_at[key] = recent  # those that came last stand last
        if len(self._came_at) > MOST_REMEMBERED:
            del self._came_at[next(iter(self._came_at))]
        return allowed
