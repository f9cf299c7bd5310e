"""Every test starts in English and leaves the process as it was."""

import os
from collections.abc import Iterator

import pytest

from p2pdice.cli import language

LANGUAGES = ("en", "es", "pt")


@pytest.fixture(autouse=True)
def _english(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("LANGUAGE", "en")
    language.use("en")
    yield
    language.use("en")


@pytest.fixture(params=LANGUAGES)
def spoken(request: pytest.FixtureRequest) -> str:
    """Each language in turn, in use."""
    name: str = request.param
    language.use(name)
    return name


@pytest.fixture(autouse=True)
def _no_state(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    monkeypatch.setenv("P2PDICE_STATE", os.fspath(tmp_path_factory.mktemp("state")))
    monkeypatch.delenv("P2PDICE_LANG", raising=False)
