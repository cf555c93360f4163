"""Declared paths: which items could touch the same file, and which changes were not declared.

A declared path is a file, a folder, or a glob with `*`, `?` and `**`.  When in doubt two items overlap: running them
one after the other costs time, running them together costs a conflict.
"""

import re
from collections.abc import Iterable, Sequence
from fnmatch import translate
from functools import lru_cache
from typing import Final

import msgspec

from protocol import bounds

_NAMED: Final = 10
_NAMED_CHARS: Final = 200


def named(paths: Sequence[str]) -> str:
    """Name paths in a sentence, the first few of many and the ends of long ones."""
    more = f" and {len(paths) - _NAMED} more" if len(paths) > _NAMED else ""
    short = (path if len(path) <= _NAMED_CHARS else f"…{path[1 - _NAMED_CHARS :]}" for path in paths[:_NAMED])
    return f"{', '.join(short)}{more}"


def kept(paths: Sequence[str]) -> tuple[str, ...]:
    """Return the first of many paths, as many as an event and the answers that show it have room for."""
    found, room = list[str](), bounds.PATHS_KEPT_BYTES
    for path in paths[: bounds.PATHS_KEPT]:
        room -= len(msgspec.json.encode(path))
        if room < 0:
            break
        found.append(path)
    return tuple(found)


def kept_of(paths: Sequence[str]) -> int:
    """Return how many there are in all when not all are kept, 0 when they are."""
    return len(paths) if len(kept(paths)) < len(paths) else 0


def overlap(one: Iterable[str], other: Iterable[str]) -> bool:
    """Tell whether two sets of declared paths could meet; an item that declares nothing could touch anything."""
    ones, others = tuple(one), tuple(other)
    if not ones or not others:
        return True
    return any(_meet(_plain(a), _plain(b)) for a in ones for b in others)


def undeclared(changed: Iterable[str], declared: Iterable[str]) -> tuple[str, ...]:
    """Return the changed paths that no declared path covers; with nothing declared, everything was to be expected."""
    patterns = tuple(declared)
    if not patterns:
        return ()
    return tuple(path for path in changed if not any(covers(pattern, path) for pattern in patterns))


def covers(declared: str, path: str) -> bool:
    """Tell whether a declared file, folder or glob includes a path."""
    plain = _plain(declared)
    if path == plain or path.startswith(plain + "/"):
        return True
    return _pattern(plain).match(path) is not None


def _plain(declared: str) -> str:
    """Write a declared path as git would; `.` is the whole repository."""
    return "/".join(part for part in declared.split("/") if part not in ("", ".")) or "**"


@lru_cache(maxsize=1024)
def _pattern(glob: str) -> re.Pattern[str]:
    return re.compile(translate(glob))


def _meet(one: str, other: str) -> bool:
    stem, other_stem = _stem(one), _stem(other)
    if stem == one.casefold() and other_stem == other.casefold():
        return stem == other_stem or stem.startswith(other_stem + "/") or other_stem.startswith(stem + "/")
    # With a wildcard somewhere, `src/a*` may meet `src/ab`: prefixes are compared, not path components.
    return stem.startswith(other_stem) or other_stem.startswith(stem)


def _stem(glob: str) -> str:
    """Return the part before the first wildcard: everything the glob matches begins with it."""
    return re.split(r"[*?\[]", glob, maxsplit=1)[0].casefold()
