"""Runners: where the SQL runs.  The statements are the same; only the thread differs."""

import sqlite3
from collections.abc import Callable
from typing import Protocol, TypeVar

R = TypeVar("R")


class Runner(Protocol):
    """Has one connection and runs one piece of work on it at a time."""

    async def run(self, work: Callable[[sqlite3.Connection], R]) -> R:
        """Run the work and return what it returned; raises `UnavailableError` after the runner was closed.

        Work that has begun is finished, also when the caller is cancelled meanwhile: no transaction is ever left half
        done, and nobody knows after a cancellation whether it was done at all.
        """
        ...
