"""How worlds are told: a line for each as it ends, and at the very end one line of JSON for programs."""

import json
import time
from typing import Any

import pytest

WORLD = "world"  # under which a test says what came of its world


class Teller:
    """Tells of every world that ends, in the one process that has somebody to tell."""

    def __init__(self, config: pytest.Config) -> None:
        self._writer = config.get_terminal_writer()
        self._began = time.monotonic()
        self._told: list[dict[str, Any]] = []

    @pytest.hookimpl(tryfirst=True)
    def pytest_report_teststatus(self, report: pytest.TestReport) -> tuple[str, str, str] | None:
        """Let a world's line stand for its dot."""
        return ("passed", "", "") if report.when == "call" and report.passed and _world(report) else None

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Write the line of a world that has ended."""
        if report.when == "call" and (world := _world(report)) is not None:
            self._told.append(world | {"equal": report.passed})
            self._say(_line(self._told[-1]))

    def pytest_unconfigure(self) -> None:
        """Sum up, after everything else that is said."""
        if self._told:
            summary = {
                "worlds": len(self._told),
                "kills": sum(world["kills"] for world in self._told),
                "equal": sum(world["equal"] for world in self._told),
                "seconds": round(time.monotonic() - self._began, 1),
            }
            self._say(json.dumps(summary))

    def _say(self, line: str) -> None:
        if self._writer.width_of_current_line:  # the dots of other tests
            self._writer.line()
        self._writer.line(line)


@pytest.hookimpl(trylast=True)  # the terminal's own reporter is there by then
def pytest_configure(config: pytest.Config) -> None:
    """Have somebody tell of the worlds, but not in the processes that only carry them out."""
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(Teller(config))


def _world(report: pytest.TestReport) -> dict[str, Any] | None:
    return next((told for name, told in report.user_properties if name == WORLD and isinstance(told, dict)), None)


def _line(world: dict[str, Any]) -> str:
    said = "equal" if world["equal"] else "NOT EQUAL"
    counts = " ".join(f"{name} {world[name]}" for name in ("milestones", "items", "attempts", "events", "kills"))
    return f"world {world['seed']:<3} {said:<9} {counts} {world['seconds']:.1f} s: {', '.join(world['specials'])}"
