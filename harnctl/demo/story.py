"""The story of a demo: every event in a plain line, as it arrives, and a tally of what counts in the end.

It tells what the events say and asks nobody.  An event that a person need not hear of is counted and not told.
"""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

from harnctl.console import Console
from harnctl.render.blocks import Block, Fields, Gap, Heading
from harnctl.render.texts import SHORT
from protocol.views import EventView

Body = dict[str, Any]


class Narrator:
    """Speaks to the person, with the seconds since the beginning; two threads may."""

    def __init__(self, console: Console) -> None:
        """Begin to count seconds."""
        self._console = console
        self._turn = threading.Lock()
        self._begin = time.monotonic()

    @property
    def seconds(self) -> float:
        """How long it has been."""
        return time.monotonic() - self._begin

    def tell(self, text: str) -> None:
        """Say one thing."""
        self.show(Fields(((f"{self.seconds:5.1f}s", text),)))

    def chapter(self, title: str) -> None:
        """Say what comes next."""
        self.show(Gap(), Heading(title))

    def show(self, *blocks: Block) -> None:
        """Show something in full."""
        with self._turn:
            self._console.say(blocks)


@dataclass
class Tally:
    """What came of a run, counted from its events."""

    events: int = 0
    milestones: int = 0
    items: int = 0
    attempts: int = 0
    unproven: list[str] = field(default_factory=list[str])  # attempts that ended otherwise than well, and why

    def count(self, event: EventView) -> None:
        """Take one event in."""
        self.events += 1
        match event.tag:
            case "plan.applied/1":
                self.milestones += 1
            case "work.created/1":
                self.items += 1
            case "attempt.started/1":
                self.attempts += 1
            case "attempt.ended/1" if event.body["outcome"] != "succeeded":
                self.unproven.append(f"{_attempt(event.body)} {event.body['outcome']}: {event.body['detail']}")
            case _:
                pass


def told(event: EventView) -> str | None:
    """Put an event into words; None when there is nothing to tell."""
    teller = TELLERS.get(event.tag)
    return teller(event.body) if teller else None


def _requested(body: Body) -> str:
    if body["trigger"] == "milestone":
        return f"the milestone is reached: the planner looks again at what is left (plan {body['plan']})"
    return f"nothing is planned yet: the planner is asked (plan {body['plan']})"


def _called(body: Body) -> str | None:
    return f"the planner is called once more (call {body['call']})" if body["call"] > 1 else None


def _planner_failed(body: Body) -> str:
    return f"call {body['call']} of the planner came to nothing: {body['detail']}"


def _applied(body: Body) -> str:
    return f"plan {body['plan']} is applied: milestone and work come to be in one append"


def _started(body: Body) -> str:
    return f"{_attempt(body)} begins, in a git worktree of its own"


def _ended(body: Body) -> str:
    if body["outcome"] == "succeeded":
        proofs = " and ".join(f"`{entry['name']}` {entry['found']}" for entry in body["proof"]["evidence"])
        return f"{_attempt(body)} is proven: harnd ran its proof on a clean checkout, and {proofs}"
    if body["failure"] == "lost":
        return f"{_attempt(body)} is {body['outcome']}: {body['detail']}; nobody is charged, and it is tried again"
    return f"{_attempt(body)} {body['outcome']}: {body['detail']}"


def _merging(body: Body) -> str:
    return f"{body['work']} is merged with the goal's branch, and the merged tree is proven in turn"


def _parked(body: Body) -> str:
    return f"{body['work']} could not be integrated: {body['detail']}"


def _integrated(body: Body) -> str:
    return f"{body['work']} is integrated: the goal's branch is at {_short(body['commit'])}"


def _completed(body: Body) -> str:
    return f"plan {body['plan']} is completed: the mission is met"


def _attended(body: Body) -> str:
    return f"daemon {body['instance'][:8]} takes the goal up where its events leave it"


TELLERS: Final[dict[str, Callable[[Body], str | None]]] = {
    "goal.attended/1": _attended,
    "plan.requested/1": _requested,
    "planner.called/1": _called,
    "planner.failed/1": _planner_failed,
    "plan.applied/1": _applied,
    "plan.completed/1": _completed,
    "attempt.started/1": _started,
    "attempt.ended/1": _ended,
    "integration.started/1": _merging,
    "integration.parked/1": _parked,
    "work.integrated/1": _integrated,
}


def _attempt(body: Body) -> str:
    return f"{body['work']} attempt {body['attempt']}"


def _short(digest: str) -> str:
    return digest[:SHORT]
