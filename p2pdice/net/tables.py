"""The tables on this network: hints from discovery, each asked for its card before anybody believes it."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator

from p2pdice.net.cards import Found, ask_card
from p2pdice.net.discovery import Discovery
from p2pdice.net.hints import PLAYING, Hint

MOST_MISSES = 3


async def tables(wait_s: float | None, *, bind: str | None = None) -> AsyncIterator[Found]:
    """Open tables as they answer, each once, until `wait_s` is over (None: for ever). Raises DiscoveryFailed."""
    discovery = Discovery(bind)
    await discovery.start()
    answers: asyncio.Queue[Found] = asyncio.Queue()
    asking: set[asyncio.Task[None]] = set()
    misses: Counter[str] = Counter()

    async def ask(hint: Hint) -> None:
        found = await ask_card(hint)
        if found is not None:
            answers.put_nowait(found)
            return
        misses[hint.instance] += 1
        if misses[hint.instance] < MOST_MISSES:
            discovery.forget(hint.instance)  # a host may be busy, or just gone; it will be asked again

    def heard(hint: Hint) -> None:
        if hint.state == PLAYING:
            return  # its players look for each other, not for more
        task = asyncio.create_task(ask(hint))
        asking.add(task)
        task.add_done_callback(asking.discard)

    try:
        discovery.browse(heard, lambda instance: None)
        shown: set[str] = set()
        end = None if wait_s is None else asyncio.get_running_loop().time() + wait_s
        while True:
            try:
                async with asyncio.timeout_at(end):  # never around a yield: it would cut off whoever iterates
                    found = await answers.get()
            except TimeoutError:
                return
            if found.id not in shown and found.state == "open":
                shown.add(found.id)
                yield found
    finally:
        for task in asking:
            task.cancel()
        await discovery.aclose()
