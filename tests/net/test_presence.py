"""Where players of a game are looked for, by what is said at the table and by what strangers announce."""

import asyncio
from collections.abc import Sequence
from typing import cast

from p2pdice.net.dial import MOST_TARGETS, Address
from p2pdice.net.hints import Hint
from p2pdice.net.mesh import Mesh
from p2pdice.net.presence import Presence

ROOM, PEER = "ab" * 16, b"p" * 32


class NoLinks:
    """A mesh to which nobody is linked: what it is to dial, by key."""

    missing = (PEER,)

    def __init__(self) -> None:
        self.wanted: dict[bytes, Sequence[Address]] = {}

    def want(self, peer: bytes, addresses: Sequence[Address]) -> None:
        self.wanted[peer] = addresses


def test_hints_never_take_the_place_of_what_was_said_at_the_table() -> None:
    """Somebody announces ever new addresses for a player who is missing: the true one goes on being dialled, and what
    was announced last."""
    async def look() -> Sequence[Address]:
        mesh = NoLinks()
        presence = Presence(cast(Mesh, mesh), "127.0.0.1", mdns=False)
        presence.playing(ROOM)
        presence.expect(PEER, [("192.0.2.7", 47600)])
        for number in range(9):
            flood = tuple((f"198.51.100.{8 * number + part}", 80) for part in range(8))
            presence._heard(Hint(f"{number:016x}", flood, room=ROOM))
        presence._heard(Hint("f" * 16, (("192.0.2.8", 47600),), peer=PEER.hex()[:16]))
        await presence.aclose()
        return mesh.wanted[PEER]

    found = asyncio.run(look())
    assert found[:2] == (("192.0.2.7", 47600), ("192.0.2.8", 47600))
    assert len(found) <= MOST_TARGETS


def test_another_games_hints_are_passed_over() -> None:
    """They name another room, or another player."""
    async def look() -> Sequence[Address]:
        mesh = NoLinks()
        presence = Presence(cast(Mesh, mesh), "127.0.0.1", mdns=False)
        presence.playing(ROOM)
        presence.expect(PEER, [("192.0.2.7", 47600)])
        presence._heard(Hint("0" * 16, (("192.0.2.8", 1),), room="cd" * 16))
        presence._heard(Hint("1" * 16, (("192.0.2.9", 1),), peer="7"))
        await presence.aclose()
        return mesh.wanted[PEER]

    assert asyncio.run(look()) == (("192.0.2.7", 47600),)
