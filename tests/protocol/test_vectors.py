"""The package against tests/vectors, which a program wrote that imports nothing of it: what must come out comes out,
and what must be refused is refused for its own reason and no other."""

import importlib
import itertools
import json
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from p2pdice.fairness import chain, dice, seal
from p2pdice.fairness.errors import BadBox, BadKey
from p2pdice.fairness.framing import digest, frame, unframe
from p2pdice.fairness.keys import SigningKey, Verifier, check_public, check_round_key
from p2pdice.fairness.labels import Label
from p2pdice.fairness.shares import Mode, Policy
from p2pdice.protocol.audit import audit
from p2pdice.protocol.ballot import quorum
from p2pdice.protocol.chair import Chair
from p2pdice.protocol.codec import Value, pack, unpack
from p2pdice.protocol.deal import Deal
from p2pdice.protocol.dispute import Dispute
from p2pdice.protocol.errors import Malformed
from p2pdice.protocol.events import CupsShown
from p2pdice.protocol.evidence import convict, decode_evidence, sealed_hash
from p2pdice.protocol.halting import Halting, Surroundings, outcome_from, outcome_value
from p2pdice.protocol.ledger import Ledger, OtherState, Proved
from p2pdice.protocol.messages import (
    GAME_MESSAGES,
    Drop,
    Propose,
    Signed,
    narrow_vote,
    parse_game,
    parse_slot,
    parse_vote,
)
from p2pdice.protocol.roster import (
    Roster,
    Seated,
    draw_seats,
    genesis,
    parse_accept,
    parse_join,
    parse_roster,
    parse_seat_open,
    sign_accept,
    sign_join,
    sign_roster,
    sign_seat_open,
)
from p2pdice.rules import public

ROOT = Path(__file__).parent.parent.parent
FOLDER = ROOT / "tests" / "vectors"
# File -> how many cases it must hold, and how many of them must fail: an empty file cannot pass.
COUNTS = {"deals": (20, 19), "encoding": (56, 38), "evidence": (65, 43), "framing": (16, 7), "keys": (67, 61),
          "seals": (10, 9), "signatures": (8, 7), "streams": (39, 0), "tosses": (26, 21), "transcripts": (13, 9),
          "turns": (17, 0), "votes": (131, 47)}

Case = dict[str, Any]


def cases(name: str) -> list[Case]:
    found: list[Case] = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))["cases"]
    return found


def each(name: str) -> pytest.MarkDecorator:
    """Parametrize over the cases of a file, each under its own name."""
    return pytest.mark.parametrize("case", [
        pytest.param(case, id=case["name"]) for case in cases(name)])


def one(file: str, name: str) -> Case:
    return next(case for case in cases(file) if case["name"] == name)


def raw(text: str) -> bytes:
    return bytes.fromhex(text)


def value_of(plain: object) -> Value:
    """A value as it stands in a vector: text as text, {"hex": ...} as bytes, lists as arrays."""
    if isinstance(plain, list):
        return tuple(value_of(item) for item in plain)
    if isinstance(plain, dict):
        return raw(plain["hex"])
    assert isinstance(plain, int | str)
    return plain


def signed(pair: Iterable[str]) -> Signed:
    return Signed(*map(raw, pair))


def test_every_file_and_case_is_there() -> None:
    """The folder holds exactly the files counted here, each with a headline and all its cases under different names."""
    assert {path.stem for path in FOLDER.glob("*.json")} - {"rules_perft"} == set(COUNTS)
    for name, counts in COUNTS.items():
        content = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
        assert content["pins"]
        assert content["section"] in range(1, 11)
        assert (len(content["cases"]), sum("fails" in case for case in content["cases"])) == counts, name
        assert len({case["name"] for case in content["cases"]}) == counts[0]


def test_the_generator_gives_the_same_files(tmp_path: Path) -> None:
    """Nothing in the folder was changed by hand."""
    subprocess.run([sys.executable, str(ROOT / "scripts" / "make_vectors.py"), str(tmp_path)], check=True)
    assert {path.stem for path in tmp_path.iterdir()} == set(COUNTS)
    for path in tmp_path.iterdir():
        assert path.read_bytes() == (FOLDER / path.name).read_bytes(), path.name


