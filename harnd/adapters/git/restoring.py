"""Restoring: what moved around an attempt is put back where nobody else may move it, and reported otherwise.

Only `harn/*` branches are put back: harnd alone moves them, and it remembers every move in a ref of its own, written in
the same transaction.  So its own moves for attempts that run at the same time are not taken for an agent's, also after
a crash.  A commit that a branch is taken off is kept by a rescue ref.

All else may have been the operator, who works in the same repository: other refs, configuration, hooks and the
operator's checkout are reported and left alone.  Each line begins with one of the words in `Difference`.
"""

from enum import StrEnum
from typing import Final

from harnd.adapters.git import names
from harnd.adapters.git.repository import ABSENT, Change, Repository
from harnd.adapters.git.rescue import keep_commits
from harnd.adapters.git.surroundings import foreign_refs, look
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


async def restore(repository: Repository, before: Surroundings) -> tuple[str, ...]:
    """Put back what is harnd's and say what differs from `before`; the caller holds the turn."""
    lines = await _put_back(repository, dict(before.refs))
    now = await look(repository)
    lines += _moved(dict(before.refs), dict(now.refs))
    if before.config != now.config:
        lines.append(f"{Difference.CONFIG}: the repository's configuration is not what it was")
    if before.hooks != now.hooks:
        lines.append(f"{Difference.HOOKS}: the repository's hooks are not what they were")
    if before.head != now.head:
        lines.append(f"{Difference.HEAD}: the operator's checkout was at {before.head} and is at {now.head}")
    elif strayed := now.strayed_since(before):
        lines.append(f"{Difference.CHECKOUT}: files in {repository.top} changed: {_named(strayed)}")
    return tuple(lines)


def _named(files: tuple[str, ...]) -> str:
    more = f" and {len(files) - FILES_NAMED} more" if len(files) > FILES_NAMED else ""
    return f"{', '.join(map(repr, files[:FILES_NAMED]))}{more}"


def _moved(before: dict[str, str], now: dict[str, str]) -> list[str]:
    names_then_and_now = sorted(name for name in before.keys() | now.keys() if not _is_goals(name))
    return [
        f"{Difference.REF}: {name} was {before.get(name, 'absent')} and is {now.get(name, 'absent')}"
        for name in names_then_and_now
        if before.get(name) != now.get(name)
    ]


async def _put_back(repository: Repository, before: dict[str, str]) -> list[str]:
    now = {name: at for name, at in (await foreign_refs(repository)).items() if _is_goals(name)}
    remembered = {
        names.goal_branch(name.removeprefix(names.GOALS)): at
        for name, at in (await repository.refs(names.GOALS)).items()
    }
    lines: list[str] = []
    for name in sorted(now.keys() | remembered.keys() | set(filter(_is_goals, before))):
        wanted = await _rightful(repository, remembered.get(name), before.get(name))
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
    goal = name.removeprefix(names.GOAL_BRANCHES)
    if at is not None:
        await keep_commits(repository, f"{names.RESCUES}{goal}/moved/", [at], beyond=[] if to is None else [to])
    changes = [Change(name, to or ABSENT, at or ABSENT)]
    if to is not None:
        changes.append(Change(names.goal_record(goal), to))
    await repository.move(changes)


def _is_goals(name: str) -> bool:
    return name.startswith(names.GOAL_BRANCHES)
