"""Virtual environments for the scripts: made once, redone when their lock file or their Python changes.

Standard library only. Everything said here goes to standard error, so that what a command prints stays clean.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
STAMP = "p2pdice-stamp"

NO_VENV = """\
{python} cannot make virtual environments: its {module} module is missing.
On Debian or Ubuntu: sudo apt install python3-venv. Elsewhere, a Python from python.org has it."""
NO_PIP = """\
The packages named in {lock} could not be installed; pip says why above.
The first run needs a way to a package index. Where there is one, run the same command again: it starts afresh."""
NO_WRITE = """\
{folder} could not be made: {error}
The set-up needs a folder that it may write in, and about 100 MB."""


class SetupError(Exception):
    """The environment could not be made; the text says what is missing and what to do."""


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def interpreter(folder: Path) -> Path:
    """The Python inside the environment `folder`."""
    return folder / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")


def ensure(folder: Path, lock: Path, python: str = sys.executable, version: str = sys.version) -> Path:
    """Make sure that `folder` is an environment of `python` with exactly what `lock` names; return its interpreter.

    `version` is that Python's `sys.version`. Raises SetupError.
    """
    # The folder's own place is part of it, because an environment that was moved or copied is broken.
    wanted = "\n".join((" ".join(version.split()), hashlib.sha256(lock.read_bytes()).hexdigest(), str(folder)))
    if _is_ready(folder, wanted):
        return interpreter(folder)
    try:
        with _lock(folder.with_name(folder.name + ".lock")):
            if not _is_ready(folder, wanted):  # another terminal may have made it while this one waited
                _make(folder, lock, python)
                # Written last: an environment without its stamp was interrupted, and is made anew.
                (folder / STAMP).write_text(wanted, encoding="utf-8")
    except OSError as error:
        raise SetupError(NO_WRITE.format(folder=folder, error=error)) from error
    return interpreter(folder)


def within(script: str, args: list[str]) -> int | None:
    """Run `script` again by the Python of .venv, with what is locked there; its exit status.

    None where this already is that Python, or that of the tests, which has all of it too, and the script may go on.
    """
    folder = ROOT / ".venv"
    if Path(sys.prefix) in {folder, ROOT / ".venv-{}.{}".format(*sys.version_info)}:
        return None
    try:
        python = str(ensure(folder, ROOT / "scripts" / "requirements.txt"))
    except SetupError as error:
        say(str(error))
        return 1
    if sys.platform == "win32":
        return subprocess.call([python, script, *args])
    os.execv(python, [python, script, *args])


def _is_ready(folder: Path, wanted: str) -> bool:
    try:
        return (folder / STAMP).read_text(encoding="utf-8") == wanted and interpreter(folder).exists()
    except OSError:
        return False


def _make(folder: Path, lock: Path, python: str) -> None:
    for module in ("venv", "ensurepip"):
        if subprocess.call([python, "-c", f"import {module}"], stderr=subprocess.DEVNULL):
            raise SetupError(NO_VENV.format(python=python, module=module))
    say(f"Setting up {folder.name} (once) ...")
    with contextlib.suppress(FileNotFoundError):
        (folder / STAMP).unlink()
    shutil.rmtree(folder, ignore_errors=True)
    if subprocess.call([python, "-m", "venv", str(folder)], stdout=sys.stderr):
        raise SetupError(f"{python} could not make the virtual environment {folder}; the reason stands above.")
    pip = [str(interpreter(folder)), "-I", "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    pip += ["--no-input", "--retries", "2", "--require-hashes", "-r", str(lock)]
    # Settings that would send the packages elsewhere than into the environment.
    elsewhere = {"PIP_USER", "PIP_TARGET", "PIP_PREFIX", "PIP_ROOT", "PYTHONHOME", "PYTHONPATH"}
    environ = {key: value for key, value in os.environ.items() if key not in elsewhere}
    if subprocess.call(pip, env=environ, stdout=sys.stderr):
        raise SetupError(NO_PIP.format(lock=lock.relative_to(ROOT)))
    # `python -m p2pdice` then finds the source tree from any folder.
    site = subprocess.check_output(
        [str(interpreter(folder)), "-I", "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"], text=True
    )
    (Path(site.strip()) / "p2pdice-source.pth").write_text(f"{ROOT}\n", encoding="utf-8")


@contextlib.contextmanager
def _lock(path: Path) -> Iterator[None]:
    """Hold `path` against other processes; the system lets go of it whatever becomes of this one."""
    with path.open("a+b") as file:
        if sys.platform == "win32":
            import msvcrt

            while True:
                with contextlib.suppress(OSError):  # LK_LOCK itself gives up after ten seconds
                    msvcrt.locking(file.fileno(), msvcrt.LK_LOCK, 1)
                    break
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX)
        yield
