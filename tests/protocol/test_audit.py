"""A transcript that is not exactly what was played is never called clean, and the first wrong entry is named."""

import functools
import gc
import weakref
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from p2pdice.protocol.audit import Report, audit, replayed
from p2pdice.protocol.messages import Signed
from p2pdice.protocol.transcript import MAGIC, Damaged, Entry, TranscriptWriter, is_transcript, read_entries
from tests.tablekit import Table


@functools.cache
def played(system: str = "perudo", players: int = 3) -> bytes:
    """The transcript of one whole game."""
    options = {"starting_dice": "3"} if system == "clasico" else {"starting_dice": "2"}
    table = Table(players, system, options, seed=11)
    table.play()
    files = {node.file for node in table.nodes}
    assert len(files) == 1, "all peers write the same record"
    return files.pop()


def rewritten(entries: list[Entry]) -> bytes:
    """A file whose chain is in order again, as somebody would make it who edits entries and knows the format."""
    writer = TranscriptWriter()
    return b"".join(writer.add(entry.kind, entry.signed) for entry in entries)


@pytest.mark.parametrize("system", ["perudo", "dudo", "clasico", "perudo-pt", "doodoo"])
def test_a_whole_game_is_clean(system: str) -> None:
    """A game as it was played verifies, with its winner, rounds and dice."""
    report = audit(played(system))
    assert (report.verdict, report.findings, report.stopped_at) == ("clean", [], None)
    assert len(report.winners) == 1
    assert report.rounds >= 4
    assert report.dice > 10
    assert report.entries == len(list(read_entries(played(system))))
    assert report.signatures >= report.entries


def test_a_game_that_was_judged_is_not_kept() -> None:
    """All of a record goes as soon as nobody asks for it: looking for it among rings of objects takes Python long."""
    gc.disable()
    try:
        found = replayed(played())
        assert found.ledger
        ledger = weakref.ref(found.ledger)
        del found
        assert ledger() is None
    finally:
        gc.enable()


def spots(raw: bytes) -> list[int]:
    """Offset of each entry, and of the end."""
    found = [len(MAGIC)]
    while found[-1] < len(raw):
        found.append(found[-1] + 4 + int.from_bytes(raw[found[-1]:found[-1] + 4], "big"))
    return found


def test_each_entry_dropped_doubled_or_swapped_is_named() -> None:
    """With the chain of records left as it was: the first entry that does not follow its forerunner is named."""
    raw = played()
    starts = spots(raw)
    parts = [raw[start:end] for start, end in pairwise(starts)]
    assert len(parts) > 40
    for number, part in enumerate(parts):
        before, after = parts[:number], parts[number + 1:]
        dropped = audit(MAGIC + b"".join(before + after))
        assert (dropped.verdict, dropped.stopped_at) == ("fault" if after else "incomplete", number)
        doubled = audit(MAGIC + b"".join([*before, part, part, *after]))
        assert (doubled.verdict, doubled.stopped_at) == ("fault", number + 1)
        if after:
            swapped = audit(MAGIC + b"".join([*before, after[0], part, *after[1:]]))
            assert (swapped.verdict, swapped.stopped_at) == ("fault", number)
            assert [finding.seat for finding in swapped.findings] == [None]


def test_each_entry_dropped_doubled_or_swapped_is_found_with_the_chain_mended() -> None:
    """Whoever rewrites the chain of records around an edit is found by signatures, states and the order of seats."""
    entries = list(read_entries(played()))
    for number in range(len(entries)):
        dropped = audit(rewritten(entries[:number] + entries[number + 1:]))
        assert_not_clean(dropped, number)
        doubled = audit(rewritten(entries[:number + 1] + entries[number:]))
        assert_not_clean(doubled, number + 1)
        if number + 1 < len(entries):
            swapped = audit(rewritten([*entries[:number], entries[number + 1], entries[number], *entries[number + 2:]]))
            assert_not_clean(swapped, number)


def assert_not_clean(report: Report, number: int) -> None:
    """Not clean, nobody blamed, and the place is where the edit is: at it, or at the end of its slot at the latest."""
    assert report.verdict in ("fault", "incomplete")
    assert all(finding.seat is None for finding in report.findings)
    assert report.stopped_at is not None
    assert number <= report.stopped_at <= number + 6


def test_each_cut_is_incomplete_and_says_where() -> None:
    """A file that ends early holds up to there; the first entry that is missing is named."""
    raw = played()
    starts = spots(raw)
    for number, (start, end) in enumerate(pairwise(starts)):
        for cut in (start, start + 1, start + 4, end - 1):
            report = audit(raw[:cut])
            assert (report.verdict, report.stopped_at, report.findings) == ("incomplete", number, [])


@given(place=st.integers(min_value=0), value=st.integers(1, 255))
def test_no_changed_byte_is_ever_clean(place: int, value: int) -> None:
    """Any one byte, anywhere, changed to anything."""
    raw = bytearray(played())
    place %= len(raw)
    raw[place] ^= value
    report = audit(bytes(raw))
    assert report.verdict != "clean"
    if place >= len(MAGIC):
        entry = sum(start <= place for start in spots(played())) - 1
        assert report.stopped_at == entry
    else:
        assert report.verdict == "unreadable"


@given(st.binary(max_size=200))
def test_no_bytes_upset_the_auditor(raw: bytes) -> None:
    """Garbage is unreadable, garbage behind the right first line is a fault or incomplete; nothing raises."""
    assert audit(raw).verdict == ("unreadable" if not is_transcript(raw) else "incomplete")
    report = audit(MAGIC + raw)
    assert report.verdict in ("fault", "incomplete")
    assert report.stopped_at == 0


def test_entries_after_the_end_are_a_fault() -> None:
    """The game ends when its replay does: nothing can be added behind."""
    entries = list(read_entries(played()))
    report = audit(rewritten([*entries, entries[-1]]))
    assert (report.verdict, report.stopped_at) == ("fault", len(entries))


def test_evidence_that_proves_nothing_is_a_fault_of_the_file() -> None:
    """A made-up piece of evidence blames nobody."""
    entries = list(read_entries(played()))
    report = audit(rewritten([*entries, Entry(0, "evidence", Signed(b"\x90", b""))]))
    assert report.verdict == "fault"
    assert [(finding.seat, finding.kind) for finding in report.findings] == [(None, "CHANGED")]
    assert report.convicted == frozenset()


def test_reading_stops_at_an_oversized_entry() -> None:
    """A length beyond any honest entry is damage, not a file cut short."""
    with pytest.raises(Damaged) as caught:
        list(read_entries(MAGIC + b"\xff\xff\xff\xff" + bytes(100)))
    assert (caught.value.number, caught.value.offset, caught.value.cut) == (0, len(MAGIC), False)
