"""The story: what happened, a sentence an event, for a person who follows a goal.

It tells what the events say and asks nobody.  What a person need not hear of has no sentence; an event of a later
harnd, or one whose body is not what it should be, is told by its name.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final

from harnctl.render import review_story
from harnctl.render.texts import SHORT
from harnctl.render.words import count, duration, plain
from protocol.views import EventView

Body = dict[str, Any]
Teller = Callable[[Body], str | None]

# Steps on the way, of which the next event tells what came.
UNTOLD: Final = frozenset(
    {"goal.ticked/1", "planner.returned/1", "attempt.observed/1", "integration.proved/1", *review_story.UNTOLD},
)


def told(event: EventView) -> str | None:
    """Put an event into words; None when there is nothing to tell."""
    if event.tag in UNTOLD:
        return None
    teller = TELLERS.get(event.tag)
    try:
        return teller(event.body) if teller else event.tag
    except (KeyError, IndexError, TypeError, AttributeError):
        return event.tag


# --- the goal


def _created(body: Body) -> str:
    return f"{body['by']} created the goal: {body['intent']['title']}"


def _supplied(body: Body) -> str:
    return f"the work you wrote is the first milestone; {body['root']} is its root"


def _goal_succeeded(body: Body) -> str:
    return f"{body['root']} is accepted and on the goal's branch: the goal has succeeded"


def _attended(body: Body) -> str:
    return f"daemon {body['instance'][:8]} takes the goal up where its events leave it"


def _cancelled(body: Body) -> str:
    return f"{body['by']} ended the goal: {body['reason']}"


def _paused(body: Body) -> str:
    why = f": {body['reason']}" if body.get("reason") else ""
    return f"{body['by']} paused the goal{why}"


def _resumed(body: Body) -> str:
    return f"{body['by']} lets the goal go on"


def _goal_reopened(body: Body) -> str:
    return f"{body['by']} reopened the goal, which had succeeded"


def _archived(body: Body) -> str:
    return f"{body['by']} archived the goal"


def _extended(body: Body) -> str:
    return f"{body['by']} lets the goal spend {' and '.join(_more(*each) for each in body['added'].items())}"


def _more(unit: str, amount: int) -> str:
    if unit == "active_runtime_us":
        return f"{duration(amount)} more of active runtime"
    return f"{amount} more {plain(unit) if amount > 1 else plain(unit).removesuffix('s')}"


# --- plans


def _requested(body: Body) -> str:
    if body["trigger"] == "milestone":
        return f"the milestone is reached: the planner looks again at what is left (plan {body['plan']})"
    return f"nothing is planned yet: the planner is asked (plan {body['plan']})"


def _called(body: Body) -> str | None:
    return f"the planner is called once more (call {body['call']})" if body["call"] > 1 else None


def _planner_failed(body: Body) -> str:
    return f"call {body['call']} of the planner came to nothing: {body['detail']}"


def _answer_refused(body: Body) -> str:
    problems = body["problems"]
    return f"call {body['call']} gave no plan, {count(len(problems), 'problem')}: {problems[0]['message']}"


def _proposed(body: Body) -> str:
    if milestone := body["candidate"].get("milestone"):
        return f"plan {body['plan']} proposes milestone {milestone['sequence']}: {milestone['title']}"
    return f"plan {body['plan']} claims that the mission is met"


def _asks(body: Body) -> str:
    return f"plan {body['plan']} asks you: {body['question']}"


def _plan_failed(body: Body) -> str:
    return f"plan {body['plan']} failed: {body['detail']}"


def _rejected(body: Body) -> str:
    return f"{body['by']} rejected plan {body['plan']}: {body['guidance']}"


def _edited(body: Body) -> str:
    return f"{body['by']} wrote plan {body['plan']} anew; it waits for a decision"


def _plan_retried(body: Body) -> str:
    return f"{body['by']} asks again after plan {body['plan']}"


def _applied(body: Body) -> str:
    return f"plan {body['plan']} is applied: milestone and work come to be in one append"


def _completed(body: Body) -> str:
    return f"plan {body['plan']} is completed: the mission is met"


# --- work


def _work_created(body: Body) -> str:
    return f"{body['work']} is to be done: {body['title']}"


def _started(body: Body) -> str:
    return f"{attempt(body)} begins, in a git worktree of its own"


def _ended(body: Body) -> str:
    if body["outcome"] == "succeeded":
        proofs = " and ".join(f"`{entry['name']}` {entry['found']}" for entry in body["proof"]["evidence"])
        return f"{attempt(body)} is proven: harnd ran its proof on a clean checkout, and {proofs}"
    if body.get("failure") == "lost":
        return f"{attempt(body)} is {body['outcome']}: {body['detail']}; nobody is charged, and it is tried again"
    return f"{attempt(body)} {plain(body['outcome'])}: {body.get('detail') or 'nothing is known of the reason'}"


def _attempt_parked(body: Body) -> str:
    why = {"approval": "a person is asked", "pause": "the goal is paused"}.get(body["cause"], body.get("detail"))
    return f"{attempt(body)} is parked: {why or 'nothing is known of the reason'}"


def _attempt_resumed(body: Body) -> str:
    return f"{attempt(body)} goes on where it stopped"


def _superseded(body: Body) -> str:
    return f"a late result of {attempt(body)} is kept and not used"


def _accepted(body: Body) -> str:
    return f"{body['by']} accepted {body['work']} on its proof {_short(body['proof'])}"


def _reopened(body: Body) -> str:
    return f"{body['by']} reopened {body['work']} with {count(len(body['findings']), 'finding')}"


def _retried(body: Body) -> str:
    return f"{body['by']} has {body['work']} tried again"


def _resolved(body: Body) -> str:
    note = f": {body['note']}" if body.get("note") else ""
    return f"{body['by']} says that what blocked {body['work']} is gone{note}"


def _requeued(body: Body) -> str:
    return f"{body['by']} has {body['work']} integrated again"


def _given_up(body: Body) -> str:
    return f"{body['by']} gave {body['work']} up: {body['reason']}"


# --- approvals


def _approval_requested(body: Body) -> str:
    return f"{attempt(body)} asks you, before it passes {body['stage']} ({body['risk']} risk): {body['question']}"


def _approval_approved(body: Body) -> str:
    return f"{body['by']} gave approval {body['approval']}"


def _approval_denied(body: Body) -> str:
    return f"{body['by']} denied approval {body['approval']}: {body['reason']}"


def _approval_expired(body: Body) -> str:
    return f"nobody answered approval {body['approval']} in time"


def _approval_cancelled(body: Body) -> str:
    return f"approval {body['approval']} is no longer asked for: {body['reason']}"


def _approval_consumed(body: Body) -> str:
    return f"what approval {body['approval']} was given for is what is there, and it is used"


# --- integration


def _merging(body: Body) -> str:
    return f"{body['work']} is merged with the goal's branch, and the merged tree is proven in turn"


def _parked(body: Body) -> str:
    return f"{body['work']} could not be integrated: {body['detail']}"


def _integrated(body: Body) -> str:
    return f"{body['work']} is integrated: the goal's branch is at {_short(body['commit'])}"


TELLERS: Final[Mapping[str, Teller]] = {
    "goal.created/1": _created,
    "root.supplied/1": _supplied,
    "goal.succeeded/1": _goal_succeeded,
    "goal.attended/1": _attended,
    "goal.cancelled/1": _cancelled,
    "goal.paused/1": _paused,
    "goal.resumed/1": _resumed,
    "goal.reopened/1": _goal_reopened,
    "goal.archived/1": _archived,
    "budget.extended/1": _extended,
    "plan.requested/1": _requested,
    "planner.called/1": _called,
    "planner.failed/1": _planner_failed,
    "planner.answer_refused/1": _answer_refused,
    "plan.proposed/1": _proposed,
    "plan.edited/1": _edited,
    "plan.attention/1": _asks,
    "plan.failed/1": _plan_failed,
    "plan.rejected/1": _rejected,
    "plan.retried/1": _plan_retried,
    "plan.applied/1": _applied,
    "plan.completed/1": _completed,
    "work.created/1": _work_created,
    "attempt.started/1": _started,
    "attempt.parked/1": _attempt_parked,
    "attempt.resumed/1": _attempt_resumed,
    "attempt.ended/1": _ended,
    "attempt.superseded/1": _superseded,
    "work.accepted/1": _accepted,
    "work.reopened/1": _reopened,
    "work.retried/1": _retried,
    "work.resolved/1": _resolved,
    "work.requeued/1": _requeued,
    "work.cancelled/1": _given_up,
    "approval.requested/1": _approval_requested,
    "approval.approved/1": _approval_approved,
    "approval.denied/1": _approval_denied,
    "approval.expired/1": _approval_expired,
    "approval.cancelled/1": _approval_cancelled,
    "approval.consumed/1": _approval_consumed,
    "integration.started/1": _merging,
    "integration.parked/1": _parked,
    "work.integrated/1": _integrated,
    **review_story.TELLERS,
}


def attempt(body: Body) -> str:
    """Name the attempt that an event is about."""
    return f"{body['work']} attempt {body['attempt']}"


def _short(digest: str) -> str:
    return digest[:SHORT]
