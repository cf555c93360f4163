"""Watching: what a review worker must leave alone, looked at before it starts and after it has ended.

Its checkout and its directory are its own, so that whatever differs in them it did.  The repository around them is
shared with the operator and with other work: goals' branches are put back there, and the rest is told and proves
nothing.  What was seen before is kept beside the job, so that it is not seen anew after a crash.
"""

import json
from typing import Final

import msgspec

from harnd.domain.review.prompt import Prompt
from harnd.domain.review.touched import Area, How, Touched, differences
from harnd.ports.errors import CorruptError, MissingError
from harnd.ports.review_jobs import JobDirectory, Note
from harnd.ports.workspace import Listing, Place, Surroundings
from harnd.ports.world import World
from protocol import bounds
from protocol.ids import CommitId, Digest

CHECKOUT: Final = "review"  # the purpose of a worker's checkout


class Seen(msgspec.Struct, frozen=True):
    """What there was before a worker started."""

    prompt: Digest  # that it was given
    path: str  # of its checkout
    checkout: Listing
    around: Surroundings


class Changes(msgspec.Struct, frozen=True):
    """What differs from it."""

    touched: tuple[Touched, ...]  # in the checkout; `bounds.PATHS_KEPT` at most
    around: tuple[str, ...]  # a line for each difference in the repository, whoever made it


class Watch:
    """Looks around for one job in one place."""

    def __init__(self, world: World, place: Place, job: JobDirectory) -> None:
        self._world = world
        self._place = place
        self._job = job

    async def has_begun(self) -> bool:
        """Tell whether something has been seen."""
        return await self._world.review_jobs.kept(self._job, Note.SEEN) is not None

    async def before(self, commit: CommitId, prompt: Prompt) -> Seen:
        """Have the job's directory and a clean checkout of `commit` there, and say what there is.

        Once something has been seen, neither is made again: a worker may have started.  Raises `CorruptError` when what
        was kept of it cannot be read.
        """
        world, place, job = self._world, self._place, self._job
        kept = await world.review_jobs.kept(job, Note.SEEN)
        if kept is None:
            await world.review_jobs.prepare(job, prompt.text)
            path = await world.workspace.checkout(place, commit, CHECKOUT)
            listing = await world.workspace.listing(place, CHECKOUT)
            seen = Seen(prompt.digest, path, listing, await world.workspace.surroundings(place.repository))
            kept = await world.review_jobs.keep(job, Note.SEEN, _encoded(seen))
        return _decoded(kept)

    async def after(self, seen: Seen) -> Changes:
        """Say what differs, once the worker has ended, and put goals' branches back."""
        around = await self._world.workspace.restore(self._place.repository, seen.around)
        return Changes((await self._touched(seen.checkout))[: bounds.PATHS_KEPT], around[: bounds.REPORTS_KEPT])

    async def _touched(self, before: Listing) -> tuple[Touched, ...]:
        try:
            now = await self._world.workspace.listing(self._place, CHECKOUT)
        except MissingError:
            return (Touched(Area.WORKTREE, ".", How.REMOVED),)
        return differences(Area.WORKTREE, before.named(), now.named())


def _encoded(seen: Seen) -> bytes:
    # The standard library's JSON carries file names that are no UTF-8, which msgspec's refuses.
    return json.dumps(msgspec.to_builtins(seen)).encode()


def _decoded(kept: bytes) -> Seen:
    try:
        return msgspec.convert(json.loads(kept), Seen)
    except (ValueError, msgspec.ValidationError) as error:
        raise CorruptError(f"what was seen before a review cannot be read: {error}") from error
