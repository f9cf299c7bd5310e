"""The referee: what is refused, what is an error, and what it prints, form by form of the notation."""

import json
import time
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from p2pdice.rules import KEYS, IllegalAction, Referee
from tests.rules.kit import judge, judged, results

HEAD = "rules: perudo\nplayers: Ana Beto Caro\n"
ROUND = "round: Ana=13356 Beto=22456 Caro=12345\n"
DUDO = HEAD.replace("perudo", "dudo")
SETTLED = HEAD + ROUND + "Ana: 9x3\nBeto: dudo\n"
OBLIGAR = DUDO + "dice: 2 5 5\nround: Ana=22 Beto=23456 Caro=23456\nAna: 6x2\nBeto: dudo\n"
ENDED = "rules: perudo\nplayers: Ana Beto\ndice: 1 1\nround: Ana=2 Beto=3\nAna: 2x2\nBeto: dudo\n"


def test_the_sample_of_the_notation() -> None:
    """A round with a question, a raise and a doubt, event by event."""
    text = HEAD + ROUND + "Ana: 4x3\nBeto: ?\nBeto: 5x5\nCaro: dudo\n"
    first, bid, question, raised, doubt, result = judged(text)
    assert first == {"event": "round", "round": 1, "opener": "Ana", "direction": "left", "special": None}
    assert bid == {"event": "action", "line": 4, "by": "Ana", "action": "4x3", "legal": True}
    assert (question["event"], question["line"], question["by"]) == ("legal", 5, "Beto")
    assert question["actions"][:4] == ["2x1", "3x1", "4x1", "4x4"]
    assert question["actions"][-3:] == ["15x6", "dudo", "calzo"]
    assert (raised["action"], doubt["action"]) == ("5x5", "dudo")
    assert result == {
        "event": "result",
        "round": 1,
        "call": "dudo",
        "on": "bid",
        "bid": "5x5",
        "count": 5,
        "lost": ["Caro"],
        "gained": [],
        "dice": {"Ana": 5, "Beto": 5, "Caro": 4},
        "banked": {"Ana": 0, "Beto": 0, "Caro": 0},
        "penalties": {"Ana": 0, "Beto": 0, "Caro": 0},
        "out": [],
        "special": None,
        "next_opener": "Caro",
        "next_special": None,
    }


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (HEAD + ROUND + "Ana: 4x1", "opens-on-ones"),
        (HEAD + ROUND + "Beto: 4x3", "not-your-turn"),
        (HEAD + ROUND + "Ana: 0x3", "no-dice-bid"),
        (HEAD + ROUND + "Ana: 16x3", "more-than-in-play"),
        (HEAD + ROUND + "Ana: 99999999999999x3", "more-than-in-play"),
        (HEAD + ROUND + "Ana: 3x0", "no-such-face"),
        (HEAD + ROUND + "Ana: 3x7", "no-such-face"),
        (HEAD + ROUND + "Ana: 3x9", "no-such-face"),
        (HEAD + ROUND + "Ana: 3x3 left", "direction-fixed"),
        (HEAD + ROUND + "Ana: dudo", "doubt-without-bid"),
        (HEAD + ROUND + "Ana: calzo", "exact-without-bid"),
        (HEAD + ROUND + "Ana: paso", "passing-off"),
        (HEAD + ROUND + "Ana: ? left", "direction-on-question"),
        (DUDO + ROUND + "Ana: 2x3\nBeto: 3x3 right", "direction-on-raise"),
        (DUDO + ROUND + "Ana: 2x3\nBeto: dudo right", "direction-on-call"),
        (HEAD + "dice: 5 5 0\nround: Ana=13356 Beto=22456\nCaro: 3x3", "out"),
        (HEAD + "dice: 5 5 0\nround: Ana=13356 Beto=22456\nCaro: calzo", "out"),
        (HEAD + "oblige: open", "no-right-to-oblige"),
        (SETTLED + "oblige: open", "no-right-to-oblige"),
        (OBLIGAR + "oblige: open\noblige: closed", "already-obliged"),
        (DUDO + "dice: 1 5 5\nspecial: open\noblige: closed", "already-obliged"),
    ],
)
def test_refused(text: str, reason: str) -> None:
    """What parses but is not allowed is refused with status 1, and reading goes on."""
    events, status, error = judge(text)
    assert (status, error) == (1, None)
    assert events[-1]["event"] == "action"
    assert (events[-1]["legal"], events[-1]["reason"], events[-1]["message"]) == (False, reason, reason)


