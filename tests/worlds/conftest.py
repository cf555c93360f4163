"""How worlds are told: a line for each as it ends, and at the very end one line of JSON for programs."""

import json
import time
from typing import Any

import pytest

WORLD = "world"  # under which a test says what came of its world
_told: list[dict[str, Any]] = []
_began = time.monotonic()


def _world(report: pytest.TestReport) -> dict[str, Any] | None:
    return next((told for name, told in report.user_properties if name == WORLD and isinstance(told, dict)), None)


def pytest_report_teststatus(report: pytest.TestReport) -> tuple[str, str, str] | None:
    """Let a world's line stand for its dot."""
    return ("passed", "", "") if report.when == "call" and report.passed and _world(report) else None


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Take note of a world that has ended; only the process that shows things prints."""
    if report.when == "call" and (world := _world(report)) is not None:
        _told.append(world | {"equal": report.passed})
        if _terminal is not None:
            _terminal.ensure_newline()
            _terminal.write_line(_line(_told[-1]))


_terminal: Any = None


@pytest.hookimpl(trylast=True)
def pytest_configure(config: pytest.Config) -> None:
    """Find out who shows things; a worker has nobody."""
    global _terminal  # noqa: PLW0603 - hooks of one session share what the session has
    _terminal = config.pluginmanager.get_plugin("terminalreporter") if not hasattr(config, "workerinput") else None


def _line(world: dict[str, Any]) -> str:
    said = "equal" if world["equal"] else "NOT EQUAL"
    counts = " ".join(f"{name} {world[name]}" for name in ("milestones", "items", "attempts", "events", "kills"))
    return f"world {world['seed']:<3} {said:<9} {counts} {world['seconds']:.1f} s: {', '.join(world['specials'])}"


def pytest_unconfigure() -> None:
    """Sum up, after everything else that is said."""
    if _terminal is not None and _told:
        summary = {
            "worlds": len(_told),
            "kills": sum(world["kills"] for world in _told),
            "equal": sum(world["equal"] for world in _told),
            "seconds": round(time.monotonic() - _began, 1),
        }
        print(json.dumps(summary))  # noqa: T201
