"""Workspaces: the git repository of a goal, in the words of work.

Writes to one repository are made one at a time.  The operator's checkout and branches are never touched.  Every call
may be made again after a crash and then finds its own work: names are given by the caller and stay the same.
"""

import re
from typing import Final, Protocol

import msgspec

from protocol.ids import CommitId, Digest, GoalId, TreeId, WorkId

_NO_BYTE: Final = re.compile("[\ud800-\udc7f\udd00-\udfff]")  # surrogates that stand for no byte


def storable(path: str) -> str:
    r"""Write a path as text that can be stored and shown: bytes that are no UTF-8 become `\xff`."""
    plain = _NO_BYTE.sub("\N{REPLACEMENT CHARACTER}", path)
    return plain.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


class Place(msgspec.Struct, frozen=True):
    """Which attempt of which work item of which goal, in which repository (absolute path)."""

    repository: str
    goal: GoalId
    work: WorkId
    attempt: int

    @property
    def branch(self) -> str:
        """Name the attempt's own branch."""
        return f"harn-attempt/{self.goal}/{self.work}.{self.attempt}"


class Surroundings(msgspec.Struct, frozen=True):
    """What lies around an attempt and is none of its business: refs, config, hooks, the operator's checkout."""

    refs: tuple[tuple[str, str], ...]  # (name, object), sorted; attempt branches are left out
    config: Digest
    hooks: Digest
    head: str  # the operator's HEAD: a ref name, or an object when detached
    edited: tuple[tuple[str, Digest], ...]  # paths in the operator's checkout that differ from HEAD, and what they hold

    def strayed_since(self, before: "Surroundings") -> tuple[str, ...]:
        """Return the paths of the operator's checkout that changed since `before`; none can be told after a switch."""
        if self.head != before.head:
            return ()
        return tuple(sorted({path for path, _ in {*self.edited} ^ {*before.edited}}))


class Recording(msgspec.Struct, frozen=True):
    """The commit that records an item's work."""

    commit: CommitId
    tree: TreeId
    changed: tuple[str, ...]  # paths against the base, sorted; undecodable bytes are kept by surrogateescape


class Snapshot(msgspec.Struct, frozen=True):
    """What lies in an attempt's worktree at some moment; nothing keeps it."""

    tree: TreeId
    changed: tuple[str, ...]  # paths against the base, sorted; undecodable bytes are kept by surrogateescape


class Listing(msgspec.Struct, frozen=True):
    """Everything in a checkout, ignored files and folders too, and where it stands; two that differ tell what moved."""

    head: str  # a commit, or the name of the branch that somebody switched to
    entries: tuple[tuple[str, Digest], ...]  # paths, and what is there: its kind, its rights, its content

    def named(self) -> dict[str, str]:
        """Return what can be compared, by path; `.git/HEAD`, which no entry is called, is where the checkout stands."""
        return {**dict(self.entries), ".git/HEAD": self.head}


class Refused(msgspec.Struct, frozen=True):
    """The repository's own hooks refused the commit."""

    output: str


class Merge(msgspec.Struct, frozen=True):
    """Two commits brought together, not yet anybody's branch; kept alive by a rescue ref."""

    commit: CommitId
    tree: TreeId


class Clash(msgspec.Struct, frozen=True):
    """Two commits that cannot be brought together without a person."""

    paths: tuple[str, ...]


class Patch(msgspec.Struct, frozen=True):
    r"""What differs between two commits, for a person: whole lines, in which bytes that are no UTF-8 are `\xff`."""

    text: str
    omitted_bytes: int  # of the patch, behind `text`

    @staticmethod
    def of(raw: bytes, *, beyond: int) -> "Patch":
        """Read the beginning of a patch; when `beyond` bytes are missing behind it, a line that was cut goes too."""
        kept = raw[: raw.rfind(b"\n") + 1] if beyond else raw
        return Patch(kept.decode("utf-8", "backslashreplace"), beyond + len(raw) - len(kept))


class Trouble(msgspec.Struct, frozen=True):
    """A repository that harnd cannot work in, found before anything starts."""

    code: str  # such as `workspace.no_commit`
    message: str


class Occupied(msgspec.Struct, frozen=True):
    """An attempt that has a worktree or a checkout on disk, by its name alone."""

    goal: GoalId
    work: WorkId
    attempt: int


class KeptRefs(msgspec.Struct, frozen=True):
    """What refs keep for a goal besides its branch."""

    attempts: tuple[Occupied, ...]  # that have a branch, whether or not there is anything on disk
    merged: tuple[str, ...]  # refs that keep nothing which the goal's branch does not keep
    rescued: tuple[str, ...]  # refs without which something that an attempt made could be lost


