"""Rescue: nothing that an attempt made is lost with its worktree.

Every commit that the goal's branch does not contain gets a ref of its own, named by its id; uncommitted files get a
snapshot, named by its tree.  Doing it again finds the same names.  A ref that keeps what the goal's branch has come to
contain is deleted.
"""

from collections.abc import Iterable

import structlog

from harnd.adapters.git import ref_names
from harnd.adapters.git.command import text
from harnd.adapters.git.content import Content, NotTakenError
from harnd.adapters.git.identity import HARND
from harnd.adapters.git.repository import ABSENT, Change, Repository
from harnd.ports.workspace import KeptRefs, Place, storable
from protocol.ids import CommitId, GoalId

log = structlog.get_logger()


async def keep_commits(repository: Repository, folder: str, commits: Iterable[str], *, beyond: Iterable[str]) -> None:
    """Keep those of `commits`, under refs in `folder`, that no commit of `beyond` contains; needs the turn."""
    asked = sorted(set(commits))
    if not asked:
        return
    without = [f"^{commit}" for commit in beyond]
    unmerged = set(text(await repository.ask("rev-list", "--ignore-missing", *asked, *without)).split())
    loose = [commit for commit in asked if commit in unmerged]
    if loose:
        # One ref for the last commit of a line keeps the whole line.
        lasts = text(await repository.ask("merge-base", "--independent", *loose)).split()
        await repository.move([Change(f"{folder}commit-{commit}", commit) for commit in lasts])


async def keep_files(content: Content, place: Place) -> CommitId | None:
    """Keep what lies uncommitted in the worktree as a snapshot, which no hook has seen; None when there is nothing."""
    repository, head = content.repository, await content.head()
    start = head or await repository.branch(place.goal)
    try:
        tree = await content.take_in(start)
    except NotTakenError as error:
        log.warning("workspace.snapshot_is_raw", path=storable(str(content.path)), error=storable(str(error)))
        tree = await content.take_in_raw(start)
    if tree == await repository.tree(start):
        return None
    ref = f"{ref_names.rescues(place)}{ref_names.SNAPSHOT}{tree}"
    message = f"Uncommitted files of {place.work}, attempt {place.attempt}\n\nKept by harnd; no hook has seen them.\n"
    made = await repository.change("commit-tree", "-p", start, tree, given=message.encode(), env=HARND.environment())
    snapshot = CommitId(text(made).strip())
    await repository.move([Change(ref, snapshot)])
    return snapshot


async def forget_merged(repository: Repository, goal: GoalId, *folders: str) -> tuple[str, ...]:
    """Delete the refs in `folders` whose commits the goal's branch contains, and return them; needs the turn."""
    found = await merged(repository, goal, *folders)
    await repository.move([Change(ref, ABSENT, to) for ref, to in found.items()])
    return tuple(sorted(found))


async def merged(repository: Repository, goal: GoalId, *folders: str) -> dict[str, str]:
    """List the refs in `folders` whose commits the goal's branch contains."""
    at = await repository.ref(ref_names.goal_ref(goal))
    return {} if at is None else await repository.refs(f"--merged={at}", *folders)


async def kept_refs(repository: Repository, goal: GoalId) -> KeptRefs:
    """List what refs keep for a goal besides its branch."""
    of_no_use = await merged(repository, goal, *ref_names.kept_for(goal))
    rescued = await repository.refs(f"{ref_names.RESCUES}{goal}/")
    folder = f"{ref_names.ATTEMPT_BRANCHES}{goal}/"
    names = [name.removeprefix(folder) for name in await repository.refs(folder)]
    attempts = [found for name in names if (found := ref_names.occupied(goal, name)) is not None]
    return KeptRefs(
        attempts=tuple(sorted(attempts, key=lambda found: (found.work, found.attempt))),
        merged=tuple(sorted(of_no_use)),
        rescued=tuple(sorted(rescued.keys() - of_no_use.keys())),
    )
