"""Requests about plans."""

from typing import ClassVar

from protocol import fields
from protocol.replies import Done
from protocol.requests.request import Change, Request
from protocol.views import (
    PlanList,
    PlanView,
)


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


class EditPlan(Change[Done], frozen=True, kw_only=True):
    """Put a plan of one's own in the place of the planner's; it waits for a decision under its own digest."""

    method: ClassVar[str] = "plan.edit"
    goal: fields.Goal
    plan: fields.Number
    file: fields.FileContent  # TOML, base64 on the wire
    digest: fields.Digest | None = None  # of the candidate that was edited; none where the plan asks, and has none


class RetryPlan(Change[Done], frozen=True, kw_only=True):
    """Ask again for a plan that failed or put a question; guidance answers it."""

    method: ClassVar[str] = "plan.retry"
    goal: fields.Goal
    plan: fields.Number
    guidance: fields.Guidance = ""
