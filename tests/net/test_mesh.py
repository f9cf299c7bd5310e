"""Links by public key: who gets one, that there is one for each peer, and that a wanted one comes back."""

import asyncio
import gc
import itertools
import weakref

import pytest

from p2pdice.net import mesh as module
from p2pdice.net.channel import VERSION, Channel, open_channel
from p2pdice.net.errors import ChannelError, VersionMismatch
from p2pdice.protocol.codec import FRAME_BYTES
from tests.net.netkit import HOST, LIMIT_S, Node, key, nodes


def link(node: Node, other: Node) -> Channel:
    """The channel of an existing link."""
    channel = node.mesh.channel(other.key.public)
    assert channel is not None
    return channel


async def linked(one: Node, other: Node) -> None:
    """Connect the first to the second."""
    assert await one.mesh.connect(other.address) == other.key.public
    await other.until(lambda: one.key.public in other.mesh.peers)


async def test_a_mesh_of_six_carries_every_frame() -> None:
    """Everybody is linked with everybody, and what each sends to each arrives once, in order, from the right key."""
    async with nodes(6) as six:
        for later, earlier in itertools.combinations(reversed(six), 2):
            later.mesh.want(earlier.key.public, earlier.address)
        for node in six:
            await node.until(lambda node=node: len(node.linked) == 5)  # type: ignore[misc]
            for peer in node.mesh.peers:
                for number in range(20):
                    node.mesh.send(peer, bytes([number]))
        for node in six:
            await node.until(lambda node=node: len(node.received) == 100)  # type: ignore[misc]
            for peer in node.mesh.peers:
                assert [frame[0] for sender, frame in node.received if sender == peer] == list(range(20))


