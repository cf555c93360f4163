"""Discarding: an attempt's worktree and checkouts are removed once everything in them is kept.

In this order, so that a crash anywhere leaves either the thing itself or what keeps it: rescue refs, then the
directory (renamed first: half a worktree must never look like one), then its registrations, then the branch.  What
harnd remembers of the attempt stays until the goal's branch contains it: an attempt that is opened again, because a
crash lost the report of its end, starts from its recording.
"""

from pathlib import Path
from typing import Final

import structlog
from anyio import to_thread

from harnd.adapters.git import files, ref_names, worktrees
from harnd.adapters.git.content import Content
from harnd.adapters.git.edge import said
from harnd.adapters.git.repository import ABSENT, Change, Repository
from harnd.adapters.git.rescue import forget_merged, keep_commits, keep_files
from harnd.ports.workspace import Place, storable

GONE: Final = ".gone"

log = structlog.get_logger()


async def discard(repository: Repository, place: Place, directory: Path) -> None:
    """Keep what the attempt made, then remove it; the caller holds the turn.

    A directory that somebody is at work in is kept and flagged in the log: what they do there now is in no snapshot.
    """
    await _keep(repository, place, directory / ref_names.WORK_DIRECTORY)
    if busy := files.processes_inside(directory):
        log.warning("workspace.in_use", path=str(directory), processes=busy)
        return
    await _remove_directory(repository, directory)
    await _remove_refs(repository, place)


async def _keep(repository: Repository, place: Place, path: Path) -> None:
    tips = {await repository.ref(ref_names.attempt_ref(place)), await repository.ref(ref_names.recorded(place))}
    if not files.is_empty(path):
        content = await Content.open(repository, place, path)
        tips |= {await content.head(), *await content.past_heads()}
        await keep_files(content, place)
    goal = await repository.ref(ref_names.goal_ref(place.goal))
    known = [tip for tip in tips if tip is not None]
    await keep_commits(repository, ref_names.rescues(place), known, beyond=[] if goal is None else [goal])


async def _remove_directory(repository: Repository, directory: Path) -> None:
    gone = Path(f"{directory}{GONE}")
    await _remove_tree(gone)
    if files.is_directory(directory):
        files.rename(directory, gone)
    for worktree in await worktrees.registered(repository):
        if worktree.path.is_relative_to(directory):
            await worktrees.remove(repository, worktree.path)
    await _remove_tree(gone)


async def _remove_tree(gone: Path) -> None:
    """Remove what is kept by now; files of another user's (a container's, say) stay, and a person is told where."""
    try:
        await to_thread.run_sync(files.remove_tree, gone)
    except OSError as error:
        log.warning("workspace.not_removed", path=storable(str(gone)), error=storable(said(error)))


async def _remove_refs(repository: Repository, place: Place) -> None:
    """Delete the attempt's branch; everything it held is kept by now."""
    branch = ref_names.attempt_ref(place)
    at = await repository.ref(branch)
    if at is not None:
        await repository.move([Change(branch, ABSENT, at)])
    await forget_merged(repository, place.goal, ref_names.recorded(place), ref_names.merges(place))
