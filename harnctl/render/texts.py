"""Texts that several nouns share: criteria under their ids, digests and commits in short, what was said, problems."""

import shlex
import sys
from collections.abc import Iterable, Iterator
from typing import Final

from harnctl.render.blocks import Block, Command, Fields, Gap, Heading, Paragraph
from protocol.ids import CommitId, Digest
from protocol.views import CriterionView, ProblemView

SHORT: Final = 12  # digits of a digest or a commit that a person compares, and may type instead of all of it

# A way out is a command, a few words and a command (`look again: harnctl …`), or a sentence, which begins with
# none of these words.
PROGRAMS: Final = frozenset({"harnctl", "harnd", "git", "chmod", "loginctl", "systemctl", sys.executable})


def short(digest: Digest | CommitId | None) -> str:
    """Write the beginning of a digest or a commit."""
    return "none" if digest is None else digest[:SHORT]


def section(title: str, *blocks: Block) -> Iterator[Block]:
    """Put blocks under a heading; nothing at all when there are none."""
    if blocks:
        yield Gap()
        yield Heading(title)
        yield from blocks


def criteria(title: str, listed: Iterable[CriterionView]) -> Iterator[Block]:
    """List criteria under their ids."""
    pairs = tuple((criterion.id, criterion.text) for criterion in listed)
    return section(title, *([Fields(pairs, indent=2)] if pairs else []))


def problem(found: ProblemView) -> str:
    """Write a problem the way a compiler would."""
    line = f":{found.line}" if found.line else ""
    where = f"{found.file}{line}: " if found.file else ""
    place = f"{found.place}: " if found.place else ""
    return f"{where}{place}{found.message} [{found.code}]"


def said(sentences: Iterable[str]) -> Iterator[Block]:
    """Repeat what the daemon said, a paragraph a sentence."""
    return (Paragraph(sentence) for sentence in sentences)


def typed(verb: str, *, why: str = "") -> Block:
    """Read a command the way a shell would; one that no shell could read is only text."""
    try:
        return Command(tuple(shlex.split(verb)), why)
    except ValueError:
        return Paragraph(verb, indent=2)


def way_out(fix: str, *, indent: int = 0) -> Iterator[Block]:
    """Show what to do: a command whole, so that it can be pasted, a sentence as one."""
    if fix:
        why, colon, rest = fix.partition(": ")
        if fix.split(" ", 1)[0] in PROGRAMS:
            yield typed(fix)
        elif colon and rest.split(" ", 1)[0] in PROGRAMS:
            yield typed(rest, why=why)
        else:
            yield Paragraph(f"try: {fix}", indent=indent)
