"""Changes: mutating requests, turned into commands and answered once and for all.

The answer to a request is stored with what it changed, under the request's idempotency key: a repeat gets the same
answer, also from the next daemon.
"""

import pwd
from collections.abc import Callable
from functools import partial
from typing import TypeAlias, TypeVar, cast

import msgspec

from harnd.actors.journal import Promise
from harnd.actors.roster import Roster
from harnd.daemon.editing import edited
from harnd.daemon.enrolment import Enrolment
from harnd.daemon.loading import Loader
from harnd.daemon.principal import Principal
from harnd.domain.digest import digest_of
from harnd.domain.goal import commands as c
from harnd.domain.goal.automation import decided_unasked
from harnd.domain.goal.goal import Goal
from harnd.domain.goal.intent import Intent
from harnd.domain.goal.position import position
from harnd.domain.measures import count, dollars, span
from harnd.ports.clock import Clock
from harnd.ports.errors import KeyReusedError
from harnd.ports.store import EventStore
from protocol import requests as wire
from protocol import subjects
from protocol.errors import Refusal
from protocol.ids import Digest, GoalId, goal_branch
from protocol.replies import Done, GoalCreated
from protocol.values import Instant, Unit

ReplyT = TypeVar("ReplyT", bound=msgspec.Struct)
Word: TypeAlias = Callable[[Goal], bytes]


class Changes:
    """Everything an operator can change."""

    def __init__(self, roster: Roster, enrolment: Enrolment, store: EventStore, clock: Clock) -> None:
        self._roster = roster
        self._enrolment = enrolment
        self._store = store
        self._loader = Loader(store)
        self._clock = clock

    async def make(self, request: wire.Change[ReplyT], principal: Principal) -> ReplyT:
        """Carry a change out and answer it; raises `Refusal`, a rule's `Rejected` or a port's error."""
        payload = digest_of([request.method, request])
        if (known := await self._answer_to(request, payload)) is not None:
            return known
        goal, command, word = await self._command(request, operator_name(principal.uid))
        await self._roster.ask(goal, command, Promise(request.key, payload, word))
        # What is stored is what is said, also when the same request came in twice at once.
        answer = await self._answer_to(request, payload)
        if answer is None:
            raise AssertionError(f"{request.method} was made and not answered")
        return answer

    async def _answer_to(self, request: wire.Change[ReplyT], payload: Digest) -> ReplyT | None:
        known = await self._store.answered(request.key)
        if known is None:
            return None
        if known.payload != payload:
            raise KeyReusedError(request.key)
        kind = GoalCreated if isinstance(request, wire.CreateGoal) else Done
        return cast("ReplyT", msgspec.json.decode(known.answer, type=kind))

    async def _command(self, request: wire.Change[ReplyT], by: str) -> tuple[GoalId, c.GoalCommand, Word]:
        if isinstance(request, wire.CreateGoal):
            intent = await self._enrolment.intent(request)
            new = await self._is_new(intent)
            notes = self._enrolment.said(intent)
            return intent.goal, c.CreateGoal(intent, by=by), partial(_created, notes=notes, new=new)
        if isinstance(request, wire.EditPlan):
            edit = edited(await self._loader.load(request.goal), request, by)
            return request.goal, edit, lambda after: self._worded(after, subjects.plan(edit.plan), ())
        goal, command, subject = _command(request, by, self._clock.now())
        added = tuple(request.add) if isinstance(request, wire.ExtendGoal) else ()
        return goal, command, lambda after: self._worded(after, subject, added)

    async def _is_new(self, intent: Intent) -> bool:
        """Tell whether a goal comes to be; one that has ended is not enrolled again, and nobody is told it was."""
        if await self._store.row(intent.goal) is None:
            return True
        there = await self._loader.load(intent.goal)
        if there.ending is not None and there.intent_digest == intent.digest():
            raise Refusal("goal.ended", f"goal {intent.goal} is there and has ended", fix="choose another goal id")
        return False

    def _worded(self, goal: Goal, subject: str, added: tuple[Unit, ...]) -> bytes:
        return msgspec.json.encode(self._done(goal, subject, added))

    def _done(self, goal: Goal, subject: str, added: tuple[Unit, ...]) -> Done:
        now = self._clock.now()
        where = position(goal, now)
        name = goal.intent.goal
        said = (*(_limit_told(goal, unit, now) for unit in added), _sentence(f"{name}: {where.reason}"))
        return Done(goal=name, subject=subject or name, version=goal.version, said=said)


def _sentence(said: str) -> str:
    """End what is said once: a reason may close with somebody else's words, a question say."""
    return said if said.endswith((".", "?", "!", "…")) else f"{said}."


