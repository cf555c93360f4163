"""Evidence of plan reviews: under which key a reviewer's opinion is kept, and what it was made under.

The criterion bears the reviewer's name, so that two reviewers of one partition never share a vote.
"""

from typing import Final

from harnd.domain.goal.events.review import JobName
from harnd.domain.goal.goal import Goal
from harnd.domain.goal.plan_review import Round, Seat
from harnd.domain.review.contract import CriterionKey, SubjectId
from harnd.domain.review.freshness import Digests, Key, baseline_of, staleness
from harnd.domain.review.panel import Opinion
from harnd.domain.review.partition import Partition
from protocol.ids import SpecialistName

_SUBJECT: Final = SubjectId("plan")  # whatever is proposed next; its digest tells which


def evidence_key(reviewer: SpecialistName, partition: Partition) -> Key:
    """Return what a reviewer's opinions of plans are kept under."""
    return Key(_SUBJECT, CriterionKey(f"plan-contract/{reviewer}"), partition)


def digests_of(each: Round, seat: Seat) -> Digests:
    """Return what an opinion of a round is made under."""
    return Digests(each.subject, seat.criterion, each.scaffold)


def fresh_job(goal: Goal, key: Key, now: Digests) -> JobName | None:
    """Return whose opinion still holds under these digests."""
    baseline = baseline_of(goal.baselines, key)
    if baseline is None or staleness(baseline, now) is not None:
        return None
    return next(name for name, _ in _finished(goal) if str(name) == baseline.job)


def opinion_of(goal: Goal, job: JobName) -> Opinion:
    """Return what a finished job said."""
    return next(opinion for name, opinion in _finished(goal) if name == job)


def _finished(goal: Goal) -> list[tuple[JobName, Opinion]]:
    return [
        (JobName(plan.number, each.number, seat.reviewer, attempt.number), attempt.opinion)
        for plan in goal.plans
        for each in plan.rounds
        for seat in each.seats
        for attempt in seat.attempts
        if attempt.opinion is not None
    ]
