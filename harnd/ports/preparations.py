"""Preparations: directories that `prepare` stages built, each kept under the digest of what it depends on.

A directory is whole or not there.  It is built once, whoever else wants it waits, and from then on nobody writes to it;
one that was changed all the same is found out when it is next asked for, and built anew somewhere else.
"""

from collections.abc import Awaitable, Callable
from typing import Protocol, TypeAlias

import msgspec

from protocol.ids import Digest

Build: TypeAlias = Callable[[str], Awaitable[bool]]
"""Fills an empty directory, given by its absolute path; false: it could not, and nothing of it is kept."""


class Prepared(msgspec.Struct, frozen=True):
    """A directory that was built."""

    path: str  # absolute
    mended: bool = False  # there was one, somebody had changed it, and it was built anew


class Preparations(Protocol):
    """What was built, over all goals.  Raises `UnavailableError` when the disk does not do its part."""

    async def contents(self, directory: str, files: tuple[str, ...]) -> Digest:
        """Digest what these files and folders of a directory hold; what is not there is told from what is empty.

        Nothing outside the directory is read: a link counts as its words.
        """
        ...

    async def get(self, name: Digest, build: Build) -> Prepared | None:
        """Return the directory of a name as it was built, having it built first when there is none, or not that one.

        None when `build` could not.  Calls for one name wait for one another.  What `build` raises, and a cancellation,
        leave nothing behind that would pass for a directory.
        """
        ...
