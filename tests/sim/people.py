"""The operator under simulation: answers what waits, sometimes late, sometimes with no, sometimes from two clients.

What an attempt asks it may also leave unanswered, answer yes here and no there, or answer while it changes what lies in
the worktree.  Of a plan it may word the work in its own way, or write all of it where the planner has none.  Now and
then it changes its mind unasked: it holds the goal and lets it go on, adds to a budget, gives work up, works in its own
checkout where an attempt works too, and finds something wrong with a mission that was met.
"""

import random
from typing import TYPE_CHECKING

import anyio
import msgspec

from harnd.domain.goal import commands as c
from harnd.domain.goal.approval import Approval
from harnd.domain.goal.candidate import Apply
from harnd.domain.goal.goal import Ending, Goal
from harnd.domain.goal.rules.resolving import resolvable
from harnd.domain.goal.work import Standing
from harnd.domain.rejected import Rejected
from harnd.ports.errors import PortError
from harnd.ports.store import InboxRow
from harnd.ports.workspace import Place
from protocol.ids import Digest, WorkId
from protocol.values import ApprovalState, Hold, Instant, Risk, Unit
from tests.sim.missions import REPOSITORY

if TYPE_CHECKING:
    from tests.sim.engine import Daemon, Disk

MOST_EXTENSIONS = 3
MOST_REOPENINGS = 2
_PATIENCE_S = 3 * 3600.0  # longer than any agent's limit, and than what is asked with the greatest risk waits
_MEDDLED = b"and nobody asked\n"


