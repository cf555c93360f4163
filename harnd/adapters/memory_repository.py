"""A repository without a disk: commits, refs, a hook and the operator's checkout, for `MemoryWorkspace`.

A commit is a map from paths to contents with its parents and message, and its id a digest of them, so the same history
has the same ids in every run.  Merging goes by whole files: two sides that changed one path in different ways clash,
however far apart the lines are.  What the refs mean is nothing to it.
"""

import hashlib
from collections.abc import Callable, Iterable, Mapping
from typing import Final, TypeAlias

import msgspec

from harnd.ports.errors import MissingError
from harnd.ports.workspace import Clash
from protocol.ids import CommitId, TreeId

Files: TypeAlias = dict[str, bytes]
Hook: TypeAlias = Callable[[Mapping[str, bytes]], str | None]

HEAD: Final = "refs/heads/main"


class Commit(msgspec.Struct, frozen=True):
    """What the files were, after which commits, and what was said about it."""

    files: Mapping[str, bytes]
    parents: tuple[CommitId, ...] = ()
    message: str = ""

    @property
    def tree(self) -> TreeId:
        """Digest the files."""
        return TreeId(digest(part for path in sorted(self.files) for part in (path, self.files[path]))[:40])

    @property
    def id(self) -> CommitId:
        """Digest all of it."""
        return CommitId(digest((self.tree, self.message, *self.parents))[:40])


class MemoryRepository:
    """One repository: its commits, its refs, its hook, and the operator's checkout."""

    def __init__(self, path: str, files: Mapping[str, bytes]) -> None:
        self.path = path
        self.commits: dict[CommitId, Commit] = {}
        self.refs: dict[str, CommitId] = {}
        self.moves: dict[str, CommitId] = {}  # where the workspace itself last moved a goal's branch to
        self.checkout: Files = dict(files)
        self.hook: Hook | None = None  # is shown the files of an item's commit, and refuses with a text
        self.refs[HEAD] = self.add(Commit(dict(files)))

    def add(self, commit: Commit) -> CommitId:
        """Store a commit."""
        self.commits[commit.id] = commit
        return commit.id

    def commit(self, name: str) -> Commit:
        """Look a commit up; raises `MissingError`."""
        if name not in self.commits:
            raise MissingError(f"{self.path} has no commit {name}")
        return self.commits[CommitId(name)]

    def past(self, name: CommitId) -> set[CommitId]:
        """List a commit and all that came before it."""
        seen: set[CommitId] = set()
        waiting = [name]
        while waiting:
            at = waiting.pop()
            if at not in seen:
                seen.add(at)
                waiting += self.commit(at).parents
        return seen

    def merged(self, branch: str, *folders: str) -> tuple[str, ...]:
        """List the refs in `folders` whose commits the branch contains."""
        past = self.past(self.refs[branch]) if branch in self.refs else set[CommitId]()
        return tuple(sorted(name for name, at in self.refs.items() if name.startswith(folders) and at in past))

    def forget_merged(self, branch: str, *folders: str) -> tuple[str, ...]:
        """Delete the refs in `folders` whose commits the branch contains, and return them."""
        found = self.merged(branch, *folders)
        for name in found:
            del self.refs[name]
        return found

    def base(self, one: CommitId, other: CommitId) -> Mapping[str, bytes]:
        """Return the files of the last commit that both have in their past; none if there is no such commit."""
        common = self.past(one) & self.past(other)
        lasts = [at for at in sorted(common) if not any(at in self.past(later) - {later} for later in common)]
        return self.commit(lasts[0]).files if lasts else {}

    def joined(self, onto: CommitId, commit: CommitId) -> Files | Clash:
        """Bring the files of two commits together."""
        return _join(self.base(onto, commit), self.commit(onto).files, self.commit(commit).files)


def changed(before: Mapping[str, bytes], after: Mapping[str, bytes]) -> tuple[str, ...]:
    """List the paths at which two sets of files differ, sorted."""
    return tuple(sorted(path for path in {*before, *after} if before.get(path) != after.get(path)))


def _join(base: Mapping[str, bytes], ours: Mapping[str, bytes], theirs: Mapping[str, bytes]) -> Files | Clash:
    both = set(changed(base, ours)) & set(changed(base, theirs))
    clashes = sorted(path for path in both if ours.get(path) != theirs.get(path))
    if clashes:
        return Clash(tuple(clashes))
    joined = dict(ours)
    for path in changed(base, theirs):
        joined.pop(path, None)
        if path in theirs:
            joined[path] = theirs[path]
    return joined


def digest(parts: Iterable[str | bytes]) -> str:
    """Digest texts and bytes, each told apart from its neighbours."""
    whole = hashlib.sha256()
    for part in parts:
        raw = part.encode("utf-8", "surrogateescape") if isinstance(part, str) else part
        whole.update(len(raw).to_bytes(8, "big") + raw)
    return whole.hexdigest()