def test_the_generator_imports_nothing_of_the_package() -> None:
    """Else a mistake in the package would bless itself."""
    for name in ("make_vectors", "_independent", "_vote_maker", "_vote_cases"):
        text = (ROOT / "scripts" / f"{name}.py").read_text(encoding="utf-8")
        imports = [line for line in text.splitlines() if line.startswith(("import ", "from "))]
        assert len(imports) > 2
        assert not any("p2pdice" in line for line in imports)


@each("framing")
def test_framing(case: Case) -> None:
    """Label and parts give these bytes and this hash, and can be read back; other bytes cannot."""
    framed = raw(case["frame"])
    if "fails" in case:
        with pytest.raises(ValueError, match={"cut-short": "cut short", "no-label": "label", "not-text": "utf-8"}[
                case["fails"]]):
            unframe(framed)
        return
    parts = [value_of(part) for part in case["parts"]]
    assert frame(Label(case["label"]), *parts) == framed  # type: ignore[arg-type]  # no arrays among them
    assert digest(Label(case["label"]), *parts) == raw(case["hash"])  # type: ignore[arg-type]
    assert unframe(framed)[0] == case["label"]


@each("encoding")
def test_encoding(case: Case) -> None:
    """A value has these bytes and no others; what is no value, or not in its one form, is refused."""
    given = raw(case["bytes"]) + bytes(case.get("zeros", 0))
    if "fails" in case:
        with pytest.raises(Malformed) as caught:
            unpack(given)
        assert caught.value.reason == case["fails"]
        return
    value = value_of(case["value"]) if "value" in case else bytes(case["zeros"])
    assert unpack(given) == value
    assert pack(value) == given


@each("streams")
def test_streams(case: Case) -> None:
    """A seed gives these bytes, dice, numbers, orders and words."""
    source = dice.stream(raw(case["seed"]))
    if "bytes" in case:
        assert bytes(itertools.islice(source, 80)) == raw(case["bytes"])
    elif "dice" in case:
        assert [dice.die(source) for _ in case["dice"]] == case["dice"]
    elif "words" in case:
        assert dice.made_words(source) == case["words"]
    elif "order" in case:
        assert dice.shuffled(source, len(case["order"])) == case["order"]
    else:
        assert [dice.index(source, case["size"]) for _ in case["numbers"]] == case["numbers"]


@each("keys")
def test_keys(case: Case) -> None:
    """Keys of players and of one round are taken or refused."""
    check = check_public if case["kind"] == "ed25519" else check_round_key
    if "fails" not in case:
        check(raw(case["key"]))
        return
    with pytest.raises(BadKey):
        check(raw(case["key"]))


@each("signatures")
def test_signatures(case: Case) -> None:
    """A signature holds for its key and body, in its one form, or does not hold."""
    if case.get("fails") == "small-order":
        with pytest.raises(BadKey):
            Verifier(raw(case["key"]))
        return
    holds = Verifier(raw(case["key"])).holds(raw(case["signature"]), Label.SIGNED_BODY, raw(case["body"]))
    assert holds == ("fails" not in case)


def seated(case: Case) -> Seated:
    roster = parse_roster(signed(case["roster"]))
    return draw_seats(roster, raw(case["genesis"]), [raw(nonce) for nonce in case["nonces"]])


@each("tosses")
def test_tosses(case: Case) -> None:
    """The lobby's messages give this table, game, order, opener and words; refused ones have one thing wrong."""
    if "fails" in case:
        with pytest.raises(Malformed) as caught:
            take(case["type"], signed(case["message"]))
        assert caught.value.reason == case["fails"]
        return
    roster = parse_roster(signed(case["roster"]))
    assert (roster.room, roster.table) == (raw(case["room"]), raw(case["table"]))
    accepts = [signed(item) for item in case["accepts"]]
    assert [parse_accept(item, roster).key for item in accepts] == list(roster.keys)
    start = genesis(roster, accepts)
    assert start == raw(case["genesis"])
    opened = [parse_seat_open(signed(item), roster, start) for item in case["opens"]]
    assert [(join.key, nonce) for join, nonce in opened] == list(
        zip(roster.keys, map(raw, case["nonces"]), strict=True))
    drawn = seated(case)
    assert (drawn.game_id, drawn.opener, drawn.words) == (raw(case["game_id"]), case["opener"], case["words"])
    assert [player.key for player in drawn.players] == [roster.keys[place] for place in case["seats"]]
    rolls = [dict(roll) for roll in case["rolls"]]
    assert [dict(roll) for roll in drawn.drawn.rolls] == rolls if drawn.drawn else rolls == []


