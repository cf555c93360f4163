"""The task of a reviewer of plans: one candidate judged by one criterion, the plan contract.

Every reviewer of a round is asked about the same texts, and of the others' opinions, and of earlier rounds, it is told
nothing.
"""

from functools import cache
from typing import Final

import msgspec

from harnd.domain.digest import canonical, digest_of, digest_of_bytes
from harnd.domain.goal.candidate import Proposal
from harnd.domain.goal.context import NAMES
from harnd.domain.goal.goal import Goal
from harnd.domain.goal.intent import Specialist
from harnd.domain.goal.plan import Plan
from harnd.domain.goal.plan_review import Round, Seat
from harnd.domain.problem import Problem
from harnd.domain.review.contract import (
    Captured,
    Codec,
    Contract,
    Criterion,
    CriterionKey,
    Declared,
    Delivery,
    Grouping,
    Pair,
    ResultKind,
    Subject,
    SubjectId,
)
from harnd.domain.review.panel import opinion_schema
from harnd.domain.review.partition import Partition, shipped_register
from harnd.domain.review.prompt import scaffold_digest
from harnd.domain.review.provenance import Runner
from protocol.ids import Digest

PLAN_CONTRACT: Final = f"""# The plan contract

The candidate is what a planner proposes as the next step of a goal: a milestone with a graph of work items (`apply`),
or that the mission is met (`complete`). The context says what is wanted, what has been done and what is left.

- The step is worth taking now: it follows from the mission and from the evidence so far, and its milestone can be
  reached by its work.
- The work is complete and in the right order: what an item needs exists, or is a dependency of it.
- Scope is kept: nothing breaks an invariant, does what is not wanted, or plans further than the evidence supports.
- Risk is seen: what may fail, or cannot be undone, is small, early or guarded.
- Each item's acceptance can be checked by the proof commands of its template, and together they show the milestone.
- `paths` name what an item may change: not less than it needs, and no more.
- A claim of `complete` names, for every criterion of the mission, accepted work that shows it.

What no finding may demand, since no plan can do it:

{NAMES}
- A template, a bound or a criterion that the goal does not have.

`approve` when nothing stands in the way; `revise`, with at least one blocking finding, when the planner can mend it;
`attention` when only a person can decide. A finding is blocking when the plan must not be carried out as it is, and
advisory otherwise. Its code is a short name for the kind of objection; its recommendation says what would settle it."""

_KEY: Final = CriterionKey("plan-contract")


class ReviewTask(msgspec.Struct, frozen=True):
    """What a reviewer is asked, and the texts that are shown."""

    contract: Contract
    texts: dict[Digest, str]


def review_task(
    goal: Goal,
    plan: Plan,
    each: Round,
    seat: Seat,
    *,
    delivery: Delivery = Delivery.WORKER,
    scope: tuple[Declared, ...] = (),
    governance: tuple[Declared, ...] = (),
) -> ReviewTask:
    """Build the task of a seat in a round that is not closed."""
    specialist = goal.intent.specialist(seat.reviewer)
    named = {
        "candidate.json": candidate_text(each.candidate),
        "plan-contract.md": PLAN_CONTRACT,
        "context.md": each.context,
    }
    candidate, criterion, context = (Captured(name, digest_of_bytes(text.encode())) for name, text in named.items())
    subject = Subject(SubjectId(f"plan-{plan.number}"), (candidate,))
    contract = Contract(
        kind=ResultKind.ASSESSMENT,
        grouping=Grouping.SUBJECT,
        codec=Codec.JSON,
        subjects=(subject,),
        criteria=(Criterion(_KEY, criterion),),
        pairs=(Pair(subject.id, _KEY),),
        instructions=specialist.instructions,
        context=(context,),
        scope=scope,
        governance=governance,
        schema=opinion_schema(),
        delivery=delivery,
    )
    return ReviewTask(contract, {digest_of_bytes(text.encode()): text for text in named.values()})


def candidate_text(candidate: Proposal) -> str:
    """Write a candidate for those who read it."""
    return msgspec.json.format(canonical(candidate), indent=1).decode()


def subject_digest(candidate: Digest, graph: Digest, context: str) -> Digest:
    """Identify what a panel reads: an unchanged candidate for a changed graph is another subject."""
    return digest_of([candidate, graph, digest_of_bytes(context.encode())])


def criterion_digest(reviewer: Specialist) -> Digest:
    """Identify what a reviewer judges by."""
    return digest_of([PLAN_CONTRACT, reviewer.instructions])


@cache
def plan_scaffold() -> Digest:
    """Identify what the prompt of a reviewer of plans says beside all that."""
    word = Captured("text", digest_of_bytes(b"text"))
    subject = Subject(SubjectId("plan"), (word,))
    return scaffold_digest(
        Contract(
            kind=ResultKind.ASSESSMENT,
            grouping=Grouping.SUBJECT,
            codec=Codec.JSON,
            subjects=(subject,),
            criteria=(Criterion(_KEY, word),),
            pairs=(Pair(subject.id, _KEY),),
            schema=opinion_schema(),
        )
    )


def partition_of(reviewer: Specialist) -> Partition:
    """Return the partition of a reviewer, by what is known of it before it is called."""
    return shipped_register().partition_of(Runner(reviewer.harness, reviewer.model, reviewer.effort))


def contradiction(seat: Seat, runner: Runner) -> Problem | None:
    """Say how what the harness ran differs from what the seat is for."""
    return shipped_register().contradicts(seat.partition, runner)
