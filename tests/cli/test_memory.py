"""What one start leaves for the next, and that nothing there can do harm."""

import sys
from pathlib import Path

import platformdirs
import pytest

from p2pdice.cli import memory


def test_what_is_remembered_comes_back(tmp_path: Path) -> None:
    """Fields add up over several starts."""
    place = str(tmp_path / "new" / "folder")
    memory.remember(place, name="Ana", language="es")
    memory.remember(place, system="dudo", options={"exact": "off"})
    kept = memory.load(place)
    assert (kept.name, kept.language, kept.system, kept.options) == ("Ana", "es", "dudo", {"exact": "off"})


@pytest.mark.parametrize("text", ["", "{", "[]", '{"name": 5, "options": {"a": 1}}', "[" * 5000, "\udcff"])
def test_a_damaged_file_is_no_memory(tmp_path: Path, text: str) -> None:
    """Whatever stands there, the program starts."""
    (tmp_path / "remembered.json").write_bytes(text.encode("utf-8", "surrogateescape"))
    assert vars(memory.load(str(tmp_path))) == vars(memory.Memory())


def test_a_folder_that_cannot_be_written_is_no_error(tmp_path: Path) -> None:
    """Remembering is a convenience."""
    (tmp_path / "file").write_text("")
    memory.remember(str(tmp_path / "file"), name="Ana")
    assert memory.load(str(tmp_path / "file")).name is None


def test_the_flag_comes_before_the_variable() -> None:
    """And both before the platform's place."""
    assert memory.folder("here", {"P2PDICE_STATE": "there"}) == "here"
    assert memory.folder(None, {"P2PDICE_STATE": "there"}) == "there"


@pytest.mark.parametrize("home", [None, "", "relative", "/somewhere/else"])
def test_the_platforms_place(home: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    """The shortcut for speed gives what the library gives."""
    environment = {} if home is None else {"XDG_STATE_HOME": home}
    monkeypatch.delenv("XDG_STATE_HOME", raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    expected = platformdirs.user_state_dir("p2pdice", appauthor=False)
    found = memory.folder(None, environment)
    assert found == expected or (sys.platform == "linux" and home == "relative")
