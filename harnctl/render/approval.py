"""Approvals for a reader: a row each, or one with everything that an answer needs.

The question is shown as it is, line by line, with what could hide in it spelled out: an answer binds to all of it.
"""

from collections.abc import Iterator
from typing import Final

from harnctl.render.blocks import Block, Command, Fields, Gap, Line, Paragraph, Span, Style, Table, Verbatim, command
from harnctl.render.marks import marked
from harnctl.render.sanitise import hidden_in
from harnctl.render.texts import section, short
from harnctl.render.words import count, duration, when
from protocol.values import ApprovalState, Instant, Risk
from protocol.views import ApprovalList, ApprovalRow, ApprovalView

RISKY: Final = (Risk.HIGH, Risk.CRITICAL)


def listed(approvals: ApprovalList, now: Instant) -> Iterator[Block]:
    """Show what is asked, the most urgent first, and how to read it."""
    rows = approvals.approvals
    if not rows:
        yield Paragraph("Nothing waits for your approval.")
    else:
        heads = ("GOAL", "APPROVAL", "STATE", "RISK", "EXPIRES", "WORK", "QUESTION")
        yield Table(heads, tuple(_row(row, now) for row in rows))
    if approvals.unreadable:
        yield Gap()
        yield Paragraph(f"could not be read: {', '.join(approvals.unreadable)}", style=Style.BAD)
    if rows:
        yield Gap()
        yield command("approval", "show", rows[0].goal, rows[0].approval)


def shown(approval: ApprovalView, now: Instant) -> Iterator[Block]:
    """Show one approval, and the commands that answer it."""
    yield from question(approval, now)
    yield Gap()
    name = (approval.goal, approval.approval)
    match approval.state:
        case ApprovalState.PENDING:
            yield command("approval", "approve", *name, "--digest", short(approval.digest))
            yield command("approval", "deny", *name, "--digest", short(approval.digest))
        case ApprovalState.EXPIRED:
            yield command("work", "resolve", approval.goal, approval.work, why="to be asked anew")
        case _:
            pass


def question(approval: ApprovalView, now: Instant) -> Iterator[Block]:
    """Show one approval without a word about what to do with it."""
    name = f"{approval.goal} approval {approval.approval}"
    yield Line((Span(name, Style.STRONG), Span("  "), marked(approval.state)))
    yield Gap()
    yield Fields(tuple(_facts(approval, now)))
    yield from section("question", Verbatim(approval.question), *_hidden(approval.question))
    yield from section("changed", *_paths(approval))
    # It stands with the question: whoever is asked for a yes must be able to read what the yes is to.
    yield Command(("git", "-C", approval.repository, "diff", approval.base, approval.tree), "what would be approved")


def risk(at_stake: Risk) -> Span:
    """Return a risk as it is shown everywhere."""
    return Span(f"{at_stake} risk", Style.BAD if at_stake in RISKY else Style.PLAIN)


def expiry(approval: ApprovalRow | ApprovalView, now: Instant) -> str:
    """Say how long an approval can still be given; of one that was decided nothing is to be said."""
    match approval.state:
        case ApprovalState.PENDING:
            return f"in {duration(approval.expires_at - now)}"
        case ApprovalState.EXPIRED:
            return f"{duration(now - approval.expires_at)} ago"
        case _:
            return "-"


def _row(row: ApprovalRow, now: Instant) -> tuple[Span, ...]:
    return (
        Span(row.goal),
        Span(str(row.approval)),
        marked(row.state),
        Span(row.risk, Style.BAD if row.risk in RISKY else Style.PLAIN),
        Span(expiry(row, now)),
        Span(row.work),
        Span(row.question),
    )


def _facts(approval: ApprovalView, now: Instant) -> Iterator[tuple[str, str]]:
    yield "risk", approval.risk
    yield "work", f"{approval.work}: {approval.title}"
    yield "asked by", f"stage {approval.stage} of attempt {approval.attempt}"
    yield "asked", when(approval.requested_at, now)
    if approval.asked_again is not None:
        yield "again", f"because {approval.asked_again}"
    if approval.state is ApprovalState.PENDING:
        yield "expires", when(approval.expires_at, now)
    else:
        yield approval.state, when(approval.since, now) + _by(approval.decided_by)
    if approval.reason:
        yield "because", approval.reason
    if approval.used:
        yield "used", "yes: the attempt went on with it"
    yield "digest", short(approval.digest)


def _by(who: str | None) -> str:
    return f" by {who}" if who else ""


def _hidden(asked: str) -> Iterator[Block]:
    if number := hidden_in(asked):
        one = number == 1
        told = f"{count(number, 'character')} of it {'is' if one else 'are'} invisible or unusual, and spelled out here"
        yield Paragraph(told, style=Style.BAD)


def _paths(approval: ApprovalView) -> Iterator[Block]:
    yield from (Paragraph(path, indent=2) for path in approval.paths)
    more = approval.paths_in_all - len(approval.paths)
    if more > 0:
        yield Paragraph(f"and {count(more, 'more file')}", indent=2)
    if not approval.paths_in_all:
        yield Paragraph("nothing", indent=2)
