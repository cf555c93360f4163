"""Merging: two commits brought together without any checkout.

The result is the same commit however often it is asked for: its author is harnd and its time the later of its
parents'.  It is kept alive by a ref under `refs/harnd/merge/`.  The goal's branch is not touched here.
"""

from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from harnd.adapters.git import ref_names
from harnd.adapters.git.command import GitFailedError, entries, text
from harnd.adapters.git.identity import HARND
from harnd.adapters.git.repository import Change, Repository
from harnd.ports.errors import PortError
from harnd.ports.workspace import Clash, Merge, Place
from protocol.ids import CommitId, TreeId, goal_branch

CONFLICT: Final = 1  # exit code of merge-tree


async def merge(repository: Repository, place: Place, *, onto: CommitId, commit: CommitId) -> Merge | Clash:
    """Bring `commit` onto `onto`; the caller holds the turn."""
    await refuse_snapshots(repository, commit)
    if await repository.contains(commit, onto):
        return Merge(commit, await repository.tree(commit))
    if await repository.contains(onto, commit):  # integrated before a crash, or by hand
        return Merge(onto, await repository.tree(onto))
    joined = await _join(repository, onto, commit)
    if isinstance(joined, Clash):
        return joined
    made = await _commit(repository, place, tree=joined, parents=(onto, commit))
    await repository.move([Change(ref_names.merges(place) + made, made)])
    return Merge(made, joined)


async def foretell(repository: Repository, *, onto: CommitId, commit: CommitId) -> tuple[str, ...]:
    """Return the paths at which `commit` would clash with `onto`, sorted; the repository is not written to."""
    for each in (onto, commit):
        await repository.tree(each)
    if await repository.contains(commit, onto) or await repository.contains(onto, commit):
        return ()
    # What a merge makes is written somewhere, and is of no use here: it goes with its directory.
    with TemporaryDirectory(prefix="harnd-merge-") as aside:
        objects = {"GIT_OBJECT_DIRECTORY": aside, "GIT_ALTERNATE_OBJECT_DIRECTORIES": _quoted(repository.objects)}
        joined = await _join(repository, onto, commit, env=objects)
    return joined.paths if isinstance(joined, Clash) else ()


def _quoted(path: Path) -> str:
    r"""Write a path for a list that colons divide: in double quotes, in which `"` and `\` are escaped."""
    return '"' + str(path).replace("\\", r"\\").replace('"', r"\"") + '"'


async def _join(
    repository: Repository, onto: CommitId, commit: CommitId, *, env: Mapping[str, str] | None = None
) -> TreeId | Clash:
    words = ("merge-tree", "--write-tree", "-z", "--name-only", "--no-messages", onto, commit)
    # Asked of the common directory, where no checkout's attributes have a say: the answer depends on commits alone.
    finished = await repository.git.run(repository.common, *words, env=env)
    if finished.code not in {0, CONFLICT}:
        raise GitFailedError(words, finished)
    tree, _, rest = finished.stdout.partition(b"\0")
    if finished.code == CONFLICT:
        return Clash(tuple(sorted(set(entries(rest)))))
    return TreeId(text(tree).strip())


async def _commit(
    repository: Repository, place: Place, *, tree: TreeId, parents: tuple[CommitId, CommitId]
) -> CommitId:
    times = (await repository.ask("show", "--no-patch", "--format=%ct", *parents)).split()
    time = f"{max(int(time) for time in times)} +0000"
    sides = [word for parent in parents for word in ("-p", parent)]
    made = await repository.change(
        "commit-tree",
        *sides,
        tree,
        given=f"Merge {place.work}, attempt {place.attempt}, into {goal_branch(place.goal)}\n".encode(),
        env=HARND.environment() | {"GIT_AUTHOR_DATE": time, "GIT_COMMITTER_DATE": time},
    )
    return CommitId(text(made).strip())


async def refuse_snapshots(repository: Repository, commit: CommitId) -> None:
    """Raise `PortError` when `commit` rests on a rescue snapshot: no hook has seen what is in it."""
    past = text(await repository.ask("for-each-ref", "--format=%(refname)", f"--merged={commit}", ref_names.RESCUES))
    for ref in past.split():
        if ref.rpartition("/")[2].startswith(ref_names.SNAPSHOT):
            raise PortError(f"{commit} rests on the snapshot {ref}, which no hook has seen; it is never integrated")