@pytest.mark.parametrize("count", [2, 6])
async def test_when_everybody_dials_everybody_one_link_each_is_left(
        count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """All dials cross: in the end both sides of each pair hold the same connection, and it carries frames."""
    monkeypatch.setattr(module, "HEAD_START_S", 0.0)
    async with nodes(count) as all_of_them:
        pairs = list(itertools.combinations(all_of_them, 2))
        for one, other in pairs:
            one.mesh.want(other.key.public, other.address)
            other.mesh.want(one.key.public, one.address)

        def settled() -> bool:
            ends = [(one.mesh.channel(other.key.public), other.mesh.channel(one.key.public)) for one, other in pairs]
            return all(here and there and here.session == there.session for here, there in ends)

        await all_of_them[0].until(settled)
        for one, other in pairs:
            one.mesh.send(other.key.public, b"hello")
            await other.until(lambda one=one, other=other: (one.key.public, b"hello") in other.received)  # type: ignore[misc]
        assert settled()


async def test_of_two_who_want_a_link_the_lower_key_dials(monkeypatch: pytest.MonkeyPatch) -> None:
    """Both dials would cross, and one handshake be for nothing; where the lower key does not, the other does."""
    monkeypatch.setattr(module, "HEAD_START_S", LIMIT_S)
    async with nodes(2) as both:
        low, high = sorted(both, key=lambda node: node.key.public)
        high.mesh.want(low.key.public, low.address)
        low.mesh.want(high.key.public, high.address)
        for node in both:
            await node.until(lambda node=node: node.linked)  # type: ignore[misc]
        assert link(low, high).dialled
    monkeypatch.setattr(module, "HEAD_START_S", 0.001)
    async with nodes(2) as both:
        low, high = sorted(both, key=lambda node: node.key.public)
        high.mesh.want(low.key.public, low.address)
        await low.until(lambda: low.linked)
        assert not link(low, high).dialled


@pytest.mark.parametrize("lower_dials_first", [True, False])
async def test_of_two_crossing_connections_the_lower_keys_stays(lower_dials_first: bool) -> None:
    """Two complete connections, one from each side: whichever came first, the lower key's is kept."""
    async with nodes(2) as both:
        low, high = sorted(both, key=lambda node: node.key.public)
        first, second = (low, high) if lower_dials_first else (high, low)
        await linked(first, second)
        # The second dialler has a link already, so only a dial by hand can cross now.
        crossing = await open_channel(HOST, first.port, second.key)
        second.mesh._adopt(crossing)
        if lower_dials_first:
            await asyncio.wait_for(crossing.wait_closed(), LIMIT_S)
            assert first.lost == second.lost == []
        else:
            await first.until(lambda: len(first.linked) == 2)
        assert link(low, high).dialled
        assert link(low, high).session == link(high, low).session


async def test_a_second_connection_of_the_same_dialler_replaces_the_first() -> None:
    """Who dials again has lost its old link, whatever the other side still believes."""
    async with nodes(2) as (ana, beto):
        await linked(ana, beto)
        old = link(beto, ana)
        again = await open_channel(HOST, beto.port, ana.key)
        await beto.until(lambda: len(beto.linked) == 2)
        assert beto.lost == [ana.key.public]
        assert link(beto, ana) is not old
        await ana.until(lambda: ana.lost)
        again.close()


async def test_a_wanted_link_comes_back() -> None:
    """A broken link is dialled again by the side that wants it, until it stands or is no longer wanted."""
    async with nodes(2) as (ana, beto):
        ana.mesh.want(beto.key.public, beto.address)
        for times in range(1, 4):
            await ana.until(lambda times=times: len(ana.linked) == times)  # type: ignore[misc]
            await beto.until(lambda times=times: len(beto.linked) == times)  # type: ignore[misc]
            link(beto, ana).abort()
        await ana.until(lambda: len(ana.linked) == 4)
        ana.mesh.forget(beto.key.public)
        await beto.until(lambda: len(beto.lost) == 4)
        assert ana.mesh._seeking == {}


async def test_a_peer_that_restarts_is_found_again() -> None:
    """The same key at the same port, after some refused dials in between, is linked again."""
    async with nodes(1) as (ana,):
        beto = Node(2)
        beto.listen()
        ana.mesh.want(beto.key.public, [(HOST, 1), (HOST, beto.port)])
        await ana.until(lambda: ana.linked)
        await beto.mesh.aclose()
        await ana.until(lambda: ana.lost)
        reborn = Node(2)
        reborn.listen(beto.port)
        await ana.until(lambda: len(ana.linked) == 2)
        await reborn.mesh.aclose()


async def test_somebody_else_at_the_address_is_not_linked() -> None:
    """With an expected key, another one is a reason, not a link."""
    async with nodes(2) as (ana, beto):
        with pytest.raises(ChannelError, match="other-key"):
            await ana.mesh.connect(beto.address, expected=key(9).public)
        assert ana.linked == []


async def test_looking_for_somebody_at_another_ones_address_leaves_the_link_to_that_one_alone() -> None:
    """Who is missing may be sought at ports where others of the table are: their links stand through it."""
    async with nodes(2) as (ana, beto):
        await linked(ana, beto)
        stands = link(beto, ana)
        with pytest.raises(ChannelError, match="other-key"):
            await ana.mesh.connect(beto.address, expected=key(9).public)
        ana.mesh.send(beto.key.public, b"still here")
        await beto.until(lambda: (ana.key.public, b"still here") in beto.received)
        assert link(beto, ana) is stands
        assert ana.lost == beto.lost == []


async def test_closing_sends_what_is_queued_and_calls_nobody_back() -> None:
    """What was sent before the goodbye arrives, and the one that closes hears nothing more."""
    async with nodes(2) as (ana, beto):
        await linked(ana, beto)
        for _ in range(50):
            ana.mesh.send(beto.key.public, bytes(FRAME_BYTES))
        await ana.mesh.aclose()
        await beto.until(lambda: beto.lost)
        assert len(beto.received) == 50
        assert ana.lost == []


async def test_a_silent_link_is_dead(monkeypatch: pytest.MonkeyPatch) -> None:
    """TCP does not notice a pulled cable: who has not been heard for long is lost, who beats is not."""
    monkeypatch.setattr(module, "WATCH_S", 0.02)
    monkeypatch.setattr(module, "BEAT_S", 0.02)
    async with nodes(2) as (ana, beto):
        await linked(ana, beto)
        mute = await open_channel(HOST, ana.port, key(9))
        await ana.until(lambda: key(9).public in ana.linked)
        monkeypatch.setattr(module, "SILENT_S", 0.5)
        await ana.until(lambda: ana.lost)
        assert ana.lost == [key(9).public]
        assert beto.received == []  # beats are no frames
        mute.close()


async def test_a_flood_of_frames_is_slowed_down_not_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    """A peer gets its burst at once and the rest at the rate it may have."""
    monkeypatch.setattr(module, "FRAMES_BURST", 10.0)
    monkeypatch.setattr(module, "FRAMES_PER_S", 200.0)
    async with nodes(2) as (ana, beto):
        await linked(ana, beto)
        begin = asyncio.get_running_loop().time()
        for number in range(50):
            ana.mesh.send(beto.key.public, bytes([number]))
        await beto.until(lambda: len(beto.received) == 50)
        assert asyncio.get_running_loop().time() - begin >= 39 / 200
        assert [frame[0] for _, frame in beto.received] == list(range(50))


async def test_a_new_link_brings_no_new_burst(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever hangs up and dials again in a game waits as it would have over the old link."""
    monkeypatch.setattr(module, "FRAMES_BURST", 10.0)
    monkeypatch.setattr(module, "FRAMES_PER_S", 0.001)
    async with nodes(1) as (ana,):
        async def visit() -> None:
            before = len(ana.linked), len(ana.received)
            peer = await open_channel(HOST, ana.port, key(9))
            await ana.until(lambda: len(ana.linked) > before[0])
            for _ in range(5):
                peer.send(b"noise")
            await ana.until(lambda: len(ana.received) > before[1])
            peer.close()
            await peer.wait_closed()

        ana.mesh.want(key(9).public, [(HOST, 1)])
        for _ in range(10):
            await visit()
        # What the burst held, and on each link one more, with which it was seen that nothing is left.
        assert len(ana.received) <= 10 + 10


async def test_an_oversized_frame_ends_the_link() -> None:
    """A peer that breaks the framing is lost, and the reason is reported."""
    async with nodes(1) as (ana,):
        peer = await open_channel(HOST, ana.port, key(9))
        transport = peer._transport
        assert transport is not None
        transport.write((FRAME_BYTES + 1).to_bytes(4, "big"))
        await ana.until(lambda: ana.lost == [key(9).public])
        assert [error.reason for error in ana.refused] == ["oversized"]
        peer.close()


async def test_a_stranger_of_another_version_is_reported_to_both() -> None:
    """Both people can be told that one of them has to update."""
    async with nodes(1) as (ana,):
        other = Node(9, version=(VERSION[0], VERSION[1] + 1))
        with pytest.raises(VersionMismatch):
            await other.mesh.connect(ana.address)
        await ana.until(lambda: ana.refused)
        assert isinstance(ana.refused[0], VersionMismatch)
        await other.mesh.aclose()


async def test_links_are_capped(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fresh keys cost nothing, so even authenticated strangers get only so many links."""
    monkeypatch.setattr(module, "LINKS_LOCAL", 2)
    async with nodes(1) as (ana,):
        peers = [await open_channel(HOST, ana.port, key(number)) for number in (7, 8, 9)]
        assert await asyncio.wait_for(peers[2].receive(), LIMIT_S) is None
        assert len(ana.mesh.peers) == 2
        for peer in peers:
            peer.close()


async def test_a_link_that_is_over_leaves_nothing_behind() -> None:
    """Its buffers are large and strangers can make many: they go with the link, not with the next collection."""
    async with nodes(2) as (ana, beto):
        await linked(ana, beto)
        accepted = weakref.ref(link(beto, ana))
        gc.collect()
        gc.disable()
        try:
            link(ana, beto).abort()
            await beto.until(lambda: beto.lost)
            async with asyncio.timeout(LIMIT_S):
                while accepted() is not None:
                    await asyncio.sleep(0)  # asyncio has a last look at it, too
        finally:
            gc.enable()


async def test_whoever_has_said_goodbye_is_sent_nothing_more(caplog: pytest.LogCaptureFixture) -> None:
    """Frames for a peer that is just going vanish quietly: what asyncio would say of them must not reach a terminal."""
    async with nodes(2) as (ana, beto):
        await linked(ana, beto)
        going = link(beto, ana)
        eof = going.eof_received

        def gone() -> None:
            eof()
            for _ in range(20):
                asyncio.get_running_loop().call_soon(beto.mesh.send, ana.key.public, b"too late")

        going.eof_received = gone  # type: ignore[method-assign]
        link(ana, beto).close()
        await beto.until(lambda: beto.lost)
    assert not caplog.records
