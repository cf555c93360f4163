"""Requests about a goal as a whole."""

from typing import ClassVar

from protocol import fields
from protocol.replies import Done, GoalCreated
from protocol.requests.request import Change, Request
from protocol.values import Hold
from protocol.views import (
    GoalList,
    GoalView,
)


class CreateGoal(Change[GoalCreated], frozen=True, kw_only=True):
    """Enrol a goal from the files a person wrote, as bytes: the daemon finds everything wrong with them at once."""

    method: ClassVar[str] = "goal.create"
    files: fields.Files  # base64 on the wire
    main: fields.FileName  # the one of `files` that names the others
    directory: fields.Directory  # absolute; relative paths in the files are meant from here
    parent: fields.Goal | None = None  # the goal that it goes on from; the file may name the same one


class ListGoals(Request[GoalList], frozen=True):
    """Every goal, a row each; those that were archived only when they are asked for."""

    method: ClassVar[str] = "goal.list"
    archived: bool = False


class ShowGoal(Request[GoalView], frozen=True):
    """One goal in full."""

    method: ClassVar[str] = "goal.show"
    goal: fields.Goal


class ExtendGoal(Change[Done], frozen=True, kw_only=True):
    """Let a goal spend more attempts, agent calls, ticks or active runtime; no other limit grows."""

    method: ClassVar[str] = "goal.extend"
    goal: fields.Goal
    add: fields.Additions  # durations in microseconds


class PauseGoal(Change[Done], frozen=True, kw_only=True):
    """Hold a goal: nothing of it starts until it is resumed, and what runs is let finish or parked at once."""

    method: ClassVar[str] = "goal.pause"
    goal: fields.Goal
    reason: fields.Guidance = ""
    hold: Hold = Hold.FINISH


class ResumeGoal(Change[Done], frozen=True, kw_only=True):
    """Let a goal that was paused go on."""

    method: ClassVar[str] = "goal.resume"
    goal: fields.Goal


class ReopenGoal(Change[Done], frozen=True, kw_only=True):
    """Reopen a goal that succeeded, by findings on its work; without `work`, on the end of its last graph."""

    method: ClassVar[str] = "goal.reopen"
    goal: fields.Goal
    findings: fields.Findings
    work: fields.Work | None = None


class ArchiveGoal(Change[Done], frozen=True, kw_only=True):
    """Put a goal that has ended away for good: readable, out of the lists, and never reopened."""

    method: ClassVar[str] = "goal.archive"
    goal: fields.Goal


class CancelGoal(Change[Done], frozen=True, kw_only=True):
    """End a goal for good.  What was accepted stays accepted."""

    method: ClassVar[str] = "goal.cancel"
    goal: fields.Goal
    reason: fields.Reason
