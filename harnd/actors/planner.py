"""The planner: carries out one planner call and reports how it ended.

It decides nothing about the answer: whether it is a legal plan is the rules' business.
"""

from harnd.actors.classing import failure_of_session
from harnd.actors.places import place_of, tidy
from harnd.domain.goal.briefing import briefing
from harnd.domain.goal.commands import PlannerReport, ReportPlanner
from harnd.domain.goal.due import CallPlanner, within
from harnd.domain.goal.goal import Goal
from harnd.domain.goal.intent import Specialist
from harnd.domain.goal.plan import Plan
from harnd.domain.problem import Problem
from harnd.ports.errors import PortError
from harnd.ports.sessions import ReplyKind, SessionEnd, SessionTask
from harnd.ports.world import World
from protocol.values import FailureClass, Instant, Micros


class PlannerCaller:
    """One call of one request."""

    def __init__(self, world: World, goal: Goal, effect: CallPlanner) -> None:
        self._world = world
        self._goal = goal
        self._effect = effect
        self._plan: Plan = goal.plans[effect.plan - 1]
        self._planner: Specialist = goal.intent.planner
        self._until = Instant(world.clock.now() + effect.runtime_left)
        self._place = place_of(goal, effect)

    async def run(self) -> ReportPlanner:
        """Call the planner in a checkout of the goal's branch, and report."""
        path = await self._world.workspace.checkout(self._place, self._goal.head, "planner")
        end = await self._world.sessions.run(self._task(path, await self._prompt()))
        await tidy(self._world.workspace, self._place)
        return ReportPlanner(plan=self._effect.plan, call=self._effect.call, report=await self._report(end))

    def failed(self, error: PortError) -> ReportPlanner:
        """Report that the world did not let the call be made."""
        report = PlannerReport(ran=Micros(0), failure=FailureClass.ENVIRONMENT, detail=str(error))
        return ReportPlanner(plan=self._effect.plan, call=self._effect.call, report=report)

    async def withdraw(self) -> None:
        """Tidy up after a call that is no longer wanted."""
        await tidy(self._world.workspace, self._place)

    async def _prompt(self) -> str:
        refused, reply = self._plan.refused_call, None
        if refused is not None and refused.reply is not None:
            reply = (await self._world.blobs.get(refused.reply)).decode(errors="replace")
        return briefing(self._goal, self._plan, self._planner, reply)

    def _task(self, path: str, prompt: str) -> SessionTask:
        planner = self._planner
        return SessionTask(
            key=self._effect.key,
            harness=planner.harness,
            options=planner.options,
            prompt=prompt,
            cwd=path,
            wants_json=True,
            timeout=within(planner.timeout, until=self._until, now=self._world.clock.now()),
            startup_silence=planner.startup_silence,
            silence=planner.silence,
            model=planner.model,
            effort=planner.effort,
            env=planner.env,
        )

    async def _report(self, end: SessionEnd) -> PlannerReport:
        failure = failure_of_session(end, wants_json=True)
        reply = await self._world.blobs.put(end.reply.text.encode(errors="replace")) if end.reply.text else None
        problems: tuple[Problem, ...] = ()
        if failure is not None and failure.kind is FailureClass.SCHEMA:
            # Not one JSON object: a mistake of shape like any other, and corrected like one.
            problems, failure = (Problem("answer.unreadable", "", failure.detail),), None
        return PlannerReport(
            ran=end.ended.ran,
            reply=reply,
            value=end.reply.value if end.reply.kind is ReplyKind.VALID else None,
            failure=failure.kind if failure else None,
            detail=failure.detail if failure else "",
            problems=problems,
            tokens=end.usage.tokens,
            cost=end.usage.cost,
        )
