"""What every test has: `require`, skips that count as failures in CI, and deterministic Hypothesis."""

import os
from collections.abc import Generator
from pathlib import Path

import pytest
from hypothesis import settings

IN_CI = os.environ.get("CI", "").lower() not in ("", "0", "false")
CORE = [Path(__file__).parent / name for name in ("rules", "fairness", "protocol")]

settings.register_profile("plain", derandomize=True, deadline=None, database=None)
settings.register_profile("long", parent=settings.get_profile("plain"), max_examples=2000)
settings.load_profile("plain")


def require(condition: object, reason: str) -> None:
    """Skip the running test unless `condition` holds: root, a tool, a kernel feature. In CI that is a failure."""
    if not condition:
        pytest.skip(reason)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The core layers' tests run under every Python but for those marked `slow`, as the few real-process ones marked
    `smoke` do."""
    for item in items:
        if any(folder in item.path.parents for folder in CORE) and not item.get_closest_marker("slow"):
            item.add_marker(pytest.mark.smoke)


def _skip_fails_in_ci(report: pytest.TestReport | pytest.CollectReport) -> None:
    if IN_CI and report.skipped and not hasattr(report, "wasxfail"):
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr
        report.outcome = "failed"
        report.longrepr = f"{report.nodeid} was skipped, which hides a missing tool in CI: {reason}"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    _skip_fails_in_ci(report)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    report = yield
    _skip_fails_in_ci(report)
    return report
