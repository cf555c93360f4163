"""The fingerprint: a digest of every fact that can change what is due.

Equal fingerprints start nothing and call nobody.  Time enters only through deadlines that have passed.
"""

from harnd.domain.digest import digest_of
from harnd.domain.goal.deadlines import deadlines
from harnd.domain.goal.goal import Goal
from harnd.domain.goal.plan import Plan
from harnd.domain.goal.work import Work
from protocol.ids import Digest
from protocol.values import Instant, Unit


def fingerprint(goal: Goal, now: Instant) -> Digest:
    """Digest what can change what is due."""
    plan = goal.plan
    return digest_of(
        [
            goal.intent_digest,
            [at <= now for at in deadlines(goal, now)],
            [goal.ending.value if goal.ending else "", goal.paused is not None],
            [goal.generation, goal.milestone.root if goal.milestone else "", goal.head],
            [plan.number, plan.status.value, len(plan.calls), plan.open_call is None, plan.answered, plan.author.value]
            if plan
            else [],
            *([_review(plan)] if plan is not None and plan.reviews else []),
            # Ticks are left out: a tick that changed nothing else must not wake the next one.
            [[unit.value, entry.left] for unit, entry in goal.ledger.entries.items() if unit is not Unit.TICKS],
            [goal.left(Unit.TICKS) > 0, goal.runtime_left(now) > 0],
            [_work(item) for item in goal.active()],
            list(goal.queue),
            [[each.number, each.state.value] for each in goal.approvals if each.open],
        ]
    )


def _review(plan: Plan) -> list[object]:
    last = plan.round
    seats = last.seats if last is not None else ()
    told = [[seat.reviewer, [attempt.state.value for attempt in seat.attempts]] for seat in seats]
    over = plan.review is not None and plan.review.outcome is not None
    return [len(plan.reviews), len(plan.rounds), last.outcome if last is not None else None, over, told]


def _work(item: Work) -> list[object]:
    proved = item.integration.commit or "" if item.integration else ""
    cause = item.blocked.value if item.blocked else ""
    resumed = item.last.resumed_at or 0 if item.last else 0
    counts = [len(item.attempts), len(item.integrations), item.answers, item.unasked]
    # With any of these a proof that passes is a person's to accept.
    asks = [len(item.findings), len(item.last.doubts()) if item.last else 0]
    return [item.id, item.standing.value, counts, proved, cause, resumed, asks]
