"""`GitWorkspace`: the `Workspace` port on real repositories.

Worktrees lie under `<state>/worktrees/<goal>/<work>.<n>/`: the attempt's own is `work`, its checkouts bear their
purpose.  Every write waits for the repository's turn; what is written and why is told by the modules that write it.
"""

import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

import anyio.to_thread

from harnd.adapters.git import (
    discarding,
    files,
    listing,
    merging,
    patches,
    recording,
    ref_names,
    rescue,
    restoring,
    snapshots,
    surroundings,
    worktrees,
)
from harnd.adapters.git.command import Git, GitFailedError, LockHeldError
from harnd.adapters.git.edge import at_edge
from harnd.adapters.git.examination import Examiner
from harnd.adapters.git.repository import ABSENT, Change, Repositories, Repository
from harnd.ports.errors import MovedError, UnavailableError
from harnd.ports.sessions import CommandRunner
from harnd.ports.workspace import (
    Clash,
    KeptRefs,
    Listing,
    Merge,
    Occupied,
    Patch,
    Place,
    Recording,
    Refused,
    Snapshot,
    Surroundings,
    Trouble,
    storable,
)
from protocol.ids import NAME, CommitId, Digest, GoalId, TreeId, goal_branch, matches


class GitWorkspace:
    """Works in whatever repositories it is asked about.

    `environ` is the environment of harnd's own git; `commands` runs the one command that hooks have a part in.
    """

    def __init__(self, state: str | os.PathLike[str], *, environ: Mapping[str, str], commands: CommandRunner) -> None:
        canonical = Path(state).resolve()
        self._root = canonical / "worktrees"
        git = Git(environ)
        self._repositories = Repositories(git)
        self._commands = commands
        self._examiner = Examiner(git, environ=environ, state=canonical)

    def __repr__(self) -> str:
        return f"<GitWorkspace {self._root}>"

    @at_edge
    async def examine(self, repository: str, ref: str) -> tuple[CommitId, str] | Trouble:
        """Resolve `ref` to a commit and the repository to its canonical absolute path, or say what is in the way."""
        found = await self._examiner.examine(repository, ref)
        return Trouble(found.code, storable(found.message)) if isinstance(found, Trouble) else found

    # --- the goal's branch

    @at_edge
    async def open_branch(self, repository: str, goal: GoalId, base: CommitId) -> CommitId:
        """Make the goal's branch at `base` unless it exists, and return where it is.

        A branch that somebody deleted comes back where harnd had last moved it.
        """
        repo = await self._repositories.at(repository)
        async with repo.turn:
            at = await repo.ref(ref_names.goal_ref(goal))
            remembered = await repo.ref(ref_names.goal_record(goal))
            if at is not None and remembered is not None:
                return at
            to = at or remembered or base
            await repo.tree(to)
            expected = at or ABSENT
            await repo.move([Change(ref_names.goal_ref(goal), to, expected), Change(ref_names.goal_record(goal), to)])
            return to

    @at_edge
    async def advance(self, repository: str, goal: GoalId, expected: CommitId, to: CommitId) -> None:
        """Move the goal's branch by compare-and-set; raises `MovedError`.  Being there already is success.

        Raises `UnavailableError` while the branch is checked out outside harnd's worktrees: moving it would make that
        checkout look as if it took everything back.
        """
        repo = await self._repositories.at(repository)
        async with repo.turn:
            if await repo.branch(goal) != to:
                await merging.refuse_snapshots(repo, to)
                await self._refuse_checked_out(repo, goal)
                await self._move(repo, goal, expected=expected, to=to)
            with suppress(LockHeldError):  # the branch has moved; what this leaves over costs nothing
                await rescue.forget_merged(repo, goal, *ref_names.kept_for(goal))

    async def _move(self, repo: Repository, goal: GoalId, *, expected: CommitId, to: CommitId) -> None:
        try:
            await repo.move([Change(ref_names.goal_ref(goal), to, expected), Change(ref_names.goal_record(goal), to)])
        except GitFailedError as error:
            at = await repo.branch(goal)
            if at == expected:
                raise
            raise MovedError(f"{goal_branch(goal)} is at {at}, not at {expected}") from error

    async def _refuse_checked_out(self, repo: Repository, goal: GoalId) -> None:
        for worktree in await worktrees.registered(repo):
            if worktree.branch == ref_names.goal_ref(goal) and not worktree.path.is_relative_to(self._root):
                where = f"{goal_branch(goal)} is checked out at {worktree.path}"
                raise UnavailableError(f"{where}; switch away to let it move")

    @at_edge
    async def branch(self, repository: str, goal: GoalId) -> CommitId:
        """Return where the goal's branch is; raises `MissingError`."""
        return await (await self._repositories.at(repository)).branch(goal)

    @at_edge
    async def traces(self, repository: str, goal: GoalId) -> tuple[str, ...]:
        """Return the refs, or folders of refs, that a goal of this name would take for its own, sorted; none if new."""
        repo = await self._repositories.at(repository)
        return tuple([name for name in ref_names.traces(goal) if await repo.refs(name)])

    @at_edge
    async def kept_refs(self, repository: str, goal: GoalId) -> KeptRefs:
        """Return what refs keep for a goal, each sorted."""
        return await rescue.kept_refs(await self._repositories.at(repository), goal)

    @at_edge
    async def forget_merged(self, repository: str, goal: GoalId) -> tuple[str, ...]:
        """Delete the refs that keep nothing which the goal's branch does not keep, and return them, sorted."""
        repo = await self._repositories.at(repository)
        async with repo.turn:
            return await rescue.forget_merged(repo, goal, *ref_names.kept_for(goal))

    # --- an attempt

    @at_edge
    async def open_worktree(self, place: Place, base: CommitId) -> str:
        """Make the attempt's branch at `base` and its worktree unless they exist, and return the absolute path."""
        repo, path = await self._repositories.at(place.repository), self._path(place, ref_names.WORK_DIRECTORY)
        async with repo.turn:
            await worktrees.open_attempt(repo, place, base=base, path=path)
        return str(path)

    @at_edge
    async def has_worktree(self, place: Place) -> bool:
        """Tell whether the directory in which an attempt works is there."""
        return files.is_directory(self._path(place, ref_names.WORK_DIRECTORY))

    @at_edge
    async def record(self, place: Place, base: CommitId, message: str) -> Recording | Refused:
        """Commit everything in the worktree on the attempt's branch, running the repository's hooks."""
        repo, path = await self._repositories.at(place.repository), self._path(place, ref_names.WORK_DIRECTORY)
        async with repo.turn:
            done = await recording.record(repo, place, base=base, message=message, path=path, commands=self._commands)
        return Refused(storable(done.output)) if isinstance(done, Refused) else done

    @at_edge
    async def snapshot(self, place: Place, base: CommitId) -> Snapshot:
        """Look at the content of the worktree and change nothing in it; no hook runs."""
        repo, path = await self._repositories.at(place.repository), self._path(place, ref_names.WORK_DIRECTORY)
        async with repo.turn:
            return await snapshots.snapshot(repo, place, base=base, path=path)

    @at_edge
    async def pointers(self, place: Place) -> tuple[str, ...]:
        """List the files of the worktree that hold a pointer of git-lfs in place of their content, sorted."""
        repo, path = await self._repositories.at(place.repository), self._path(place, ref_names.WORK_DIRECTORY)
        async with repo.turn:
            return await snapshots.held_pointers(repo, place, path)

    @at_edge
    async def checkout(self, place: Place, commit: CommitId, purpose: str) -> str:
        """Make a clean detached checkout of exactly `commit` and return its absolute path; an old one is replaced."""
        if not matches(NAME, purpose) or purpose == ref_names.WORK_DIRECTORY:
            raise ValueError(f"no name for a checkout: {purpose!r}")
        repo, path = await self._repositories.at(place.repository), self._path(place, purpose)
        async with repo.turn:
            await worktrees.open_checkout(repo, commit, path)
        return str(path)

    @at_edge
    async def listing(self, place: Place, purpose: str) -> Listing:
        """List everything in a checkout, and change nothing."""
        repo, path = await self._repositories.at(place.repository), self._path(place, purpose)
        return await listing.look(repo, path)

    @at_edge
    async def merge(self, place: Place, onto: CommitId, commit: CommitId) -> Merge | Clash:
        """Bring `commit` onto `onto` without a checkout; a commit that already contains `onto` is itself the merge."""
        repo = await self._repositories.at(place.repository)
        async with repo.turn:
            return await merging.merge(repo, place, onto=onto, commit=commit)

    @at_edge
    async def foretell(self, repository: str, onto: CommitId, commit: CommitId) -> tuple[str, ...]:
        """Return the paths at which `commit` would clash with `onto`, sorted; nothing is written."""
        return await merging.foretell(await self._repositories.at(repository), onto=onto, commit=commit)

    @at_edge
    async def discard(self, place: Place) -> None:
        """Remove the worktree and checkouts; what is nowhere else is kept under `refs/harnd/rescue/` first."""
        repo = await self._repositories.at(place.repository)
        async with repo.turn:
            await discarding.discard(repo, place, self._root / ref_names.directory(place))

    @at_edge
    async def occupied(self) -> tuple[Occupied, ...]:
        """Return every attempt that has something on disk, of whatever repository, sorted."""
        found = await anyio.to_thread.run_sync(lambda: sorted(self._root.glob("*/*.*")))
        # A discard that was cut short has left the directory under another name, and is owed its end.
        read = {ref_names.occupied(path.parent.name, path.name.removesuffix(discarding.GONE)) for path in found}
        known = [each for each in read if each is not None]
        return tuple(sorted(known, key=lambda each: (each.goal, each.work, each.attempt)))

    @at_edge
    async def weight(self, attempt: Occupied) -> int:
        """Return how many bytes an attempt takes on the disk; 0 when it has nothing there."""
        path = self._root / ref_names.directory(attempt)
        paths = (path, Path(f"{path}{discarding.GONE}"))
        return await anyio.to_thread.run_sync(lambda: sum(map(files.weight, paths)))

    def _path(self, place: Place, purpose: str) -> Path:
        return self._root / ref_names.directory(place) / purpose

    # --- what lies around an attempt

    @at_edge
    async def surroundings(self, repository: str) -> Surroundings:
        """Look at everything an attempt must leave alone."""
        return await surroundings.look(await self._repositories.at(repository))

    @at_edge
    async def restore(self, repository: str, before: Surroundings) -> tuple[str, ...]:
        """Put back goals' branches that somebody else moved; say what differs from `before`, a line each."""
        repo = await self._repositories.at(repository)
        async with repo.turn:
            return tuple([storable(line) for line in await restoring.restore(repo, before, root=self._root)])

    # --- commits

    @at_edge
    async def tree(self, repository: str, commit: CommitId) -> TreeId:
        """Return the tree of a commit; raises `MissingError`."""
        return await (await self._repositories.at(repository)).tree(commit)

    @at_edge
    async def digests(self, repository: str, commit: CommitId, paths: tuple[str, ...]) -> dict[str, Digest | None]:
        """Digest the contents of those of these paths that are in a commit; raises `MissingError` for no commit."""
        return await listing.digests(await self._repositories.at(repository), commit, paths)

    @at_edge
    async def diff(self, repository: str, base: CommitId, commit: CommitId, limit: int) -> Patch:
        """Return the patch from `base` to `commit`, of which up to `limit` bytes are kept; raises `MissingError`."""
        return await patches.diff(await self._repositories.at(repository), base, commit, limit)
