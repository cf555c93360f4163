"""Requests about what waits, what holds something up, and what it costs."""

from typing import ClassVar

from protocol import fields
from protocol.requests.request import Request
from protocol.views import (
    BudgetView,
    InboxView,
    WhyView,
)


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
