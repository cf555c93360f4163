"""Reading a planner's answer: from one JSON object to a legal candidate, or to every problem with it at once."""

import json
from collections.abc import Iterator
from typing import Final

import msgspec

from harnd.domain.checking import check, shown
from harnd.domain.digest import canonical
from harnd.domain.goal.candidate import Apply, Attention, Candidate, Complete, Proposal, normalised_digest
from harnd.domain.goal.goal import Goal
from harnd.domain.goal.graph import graph_problems
from harnd.domain.goal.planner_schema import planner_schema, proposal_schema
from harnd.domain.goal.work import Standing
from harnd.domain.problem import Problem
from protocol import bounds
from protocol.values import Trigger

_MOST_BYTES: Final = bounds.EVENT_BYTES // 2  # a candidate is stored in one event, with room for what the event adds


def read_candidate(goal: Goal, trigger: Trigger, answer: bytes) -> Candidate | tuple[Problem, ...]:
    """Read an answer by the schema that was shown; then, when its shape is right, by the rules of the graph."""
    value = json.loads(answer)
    if problems := check(value, planner_schema(goal, trigger)):
        return tuple(problems)
    candidate = msgspec.convert(value, Apply | Complete | Attention)
    if problems := [*_problems(goal, candidate), *_no_progress(goal, candidate)]:
        return tuple(shown(problems))
    return candidate


def problems_of_proposal(goal: Goal, trigger: Trigger, proposal: Proposal) -> list[Problem]:
    """Return everything that is wrong with what a person proposes in the planner's place; it need be no progress."""
    schema = proposal_schema(goal, trigger)
    if schema is None:
        return [Problem("plan.no_room", "", "there is no room for more work, and nothing else can be proposed")]
    return check(json.loads(canonical(proposal)), schema) or shown(_problems(goal, proposal))


def _problems(goal: Goal, candidate: Candidate) -> list[Problem]:
    return [*_too_large(candidate), *_meaning(goal, candidate)]


def _too_large(candidate: Candidate) -> Iterator[Problem]:
    size = len(canonical(candidate))
    if size > _MOST_BYTES:
        message = f"has {size:,} bytes, expected at most {_MOST_BYTES:,}; plan less, or say it in fewer words"
        yield Problem("answer.too_large", "", message)


def _meaning(goal: Goal, candidate: Candidate) -> list[Problem]:
    match candidate:
        case Apply():
            return graph_problems(goal, candidate)
        case Complete():
            return list(_claim_problems(goal, candidate))
        case Attention():
            return []


def _claim_problems(goal: Goal, candidate: Complete) -> Iterator[Problem]:
    claimed = [claim.criterion for claim in candidate.evidence]
    for criterion in goal.intent.mission.acceptance if goal.intent.mission else ():
        if claimed.count(criterion.id) != 1:
            message = f"{criterion.id} is claimed {claimed.count(criterion.id)} times; expected exactly once"
            yield Problem("complete.coverage", "evidence", message)
    for index, claim in enumerate(candidate.evidence):
        for offset, name in enumerate(claim.work):
            item = goal.work.get(name)
            if item is None or item.standing is not Standing.INTEGRATED:
                message = f"{name!r} is no accepted work; only accepted work can show that a criterion is met"
                yield Problem("complete.evidence", f"evidence[{index}].work[{offset}]", message)


def _no_progress(goal: Goal, candidate: Candidate) -> Iterator[Problem]:
    digest = normalised_digest(candidate)
    for plan in goal.rejected():
        # After new guidance the same words may be right for another graph, never for the same one.
        if plan.normalised == digest and plan.graph == goal.graph_digest():
            yield Problem("plan.no_progress", "", f"this is plan {plan.number} again, which the operator rejected")
