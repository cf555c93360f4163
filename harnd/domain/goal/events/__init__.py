"""What happened to a goal.  Tags are written by hand with a version; a stream saved from a release folds for ever.

An event holds digests and structured data, never a raw prompt, reply or transcript.  When it happened is recorded by
the store beside it.
"""

from typing import TypeAlias

from harnd.domain.goal.events.approval import (
    ApprovalApproved,
    ApprovalCancelled,
    ApprovalConsumed,
    ApprovalDenied,
    ApprovalExpired,
    ApprovalRequested,
)
from harnd.domain.goal.events.attempt import (
    AttemptEnded,
    AttemptObserved,
    AttemptParked,
    AttemptResumed,
    AttemptStarted,
    AttemptSuperseded,
)
from harnd.domain.goal.events.event import Event
from harnd.domain.goal.events.goal import (
    BudgetExtended,
    GoalArchived,
    GoalAttended,
    GoalCancelled,
    GoalCreated,
    GoalPaused,
    GoalReopened,
    GoalResumed,
    GoalSucceeded,
    GoalTicked,
    RootSupplied,
)
from harnd.domain.goal.events.integration import (
    IntegrationParked,
    IntegrationProved,
    IntegrationStarted,
    WorkIntegrated,
)
from harnd.domain.goal.events.plan import (
    AnswerRefused,
    PlanApplied,
    PlanAttention,
    PlanCompleted,
    PlanEdited,
    PlanFailed,
    PlannerCalled,
    PlannerFailed,
    PlannerReturned,
    PlanProposed,
    PlanRejected,
    PlanRequested,
    PlanRetried,
)
from harnd.domain.goal.events.review import (
    JobEvent,
    JobName,
    PlanCandidate,
    PlanOverridden,
    PlanReviewAttention,
    PlanReviewed,
    ReviewClosed,
    ReviewJobCalled,
    ReviewJobCompleted,
    ReviewJobExpired,
    ReviewJobFailed,
    ReviewJobLeased,
    ReviewJobRefused,
    ReviewJobReturned,
    ReviewJobSuperseded,
    ReviewOpened,
    RevisionUnchanged,
    SeatOpened,
)
from harnd.domain.goal.events.work import (
    OpenFinding,
    WorkAccepted,
    WorkCancelled,
    WorkCreated,
    WorkReopened,
    WorkRequeued,
    WorkResolved,
    WorkRetried,
)

GoalEvent: TypeAlias = (
    GoalCreated
    | RootSupplied
    | GoalAttended
    | GoalTicked
    | GoalSucceeded
    | GoalCancelled
    | GoalPaused
    | GoalResumed
    | GoalReopened
    | GoalArchived
    | BudgetExtended
    | PlanRequested
    | PlannerCalled
    | PlannerReturned
    | PlannerFailed
    | AnswerRefused
    | PlanProposed
    | PlanEdited
    | PlanAttention
    | PlanFailed
    | PlanRejected
    | PlanRetried
    | PlanCandidate
    | ReviewOpened
    | ReviewJobCalled
    | ReviewJobLeased
    | ReviewJobReturned
    | ReviewJobCompleted
    | ReviewJobRefused
    | ReviewJobFailed
    | ReviewJobExpired
    | ReviewJobSuperseded
    | ReviewClosed
    | RevisionUnchanged
    | PlanReviewed
    | PlanReviewAttention
    | PlanOverridden
    | WorkCreated
    | PlanApplied
    | PlanCompleted
    | AttemptStarted
    | AttemptObserved
    | AttemptParked
    | AttemptResumed
    | AttemptEnded
    | AttemptSuperseded
    | ApprovalRequested
    | ApprovalApproved
    | ApprovalDenied
    | ApprovalExpired
    | ApprovalCancelled
    | ApprovalConsumed
    | WorkAccepted
    | WorkReopened
    | WorkRetried
    | WorkResolved
    | WorkRequeued
    | WorkCancelled
    | IntegrationStarted
    | IntegrationProved
    | IntegrationParked
    | WorkIntegrated
)

__all__ = [
    "AnswerRefused",
    "ApprovalApproved",
    "ApprovalCancelled",
    "ApprovalConsumed",
    "ApprovalDenied",
    "ApprovalExpired",
    "ApprovalRequested",
    "AttemptEnded",
    "AttemptObserved",
    "AttemptParked",
    "AttemptResumed",
    "AttemptStarted",
    "AttemptSuperseded",
    "BudgetExtended",
    "Event",
    "GoalArchived",
    "GoalAttended",
    "GoalCancelled",
    "GoalCreated",
    "GoalEvent",
    "GoalPaused",
    "GoalReopened",
    "GoalResumed",
    "GoalSucceeded",
    "GoalTicked",
    "IntegrationParked",
    "IntegrationProved",
    "IntegrationStarted",
    "JobEvent",
    "JobName",
    "OpenFinding",
    "PlanApplied",
    "PlanAttention",
    "PlanCandidate",
    "PlanCompleted",
    "PlanEdited",
    "PlanFailed",
    "PlanOverridden",
    "PlanProposed",
    "PlanRejected",
    "PlanRequested",
    "PlanRetried",
    "PlanReviewAttention",
    "PlanReviewed",
    "PlannerCalled",
    "PlannerFailed",
    "PlannerReturned",
    "ReviewClosed",
    "ReviewJobCalled",
    "ReviewJobCompleted",
    "ReviewJobExpired",
    "ReviewJobFailed",
    "ReviewJobLeased",
    "ReviewJobRefused",
    "ReviewJobReturned",
    "ReviewJobSuperseded",
    "ReviewOpened",
    "RevisionUnchanged",
    "RootSupplied",
    "SeatOpened",
    "WorkAccepted",
    "WorkCancelled",
    "WorkCreated",
    "WorkIntegrated",
    "WorkReopened",
    "WorkRequeued",
    "WorkResolved",
    "WorkRetried",
]
