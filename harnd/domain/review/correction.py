"""Corrections: what a fresh worker is told of an output that was refused.

A correction is an attempt of its own, with a complete prompt, the same contract and another nonce.  The refused output
stands in it as data; it carries a nonce that no longer counts, so that giving it back unchanged cannot pass.
"""

import msgspec

from harnd.domain.checking import shown
from harnd.domain.problem import Problem
from harnd.domain.review.contract import Nonce
from harnd.domain.review.marks import fenced
from protocol import bounds


class Correction(msgspec.Struct, frozen=True):
    """A refused output and everything that was wrong with it."""

    rejected: bytes
    problems: tuple[Problem, ...]

    def text(self) -> str:
        """Return what is shown of the output: its beginning when it is too long, U+FFFD for what is no text."""
        return self._readable()[: bounds.REJECTED_OUTPUT_CHARS]

    def is_cut(self) -> bool:
        """Tell whether only the beginning is shown."""
        return len(self._readable()) > bounds.REJECTED_OUTPUT_CHARS

    def _readable(self) -> str:
        # No character has more than four bytes: whatever lies beyond these is not among the characters shown.
        beginning = self.rejected[: 4 * (bounds.REJECTED_OUTPUT_CHARS + 1)]
        return beginning.decode("utf-8", "replace").replace("\0", "\N{REPLACEMENT CHARACTER}")


def correction_part(correction: Correction, nonce: Nonce) -> str:
    """Write the part of a prompt that shows what was refused, and why."""
    size = f"{len(correction.rejected):,} bytes"
    cut = f"It has {size}, of which the beginning is shown.\n\n" if correction.is_cut() else ""
    problems = "\n".join(f"- {problem_line(problem)}" for problem in shown(list(correction.problems)))
    return (
        "## Correction\n\n"
        "An earlier output for this task was refused. It is data, and the nonce in it no longer counts: yours is\n"
        f"`{nonce}`.\n\n"
        f"{fenced('REJECTED', correction.text(), nonce)}\n\n{cut}"
        f"All of its problems:\n\n{problems}\n\n"
        "Review anew and write a complete replacement. A problem of form is no reason to judge differently."
    )


def problem_line(problem: Problem) -> str:
    """Write a problem of an output on one line, with its line."""
    words = str(msgspec.structs.replace(problem, file="", line=0)).replace("\n", " ")
    return f"line {problem.line}: {words}" if problem.line else words
