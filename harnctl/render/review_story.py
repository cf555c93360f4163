"""The story of a review: what happened while reviewers read a candidate, a sentence an event."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from harnctl.render.words import count, plain

Body = dict[str, Any]

# Steps on the way, of which the next event tells what came.
UNTOLD: Final = frozenset(
    {"plan.candidate/1", "review_job.leased/1", "review_job.returned/1"},
)


def _opened(body: Body) -> str:
    readers = [seat["reviewer"] for seat in body["seats"]]
    return f"plan {body['plan']} is read by {' and '.join(readers)}, each alone (round {body['round']})"


def _called(body: Body) -> str | None:
    return f"{body['reviewer']} is asked once more (attempt {body['attempt']})" if body["attempt"] > 1 else None


def _completed(body: Body) -> str:
    opinion = body["assessment"]
    found = count(len(opinion.get("findings", ())), "finding")
    return f"{body['reviewer']} says {opinion['verdict']} to plan {body['plan']}, with {found}"


def _refused(body: Body) -> str:
    problems = body["problems"]
    return f"{body['reviewer']} gave no review, {count(len(problems), 'problem')}: {problems[0]['message']}"


def _failed(body: Body) -> str:
    return f"attempt {body['attempt']} of {body['reviewer']} came to nothing: {body['detail']}"


def _expired(body: Body) -> str:
    return f"attempt {body['attempt']} of {body['reviewer']} was waited for in vain"


def _superseded(body: Body) -> str:
    return f"a late answer of {body['reviewer']} is kept and not used"


def _closed(body: Body) -> str:
    return f"round {body['round']} of plan {body['plan']} ends: {plain(body['outcome'])}"


def _unchanged(body: Body) -> str:
    return f"the planner gives plan {body['plan']} back as it was"


def _reviewed(body: Body) -> str:
    found = f"{count(body['blocking'], 'blocking finding')}, {count(body['advisory'], 'advisory one')}"
    return f"the review of plan {body['plan']} is over: {plain(body['outcome'])}, with {found}"


def _attention(body: Body) -> str:
    return f"plan {body['plan']} waits for you, for it did not pass: {body['reason']}"


def _overridden(body: Body) -> str:
    return f"{body['by']} lets plan {body['plan']} through all the same: {body['reason']}"


TELLERS: Final[Mapping[str, Callable[[Body], str | None]]] = {
    "review.opened/1": _opened,
    "review_job.called/1": _called,
    "review_job.completed/1": _completed,
    "review_job.refused/1": _refused,
    "review_job.failed/1": _failed,
    "review_job.expired/1": _expired,
    "review_job.superseded/1": _superseded,
    "review.closed/1": _closed,
    "review.unchanged/1": _unchanged,
    "plan.reviewed/1": _reviewed,
    "plan.review_attention/1": _attention,
    "plan.overridden/1": _overridden,
}
