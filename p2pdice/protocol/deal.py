"""The public side of one deal: commitments, opened shares, boxes, and the dice they give (protocol.md section 6).
The live table, a peer and a verifier hold the same. Must not know secrets, turns or links."""

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property

from p2pdice.fairness.dice import Roll, roller
from p2pdice.fairness.errors import BadBox
from p2pdice.fairness.framing import digest, frame
from p2pdice.fairness.labels import Label
from p2pdice.fairness.seal import round_public, unseal
from p2pdice.fairness.shares import Policy, commitment, committer, known_shares
from p2pdice.protocol.messages import Commit, Message, Open, Reveal

Shares = dict[tuple[int, int], bytes]  # (contributor, cup) -> share


class Deal:
    """One deal among the seats of `policy`, from its COMMITs on. `table_cup` is the number of the cup without dice,
    from whose shares lots are drawn."""

    def __init__(self, policy: Policy, table_cup: int, keys: Sequence[bytes], commits: Mapping[int, Message[Commit]],
                 commit_state: bytes) -> None:
        """`keys` by seat; `commit_state` is S_c, the state after all COMMITs."""
        self.policy = policy
        self.table_cup = table_cup
        self.keys = keys
        self.commits = commits
        self.commit_state = commit_state
        self.opens: dict[int, Message[Open]] = {}
        self.shares: Shares = {}
        self._promised = {seat: dict(commit.payload.commitments) for seat, commit in commits.items()}

    def branch(self) -> "Deal":
        """A deal that can go on without changing this one."""
        other = Deal(self.policy, self.table_cup, self.keys, self.commits, self.commit_state)
        other.opens = dict(self.opens)
        other.shares = dict(self.shares)
        return other

    @cached_property
    def _committed(self) -> Callable[[int, int, bytes, bytes], bytes]:
        commit = self._any_commit
        return committer(commit.game_id, commit.epoch, commit.payload.round_number, commit.state)

    @cached_property
    def _roll(self) -> Roll:
        commit = self._any_commit
        return roller(commit.game_id, commit.epoch, commit.payload.round_number, self.commit_state)

    @property
    def _any_commit(self) -> Message[Commit]:
        """Game, epoch, round and state are the same in all of them."""
        return self.commits[self.policy.active[0]]

    def open(self, message: Message[Open]) -> None:
        """Take in one OPEN that `contradicted` has passed."""
        self.opens[message.seat] = message
        for cup, share in message.payload.shares:
            self.shares[message.seat, cup] = share

    def reveal(self, message: Message[Reveal]) -> None:
        """Take in one REVEAL that `contradicted` has passed."""
        for cup, contributor, share in message.payload.shares:
            self.shares[contributor, cup] = share

    def contradicted(self, message: Message[Open | Reveal]) -> int | None:
        """The contributor whose COMMIT a share in the message contradicts; None if all fit."""
        committed, promised, keys = self._committed, self._promised, self.keys
        for contributor, cup, share in named_shares(message):
            if promised[contributor].get(cup) != committed(contributor, cup, keys[contributor], share):
                return contributor
        return None

    def faces(self, cup: int, count: int, shares: Mapping[tuple[int, int], bytes]) -> tuple[int, ...] | None:
        """The `count` dice of a cup, from the shares given; None while one is missing."""
        found = known_shares(self.policy, cup, shares)
        if found is None:
            return None
        return self._roll(cup, count, found)

    def first_claim(self, bid_number: int, claimers: Sequence[int]) -> int:
        """Which of several exact callers counts: a lot from shares that all were bound to before the round.

        Nothing that a seat can still choose after its COMMIT enters, so it cannot be ground (attack row 46).
        """
        lots = [self.shares[seat, self.table_cup] for seat in self.policy.active]
        tie = digest(Label.TIE, self.commit_state, *lots)
        return min(claimers, key=lambda seat: digest(Label.CALZA, tie, bid_number, seat))


def named_shares(message: Message[Open | Reveal]) -> list[tuple[int, int, bytes]]:
    """(contributor, cup, share) of each share in an OPEN or a REVEAL."""
    payload = message.payload
    if isinstance(payload, Open):
        return [(message.seat, cup, share) for cup, share in payload.shares]
    return [(contributor, cup, share) for cup, contributor, share in payload.shares]


def fits(commit: Message[Commit], key: bytes, cup: int, share: bytes) -> bool:
    """Whether a share is the one that its contributor's COMMIT binds it to."""
    made = commitment(commit.game_id, commit.epoch, commit.payload.round_number, commit.state, commit.seat, cup, key,
                      share)
    return (cup, made) in commit.payload.commitments


def box_info(commit: Message[Commit], commit_state: bytes, viewer: int, cup: int) -> bytes:
    """What binds a box to its deal, sender (whose COMMIT it is), viewer and cup."""
    return frame(Label.SEAL_INFO, commit.game_id, commit.epoch, commit.payload.round_number, commit_state, commit.seat,
                 viewer, cup)


def opened_box(commit: Message[Commit], opening: Message[Open], key: bytes, cup: int, viewer: int,
               secret: bytes) -> bytes | None:
    """The share in a sender's box if it opens and fits the sender's COMMIT, else None."""
    box = next((box for to_cup, to_viewer, box in opening.payload.boxes if (to_cup, to_viewer) == (cup, viewer)), b"")
    try:
        share = unseal(box, secret, box_info(commit, opening.state, viewer, cup))
    except BadBox:
        return None
    return share if fits(commit, key, cup, share) else None


def is_round_key(commit: Message[Commit], secret: bytes) -> bool:
    """Whether `secret` belongs to the one-round key in a COMMIT, byte for byte."""
    return round_public(secret) == commit.payload.round_key
