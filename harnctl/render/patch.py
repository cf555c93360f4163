"""A patch for a reader: the lines that came and went, each under the mark that git gives it.

The marks `+` and `-` stand on every screen; colour only repeats them.
"""

from collections.abc import Iterator
from itertools import groupby

from harnctl.render.blocks import Block, Command, Fields, Gap, Line, Paragraph, Span, Style, Verbatim
from harnctl.render.texts import short
from harnctl.render.words import count
from protocol.replies import WorkDiff


def changed(diff: WorkDiff) -> Iterator[Block]:
    """Show what one attempt changed."""
    lines = list(styled(diff.text))
    yield Line((Span(f"{diff.goal}/{diff.work} attempt {diff.attempt}", Style.STRONG),))
    yield Fields((("from", short(diff.base)), ("to", short(diff.commit)), ("lines", _counted(lines, diff))))
    yield Gap()
    for style, group in groupby(lines, key=lambda each: each[1]):
        yield Verbatim("\n".join(line for line, _ in group), style=style)
    if diff.omitted_bytes:
        yield Gap()
        yield Paragraph(f"{count(diff.omitted_bytes, 'byte')} more; the whole of it, in the goal's repository:")
        yield Command(("git", "diff", short(diff.base), short(diff.commit)))


def styled(patch: str) -> Iterator[tuple[str, Style]]:
    """Give each line of a patch its style.  What looks like a head inside of a hunk is content, and styled as such."""
    in_hunk = False
    for line in patch.removesuffix("\n").split("\n") if patch else ():
        if line.startswith("diff --git "):
            in_hunk = False
            yield line, Style.STRONG
        elif line.startswith("@@"):
            in_hunk = True
            yield line, Style.BUSY
        elif in_hunk and line.startswith("+"):
            yield line, Style.GOOD
        elif in_hunk and line.startswith("-"):
            yield line, Style.BAD
        else:
            yield line, Style.PLAIN if in_hunk else Style.FAINT


def _counted(lines: list[tuple[str, Style]], diff: WorkDiff) -> str:
    added, removed = (sum(style is wanted for _, style in lines) for wanted in (Style.GOOD, Style.BAD))
    if not lines:
        return "none" if not diff.omitted_bytes else "left out"
    return f"{added} added, {removed} removed{' in what is shown' if diff.omitted_bytes else ''}"
