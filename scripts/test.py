"""Lint, types, layers and tests, in environments of their own; the plain form is what continuous integration runs.

The Python that runs this does everything; each other one of PYTHONS that is installed runs the tests marked `smoke`.
Standard library only, and this file must run under any Python 3 up to the refusal.
"""

import contextlib
import os
import subprocess
import sys
import tempfile
import time

from play import refusal

PYTHONS = ("3.11", "3.12", "3.13")
COVERAGE_FLOOR = 95  # per cent of lines and branches, over the packages that pyproject.toml's coverage report includes
CORE = ("tests/rules", "tests/fairness", "tests/protocol")  # one process, no network: they do not disturb each other
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

    def run(self, name: str, *command: str) -> None:
        print(f"\n== {name}", flush=True)
        begun = time.monotonic()
        self._ended(name, subprocess.call(command, cwd=self.folder), begun)

    def together(self, *steps: "tuple[str, ...]") -> None:
        """Several that need one core each and no network, (name, command...), at once; what they print comes after."""
        begun = time.monotonic()
        with contextlib.ExitStack() as files:
            running = []
            for name, *command in steps:
                file = files.enter_context(tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace"))
                running.append((name, file, subprocess.Popen(command, cwd=self.folder, stdout=file, stderr=file)))
            for name, file, process in running:
                print(f"\n== {name}", flush=True)
                status = process.wait()
                file.seek(0)
                print(file.read(), end="", flush=True)
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
        steps.together(("mypy", python, "-m", "mypy"), *(
            (f"Python {version}, core", other, *part, *CORE) for version, other in others.items()))
        for version, other in others.items():
            steps.run(f"Python {version}, processes", other, *part, *(f"--ignore={folder}" for folder in CORE))
        steps.run(f"Python {here}, whole", python, "-m", "coverage", "run", "-m", "pytest", *selection)
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
