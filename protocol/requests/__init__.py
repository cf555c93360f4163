"""Requests: what a client may ask, one class a method.

A class carries the type of its reply, so that `ask(ShowGoal(goal))` is a `GoalView` to a type checker.  A `Change`
changes something: it needs an operator, and an idempotency key under which the stored answer is given again.
`protocol.methods` lists all of them.  Nothing here says whether a request is allowed or what it leads to.
"""

from protocol.requests.across import ListInbox, ShowBudget, ShowWhy
from protocol.requests.approval import DenyApproval, GiveApproval, ListApprovals, ShowApproval
from protocol.requests.daemon import ListProcesses, ShowConfig, ShowDoctor, ShowStatus
from protocol.requests.event import ListEvents, SubscribeEvents, UnsubscribeEvents
from protocol.requests.gc import RunGc, ShowGc
from protocol.requests.goal import (
    ArchiveGoal,
    CancelGoal,
    CreateGoal,
    ExtendGoal,
    ListGoals,
    PauseGoal,
    ReopenGoal,
    ResumeGoal,
    ShowGoal,
)
from protocol.requests.plan import ApprovePlan, EditPlan, ListPlans, RejectPlan, RetryPlan, ShowPlan
from protocol.requests.request import Change, Initialize, ReplyT, Request
from protocol.requests.work import (
    AcceptWork,
    CancelWork,
    ListWork,
    ReopenWork,
    ResolveWork,
    RetryWork,
    ShowWork,
    ShowWorkDiff,
    ShowWorkLog,
)

__all__ = [
    "AcceptWork",
    "ApprovePlan",
    "ArchiveGoal",
    "CancelGoal",
    "CancelWork",
    "Change",
    "CreateGoal",
    "DenyApproval",
    "EditPlan",
    "ExtendGoal",
    "GiveApproval",
    "Initialize",
    "ListApprovals",
    "ListEvents",
    "ListGoals",
    "ListInbox",
    "ListPlans",
    "ListProcesses",
    "ListWork",
    "PauseGoal",
    "RejectPlan",
    "ReopenGoal",
    "ReopenWork",
    "ReplyT",
    "Request",
    "ResolveWork",
    "ResumeGoal",
    "RetryPlan",
    "RetryWork",
    "RunGc",
    "ShowApproval",
    "ShowBudget",
    "ShowConfig",
    "ShowDoctor",
    "ShowGc",
    "ShowGoal",
    "ShowPlan",
    "ShowStatus",
    "ShowWhy",
    "ShowWork",
    "ShowWorkDiff",
    "ShowWorkLog",
    "SubscribeEvents",
    "UnsubscribeEvents",
]
