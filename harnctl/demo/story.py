"""The story of a demo: who speaks to the person, in one voice, and a tally of what counts in the end."""

import threading
import time
from dataclasses import dataclass, field

from harnctl.console import Console
from harnctl.render.blocks import Block, Fields, Gap, Heading
from harnctl.render.story import attempt
from protocol.views import EventView


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
                self.unproven.append(f"{attempt(event.body)} {event.body['outcome']}: {event.body['detail']}")
            case _:
                pass