def test_a_refused_action_changes_nothing() -> None:
    """The game stands as it was, and the status stays 1 to the end."""
    events, status, _ = judge(HEAD + ROUND + "Ana: 4x3\nBeto: 4x2\nCaro: dudo\nBeto: dudo\n")
    assert [event.get("legal") for event in events] == [None, True, False, False, True, None]
    assert status == 1


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        # The header.
        ("", 1, "missing-line key='rules'"),
        ("rules: perudo", 1, "missing-line key='players'"),
        ("players: Ana Beto\nround: Ana=12345 Beto=12345", 2, "missing-line key='rules'"),
        ("ruels: perudo\nplayers: Ana Beto", 1, "unknown-name name='ruels'"),
        ("rules: perudo dudo\nplayers: Ana Beto", 1, "one-word-expected key='rules'"),
        (
            "rules: poker\nplayers: Ana Beto",
            1,
            "unknown-system system='poker' allowed=('perudo', 'dudo', 'clasico', 'perudo-pt', 'doodoo')",
        ),
        ("rules:\nplayers: Ana Beto", 1, "empty-line key='rules'"),
        ("rules: perudo\nrules: perudo", 2, "second-header-line key='rules'"),
        (HEAD + "players: Ana Beto", 3, "second-header-line key='players'"),
        (HEAD + "set: exact=on", 3, "bad-value key='exact' value='on' allowed=('off', 'turn', 'anyone')"),
        (
            HEAD + "set: exact=off\nset: ones=off",
            4,
            f"unknown-key key='ones' allowed={KEYS}",
        ),
        (HEAD + "set: exact", 3, "no-such-form text='exact'"),
        (
            "rules: clasico\nset: starting_dice=7\nplayers: Ana Beto",
            2,
            "bad-value key='starting_dice' value='7' allowed=('3-6',)",
        ),
        ("rules: perudo\nplayers: Ana", 2, "too-few-players players=1 low=2 high=32"),
        ("rules: clasico\nplayers: A B C D E F G", 2, "too-many-players players=7 low=2 high=6"),
        ("rules: perudo\nplayers: Ana Ana", 2, "name-twice name='Ana'"),
        ("rules: perudo\nplayers: Ana dice", 2, "bad-name name='dice'"),
        ("rules: perudo\nplayers: Ana gone", 2, "bad-name name='gone'"),
        ("rules: perudo\nplayers: Ana B:C", 2, "bad-name name='B:C'"),
        ("rules: perudo\nplayers: Ana B=C", 2, "bad-name name='B=C'"),
        (HEAD + "opener: Zoe", 3, "bad-value key='opener' value='Zoe' allowed=('Ana', 'Beto', 'Caro')"),
        (HEAD + "opener: Ana Beto", 3, "one-word-expected key='opener'"),
        (HEAD + "dice: 0 5 5\nopener: Ana", 4, "opener-without-dice name='Ana'"),
        (HEAD + "direction: right", 3, "direction-fixed"),
        (DUDO + "direction: up", 3, "bad-value key='direction' value='up' allowed=('left', 'right')"),
        (HEAD + "dice: 5 5", 3, "one-number-a-player key='dice' players=3"),
        (HEAD + "dice: 5 5 5 5", 3, "one-number-a-player key='dice' players=3"),
        (HEAD + "dice: 5 5 6", 3, "more-than-at-start value='6' most=5"),
        (HEAD + "dice: 5 5 x", 3, "not-a-number key='dice' value='x'"),
        (HEAD + "dice: 5 5 -1", 3, "not-a-number key='dice' value='-1'"),
        (HEAD + "dice: 5 0 0", 3, "fewer-than-two-with-dice"),
        (HEAD + "banked: 0 0", 3, "one-number-a-player key='banked' players=3"),
        (HEAD + "penalties: 0 1 0", 3, "no-points-race"),
        (HEAD + "used: Zoe", 3, "unknown-name name='Zoe'"),
        (HEAD + "used: Ana Ana", 3, "name-twice name='Ana'"),
        (
            HEAD + "special: obligar",
            3,
            "bad-value key='special' value='obligar' allowed=('palifico', 'open', 'closed')",
        ),
        (SETTLED + "dice: 5 5 5", 6, "header-after-start key='dice'"),
        (HEAD + ROUND + "set: exact=off", 4, "header-after-start key='set'"),
        # Opening rolls.
        (HEAD + "roll: Ana=4 Beto=2 Caro=1", 3, "no-opening-roll"),
        ("rules: doodoo\nplayers: A B\nroll: A=4 B=2\nopener: A", 4, "opener-beside-rolls"),
        ("rules: doodoo\nplayers: A B C\nroll: A=4 B=2", 3, "not-open-ties ties=('A B C',)"),
        ("rules: doodoo\nplayers: A B C\nroll: A=4 B=4 C=2\nroll: A=1 B=2 C=3", 4, "not-open-ties ties=('A B',)"),
        ("rules: doodoo\nplayers: A B C\nroll: A=4 B=2 C=2\nroll: B=1 C=3", 4, "not-open-ties ties=()"),
        ("rules: doodoo\nplayers: A B C\nroll: A=4 B=4 C=2", 3, "tie-left-open names=('A', 'B')"),
        ("rules: perudo-pt\nplayers: A B C\nroll: A=4 B=2 C=2", 3, "tie-left-open names=('B', 'C')"),
        ("rules: doodoo\nplayers: A B\nroll: A=4 Z=2", 3, "unknown-name name='Z'"),
        ("rules: doodoo\nplayers: A B\nroll: A=4 A=2", 3, "name-twice name='A'"),
        ("rules: doodoo\nplayers: A B\nroll: A=0 B=2", 3, "no-such-roll value='0'"),
        ("rules: doodoo\nplayers: A B\nroll: A=7 B=2", 3, "no-such-roll value='7'"),
        ("rules: doodoo\nplayers: A B\nroll: A B", 3, "no-such-form text='A'"),
        ("rules: doodoo\nplayers: A B C\ndice: 0 1 1\nroll: A=6 B=2 C=1", 4, "opener-without-dice name='A'"),
        # Rounds.
        (HEAD + ROUND + ROUND, 4, "inside-a-round"),
        (ENDED + "round: Ana=2", 7, "after-the-end"),
        (HEAD + "round: Ana=13356 Beto=22456", 3, "cups-missing names=('Caro',)"),
        (HEAD + "round:", 3, "cups-missing names=('Ana', 'Beto', 'Caro')"),
        (HEAD + "round: Ana=13356 Beto=22456 Caro=1234", 3, "wrong-number-of-dice name='Caro' found=4 dice=5"),
        (HEAD + "round: Ana=13356 Beto=22456 Caro=", 3, "wrong-number-of-dice name='Caro' found=0 dice=5"),
        (
            HEAD + "dice: 5 5 0\nround: Ana=13356 Beto=22456 Caro=1",
            4,
            "wrong-number-of-dice name='Caro' found=1 dice=0",
        ),
        (HEAD + "round: Ana=13356 Beto=22456 Zoe=12345", 3, "unknown-name name='Zoe'"),
        (HEAD + "round: Ana=13356 Beto=22456 Ana=12345", 3, "name-twice name='Ana'"),
        (HEAD + "round: Ana=13356 Beto=22456 Caro=12347", 3, "no-such-die name='Caro' value='7'"),
        (HEAD + "round: Ana=13356 Beto=22456 Caro=0", 3, "no-such-die name='Caro' value='0'"),
        (HEAD + "round: Ana Beto Caro", 3, "no-such-form text='Ana'"),
        # Actions.
        (HEAD + "Ana: 4x3", 3, "no-round-open"),
        (HEAD + "Ana: ?", 3, "no-round-open"),
        (SETTLED + "Ana: 4x3", 6, "no-round-open"),
        (SETTLED + "Ana: ?", 6, "no-round-open"),
        (ENDED + "Ana: 4x3", 7, "no-round-open"),
        (HEAD + ROUND + "Zoe: 4x3", 4, "unknown-name name='Zoe'"),
        (HEAD + ROUND + "Ana:", 4, "empty-action"),
        (HEAD + ROUND + "Ana 4x3", 4, "no-such-form text='Ana 4x3'"),
        (HEAD + ROUND + "Ana: 4x10", 4, "no-such-action text='4x10'"),
        (HEAD + ROUND + "Ana: four threes", 4, "no-such-action text='four threes'"),
        (HEAD + ROUND + "Ana: 4x3 up", 4, "no-such-action text='4x3 up'"),
        (HEAD + ROUND + "Ana: oblige open", 4, "no-such-action text='oblige open'"),
        (HEAD + ROUND + "Ana: ? ?", 4, "no-such-action text='? ?'"),
        (HEAD + ROUND + "Ana: ? left right", 4, "no-such-action text='? left right'"),
        # Between rounds.
        (HEAD + ROUND + "oblige: open", 4, "inside-a-round"),
        (ENDED + "oblige: open", 7, "after-the-end"),
        (OBLIGAR + "oblige: no", 7, "no-such-choice text='no'"),
        (OBLIGAR + "oblige:", 7, "no-such-choice text=''"),
        (OBLIGAR + "oblige: open closed", 7, "no-such-choice text='open closed'"),
        (HEAD + ROUND + "gone: Ana", 4, "inside-a-round"),
        (ENDED + "gone: Ana", 7, "after-the-end"),
        (HEAD + "gone: Zoe", 3, "unknown-name name='Zoe'"),
        (HEAD + "gone: Ana Ana", 3, "name-twice name='Ana'"),
        (HEAD + "gone:", 3, "empty-line key='gone'"),
        (HEAD + "gone: Ana\ngone: Ana", 4, "already-out name='Ana'"),
        (HEAD + "gone: Ana Beto Caro", 3, "nobody-left"),
        # Dice that were never shown.
        (HEAD + ROUND.replace("22456", "2245?") + "Ana: 4x3\nBeto: dudo", 5, "die-never-shown name='Beto'"),
        (DUDO + ROUND.replace("22456", "?????") + "Ana: 4x3\nBeto: paso\nCaro: dudo", 6, "die-never-shown name='Beto'"),
    ],
)
def test_errors(text: str, line: int, said: str) -> None:
    """What is no form of the notation, or stands where it must not, ends the judging with status 2, its line named.

    Reason and fields are all there is to make a sentence of.
    """
    _, status, error = judge(text)
    assert error is not None
    assert (status, str(error)) == (2, f"line {line}: {said}")
    assert (error.line, error.reason) == (line, said.split()[0])


