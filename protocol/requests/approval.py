"""Requests about approvals."""

from typing import ClassVar

from protocol import fields
from protocol.replies import Done
from protocol.requests.request import Change, Request
from protocol.views import (
    ApprovalList,
    ApprovalView,
)


class ListApprovals(Request[ApprovalList], frozen=True):
    """What is asked of a person, of one goal or of all; those that were decided only when they are asked for."""

    method: ClassVar[str] = "approval.list"
    goal: fields.Goal | None = None
    decided: bool = False


class ShowApproval(Request[ApprovalView], frozen=True):
    """One approval in full."""

    method: ClassVar[str] = "approval.show"
    goal: fields.Goal
    approval: fields.Number


class GiveApproval(Change[Done], frozen=True, kw_only=True):
    """Say yes to what is asked; the attempt goes on with exactly what was shown."""

    method: ClassVar[str] = "approval.approve"
    goal: fields.Goal
    approval: fields.Number
    digest: fields.Digest  # of what was read


class DenyApproval(Change[Done], frozen=True, kw_only=True):
    """Say no to what is asked; the attempt ends, and the next one is told the reason."""

    method: ClassVar[str] = "approval.deny"
    goal: fields.Goal
    approval: fields.Number
    digest: fields.Digest
    reason: fields.Reason
