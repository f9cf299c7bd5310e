"""Lint, types, layers and tests, in environments of their own; the plain form is what continuous integration runs.

The Python that runs this does everything; each other one of PYTHONS that is installed runs the tests marked `smoke`.
Standard library only, and this file must run under any Python 3 up to the refusal.
"""

import os
import subprocess
import sys
import tempfile
import threading
import time

from play import refusal

PYTHONS = ("3.11", "3.12", "3.13")
COVERAGE_FLOOR = 95  # per cent of lines and branches, over the packages that pyproject.toml's coverage report includes
CORE = ("tests/rules", "tests/fairness", "tests/protocol")  # no processes, no network: what coverage is asked for
WHO = "import ensurepip, sys, venv; print(sys.executable); print(sys.version)"


def find(version: str) -> "tuple[str, str] | None":
    """A usable Python of `version` ("3.12"): its path and sys.version. On PATH, by the launcher, or pyenv's."""
    import shutil
    from pathlib import Path

    pyenv = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv") / "versions"
    candidates = [[f"python{version}"], ["py", f"-{version}"]]
    candidates += [[str(path)] for path in sorted(pyenv.glob(f"{version}.*/bin/python{version}"), reverse=True)]
    for command in candidates:
        if not shutil.which(command[0]):
            continue
        # A shim on PATH may stand for a version that is not chosen, and fails; so ask it, do not trust its name.
        answer = subprocess.run([*command, "-c", WHO], capture_output=True, text=True, check=False)
        path, _, full = answer.stdout.partition("\n")
        if answer.returncode == 0 and full.startswith(f"{version}."):
            return path, full
    return None


class Steps:
    """Runs one command after the other, whatever became of those before, and remembers which failed."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.failed: list[str] = []
        self._printing = threading.Lock()

    def run(self, name: str, *command: str) -> None:
        print(f"\n== {name}", flush=True)
        begun = time.monotonic()
        self._ended(name, subprocess.call(command, cwd=self.folder), begun)

    def beside(self, *lanes: "list[tuple[str, ...]]") -> None:
        """Lists of steps, (name, command...) each: a list in its order, beside the others; prints what each has said.

        One that needs a core and one that mostly waits for real processes hardly disturb each other.
        """
        threads = [threading.Thread(target=self._lane, args=(lane,), daemon=True) for lane in lanes]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def _lane(self, lane: "list[tuple[str, ...]]") -> None:
        for name, *command in lane:
            begun = time.monotonic()
            with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as said:
                status = subprocess.call(command, cwd=self.folder, stdout=said, stderr=said)
                said.seek(0)
                with self._printing:
                    print(f"\n== {name}\n{said.read()}", end="", flush=True)
                    self._ended(name, status, begun)

    def _ended(self, name: str, status: int, begun: float) -> None:
        print(f"== {name}: {'ok' if status == 0 else f'status {status}'}, {time.monotonic() - begun:.0f} s", flush=True)
        if status:
            self.failed.append(name)


def main(args: "list[str]") -> int:
    import argparse

    from _venv import ROOT, SetupError, ensure, say

    parser = argparse.ArgumentParser(description="Lint, types and tests of p2pdice.")
    parser.add_argument("--long", action="store_true", help="also what takes longer: long waits, big random runs")
    selection = ["-m", "", "--hypothesis-profile=long"] if parser.parse_args(args).long else []

    here = "{}.{}".format(*sys.version_info[:2])
    lock = ROOT / "scripts" / "requirements-dev.txt"
    steps = Steps(str(ROOT))
    try:
        python = str(ensure(ROOT / f".venv-{here}", lock))
        steps.run("ruff", python, "-m", "ruff", "check")
        steps.run("layers", os.path.join(os.path.dirname(python), "lint-imports"), "--no-logo")
        others = {}
        for version in PYTHONS:
            found = None if version == here else find(version)
            if found:
                others[version] = str(ensure(ROOT / f".venv-{version}", lock, *found))
        part = ("-m", "pytest", "-q", "-p", "no:cacheprovider", "-m", "smoke and not long")
        rest = tuple(f"--ignore={folder}" for folder in CORE)
        steps.beside([
            ("mypy", python, "-m", "mypy"),
            *((f"Python {version}, core in part", other, *part, *CORE) for version, other in others.items()),
            (f"Python {here}, core", python, "-m", "coverage", "run", "-m", "pytest", "-q", *selection, *CORE),
        ], [
            *((f"Python {version}, processes in part", other, *part, *rest) for version, other in others.items()),
            (f"Python {here}, processes", python, "-m", "pytest", "-q", "-p", "no:cacheprovider", *selection, *rest),
        ])
        steps.run("benchmarks, in short", python, os.path.join("scripts", "bench.py"), "--short")
        steps.run("coverage", python, "-m", "coverage", "report", f"--fail-under={COVERAGE_FLOOR}")
    except SetupError as error:
        say(str(error))
        return 1
    except KeyboardInterrupt:
        say("\nInterrupted.")
        return 130
    print("\nFailed: " + "; ".join(steps.failed) if steps.failed else "\nEverything holds.")
    return 1 if steps.failed else 0


if __name__ == "__main__":
    message = refusal(sys.version_info[:2])
    sys.exit(message or main(sys.argv[1:]))