def test_an_error_is_not_a_refusal() -> None:
    """What came before an error was judged, what comes after it is not."""
    events, status, error = judge(HEAD + ROUND + "Ana: 4x1\nAna: what\nAna: 4x3")
    assert [event["event"] for event in events] == ["round", "action"]
    assert (status, error and error.line) == (2, 5)


def test_bytes() -> None:
    """Bytes are read as UTF-8 with a byte-order mark and CRLF skipped; other bytes are an error in their line."""
    text = HEAD.replace("Ana", "Aña") + ROUND.replace("Ana", "Aña")
    events, status, error = judge(b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode())
    assert (len(events), status, error) == (1, 0, None)
    _, status, error = judge(text.encode("latin-1"))
    assert (status, error and (error.line, error.reason)) == (2, (2, "not-utf-8"))


def test_unknown_dice_that_nobody_needs() -> None:
    """A doubted paso needs the passer's cup only, and a round that is broken off none."""
    (result,) = results(
        DUDO
        + "round: Ana=????? Beto=22256 Caro=1?3?5\nAna: 4x3\nBeto: paso\nCaro: dudo\n"
        + "round: Ana=????? Beto=???? Caro=?????"
    )
    assert (result["on"], result["bid"], result["count"], result["lost"]) == ("pass", None, None, ["Beto"])


