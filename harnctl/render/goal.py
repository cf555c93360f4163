"""Goals for a reader: a row each, or one in full."""

from collections.abc import Iterator

from harnctl.render.blocks import Block, Fields, Gap, Line, Paragraph, Span, Style, Table, command
from harnctl.render.inbox import attention, summary, to_type
from harnctl.render.marks import marked
from harnctl.render.texts import criteria, said, section, short
from harnctl.render.words import age, count, when
from harnctl.render.work import table as work_table
from protocol.replies import GoalCreated
from protocol.values import Instant
from protocol.views import GoalList, GoalRow, GoalView, MilestoneView, PlanCounts


def listed(goals: GoalList, now: Instant) -> Iterator[Block]:
    """Show every goal, and how much of it waits for a person."""
    if not goals.goals:
        yield Paragraph("There is no goal yet.")
        yield command("init", why="begin with")
        return
    yield table(goals, now)
    yield from summary(sum(goal.waiting for goal in goals.goals))


def table(goals: GoalList, now: Instant) -> Table:
    """Show goals, a row each."""
    return Table(("GOAL", "PHASE", "SINCE", "REASON"), tuple(_row(goal, now) for goal in goals.goals))


def shown(goal: GoalView, now: Instant) -> Iterator[Block]:
    """Show one goal: where it stands first, then what was frozen, then what came of it."""
    yield Line((Span(goal.goal, Style.STRONG), Span("  "), marked(goal.phase)))
    yield Paragraph(goal.title)
    yield Gap()
    yield Fields(tuple(_standing(goal, now)))
    yield from section("waits for you", *([attention(goal.attention, now)] if goal.attention else []))
    if goal.objective is not None:
        yield from section("objective", Paragraph(goal.objective, indent=2))
    yield from criteria("acceptance", goal.acceptance)
    yield from criteria("invariants", goal.invariants)
    yield from criteria("non-goals", goal.non_goals)
    yield from section("milestones", *([_milestones(goal.milestones)] if goal.milestones else []))
    yield from section("work", *([work_table(goal.work)] if goal.work else []))
    yield from section("frozen", Fields(tuple(_frozen(goal)), indent=2))
    verbs = tuple(dict.fromkeys(item.verb for item in goal.attention))
    yield from to_type(verbs or (f"harnctl why {goal.goal}",))


def created(goal: GoalCreated) -> Iterator[Block]:
    """Say that a goal was enrolled, or was before, and what to look at next."""
    if goal.created:
        yield Line((Span("created ", Style.GOOD), Span(goal.goal, Style.STRONG), Span(f"  {short(goal.digest)}")))
        yield from said(goal.said)
    else:
        yield Line((Span(goal.goal, Style.STRONG), Span(" is there already, unchanged")))
    yield Gap()
    yield command("why", goal.goal)


def _row(goal: GoalRow, now: Instant) -> tuple[Span, ...]:
    return (Span(goal.goal), marked(goal.phase), Span(age(goal.since, now)), Span(goal.parked or goal.reason))


def _standing(goal: GoalView, now: Instant) -> Iterator[tuple[str, str]]:
    yield "because", goal.reason
    yield "since", when(goal.since, now)
    yield "would change", goal.would_change
    if goal.wake_at is not None:
        yield "looks again", when(goal.wake_at, now)
    if goal.parked is not None:
        yield "parked", goal.parked


def _frozen(goal: GoalView) -> Iterator[tuple[str, str]]:
    yield "repository", goal.repository
    yield (
        "branch",
        f"{goal.branch} at {short(goal.head)}" if goal.head else f"{goal.branch}, made with the first attempt",
    )
    yield "base", f"{goal.base_ref} at {short(goal.base_commit)}"
    if goal.parent is not None:
        accepted = count(len(goal.parent.accepted), "accepted item")
        yield "goes on from", f"{goal.parent.goal} at {short(goal.parent.head)}, with {accepted}"
    if goal.planner is not None:
        yield "planner", goal.planner
        yield "plans", _plans(goal.plans)
    if goal.unasked:
        yield "unasked", "; ".join(goal.unasked)
    if goal.labels:
        yield "labels", ", ".join(goal.labels)
    yield "intent", short(goal.intent_digest)


def _plans(plans: PlanCounts) -> str:
    ends = ((plans.applied, "applied"), (plans.rejected, "rejected"), (plans.failed, "failed"))
    became = "".join(f", {number} {word}" for number, word in ends if number)
    return f"{plans.requested} of {plans.max_requests} requested{became}"


def _milestones(milestones: tuple[MilestoneView, ...]) -> Table:
    rows = tuple(
        (
            Span(str(one.sequence)),
            Span(f"plan {one.plan}" if one.plan else "you"),
            Span(f"{one.title}: {one.outcome or 'under way'}"),
        )
        for one in milestones
    )
    return Table(("NO", "FROM", "MILESTONE"), rows)
