"""No pair or triple of bodies from honest play proves anything against anyone (attack rows 41 and 48), and what an
attacker signs on top convicts the attacker alone."""

import itertools
from collections import Counter
from collections.abc import Iterator

import pytest

from p2pdice.fairness.chain import state_hash
from p2pdice.protocol.codec import pack
from p2pdice.protocol.errors import Malformed
from p2pdice.protocol.evidence import Evidence, FaultKind, convict
from p2pdice.protocol.ledger import Ledger
from p2pdice.protocol.messages import Answer, AnyMessage, Commit, Open, Ready, Reveal, Seal, Show, sign_game
from p2pdice.protocol.phases import Phase
from p2pdice.rules import OBLIGE_CLOSED, OBLIGE_OPEN, public
from tests.tablekit import Node, Table

pytestmark = pytest.mark.slow  # one Python is enough

States = list[tuple[bytes, bytes]]  # preimage of each state, and the public rules state behind it
GAMES = [("dudo", {"starting_dice": "2"}, 1), ("clasico", {"starting_dice": "3"}, 2),
         ("dudo", {"starting_dice": "2", "exact": "anyone"}, 3)]


def play(system: str, options: dict[str, str], seed: int, monkeypatch: pytest.MonkeyPatch) -> tuple[Table, States]:
    """A whole honest game in which openers oblige when they can, and every state it went through."""
    states: States = []
    close = Ledger._close

    def spy(ledger: Ledger) -> list[object]:
        if ledger is watched:
            if not states:
                states.append((ledger.preimage, pack(public(ledger.game))))
            events = close(ledger)
            states.append((ledger.preimage, pack(public(ledger.game))))
            return list(events)
        return list(close(ledger))

    table = Table(4, system, options, seed=seed)
    watched: Ledger | None = None
    monkeypatch.setattr(Ledger, "_close", spy)
    while table.nodes[0].peer.session is None:
        assert table.flush()
    watched = table.nodes[0].peer.session.ledger
    decide, choices = table.decide, itertools.cycle((OBLIGE_OPEN, OBLIGE_OPEN, OBLIGE_CLOSED))

    def oblige(node: Node) -> bool:
        session = node.peer.session
        if session and not session.closed and session.ledger.phase is Phase.MODE:
            for seat in node.peer.seats:
                if seat in session.ledger.missing:
                    node.peer.act(seat, next(choices), table.now)
                    return True
        return decide(node)

    table.decide = oblige  # type: ignore[method-assign]
    table.play()
    return table, states


def claims(messages: list[AnyMessage], states: States) -> Iterator[Evidence]:
    """Every way to put honest bodies together under a kind that asks for such bodies."""
    for first, second in itertools.combinations(messages, 2):
        if first.seat == second.seat:
            yield Evidence(FaultKind.EQUIV, (first.signed, second.signed))
        if isinstance(first.payload, Seal | Answer) and isinstance(second.payload, Show):
            yield Evidence(FaultKind.BAD_SEAL, (first.signed, second.signed))
    for message in messages:
        for preimage, rules in states:
            yield Evidence(FaultKind.ILLEGAL, (message.signed,), (preimage,), rules)
    commits = [message for message in messages if isinstance(message.payload, Commit)]
    deals = {message.state for message in messages if isinstance(message.payload, Open)}
    preimages = [preimage for preimage, _ in states if state_hash(preimage) in deals]
    for commit, message in itertools.product(commits, messages):
        if isinstance(message.payload, Open | Reveal):
            kind = FaultKind.BAD_OPEN if isinstance(message.payload, Open) else FaultKind.BAD_REVEAL
            for preimage in preimages:
                yield Evidence(kind, (commit.signed, message.signed), (preimage,))


@pytest.mark.parametrize(("system", "options", "seed"), GAMES)
def test_honest_bodies_prove_nothing(system: str, options: dict[str, str], seed: int,
                                     monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever is put together, nobody is convicted, and nothing but Malformed is raised."""
    table, states = play(system, options, seed, monkeypatch)
    session = table.nodes[0].peer.session
    assert session is not None
    ledger = session.ledger
    messages = [message for said in ledger.slots for message in said.values()]
    tried = 0
    for evidence in claims(messages, states[:60]):
        tried += 1
        with pytest.raises(Malformed):
            convict(evidence, ledger.game_id, ledger.verifiers)
    assert tried > 5_000


def test_a_complaint_convicts_nobody_but_a_liar(monkeypatch: pytest.MonkeyPatch) -> None:
    """Any complaint an attacker can sign in an open round of honest boxes convicts the attacker, or proves nothing:
    about any sender, any cup, with its true key or another."""
    found: Counter[str] = Counter()
    table, states = play("dudo", {"starting_dice": "2"}, 1, monkeypatch)
    session = table.nodes[0].peer.session
    assert session is not None
    ledger = session.ledger
    by_name = {state_hash(preimage): preimage for preimage, _ in states}
    for slot, said in enumerate(ledger.slots):
        if not said or not isinstance(next(iter(said.values())).payload, Ready):
            continue
        commits, opens = ledger.slots[slot - 2], ledger.slots[slot - 1]
        for seat, cup, sender, secret in itertools.product(said, said, opens, (bytes(32), b"\1" * 32)):
            ready = said[seat]
            deal_state = next(iter(opens.values())).state
            complaint = sign_game(table.at(seat).key, ledger.game_id, ledger.epoch, slot, ready.state, seat,
                                  Ready(deal_state, (sender, cup, secret)))
            for kind in (FaultKind.BAD_BOX, FaultKind.FALSE_COMPLAINT):
                bodies = (commits[sender].signed, commits[seat].signed, opens[sender].signed, complaint)
                evidence = Evidence(kind, bodies, (by_name[deal_state], by_name[ready.state]))
                try:
                    convicted = convict(evidence, ledger.game_id, ledger.verifiers)
                except Malformed:
                    found["nothing"] += 1
                else:
                    found["liar" if convicted == seat else "honest"] += 1
    assert found["honest"] == 0
    assert found["liar"] > 10
    assert found["nothing"] > 50