def test_questions() -> None:
    """Out of turn, or out of the game, the list is empty, but for an exact call that is open to all."""
    text = "rules: clasico\nplayers: A B C D\ndice: 5 5 5 0\nround: A=12345 B=12345 C=12345\nA: 2x2\nA: ?\nC: ?\nD: ?"
    assert [event["actions"] for event in judged(text)[2:]] == [[], ["calzo"], []]


def test_oblige() -> None:
    """The next opener may oblige before the round; the round is of that kind, and the action is theirs."""
    *_, oblige, began = judged(OBLIGAR + "oblige: closed\nround: Ana=2 Beto=????? Caro=?????")
    assert oblige == {"event": "action", "line": 7, "by": "Ana", "action": "oblige closed", "legal": True}
    assert began == {"event": "round", "round": 2, "opener": "Ana", "direction": "left", "special": "closed"}
    *_, result, began = judged(OBLIGAR + "round: Ana=2 Beto=????? Caro=?????")
    assert (result["next_special"], began["special"]) == ("obligar", None)


def test_gone() -> None:
    """Who goes between rounds loses all dice; the game ends when one is left."""
    *_, gone = judged(SETTLED + "gone: Ana")
    assert gone == {
        "event": "gone",
        "players": ["Ana"],
        "dice": {"Ana": 0, "Beto": 5, "Caro": 5},
        "next_opener": "Beto",
        "next_special": None,
    }
    *_, last, end = judged(HEAD + "gone: Caro\ngone: Ana")
    assert (last["next_opener"], end) == (None, {"event": "end", "winners": ["Beto"]})