class Workspace(Protocol):
    """What harnd does in repositories.  Raises `UnavailableError` when git does not answer (locks included)."""

    async def examine(self, repository: str, ref: str) -> tuple[CommitId, str] | Trouble:
        """Resolve `ref` to a commit and the repository to its canonical absolute path, or say what is in the way."""
        ...

    async def open_branch(self, repository: str, goal: GoalId, base: CommitId) -> CommitId:
        """Make the goal's branch `harn/<goal>` at `base` unless it exists, and return where it is."""
        ...

    async def open_worktree(self, place: Place, base: CommitId) -> str:
        """Make the attempt's branch at `base` and its worktree unless they exist, and return the absolute path."""
        ...

    async def has_worktree(self, place: Place) -> bool:
        """Tell whether the worktree of an attempt is there; opening one that is not begins at the base again."""
        ...

    async def surroundings(self, repository: str) -> Surroundings:
        """Look at everything an attempt must leave alone."""
        ...

    async def restore(self, repository: str, before: Surroundings) -> tuple[str, ...]:
        """Put back goals' branches that somebody else moved; say what differs from `before`, a line each.

        Other refs, configuration, hooks and the operator's checkout may have been changed by the operator: they are
        told and left alone.  A line begins with what it is about: `undone`, `ref`, `config`, `hooks`, `head` (the
        operator switched) or `checkout` (files in the operator's checkout changed), and a colon.
        """
        ...

    async def record(self, place: Place, base: CommitId, message: str) -> Recording | Refused:
        """Commit everything in the worktree on the attempt's branch, running the repository's hooks.

        Hooks may be files that the agent wrote, so they run as commands of the attempt do, and end with the call.
        Whatever the agent committed itself is folded in.  When nothing is left to commit, the last recording, or else
        the base, is the recording.
        """
        ...

    async def snapshot(self, place: Place, base: CommitId) -> Snapshot:
        """Look at the content of the worktree and change nothing in it; no hook runs.

        The tree is the one that `record` would commit, as long as no hook rewrites files.  What `record` would refuse
        has a tree too, so that any change of content is another tree.  Raises `MissingError` when the worktree or
        `base` is not there.  The caller has ended the agent: what is written meanwhile may or may not be seen.
        """
        ...

    async def pointers(self, place: Place) -> tuple[str, ...]:
        """List the files of the worktree that hold a pointer of git-lfs in place of their content, sorted.

        Raises `MissingError` when the worktree is not there.
        """
        ...

    async def checkout(self, place: Place, commit: CommitId, purpose: str) -> str:
        """Make a clean detached checkout of exactly `commit` and return its absolute path; an old one is replaced."""
        ...

    async def listing(self, place: Place, purpose: str) -> Listing:
        """List everything in a checkout, and change nothing; raises `MissingError` when it is not there.

        What a repository ignores, submodules and repositories inside are listed file by file.  Of `.git` itself only
        its own entry is: what git writes there for itself is no change of the checkout.
        """
        ...

    async def merge(self, place: Place, onto: CommitId, commit: CommitId) -> Merge | Clash:
        """Bring `commit` onto `onto` without a checkout; a commit that already contains `onto` is itself the merge."""
        ...

    async def foretell(self, repository: str, onto: CommitId, commit: CommitId) -> tuple[str, ...]:
        """Return the paths at which `commit` would clash with `onto`, sorted; nothing is written.

        Raises `MissingError` when one of them is not there.
        """
        ...

    async def advance(self, repository: str, goal: GoalId, expected: CommitId, to: CommitId) -> None:
        """Move the goal's branch by compare-and-set; raises `MovedError`.  Being there already is success.

        Raises `UnavailableError` while somebody has the branch checked out.
        """
        ...

    async def branch(self, repository: str, goal: GoalId) -> CommitId:
        """Return where the goal's branch is; raises `MissingError`."""
        ...

    async def traces(self, repository: str, goal: GoalId) -> tuple[str, ...]:
        """Return the refs, or folders of refs, that a goal of this name would take for its own, sorted; none if new.

        What was rescued is none of them: nothing ever starts from it.
        """
        ...

    async def tree(self, repository: str, commit: CommitId) -> TreeId:
        """Return the tree of a commit."""
        ...

    async def digests(self, repository: str, commit: CommitId, paths: tuple[str, ...]) -> dict[str, Digest | None]:
        """Digest the contents of those of these paths that are in a commit; raises `MissingError` for no commit.

        The bytes are those that are stored, before any filter.  What is no plain file, such as a link, has no digest.
        """
        ...

    async def diff(self, repository: str, base: CommitId, commit: CommitId, limit: int) -> Patch:
        """Return the patch from `base` to `commit`, of which up to `limit` bytes are kept; raises `MissingError`.

        Binary files are named and nothing more.
        """
        ...

    async def occupied(self) -> tuple[Occupied, ...]:
        """Return every attempt that has something on disk, of whatever repository, sorted."""
        ...

    async def weight(self, attempt: Occupied) -> int:
        """Return how many bytes an attempt takes on the disk; 0 when it has nothing there."""
        ...

    async def kept_refs(self, repository: str, goal: GoalId) -> KeptRefs:
        """Return what refs keep for a goal, each sorted."""
        ...

    async def forget_merged(self, repository: str, goal: GoalId) -> tuple[str, ...]:
        """Delete the refs that keep nothing which the goal's branch does not keep, and return them, sorted."""
        ...

    async def discard(self, place: Place) -> None:
        """Remove the attempt's worktree and checkouts.

        Commits not on the goal's branch and uncommitted files are kept under `refs/harnd/rescue/…` first.
        """
        ...
