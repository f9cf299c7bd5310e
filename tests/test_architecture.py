"""Which module may import what, beyond the layers that import-linter checks (pyproject.toml)."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "p2pdice"

# No clock, no chance, no I/O: time and random bytes are arguments everywhere below net.
IMPURE = {"asyncio", "os", "pathlib", "random", "secrets", "socket", "ssl", "threading", "time"}
POSIX_ONLY = {"fcntl", "grp", "posix", "pwd", "resource", "termios", "tty"}


def imported(tree: ast.AST) -> Iterator[str]:
    """The first name of every absolute import anywhere below `tree`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module.partition(".")[0]


def at_import_time(tree: ast.Module) -> Iterator[ast.stmt]:
    """The statements that run when the module is imported: all but what stands in functions."""
    waiting: list[ast.AST] = [tree]
    while waiting:
        for child in ast.iter_child_nodes(waiting.pop()):
            if isinstance(child, ast.stmt) and not isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
                yield child
                waiting.append(child)


@pytest.mark.parametrize("layer", ["rules", "fairness", "protocol"])
def test_core_layers_import_nothing_impure(layer: str) -> None:
    """Rules, fairness and protocol themselves import no clock, chance, file or network, not even in a function."""
    modules = sorted((PACKAGE / layer).glob("**/*.py"))
    assert len(modules) >= 5
    for path in modules:
        assert not IMPURE & set(imported(ast.parse(path.read_bytes()))), path


def test_no_module_needs_posix_to_be_imported() -> None:
    """Every module can be imported on Windows: what only POSIX has is imported inside functions."""
    modules = sorted(PACKAGE.glob("**/*.py"))
    assert len(modules) >= 10
    for path in modules:
        for statement in at_import_time(ast.parse(path.read_bytes())):
            if isinstance(statement, ast.Import | ast.ImportFrom):
                assert not POSIX_ONLY & set(imported(statement)), f"{path}:{statement.lineno}"


def test_the_import_checks_see_what_they_look_for() -> None:
    """The two walks find imports in branches, and only the first looks into functions."""
    tree = ast.parse("if x:\n import time\ndef f():\n from fcntl import flock\nfrom . import os")
    assert set(imported(tree)) == {"time", "fcntl"}
    assert {name for statement in at_import_time(tree) for name in imported(statement)} == {"time"}