def test_gone_after_oblige() -> None:
    """An obligar already chosen stays, and is not to be chosen again."""
    text = OBLIGAR + "oblige: open\ngone: Caro\n"
    assert judged(text)[-1]["next_special"] is None
    assert judged(text + "round: Ana=? Beto=?????")[-1]["special"] == "open"
    assert judge(text + "oblige: closed")[1] == 1
    assert judged(OBLIGAR + "gone: Caro\n")[-1]["next_special"] == "obligar"
    assert judged(OBLIGAR + "oblige: open\ngone: Ana\n" + "round: Beto=????? Caro=?????")[-1]["special"] is None


def test_an_end() -> None:
    """The last result has no next opener, and the end names the winners."""
    *_, result, end = judged(ENDED)
    assert (result["out"], result["next_opener"], result["next_special"]) == (["Ana"], None, None)
    assert end == {"event": "end", "winners": ["Beto"]}


def test_starting_in_mid_game() -> None:
    """dice, banked, used, direction and opener start a game where it stands, the half of the start unchanged."""
    text = DUDO + "dice: 3 2 2\nbanked: 0 1 0\nused: Caro\ndirection: right\nopener: Caro\n"
    began, _, question = judged(text + "round: Ana=123 Beto=12 Caro=12\nCaro: 2x2\nBeto: ?")
    assert (began["opener"], began["direction"]) == ("Caro", "right")
    assert "calzo" not in question["actions"]
    (result,) = results(text + "round: Ana=123 Beto=13 Caro=13\nCaro: 7x2\nBeto: dudo")
    assert (result["dice"]["Caro"], result["next_special"]) == (1, None)


def test_the_first_player_with_dice_opens() -> None:
    """Without an opener line the first player with dice opens."""
    began = judged(HEAD + "dice: 0 5 5\nround: Beto=12345 Caro=12345")[0]
    assert began["opener"] == "Beto"


def test_special_header() -> None:
    """A special first round is its opener's, who has had theirs, even where the rules would not give it."""
    text = "rules: doodoo\nplayers: Ana Beto Caro\ndice: 3 5 5\nspecial: palifico\nset: special=palifico\n"
    began, *_ = judged(text + "round: Ana=123 Beto=12345 Caro=12345")
    assert began["special"] == "palifico"
    lost = "round: Ana=222 Beto=22222 Caro=22222\nAna: 9x3\nBeto: dudo\n"
    lost += "round: Ana=22 Beto=22222 Caro=22222\nAna: 9x3\nBeto: dudo\n"
    assert [result["next_special"] for result in results(text + lost)] == [None, None]


