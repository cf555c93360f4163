"""Requests about work items."""

from typing import ClassVar

from protocol import fields
from protocol.replies import Done, WorkDiff, WorkLog
from protocol.requests.request import Change, Request
from protocol.views import (
    WorkList,
    WorkView,
)


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
    """Accept a work item on its proof, with an answer to every open finding and every doubt named."""

    method: ClassVar[str] = "work.accept"
    goal: fields.Goal
    work: fields.Work
    digest: fields.Digest  # of the proof that was read
    dispositions: fields.Dispositions = {}  # noqa: RUF012 - msgspec gives each a dict of its own; by finding id
    acknowledged: fields.Doubts = ()  # the name of every doubt about it: a flaky criterion, a protected path


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


class ResolveWork(Change[Done], frozen=True, kw_only=True):
    """Say that what blocked a work item is gone: it goes on where it stopped."""

    method: ClassVar[str] = "work.resolve"
    goal: fields.Goal
    work: fields.Work
    note: fields.Guidance = ""  # told to whoever goes on


class CancelWork(Change[Done], frozen=True, kw_only=True):
    """Give a work item up."""

    method: ClassVar[str] = "work.cancel"
    goal: fields.Goal
    work: fields.Work
    reason: fields.Reason
