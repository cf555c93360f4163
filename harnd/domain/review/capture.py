"""Capture: a file's bytes as a text that a reviewer can be shown, or why they are none.

What is no text is refused here and never mended: a reviewer must not judge other bytes than those that are there.
"""

from typing import NamedTuple

from harnd.domain.digest import digest_of_bytes
from harnd.domain.measures import size
from harnd.domain.problem import Problem
from harnd.domain.review.contract import Captured
from protocol import bounds


class Taken(NamedTuple):
    """A captured text, and the text."""

    captured: Captured
    text: str


def capture(name: str, content: bytes) -> Taken | Problem:
    """Take a text as it is."""
    if len(content) > bounds.REVIEW_PROMPT_BYTES:
        most = size(bounds.REVIEW_PROMPT_BYTES)
        return Problem("input.too_large", name, f"has {size(len(content))}, expected at most {most}")
    if b"\0" in content:
        return Problem("input.binary", name, "holds NUL bytes and is no text")
    try:
        text = content.decode()
    except UnicodeDecodeError as error:
        return Problem("input.not_utf8", name, f"is not UTF-8 at byte {error.start + 1:,}")
    if not text.strip():
        return Problem("input.empty", name, "is empty")
    return Taken(Captured(name, digest_of_bytes(content)), text)
