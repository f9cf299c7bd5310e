"""Which language the reader gets, and the doors to its catalogue: `_` and `ngettext`.

English stands in the code; Spanish and Portuguese in locale/. Imports nothing of ours, for `--help` must be quick.
Nothing a program reads (JSON, notation, files) comes through here.
"""

import gettext
import os
from collections.abc import Mapping

LANGUAGES = ("en", "es", "pt")
DOMAIN = "p2pdice"
LOCALE_FOLDER = os.path.join(os.path.dirname(__file__), "locale")

_catalogue: gettext.NullTranslations = gettext.NullTranslations()


def use(language: str) -> None:
    """Speak `language` (one of LANGUAGES) from now on, in this process."""
    global _catalogue
    _catalogue = gettext.translation(DOMAIN, LOCALE_FOLDER, languages=[language], fallback=True)
    # argparse asks the gettext module by itself, which looks at the environment.
    os.environ["LANGUAGE"] = language
    gettext.bindtextdomain(DOMAIN, LOCALE_FOLDER)
    gettext.textdomain(DOMAIN)


def _(message: str) -> str:
    return _catalogue.gettext(message)


def ngettext(singular: str, plural: str, number: int) -> str:
    """The form of a message that fits `number`, in the language in use."""
    return _catalogue.ngettext(singular, plural, number)


def choose(asked: str | None, environment: Mapping[str, str], remembered: str | None = None) -> str:
    """The reader's language: `--lang`, P2PDICE_LANG, the remembered one, the system's, else English."""
    for wish in (asked, environment.get("P2PDICE_LANG"), remembered):
        if wish and (language := known(wish)):
            return language
    # The first of the system's variables that is set counts, even where it names a language that is not spoken here.
    for name in ("LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG"):
        if wish := environment.get(name):
            return next(filter(None, map(known, wish.split(":"))), "en")
    # Windows and some macOS terminals set none of them.
    import locale

    system = locale.getlocale(getattr(locale, "LC_MESSAGES", locale.LC_CTYPE))[0]
    return known(system or "") or "en"


def known(tag: str) -> str | None:
    """The language of a tag such as "pt_BR.UTF-8" or "Spanish_Spain", if it is one of LANGUAGES."""
    name = tag.replace("-", "_").partition("_")[0].partition(".")[0].lower()
    name = {"spanish": "es", "portuguese": "pt", "english": "en"}.get(name, name)
    return name if name in LANGUAGES else None