def test_roll_seats() -> None:
    """roll-seats seats from highest to lowest; winners and those who go keep the order of players."""
    text = "rules: perudo-pt\nplayers: Ana Beto Caro\nset: format=points rounds=1\npenalties: 3 0 3\n"
    text += "roll: Ana=4 Beto=4 Caro=*\nroll: Ana=2 Beto=6\n"
    order, began, *_, result, end = judged(text + ROUND + "Beto: 9x2\nAna: dudo\n")
    assert order == {"event": "order", "seats": ["Beto", "Ana", "Caro"], "opener": "Beto"}
    assert (began["opener"], result["penalties"]) == ("Beto", {"Ana": 3, "Beto": 1, "Caro": 3})
    assert end == {"event": "end", "winners": ["Beto"]}
    tied = text.replace("penalties: 3 0 3", "penalties: 1 0 1")
    assert judged(tied + ROUND + "Beto: 9x2\nAna: dudo\n")[-1]["winners"] == ["Ana", "Beto", "Caro"]


def test_several_ties_on_one_line() -> None:
    """A later roll holds one or more whole ties, in any order."""
    text = "rules: perudo-pt\nplayers: A B C D E\nroll: A=3 B=5 C=5 D=3 E=*\nroll: D=1 A=2 C=4 B=4\nroll: C=1 B=*"
    assert judged(text)[0]["seats"] == ["C", "B", "A", "D", "E"]


def test_points() -> None:
    """penalties start a points race in its middle, and rounds count from the file's first."""
    text = "rules: perudo\nplayers: Ana Beto\nset: format=points rounds=2\npenalties: 1 2\n"
    lines = "round: Ana=12345 Beto=12345\n{}: 9x2\n{}: dudo\n"
    *_, end = judged(text + lines.format("Ana", "Beto") + lines.format("Ana", "Beto"))
    assert end == {"event": "end", "winners": ["Beto"]}


def test_the_explanation_gets_the_names() -> None:
    """Whoever turns a refusal into words gets the names by seat."""

    def explain(refused: IllegalAction, names: object) -> str:
        turn = refused.fields["turn"]
        assert isinstance(turn, int)
        assert names == ("Ana", "Beto", "Caro")
        return f"wait for {('Ana', 'Beto', 'Caro')[turn]}"

    referee = Referee(explain)
    events = list(referee.judge((HEAD + ROUND + "Beto: 2x2").splitlines()))
    assert events[-1]["message"] == "wait for Ana"
    assert referee.status == 1


PIECES = (
    "Ana:|Beto:|round:|gone:|oblige:|roll:|rules: perudo|players: Ana Beto|4x3|?|Ana=13356|Beto=22456|dudo|calzo|paso"
    "|left|#|=|:|set:|exact=off|open|9x9|Ana=|\x00| "
)
WORDS = st.sampled_from(PIECES.split("|"))


@given(st.lists(st.lists(WORDS, max_size=5).map(" ".join), max_size=12))
def test_any_text_is_judged(lines: list[str]) -> None:
    """Any text gives events that are JSON, or one NotationError with a line of the text, and never anything else."""
    events, status, error = judge("\n".join(lines))
    json.dumps(events)
    assert status == (2 if error else 1 if any(event.get("legal") is False for event in events) else 0)
    assert error is None or 1 <= error.line <= max(len(lines), 1)


@given(st.lists(st.binary(max_size=40), max_size=6))
def test_any_bytes_are_judged(lines: list[bytes]) -> None:
    """The same holds for any bytes."""
    _, status, _ = judge(b"\n".join(lines))
    assert status in (0, 1, 2)


@pytest.mark.long
def test_a_million_lines() -> None:
    """A long file is judged as it is read, each line in the time the first ones took."""

    def lines(number: int) -> Iterator[str]:
        yield from (HEAD + ROUND).splitlines()
        for _ in range(number):
            yield "Beto: 4x2"

    def seconds(number: int) -> float:
        started = time.process_time()
        assert sum(1 for _ in Referee(lambda refused, names: "").judge(lines(number))) == number + 1
        return time.process_time() - started

    seconds(10_000)
    assert seconds(1_000_000) < 20 * seconds(100_000)
