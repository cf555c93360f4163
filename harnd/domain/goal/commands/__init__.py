"""What a goal can be asked: by a person, by the clock, or by a report of something that ended.

Whatever a rule needs from the world comes in with the command.  `by` is derived from the peer, never from its words.
"""

from typing import TypeAlias

from harnd.domain.goal.commands.approval import DenyApproval, GiveApproval, UseApproval
from harnd.domain.goal.commands.command import Command
from harnd.domain.goal.commands.goal import (
    ArchiveGoal,
    Attend,
    CancelGoal,
    CreateGoal,
    ExtendGoal,
    PauseGoal,
    ReopenGoal,
    ResumeGoal,
    Tick,
)
from harnd.domain.goal.commands.plan import ApprovePlan, EditPlan, RejectPlan, RetryPlan
from harnd.domain.goal.commands.reports import (
    Asks,
    AttemptReport,
    PlannerReport,
    ReportAttempt,
    ReportMoved,
    ReportObserved,
    ReportParked,
    ReportPlanner,
    ReportProved,
)
from harnd.domain.goal.commands.review import ReportLeased, ReportReceipt, ReportReview, ReviewReport
from harnd.domain.goal.commands.work import AcceptWork, CancelWork, ReopenWork, ResolveWork, RetryWork

GoalCommand: TypeAlias = (
    CreateGoal
    | CancelGoal
    | PauseGoal
    | ResumeGoal
    | ReopenGoal
    | ArchiveGoal
    | ExtendGoal
    | ApprovePlan
    | EditPlan
    | RejectPlan
    | RetryPlan
    | AcceptWork
    | ReopenWork
    | RetryWork
    | ResolveWork
    | CancelWork
    | GiveApproval
    | DenyApproval
    | UseApproval
    | Attend
    | Tick
    | ReportPlanner
    | ReportLeased
    | ReportReview
    | ReportReceipt
    | ReportObserved
    | ReportAttempt
    | ReportProved
    | ReportParked
    | ReportMoved
)

__all__ = [
    "AcceptWork",
    "ApprovePlan",
    "ArchiveGoal",
    "Asks",
    "AttemptReport",
    "Attend",
    "CancelGoal",
    "CancelWork",
    "Command",
    "CreateGoal",
    "DenyApproval",
    "EditPlan",
    "ExtendGoal",
    "GiveApproval",
    "GoalCommand",
    "PauseGoal",
    "PlannerReport",
    "RejectPlan",
    "ReopenGoal",
    "ReopenWork",
    "ReportAttempt",
    "ReportLeased",
    "ReportMoved",
    "ReportObserved",
    "ReportParked",
    "ReportPlanner",
    "ReportProved",
    "ReportReceipt",
    "ReportReview",
    "ResolveWork",
    "ResumeGoal",
    "RetryPlan",
    "RetryWork",
    "ReviewReport",
    "Tick",
    "UseApproval",
]
