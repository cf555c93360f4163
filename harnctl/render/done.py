"""What a change came to."""

from collections.abc import Iterator

from harnctl.render.blocks import Block, Gap, Line, Paragraph, Span, Style, command
from protocol.replies import Done


def done(change: Done, verb: str) -> Iterator[Block]:
    """Say what was done, what the daemon says of it, and how to see what comes of it."""
    about = change.goal if change.subject == change.goal else f"{change.goal} {change.subject}"
    yield Line((Span(f"{verb} ", Style.GOOD), Span(about, Style.STRONG)))
    yield from (Paragraph(sentence) for sentence in change.said)
    yield Gap()
    yield command("why", change.goal)
