"""Histories: streams as a release stored them, one event a line; what they fold to must not change.

    python -m tests.kit.histories

runs the demo twice, once with kills, and a small goal that is extended when its attempts are spent, and saves what the
daemons stored.  A history of a release that is out is never
saved anew: it is what lies on somebody's disk.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

import anyio
import msgspec

from harnctl.client import new_key
from harnd.adapters.clock import SystemClock
from harnd.adapters.store.opening import open_inline_store
from harnd.ports.store import Recorded
from protocol.ids import GoalId
from protocol.requests import ExtendGoal
from protocol.values import Instant, Unit
from tests.kit.daemons import BILLING, Home, approve, carry, follow

HISTORIES = Path(__file__).parents[1] / "histories"
DEMO = (sys.executable, "-m", "harnctl", "demo")
RUNS = {"demo-0.1": (), "demo-killed-0.1": ("--chaos", "--seed", "3")}  # attempts and a planner call are lost
EXTENDED = "extended-0.1"
GOAL = GoalId("textkit")
MORE = {Unit.ATTEMPTS: 2, Unit.TICKS: 7, Unit.ACTIVE_RUNTIME_US: 5_400_000_000}
FAILS_ONCE = """
[[rule]]
when = "Item p1.change of goal"
attempt = 1
answer = "I did nothing."

[[rule]]
matches = 'Item p1.change of goal (?P<goal>\\S+), attempt'
do = [{ write = "{{goal}}.txt", text = "changed" }]
answer = "Done."
"""


class Line(msgspec.Struct, frozen=True):
    """One event, its body to the byte as it was stored."""

    seq: int
    version: int
    at: Instant
    tag: str
    body: msgspec.Raw


def saved(name: str) -> tuple[Line, ...]:
    """Return a history, oldest event first."""
    lines = (HISTORIES / f"{name}.jsonl").read_bytes().splitlines()
    return tuple(msgspec.json.decode(line, type=Line) for line in lines)


def save(name: str, history: Iterable[Recorded]) -> Path:
    """Write a history down."""
    path = HISTORIES / f"{name}.jsonl"
    lines = (Line(each.seq, each.version, each.at, each.tag, msgspec.Raw(each.body)) for each in history)
    path.write_bytes(b"".join(msgspec.json.encode(line) + b"\n" for line in lines))
    return path


async def stored(database: Path, goal: GoalId = GOAL) -> tuple[Recorded, ...]:
    """Read what a daemon that has stopped stored of a goal."""
    async with open_inline_store(database, SystemClock()) as store:
        return tuple(await store.read(goal))


def extended() -> tuple[Recorded, ...]:
    """Have a daemon carry a goal whose one attempt fails, and which is extended twice."""
    home = Home()
    try:
        home.agents(FAILS_ONCE)
        daemon = home.start()
        with home.client() as client:
            client.ask(home.enrolment(limits="attempts = 1"))
            approve(client)
            follow(client, "attempt.ended")
            client.ask(ExtendGoal(key=new_key(), goal=BILLING, add={Unit.AGENT_CALLS: 5}))
            client.ask(ExtendGoal(key=new_key(), goal=BILLING, add=MORE))
            carry(client)
        daemon.stop()
        return anyio.run(stored, home.database, BILLING)
    finally:
        home.close()


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="harnd-") as directory:
        for name, options in RUNS.items():
            environ = {"PATH": os.environ["PATH"], "TMPDIR": directory, "LOGNAME": "somebody"}
            run = subprocess.run(
                (*DEMO, *options), env=environ, stdin=subprocess.DEVNULL, capture_output=True, check=True
            )
            outcome = json.loads(run.stdout.splitlines()[-1])
            history = anyio.run(stored, Path(outcome["directory"]) / "state" / "harnd.db")
            print(f"{save(name, history)}: {len(history)} events")  # noqa: T201 - it talks to a person
    history = extended()
    print(f"{save(EXTENDED, history)}: {len(history)} events")  # noqa: T201


if __name__ == "__main__":
    main()
