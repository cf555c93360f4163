"""Requests about a goal as a whole."""

from typing import ClassVar

from protocol import fields
from protocol.replies import Done, GoalCreated
from protocol.requests.request import Change, Request
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


class ListGoals(Request[GoalList], frozen=True):
    """Every goal, a row each."""

    method: ClassVar[str] = "goal.list"


class ShowGoal(Request[GoalView], frozen=True):
    """One goal in full."""

    method: ClassVar[str] = "goal.show"
    goal: fields.Goal


class ExtendGoal(Change[Done], frozen=True, kw_only=True):
    """Let a goal spend more attempts, agent calls, ticks or active runtime; no other limit grows."""

    method: ClassVar[str] = "goal.extend"
    goal: fields.Goal
    add: fields.Additions  # durations in microseconds


class CancelGoal(Change[Done], frozen=True, kw_only=True):
    """End a goal for good.  What was accepted stays accepted."""

    method: ClassVar[str] = "goal.cancel"
    goal: fields.Goal
    reason: fields.Reason
