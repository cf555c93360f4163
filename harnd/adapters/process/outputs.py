"""Outputs: the directories of effect keys, as things that are kept and can be let go.

What runs is never let go.  A directory is renamed before it is removed, so that half of one never looks like a key
that was started and lost; what is left of it under its other name is let go the next time.
"""

import shutil
from pathlib import Path
from typing import Final
from urllib.parse import unquote

import anyio.to_thread

from harnd.adapters.process.receipts import name_of
from harnd.adapters.process.spawner import Spawner
from harnd.ports.errors import UnavailableError
from harnd.ports.keeping import Kept
from protocol import ids
from protocol.ids import GoalId
from protocol.values import Instant

GONE: Final = ".gone-"  # no key's directory begins with a dot


class SessionOutputs:
    """The port `Keeping`, on the directories of one spawner."""

    def __init__(self, sessions: Path, spawner: Spawner) -> None:
        self._sessions = sessions
        self._spawner = spawner

    def __repr__(self) -> str:
        return f"<SessionOutputs {self._sessions}>"

    async def inventory(self) -> tuple[Kept, ...]:
        """Return the directory of every key."""
        try:
            return await anyio.to_thread.run_sync(self._inventory)
        except OSError as error:
            raise UnavailableError(f"{self._sessions}: {error}") from error

    async def let_go(self, name: str, *, written_before: Instant) -> bool:
        """Remove the directory of a key unless it runs or was written since; tell whether it is gone."""
        if name in {name_of(key) for key in self._spawner.running()}:
            return False
        try:
            return await anyio.to_thread.run_sync(self._let_go, name, written_before)
        except OSError as error:
            raise UnavailableError(f"{self._sessions / name}: {error}") from error

    def _inventory(self) -> tuple[Kept, ...]:
        if not self._sessions.is_dir():
            return ()
        found = [_kept(path) for path in self._sessions.iterdir() if path.is_dir() and not path.is_symlink()]
        return tuple(sorted((kept for kept in found if kept is not None), key=lambda kept: kept.name))

    def _let_go(self, name: str, before: Instant) -> bool:
        path = self._sessions / name
        if path.parent != self._sessions or name in {"", ".."}:
            return False
        kept = _kept(path) if path.is_dir() else None
        if kept is None:
            return True
        if kept.written_at >= before:
            return False
        gone = path if name.startswith(GONE) else self._sessions / f"{GONE}{name}"
        if gone != path:
            if gone.exists():
                shutil.rmtree(gone)
            path.rename(gone)
        shutil.rmtree(gone)
        return True


def _kept(path: Path) -> Kept | None:
    """Weigh a directory; one that goes while it is looked at is not there."""
    try:
        statuses = [path.lstat(), *(file.lstat() for file in path.rglob("*"))]
    except FileNotFoundError:
        return None
    size = sum(status.st_blocks * 512 for status in statuses)
    written = max(status.st_mtime_ns for status in statuses) // 1_000
    return Kept(path.name, size, Instant(written), _goal(path.name.removeprefix(GONE)))


def _goal(name: str) -> GoalId | None:
    """Read whose key it is, such as `billing` of `goal+billing+plan+2+call+1`."""
    kind, _, rest = name.partition("+")
    goal = unquote(rest.partition("+")[0])
    return GoalId(goal) if kind == "goal" and ids.matches(ids.GOAL_ID, goal) else None
