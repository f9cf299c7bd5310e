"""Starting (G14, G15, G16): the command from a wheel in an environment of its own, .venv-start, in turn with the least.

The interpreter is run itself, on what a launcher holds that pip (25.1 or newer), pipx or uv writes; byte code is there.
Help and version are measured in processor time, which other programs on the computer hardly disturb. The first prompt
is measured by the clock, at a real terminal, from the start of the process until the prompt is drawn, in a namespace
with loopback only; its floor starts Python and imports all modules that are not p2pdice's and that it has then. With
--short, whatever is installed beside the benchmark is measured.
"""

import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from _benchmark import Goal, Result, Unable, compare
from _terminal import DRAWN, Terminal
from _venv import ROOT, SetupError, ensure

from tests.games.tablehouse import can_make_namespaces, house

VERSION = Goal("G14", "p2pdice --version", "python -c pass", 1.5, 1.3)
HELP = Goal("G15", "p2pdice --help", "python -c pass", 3, 2.6)
PROMPT = Goal("G16", "start to first prompt", "importing the libraries", 1.3, 0.8)
GOALS = (VERSION, HELP, PROMPT)

LAUNCHER = "import sys; from p2pdice.cli.main import main; sys.exit(main())"
LOADED = "import sys, p2pdice.cli.start, p2pdice.cli.app, p2pdice.cli.seat; print(*sys.modules)"


def run(short: bool) -> Iterator[Result]:
    """The goals of starting."""
    if sys.platform == "win32" or not can_make_namespaces():
        raise Unable("needs pseudo-terminals, root and network namespaces")
    python = sys.executable if short else installed()
    rounds = 3 if short else 40
    with tempfile.TemporaryDirectory() as folder:
        for goal, flag in ((VERSION, "--version"), (HELP, "--help")):
            spend = partial(processor_s, python, folder)
            times = [(spend(LAUNCHER, flag), spend("pass")) for _ in range(rounds)]
            yield compare(goal, *map(list, zip(*times, strict=True)))
        with house(Path(folder)) as network:
            prefix = network.prefix()
            table = [*prefix, python, "-c", LAUNCHER, "host", "--players", "3", "--state", folder]
            libraries = [*prefix, python, "-c", f"{imports(python, folder)}\nprint(end={DRAWN.decode()!r}, flush=True)"]
            prompts = [(drawn_s(table, folder), drawn_s(libraries, folder)) for _ in range(rounds // 2 + 1)]
        yield compare(PROMPT, *map(list, zip(*prompts, strict=True)))


def installed() -> str:
    """The Python of an environment into which a fresh wheel of p2pdice is installed."""
    try:
        python = str(ensure(ROOT / ".venv-start", ROOT / "scripts" / "requirements.txt"))
    except SetupError as error:
        raise Unable(str(error)) from error
    install = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-input", "--no-deps"]
    if subprocess.call([*install, "--force-reinstall", str(ROOT)], stdout=sys.stderr):
        raise Unable("the wheel could not be built or installed; pip says why above")
    return python


def imports(python: str, folder: str) -> str:
    """Python code that imports the libraries that a table needs, in the order in which the command loads them."""
    loaded = subprocess.check_output([python, "-c", LOADED], cwd=folder, text=True).split()
    libraries = [name for name in loaded if name.partition(".")[0] not in {"p2pdice", "__main__"}]
    # Some exist only once others are loaded, which make them.
    return f"import contextlib\nfor name in {libraries}:\n with contextlib.suppress(ImportError): __import__(name)"


def processor_s(python: str, folder: str, code: str, *arguments: str) -> float:
    """Seconds of processor time for a whole process, its end included."""
    import resource

    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([python, "-c", code, *arguments], cwd=folder, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def drawn_s(command: list[str], folder: str) -> float:
    """Seconds from the start of a process at a terminal until it draws a prompt; the process is ended there."""
    begun = time.perf_counter()
    with Terminal(command, folder) as terminal:
        terminal.until(DRAWN)
        return time.perf_counter() - begun
