"""Methods: every request under its name, with the reply it gets; and the versions of the protocol.

A type checker holds that a reply is the one its request promises.  A reader refuses what is not here.
"""

from collections.abc import Mapping
from typing import Any, Final, Generic, NamedTuple

from protocol import notices, replies, views
from protocol import requests as ask
from protocol.requests import Change, ReplyT, Request

MIN_VERSION: Final = 1
MAX_VERSION: Final = 1


class Method(NamedTuple, Generic[ReplyT]):
    """A request and the reply it gets."""

    request: type[Request[ReplyT]]
    reply: type[ReplyT]

    @property
    def name(self) -> str:
        """What it is called on the wire."""
        return self.request.method

    @property
    def changes(self) -> bool:
        """Tell whether it changes something and is for operators."""
        return issubclass(self.request, Change)


METHODS: Final[Mapping[str, Method[Any]]] = {
    method.name: method
    for method in (
        Method(ask.Initialize, replies.Welcome),
        Method(ask.CreateGoal, replies.GoalCreated),
        Method(ask.ListGoals, views.GoalList),
        Method(ask.ShowGoal, views.GoalView),
        Method(ask.ExtendGoal, replies.Done),
        Method(ask.PauseGoal, replies.Done),
        Method(ask.ResumeGoal, replies.Done),
        Method(ask.ReopenGoal, replies.Done),
        Method(ask.ArchiveGoal, replies.Done),
        Method(ask.CancelGoal, replies.Done),
        Method(ask.ListPlans, views.PlanList),
        Method(ask.ShowPlan, views.PlanView),
        Method(ask.ApprovePlan, replies.Done),
        Method(ask.RejectPlan, replies.Done),
        Method(ask.EditPlan, replies.Done),
        Method(ask.RetryPlan, replies.Done),
        Method(ask.ListWork, views.WorkList),
        Method(ask.ShowWork, views.WorkView),
        Method(ask.ShowWorkLog, replies.WorkLog),
        Method(ask.ShowWorkDiff, replies.WorkDiff),
        Method(ask.AcceptWork, replies.Done),
        Method(ask.ReopenWork, replies.Done),
        Method(ask.RetryWork, replies.Done),
        Method(ask.ResolveWork, replies.Done),
        Method(ask.CancelWork, replies.Done),
        Method(ask.ListApprovals, views.ApprovalList),
        Method(ask.ShowApproval, views.ApprovalView),
        Method(ask.GiveApproval, replies.Done),
        Method(ask.DenyApproval, replies.Done),
        Method(ask.ListInbox, views.InboxView),
        Method(ask.ShowWhy, views.WhyView),
        Method(ask.ShowBudget, views.BudgetView),
        Method(ask.ListEvents, replies.EventPage),
        Method(ask.SubscribeEvents, replies.Subscribed),
        Method(ask.UnsubscribeEvents, replies.Unsubscribed),
        Method(ask.ListProcesses, views.ProcessList),
        Method(ask.ShowStatus, views.StatusView),
        Method(ask.ShowDoctor, views.DoctorView),
        Method(ask.ShowConfig, views.ConfigView),
        Method(ask.ShowGc, views.GcView),
        Method(ask.RunGc, views.GcView),
    )
}

NOTICES: Final[Mapping[str, type[notices.Notice]]] = {
    notice.method: notice for notice in (notices.EventNotice, notices.LaggedNotice)
}