@each("tosses")
def test_we_sign_the_same_lobby(case: Case) -> None:
    """From the same seeds and nonces our own lobby makes the same bytes, signatures included."""
    if "fails" in case:
        return
    roster = parse_roster(signed(case["roster"]))
    keys = [SigningKey(raw(seed)) for seed in case["seeds"]]
    host = next(key for key in keys if roster.signed.holds(Verifier(key.public)))
    assert sign_roster(host, roster.room, roster.terms, roster.joins).value() == roster.signed.value()
    start = raw(case["genesis"])
    for place, key in enumerate(keys):
        join, nonce = roster.joins[place], raw(case["nonces"][place])
        made = sign_join(key, roster.room, join.nick, nonce, join.owner, join.bots)
        assert made.value() == join.signed.value()
        assert sign_accept(key, roster).value() == signed(case["accepts"][place]).value()
        assert sign_seat_open(key, roster, start, nonce).value() == signed(case["opens"][place]).value()


def take(kind: str, message: Signed) -> None:
    """Judge one message of the lobby as the table of the first case would."""
    case = one("tosses", "three players")
    roster: Roster = parse_roster(signed(case["roster"]))
    match kind:
        case "JOIN":
            parse_join(message, roster.room)
        case "ROSTER":
            parse_roster(message)
        case "ACCEPT":
            parse_accept(message, roster)
        case "SEAT_OPEN":
            parse_seat_open(message, roster, raw(case["genesis"]))


def replayed(case: Case, slots: int | None = None) -> Ledger:
    """The ledger of a dealt round after so many slots; each state, preimage and rules state compared on the way."""
    ledger = Ledger(seated(one("tosses", case["toss"])))
    assert (ledger.preimage, ledger.state) == (raw(case["start"]), raw(case["start_state"]))
    assert ledger.epoch == raw(case["epoch"])
    for slot in case["slots"][:slots]:
        assert ledger.phase == slot["phase"]
        for item in slot["bodies"]:
            message = signed(item)
            assert message.holds(ledger.verifiers[parse_slot(message).seat])
            events = ledger.add(parse_slot(message))
        assert ledger.state == raw(slot["state"])
        assert ledger.preimage == raw(slot["preimage"])
        assert pack(public(ledger.game)) == raw(slot["rules"])
        for event in events:
            if isinstance(event, CupsShown):
                assert [list(event.cups[cup]) for cup in sorted(event.cups)] == case["cups"]
    return ledger


def test_a_whole_round() -> None:
    """Commitments, states, rules states, dice and the loser of a normal round are those worked out elsewhere."""
    case = one("deals", "a normal round of three")
    ledger = replayed(case)
    assert ledger.game.dice == case["dice_after"]
    assert ledger.deal
    assert ledger.deal.commit_state == raw(case["commit_state"])


def test_we_sign_the_same_round() -> None:
    """From the same shares our own seats make the same COMMITs, OPENs and REVEALs, signatures included."""
    case, toss = one("deals", "a normal round of three"), one("tosses", "three players")
    keys = [SigningKey(raw(seed)) for seed in toss["seeds"]]
    for seat in range(3):
        drawn = (raw(share) for share in case["shares"][seat])
        chair = Chair(seat, keys[toss["seats"][seat]], 0.0)
        for slot in (0, 1, 4):
            ledger = replayed(case, slot)
            payload = chair.automatic(ledger, lambda size, drawn=drawn: next(drawn))  # type: ignore[misc]
            assert payload
            assert chair.sign(ledger, payload).value() == signed(case["slots"][slot]["bodies"][seat]).value()
            if slot == 1:
                chair.look(replayed(case, 2))
                assert list(chair.cups[seat]) == case["cups"][seat]
                assert set(chair.cups) == {seat}


