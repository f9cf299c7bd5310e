"""What of a game goes into its record, and when: each slot when it is complete or the game halts or ends, each
certificate with all that it names, evidence and LEAVEs that are held at the end (protocol.md section 9). Must not know
files."""

from collections.abc import Sequence

from p2pdice.protocol.dispute import Dispute
from p2pdice.protocol.ledger import Ledger
from p2pdice.protocol.messages import Propose, Signed, Vote, VotePayload


class Recorder:
    """Drain `records`: (kind, body), as a transcript's entries. Nothing is recorded twice, not even after a crash that
    tore a slot or a certificate."""

    def __init__(self, ledger: Ledger, dispute: Dispute, *, resumed: bool) -> None:
        """`resumed`: what the ledger and the dispute hold stands in the record already."""
        self.records: list[tuple[str, Signed]] = []
        self._ledger = ledger
        self._dispute = dispute
        self._recorded: set[bytes] = set()
        if resumed:
            self._recorded = {message.signed.hash for message in ledger.slots[-1].values()} | dispute.recorded

    def slot(self, slot: int) -> None:
        """What was said in a slot of this epoch, in the order of seats."""
        for _, message in sorted(self._ledger.slots[slot].items()):
            self._add("game", message.signed)

    def votes(self, votes: Sequence[Vote[VotePayload]]) -> None:
        """Votes, and before a PROPOSE the evidence that it names."""
        for vote in votes:
            if isinstance(vote.payload, Propose):
                self._proofs([name for _, name in vote.payload.proofs])
            self._add("vote", vote.signed)

    def held(self) -> None:
        """At the end: LEAVEs and evidence that no certificate has taken up."""
        self.votes([leave for _, leave in sorted(self._dispute.leaves.items())])
        self._proofs([name for _, name in sorted((owner, name) for name, owner in self._dispute.proofs.items())])

    def _proofs(self, names: Sequence[bytes]) -> None:
        for name in names:
            if name not in self._recorded:
                self._recorded.add(name)
                self.records.append(("evidence", Signed(self._dispute.raw_proofs[name], b"")))

    def _add(self, kind: str, signed: Signed) -> None:
        name = signed.hash
        if name not in self._recorded:
            self._recorded.add(name)
            self.records.append((kind, signed))
