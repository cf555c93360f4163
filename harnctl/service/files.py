"""Files: units on disk, compared with what is wanted, written whole and removed.

A file that `service install` did not write, or that somebody has changed since, is a person's: it is left alone unless
they say otherwise.
"""

import difflib
import os
import stat
import tempfile
from collections.abc import Mapping
from pathlib import Path

from harnctl.failures import Failure
from harnctl.service.report import Condition, UnitFile
from harnctl.service.units import is_marked, is_ours


def compare(directory: Path, wanted: Mapping[str, str]) -> list[UnitFile]:
    """Compare units on disk with their wanted texts."""
    return [_compare(directory / unit, text) for unit, text in wanted.items()]


def condition(path: Path) -> Condition | None:
    """Tell whose a unit on disk is; None when there is none."""
    if not os.path.lexists(path):
        return None
    text = read(path)
    if text is None:
        return Condition.FOREIGN
    if is_ours(text):
        return Condition.UNCHANGED
    return Condition.EDITED if is_marked(text) else Condition.FOREIGN


def read(path: Path) -> str | None:
    """Return the text of a regular file; None for a link (a masked unit is one) and for what cannot be read as text."""
    try:
        return path.read_text(encoding="utf-8") if stat.S_ISREG(path.lstat().st_mode) else None
    except (OSError, UnicodeDecodeError):
        return None


def write(path: Path, text: str) -> None:
    """Put a unit in its place whole; whoever reads it meanwhile sees the old one or the new one."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor, beside = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        try:
            with os.fdopen(descriptor, "w", encoding="utf-8") as file:
                file.write(text)
                os.fchmod(descriptor, 0o644)
            Path(beside).replace(path)
        except BaseException:
            Path(beside).unlink()
            raise
    except OSError as error:
        raise Failure("file.unwritable", f"{path} cannot be written: {error.strerror}") from error


def remove(path: Path) -> None:
    """Remove a unit."""
    try:
        path.unlink()
    except OSError as error:
        raise Failure("file.unwritable", f"{path} cannot be removed: {error.strerror}") from error


def _compare(path: Path, wanted: str) -> UnitFile:
    there = condition(path)
    if there is None:
        return UnitFile(path.name, str(path), Condition.NEW)
    text = read(path) or ""
    if there is Condition.UNCHANGED and text != wanted:
        there = Condition.CHANGED
    return UnitFile(path.name, str(path), there, _difference(text, wanted))


def _difference(old: str, new: str) -> tuple[str, ...]:
    """Tell which lines go and come; the mark is no news."""
    lines = difflib.unified_diff(_told(old), _told(new), n=0, lineterm="")
    return tuple(line for line in lines if not line.startswith(("---", "+++", "@@")))


def _told(text: str) -> list[str]:
    return [line for line in text.splitlines() if line and not line.startswith("#")]
