"""What waits for a person, and why a thing stands where it stands."""

from collections.abc import Iterator

from harnctl.render.approval import risk
from harnctl.render.blocks import Block, Fields, Gap, Line, Paragraph, Span, Style, Table, command
from harnctl.render.texts import typed
from harnctl.render.words import age, count, duration, when
from protocol.values import Asked, Instant
from protocol.views import FailureView, InboxItem, InboxView, WhyView


def waiting(inbox: InboxView, now: Instant) -> Iterator[Block]:
    """Show everything that waits, as it is listed, each with the command to type."""
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
    for found in why.failures:
        yield Gap()
        yield Paragraph(f"{found.subject} failed ({found.failure}): {found.happened}")
        yield Fields(tuple(_row(found)), indent=2)
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


def _row(found: FailureView) -> Iterator[tuple[str, str]]:
    """Say what follows from a failure."""
    yield "charged", "yes: it counts as one of the attempts" if found.charged else "no: nobody pays for it"
    if found.retried and found.bound is not None:
        yield "tried again", f"by itself, until it was tried {count(found.bound, 'time')}: {found.used} used"
    else:
        yield "tried again", "not by itself"
    yield "asked", "you" if found.asked is Asked.PERSON else "the planner, for another way; you can be quicker"
    yield "work resolve", "goes on where it stopped" if found.resolvable else "no: nothing of it can go on"
    yield "retry_blocked", "may try it again, where the goal allows it" if found.unattended else "leaves it alone"
    yield "to do", found.advice


def _item(item: InboxItem, now: Instant) -> Iterator[Block]:
    about = f"{item.goal} {item.subject}"
    told = f"  {item.kind}  {age(item.since, now)}"
    yield Line((Span("! ", Style.ASKS), Span(about, Style.STRONG), Span(told), *_stakes(item, now)))
    yield Paragraph(item.summary, indent=2)
    yield typed(item.verb)


def _stakes(item: InboxItem, now: Instant) -> Iterator[Span]:
    """Say what an approval puts at stake, and how long it can be given."""
    if item.risk is not None:
        yield Span("  ")
        yield risk(item.risk)
    if item.expires_at is not None:
        left = item.expires_at - now
        yield Span(f"  expires in {duration(left)}" if left > 0 else "  expired")


def summary(waits: int) -> Iterator[Block]:
    """Say how many things wait, and how to see them."""
    if waits:
        yield Gap()
        yield command("inbox", why=f"{count(waits, 'thing')} {'waits' if waits == 1 else 'wait'} for you")
