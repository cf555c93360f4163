"""`harnctl plan`: proposals for the next milestone, and a person's answer to them."""

import shlex
from pathlib import Path
from typing import Annotated

import typer

from harnctl.client import Client, new_key
from harnctl.commands.decision import Subject, bind, is_whole
from harnctl.commands.files import read
from harnctl.commands.options import Digest, Goal, Guidance, Plan, Yes, console_of
from harnctl.commands.writing import words
from harnctl.console import Console
from harnctl.editing.plan_editing import edited
from harnctl.failures import Failure
from harnctl.render import plan as render
from harnctl.render.done import done
from harnctl.render.plan_diff import compared
from protocol import ids
from protocol.replies import Done
from protocol.requests import ApprovePlan, EditPlan, ListPlans, RejectPlan, RetryPlan, ShowPlan
from protocol.values import PlanDecision, PlanStatus
from protocol.views import PlanRow

app = typer.Typer(no_args_is_help=True)

PlanFile = Annotated[
    Path | None, typer.Option("--file", metavar="FILE", help="The plan, as TOML; by default your editor opens on it.")
]


@app.command("list")
def list_plans(context: typer.Context, goal: Goal) -> None:
    """List the plans of a goal."""
    console = console_of(context)
    request = ListPlans(ids.GoalId(goal))
    plans = console.ask(request)
    console.show(request.method, plans, render.listed(plans, console.now()))


@app.command("show")
def show_plan(context: typer.Context, goal: Goal, plan: Plan) -> None:
    """Show a plan with everything that a decision needs."""
    console = console_of(context)
    request = ShowPlan(ids.GoalId(goal), plan)
    view = console.ask(request)
    console.show(request.method, view, render.shown(view, console.now()))


@app.command("approve")
def approve_plan(context: typer.Context, goal: Goal, plan: Plan, *, digest: Digest = None, yes: Yes = False) -> None:
    """Apply a plan, or take its word that the mission is complete."""
    console = console_of(context)
    with console.client() as client:
        bound = _bound(console, client, "Approve", goal=goal, plan=plan, digest=digest, yes=yes)
        request = ApprovePlan(key=new_key(), goal=ids.GoalId(goal), plan=plan, digest=bound)
        change = client.ask(request)
    console.show(request.method, change, done(change, "approved"))


@app.command("reject")
def reject_plan(
    context: typer.Context,
    goal: Goal,
    plan: Plan,
    *,
    guidance: Guidance = None,
    digest: Digest = None,
    yes: Yes = False,
) -> None:
    """Refuse a plan and say what the next one should do differently."""
    console = console_of(context)
    about = f"what should be planned instead of plan {plan} of {goal}"
    again = ("harnctl", "plan", "reject", goal, str(plan))
    # Where nobody can be asked, words that are missing are said to be before a plan is shown for nothing.
    said = None
    if guidance is not None or not console.is_interactive:
        decides = ("--digest", digest) if digest is not None else ("--yes",) if yes else ()
        said = words(console, guidance, about=about, again=(*again, *decides))
    more = () if guidance is None else ("--guidance", guidance)
    with console.client() as client:
        bound = _bound(console, client, "Reject", goal=goal, plan=plan, digest=digest, yes=yes, more=more)
        said = said or words(console, None, about=about, again=again)
        request = RejectPlan(key=new_key(), goal=ids.GoalId(goal), plan=plan, digest=bound, guidance=said)
        change = client.ask(request)
    console.show(request.method, change, done(change, "rejected"))


@app.command("retry")
def retry_plan(context: typer.Context, goal: Goal, plan: Plan, *, guidance: Guidance = None) -> None:
    """Ask again for a plan that failed, or answer the question that it put."""
    console = console_of(context)
    with console.client() as client:
        said = _answer(console, client, goal=goal, plan=plan, guidance=guidance)
        request = RetryPlan(key=new_key(), goal=ids.GoalId(goal), plan=plan, guidance=said)
        change = client.ask(request)
    console.show(request.method, change, done(change, "asked again for"))


@app.command("edit")
def edit_plan(context: typer.Context, goal: Goal, plan: Plan, *, file: PlanFile = None) -> None:
    """Write the plan yourself: edit what is proposed, or answer a plan that asks or failed with one of your own."""
    console = console_of(context)
    if file is None and not console.is_interactive:
        fix = shlex.join(("harnctl", "plan", "edit", goal, str(plan), "--file", "FILE"))
        raise Failure("usage", "there is no terminal to open an editor on: give --file FILE", fix=fix)
    with console.client() as client:
        view = client.ask(ShowPlan(ids.GoalId(goal), plan))
        base = view.digest if view.status is PlanStatus.PROPOSED else None

        def send(content: bytes) -> Done:
            return client.ask(EditPlan(key=new_key(), goal=view.goal, plan=plan, file=content, digest=base))

        change = send(read(file, name=str(file))) if file is not None else edited(console, view, send)
    console.show(EditPlan.method, change, done(change, "edited"))


@app.command("diff")
def diff_plan(context: typer.Context, goal: Goal, plan: Plan) -> None:
    """Show what a plan changes about the last one before it that proposed work."""
    console = console_of(context)
    with console.client() as client:
        request = ShowPlan(ids.GoalId(goal), plan)
        view = client.ask(request)
        earlier = [row.plan for row in client.ask(ListPlans(view.goal)).plans if row.plan < plan and _has_work(row)]
        before = client.ask(ShowPlan(view.goal, earlier[-1])) if earlier else None
    console.show(request.method, view, compared(view, before))


def _has_work(row: PlanRow) -> bool:
    return row.decision is PlanDecision.APPLY


def _answer(console: Console, client: Client, *, goal: str, plan: int, guidance: str | None) -> str:
    """Return what to say with a retry: nothing, unless the plan put a question."""
    again = ("harnctl", "plan", "retry", goal, str(plan))
    if guidance is not None:
        return words(console, guidance, about="guidance", again=again)
    question = client.ask(ShowPlan(ids.GoalId(goal), plan)).question
    return words(console, None, about=question, again=again) if question else ""


def _bound(
    console: Console,
    client: Client,
    verb: str,
    *,
    goal: str,
    plan: int,
    digest: str | None,
    yes: bool,
    more: tuple[str, ...] = (),
) -> ids.Digest:
    """Return the digest that a decision about a plan binds to."""
    if digest is not None and is_whole(digest):
        return ids.Digest(digest)
    view = client.ask(ShowPlan(ids.GoalId(goal), plan))
    subject = Subject(
        name=f"plan {plan} of {goal}",
        digest=view.digest if view.status is PlanStatus.PROPOSED else None,
        state=view.status,
        blocks=render.proposal(view, console.now()),
        again=("harnctl", "plan", verb.lower(), goal, str(plan), *more),
        look=f"harnctl plan show {goal} {plan}",
        undecidable="plan.not_proposed",
        stale="plan.stale",
    )
    return bind(console, verb, subject, digest=digest, yes=yes)
