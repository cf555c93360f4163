"""Decisions in a demo: a person's where there is one, and the demo's own where nobody can be asked.

Every decision is bound to the digest of what was shown, and the digest is said.
"""

from harnctl.client import new_key
from harnctl.console import Console
from harnctl.demo.daemon import Daemon
from harnctl.demo.story import Narrator
from harnctl.render.blocks import Block, Fields, Paragraph
from harnctl.render.texts import short
from harnctl.render.work import changes
from protocol.ids import GoalId, WorkId
from protocol.requests import AcceptWork, ApprovePlan, ShowPlan, ShowWork
from protocol.values import PlanDecision, PlanStatus, WorkState
from protocol.views import PlanItem, PlanView


class Declined(Exception):
    """The person said no: the demo ends here, and everything stays as it is."""

    def __init__(self, question: str, again: tuple[str, ...]) -> None:
        """Keep what was asked and the command, without `harnctl`, that decides it after all."""
        super().__init__(question)
        self.again = again


class Operator:
    """Decides about plans and work."""

    def __init__(self, console: Console, narrator: Narrator, daemon: Daemon, *, yes: bool) -> None:
        """Decide alone when told so, or when there is no terminal to ask on."""
        self._console = console
        self._narrator = narrator
        self._daemon = daemon
        self.alone = yes or not console.is_interactive

    def decide_plan(self, goal: GoalId, number: int) -> None:
        """Show a proposed plan and approve it; raises `Declined`."""
        plan = self._daemon.ask(ShowPlan(goal, number))
        if plan.status is not PlanStatus.PROPOSED or plan.digest is None:
            return  # decided before a kill, and told once more
        self._narrator.show(*proposal(plan))
        what = "the claim that the mission is met" if plan.decision is PlanDecision.COMPLETE else f"plan {number}"
        self._agree(f"Approve {what}, {short(plan.digest)}?", ("plan", "approve", goal, str(number)))
        self._daemon.ask(ApprovePlan(key=new_key(), goal=goal, plan=number, digest=plan.digest))
        self._narrator.tell(f"{self._who} approved {what}, bound to its digest {short(plan.digest)}")

    def decide_work(self, goal: GoalId, name: WorkId) -> None:
        """Accept a work item on its proof; raises `Declined`."""
        work = self._daemon.ask(ShowWork(goal, name))
        if work.state is not WorkState.IN_REVIEW or work.proof_digest is None:
            return
        self._narrator.show(*changes(work))
        self._agree(f"Accept {name} on its proof {short(work.proof_digest)}?", ("work", "accept", goal, name))
        self._daemon.ask(AcceptWork(key=new_key(), goal=goal, work=name, digest=work.proof_digest))
        self._narrator.tell(f"{self._who} accepted {name}, bound to its proof {short(work.proof_digest)}")

    @property
    def _who(self) -> str:
        return "the demo" if self.alone else "you"

    def _agree(self, question: str, again: tuple[str, ...]) -> None:
        if not self.alone and self._console.question(f"{question} [Y/n]").lower() not in {"", "y", "yes"}:
            raise Declined(question, again)


def proposal(plan: PlanView) -> list[Block]:
    """Show what a plan proposes: enough to decide a small one."""
    claims = [f"{met.text}  claimed: {met.note}  ({', '.join(met.references)})" for met in plan.completion]
    pairs: list[tuple[str, str]] = [(item.key, f"{item.objective}{_needs(item)}") for item in plan.items]
    pairs += [(met.criterion, claim) for met, claim in zip(plan.completion, claims, strict=True)]
    pairs += [(invariant.id, f"{invariant.text}  (must hold)") for invariant in plan.invariants]
    return [Paragraph(plan.rationale, indent=8), Fields(tuple(pairs), indent=8)]


def _needs(item: PlanItem) -> str:
    return f"  (after {', '.join(item.dependencies)})" if item.dependencies else ""
