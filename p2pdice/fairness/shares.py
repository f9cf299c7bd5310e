"""Who contributes what to which cup, and who may see it when: the disclosure policy as one table (protocol.md section
6), and the commitments to shares. Must not know signatures, messages or sockets."""

import struct
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, StrEnum
from functools import cached_property, lru_cache
from hashlib import sha256

from p2pdice.fairness.framing import digest, frame
from p2pdice.fairness.keys import KEY_BYTES
from p2pdice.fairness.labels import Label

SHARE_BYTES = 32
_REST = struct.Struct(f">IQIQI{KEY_BYTES}sI{SHARE_BYTES}s")  # contributor, cup, key and share, as they are framed


class Mode(StrEnum):
    """Kind of a deal: who sees which cup before the showdown."""

    NORMAL = "normal"  # each their own
    OPEN = "open"  # everyone all but their own
    CLOSED = "closed"  # the opener their own, nobody else any


class Disclosure(Enum):
    """When a share becomes known, and to whom."""

    PUBLIC = "public"  # to all, as soon as all have committed
    HELD = "held"  # to nobody before the showdown
    SEALED = "sealed"  # to the cup's viewers at once, in boxes; to all at the showdown


@dataclass(frozen=True)
class Policy:
    """The disclosure policy of one deal among `active` seats (ascending). Its tables are worked out once."""

    mode: Mode
    active: tuple[int, ...]
    opener: int

    def dealer(self, cup: int) -> int:
        """The next active seat after the cup's owner: in an OPEN round its share is the sealed one."""
        return self.active[(self.active.index(cup) + 1) % len(self.active)]

    def disclosure(self, contributor: int, cup: int) -> Disclosure:
        """The row of the table for one share; seats are seat numbers of the game."""
        if self.mode is Mode.OPEN:
            return Disclosure.SEALED if contributor == self.dealer(cup) else Disclosure.PUBLIC
        if self.mode is Mode.CLOSED and cup != self.opener:
            return Disclosure.HELD
        return Disclosure.HELD if contributor == cup else Disclosure.PUBLIC

    def viewers(self, cup: int) -> tuple[int, ...]:
        """Seats that know the cup's dice before the showdown."""
        if self.mode is Mode.OPEN:
            return tuple(seat for seat in self.active if seat != cup)
        return () if self.mode is Mode.CLOSED and cup != self.opener else (cup,)

    def receivers(self, contributor: int, cup: int) -> tuple[int, ...]:
        """Seats that get the share in a box: the viewers of a SEALED one but its maker; nobody else."""
        if self.disclosure(contributor, cup) is not Disclosure.SEALED:
            return ()
        return tuple(seat for seat in self.viewers(cup) if seat != contributor)

    def public_cups(self, contributor: int) -> tuple[int, ...]:
        """Cups whose share by this contributor is opened at once, ascending."""
        return self._public[contributor]

    def boxes(self, contributor: int) -> tuple[tuple[int, int], ...]:
        """(cup, viewer) of each box this contributor owes, by cup, then viewer."""
        return self._boxes[contributor]

    def revealed(self, seat: int, cups: Sequence[int]) -> tuple[tuple[int, int], ...]:
        """(cup, contributor) of each share that `seat` must publish when `cups` open, by cup, then contributor.

        A HELD share counts only from its holder; a SEALED one comes from every seat that knows it, so that nobody
        alone can withhold it.
        """
        return tuple([(cup, contributor) for cup in cups for contributor, knowing in self._hidden[cup]
                      if seat in knowing])

    def needed(self, cups: Sequence[int]) -> tuple[tuple[int, int], ...]:
        """(cup, contributor) of each share that is missing from the public record until the showdown of `cups`."""
        return tuple((cup, contributor) for cup in cups for contributor, _ in self._hidden[cup])

    def revealers(self, cups: Sequence[int]) -> tuple[int, ...]:
        """Seats that owe a REVEAL when `cups` open, ascending."""
        return tuple(sorted(set().union(*[knowing for cup in cups for _, knowing in self._hidden[cup]])))

    @cached_property
    def _public(self) -> Mapping[int, tuple[int, ...]]:
        return {contributor: tuple(cup for cup in self.active
                                   if self.disclosure(contributor, cup) is Disclosure.PUBLIC)
                for contributor in self.active}

    @cached_property
    def _boxes(self) -> Mapping[int, tuple[tuple[int, int], ...]]:
        return {contributor: tuple((cup, viewer) for cup in self.active for viewer in self.receivers(contributor, cup))
                for contributor in self.active}

    @cached_property
    def _hidden(self) -> Mapping[int, tuple[tuple[int, frozenset[int]], ...]]:
        """By cup, the contributors whose share is not public before the showdown, and who knows it then."""
        return {cup: tuple((contributor, frozenset((contributor, *self.receivers(contributor, cup))))
                           for contributor in self.active
                           if self.disclosure(contributor, cup) is not Disclosure.PUBLIC)
                for cup in self.active}


def policy_of(mode: Mode, active: tuple[int, ...], opener: int) -> Policy:
    """The policy of a deal: one object, whose tables are worked out once, for all deals that it is the same in."""
    return _policy(mode, active, opener if mode is Mode.CLOSED else active[0])


_policy = lru_cache(maxsize=64)(Policy)


def commitment(game_id: bytes, epoch: bytes, round_number: int, state: bytes, contributor: int, cup: int,
               public: bytes, share: bytes) -> bytes:
    """C[i][c]: binds one 32-byte share to its contributor, cup and deal. `state` is the one COMMIT names.

    The contributor's key and seat are inside, so a copied commitment cannot be opened (attack row 2).
    """
    return digest(Label.SHARE, game_id, epoch, round_number, state, contributor, cup, public, share)


def committer(game_id: bytes, epoch: bytes, round_number: int,
              state: bytes) -> Callable[[int, int, bytes, bytes], bytes]:
    """`commitment` as a function of contributor, cup, key and share, the last two of 32 bytes: of each deal n seats
    check n * n of them, so what all have in common is framed once."""
    framed = frame(Label.SHARE, game_id, epoch, round_number, state, 0, 0, bytes(KEY_BYTES), bytes(SHARE_BYTES))
    common, rest = framed[:-_REST.size], _REST.pack
    return lambda contributor, cup, public, share: sha256(
        common + rest(8, contributor, 8, cup, KEY_BYTES, public, SHARE_BYTES, share)).digest()


def known_shares(policy: Policy, cup: int, shares: Mapping[tuple[int, int], bytes]) -> list[bytes] | None:
    """The shares of one cup by ascending contributor, from {(contributor, cup): share}; None while one is missing."""
    try:
        return [shares[contributor, cup] for contributor in policy.active]
    except KeyError:
        return None
