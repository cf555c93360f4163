"""Looking at files from outside."""

from pathlib import Path


def contents(path: Path) -> bytes:
    return path.read_bytes()


def mode(path: Path) -> int:
    return path.stat().st_mode & 0o777