@each("deals")
def test_refused_in_a_round(case: Case) -> None:
    """A message with one thing wrong convicts its author of exactly that, or names another history."""
    if "fails" not in case:
        return
    ledger = replayed(one("deals", "a normal round of three"), case["after_slots"])
    message = parse_slot(signed(case["message"]))
    assert message.signed.holds(ledger.verifiers[message.seat])
    if case["fails"] == "other-state":
        with pytest.raises(OtherState):
            ledger.add(message)
        return
    with pytest.raises(Proved) as caught:
        ledger.add(message)
    assert (caught.value.seat, caught.value.evidence.kind) == (message.seat, case["fails"])
    assert convict(caught.value.evidence, ledger.game_id, ledger.verifiers) == message.seat


@each("seals")
def test_seals(case: Case) -> None:
    """A box made by hand as RFC 9180 says opens here; a changed one is a BadBox."""
    parts = raw(case["box"]), raw(case["secret"]), raw(case["info"])
    if "fails" in case:
        with pytest.raises(BadBox):
            seal.unseal(*parts)
        return
    assert frame(Label.SEAL_INFO, *map(value_of, case["place"])) == parts[2]  # type: ignore[arg-type]
    assert seal.unseal(*parts) == raw(case["share"])


def test_our_boxes_open_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """A box that the package makes opens under the HPKE of the generator, which gives the RFC's own bytes."""
    monkeypatch.syspath_prepend(str(ROOT / "scripts"))
    independent = importlib.import_module("_independent")
    case = one("seals", "a box opens")
    secret, info, share = raw(case["secret"]), raw(case["info"]), raw(case["share"])
    assert independent.unbox(seal.seal(share, seal.round_public(secret), info), secret, info) == share


@each("turns")
def test_turns(case: Case) -> None:
    """Lots, and what SEAL and ANSWER carry."""
    if "seal" in case:
        made = sealed_hash(Label(case["label"]), raw(case["game_id"]), raw(case["epoch"]), case["slot"],
                           raw(case["state"]), case["seat"], value_of(case["choice"]),  # type: ignore[arg-type]
                           raw(case["salt"]))
        assert made == raw(case["seal"])
        return
    deal = Deal(Policy(Mode.NORMAL, (0, 1, 2), 0), 3, [], {}, raw(case["commit_state"]))
    deal.shares = {(seat, 3): raw(share) for seat, share in enumerate(case["shares"])}
    assert digest(Label.TIE, raw(case["commit_state"]), *map(raw, case["shares"])) == raw(case["tie"])
    lots = [digest(Label.CALZA, raw(case["tie"]), case["bid_number"], seat) for seat in range(3)]
    assert lots == [raw(lot) for lot in case["lots"]]
    assert deal.first_claim(case["bid_number"], case["claimers"]) == case["first"]


@each("evidence")
def test_evidence(case: Case) -> None:
    """Evidence convicts exactly this seat, or proves nothing."""
    evidence = decode_evidence(raw(case["evidence"]))
    assert evidence.encode() == raw(case["evidence"])
    verifiers = [Verifier(raw(key)) for key in case["keys"]]
    if "fails" in case:
        with pytest.raises(Malformed) as caught:
            convict(evidence, raw(case["game_id"]), verifiers)
        assert caught.value.reason == case["fails"]
        return
    assert convict(evidence, raw(case["game_id"]), verifiers) == case["convicts"]


@each("transcripts")
def test_transcripts(case: Case) -> None:
    """A file is clean, ends too early, or shows at which entry it was changed and how."""
    report = audit(raw(case["file"]))
    assert report.verdict == case["verdict"]
    assert [finding.detail for finding in report.findings] == ([case["fails"]] if "fails" in case else [])
    if "fails" in case or case["verdict"] == "incomplete":
        assert report.stopped_at == case["entry"]
    elif case["verdict"] == "clean":
        assert (report.entries, report.rounds, report.dice) == (case["entry"], 1, 2)


def kinds(start: str) -> pytest.MarkDecorator:
    """Parametrize over those cases of the votes whose name begins like that, or that hold such a field."""
    return pytest.mark.parametrize("case", [
        pytest.param(case, id=case["name"]) for case in cases("votes")
        if start in case or case["name"].startswith(start)])


