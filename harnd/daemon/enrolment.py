"""Enrolment: from the files a person wrote to a frozen intent, or to everything that is wrong with them.

Files are read by the rules first, alone; then the repository is looked at; nothing is written in between.
"""

import shlex
from collections.abc import Mapping
from functools import partial
from pathlib import Path

import anyio.to_thread

from harnd.daemon.loading import Loader
from harnd.daemon.parentage import Parentage, refuse_elsewhere
from harnd.daemon.problems import listed
from harnd.domain.dialect import Schema
from harnd.domain.files.goal_file import GoalFile
from harnd.domain.files.reading import read_goal
from harnd.domain.files.reporting import Reported, said_once
from harnd.domain.goal.intent import Intent, Parent
from harnd.domain.problem import Problem
from harnd.ports.sessions import Options, Sessions
from harnd.ports.store import EventStore
from harnd.ports.workspace import Trouble, Workspace
from protocol.errors import Refusal
from protocol.ids import CommitId, HarnessName
from protocol.requests import CreateGoal


class Enrolment:
    """Makes intents."""

    def __init__(
        self, workspace: Workspace, store: EventStore, sessions: Sessions, harnesses: Mapping[str, Schema]
    ) -> None:
        self._workspace = workspace
        self._store = store
        self._sessions = sessions
        self._harnesses = harnesses
        self._parentage = Parentage(Loader(store))

    async def intent(self, request: CreateGoal) -> Intent:
        """Freeze what the files say; raises `Refusal` with all problems, or with what the repository lacks."""
        # In a thread, since big files take seconds: every other client, goal and lease would wait for them.
        reading = partial(
            read_goal, request.files, harnesses=self._harnesses, reporting=self._reported, main=request.main
        )
        read = await anyio.to_thread.run_sync(reading)
        if not isinstance(read, GoalFile):
            raise _invalid(read)
        found = await self._parentage.of(read, request.parent)
        parent = found[0] if found else None
        commit, repository = await self._examined(request.directory, read, parent)
        if found:
            refuse_elsewhere(found[0], its=found[1], here=repository)
        intent = read.intent(repository=repository, base_commit=commit, parent=parent)
        await self._refuse_taken_name(intent)
        return intent

    def said(self, intent: Intent) -> tuple[str, ...]:
        """Return what a person should know of an intent once, a sentence each."""
        return said_once(intent, self._reported)

    def _reported(self, harness: HarnessName, options: Options) -> Reported:
        able = self._sessions.capabilities(harness, options)
        return Reported() if able is None else Reported(tokens=able.reports_tokens, money=able.reports_cost)

    async def _examined(self, directory: str, read: GoalFile, parent: Parent | None) -> tuple[CommitId, str]:
        found = await self._workspace.examine(_located(directory, read.repository), read.start(parent)[1])
        if isinstance(found, Trouble):
            raise Refusal(found.code, found.message)
        return found

    async def _refuse_taken_name(self, intent: Intent) -> None:
        if await self._store.read(intent.goal):
            return  # the goal exists: whether this is the same intent is a rule's question
        traces = await self._workspace.traces(intent.repository, intent.goal)
        if traces:
            raise Refusal(
                "goal.branch_exists",
                f"{intent.repository} has refs of a goal called {intent.goal} already: {', '.join(traces)}; "
                "a new one would go on from what they hold",
                fix="choose another goal id, or remove them if nobody needs them: "
                + _removal(intent.repository, traces),
            )


def _removal(repository: str, traces: tuple[str, ...]) -> str:
    git = f"git -C {shlex.quote(repository)}"
    return f"{git} for-each-ref --format='delete %(refname)' {' '.join(traces)} | {git} update-ref --stdin"


def _located(directory: str, repository: str) -> str:
    try:
        return str(Path(directory) / Path(repository).expanduser())
    except RuntimeError as error:  # `~somebody` who has no home
        raise Refusal(
            "workspace.no_directory",
            f"repository: {repository!r} names the home of nobody here; name the top directory of a git checkout",
        ) from error


def _invalid(problems: list[Problem]) -> Refusal:
    count, details = listed(problems)
    return Refusal(
        "goal.invalid",
        f"the files have {count}; nothing was written",
        fix="mend the files and run harnctl goal create again",
        details=details,
    )
