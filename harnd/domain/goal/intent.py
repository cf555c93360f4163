"""Frozen intent: what a person enrolled.  Written once by `goal create`, never edited; a change of mind is a new goal.

A goal has a mission, or a graph of work that its operator wrote, or both; a mission has a planner, and a goal without
one may have one that is asked only when its work cannot go on.

Absent parts are absent in the canonical form, so the digest of an old intent does not move when a part is added.
"""

import msgspec

from harnd.domain.digest import digest_of
from harnd.domain.goal.candidate import WorkDraft
from harnd.domain.goal.template import Template
from protocol.ids import CommitId, CriterionId, Digest, GoalId, HarnessName, SpecialistName, TemplateName, WorkId
from protocol.values import MicroDollars, Micros


class Criterion(msgspec.Struct, frozen=True):
    """One thing that must hold, under an id that is unique in its owner (AC-1, MC-1, WC-1)."""

    id: CriterionId
    text: str


class Mission(msgspec.Struct, frozen=True, omit_defaults=True):
    """An objective met milestone by milestone."""

    objective: str
    acceptance: tuple[Criterion, ...]
    max_milestones: int
    invariants: tuple[Criterion, ...] = ()
    non_goals: tuple[Criterion, ...] = ()


class Replanning(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a planner may do, and how often it may be asked."""

    planner: SpecialistName
    max_replans: int  # every plan request of any trigger
    work_per_plan: int
    planned_work: int  # in all plans together
    auto_apply: bool = False  # what the planner proposes is applied, or completes the mission, unasked


class ReviewPolicy(msgspec.Struct, frozen=True, omit_defaults=True):
    """Who reviews every candidate of the planner before it is proposed, and how often it may be revised."""

    reviewers: tuple[SpecialistName, ...]  # in the order they were written; distinct, and none of them the planner
    max_revision_rounds: int = 0

    @property
    def answers(self) -> int:
        """Return how many answers one plan takes at most: each candidate's, and every reviewer's of each of them."""
        rounds = self.max_revision_rounds
        return 1 + len(self.reviewers) * (rounds + 1) + rounds


class Automation(msgspec.Struct, frozen=True, omit_defaults=True):
    """What harnd may decide in a person's place; absent where it is nothing."""

    accept_passing_proof: bool = False  # work whose proof leaves no question open
    resume_approved: bool = True  # an attempt goes on as soon as a person has approved what it asked
    retry_blocked: bool = False  # work that was blocked by what may pass, a few times and after a pause


class Specialist(msgspec.Struct, frozen=True, omit_defaults=True):
    """A named role of the team.  Without a model it works in the partition `harness-default`."""

    name: SpecialistName
    harness: HarnessName
    timeout: Micros
    startup_silence: Micros
    silence: Micros
    max_turns: int
    schema_attempts: int
    instructions: str = ""
    model: str | None = None
    effort: str | None = None
    env: tuple[str, ...] = ()  # names of variables that are passed on from the daemon's environment, such as an API key
    options: tuple[tuple[str, str | tuple[str, ...]], ...] = ()  # the harness's own settings, sorted by name


class Limits(msgspec.Struct, frozen=True, omit_defaults=True):
    """Cumulative bounds over the goal's whole life."""

    attempts: int
    agent_calls: int
    answers_per_work: int
    parallel_work: int
    agent_concurrency: int
    active_runtime: Micros
    ticks: int
    tokens: int | None = None  # None: not limited, and so is money
    money: MicroDollars | None = None


class Inherited(msgspec.Struct, frozen=True):
    """Work that the parent of a goal had accepted."""

    work: WorkId
    title: str
    proof: Digest
    commit: CommitId  # on the parent's branch


class Parent(msgspec.Struct, frozen=True, omit_defaults=True):
    """The goal that a goal goes on from, as it was then; nothing that happens to it later is asked for."""

    goal: GoalId
    intent: Digest
    head: CommitId  # of the parent's branch
    accepted: tuple[Inherited, ...] = ()
    guidance: tuple[str, ...] = ()  # what its operator told its planner, oldest first


class Intent(msgspec.Struct, frozen=True, omit_defaults=True):
    """Everything a person froze: objective, bounds, team and recipes."""

    goal: GoalId
    title: str
    repository: str  # canonical absolute path
    base_ref: str
    base_commit: CommitId
    limits: Limits
    team: tuple[Specialist, ...]  # sorted by name
    templates: tuple[Template, ...]  # sorted by name
    mission: Mission | None = None
    replanning: Replanning | None = None
    labels: tuple[str, ...] = ()
    graph: tuple[WorkDraft, ...] = ()  # the operator's own: what is to be done first, or all of it
    parent: Parent | None = None
    automation: Automation | None = None
    review: ReviewPolicy | None = None  # None: what the planner proposes lies before a person at once

    def digest(self) -> Digest:
        """Identify this intent by its canonical form."""
        return digest_of(self)

    def planning(self) -> Replanning:
        """Return what the planner may do; only a goal that has one asks."""
        if self.replanning is None:
            raise AssertionError(f"{self.goal}: nobody plans this goal")
        return self.replanning

    def reviewing(self) -> ReviewPolicy:
        """Return who reviews plans; only a goal whose plans are reviewed asks."""
        if self.review is None:
            raise AssertionError(f"{self.goal}: nobody reviews its plans")
        return self.review

    @property
    def planner(self) -> Specialist:
        """Return the specialist who plans; only a goal that has one asks."""
        return self.specialist(self.planning().planner)

    def specialist(self, name: SpecialistName) -> Specialist:
        """Return a member of the team; the loader made sure that it is there."""
        return next(member for member in self.team if member.name == name)

    def template(self, name: TemplateName) -> Template | None:
        """Return a template of the catalogue."""
        return next((template for template in self.templates if template.name == name), None)
