"""What one start leaves for the next, and that nothing there can do harm."""

from pathlib import Path

import pytest

from p2pdice.cli import memory
from p2pdice.cli.memory import Memory


def test_what_is_remembered_comes_back(tmp_path: Path) -> None:
    """Fields add up over several starts."""
    place = tmp_path / "new" / "folder"
    memory.remember(place, name="Ana", language="es")
    memory.remember(place, system="dudo", options={"exact": "off"})
    assert memory.load(place) == Memory("Ana", "es", "dudo", {"exact": "off"})


@pytest.mark.parametrize("text", ["", "{", "[]", '{"name": 5, "options": {"a": 1}}', "[" * 5000, "\udcff"])
def test_a_damaged_file_is_no_memory(tmp_path: Path, text: str) -> None:
    """Whatever stands there, the program starts."""
    (tmp_path / "remembered.json").write_bytes(text.encode("utf-8", "surrogateescape"))
    assert memory.load(tmp_path) == Memory()


def test_a_folder_that_cannot_be_written_is_no_error(tmp_path: Path) -> None:
    """Remembering is a convenience."""
    (tmp_path / "file").write_text("")
    memory.remember(tmp_path / "file", name="Ana")
    assert memory.load(tmp_path / "file") == Memory()


def test_where_it_is(tmp_path: Path) -> None:
    """The flag comes before the variable, and without both the platform has a place."""
    assert memory.folder("here", {"P2PDICE_STATE": "there"}) == Path("here")
    assert memory.folder(None, {"P2PDICE_STATE": "there"}) == Path("there")
    assert "p2pdice" in str(memory.folder(None, {}))
