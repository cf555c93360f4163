"""Discarding: an attempt's worktree and checkouts are removed once everything in them is kept.

In this order, so that a crash anywhere leaves either the thing itself or what keeps it: rescue refs, then the
directory (renamed first: half a worktree must never look like one), then its registrations, then the branch.
"""

from pathlib import Path
from typing import Final

from anyio import to_thread

from harnd.adapters.git import files, names, worktrees
from harnd.adapters.git.content import Content
from harnd.adapters.git.repository import ABSENT, Change, Repository
from harnd.adapters.git.rescue import keep_commits, keep_files
from harnd.ports.errors import UnavailableError
from harnd.ports.workspace import Place

GONE: Final = ".gone"


async def discard(repository: Repository, place: Place, directory: Path) -> None:
    """Keep what the attempt made, then remove it; the caller holds the turn.

    Raises `UnavailableError` while a process is at work in the directory.
    """
    busy = files.processes_inside(directory)
    if busy:
        raise UnavailableError(f"processes still work in {directory}: {', '.join(map(str, busy))}")
    await _keep(repository, place, directory / names.WORK_DIRECTORY)
    await _remove_directory(repository, directory)
    await _remove_refs(repository, place)


async def _keep(repository: Repository, place: Place, path: Path) -> None:
    tips = {await repository.ref(names.attempt_branch(place)), await repository.ref(names.recorded(place))}
    if not files.is_empty(path):
        content = await Content.open(repository, place, path)
        tips |= {await content.head(), *await content.past_heads()}
        await keep_files(content, place)
    goal = await repository.ref(names.goal_branch(place.goal))
    known = [tip for tip in tips if tip is not None]
    await keep_commits(repository, names.rescues(place), known, beyond=[] if goal is None else [goal])


async def _remove_directory(repository: Repository, directory: Path) -> None:
    gone = Path(f"{directory}{GONE}")
    await to_thread.run_sync(files.remove_tree, gone)
    if files.is_directory(directory):
        files.rename(directory, gone)
    for worktree in await worktrees.registered(repository):
        if worktree.path.is_relative_to(directory):
            await worktrees.remove(repository, worktree.path)
    await to_thread.run_sync(files.remove_tree, gone)


async def _remove_refs(repository: Repository, place: Place) -> None:
    """Delete the attempt's branch and what was remembered of it; everything it held is kept by now."""
    folder = names.merges(place)
    mine = await repository.refs(names.attempt_branch(place), names.recorded(place), folder)
    await repository.move([Change(ref, ABSENT, at) for ref, at in mine.items()])
