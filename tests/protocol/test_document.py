"""protocol.md against the code: its tables are printed from the code, its sections are those that the code cites.

`python -m tests.protocol.test_document --write` prints the tables into it again.
"""

import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

import pytest

import p2pdice
from p2pdice.fairness.dice import DIE_FACES
from p2pdice.fairness.labels import PREFIX, Label
from p2pdice.fairness.seal import BOX_BYTES
from p2pdice.fairness.shares import Disclosure, Mode, Policy
from p2pdice.net import channel, listener, mesh, stream
from p2pdice.protocol import (
    admission,
    catchup,
    chat,
    clocks,
    codec,
    dispute,
    frames,
    halting,
    heartbeat,
    lobby,
    messages,
    often,
    patience,
    peer,
    roomcode,
    session,
    watching,
)
from p2pdice.protocol.evidence import FaultKind
from p2pdice.protocol.phases import NEXT, SPEAKERS, Phase
from p2pdice.protocol.shapes import Shape
from p2pdice.protocol.transcript import ENTRY, KINDS, MAGIC
from p2pdice.rules import PRESETS, differences
from p2pdice.rules.presets import LIMITS, allowed
from p2pdice.rules.ruleset import KEYS
from tests.fairness.test_labels import calls

ROOT = Path(__file__).parent.parent.parent
DOCUMENT = ROOT / "protocol.md"
MARKED = re.compile(r"(<!-- table: (?P<name>[a-z-]+) -->\n).*?(<!-- end -->)", re.DOTALL)

# What stands behind each label, in order, and what the bytes are for. "..." is a list whose length the parts give.
PARTS: Mapping[Label, tuple[str, str]] = {
    Label.SIGNED_BODY: ("body", "signature of a message"),
    Label.CHANNEL_LISTENER: ("h, dialler, listener, nonce of dialler, nonce of listener", "the listener's proof"),
    Label.CHANNEL_DIALLER: ("h, dialler, listener, nonce of dialler, nonce of listener", "the dialler's proof"),
    Label.PAKE: ("h, dialler, listener, nonce of dialler, nonce of listener, role", "an identity of the room code"),
    Label.PAKE_CONFIRM: ("K, role", "confirmation of the room code"),
    Label.SEAT_COMMIT: ("room, key, z", "commitment to a part of the toss"),
    Label.TABLE: ("ROSTER body", "name of players and rules"),
    Label.GENESIS: ("table, ACCEPT body ...", "name of a table that all have accepted"),
    Label.GAME: ("genesis, z ...", "game_id"),
    Label.SEATS: ("game_id", "seed of the seat order"),
    Label.ROLLS: ("game_id", "seed of the opening rolls"),
    Label.TABLE_WORDS: ("game_id", "seed of the table words"),
    Label.RECORD: ("record", "name of a transcript's record"),
    Label.BODY: ("body", "name of a message"),
    Label.EPOCH_ZERO: ("game_id", "E0"),
    Label.START: ("game_id, genesis, R", "S before slot 0"),
    Label.STATE: ("game_id, E, slot, S, phase, item ..., R", "S after a slot"),
    Label.EPOCH: ("E, h, outcome", "E' of a child epoch"),
    Label.CHILD: ("game_id, E', S of the base, R", "S before slot 0 of a child epoch"),
    Label.EVIDENCE: ("evidence", "name of a piece of evidence"),
    Label.HELD: ("name of a message, vote, LEAVE or evidence ...", "what a peer holds of the open slot and halt"),
    Label.RULES: ("public rules state", "R"),
    Label.SHARE: ("game_id, E, round, S, contributor, cup, key, share", "commitment to a share"),
    Label.DICE: ("game_id, E, round, S_c, cup, number of dice, share ...", "seed of a cup"),
    Label.TIE: ("S_c, share of the table's cup ...", "T, the seed of lots"),
    Label.SEAL_INFO: ("game_id, E, round, S_c, contributor, viewer, cup", "HPKE info of a box"),
    Label.ACT: ("game_id, E, slot, S, seat, choice, salt", "what SEAL hides"),
    Label.ANSWER: ("game_id, E, slot, S, seat, choice, salt", "what ANSWER hides"),
    Label.CALZA: ("T, bids so far, seat", "a claimer's lot"),
    Label.STREAM: ("seed, block number", "32 bytes of a stream"),
}

