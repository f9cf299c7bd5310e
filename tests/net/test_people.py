"""Whom one has met: a known name with a new key is said, whatever has become of the file."""

import json
import stat
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from p2pdice.net.people import MOST_KEYS, MOST_NAMES, meet
from tests.games.tablehouse import open_house

ANA, BETO, OTHER = b"a" * 32, b"b" * 32, b"o" * 32


def test_a_known_name_with_a_new_key(tmp_path: Path) -> None:
    """Said once; afterwards both keys are known. Capitals make no other name."""
    path = tmp_path / "people.json"
    assert meet(path, [("Ana", ANA), ("Beto", BETO)]) == []
    assert meet(path, [("Ana", ANA), ("beto", OTHER)]) == [OTHER]
    assert meet(path, [("Beto", OTHER), ("Ana", ANA)]) == []
    assert meet(path, [("Beto", BETO)]) == []
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_it_stays_small(tmp_path: Path) -> None:
    """The names met last, and of each the last keys."""
    path = tmp_path / "people.json"
    for number in range(MOST_KEYS + 3):
        meet(path, [("Ana", bytes([number]) * 32)])
    meet(path, [(f"somebody {number}", BETO) for number in range(MOST_NAMES - 1)])
    kept = json.loads(path.read_bytes())
    assert len(kept) == MOST_NAMES
    assert len(kept["ana"]) == MOST_KEYS
    meet(path, [("one more", BETO)])
    assert "ana" not in json.loads(path.read_bytes())


@pytest.mark.parametrize("content", [b"", b"[]", b"{", b'{"ana": 3}', b'{"ana": [3]}', b"[" * 100_000, b"\xff"])
def test_a_damaged_file_is_begun_anew(tmp_path: Path, content: bytes) -> None:
    """Whatever it holds, nobody is suspected for it."""
    path = tmp_path / "people.json"
    path.write_bytes(content)
    assert meet(path, [("Ana", ANA)]) == []
    assert meet(path, [("Ana", OTHER)]) == [OTHER]


@given(st.recursive(st.none() | st.integers() | st.text(), lambda inner: st.lists(inner) | st.dictionaries(
    st.text(), inner)))
def test_any_json_will_do(tmp_path_factory: pytest.TempPathFactory, found: object) -> None:
    """Property: no content stops a game."""
    path = tmp_path_factory.mktemp("people") / "people.json"
    path.write_text(json.dumps(found), encoding="utf-8")
    meet(path, [("Ana", ANA)])
    assert json.loads(path.read_bytes())["ana"][-1] == ANA.hex()


def test_where_nothing_can_be_written(tmp_path: Path) -> None:
    """Nothing is said about it here: the game's own files say it."""
    assert meet(tmp_path / "no" / "people.json", [("Ana", ANA)]) == []


def test_a_friend_with_a_new_computer_is_noticed(tmp_path: Path) -> None:
    """Real processes: the second game with somebody of that name, from another state folder."""
    with open_house(tmp_path) as table:
        heard = []
        for number in range(3):
            host = table.start("host", "--json", "--name", "Ana", "--auto", "easy", "--players", "2", "--no-mdns",
                               "--bind", "127.0.0.1", "--set", "starting_dice=1", state=tmp_path / "ana")
            guest = table.start("join", f"127.0.0.1:{host.event('listening')['port']}", "--json", "--name", "Beto",
                                "--auto", "easy", "--no-mdns", "--bind", "127.0.0.1",
                                state=tmp_path / ("old" if number < 2 else "new"))
            assert [host.status(), guest.status()] == [0, 0]
            heard.append([json.loads(line)["player"] for line in host.lines if '"new-key"' in line])
    assert heard == [[], [], ["Beto"]]
