"""A patch between two sets of files, in the form that git gives it; the fake's half of `Workspace.diff`."""

from collections.abc import Iterable, Iterator, Mapping
from difflib import unified_diff
from typing import Final

NOTHING: Final = "/dev/null"


def patch(paths: Iterable[str], before: Mapping[str, bytes], after: Mapping[str, bytes]) -> bytes:
    """Write how these paths differ, one after the other."""
    return b"".join(part for path in paths for part in _file(path, before.get(path), after.get(path)))


def _file(path: str, before: bytes | None, after: bytes | None) -> Iterator[bytes]:
    yield _bytes(f"diff --git a/{path} b/{path}\n")
    if before is None:
        yield b"new file mode 100644\n"
    if after is None:
        yield b"deleted file mode 100644\n"
    old, new = NOTHING if before is None else f"a/{path}", NOTHING if after is None else f"b/{path}"
    if b"\0" in (before or b"") + (after or b""):
        yield _bytes(f"Binary files {old} and {new} differ\n")
        return
    for line in unified_diff(_lines(before), _lines(after), old, new):
        yield _bytes(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n")


def _lines(content: bytes | None) -> list[str]:
    # By newlines alone, as git does.
    return [f"{line}\n" for line in _text(content or b"").split("\n")[:-1]] + _last(content or b"")


def _last(content: bytes) -> list[str]:
    last = _text(content).rpartition("\n")[2]
    return [last] if last else []


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "surrogateescape")


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")
