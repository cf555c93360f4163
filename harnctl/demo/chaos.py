"""Chaos: the daemon killed at moments that follow from a seed, spread over the whole run.

The run is cut into parts, and each has its kill: some time after some step, so that it meets agents at work, proofs
under way, and what lies between a fact and what it leads to.  Every other kill is followed by one more while the next
daemon is still coming up.  A step is something that happened for the first time: what is tried again because of a kill
is none, or one kill would bring on the next, and all of them would meet the beginning.
"""

import random
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Final, NamedTuple

from harnctl.demo.daemon import Daemon
from protocol.views import EventView

STEPS: Final = 44  # from the beginning to where there is still something left to kill
PARTS: Final = 5  # in which there is a kill
DELAY_S: Final = 0.9  # at most, after a step
RECOVERY_S: Final = 0.7  # at most, after a start: about as long as one takes


class Moment(NamedTuple):
    """When a kill comes: some seconds after so many steps."""

    steps: int
    delay_s: float
    again_s: float | None  # once more so long after the next start, or not


class Chaos:
    """Kills a daemon and starts it again."""

    def __init__(self, seed: int, daemon: Daemon, tell: Callable[[str], None]) -> None:
        """Draw all moments from the seed; nothing happens before an event is seen."""
        self.kills = 0
        self._moments = moments(seed)
        self._daemon = daemon
        self._tell = tell
        self._steps: set[tuple[object, ...]] = set()
        self._next: threading.Timer | None = None

    def __repr__(self) -> str:
        return f"<Chaos kills={self.kills} of {self.kills + len(self._moments)} moments>"

    def saw(self, event: EventView) -> None:
        """Take note of an event; a kill may follow."""
        self._steps.add((event.tag, event.body.get("plan"), event.body.get("work")))
        if self._moments and len(self._steps) >= self._moments[0].steps and not self._is_striking:
            moment = self._moments.pop(0)
            said = f"{moment.delay_s:.2f} s after event {event.seq}, {event.tag.partition('/')[0]}"
            self._next = threading.Timer(moment.delay_s, self._strike, (moment, said))
            self._next.start()

    def end(self) -> None:
        """Let a kill that is under way come to its end, and call off what was to come."""
        self._moments.clear()
        if self._next is not None:
            self._next.cancel()
            self._next.join()

    @property
    def _is_striking(self) -> bool:
        return self._next is not None and self._next.is_alive()

    def _strike(self, moment: Moment, said: str) -> None:
        self._kill(said)
        if moment.again_s is not None:
            time.sleep(moment.again_s)
            self._kill(f"{moment.again_s:.2f} s after its start")

    def _kill(self, said: str) -> None:
        pid = self._daemon.kill()
        self.kills += 1
        with suppress(BrokenPipeError):  # nobody reads on: whoever plays the demo finds out, and ends it
            self._tell(f"KILLED the daemon {pid} with SIGKILL, {said}; the next one starts")


def moments(seed: int) -> list[Moment]:
    """Draw one moment for each part of the run."""
    dice = random.Random(seed)  # noqa: S311 - to be repeated, not to be secret
    length = STEPS / PARTS
    return [
        Moment(
            steps=round(dice.uniform(part * length, (part + 0.8) * length)) + 1,
            delay_s=dice.uniform(0, DELAY_S),
            again_s=dice.uniform(0, RECOVERY_S) if part % 2 else None,
        )
        for part in range(PARTS)
    ]
