"""Patches: what differs between two commits, for a person to read.

What a person set for themselves has no part in it: plumbing reads no `diff.*` of the porcelain, and the options name
what is left.  No program that the repository's configuration or attributes name is run for it, neither as a diff
driver nor to turn a binary file into text.
"""

from typing import Final

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


async def diff(repo: Repository, base: CommitId, commit: CommitId, limit: int) -> Patch:
    """Return the patch from `base` to `commit`; raises `MissingError` when one of them is not there."""
    for each in (base, commit):
        await repo.tree(each)
    words = (*WORDS, base, commit, "--")
    finished = await repo.git.run(repo.common, *words, limits=Limits(SECONDS, limit))
    if finished.code != 0 or finished.cut:
        raise GitFailedError(words, finished)
    # What was not kept is told in a line behind what was.
    return Patch.of(finished.stdout[:limit], beyond=finished.omitted)
