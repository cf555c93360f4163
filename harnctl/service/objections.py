"""Objections: what speaks against an installation, refused where it is meant and noted where it is only rehearsed."""

from collections.abc import Generator
from contextlib import contextmanager

from msgspec import Struct

from harnctl.failures import Failure


class Objection(Struct, frozen=True):
    """A refusal that an installation would meet as things stand."""

    code: str
    said: str  # one sentence
    fix: str  # a way out, empty when there is nothing to type


class Objections:
    """Those of one installation."""

    def __init__(self, *, rehearsed: bool) -> None:
        """Begin with none."""
        self._rehearsed = rehearsed
        self.found: list[Objection] = []

    @contextmanager
    def heard(self) -> Generator[None]:
        """Take note of a refusal in the block if this is a rehearsal, and let it through if it is not."""
        try:
            yield
        except Failure as refusal:
            if not self._rehearsed:
                raise
            self.found.append(Objection(refusal.code, refusal.message, refusal.fix))
