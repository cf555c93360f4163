"""`harnctl goal`: what people enrolled."""

from pathlib import Path
from typing import Annotated

import typer

from harnctl import amounts
from harnctl.client import new_key
from harnctl.commands.decision import agree
from harnctl.commands.files import gather
from harnctl.commands.options import Findings, Goal, Reason, Yes, console_of
from harnctl.commands.writing import lines, words
from harnctl.console import Console
from harnctl.failures import Failure
from harnctl.render import goal as render
from harnctl.render.done import done
from protocol import ids
from protocol.requests import (
    ArchiveGoal,
    CancelGoal,
    CreateGoal,
    ExtendGoal,
    ListGoals,
    PauseGoal,
    ReopenGoal,
    ResumeGoal,
    ShowGoal,
)
from protocol.values import Hold, Unit

app = typer.Typer(no_args_is_help=True)

File = Annotated[Path, typer.Argument(metavar="FILE", help="The goal's file, such as .harnd/goal.toml.")]

Parent = Annotated[str, typer.Argument(metavar="PARENT", help="The goal to go on from, by its id.")]


def micros(written: str) -> int:
    """Read a duration such as `90m`, `2h` or `1d`."""
    amount = amounts.read(Unit.ACTIVE_RUNTIME_US, written)
    if amount is None:
        raise typer.BadParameter(
            f"{written!r} is no time; expected a whole number with its unit, such as 90m, 2h or 1d"
        )
    return amount


def micro_dollars(written: str) -> int:
    """Read an amount of money such as `12.50`."""
    amount = amounts.read(Unit.MICRO_DOLLARS, written)
    if amount is None:
        raise typer.BadParameter(f"{written!r} is no amount; expected dollars, such as 10 or 12.50")
    return amount


Attempts = Annotated[int | None, typer.Option("--attempts", metavar="N", min=1, help="So many more attempts.")]
AgentCalls = Annotated[int | None, typer.Option("--agent-calls", metavar="N", min=1, help="So many more agent calls.")]
Ticks = Annotated[int | None, typer.Option("--ticks", metavar="N", min=1, help="So many more steps of the goal.")]
Runtime = Annotated[
    str | None, typer.Option("--runtime", metavar="TIME", help="So much more active runtime: 90m, 2h or 1d.")
]

Tokens = Annotated[int | None, typer.Option("--tokens", metavar="N", min=1, help="So many more tokens.")]
Money = Annotated[str | None, typer.Option("--money", metavar="DOLLARS", help="So many more dollars: 10 or 12.50.")]
AtOnce = Annotated[bool, typer.Option("--now", help="Stop what runs; it goes on where it stopped once resumed.")]
Everything = Annotated[bool, typer.Option("--all", help="Also those that were archived.")]
OfWork = Annotated[
    str | None, typer.Argument(metavar="[WORK]", help="The work item; the last of its graph by default.")
]


@app.command("create")
def create_goal(context: typer.Context, file: File) -> None:
    """Enrol a goal and freeze what it says."""
    _enrol(console_of(context), file)


@app.command("fork")
def fork_goal(context: typer.Context, parent: Parent, file: File) -> None:
    """Enrol a goal that goes on from another: from its branch, knowing what was accepted there."""
    _enrol(console_of(context), file, parent=ids.GoalId(parent))


def _enrol(console: Console, file: Path, *, parent: ids.GoalId | None = None) -> None:
    gathered = gather(file)
    request = CreateGoal(
        key=new_key(), files=gathered.files, main=gathered.main, directory=gathered.directory, parent=parent
    )
    created = console.ask(request)
    console.show(request.method, created, render.created(created))


@app.command("list")
def list_goals(context: typer.Context, *, everything: Everything = False) -> None:
    """List the goals."""
    console = console_of(context)
    goals = console.ask(ListGoals(archived=everything))
    console.show(ListGoals.method, goals, render.listed(goals, console.now()))


@app.command("show")
def show_goal(context: typer.Context, goal: Goal) -> None:
    """Show a goal: where it stands, what was frozen, what came of it."""
    console = console_of(context)
    request = ShowGoal(ids.GoalId(goal))
    view = console.ask(request)
    console.show(request.method, view, render.shown(view, console.now()))


