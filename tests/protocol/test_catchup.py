"""What a process asks others for, by what they say of themselves."""

from types import SimpleNamespace
from typing import cast

from p2pdice.protocol import frames
from p2pdice.protocol.catchup import ASK_S, CatchUp
from p2pdice.protocol.messages import Signed
from p2pdice.protocol.table import Link, Table

AHEAD = frames.Ping((), 2, 0, 0, 6, b"", b"")


def test_whoever_is_ahead_is_asked_once_nothing_comes_by_itself() -> None:
    """In a deal somebody always is; only in a halt, whose votes may be missing here, it cannot wait."""
    sent: list[tuple[bytes, frames.Frame]] = []
    session = SimpleNamespace(position=(0, 0, 5), halted=False)
    table = SimpleNamespace(links={b"beto": Link(0.0, 0.0)}, linked=[b"beto"], session=session,
                            place=(2, 0, 0, 5, b"", b""), send=lambda link, frame: sent.append((link, frame)))
    catch_up = CatchUp(cast(Table, table), 0.0)
    catch_up.relay(Signed(b"", b""), b"ana", b"ana", 10.0)
    sent.clear()
    catch_up.compare(b"beto", AHEAD, 10.0 + ASK_S / 2)
    assert sent == []
    catch_up.compare(b"beto", AHEAD, 10.0 + ASK_S)
    assert sent == [(b"beto", frames.Fetch(0, 5))]
    catch_up.relay(Signed(b"", b""), b"ana", b"ana", 20.0)
    sent.clear()
    session.halted = True
    catch_up.compare(b"beto", AHEAD, 20.0)
    assert sent == [(b"beto", frames.Fetch(0, 5))]
