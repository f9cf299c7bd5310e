"""Long transcripts, whose signatures several processes check: the same reports as one process gives."""

import os

import pytest

from p2pdice.cli import cores, verdict
from p2pdice.protocol.audit import Report, audit
from p2pdice.protocol.messages import Signed
from p2pdice.protocol.transcript import TranscriptWriter, read_entries
from tests.tablekit import Table


@pytest.fixture(scope="module")
def transcript() -> bytes:
    """A short game's."""
    table = Table(3, "doodoo", {"starting_dice": "1"}, seed=5)
    table.play()
    return table.nodes[0].file


def told(report: Report) -> tuple[object, ...]:
    """What a report says of a file."""
    return (report.verdict, report.entries, report.signatures, report.dice, report.rounds, report.winners,
            report.findings, report.stopped_at, report.standings)


def with_bad_signature(raw: bytes, number: int) -> bytes:
    """The same file, its chain whole, but for the signature of one entry."""
    writer = TranscriptWriter()
    return b"".join(writer.add(entry.kind, Signed(entry.signed.body, bytes(64)) if entry.number == number
                               else entry.signed) for entry in read_entries(raw))


def test_processes_come_to_the_same_report(transcript: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    """Clean, cut, and with a signature that does not hold, in a part that was handed out and in the rest."""
    monkeypatch.setattr(cores, "MOST", 8)
    monkeypatch.setattr(cores, "cores", lambda: 2)
    last = audit(transcript).entries - 1
    for raw in (transcript, transcript[:-1], with_bad_signature(transcript, 12), with_bad_signature(transcript, last)):
        assert told(cores.judged(raw)) == told(audit(raw))
    bad = audit(with_bad_signature(transcript, 12))
    assert [(finding.entry, finding.detail) for finding in bad.findings] == [(12, "bad-signature")]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no such processes here")
def test_a_worker_that_dies_is_not_needed(transcript: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody may end a process, or memory be short: whatever it had in hand is checked again."""
    def dies(part: cores.Part) -> bool:
        if os.getpid() != here:
            os._exit(1)
        return all_hold(part)

    here, all_hold = os.getpid(), cores._all_hold
    monkeypatch.setattr(cores, "MOST", 8)
    monkeypatch.setattr(cores, "cores", lambda: 3)
    monkeypatch.setattr(cores, "_all_hold", dies)
    assert told(cores.judged(transcript)) == told(audit(transcript))


def test_where_there_are_no_processes_one_does_it_all(transcript: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    """Some systems cannot fork at all, others not now: verify takes longer there."""
    def none() -> cores.Worker:
        raise BlockingIOError

    monkeypatch.setattr(cores, "cores", lambda: 2)
    monkeypatch.setattr(verdict, "LONG_BYTES", 0)
    monkeypatch.setattr(cores, "Worker", none)
    assert told(verdict.examine(transcript)) == told(audit(transcript))
    monkeypatch.delattr(os, "fork", raising=False)
    assert told(verdict.examine(transcript)) == told(audit(transcript))
