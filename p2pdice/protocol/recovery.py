"""The way back to a seat after a crash: what a process knows again from its transcript and from what it kept
(protocol.md section 10). Must not know links, nor what is asked of the others then."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from p2pdice.fairness.keys import RandomBytes, SigningKey
from p2pdice.protocol.audit import Replayed, replayed
from p2pdice.protocol.errors import LocalFault, Malformed
from p2pdice.protocol.kept import Others, kept_bots, unpack_others, unpack_toss
from p2pdice.protocol.lobby import GuestLobby
from p2pdice.protocol.members import Players, members_of
from p2pdice.protocol.messages import Signed
from p2pdice.protocol.transcript import TranscriptWriter, read_entries


@dataclass(frozen=True)
class Recovered:
    """All that is needed to go on. There is no host once seats are drawn, so everybody comes back as a guest."""

    lobby: GuestLobby
    others: tuple[Others, ...]  # where the others were
    code: str | None  # the room code, "" for none; None if it is not known: then nobody new may watch
    past: Replayed | None = None  # the game so far; None: the seats were not drawn yet
    records: Sequence[tuple[str, Signed]] = ()  # of the transcript


def recover(key: SigningKey, transcript: bytes, kept: Mapping[str, bytes], random_bytes: RandomBytes,
            now: float) -> Recovered:
    """A toss that this process had accepted, or a game. Raises LocalFault("nothing-to-resume") if there is neither."""
    players = Players(key, "", random_bytes, kept_bots(kept))
    others = unpack_others(kept.get("others", b""))
    return _toss(players, kept, others, now) or _game(players, transcript, kept, others)


def beginning(records: Sequence[tuple[str, Signed]]) -> Replayed:
    """The game of which a finished toss is the whole record."""
    writer = TranscriptWriter()
    return replayed(b"".join(writer.add(kind, signed) for kind, signed in records))


def _toss(players: Players, kept: Mapping[str, bytes], others: tuple[Others, ...], now: float) -> Recovered | None:
    """The others may have begun the game. Nothing of it is signed before they have said whether this process, in a life
    that its files do not know of, did so."""
    try:
        toss = unpack_toss(kept)
    except Malformed as error:
        raise LocalFault("nothing-to-resume") from error
    if toss is None:
        return None
    roster, nonces = toss
    keys = _own(players)
    own_joins = {join.key for join in roster.joins if join.owner == players.key.public}
    if keys.keys() != own_joins | set(nonces):
        raise LocalFault("nothing-to-resume")
    players.secrets = {public: (own, nonces[public]) for public, own in keys.items()}
    # Without the code for now: who belongs here is known, and it counts again once there is something to be watched.
    lobby = GuestLobby(players, b"", wanted=None, automatic=True)
    lobby.take_up(roster, {owner: (port, addresses) for owner, port, addresses in others}, now)
    return Recovered(lobby, others, kept.get("code", b"").decode(errors="ignore"))


def _game(players: Players, transcript: bytes, kept: Mapping[str, bytes], others: tuple[Others, ...]) -> Recovered:
    past = replayed(transcript)
    seated = past.report.seated
    # A game that is over is taken up as well: others may not have had the last word of this process. So is one in
    # which somebody was convicted, but not a file that does not hold.
    changed = any(finding.seat is None for finding in past.report.findings)
    keys = _own(players)
    if past.ledger is None or seated is None or changed or keys.keys() != {
            player.key for player in seated.players if player.owner == players.key.public}:
        raise LocalFault("nothing-to-resume")
    players.secrets = {public: (own, b"") for public, own in keys.items()}
    code = kept["code"].decode(errors="ignore") if "code" in kept else None
    lobby = GuestLobby(players, b"", wanted=None, automatic=True, code=code or "")
    lobby.room, lobby.terms = seated.roster.room, seated.roster.terms
    lobby.members = members_of(seated.roster, {owner: (port, addresses) for owner, port, addresses in others})
    return Recovered(lobby, others, code, past, [(entry.kind, entry.signed) for entry in read_entries(transcript)])


def _own(players: Players) -> dict[bytes, SigningKey]:
    """The keys of this process's players, its owner's first, by their public ones."""
    return {key.public: key for key in (players.key, *(bot for bot, _ in players.bots))}
