"""Plans for a reader: a row each, or one in full with everything that a decision needs."""

from collections.abc import Iterator
from typing import Final

from harnctl.render.blocks import Block, Fields, Gap, Heading, Line, Paragraph, Span, Style, Table, command
from harnctl.render.graph import graph
from harnctl.render.marks import marked
from harnctl.render.texts import criteria, problem, section, short
from harnctl.render.words import age, plain, when
from protocol.values import Instant, PlanDecision, PlanStatus
from protocol.views import CompletionEvidence, PlanItem, PlanList, PlanMilestone, PlanRow, PlanView

SAYS: Final = {
    PlanDecision.APPLY: "proposes work",
    PlanDecision.COMPLETE: "says the mission is met",
    PlanDecision.ATTENTION: "asks you",
}
RETRYABLE = (PlanStatus.FAILED, PlanStatus.ATTENTION)


def listed(plans: PlanList, now: Instant) -> Iterator[Block]:
    """Show every plan of a goal, oldest first, and how to read the latest."""
    if not plans.plans:
        yield Paragraph(f"{plans.goal} has no plan yet.")
        yield command("why", plans.goal)
        return
    yield Table(("PLAN", "STATUS", "AGE", "TITLE"), tuple(_row(plan, now) for plan in plans.plans))
    yield Gap()
    yield command("plan", "show", plans.goal, plans.plans[-1].plan)


def shown(plan: PlanView, now: Instant) -> Iterator[Block]:
    """Show one plan, and the commands that decide it."""
    yield from proposal(plan, now)
    yield from _decisions(plan)


def proposal(plan: PlanView, now: Instant) -> Iterator[Block]:
    """Show one plan without a word about what to do with it."""
    yield Line((Span(f"{plan.goal} plan {plan.plan}", Style.STRONG), Span("  "), marked(plan.status)))
    yield Gap()
    yield Fields(tuple(_facts(plan, now)))
    yield from section("rationale", *_paragraphs(plan.rationale))
    yield from section("question", *_paragraphs(plan.question))
    yield from section("guidance", *_paragraphs(plan.guidance))
    if plan.milestone is not None:
        yield from _milestone(plan.milestone)
    yield from section("graph", *graph(plan.items, plan.root))
    for item in plan.items:
        yield from _item(item, root=item.key == plan.root)
    yield from section("evidence", *(block for met in plan.completion for block in _completion(met)))
    yield from criteria("invariants, which nobody claims to have checked", plan.invariants)
    problems = [Paragraph(problem(found), indent=2) for found in plan.problems]
    yield from section("problems of the last reply", *problems)


def _row(plan: PlanRow, now: Instant) -> tuple[Span, ...]:
    return (
        Span(str(plan.plan)),
        marked(plan.status),
        Span(age(plan.requested_at, now)),
        Span(plan.title),
    )


def _facts(plan: PlanView, now: Instant) -> Iterator[tuple[str, str]]:
    if plan.decision is not None:
        yield "planner", SAYS[plan.decision]
    yield "requested", when(plan.requested_at, now)
    if plan.failure is not None:
        # Only the class is a word of ours; the detail has names of files, and they keep their underscores.
        yield "failure", f"{plain(plan.failure)}: {plan.detail}" if plan.detail else plain(plan.failure)
    if plan.digest is not None:
        yield "digest", short(plan.digest)
    if plan.decided_at is not None:
        yield "decided", when(plan.decided_at, now) + (f" by {plan.decided_by}" if plan.decided_by else "")


def _milestone(milestone: PlanMilestone) -> Iterator[Block]:
    title = f"milestone {milestone.sequence}: {milestone.title}"
    yield from section(title, Paragraph(milestone.objective, indent=2))
    if milestone.acceptance:
        yield Fields(tuple((criterion.id, criterion.text) for criterion in milestone.acceptance), indent=2)


def _item(item: PlanItem, *, root: bool) -> Iterator[Block]:
    yield Gap()
    yield Heading(f"{item.key}: {item.title}")
    yield Paragraph(item.objective, indent=2)
    pairs = [("template", item.template + (" (root)" if root else ""))]
    if item.dependencies:
        pairs.append(("after", ", ".join(item.dependencies)))
    if item.paths:
        pairs.append(("paths", ", ".join(item.paths)))
    yield Fields((*pairs, *((criterion.id, criterion.text) for criterion in item.acceptance)), indent=2)


def _completion(met: CompletionEvidence) -> Iterator[Block]:
    yield Paragraph(f"{met.criterion}: {met.text}", indent=2)
    yield Paragraph(f"claimed: {met.note}", indent=4)
    yield from (Paragraph(reference, indent=6, style=Style.FAINT) for reference in met.references)


def _paragraphs(text: str | None) -> list[Block]:
    return [Paragraph(text, indent=2)] if text else []


def _decisions(plan: PlanView) -> Iterator[Block]:
    if plan.status is PlanStatus.PROPOSED:
        yield Gap()
        yield command("plan", "approve", plan.goal, plan.plan, "--digest", short(plan.digest))
        yield command("plan", "reject", plan.goal, plan.plan, "--digest", short(plan.digest))
    elif plan.status in RETRYABLE:
        yield Gap()
        yield command("plan", "retry", plan.goal, plan.plan)
