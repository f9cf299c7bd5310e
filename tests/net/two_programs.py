"""Run by test_discovery in a network of its own: `host PORT SECONDS` announces a table, `join SECONDS` prints, as JSON,
the first table it finds and what befell it; `both`, `lan` and `knock` start such programs as their test needs."""

import asyncio
import json
import socket
import subprocess
import sys
from collections.abc import Sequence

from p2pdice.net.discovery import Discovery
from p2pdice.net.hints import Hint

TEXT = {"v": "1", "room": "ab" * 16, "title": "Mesa de Ana", "players": "1/6", "state": "open"}
MDNS_ONLY_PORT = 40000  # none of those that are tried on this computer without mDNS


async def host(port: int, hold_s: float) -> None:
    """Announce a table, at once full, until a line comes in on standard input or the time is over."""
    discovery = Discovery()
    await discovery.start()
    await discovery.announce(port, TEXT)
    await discovery.announce(port, {**TEXT, "players": "2/6"})
    print("announced", flush=True)
    loop = asyncio.get_running_loop()
    told = asyncio.Event()
    loop.add_reader(sys.stdin, told.set)
    try:
        await asyncio.wait_for(told.wait(), hold_s)
    finally:
        loop.remove_reader(sys.stdin)
        await discovery.aclose()


async def join(wait_s: float) -> None:
    """Print what is found: once it says that two of six are there, ask for its end."""
    discovery = Discovery()
    await discovery.start()
    events: asyncio.Queue[Hint | str] = asyncio.Queue()
    discovery.browse(events.put_nowait, events.put_nowait)
    print("browsing", flush=True)
    async with asyncio.timeout(wait_s):
        while True:
            event = await events.get()
            if isinstance(event, str):
                print(json.dumps({"gone": event}), flush=True)
                break
            print(json.dumps({"addresses": event.addresses, "title": event.title, "players": event.players,
                              "room": event.room, "instance": event.instance}), flush=True)
    await discovery.aclose()


def start(prefix: Sequence[str], *arguments: str) -> subprocess.Popen[str]:
    """One of the above as a process, which has said its first line."""
    process = subprocess.Popen([*prefix, sys.executable, "-m", "tests.net.two_programs", *arguments], text=True,
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdout is not None
    process.stdout.readline()
    return process


def meet(first: Sequence[str], second: Sequence[str], join_first: bool) -> None:
    """A host and one who searches, in two networks or one; prints what the second found."""
    if join_first:
        seeker = start(second, "join", "20")
    host_process = start(first, "host", str(MDNS_ONLY_PORT), "20")
    if not join_first:
        seeker = start(second, "join", "20")
    assert seeker.stdout is not None
    while '"2/6"' not in (line := seeker.stdout.readline()):
        print(line, end="")
        assert line, "ended without having found the change"
    print(line, end="")
    host_process.communicate("bye")
    print(seeker.communicate()[0], end="")


def knock() -> None:
    """A listening program without mDNS; prints what another finds."""
    with socket.create_server(("127.0.0.1", 47605)):
        process = subprocess.Popen([sys.executable, "-m", "tests.net.two_programs", "join", "5"], text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        assert process.stdout is not None
        process.stdout.readline()
        print(process.stdout.readline(), end="")
        process.kill()
        process.communicate()


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["host", port, hold_s]:
            asyncio.run(host(int(port), float(hold_s)))
        case ["join", wait_s]:
            asyncio.run(join(float(wait_s)))
        case ["both", order]:
            meet([], [], order == "join-first")
        case ["lan", order]:
            meet(["ip", "netns", "exec", "h"], ["ip", "netns", "exec", "j"], order == "join-first")
        case ["knock"]:
            knock()
