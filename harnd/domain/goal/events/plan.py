"""What happened to a plan: the request, the calls, the answer and the decision."""

from harnd.domain.goal.candidate import Proposal
from harnd.domain.goal.events.event import Event
from harnd.domain.problem import Problem
from protocol.ids import Digest, WorkId
from protocol.values import FailureClass, MicroDollars, Micros, Trigger, Unit


class PlanRequested(Event, frozen=True, tag="plan.requested/1"):
    """A plan is owed; `graph` is the digest of the work graph it is asked about."""

    plan: int
    trigger: Trigger
    graph: Digest


class PlannerCalled(Event, frozen=True, tag="planner.called/1"):
    """A planner call is owed."""

    plan: int
    call: int
    set_aside: dict[Unit, int] = {}  # noqa: RUF012 - msgspec gives each its own; tokens and money, where limited


class PlannerReturned(Event, frozen=True, tag="planner.returned/1"):
    """A planner call ended, however; what it said follows in the same append."""

    plan: int
    call: int
    ran: Micros
    charged: bool
    reply: Digest | None = None  # the blob of the raw answer
    tokens: int | None = None  # None: not reported
    cost: MicroDollars | None = None


class PlannerFailed(Event, frozen=True, tag="planner.failed/1"):
    """The call gave no answer that can be read as a plan."""

    plan: int
    call: int
    failure: FailureClass
    detail: str


class AnswerRefused(Event, frozen=True, tag="planner.answer_refused/1"):
    """The answer is no legal plan; these are all its problems."""

    plan: int
    call: int
    problems: tuple[Problem, ...]


class PlanProposed(Event, frozen=True, tag="plan.proposed/1"):
    """A legal candidate lies before a person, under its digest."""

    plan: int
    call: int
    candidate: Proposal
    digest: Digest
    normalised: Digest


class PlanEdited(Event, frozen=True, tag="plan.edited/1"):
    """A person wrote another candidate in the planner's place; it lies before a person under its own digest."""

    plan: int
    candidate: Proposal
    digest: Digest
    normalised: Digest
    by: str
    base: Digest | None = None  # what was edited; None: the plan asked, and there was no candidate


class PlanAttention(Event, frozen=True, tag="plan.attention/1"):
    """The planner asks a person."""

    plan: int
    call: int
    rationale: str
    question: str


class PlanFailed(Event, frozen=True, tag="plan.failed/1"):
    """The request came to nothing."""

    plan: int
    failure: FailureClass
    detail: str
    charged: bool


class PlanRejected(Event, frozen=True, tag="plan.rejected/1"):
    """A person said no to exactly this candidate, and why."""

    plan: int
    digest: Digest
    guidance: str
    by: str


class PlanRetried(Event, frozen=True, tag="plan.retried/1"):
    """A person answered an attention or a failure: a new request may be made."""

    plan: int
    guidance: str
    by: str


class PlanApplied(Event, frozen=True, tag="plan.applied/1"):
    """A person approved exactly this candidate, and its work exists."""

    plan: int
    digest: Digest
    root: WorkId
    by: str


class PlanCompleted(Event, frozen=True, tag="plan.completed/1"):
    """A person approved that the mission is met: the only way to its success."""

    plan: int
    digest: Digest
    by: str
