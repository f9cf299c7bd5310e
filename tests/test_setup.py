"""The set-up that the README promises: two scripts, locked dependencies, a tidy top level."""

import ast
import importlib.util
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path
from types import ModuleType

import pytest

import p2pdice
from tests.conftest import require

ROOT = Path(__file__).parent.parent
LOCKS = ["requirements.txt", "requirements-dev.txt", "requirements-peers.txt"]
TOP_LEVEL = {"pyproject.toml", "README.md", "p2pdice", "tests", "protocol.md", "scripts", "LICENSE"}


def locked(name: str) -> dict[str, list[str]]:
    """A lock's packages, by normalised name and version ("name==1.0"), and the hashes of each."""
    text = (ROOT / "scripts" / name).read_text(encoding="utf-8")
    logical = text.replace("\\\n", " ").splitlines()
    return {line.split()[0]: re.findall(r"--hash=sha256:([0-9a-f]{64})\b", line) for line in logical if line.strip()}


def script(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"script_{name}", ROOT / "scripts" / f"{name}.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def project() -> dict[str, list[str]]:
    """The names that pyproject.toml asks for: to run, and to test."""
    config = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    wanted = {"run": config["project"]["dependencies"], "test": config["dependency-groups"]["dev"]}
    return {group: [re.split(r"[<>=~! ]", line)[0] for line in lines] for group, lines in wanted.items()}


def built(folder: Path) -> Path:
    """A wheel of the project, made in `folder`."""
    # A copy, because the build reads version control's ignore file, and must not depend on there being a checkout.
    folder.mkdir(exist_ok=True)
    for name in ("p2pdice", "scripts", "pyproject.toml", "README.md", "LICENSE", ".gitignore"):
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy2
        copy(ROOT / name, folder / name)
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel"]
    subprocess.run(build, cwd=folder, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    (wheel,) = (folder / "dist").glob("*.whl")
    return wheel


@pytest.mark.parametrize("name", LOCKS)
def test_lock_pins_and_hashes_every_package(name: str) -> None:
    """Each requirement has one exact version and at least one SHA-256."""
    packages = locked(name)
    assert len(packages) >= 5
    for requirement, hashes in packages.items():
        assert re.fullmatch(r"[a-z0-9.-]+==[0-9][0-9a-z.]*", requirement), requirement
        assert hashes, requirement


@pytest.mark.parametrize("name", LOCKS)
def test_lock_names_no_place(name: str) -> None:
    """Where packages come from is the user's own setting: a lock holds no index, address, path or comment."""
    for line in (ROOT / "scripts" / name).read_text(encoding="utf-8").splitlines():
        assert re.fullmatch(r"[a-z0-9.-]+==\S+( ; [^/#:]+)? \\|    --hash=sha256:[0-9a-f]{64}( \\)?", line), line


def test_locks_hold_every_dependency_of_the_project() -> None:
    """What pyproject.toml asks for is locked, and both locks agree on every version."""
    run, test = locked("requirements.txt"), locked("requirements-dev.txt")
    assert set(run) <= set(test)
    assert set(project()["run"]) <= {requirement.partition("==")[0] for requirement in run}
    assert set(project()["test"]) <= {requirement.partition("==")[0] for requirement in test}


def test_old_python_is_refused_in_words() -> None:
    """A Python before 3.11 is told which one is needed, a newer one nothing."""
    refusal = script("play").refusal
    assert "3.11 or newer" in refusal((3, 10, 13))
    assert "this is Python 3.6" in refusal((3, 6, 15, "final", 0))
    assert refusal((3, 11, 0)) == refusal((4, 0, 0)) == ""


@pytest.mark.parametrize("name", ["play", "test"])
def test_old_python_gets_as_far_as_the_refusal(name: str) -> None:
    """The scripts that people start parse under Python 3.6's grammar, as far as it can be asked for."""
    ast.parse((ROOT / "scripts" / f"{name}.py").read_bytes(), feature_version=(3, 6))


@pytest.mark.parametrize("name", ["play", "test", "_venv"])
def test_setup_scripts_need_only_the_standard_library(name: str) -> None:
    """Nothing has to be installed before the first command."""
    own = {path.stem for path in (ROOT / "scripts").glob("*.py")} - {"test"}
    tree = ast.parse((ROOT / "scripts" / f"{name}.py").read_bytes())
    names = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    names |= {str(node.module) for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    roots = {full.partition(".")[0] for full in names}
    assert len(roots) >= 4
    assert roots <= own | set(sys.stdlib_module_names)


def test_readme_commands_exist() -> None:
    """Every command line of the README that starts a script names one that is there."""
    lines = re.findall(r"python3 (\S+\.py)", (ROOT / "README.md").read_text(encoding="utf-8"))
    assert {"scripts/play.py", "scripts/test.py"} <= set(lines)
    for line in lines:
        assert (ROOT / shlex.split(line)[0]).is_file(), line


def test_ci_runs_the_readme_test_command() -> None:
    """Continuous integration and a reader of the README run the same thing."""
    assert "python3 scripts/test.py" in (ROOT / ".ci" / "run").read_text(encoding="utf-8").splitlines()[-1]


def test_wheel_holds_the_package_and_nothing_else(tmp_path: Path) -> None:
    """The wheel has every file of the package, translations and type marker included, the command and the licence."""
    wheel = built(tmp_path)
    names = set(zipfile.ZipFile(wheel).namelist())
    package = {path.relative_to(ROOT).as_posix() for path in (ROOT / "p2pdice").glob("**/*") if path.is_file()}
    package = {name for name in package if not re.search(r"(^|/)(__pycache__|\.[^/]*)/", name)}
    assert "p2pdice/py.typed" in package
    man = f"p2pdice-{p2pdice.__version__}.data/data/share/man/man1/p2pdice.1"
    assert {name for name in names if ".dist-info/" not in name} == {*package, man}
    endings = {name.partition(".dist-info/")[2] for name in names}
    assert {"entry_points.txt", "licenses/LICENSE"} <= endings


def test_top_level_stays_tidy() -> None:
    """The top of the repository holds the few known things and dot files, nothing else."""
    require(shutil.which("git") and (ROOT / ".git").exists(), "needs a git checkout")
    known = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    files = subprocess.check_output(known, cwd=ROOT, text=True).splitlines()
    top = {name.partition("/")[0] for name in files}
    assert "pyproject.toml" in top
    assert {name for name in top if not name.startswith(".")} <= TOP_LEVEL
