"""Restoring: what moved around an attempt is put back where nobody else may move it, and reported otherwise.

Only goals' branches are put back: harnd alone moves them, and it remembers every move in a ref of its own, written in
the same transaction.  So its own moves for attempts that run at the same time are not taken for an agent's, also after
a crash.  A commit that a branch is taken off is kept by a rescue ref.  A branch is a goal's when harnd has a record of
it, or an attempt of the goal on disk (an agent can delete the record): the name alone says nothing, operators have
branches called `harn/…` too.  One that is checked out outside harnd's worktrees is somebody's, and is not moved.

All else may have been the operator, who works in the same repository: other refs, configuration, hooks and the
operator's checkout are reported and left alone.  Each line begins with one of the words in `Difference`.
"""

from collections.abc import Collection
from enum import StrEnum
from pathlib import Path
from typing import Final

from harnd.adapters.git import files, ref_names
from harnd.adapters.git.repository import ABSENT, Change, Repository
from harnd.adapters.git.rescue import keep_commits
from harnd.adapters.git.surroundings import foreign_refs, look
from harnd.adapters.git.worktrees import registered
from harnd.ports.workspace import Surroundings

FILES_NAMED: Final = 10


class Difference(StrEnum):
    """What a line of a report is about; its first word."""

    UNDONE = "undone"
    REF = "ref"
    CONFIG = "config"
    HOOKS = "hooks"
    HEAD = "head"
    CHECKOUT = "checkout"


async def restore(repository: Repository, before: Surroundings, *, root: Path) -> tuple[str, ...]:
    """Put back what is harnd's and say what differs from `before`; the caller holds the turn.

    All attempts of harnd's are on disk in `root`, by goal.
    """
    goals = await _goals(repository, dict(before.refs), root)
    lines = await _put_back(repository, dict(before.refs), goals)
    now = await look(repository)
    lines += _moved(dict(before.refs), dict(now.refs), but=goals.keys())
    if before.config != now.config:
        lines.append(f"{Difference.CONFIG}: the repository's configuration is not what it was")
    if before.hooks != now.hooks:
        lines.append(f"{Difference.HOOKS}: the repository's hooks are not what they were")
    if before.head != now.head:
        lines.append(f"{Difference.HEAD}: the operator's checkout was at {before.head} and is at {now.head}")
    elif strayed := now.strayed_since(before):
        lines.append(f"{Difference.CHECKOUT}: files in {repository.top} changed: {_named(strayed)}")
    return tuple(lines)


def _named(paths: tuple[str, ...]) -> str:
    more = f" and {len(paths) - FILES_NAMED} more" if len(paths) > FILES_NAMED else ""
    return f"{', '.join(map(repr, paths[:FILES_NAMED]))}{more}"


def _moved(before: dict[str, str], now: dict[str, str], *, but: Collection[str]) -> list[str]:
    names_then_and_now = sorted(name for name in before.keys() | now.keys() if name not in but)
    return [
        f"{Difference.REF}: {name} was {before.get(name, 'absent')} and is {now.get(name, 'absent')}"
        for name in names_then_and_now
        if before.get(name) != now.get(name)
    ]


async def _goals(repository: Repository, before: dict[str, str], root: Path) -> dict[str, str | None]:
    """Return goals' branches that nobody has checked out, with where harnd remembers to have moved them."""
    found: dict[str, str | None] = {}
    for name in filter(_is_goals, before):
        if not files.is_empty(root / name.removeprefix(ref_names.GOAL_BRANCHES)):
            found[name] = None
    for name, at in (await repository.refs(ref_names.GOALS)).items():
        found[ref_names.goal_ref(name.removeprefix(ref_names.GOALS))] = at
    outside = (worktree for worktree in await registered(repository) if not worktree.path.is_relative_to(root))
    for worktree in outside:
        found.pop(worktree.branch, None)
    return found


async def _put_back(repository: Repository, before: dict[str, str], goals: dict[str, str | None]) -> list[str]:
    now = await foreign_refs(repository)
    lines: list[str] = []
    for name, remembered in sorted(goals.items()):
        wanted = await _rightful(repository, remembered, before.get(name))
        if wanted != now.get(name):
            await _move(repository, name, at=now.get(name), to=wanted)
            lines.append(f"{Difference.UNDONE}: {name} was at {now.get(name, 'nothing')}, put back to {wanted}")
    return lines


async def _rightful(repository: Repository, remembered: str | None, before: str | None) -> str | None:
    """Say where harnd has the branch: a memory that does not continue `before` was tampered with."""
    if remembered is None or before is None or remembered == before:
        return remembered or before
    return remembered if await repository.contains(remembered, before) else before


async def _move(repository: Repository, name: str, *, at: str | None, to: str | None) -> None:
    goal = name.removeprefix(ref_names.GOAL_BRANCHES)
    if at is not None:
        await keep_commits(repository, f"{ref_names.RESCUES}{goal}/moved/", [at], beyond=[] if to is None else [to])
    changes = [Change(name, to or ABSENT, at or ABSENT)]
    if to is not None:
        changes.append(Change(ref_names.goal_record(goal), to))
    await repository.move(changes)


def _is_goals(name: str) -> bool:
    return name.startswith(ref_names.GOAL_BRANCHES)
