"""Living: one world from its making to its end, under a real daemon that is killed on the way."""

from dataclasses import dataclass, field
from pathlib import Path

import anyio

from harnctl.client import new_key
from protocol.requests import CreateGoal
from tests.worlds.chaos import Chaos
from tests.worlds.daemon import WorldDaemon
from tests.worlds.enrolment import write_files
from tests.worlds.inspection import broken_chain, journal, left_over, outcome
from tests.worlds.mission import Mission, World
from tests.worlds.operator import Operator
from tests.worlds.oracle import Outcome, differences
from tests.worlds.place import Place
from tests.worlds.story import Story, read_all

LIFE_S = 240.0  # on a machine that has much else to do


@dataclass
class Ending:
    """What came of a world."""

    outcomes: dict[str, Outcome] = field(default_factory=dict)
    wrong: list[str] = field(default_factory=list)  # what must not be
    events: int = 0
    kills: int = 0

    def differences(self, foretold: dict[str, Outcome]) -> list[str]:
        """Say in what the goals did not end as it was foretold."""
        return [
            f"{goal}: {said}"
            for goal, outcome in foretold.items()
            for said in (differences(self.outcomes[goal], outcome) if goal in self.outcomes else ["nobody saw its end"])
        ]


def live(world: World, root: Path, ending: Ending) -> None:
    """Let a world happen in `root` and fill in its `ending`, as far as it comes."""
    place = Place(root, world)
    untouched = place.operators()
    daemon = WorldDaemon(root)
    daemon.start()
    try:
        anyio.run(_carry_out, world, place, daemon, ending)
        code = daemon.end()
    finally:
        daemon.kill()
    ending.wrong += [] if code == 0 else [f"the daemon exited with {code}"]
    ending.wrong += [f"the daemon left a process behind: {told}" for told in daemon.family()]
    ending.wrong += broken_chain(daemon)
    ending.wrong += _touched(untouched, place.operators())


async def _carry_out(world: World, place: Place, daemon: WorldDaemon, ending: Ending) -> None:
    story = Story()
    chaos = Chaos(world.seed, daemon, story, lambda: len(journal(place, world)))
    try:
        with anyio.fail_after(LIFE_S):
            await daemon.answers()
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(story.listen, daemon.client)
                tasks.start_soon(chaos.reign)
                await _until_all_have_ended(world, place, daemon, story)
                await chaos.strike_once_more()
                await story.more_than(len(await read_all(daemon)) - 1)
                tasks.cancel_scope.cancel()
            await _look(world, place, daemon, story, ending)
    finally:
        ending.events, ending.kills = story.count, chaos.kills
        await daemon.client.aclose()


async def _until_all_have_ended(world: World, place: Place, daemon: WorldDaemon, story: Story) -> None:
    for mission in world.missions:
        await daemon.ask(_creation(mission, place))

    def begun(goal: str, key: str) -> bool:
        return any(entry.get("goal") == goal and entry.get("item") == key for entry in journal(place, world))

    await Operator(world, daemon, story, begun).attend()


async def _look(world: World, place: Place, daemon: WorldDaemon, story: Story, ending: Ending) -> None:
    events = await read_all(daemon)
    ending.wrong += [] if story.events == events else ["what was heard is not what can be read"]
    ending.wrong += await left_over(daemon, place, world, events)
    for mission in world.missions:
        ending.outcomes[mission.goal] = await outcome(daemon, place, mission.goal, events)


def _creation(mission: Mission, place: Place) -> CreateGoal:
    folder = place.goal_folder(mission.goal)
    files = write_files(mission, folder, place.repository)
    return CreateGoal(key=new_key(), files=files, main="goal.toml", directory=str(folder))


def _touched(before: dict[str, object], after: dict[str, object]) -> list[str]:
    return [
        f"the operator's {what} was {before[what]!r} and is {after[what]!r}"
        for what in before
        if before[what] != after[what]
    ]
