"""The translations: complete, sound, and compiled as they stand."""

import re
import string

import pytest

from p2pdice.cli.language import LANGUAGES as SPOKEN
from tests.cli import catalogues


@pytest.fixture(params=catalogues.LANGUAGES)
def name(request: pytest.FixtureRequest) -> str:
    """Each language that has a catalogue."""
    language: str = request.param
    return language


def test_there_is_a_catalogue_for_every_language_but_english() -> None:
    """A language that is offered is also translated."""
    assert {"en", *catalogues.LANGUAGES} == set(SPOKEN)


def test_the_texts_are_found() -> None:
    """Extraction really reads the package: hundreds of texts."""
    assert len(catalogues.texts()) > 400


def test_every_text_is_translated_and_nothing_else(name: str) -> None:
    """The catalogue holds exactly the package's texts, none empty, none fuzzy."""
    catalogue = catalogues.read(name)
    entries = [entry for entry in catalogue if entry.id]
    found = {entry.id if isinstance(entry.id, str) else entry.id[0] for entry in entries}
    assert found == set(catalogues.texts())
    for entry in entries:
        forms = catalogues.forms(entry.string)
        assert all(forms), entry.id
        assert not entry.fuzzy, entry.id
        assert len(forms) == (1 if isinstance(entry.id, str) else 2), entry.id


def test_the_compiled_catalogue_is_the_readable_one(name: str) -> None:
    """What is committed as .mo comes from the .po beside it."""
    assert catalogues.meaning(catalogues.read_compiled(name)) == catalogues.meaning(catalogues.read(name))


def test_translations_keep_the_fields(name: str) -> None:
    """No translation lacks a field that its text has, or has one more; options and commands stay as they are."""
    for entry in catalogues.read(name):
        if not entry.id:
            continue
        for original, translated in zip(catalogues.forms(entry.id), catalogues.forms(entry.string), strict=True):
            assert _fields(translated) == _fields(original), translated
            assert re.findall(r"--[a-z-]+", translated) == re.findall(r"--[a-z-]+", original), translated


def _fields(text: str) -> set[str]:
    if re.search(r"%[(srd]", text):  # argparse's own form
        return set(re.findall(r"%(?:\([a-z_]+\))?[srd]", text))
    return {field for _, field, _, _ in string.Formatter().parse(text) if field is not None}


def test_no_text_shouts_or_draws() -> None:
    """No exclamation marks, no symbol beside letters, digits and plain punctuation."""
    for name in catalogues.LANGUAGES:
        for entry in catalogues.read(name):
            for form in catalogues.forms(entry.string) if entry.id else ():
                assert re.fullmatch(r"[\w\s.,:;?¿'(){}\[\]/%|&=<>*-]*", form), form
