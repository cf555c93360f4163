"""What a person made of a work item, and that it exists."""

import msgspec

from harnd.domain.goal.events.event import Event
from harnd.domain.goal.intent import Criterion
from protocol.ids import Digest, TemplateName, WorkId, WorkKey


class WorkCreated(Event, frozen=True, tag="work.created/1"):
    """A work item exists; always in the append of the `plan.applied` or `root.supplied` it belongs to."""

    work: WorkId
    key: WorkKey
    plan: int
    title: str
    objective: str
    acceptance: tuple[Criterion, ...]
    dependencies: tuple[WorkId, ...]
    template: TemplateName
    paths: tuple[str, ...]


class OpenFinding(msgspec.Struct, frozen=True):
    """Something a person wants changed before they accept."""

    id: str  # f1, f2 …: unique in the work item
    text: str


class WorkAccepted(Event, frozen=True, tag="work.accepted/1"):
    """A person accepted exactly this proof."""

    work: WorkId
    attempt: int
    proof: Digest
    by: str
    dispositions: tuple[tuple[str, str], ...] = ()  # finding id, `fixed` or `deferred: reason`
    acknowledged: tuple[str, ...] = ()  # the doubts that were named: flaky criteria and protected paths


class WorkReopened(Event, frozen=True, tag="work.reopened/1"):
    """A person wants it changed."""

    work: WorkId
    findings: tuple[OpenFinding, ...]
    by: str


class WorkRetried(Event, frozen=True, tag="work.retried/1"):
    """A person wants a blocked item tried once more."""

    work: WorkId
    guidance: str
    by: str


class WorkResolved(Event, frozen=True, tag="work.resolved/1"):
    """A person says that what blocked it is gone: it goes on where it stopped."""

    work: WorkId
    by: str
    note: str = ""


class WorkRequeued(Event, frozen=True, tag="work.requeued/1"):
    """A person wants accepted work brought in again that could not be."""

    work: WorkId
    by: str


class WorkCancelled(Event, frozen=True, tag="work.cancelled/1"):
    """A person gave the item up."""

    work: WorkId
    by: str
    reason: str
