"""Chaos: a daemon killed again and again, at moments that nobody chose.

Some kills come so long after so many more events, some in the middle of an agent's work, some after so long a time, and
some while the next daemon is still coming up and may not have got through its own recovery.
"""

import random
from collections.abc import Callable
from enum import Enum

import anyio

from tests.worlds.daemon import WorldDaemon
from tests.worlds.story import Story

PATIENCE_S = 4.0  # for what does not come
LOOK_S = 0.02


class After(Enum):
    """What a kill waits for before it lets some seconds pass."""

    EVENTS = "events"
    AGENT = "agent"  # one more has begun
    ANSWER = "answer"  # the daemon is up
    START = "start"  # it is not yet


class Chaos:
    """Kills and starts again; `kills` counts."""

    def __init__(self, seed: int, daemon: WorldDaemon, story: Story, agents: Callable[[], int]) -> None:
        """Take whom to kill; `agents` counts those that have begun."""
        self.kills = 0
        self._dice = random.Random(f"chaos {seed}")
        self._daemon = daemon
        self._story = story
        self._agents = agents

    def __repr__(self) -> str:
        return f"<Chaos kills={self.kills}>"

    async def reign(self) -> None:
        """Kill as often as the seed says; the last daemon lives."""
        for _ in range(self._dice.choice((3, 3, 4, 4, 5))):
            await self._wait()
            self._strike()

    async def strike_once_more(self) -> None:
        """Kill at the very end, as the seed says, and wait for the next one."""
        if self._dice.random() < 0.3:
            self._strike()
        await self._daemon.answers()

    def _strike(self) -> None:
        self._daemon.kill()
        self.kills += 1
        self._daemon.start()

    async def _wait(self) -> None:
        dice = self._dice
        match dice.choice((After.EVENTS, After.EVENTS, After.AGENT, After.AGENT, After.ANSWER, After.START)):
            case After.EVENTS:
                await self._daemon.answers()
                with anyio.move_on_after(PATIENCE_S):
                    await self._story.more_than(self._story.count + dice.randint(0, 12))
                await anyio.sleep(dice.uniform(0, 0.4))
            case After.AGENT:
                begun = self._agents()
                with anyio.move_on_after(PATIENCE_S):
                    while self._agents() == begun:  # noqa: ASYNC110 - an agent tells nobody but its journal
                        await anyio.sleep(LOOK_S)
                await anyio.sleep(dice.uniform(0, 0.4))
            case After.ANSWER:
                await self._daemon.answers()
                await anyio.sleep(dice.uniform(0, 1.5))
            case After.START:
                await anyio.sleep(dice.uniform(0, 0.8))
