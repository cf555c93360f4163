"""Governance: files of a repository that agents load by themselves, wherever harnd had no say in it.

They are declared to a review worker, so that nobody takes what they say for a part of its task.  Only the top of the
repository is looked at: a worker starts there, and is told to go nowhere.
"""

from collections.abc import Mapping
from typing import Final

from harnd.domain.review.contract import Declared
from protocol.ids import Digest

FILES: Final = (
    ".clinerules",
    ".cursorrules",
    ".github/copilot-instructions.md",
    ".goosehints",
    ".windsurfrules",
    "AGENTS.md",
    "CLAUDE.md",
    "CONVENTIONS.md",
    "GEMINI.md",
)


def declared(found: Mapping[str, Digest | None]) -> tuple[Declared, ...]:
    """Declare those that are there, by path; a digest is None where a path is no plain file."""
    return tuple(Declared(path, found[path]) for path in FILES if path in found)
