"""The translations as a program sees them. Run as `python -m tests.cli.catalogues` after changing a text: it brings the
.po files up to date (untranslated texts are left empty, for you) and compiles them; the tests fail until all is there.
"""

from collections.abc import Sequence
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_dir
from babel.messages.mofile import read_mo, write_mo
from babel.messages.pofile import read_po, write_po

FOLDER = Path(__file__).parents[2] / "p2pdice" / "cli"
LANGUAGES = ("es", "pt")
HEADER = r"""msgid ""
msgstr ""
"Project-Id-Version: p2pdice\n"
"Language: {language}\n"
"Plural-Forms: nplurals=2; plural=(n != 1);\n"
"MIME-Version: 1.0\n"
"Content-Type: text/plain; charset=utf-8\n"
"Content-Transfer-Encoding: 8bit\n"
"""

# argparse looks its own texts up by itself; these are the ones that people meet.
ARGPARSE = (
    "usage: ",
    "positional arguments",
    "options",
    "show this help message and exit",
    "the following arguments are required: %s",
    "unrecognized arguments: %s",
    "argument %(argument_name)s: %(message)s",
    "invalid choice: %(value)r (choose from %(choices)s)",
    "not allowed with argument %s",
    "expected one argument",
    "expected at least one argument",
    "ignored explicit argument %r",
)


def texts() -> dict[str, tuple[str, ...]]:
    """Every text of the package: its msgid -> (singular,) or (singular, plural)."""
    found: dict[str, tuple[str, ...]] = {text: (text,) for text in ARGPARSE}
    keywords = {"_": None, "ngettext": (1, 2)}
    for _file, _line, message, _comments, _context in extract_from_dir(
        FOLDER, method_map=[("**.py", "python")], keywords=keywords
    ):
        both = forms(message)
        found[both[0]] = both
    return found


def po_path(language: str) -> Path:
    """Where the readable catalogue of a language is."""
    return FOLDER / "locale" / language / "LC_MESSAGES" / "p2pdice.po"


def read(language: str) -> Catalog:
    """The readable catalogue of a language."""
    with po_path(language).open("rb") as file:
        return read_po(file, locale=language, abort_invalid=True)


def read_compiled(language: str) -> Catalog:
    """The compiled catalogue of a language."""
    with po_path(language).with_suffix(".mo").open("rb") as file:
        return read_mo(file)


def meaning(catalogue: Catalog) -> dict[tuple[str, ...], tuple[str, ...]]:
    """What a catalogue says, without its header."""
    return {forms(entry.id): forms(entry.string) for entry in catalogue if entry.id}


def forms(text: str | Sequence[str] | None) -> tuple[str, ...]:
    """A text, or its singular and plural, as a tuple."""
    return (text,) if isinstance(text, str) else tuple(text or ())


def update(language: str) -> None:
    """Bring a catalogue up to date with the texts, and compile it."""
    old = read(language) if po_path(language).exists() else Catalog(locale=language)
    new = read_po(BytesIO(HEADER.format(language=language).encode()), locale=language)
    for wanted in texts().values():
        identity = wanted[0] if len(wanted) == 1 else wanted
        known = old.get(wanted[0])
        new.add(identity, known.string if known is not None and known.id == identity else None)
    write(language, new)


def write(language: str, catalogue: Catalog) -> None:
    """Write the readable and the compiled form of a catalogue."""
    entries = BytesIO()
    write_po(entries, catalogue, width=120, omit_header=True, no_location=True)
    path = po_path(language)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(HEADER.format(language=language).encode() + b"\n" + entries.getvalue())
    compiled = read(language)
    compiled.creation_date = datetime.fromtimestamp(0, UTC)  # the same texts give the same bytes, whenever
    with path.with_suffix(".mo").open("wb") as file:
        write_mo(file, compiled)


if __name__ == "__main__":
    for name in LANGUAGES:
        update(name)
