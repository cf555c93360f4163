"""Requests: what a client may ask, one class a method.

A class carries the type of its reply, so that `ask(ShowGoal(goal))` is a `GoalView` to a type checker.  A `Change`
changes something: it needs an operator, and an idempotency key under which the stored answer is given again.
`protocol.methods` lists all of them.  Nothing here says whether a request is allowed or what it leads to.
"""

from typing import ClassVar, Generic, TypeVar

import msgspec

from protocol import fields
from protocol.bounds import EVENTS_PER_PAGE
from protocol.replies import Done, EventPage, GoalCreated, Subscribed, Unsubscribed, Welcome, WorkDiff, WorkLog
from protocol.views import (
    BudgetView,
    ConfigView,
    DoctorView,
    GoalList,
    GoalView,
    InboxView,
    PlanList,
    PlanView,
    ProcessList,
    StatusView,
    WhyView,
    WorkList,
    WorkView,
)

ReplyT = TypeVar("ReplyT", bound=msgspec.Struct)


class Request(msgspec.Struct, Generic[ReplyT], frozen=True, forbid_unknown_fields=True):
    """Something asked, and the type of its answer."""

    method: ClassVar[str]


class Change(Request[ReplyT], frozen=True, kw_only=True):
    """A request that changes something.  The same key with another request is refused."""

    key: fields.Key


# --- the connection


class Initialize(Request[Welcome], frozen=True, kw_only=True):
    """The first request: which protocol versions the client speaks, and what it calls itself."""

    method: ClassVar[str] = "initialize"
    min_version: fields.Version
    max_version: fields.Version
    client: fields.ClientName


# --- goals


class CreateGoal(Change[GoalCreated], frozen=True, kw_only=True):
    """Enrol a goal from the files a person wrote, as bytes: the daemon finds everything wrong with them at once."""

    method: ClassVar[str] = "goal.create"
    files: fields.Files  # base64 on the wire
    main: fields.FileName  # the one of `files` that names the others
    directory: fields.Directory  # absolute; relative paths in the files are meant from here


class ListGoals(Request[GoalList], frozen=True):
    """Every goal, a row each."""

    method: ClassVar[str] = "goal.list"


class ShowGoal(Request[GoalView], frozen=True):
    """One goal in full."""

    method: ClassVar[str] = "goal.show"
    goal: fields.Goal


class ExtendGoal(Change[Done], frozen=True, kw_only=True):
    """Let a goal spend more attempts, agent calls, ticks or active runtime; no other limit grows."""

    method: ClassVar[str] = "goal.extend"
    goal: fields.Goal
    add: fields.Additions  # durations in microseconds


class CancelGoal(Change[Done], frozen=True, kw_only=True):
    """End a goal for good.  What was accepted stays accepted."""

    method: ClassVar[str] = "goal.cancel"
    goal: fields.Goal
    reason: fields.Reason


# --- plans


class ListPlans(Request[PlanList], frozen=True):
    """Every plan of a goal, a row each."""

    method: ClassVar[str] = "plan.list"
    goal: fields.Goal


class ShowPlan(Request[PlanView], frozen=True):
    """One plan in full."""

    method: ClassVar[str] = "plan.show"
    goal: fields.Goal
    plan: fields.Number


class ApprovePlan(Change[Done], frozen=True, kw_only=True):
    """Apply a proposed plan, or take its word that the mission is complete."""

    method: ClassVar[str] = "plan.approve"
    goal: fields.Goal
    plan: fields.Number
    digest: fields.Digest  # of the candidate that was read


class RejectPlan(Change[Done], frozen=True, kw_only=True):
    """Refuse a proposed plan; the next one is asked for with the guidance."""

    method: ClassVar[str] = "plan.reject"
    goal: fields.Goal
    plan: fields.Number
    digest: fields.Digest
    guidance: fields.Guidance


class RetryPlan(Change[Done], frozen=True, kw_only=True):
    """Ask again for a plan that failed or put a question; guidance answers it."""

    method: ClassVar[str] = "plan.retry"
    goal: fields.Goal
    plan: fields.Number
    guidance: fields.Guidance = ""


