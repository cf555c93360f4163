"""`harnctl approval`: what work asks of a person before it goes on, and their answer."""

from typing import Annotated, Final

import typer

from harnctl.client import Client, new_key
from harnctl.commands.decision import Subject, bind, is_whole
from harnctl.commands.options import Digest, Goal, Reason, Yes, console_of
from harnctl.commands.writing import words
from harnctl.console import Console
from harnctl.render import approval as render
from harnctl.render.done import done
from protocol import ids
from protocol.requests import DenyApproval, GiveApproval, ListApprovals, ShowApproval
from protocol.values import ApprovalState

app = typer.Typer(no_args_is_help=True)

ASKS: Final = {"approve": "Give", "deny": "Deny"}
OVER: Final = {ApprovalState.EXPIRED: "approval.expired", ApprovalState.CANCELLED: "approval.cancelled"}

Approval = Annotated[int, typer.Argument(metavar="APPROVAL", help="The approval's number within its goal.")]
OneGoal = Annotated[str | None, typer.Argument(metavar="[GOAL]", help="The goal's id; all goals without one.")]
All = Annotated[bool, typer.Option("--all", help="Those that were decided, too.")]


@app.command("list")
def list_approvals(context: typer.Context, goal: OneGoal = None, *, every: All = False) -> None:
    """List what is asked of you, in one goal or in all."""
    console = console_of(context)
    request = ListApprovals(ids.GoalId(goal) if goal is not None else None, decided=every)
    approvals = console.ask(request)
    console.show(request.method, approvals, render.listed(approvals, console.now()))


@app.command("show")
def show_approval(context: typer.Context, goal: Goal, approval: Approval) -> None:
    """Show an approval with everything that an answer needs."""
    console = console_of(context)
    request = ShowApproval(ids.GoalId(goal), approval)
    view = console.ask(request)
    console.show(request.method, view, render.shown(view, console.now()))


@app.command("approve")
def approve(context: typer.Context, goal: Goal, approval: Approval, *, digest: Digest = None, yes: Yes = False) -> None:
    """Say yes: the attempt goes on with exactly what was shown."""
    console = console_of(context)
    with console.client() as client:
        bound = _bound(console, client, "approve", goal=goal, approval=approval, digest=digest, yes=yes)
        request = GiveApproval(key=new_key(), goal=ids.GoalId(goal), approval=approval, digest=bound)
        change = client.ask(request)
    console.show(request.method, change, done(change, "approved"))


@app.command("deny")
def deny(
    context: typer.Context,
    goal: Goal,
    approval: Approval,
    *,
    reason: Reason = None,
    digest: Digest = None,
    yes: Yes = False,
) -> None:
    """Say no, and why: the attempt ends, and the next one is told."""
    console = console_of(context)
    about = f"why approval {approval} of {goal} is denied"
    again = ("harnctl", "approval", "deny", goal, str(approval))
    # Where nobody can be asked, words that are missing are said to be before an approval is shown for nothing.
    said = None
    if reason is not None or not console.is_interactive:
        decides = ("--digest", digest) if digest is not None else ("--yes",) if yes else ()
        said = words(console, reason, about=about, again=(*again, *decides), option="--reason")
    more = () if reason is None else ("--reason", reason)
    with console.client() as client:
        bound = _bound(console, client, "deny", goal=goal, approval=approval, digest=digest, yes=yes, more=more)
        said = said or words(console, None, about=about, again=again, option="--reason")
        request = DenyApproval(key=new_key(), goal=ids.GoalId(goal), approval=approval, digest=bound, reason=said)
        change = client.ask(request)
    console.show(request.method, change, done(change, "denied"))


def _bound(
    console: Console,
    client: Client,
    verb: str,
    *,
    goal: str,
    approval: int,
    digest: str | None,
    yes: bool,
    more: tuple[str, ...] = (),
) -> ids.Digest:
    """Return the digest that an answer binds to."""
    if digest is not None and is_whole(digest):
        return ids.Digest(digest)
    view = client.ask(ShowApproval(ids.GoalId(goal), approval))
    subject = Subject(
        name=f"approval {approval} of {goal}",
        digest=view.digest if view.state is ApprovalState.PENDING else None,
        state=view.state,
        blocks=render.question(view, console.now()),
        again=("harnctl", "approval", verb, goal, str(approval), *more),
        look=f"harnctl approval show {goal} {approval}",
        undecidable=OVER.get(view.state, "approval.decided"),
        stale="approval.stale",
    )
    return bind(console, ASKS[verb], subject, digest=digest, yes=yes)