@kinds("quorum")
def test_majorities(case: Case) -> None:
    """How many must agree: row l, column c: l of the owners are counted out, c others are convicted."""
    owners = tuple(range(len(case["quorum"]) - 1))
    assert case["quorum"] == [
        [quorum(owners, frozenset(owners[:left]), frozenset(owners[left:left + guilty]))
         for guilty in range(len(owners) - left + 1)] for left in range(len(owners) + 1)]


@kinds("proposers")
def test_proposers(case: Case) -> None:
    """Row h, column t: whose turn ballot t of halt h is."""
    around = cast(Surroundings, SimpleNamespace(proposers=case["owners"]))
    assert case["proposers"] == [[Halting(around, halt).proposer(ballot) for ballot in range(5)] for halt in range(4)]


@kinds("vote")
def test_votes(case: Case) -> None:
    """A vote has this type, place, payload and name, or is none."""
    vote = signed(case["vote"])
    assert vote.holds(Verifier(raw(case["key"])))
    if "fails" in case:
        with pytest.raises(Malformed) as caught:
            parse_game(vote)
        assert caught.value.reason == case["fails"]
        return
    parsed = parse_vote(vote)
    assert GAME_MESSAGES[case["type"]][0] is type(parsed.payload)
    assert (parsed.slot, tuple(parsed.payload)) == (tuple(case["slot"]), value_of(case["value"]))
    assert vote.hash == raw(case["hash"])


@kinds("epoch: ")
def test_epochs(case: Case) -> None:
    """An outcome has these bytes, and gives this epoch, first state and rules state."""
    ledger = Ledger(seated(one("tosses", case["toss"])))
    assert ledger.epoch == raw(case["epoch"])
    value = value_of(case["value"])
    outcome = outcome_from(Drop(b"", value))  # type: ignore[arg-type]  # as a DROP holds it
    assert outcome_value(outcome) == value
    assert pack(value) == raw(case["outcome"])
    ledger.descend(case["halt"], outcome, ())
    assert (ledger.epoch, ledger.preimage, ledger.state) == tuple(
        raw(case[part]) for part in ("child", "preimage", "state"))
    assert pack(public(ledger.game)) == raw(case["rules"])
    assert chain.read_state(ledger.preimage).epoch == ledger.epoch


@kinds("ballot: ")
def test_ballots(case: Case) -> None:
    """A PROPOSE with what it names decides this, or is no good for this reason."""
    if case["played"]:
        ledger = replayed(one("deals", "a normal round of three"))
    else:
        ledger = Ledger(seated(one("tosses", case["toss"])))
    dispute = Dispute(ledger, None, None, lambda now: (), lambda base: ledger if ledger.mark(base) else None)
    for evidence in case["evidence"]:
        assert dispute.learn(raw(evidence)) is not None
    propose = parse_vote(signed(case["propose"]))
    for vote in (*(parse_vote(signed(item)) for item in case["votes"]), propose):
        assert vote.signed.holds(ledger.verifiers[vote.seat])
        dispute.receive(vote, 0.0)
    if "fails" in case:
        with pytest.raises(Malformed) as caught:
            dispute.halting.evaluate(narrow_vote(propose, Propose))
        assert caught.value.reason == case["fails"]
        return
    assert pack(outcome_value(dispute.halting.evaluate(narrow_vote(propose, Propose))[1])) == raw(case["outcome"])


@kinds("file: ")
def test_files_with_votes(case: Case) -> None:
    """A file with halts is clean, ends too early, or shows where it is wrong; and says what became of each player."""
    report = audit(raw(case["file"]))
    assert (report.verdict, [finding.detail for finding in report.findings]) == (
        case["verdict"], case["fails"].split(", ") if "fails" in case else [])
    assert [report.standings[seat] for seat in sorted(report.standings)] == case["standings"]
    assert (report.entries if report.stopped_at is None else report.stopped_at) == case["entry"]


def test_names_of_the_chain() -> None:
    """Body, epoch and rules have the names that the generator gives them."""
    case = one("deals", "a normal round of three")
    first = case["slots"][0]
    state = chain.read_state(raw(first["preimage"]))
    assert state.items == tuple(chain.body_hash(raw(body)) for body, _ in first["bodies"])
    assert state.rules == chain.rules_hash(raw(first["rules"]))
    assert state.epoch == chain.first_epoch(state.game_id)
