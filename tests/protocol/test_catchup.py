"""What a process asks others for, by what they say of themselves."""

from types import SimpleNamespace
from typing import cast

from p2pdice.protocol import frames
from p2pdice.protocol.catchup import ASK_S, CatchUp, Link
from p2pdice.protocol.messages import Signed
from p2pdice.protocol.session import Session

AHEAD = frames.Ping((), 2, 0, 0, 6, b"", b"")


def test_whoever_is_ahead_is_asked_once_nothing_comes_by_itself() -> None:
    """In a deal somebody always is; only in a halt, whose votes may be missing here, it cannot wait."""
    sent: list[tuple[bytes, frames.Frame]] = []
    catch_up = CatchUp({b"beto": Link(0.0, 0.0)}, lambda link, frame: sent.append((link, frame)), 0.0)
    session = SimpleNamespace(position=(0, 0, 5), halted=False)
    catch_up.session = cast(Session, session)
    catch_up.relay(Signed(b"", b""), b"ana", b"ana", {b"ana", b"beto"}, 10.0)
    sent.clear()
    catch_up.compare(b"beto", AHEAD, b"", b"", 10.0 + ASK_S / 2)
    assert sent == []
    catch_up.compare(b"beto", AHEAD, b"", b"", 10.0 + ASK_S)
    assert sent == [(b"beto", frames.Fetch(0, 5))]
    catch_up.relay(Signed(b"", b""), b"ana", b"ana", {b"ana", b"beto"}, 20.0)
    sent.clear()
    session.halted = True
    catch_up.compare(b"beto", AHEAD, b"", b"", 20.0)
    assert sent == [(b"beto", frames.Fetch(0, 5))]