class Operator:
    """A person with moods that follow from a seed; `yes` is one that only ever agrees."""

    def __init__(self, seed: int, *, moody: bool) -> None:
        self._dice = random.Random(seed)
        self._pen = random.Random(f"{seed}, written")
        self._moody = moody
        self._refusals = 0
        self._extensions = 0
        self._reopenings = 0
        self._content: set[int] = set()  # versions of the goal at which it ended and was left so

    def is_content(self, goal: Goal | None) -> bool:
        """Tell whether a goal has ended and nothing more is wanted of it."""
        return goal is not None and goal.ending is not None and goal.version in self._content

    async def attend(self, disk: "Disk", daemon: "Daemon") -> None:
        """Answer the inbox until the goal has ended for good."""
        while True:
            goal = disk.invariants.goal
            if goal is not None and goal.ending is not None:
                await self._look_back(disk, daemon, goal)
            if self.is_content(goal) and not daemon.roster.live():
                return
            for row in await daemon.world.store.inbox():
                await self._answer(disk, daemon, row)
            if goal is not None and goal.ending is None:
                await self._change_of_mind(disk, daemon, goal)
            if anyio.current_time() - disk.invariants.last_append > _PATIENCE_S:
                raise AssertionError(f"nothing has happened for {_PATIENCE_S} seconds: {daemon.roster!r}")
            await anyio.sleep(self._dice.uniform(1, 60) if self._moody else 1)

    async def _answer(self, disk: "Disk", daemon: "Daemon", row: InboxRow) -> None:
        goal = disk.invariants.goal
        if goal is None:
            return
        if row.kind == "approval":
            await self._answer_approval(disk, daemon, goal.approvals[int(row.subject.removeprefix("approval/")) - 1])
            return
        await self._say(disk, daemon, self._decision(disk, goal, row), about=row.subject)

    async def _say(self, disk: "Disk", daemon: "Daemon", command: c.GoalCommand, *, about: str) -> None:
        """Ask it, perhaps from two clients at once, of which one is later."""
        disk.note(f"operator {type(command).__name__} {about}")
        async with anyio.create_task_group() as clients:
            clients.start_soon(self._ask, disk, daemon, command)
            if self._moody and self._dice.random() < 0.1:
                clients.start_soon(self._ask, disk, daemon, command)

    async def _ask(self, disk: "Disk", daemon: "Daemon", command: c.GoalCommand) -> None:
        try:
            await daemon.roster.ask(disk.goal, command)
        except (Rejected, PortError) as error:
            disk.note(f"operator was refused: {error}")

    # --- what an attempt asks

    async def _answer_approval(self, disk: "Disk", daemon: "Daemon", approval: Approval) -> None:
        now, about = disk.clock.now(), f"approval/{approval.number}"
        if approval.number == 1:
            self._meddle(disk, approval, disk.mission.meddled)
        yes = c.GiveApproval(approval=approval.number, digest=approval.digest, by="operator", now=now)
        no = c.DenyApproval(
            approval=approval.number, digest=approval.digest, reason="not like this", by="operator", now=now
        )
        if not self._moody:
            await self._say(disk, daemon, yes, about=about)
            return
        if self._lets_expire(approval, now):
            return
        match self._dice.randrange(20):
            case 0 | 1:
                await self._say(disk, daemon, no, about=about)
            case 2 | 3:  # at another seat somebody else is quicker, or not
                async with anyio.create_task_group() as seats:
                    for decision in (yes, no) if self._dice.random() < 0.5 else (no, yes):
                        seats.start_soon(self._ask, disk, daemon, decision)
            case 4:
                self._meddle(disk, approval, disk.mission.file_of(approval.work))
                await self._say(disk, daemon, yes, about=about)
            case 5:
                stale = msgspec.structs.replace(yes, digest=Digest("0" * 64))
                await self._say(disk, daemon, stale, about=about)
            case _:
                await self._say(disk, daemon, yes, about=about)

    def _lets_expire(self, approval: Approval, now: Instant) -> bool:
        """Tell whether this one is left to expire: told by its number, so that it is left each time it is looked at."""
        return approval.risk is Risk.CRITICAL and approval.number % 4 == 0 and now < approval.expires_at

    def _meddle(self, disk: "Disk", approval: Approval, file: str) -> None:
        """Change what lies in the worktree, once, while its attempt is parked."""
        if not file or approval.state is not ApprovalState.PENDING:
            return
        place = Place(REPOSITORY, disk.goal, approval.work, approval.attempt)
        files = disk.workspace.files(f"/worktrees/{place.goal}/{place.work}.{place.attempt}/work")
        if not files.get(file, b"").endswith(_MEDDLED):
            disk.note(f"operator changes {file} under approval/{approval.number}")
            files[file] = files.get(file, b"good\n") + _MEDDLED

    # --- unasked

    async def _look_back(self, disk: "Disk", daemon: "Daemon", goal: Goal) -> None:
        """Look once at how a goal ended: find something, or be content and perhaps put it away."""
        if goal.version in self._content:
            return
        if self._moody and goal.ending is Ending.SUCCEEDED and self._finds_something():
            reopen = c.ReopenGoal(work=None, findings=("it could be nicer still",), by="operator")
            await self._say(disk, daemon, reopen, about="the mission")
        elif self._moody and not goal.archived and self._dice.random() < 0.2:
            await self._say(disk, daemon, c.ArchiveGoal(by="operator"), about="the goal")
        elif disk.invariants.goal is goal:
            self._content.add(goal.version)

    def _finds_something(self) -> bool:
        if self._reopenings >= MOST_REOPENINGS or self._dice.random() > 0.3:
            return False
        self._reopenings += 1
        return True

    async def _change_of_mind(self, disk: "Disk", daemon: "Daemon", goal: Goal) -> None:
        if goal.paused is not None:
            if not self._moody or self._dice.random() < 0.5:
                await self._say(disk, daemon, c.ResumeGoal(by="operator"), about="the goal")
        elif self._moody and self._dice.random() < 0.02:
            await self._say(disk, daemon, self._whim(goal), about="unasked")
        elif self._moody and self._pen.random() < 0.02:
            self._work_beside(disk, goal)

    def _work_beside(self, disk: "Disk", goal: Goal) -> None:
        """Change a file in the operator's own checkout that is also the matter of what runs."""
        for item in goal.in_standing(Standing.RUNNING)[:1]:
            for path in item.paths[:1]:
                disk.note(f"operator works on {path} beside {item.id}")
                checkout = disk.workspace.repository(REPOSITORY).checkout
                checkout[path] = checkout.get(path, b"") + _MEDDLED

    def _whim(self, goal: Goal) -> c.GoalCommand:
        items = goal.active()
        match self._dice.randrange(4):
            case 0 if items:
                work = self._dice.choice(items).id
                return c.ReopenWork(work=work, findings=("now that I see it",), by="operator")
            case 1:
                return c.ExtendGoal(add={Unit.ATTEMPTS: 1}, by="operator")
            case _:
                return c.PauseGoal(by="operator", reason="", hold=self._dice.choice(tuple(Hold)))

    def _decision(self, disk: "Disk", goal: Goal, row: InboxRow) -> c.GoalCommand:
        match row.kind:
            case "plan":
                return self._written(goal, row) or self._about_plan(goal, row)
            case "attention":
                return self._own_plan(disk, goal, row) or self._about_attention(goal, row)
            case "work":
                return self._about_work(goal, row)
            case "blocked" if WorkId(row.subject) in goal.work:
                return self._about_blocked(goal, row)
            case "budget" if row.subject.startswith("budget/") and self._extensions < MOST_EXTENSIONS:
                return self._about_budget(row)
            case _:
                return c.CancelGoal(by="operator", reason=f"no way on: {row.summary}"[:2000])

    def _about_plan(self, goal: Goal, row: InboxRow) -> c.GoalCommand:
        number, digest = int(row.subject.removeprefix("plan/")), row.digest or Digest("")
        if self._says_no(goal):
            return c.RejectPlan(plan=number, digest=digest, guidance=f"not like this ({number})", by="operator")
        return c.ApprovePlan(plan=number, digest=digest, by="operator")

    def _written(self, goal: Goal, row: InboxRow) -> c.EditPlan | None:
        """Word the work of a proposed plan in other words, now and then; the plan then lies before a person again."""
        plan = goal.plan
        if not self._moody or plan is None or not isinstance(plan.candidate, Apply) or self._pen.random() > 0.1:
            return None
        worded = [msgspec.structs.replace(draft, objective=f"{draft.objective}!") for draft in plan.candidate.work]
        candidate = msgspec.structs.replace(plan.candidate, work=tuple(worded))
        return c.EditPlan(plan=plan.number, candidate=candidate, digest=row.digest, by="operator")

    def _own_plan(self, disk: "Disk", goal: Goal, row: InboxRow) -> c.EditPlan | None:
        """Write the plan that the planner did not make, now and then."""
        reached = {milestone.objective for milestone in goal.milestones}
        steps = [step for step in range(1, len(disk.mission.milestones) + 1) if f"reach step {step}" not in reached]
        if not self._moody or not steps or len(goal.milestones) >= disk.mission.most or self._pen.random() > 0.3:
            return None
        candidate = disk.mission.own_plan(step=steps[0], sequence=len(goal.milestones) + 1)
        return c.EditPlan(plan=int(row.subject.removeprefix("plan/")), candidate=candidate, by="operator")

    def _about_attention(self, goal: Goal, row: InboxRow) -> c.GoalCommand:
        number = int(row.subject.removeprefix("plan/"))
        if self._moody and self._dice.random() < 0.1:
            return c.CancelGoal(by="operator", reason="enough")
        return c.RetryPlan(plan=number, guidance=f"go on ({number})", by="operator")

    def _about_work(self, goal: Goal, row: InboxRow) -> c.GoalCommand:
        work = WorkId(row.subject)
        if self._says_no(goal):
            return c.ReopenWork(work=work, findings=("it could be nicer",), by="operator")
        if self._moody and self._dice.random() < 0.03:
            return c.CancelWork(work=work, reason="not wanted", by="operator")
        findings = tuple((finding.id, "fixed") for finding in goal.work[work].findings)
        return c.AcceptWork(work=work, proof=row.digest or Digest(""), dispositions=findings, by="operator")

    def _about_blocked(self, goal: Goal, row: InboxRow) -> c.GoalCommand:
        work = WorkId(row.subject)
        self._refusals += 1
        if self._moody and self._refusals > 6:
            return c.CancelGoal(by="operator", reason="it never ends")
        if resolvable(goal.work[work]) and (not self._moody or self._dice.random() < 0.7):
            return c.ResolveWork(work=work, note="it is mended" if self._dice.random() < 0.7 else "", by="operator")
        return c.RetryWork(work=work, guidance="try once more", by="operator")

    def _about_budget(self, row: InboxRow) -> c.GoalCommand:
        """Add a little to the budget that is asked about, so that it is asked about again."""
        self._extensions += 1
        return c.ExtendGoal(add={Unit(row.subject.removeprefix("budget/")): 4}, by="operator")

    def _says_no(self, goal: Goal) -> bool:
        if not self._moody or self._refusals >= 3 or self._dice.random() > 0.15:
            return False
        self._refusals += 1
        return True