SESSION = (Label.CHANNEL_LISTENER, Label.CHANNEL_DIALLER, Label.PAKE)  # framed from the channel's session


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A Markdown table."""
    lines = [head, ["---"] * len(head), *rows]
    return "".join("| " + " | ".join(str(cell).replace("|", "\\|") for cell in line) + " |\n" for line in lines)


def labels() -> str:
    return table(("label", "parts", "gives"), ((f"`{label}`", *PARTS[label]) for label in Label))


def fields(names: Sequence[str], shapes: Sequence[Shape]) -> str:
    return "; ".join(f"**{name}** {shape}" for name, shape in zip(names, shapes, strict=True)) or "nothing"


def lobby_messages() -> str:
    return table(("type", "fields, in order"), (
        (f"`{word}`", fields(kind._fields, shapes)) for word, (kind, shapes) in messages.LOBBY_MESSAGES.items()))


def envelope() -> str:
    return table(("part", "shape"), [*messages.ENVELOPE, ("payload", "array: the fields of the type")])


def game_messages() -> str:
    return table(("type", "fields of the payload, in order"), (
        (f"`{word}`", fields(kind._fields, shapes)) for word, (kind, shapes) in messages.GAME_MESSAGES.items()))


def link_frames() -> str:
    def line(kind: type) -> str:
        return " ".join((kind.__doc__ or "").split())

    return table(("word", "fields, in order", "meaning"), (
        (f"`{word}`", fields(kind._fields, shapes), line(kind)) for word, (kind, shapes) in frames.FRAMES.items()))


def phases() -> str:
    def following(phase: Phase) -> str:
        if len(NEXT[phase]) == 1:
            return NEXT[phase][0][1].value
        return "; ".join(f"{condition.__name__.replace('_', ' ')}: {after}" for condition, after in NEXT[phase])

    words = {kind: word for word, (kind, _) in messages.GAME_MESSAGES.items()}
    rows = [("start", "-", "before slot 0", following(Phase.START))]
    rows += [(phase.value, f"`{words[speakers.payload]}`", speakers.who, following(phase))
             for phase, speakers in SPEAKERS.items()]
    return table(("phase", "message", "one from", "next, by the first that holds"), rows)


def disclosure() -> str:
    seats = (0, 1, 2, 3)
    rows = []
    for mode in Mode:
        policy = Policy(mode, seats, opener=0)
        for cup in (0, 2) if mode is Mode.CLOSED else (2,):
            whose = {0: "the opener's", 2: "any" if mode is not Mode.CLOSED else "any other"}[cup]
            dealer = policy.dealer(cup)
            shares = [policy.disclosure(contributor, cup).name for contributor in (cup, dealer)]
            (rest,) = {policy.disclosure(contributor, cup).name for contributor in {*seats} - {cup, dealer}}
            viewers = {(cup,): "the owner", (): "nobody"}.get(policy.viewers(cup), "all but the owner")
            needed = {(): "none", (cup,): "the owner's", (dealer,): "the dealer's"}.get(
                tuple(contributor for _, contributor in policy.needed((cup,))), "all")
            rows.append((mode.name, whose, *shares, rest, viewers, needed))
    head = ("mode", "cup", "owner's share", "dealer's share", "the others'", "who sees the cup", "still to reveal")
    return table(head, rows)


def presets() -> str:
    rows = [(f"`{key}`", ", ".join(allowed("perudo", key)),
             *(rules.options()[key] for rules in PRESETS.values())) for key in KEYS]
    rows.append(("players", "", *("{}-{}".format(*LIMITS[system].players) for system in PRESETS)))
    rows.append(("`starting_dice` allowed", "", *("{}-{}".format(*LIMITS[system].starting_dice) for system in PRESETS)))
    return table(("option", "values", *PRESETS), rows)


def record() -> str:
    names = ("number", "hash of the record before", "kind", "body", "signature")
    return table(("part", "shape"), zip(names, ENTRY.parts, strict=True))


def limits() -> str:
    megabyte = 1024 * 1024
    return table(("what", "limit"), [
        ("a frame, a body, a record", f"{codec.FRAME_BYTES} bytes"),
        ("a frame before the other side is known", f"{stream.EARLY_FRAME_BYTES} bytes"),
        ("whole numbers", "0..2^53" if codec.LARGEST_INT == 2**53 else codec.LARGEST_INT),
        ("arrays inside arrays", f"{codec.DEPTH} deep"),
        ("seats", messages.MOST_SEATS),
        ("a name, a title, a line of chat", f"{messages.NICK_BYTES}, {frames.TITLE_BYTES}, {frames.CHAT_BYTES} bytes"),
        ("links that come and go, wishes, watchers: what is told", f"{often.NEWS_PER_MINUTE} a minute of a seat"),
        ("what a guest asks of the host", f"{often.ASKS_PER_MINUTE} times a minute"),
        ("chat", f"{chat.CHAT_CHARACTERS} characters, {chat.CHAT_PER_MINUTE} lines a minute"),
        ("a box", f"{BOX_BYTES} bytes"),
        ("time to prove who one is", f"{channel.HANDSHAKE_S:g} s"),
        ("strangers at the port", f"{listener.EARLY_IN_ALL}, {listener.EARLY_PER_ADDRESS} of one address, "
                                  f"{listener.EARLY_LOCAL} of this computer"),
        ("visits", f"{listener.VISITS_PER_S:g}/s of one address, {listener.VISITS_PER_S_IN_ALL:g}/s in all; bursts of "
                   f"{listener.VISITS_BURST:g} and {listener.VISITS_BURST_IN_ALL:g}"),
        ("links", f"{mesh.LINKS_IN_ALL}, {mesh.LINKS_PER_ADDRESS} of one address"),
        ("incoming frames of a link, in a game of a player",
         f"{mesh.FRAMES_PER_S:g}/s, bursts of {mesh.FRAMES_BURST:g}"),
        ("incoming bytes of the same", f"{mesh.BYTES_PER_S / megabyte:g} MiB/s, "
                                       f"bursts of {mesh.BYTES_BURST / megabyte:g} MiB"),
        ("time spent on what a link brings", "an even share of all links'"),
        ("all strangers together, during a game",
         f"{mesh.STRANGERS_FRAMES_PER_S:g} frames/s, {mesh.STRANGERS_BYTES_PER_S / 1024:g} KiB/s, "
         f"{mesh.STRANGERS_WORK:.0%} of the time"),
        ("a link of somebody who does not sit down", f"{admission.STRANGER_S:g} s"),
        ("answers to FETCH and to `look`", f"one each {catchup.SERVE_S:g} s and {admission.LOOK_S:g} s of a link"),
        ("who watch through one process", f"{frames.MOST_WATCHERS}, each with {watching.NEWS_KEPT} news waiting"),
        ("a watcher that takes nothing", f"{watching.LAG_S:g} s"),
        ("what a watcher has missed", f"a frame each {watching.PACE_S:g} s"),
        ("guesses of a room code", f"{roomcode.MOST_GUESSES} for each code, {roomcode.EXCHANGE_S:g} s for each"),
        ("between two answers to one guesser", f"at most {roomcode.SLOWEST_S:g} s"),
        ("a newcomer's wait for the other guests' proof", f"{roomcode.PAIR_S:g} s"),
        ("a toss", f"{lobby.TOSS_S:g} s, {lobby.MOST_TOSSES} tries"),
        ("a sign of life", f"every {heartbeat.PING_S:g} s, counted for {heartbeat.HEARD_S:g} s"),
        ("slots in an answer to FETCH", f"{catchup.ANSWER_BYTES // 1024} KiB, and whole slots"),
        ("a message that others build upon", f"asked for when it is {catchup.ASK_S:g} s late"),
        ("an answer to a SEAL", f"due after {clocks.ANSWER_DUE_S:g} s"),
        ("silence of a player who must speak", "the table's drop time after it was due, or was last heard"),
        ("a ballot", f"{halting.BALLOT_S:g} s, and 1 s more for each before it"),
        ("ballots of a halt", halting.MOST_BALLOTS),
        ("votes kept of one player", f"{dispute.MOST_VOTE_BYTES / megabyte:g} MiB in a game"),
        ("a piece of evidence", f"{messages.EVIDENCE_BYTES} bytes"),
        ("evidence kept against one player", f"{dispute.MOST_PROOFS} pieces, and smaller or named ones"),
        ("a proposer's wait for more HALTs", f"{halting.MORE_HALTS_S:g} s"),
        ("a quiet time after a GO-ON", f"{dispute.QUIET_S:g} s, twice as long after each more of an epoch, up to "
                                       f"{dispute.MOST_QUIET_S:g} s or half the drop time"),
        ("a showdown that may finish before a halt", f"{patience.SHOWDOWN_S:g} s"),
        ("a person in turn when somebody halts", f"{patience.GRACE_S:g} s"),
        ("messages ahead of the open slot", f"{session.SLOTS_AHEAD} slots"),
        ("answering after the end", f"{peer.LINGER_S:g} s"),
    ])


TABLES: Mapping[str, Callable[[], str]] = {
    "labels": labels, "lobby-messages": lobby_messages, "envelope": envelope, "game-messages": game_messages,
    "frames": link_frames, "phases": phases, "disclosure": disclosure, "presets": presets, "record": record,
    "limits": limits,
}


def printed(document: str) -> str:
    """The document with every table as the code has it now."""
    return MARKED.sub(lambda found: found[1] + TABLES[found["name"]]() + found[3], document)


def document() -> str:
    return DOCUMENT.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", TABLES)
def test_table(name: str) -> None:
    """The table stands in protocol.md once, as the code prints it."""
    found = [match for match in MARKED.finditer(document()) if match["name"] == name]
    assert len(found) == 1
    assert found[0][0] == printed(found[0][0])


def test_no_table_is_unknown() -> None:
    """Every marked table has a printer, and every marker is closed."""
    assert {match["name"] for match in MARKED.finditer(document())} == set(TABLES)
    assert document().count("<!-- table:") == document().count("<!-- end -->") == len(TABLES)


def sections() -> list[int]:
    return [int(number) for number in re.findall(r"^## (\d+)\. ", document(), re.MULTILINE)]


def test_every_cited_section_exists() -> None:
    """The sections are numbered without gaps, and the code and its tests cite only those that there are."""
    assert sections() == list(range(1, len(sections()) + 1))
    cited = 0
    for path in [*Path(p2pdice.__file__).parent.rglob("*.py"), *(ROOT / "tests").rglob("*.py")]:
        for phrase in re.findall(r"protocol\.md\s+sections?\s+([\d, and]+)", path.read_text(encoding="utf-8")):
            numbers = [int(number) for number in re.findall(r"\d+", phrase)]
            assert numbers, path
            assert set(numbers) <= set(sections()), path
            cited += 1
    assert cited >= 25


def test_labels_have_the_parts_that_the_code_frames() -> None:
    """For every label that is framed with a fixed list, the table names as many parts as the code gives."""
    assert set(PARTS) == set(Label)
    checked = 0
    for label, numbers in calls().items():
        parts = PARTS[label][0].split(", ")
        if numbers[0] is not None:
            assert len(parts) == numbers[0], label
            checked += 1
        else:
            assert "..." in PARTS[label][0] or label in SESSION, label
    assert checked >= 14


def test_every_kind_of_evidence_has_its_row() -> None:
    """The table of section 8 names each kind once."""
    rows = re.findall(r"^\| `([A-Z_]+)` \|", document().split("## 8. ")[1].split("## 9. ")[0], re.MULTILINE)
    assert sorted(rows) == sorted(kind.value for kind in FaultKind)


def test_every_phase_and_disclosure_is_explained() -> None:
    """The words of the tables are used in the text as well."""
    text = MARKED.sub("", document())
    for word in [*(disclosure.name for disclosure in Disclosure), *(mode.name for mode in Mode), *KINDS,
                 *(phase.name for phase in Phase if phase not in (Phase.START, Phase.OVER))]:
        assert re.search(rf"\b{word}\b", text), word


def test_numbers_in_the_text() -> None:
    """Constants that the text names in passing are those of the code."""
    text = MARKED.sub("", document())
    assert PREFIX in text
    assert MAGIC.decode().strip() in text
    assert f"{DIE_FACES * 42} of the 256" in text
    assert not differences(PRESETS["perudo"])


if __name__ == "__main__" and sys.argv[1:] == ["--write"]:
    DOCUMENT.write_text(printed(document()), encoding="utf-8")
