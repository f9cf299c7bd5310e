"""A seat that this process plays: its key, the secrets of the round, and what it signs by itself in each phase. What
one chair knows never reaches another, also when a player and their bots share a process. Must not know links or
clocks."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from p2pdice.fairness.keys import RandomBytes, SigningKey
from p2pdice.fairness.labels import Label
from p2pdice.fairness.seal import round_public, seal
from p2pdice.fairness.shares import SHARE_BYTES, committer
from p2pdice.protocol.codec import pack, unpack
from p2pdice.protocol.deal import Deal, Shares, box_info, fits, is_round_key, opened_box
from p2pdice.protocol.evidence import sealed_hash
from p2pdice.protocol.ledger import Ledger
from p2pdice.protocol.messages import (
    ACT,
    MOST_SEATS,
    SALT_BYTES,
    Act,
    Answer,
    AnyMessage,
    Commit,
    Open,
    Ready,
    Reveal,
    Seal,
    Show,
    Signed,
    SlotPayload,
    narrow,
    sign_game,
)
from p2pdice.protocol.phases import Phase, call_of, deal_policy, round_is_open
from p2pdice.protocol.shapes import Int, Many, Raw, Text, either, row
from p2pdice.rules import Action, cups_needed

_CUP, _BYTES = Int(MOST_SEATS), Raw((SHARE_BYTES,))
_SECRETS = row(
    Many(row(_CUP, _BYTES), MOST_SEATS + 1), Many(row(_CUP, _CUP, _BYTES), MOST_SEATS * MOST_SEATS),
    Raw((0, SHARE_BYTES)), Int(2), either(row(), row(either(ACT, Text(16)), Raw((SALT_BYTES,)))))


@dataclass(repr=False)
class Chair:
    """One local seat. `window_s`: how long it leaves its user to call exact out of turn."""

    seat: int
    key: SigningKey
    window_s: float
    claim: bool | None = None  # this turn: True to call exact out of turn, False not to, None not decided
    cups: dict[int, tuple[int, ...]] = field(default_factory=dict)  # dice that this seat knows now
    _shares: dict[int, bytes] = field(default_factory=dict)  # cup -> own share of it
    _boxed: Shares = field(default_factory=dict)  # shares that boxes held
    _round_secret: bytes = b""
    _sealed: "tuple[tuple[object, ...] | str, bytes] | None" = None  # what SEAL or ANSWER hides, and its salt

    def sign(self, ledger: Ledger, payload: SlotPayload) -> Signed:
        """A payload for the open slot."""
        return sign_game(self.key, ledger.game_id, ledger.epoch, ledger.slot, ledger.state, self.seat, payload)

    def automatic(self, ledger: Ledger, random_bytes: RandomBytes) -> SlotPayload | None:
        """What this seat owes to the open slot, where no choice is left to its user; else None."""
        match ledger.phase:
            case Phase.COMMIT:
                return self._commit(ledger, random_bytes)
            case Phase.OPEN:
                return self._open(ledger)
            case Phase.READY:
                return self._ready(ledger)
            case Phase.ANSWER:
                return None if self.claim is None else self._answer(ledger, random_bytes)
            case Phase.SHOW:
                sealed, salt = cast(tuple[object, bytes], self._sealed)
                return Show(sealed, salt)  # type: ignore[arg-type]  # exactly what _seal kept
            case Phase.REVEAL:
                return self._reveal(ledger)
        return None

    def act(self, ledger: Ledger, action: Action, auto: bool, random_bytes: RandomBytes) -> SlotPayload:
        """The mover's action: in the open, or sealed where someone may still call out of turn."""
        act = Act(call_of(action), int(auto))
        return act if ledger.phase is Phase.ACT else Seal(self._seal(ledger, Label.ACT, tuple(act), random_bytes))

    def look(self, ledger: Ledger) -> None:
        """After OPEN: work out the dice that this seat may see."""
        deal = cast(Deal, ledger.deal)
        own = {(self.seat, cup): share for cup, share in self._shares.items()}
        known = deal.shares | own | self._boxed
        found = {cup: deal.faces(cup, ledger.game.dice[cup], known) for cup in deal.policy.active}
        self.cups = {cup: faces for cup, faces in found.items() if faces is not None}

    def forget(self) -> None:
        """The round is settled or void: its secrets have no more use."""
        self.claim, self._sealed, self._round_secret = None, None, b""
        self.cups, self._shares, self._boxed = {}, {}, {}

    def secrets(self) -> bytes:
        """All that a crash must not take: for a file that nobody else may read, until the round is over."""
        shares = tuple(self._shares.items())
        boxed = tuple((sender, cup, share) for (sender, cup), share in self._boxed.items())
        claim = 2 if self.claim is None else int(self.claim)
        return pack((shares, boxed, self._round_secret, claim, () if self._sealed is None else self._sealed))  # type: ignore[arg-type]

    def restore(self, raw: bytes) -> None:
        """Take up what `secrets` gave. Raises Malformed for what it did not give."""
        value = unpack(raw, _SECRETS.fits, "not-secrets")
        shares, boxed, self._round_secret, claim, sealed = cast(tuple[Any, ...], value)
        self._shares = dict(shares)
        self._boxed = {(sender, cup): share for sender, cup, share in boxed}
        self.claim = None if claim == 2 else bool(claim)
        self._sealed = sealed or None

    def holds(self, ledger: Ledger) -> bool:
        """Whether this seat knows the secrets behind all it has signed in the round that is open."""
        commit = next((said[self.seat] for said in reversed(ledger.slots[ledger.marks[-1].slot:])
                       if self.seat in said and isinstance(said[self.seat].payload, Commit)), None)
        if commit is None:
            return True
        made = narrow(commit, Commit)
        if not all(fits(made, self.key.public, cup, self._shares.get(cup, b"")) for cup, _ in made.payload.commitments):
            return False
        if made.payload.round_key and not (self._round_secret and is_round_key(made, self._round_secret)):
            return False
        if ledger.phase not in (Phase.ANSWER, Phase.SHOW):
            return True
        sealed = ledger.slots[-1 if ledger.phase is Phase.ANSWER else -2].get(self.seat)
        if self.seat == ledger.game.turn:
            sealed = ledger.slots[-2 if ledger.phase is Phase.ANSWER else -3][self.seat]
        return sealed is None or (self._sealed is not None and self._seal_of(sealed) == sealed.payload[0])

    def _seal_of(self, sealed: AnyMessage) -> bytes:
        choice, salt = cast("tuple[tuple[object, ...] | str, bytes]", self._sealed)
        label = Label.ACT if isinstance(sealed.payload, Seal) else Label.ANSWER
        return sealed_hash(label, sealed.game_id, sealed.epoch, sealed.slot, sealed.state, self.seat, choice, salt)

    def _commit(self, ledger: Ledger, random_bytes: RandomBytes) -> Commit:
        game = ledger.game
        cups = (*game.active, game.seats)
        self._shares = {cup: random_bytes(SHARE_BYTES) for cup in cups}
        committed = committer(ledger.game_id, ledger.epoch, game.round_number, ledger.state)
        commitments = tuple(
            [(cup, committed(self.seat, cup, self.key.public, share)) for cup, share in self._shares.items()])
        self._round_secret = random_bytes(SHARE_BYTES) if round_is_open(game) else b""
        return Commit(game.round_number, commitments, round_public(self._round_secret) if self._round_secret else b"")

    def _open(self, ledger: Ledger) -> Open:
        deal = cast(Deal, ledger.deal)
        commit = deal.commits[self.seat]
        cups = (*deal.policy.public_cups(self.seat), ledger.game.seats)
        boxes = tuple(
            (cup, viewer, seal(self._shares[cup], deal.commits[viewer].payload.round_key,
                               box_info(commit, deal.commit_state, viewer, cup)))
            for cup, viewer in deal.policy.boxes(self.seat))
        return Open(tuple((cup, self._shares[cup]) for cup in cups), boxes)

    def _ready(self, ledger: Ledger) -> Ready:
        """Open every box for this seat; the first that is not what its sender committed to is complained about."""
        deal = cast(Deal, ledger.deal)
        for sender in deal.policy.active:
            for cup, viewer in deal.policy.boxes(sender):
                if viewer != self.seat:
                    continue
                share = opened_box(deal.commits[sender], deal.opens[sender], deal.keys[sender], cup, viewer,
                                   self._round_secret)
                if share is None:
                    return Ready(deal.commit_state, (sender, cup, self._round_secret))
                self._boxed[sender, cup] = share
        return Ready(deal.commit_state, ())

    def _answer(self, ledger: Ledger, random_bytes: RandomBytes) -> Answer:
        return Answer(self._seal(ledger, Label.ANSWER, "claim" if self.claim else "waive", random_bytes))

    def _seal(self, ledger: Ledger, label: Label, choice: "tuple[object, ...] | str",
              random_bytes: RandomBytes) -> bytes:
        salt = random_bytes(SALT_BYTES)
        self._sealed = (choice, salt)
        return sealed_hash(label, ledger.game_id, ledger.epoch, ledger.slot, ledger.state, self.seat, choice, salt)

    def _reveal(self, ledger: Ledger) -> Reveal:
        deal = cast(Deal, ledger.deal)
        known: Mapping[tuple[int, int], bytes] = (
            {(self.seat, cup): share for cup, share in self._shares.items()} | self._boxed)
        owed = deal_policy(ledger.game).revealed(self.seat, cups_needed(ledger.game))
        shares = tuple((cup, contributor, known[contributor, cup]) for cup, contributor in owed)
        return Reveal(deal.commit_state, shares)
