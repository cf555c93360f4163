"""Views: what a person sees, as it travels.  Frozen, closed, and made for reading: nothing is computed from them.

A view is neither a stored event nor a piece of state; the daemon writes it anew for every reply.  Instants are UTC
microseconds, durations microseconds, money micro-dollars; null is "not known" or "not there", never zero.
"""

from protocol.views.approval import ApprovalList, ApprovalRow, ApprovalView
from protocol.views.budget import BudgetRow, BudgetView, ForecastRow
from protocol.views.config import ConfigOrigin, ConfigRow, ConfigView
from protocol.views.daemon import (
    CheckResult,
    CheckView,
    DoctorView,
    ProcessList,
    ProcessView,
    StatusView,
    StoreHealth,
)
from protocol.views.event import EventView
from protocol.views.gc import DiskRow, GarbageItem, GarbageKind, GarbageRow, GcView
from protocol.views.goal import (
    CriterionView,
    GoalList,
    GoalRow,
    GoalView,
    InheritedView,
    MilestoneView,
    ParentView,
    PlanCounts,
)
from protocol.views.inbox import FailureView, InboxItem, InboxKind, InboxView, WhyView
from protocol.views.plan import CompletionEvidence, PlanItem, PlanList, PlanMilestone, PlanRow, PlanView
from protocol.views.problem import ProblemView
from protocol.views.work import (
    AttemptView,
    CriterionVerdict,
    DoubtView,
    Evidence,
    FindingView,
    WorkList,
    WorkRow,
    WorkView,
)

__all__ = [
    "ApprovalList",
    "ApprovalRow",
    "ApprovalView",
    "AttemptView",
    "BudgetRow",
    "BudgetView",
    "CheckResult",
    "CheckView",
    "CompletionEvidence",
    "ConfigOrigin",
    "ConfigRow",
    "ConfigView",
    "CriterionVerdict",
    "CriterionView",
    "DiskRow",
    "DoctorView",
    "DoubtView",
    "EventView",
    "Evidence",
    "FailureView",
    "FindingView",
    "ForecastRow",
    "GarbageItem",
    "GarbageKind",
    "GarbageRow",
    "GcView",
    "GoalList",
    "GoalRow",
    "GoalView",
    "InboxItem",
    "InboxKind",
    "InboxView",
    "InheritedView",
    "MilestoneView",
    "ParentView",
    "PlanCounts",
    "PlanItem",
    "PlanList",
    "PlanMilestone",
    "PlanRow",
    "PlanView",
    "ProblemView",
    "ProcessList",
    "ProcessView",
    "StatusView",
    "StoreHealth",
    "WhyView",
    "WorkList",
    "WorkRow",
    "WorkView",
]
