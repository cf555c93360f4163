"""What waits for a person, and why a thing stands where it stands."""

from collections.abc import Iterator

from harnctl.render.blocks import Block, Fields, Gap, Line, Paragraph, Span, Style, Table, command
from harnctl.render.texts import typed
from harnctl.render.words import age, count, when
from protocol.values import Instant
from protocol.views import InboxItem, InboxView, WhyView


def waiting(inbox: InboxView, now: Instant) -> Iterator[Block]:
    """Show everything that waits, oldest first, each with the command to type."""
    if not inbox.items:
        yield Paragraph("Nothing waits for you.")
    for item in inbox.items:
        yield from _item(item, now)


def reasoned(why: WhyView, now: Instant) -> Iterator[Block]:
    """Show which condition holds a goal or work item and what would change it."""
    yield Line((Span(why.target, Style.STRONG),))
    yield Paragraph(why.condition)
    pairs = [("since", when(why.since, now)), ("would change", why.would_change)]
    if why.next_automatic is not None:
        at = f", {when(why.next_automatic_at, now)}" if why.next_automatic_at is not None else ""
        pairs.append(("by itself", why.next_automatic + at))
    yield Fields(tuple(pairs))
    yield from to_type(why.verbs)


def attention(items: tuple[InboxItem, ...], now: Instant) -> Table:
    """Show what waits for a person in one goal, a row each."""
    rows = tuple((Span(i.subject), Span(i.kind, Style.ASKS), Span(age(i.since, now)), Span(i.summary)) for i in items)
    return Table(("WHAT", "ASKS", "AGE", "SUMMARY"), rows)


def to_type(verbs: tuple[str, ...]) -> Iterator[Block]:
    """Show the commands that the daemon proposes, whole."""
    if verbs:
        yield Gap()
    yield from (typed(verb) for verb in verbs)


def _item(item: InboxItem, now: Instant) -> Iterator[Block]:
    about = f"{item.goal} {item.subject}"
    yield Line((Span("! ", Style.ASKS), Span(about, Style.STRONG), Span(f"  {item.kind}  {age(item.since, now)}")))
    yield Paragraph(item.summary, indent=2)
    yield typed(item.verb)


def summary(waits: int) -> Iterator[Block]:
    """Say how many things wait, and how to see them."""
    if waits:
        yield Gap()
        yield command("inbox", why=f"{count(waits, 'thing')} {'waits' if waits == 1 else 'wait'} for you")