def operator_name(uid: int) -> str:
    """Return what a person of this user id is called in events."""
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return f"uid {uid}"


def _limit_told(goal: Goal, unit: Unit, now: Instant) -> str:
    if unit is Unit.ACTIVE_RUNTIME_US:
        limit, left = span(goal.limit(unit)), span(goal.runtime_left(now))
        return f"The active runtime may be {limit} in all now; {left} left."
    if unit is Unit.MICRO_DOLLARS:
        return f"It may cost {dollars(goal.limit(unit))} in all now; {dollars(goal.left(unit))} left."
    return f"There may be {goal.limit(unit)} {unit.replace('_', ' ')} in all now; {goal.left(unit)} left."


def _created(goal: Goal, *, notes: tuple[str, ...], new: bool) -> bytes:
    intent = goal.intent
    said = [
        f"Goal {intent.goal} is frozen on {intent.base_ref} at {intent.base_commit[:12]} of {intent.repository}.",
        f"Its work will be on the branch {goal_branch(intent.goal)}; your checkout and branches are not touched.",
    ]
    if intent.parent is not None:
        accepted = count(len(intent.parent.accepted), "accepted item")
        said.append(f"It goes on from {intent.parent.goal} at {intent.parent.head[:12]}, with {accepted}.")
    if any(member.harness == "command" for member in intent.team):
        said.append("Agents run ungated and report no tokens or cost: calls, attempts and runtime bound them.")
    if decided := decided_unasked(intent):
        said.append(f"Unasked, as its file says: {'; '.join(decided)}.")
    created = GoalCreated(goal=intent.goal, digest=goal.intent_digest, said=(*said, *notes), created=new)
    return msgspec.json.encode(created)


def _command(request: msgspec.Struct, by: str, now: Instant) -> tuple[GoalId, c.GoalCommand, str]:
    match request:
        case wire.CancelGoal(goal=goal, reason=reason):
            return goal, c.CancelGoal(by=by, reason=reason), goal
        case wire.PauseGoal(goal=goal, reason=reason, hold=hold):
            return goal, c.PauseGoal(by=by, reason=reason, hold=hold), goal
        case wire.ResumeGoal(goal=goal):
            return goal, c.ResumeGoal(by=by), goal
        case wire.ReopenGoal(goal=goal, findings=findings, work=work):
            return goal, c.ReopenGoal(work=work, findings=findings, by=by), work or goal
        case wire.ArchiveGoal(goal=goal):
            return goal, c.ArchiveGoal(by=by), goal
        case wire.ExtendGoal(goal=goal, add=add):
            return goal, c.ExtendGoal(add=add, by=by), goal
        case wire.ApprovePlan(goal=goal, plan=plan, digest=digest):
            return goal, c.ApprovePlan(plan=plan, digest=digest, by=by), subjects.plan(plan)
        case wire.RejectPlan(goal=goal, plan=plan, digest=digest, guidance=guidance):
            return goal, c.RejectPlan(plan=plan, digest=digest, guidance=guidance, by=by), subjects.plan(plan)
        case wire.RetryPlan(goal=goal, plan=plan, guidance=guidance):
            return goal, c.RetryPlan(plan=plan, guidance=guidance, by=by), subjects.plan(plan)
        case wire.AcceptWork(goal=goal, work=work, digest=digest, dispositions=said, acknowledged=doubts):
            answers = tuple(sorted(said.items()))
            accept = c.AcceptWork(work=work, proof=digest, dispositions=answers, by=by, acknowledged=doubts)
            return goal, accept, work
        case wire.ReopenWork(goal=goal, work=work, findings=findings):
            return goal, c.ReopenWork(work=work, findings=findings, by=by), work
        case wire.RetryWork(goal=goal, work=work, guidance=guidance):
            return goal, c.RetryWork(work=work, guidance=guidance, by=by), work
        case wire.ResolveWork(goal=goal, work=work, note=note):
            return goal, c.ResolveWork(work=work, note=note, by=by), work
        case wire.GiveApproval(goal=goal, approval=number, digest=digest):
            return goal, c.GiveApproval(approval=number, digest=digest, by=by, now=now), subjects.approval(number)
        case wire.DenyApproval(goal=goal, approval=number, digest=digest, reason=reason):
            deny = c.DenyApproval(approval=number, digest=digest, reason=reason, by=by, now=now)
            return goal, deny, subjects.approval(number)
        case wire.CancelWork(goal=goal, work=work, reason=reason):
            return goal, c.CancelWork(work=work, reason=reason, by=by), work
        case _:
            raise AssertionError(f"{type(request).__name__} has no command")
