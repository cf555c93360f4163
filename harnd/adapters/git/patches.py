"""Patches: what differs between two commits, for a person to read.

Whoever reads a patch judges by it, so nothing hides in it what has changed: no setting of the repository or of a
person, and no attribute, be it in a tree or in `.git/info/attributes`, which agents can write.  The commits are looked
at from an empty repository that has the other one's objects and nothing else of it.  So no program is run either,
neither as a diff driver nor to turn a binary file into text; binary is what has a zero byte near its beginning.
"""

import tempfile
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

from anyio import to_thread

from harnd.adapters.git import files
from harnd.adapters.git.command import GitFailedError
from harnd.adapters.git.process import Limits
from harnd.adapters.git.repository import Repository
from harnd.ports.workspace import Patch
from protocol.ids import CommitId

SECONDS: Final = 60.0
WORDS: Final = (
    *("diff-tree", "-r", "--patch", "--unified=3", "--inter-hunk-context=0", "--diff-algorithm=myers"),
    *("--no-ext-diff", "--no-textconv", "--no-color", "--find-renames=50%", "-l1000", "--submodule=short"),
    *("--ignore-submodules=none", "--src-prefix=a/", "--dst-prefix=b/", "--no-commit-id"),
)
FORMATS: Final = {40: "sha1", 64: "sha256"}  # by the digits of an object's name


async def diff(repo: Repository, base: CommitId, commit: CommitId, limit: int) -> Patch:
    """Return the patch from `base` to `commit`; raises `MissingError` when one of them is not there."""
    before, after = await repo.tree(base), await repo.tree(commit)
    async with _objects_alone(repo, FORMATS[len(before)]) as bare:
        words, env = (*WORDS, before, after, "--"), {"GIT_DIR": str(bare), "GIT_OBJECT_DIRECTORY": str(repo.objects)}
        finished = await repo.git.run(bare, *words, env=env, limits=Limits(SECONDS, limit))
    if finished.code != 0 or finished.cut:
        raise GitFailedError(words, finished)
    # What was not kept is told in a line behind what was.
    return Patch.of(finished.stdout[:limit], beyond=finished.omitted)


@asynccontextmanager
async def _objects_alone(repo: Repository, objects: str) -> AsyncGenerator[Path]:
    """Make an empty repository for objects of this format, and remove it."""
    bare = Path(await to_thread.run_sync(lambda: tempfile.mkdtemp(prefix="harnd-")))
    try:
        await repo.git.change(bare, "init", "--quiet", "--bare", "--template=", f"--object-format={objects}")
        yield bare
    finally:
        await to_thread.run_sync(files.remove_tree, bare)