@app.command("extend")
def extend_goal(
    context: typer.Context,
    goal: Goal,
    *,
    attempts: Attempts = None,
    agent_calls: AgentCalls = None,
    ticks: Ticks = None,
    runtime: Runtime = None,
    tokens: Tokens = None,
    money: Money = None,
) -> None:
    """Let a goal spend more; each limit grows by what is given."""
    console = console_of(context)
    given = {
        Unit.ATTEMPTS: attempts,
        Unit.AGENT_CALLS: agent_calls,
        Unit.TICKS: ticks,
        Unit.ACTIVE_RUNTIME_US: None if runtime is None else micros(runtime),
        Unit.TOKENS: tokens,
        Unit.MICRO_DOLLARS: None if money is None else micro_dollars(money),
    }
    add = {unit: amount for unit, amount in given.items() if amount is not None}
    if not add:
        said = "say what grows: --attempts N, --agent-calls N, --ticks N, --runtime TIME, --tokens N or --money DOLLARS"
        raise Failure("usage", said, fix=f"harnctl goal extend {goal} --attempts 10")
    request = ExtendGoal(key=new_key(), goal=ids.GoalId(goal), add=add)
    change = console.ask(request)
    console.show(request.method, change, done(change, "extended"))


@app.command("pause")
def pause_goal(context: typer.Context, goal: Goal, *, now: AtOnce = False, reason: Reason = None) -> None:
    """Hold a goal: nothing starts until it is resumed, and what runs is let finish, or parked at once."""
    console = console_of(context)
    again = ("harnctl", "goal", "pause", goal, *(["--now"] if now else []))
    why = "" if reason is None else words(console, reason, about=f"why {goal} is paused", again=again)
    request = PauseGoal(key=new_key(), goal=ids.GoalId(goal), reason=why, hold=Hold.PARK if now else Hold.FINISH)
    change = console.ask(request)
    console.show(request.method, change, done(change, "paused"))


@app.command("resume")
def resume_goal(context: typer.Context, goal: Goal) -> None:
    """Let a goal that was paused go on."""
    console = console_of(context)
    request = ResumeGoal(key=new_key(), goal=ids.GoalId(goal))
    change = console.ask(request)
    console.show(request.method, change, done(change, "resumed"))


@app.command("reopen")
def reopen_goal(context: typer.Context, goal: Goal, work: OfWork = None, *, finding: Findings = None) -> None:
    """Reopen a goal that succeeded, with what is wrong with its work."""
    console = console_of(context)
    again = ("harnctl", "goal", "reopen", goal, *([work] if work else []))
    findings = finding or lines(console, about=f"what is wrong with {work or goal}", again=again, option="--finding")
    request = ReopenGoal(
        key=new_key(), goal=ids.GoalId(goal), findings=tuple(findings), work=ids.WorkId(work) if work else None
    )
    change = console.ask(request)
    console.show(request.method, change, done(change, "reopened"))


@app.command("archive")
def archive_goal(context: typer.Context, goal: Goal, *, yes: Yes = False) -> None:
    """Put a goal that has ended away: it stays readable, leaves the lists, and is never reopened."""
    console = console_of(context)
    agree(console, f"Put {goal} away for good?", yes=yes, again=("harnctl", "goal", "archive", goal))
    request = ArchiveGoal(key=new_key(), goal=ids.GoalId(goal))
    change = console.ask(request)
    console.show(request.method, change, done(change, "archived"))


@app.command("cancel")
def cancel_goal(context: typer.Context, goal: Goal, *, reason: Reason = None, yes: Yes = False) -> None:
    """End a goal for good; what was accepted stays accepted."""
    console = console_of(context)
    again = ("harnctl", "goal", "cancel", goal)
    why = words(console, reason, about=f"why {goal} is ended", again=again, option="--reason")
    agree(console, f"End {goal} for good?", yes=yes, again=(*again, "--reason", why))
    request = CancelGoal(key=new_key(), goal=ids.GoalId(goal), reason=why)
    change = console.ask(request)
    console.show(request.method, change, done(change, "cancelled"))
