"""`MemoryWorkspace`: the `Workspace` port without a disk, for simulated worlds.

A worktree is a dictionary that an imaginary agent reads and writes through `files`; what a repository is, and how two
commits come together, is told in `memory_repository`.  The object is the world: an engine that crashes leaves it
standing, and the next one finds everything where it was.
"""

from collections.abc import Container, Mapping
from typing import Final

from anyio.lowlevel import checkpoint

from harnd.adapters.memory_patch import patch
from harnd.adapters.memory_repository import HEAD, Commit, Files, MemoryRepository, changed, digest
from harnd.domain.digest import digest_of_bytes
from harnd.ports.errors import MissingError, MovedError
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
)
from protocol.ids import GOAL_BRANCHES, CommitId, Digest, GoalId, TreeId, WorkId, goal_branch

ROOT: Final = "/worktrees"
POINTER: Final = b"version https://git-lfs.github.com/spec/"


class MemoryWorkspace:
    """Works in the repositories that `make` made."""

    def __init__(self) -> None:
        self._repositories: dict[str, MemoryRepository] = {}
        self._worktrees: dict[str, Files] = {}
        self._heads: dict[str, CommitId] = {}  # of checkouts

    def __repr__(self) -> str:
        return f"<MemoryWorkspace repositories={len(self._repositories)} worktrees={len(self._worktrees)}>"

    def make(self, repository: str, files: Mapping[str, bytes]) -> CommitId:
        """Make a repository whose first commit, checked out on `main`, holds `files`."""
        self._repositories[repository] = MemoryRepository(repository, files)
        return self._repositories[repository].refs[HEAD]

    def repository(self, path: str) -> MemoryRepository:
        """Return a repository, to set its hook or to move its refs as somebody else would; raises `MissingError`."""
        if path not in self._repositories:
            raise MissingError(f"no repository at {path}")
        return self._repositories[path]

    def files(self, path: str) -> Files:
        """Return the files of a worktree, a checkout or the operator's checkout, to read and to write."""
        if path in self._repositories:
            return self._repositories[path].checkout
        if path not in self._worktrees:
            raise MissingError(f"no worktree at {path}")
        return self._worktrees[path]

    def lose(self, path: str) -> None:
        """Remove the directory of a worktree as somebody else would, with all that is in it."""
        del self._worktrees[path]

    # --- the port

    async def examine(self, repository: str, ref: str) -> tuple[CommitId, str] | Trouble:
        """Resolve a branch of that name, a full ref name or a commit."""
        await checkpoint()
        if repository not in self._repositories:
            return Trouble("workspace.no_repository", f"{repository} is no repository; make it one")
        known = self.repository(repository)
        name = HEAD if ref == "HEAD" else ref
        found = known.refs.get(f"refs/heads/{name}") or known.refs.get(name) or CommitId(name)
        if found not in known.commits:
            return Trouble("workspace.no_ref", f"{repository} has no commit called {ref!r}; name one that it has")
        return found, repository

    async def open_branch(self, repository: str, goal: GoalId, base: CommitId) -> CommitId:
        """Make the goal's branch at `base` unless it exists, and return where it is."""
        await checkpoint()
        known, ref = self.repository(repository), _goal_ref(goal)
        at = known.refs.get(ref) or known.moves.get(ref) or base
        known.commit(at)
        known.refs[ref] = known.moves[ref] = at
        return at

    async def open_worktree(self, place: Place, base: CommitId) -> str:
        """Make the attempt's branch at `base` and its worktree unless they exist, and return the path."""
        await checkpoint()
        known, path = self.repository(place.repository), _path(place, "work")
        at = known.refs.setdefault(_attempt_branch(place), known.refs.get(_recorded(place), base))
        self._worktrees.setdefault(path, dict(known.commit(at).files))
        return path

    async def has_worktree(self, place: Place) -> bool:
        """Tell whether an attempt has its files."""
        await checkpoint()
        return _path(place, "work") in self._worktrees

    async def surroundings(self, repository: str) -> Surroundings:
        """Look at the refs and the operator's checkout; configuration and hooks never change here."""
        await checkpoint()
        known = self.repository(repository)
        foreign = ((name, at) for name, at in known.refs.items() if not _is_own(name))
        edited = tuple((path, Digest(digest((content,)))) for path, content in sorted(known.checkout.items()))
        return Surroundings(tuple(sorted(foreign)), Digest(digest(())), Digest(digest(())), HEAD, edited)

    async def restore(self, repository: str, before: Surroundings) -> tuple[str, ...]:
        """Put back goals' branches that somebody else moved; say what differs, a line each."""
        known = self.repository(repository)
        lines = [line for name in sorted(known.moves) if (line := _put_back(known, name, before))]
        now = await self.surroundings(repository)
        lines += _moved(dict(before.refs), dict(now.refs), but=known.moves)
        if strayed := now.strayed_since(before):
            lines.append(f"checkout: files in {repository} changed: {', '.join(map(repr, strayed))}")
        return tuple(lines)

    async def record(self, place: Place, base: CommitId, message: str) -> Recording | Refused:
        """Commit the worktree's files on the attempt's branch, unless the repository's hook refuses."""
        await checkpoint()
        known, branch = self.repository(place.repository), _attempt_branch(place)
        files = dict(self.files(_path(place, "work")))
        start = known.refs[branch]
        if files != known.commit(start).files:
            if known.hook is not None and (refusal := known.hook(files)) is not None:
                return Refused(refusal)
            known.refs[branch] = known.add(Commit(files, (start,), message))
        at = known.refs[_recorded(place)] = known.refs[branch]
        return Recording(at, known.commit(at).tree, changed(known.commit(base).files, files))

    async def snapshot(self, place: Place, base: CommitId) -> Snapshot:
        """Look at the content of the worktree and change nothing in it."""
        await checkpoint()
        files = self.files(_path(place, "work"))
        before = self.repository(place.repository).commit(base).files
        return Snapshot(Commit(dict(files)).tree, changed(before, files))

    async def pointers(self, place: Place) -> tuple[str, ...]:
        """List the files of the worktree that begin as a pointer does; attributes are not asked."""
        await checkpoint()
        files = self.files(_path(place, "work"))
        return tuple(sorted(name for name, content in files.items() if content.startswith(POINTER)))

    async def checkout(self, place: Place, commit: CommitId, purpose: str) -> str:
        """Make a clean checkout of exactly `commit` in place of an old one, and return its path."""
        await checkpoint()
        path = _path(place, purpose)
        self._worktrees[path] = dict(self.repository(place.repository).commit(commit).files)
        self._heads[path] = commit
        return path

    async def listing(self, place: Place, purpose: str) -> Listing:
        """List everything in a checkout, and change nothing."""
        await checkpoint()
        path = _path(place, purpose)
        files = self.files(path)
        return Listing(self._heads[path], tuple((name, Digest(digest((files[name],)))) for name in sorted(files)))

    async def merge(self, place: Place, onto: CommitId, commit: CommitId) -> Merge | Clash:
        """Bring `commit` onto `onto`, whole files at a time."""
        await checkpoint()
        known = self.repository(place.repository)
        for one, other in ((commit, onto), (onto, commit)):
            if other in known.past(one):
                return Merge(one, known.commit(one).tree)
        joined = known.joined(onto, commit)
        if isinstance(joined, Clash):
            return joined
        made = known.add(Commit(joined, (onto, commit)))
        return Merge(made, known.commit(made).tree)

    async def foretell(self, repository: str, onto: CommitId, commit: CommitId) -> tuple[str, ...]:
        """Return the paths at which `commit` would clash with `onto`, sorted; nothing is written."""
        await checkpoint()
        known = self.repository(repository)
        if commit in known.past(onto) or onto in known.past(commit):
            return ()
        joined = known.joined(onto, commit)
        return joined.paths if isinstance(joined, Clash) else ()

    async def advance(self, repository: str, goal: GoalId, expected: CommitId, to: CommitId) -> None:
        """Move the goal's branch by compare-and-set; raises `MovedError`.  Being there already is success."""
        at = await self.branch(repository, goal)
        if at not in {expected, to}:
            raise MovedError(f"{goal_branch(goal)} is at {at}, not at {expected}")
        known, ref = self.repository(repository), _goal_ref(goal)
        known.commit(to)
        known.refs[ref] = known.moves[ref] = to
        known.forget_merged(ref, *_kept_for(goal))

    async def branch(self, repository: str, goal: GoalId) -> CommitId:
        """Return where the goal's branch is; raises `MissingError`."""
        await checkpoint()
        at = self.repository(repository).refs.get(_goal_ref(goal))
        if at is None:
            raise MissingError(f"{repository} has no branch {goal_branch(goal)}")
        return at

    async def traces(self, repository: str, goal: GoalId) -> tuple[str, ...]:
        """Return the refs, or folders of refs, that a goal of this name would take for its own, sorted; none if new."""
        await checkpoint()
        known, branch = self.repository(repository), _goal_ref(goal)
        found = {name for name in (branch,) if name in known.refs}
        found |= {f"refs/harnd/goals/{goal}" for name in (branch,) if name in known.moves}
        for folder in (f"refs/heads/harn-attempt/{goal}", f"refs/harnd/recorded/{goal}"):
            found |= {folder for name in known.refs if name.startswith(f"{folder}/")}
        return tuple(sorted(found))

    async def tree(self, repository: str, commit: CommitId) -> TreeId:
        """Return the tree of a commit; raises `MissingError`."""
        await checkpoint()
        return self.repository(repository).commit(commit).tree

    async def digests(self, repository: str, commit: CommitId, paths: tuple[str, ...]) -> dict[str, Digest | None]:
        """Digest the contents of those of these paths that are in a commit; raises `MissingError` for no commit."""
        await checkpoint()
        files = self.repository(repository).commit(commit).files
        return {path: digest_of_bytes(files[path]) for path in paths if path in files}

    async def diff(self, repository: str, base: CommitId, commit: CommitId, limit: int) -> Patch:
        """Return the patch from `base` to `commit`, of which up to `limit` bytes are kept; raises `MissingError`."""
        await checkpoint()
        known = self.repository(repository)
        before, after = known.commit(base).files, known.commit(commit).files
        whole = patch(changed(before, after), before, after)
        return Patch.of(whole[:limit], beyond=len(whole[limit:]))

    async def discard(self, place: Place) -> None:
        """Remove the attempt's worktree and checkouts; what is nowhere else is kept under `refs/harnd/rescue/`."""
        await checkpoint()
        known, branch = self.repository(place.repository), _attempt_branch(place)
        at = known.refs.get(branch)
        if at is not None:
            self._rescue(known, place, at)
            del known.refs[branch]
            known.forget_merged(_goal_ref(place.goal), _recorded(place))
        for path in [path for path in self._worktrees if path.startswith(_path(place, ""))]:
            del self._worktrees[path]

    async def occupied(self) -> tuple[Occupied, ...]:
        """Return every attempt that has something on disk, sorted."""
        await checkpoint()
        names = {tuple(path.removeprefix(f"{ROOT}/").split("/")[:2]) for path in self._worktrees}
        parts = ((goal, *attempt.rsplit(".", 1)) for goal, attempt in sorted(names))
        return tuple(Occupied(GoalId(goal), WorkId(work), int(number)) for goal, work, number in parts)

    async def weight(self, attempt: Occupied) -> int:
        """Return how many bytes the files of an attempt have."""
        await checkpoint()
        folder = f"{ROOT}/{attempt.goal}/{attempt.work}.{attempt.attempt}/"
        mine = [files for path, files in self._worktrees.items() if path.startswith(folder)]
        return sum(len(content) for files in mine for content in files.values())

    async def kept_refs(self, repository: str, goal: GoalId) -> KeptRefs:
        """Return what refs keep for a goal, each sorted."""
        await checkpoint()
        known = self.repository(repository)
        merged = known.merged(_goal_ref(goal), *_kept_for(goal))
        folder = f"refs/heads/harn-attempt/{goal}/"
        parts = (name.removeprefix(folder).rsplit(".", 1) for name in sorted(known.refs) if name.startswith(folder))
        rescued = {name for name in known.refs if name.startswith(f"refs/harnd/rescue/{goal}/")}
        attempts = tuple(Occupied(goal, WorkId(work), int(number)) for work, number in parts)
        return KeptRefs(attempts, merged, tuple(sorted(rescued - {*merged})))

    async def forget_merged(self, repository: str, goal: GoalId) -> tuple[str, ...]:
        """Delete the refs that keep nothing which the goal's branch does not keep, and return them, sorted."""
        await checkpoint()
        return self.repository(repository).forget_merged(_goal_ref(goal), *_kept_for(goal))

    def _rescue(self, known: MemoryRepository, place: Place, at: CommitId) -> None:
        folder = f"refs/harnd/rescue/{place.goal}/{place.work}.{place.attempt}"
        goal = known.refs.get(_goal_ref(place.goal))
        if goal is None or at not in known.past(goal):
            known.refs[f"{folder}/commit-{at}"] = at
        files = self._worktrees.get(_path(place, "work"))
        if files is not None and files != known.commit(at).files:
            snapshot = Commit(dict(files), (at,))
            known.refs[f"{folder}/snapshot-{snapshot.tree}"] = known.add(snapshot)


