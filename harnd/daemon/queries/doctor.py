"""The doctor: everything the daemon can check about its machine, its store, and the agents of enrolled goals.

It looks and mends nothing.  What could not be looked at is unknown, and a goal that cannot be read is a finding.
"""

import os
import re
from collections import defaultdict
from collections.abc import Iterator
from typing import Final, NamedTuple, Protocol

from harnd.daemon.queries import machine
from harnd.daemon.queries.about import Sources
from harnd.daemon.queries.checks import doubtful, failed, unknown, well
from harnd.daemon.queries.status import WAL_BYTES
from harnd.domain.goal.intent import Specialist
from harnd.domain.measures import size
from harnd.ports.errors import PortError
from harnd.ports.store import Health
from protocol.errors import Refusal
from protocol.ids import GoalId, HarnessName
from protocol.values import Phase
from protocol.views import CheckView, DoctorView

OVER: Final = (Phase.SUCCEEDED, Phase.CANCELLED)
# Two connections that write and checkpoint at once can lose a page: SQLite 3.7.0 to 3.51.2, mended in the third digit
# of two older lines (https://sqlite.org/wal.html#walresetbug).
RACE_BEGAN: Final = (3, 7, 0)
RACE_MENDED: Final = {(3, 44): 6, (3, 50): 7, (3, 51): 3}


async def shown(sources: Sources) -> DoctorView:
    """Look at everything."""
    looked_at = await machine.looked_at(sources.about, os.environ)
    return DoctorView((*looked_at, *await of_store(sources.world.store), *await _agents(sources)), sources.now())


# --- the store


class Measurable(Protocol):
    """The part of a store that is looked at."""

    async def health(self) -> Health:
        """Measure it."""
        ...


async def of_store(store: Measurable) -> tuple[CheckView, ...]:
    """Check the store and the engine under it."""
    try:
        health = await store.health()
    except PortError as error:
        said = f"the store does not answer: {error}"
        return (failed("daemon.store", said, fix="see the log of harnd"), unknown("daemon.sqlite", said))
    return _size(health), _engine(health.engine)


def _size(health: Health) -> CheckView:
    said = f"{health.events} events in {size(health.size_bytes)}, schema {health.schema}"
    if health.wal_bytes > WAL_BYTES:
        grown = f"{said}; its log has grown to {size(health.wal_bytes)}, because something keeps it from folding"
        return doubtful("daemon.store", grown, fix="close whatever else has the database open, then start harnd again")
    return well("daemon.store", f"{said}, log {size(health.wal_bytes)}")


def _engine(engine: str) -> CheckView:
    number = re.search(r"(\d+)\.(\d+)\.(\d+)", engine)
    if number is None:
        return unknown("daemon.sqlite", f"the version of {engine!r} cannot be read")
    version = (int(number[1]), int(number[2]), int(number[3]))
    if has_race(version):
        said = f"{engine} can lose pages when two connections write; harnd opens one, so let nothing else write to it"
        return well("daemon.sqlite", said)
    return well("daemon.sqlite", f"{engine} is free of known faults that harnd could meet")


def has_race(version: tuple[int, int, int]) -> bool:
    """Tell whether a SQLite can lose pages when two connections write and checkpoint at once."""
    major, minor, patch = version
    mended = RACE_MENDED.get((major, minor))
    if mended is not None:
        return patch < mended
    return RACE_BEGAN <= version < (3, 51, 3)


# --- the agents


class Agent(NamedTuple):
    """How a harness starts its agents, as far as it can be told from a specialist's options."""

    harness: HarnessName
    program: str  # empty: one of harnd's own
    understood: bool  # there is such a harness, and it takes these options


async def _agents(sources: Sources) -> tuple[CheckView, ...]:
    unread, used = await _team(sources)
    programs = [await _program(sources, agent, goals) for agent, goals in sorted(used.items())]
    return (*unread, *programs, *_guards({agent.harness for agent in used}))


async def _team(sources: Sources) -> tuple[list[CheckView], dict[Agent, list[GoalId]]]:
    """Collect the agents of goals that are not over; a goal that cannot be read is a finding of its own."""
    unread: list[CheckView] = []
    used: defaultdict[Agent, list[GoalId]] = defaultdict(list)
    try:
        rows = [row for row in await sources.world.store.goals() if row.phase not in OVER]
    except PortError as error:
        return [unknown("agents", f"the store does not answer, so enrolled goals are not known: {error}")], {}
    for row in rows:
        try:
            goal = await sources.goals.load(row.goal)
        except (Refusal, PortError) as error:
            said, fix = (error.message, error.fix) if isinstance(error, Refusal) else (str(error), "")
            unread.append(unknown(f"goal.{row.goal}", said, fix=fix))
            continue
        for agent in sorted({_agent(sources, member) for member in goal.intent.team}):
            used[agent].append(row.goal)
    return unread, used


def _agent(sources: Sources, member: Specialist) -> Agent:
    argv = dict(member.options).get("argv", "")
    program = argv if isinstance(argv, str) else argv[0] if argv else ""
    understood = sources.world.sessions.capabilities(member.harness, member.options) is not None
    return Agent(member.harness, program, understood)


async def _program(sources: Sources, agent: Agent, goals: list[GoalId]) -> CheckView:
    name, whose = f"harness.{agent.harness}", f"for {', '.join(goals)}"
    if not agent.understood:
        said = f"there is no harness {agent.harness} that takes the options given {whose}"
        return failed(name, said, fix="start the harnd that the goal was enrolled with")
    if not agent.program:
        return well(name, f"its agent is part of harnd ({whose})")
    if "/" in agent.program and not agent.program.startswith("/"):
        return unknown(name, f"{agent.program} is looked for in each worktree ({whose})")
    obstacle = await sources.world.processes.obstacle(agent.program)
    if obstacle is None:
        return well(name, f"{agent.program} can be started ({whose})")
    return failed(
        name, f"{obstacle.rstrip('.')} ({whose})", fix="install it, or start harnd with a PATH that leads there"
    )


def _guards(harnesses: set[HarnessName]) -> Iterator[CheckView]:
    # With a sandbox it will be told for each harness by itself; without one, all are kept off alike.
    for harness in sorted(harnesses):
        said = "a guard keeps its agents from operator verbs; one that leaves the process tree on purpose gets past it"
        yield well(f"guard.{harness}", said)