# --- work


class ListWork(Request[WorkList], frozen=True):
    """Every work item of a goal, a row each."""

    method: ClassVar[str] = "work.list"
    goal: fields.Goal


class ShowWork(Request[WorkView], frozen=True):
    """One work item in full."""

    method: ClassVar[str] = "work.show"
    goal: fields.Goal
    work: fields.Work


class ShowWorkLog(Request[WorkLog], frozen=True):
    """What ran in one attempt and what it wrote."""

    method: ClassVar[str] = "work.log"
    goal: fields.Goal
    work: fields.Work
    attempt: fields.Number | None = None  # None: the latest


class ShowWorkDiff(Request[WorkDiff], frozen=True):
    """What one attempt changed: the patch from the commit it started from to the one it left."""

    method: ClassVar[str] = "work.diff"
    goal: fields.Goal
    work: fields.Work
    attempt: fields.Number | None = None  # None: the newest that left a commit


class AcceptWork(Change[Done], frozen=True, kw_only=True):
    """Accept a work item on its proof, with an answer to every open finding."""

    method: ClassVar[str] = "work.accept"
    goal: fields.Goal
    work: fields.Work
    digest: fields.Digest  # of the proof that was read
    dispositions: fields.Dispositions = {}  # finding id: `fixed`, or `deferred: reason`


class ReopenWork(Change[Done], frozen=True, kw_only=True):
    """Send a work item back with findings."""

    method: ClassVar[str] = "work.reopen"
    goal: fields.Goal
    work: fields.Work
    findings: fields.Findings


class RetryWork(Change[Done], frozen=True, kw_only=True):
    """Try a blocked work item again."""

    method: ClassVar[str] = "work.retry"
    goal: fields.Goal
    work: fields.Work
    guidance: fields.Guidance = ""


class CancelWork(Change[Done], frozen=True, kw_only=True):
    """Give a work item up."""

    method: ClassVar[str] = "work.cancel"
    goal: fields.Goal
    work: fields.Work
    reason: fields.Reason


# --- across goals


class ListInbox(Request[InboxView], frozen=True):
    """Everything that waits for a person."""

    method: ClassVar[str] = "inbox.list"


class ShowWhy(Request[WhyView], frozen=True):
    """Which condition holds a goal (`billing`) or a work item (`billing/p1.parser`)."""

    method: ClassVar[str] = "why.show"
    target: fields.Target


class ShowBudget(Request[BudgetView], frozen=True):
    """What a goal may spend and has spent."""

    method: ClassVar[str] = "budget.show"
    goal: fields.Goal


# --- events


class ListEvents(Request[EventPage], frozen=True, kw_only=True):
    """A page of events past a cursor, oldest first."""

    method: ClassVar[str] = "events.list"
    after: fields.Cursor = 0
    limit: fields.PageSize = EVENTS_PER_PAGE.default
    goal: fields.Goal | None = None  # None: of all goals


class SubscribeEvents(Request[Subscribed], frozen=True, kw_only=True):
    """Be told of every event past a cursor, those already there first.  A connection has one subscription."""

    method: ClassVar[str] = "events.subscribe"
    after: fields.Cursor
    goal: fields.Goal | None = None


class UnsubscribeEvents(Request[Unsubscribed], frozen=True):
    """Be told no more."""

    method: ClassVar[str] = "events.unsubscribe"


# --- the daemon


class ListProcesses(Request[ProcessList], frozen=True):
    """Every live process that harnd started."""

    method: ClassVar[str] = "ps.list"


class ShowStatus(Request[StatusView], frozen=True):
    """The daemon in one look."""

    method: ClassVar[str] = "status.show"


class ShowDoctor(Request[DoctorView], frozen=True):
    """Everything the daemon can check about itself and its surroundings."""

    method: ClassVar[str] = "doctor.show"


class ShowConfig(Request[ConfigView], frozen=True):
    """What the daemon runs with, where each value comes from, and what waits for a restart."""

    method: ClassVar[str] = "config.show"