def _goal_ref(goal: GoalId) -> str:
    return f"refs/heads/{goal_branch(goal)}"


def _attempt_branch(place: Place) -> str:
    return f"refs/heads/{place.branch}"


def _recorded(place: Place) -> str:
    return f"refs/harnd/recorded/{place.goal}/{place.work}.{place.attempt}"


def _kept_for(goal: GoalId) -> tuple[str, str]:
    return f"refs/harnd/rescue/{goal}/", f"refs/harnd/recorded/{goal}/"


def _path(place: Place, purpose: str) -> str:
    return f"{ROOT}/{place.goal}/{place.work}.{place.attempt}/{purpose}"


def _is_own(name: str) -> bool:
    return name.startswith(("refs/heads/harn-attempt/", "refs/harnd/"))


def _put_back(known: MemoryRepository, name: str, before: Surroundings) -> str | None:
    wanted, at = known.moves.get(name) or dict(before.refs).get(name), known.refs.get(name)
    if wanted == at:
        return None
    if at is not None:
        goal = name.removeprefix(f"refs/heads/{GOAL_BRANCHES}")
        known.refs[f"refs/harnd/rescue/{goal}/moved/commit-{at}"] = at
        del known.refs[name]
    if wanted is not None:
        known.refs[name] = CommitId(wanted)
    return f"undone: {name} was at {at}, put back to {wanted}"


def _moved(before: Mapping[str, str], now: Mapping[str, str], *, but: Container[str]) -> list[str]:
    return [
        f"ref: {name} was {before.get(name, 'absent')} and is {now.get(name, 'absent')}"
        for name in sorted({*before, *now})
        if before.get(name) != now.get(name) and name not in but
    ]
