"""`harnctl work`: the items of a plan, what was proved about them, and a person's answer."""

from typing import Annotated, Final

import typer

from harnctl.client import new_key
from harnctl.commands.decision import Subject, agree, bind, is_whole
from harnctl.commands.options import Digest, Findings, Goal, Guidance, Reason, Work, Yes, console_of
from harnctl.commands.writing import lines, words
from harnctl.console import Console
from harnctl.render import work as render
from harnctl.render.done import done
from harnctl.render.patch import changed
from protocol import ids
from protocol.requests import (
    AcceptWork,
    CancelWork,
    ListWork,
    ReopenWork,
    ResolveWork,
    RetryWork,
    ShowWork,
    ShowWorkDiff,
    ShowWorkLog,
)
from protocol.values import DEFERRED, FIXED, WorkState
from protocol.views import DoubtView, FindingView, WorkView

app = typer.Typer(no_args_is_help=True)

_DEFERRED: Final = DEFERRED.strip()  # a space after the colon is not asked for on a command line


def _disposition(given: str) -> tuple[str, str]:
    """Read `f1=fixed` or `f1=deferred:reason`."""
    finding, _, answer = given.partition("=")
    reason = answer.removeprefix(_DEFERRED).strip()
    if finding and answer == FIXED:
        return finding, answer
    if finding and answer.startswith(_DEFERRED) and reason:
        return finding, DEFERRED + reason
    raise typer.BadParameter(f"{given!r} is neither FINDING=fixed nor FINDING=deferred:REASON")


Dispositions = Annotated[
    list[str] | None,
    typer.Option("--dispose", metavar="FINDING=ANSWER", help="fixed or deferred:REASON; once for each open finding."),
]
Acknowledged = Annotated[
    list[str] | None,
    typer.Option("--acknowledge", metavar="DOUBT", help="A flaky criterion or a protected path; once for each."),
]
Note = Annotated[
    str | None, typer.Option("--note", metavar="TEXT", help="What whoever goes on should know; - reads it from stdin.")
]
Attempt = Annotated[int | None, typer.Option("--attempt", metavar="N", help="Which one; the latest by default.")]


@app.command("list")
def list_work(context: typer.Context, goal: Goal) -> None:
    """List the work of a goal."""
    console = console_of(context)
    request = ListWork(ids.GoalId(goal))
    work = console.ask(request)
    console.show(request.method, work, render.listed(work))


@app.command("show")
def show_work(context: typer.Context, goal: Goal, work: Work) -> None:
    """Show a work item with what was proved about it."""
    console = console_of(context)
    request = ShowWork(ids.GoalId(goal), ids.WorkId(work))
    view = console.ask(request)
    console.show(request.method, view, render.shown(view, console.now()))


@app.command("log")
def show_log(context: typer.Context, goal: Goal, work: Work, *, attempt: Attempt = None) -> None:
    """Show what ran in an attempt and what it wrote."""
    console = console_of(context)
    request = ShowWorkLog(ids.GoalId(goal), ids.WorkId(work), attempt)
    log = console.ask(request)
    console.show(request.method, log, render.logged(log, console.now()))


@app.command("diff")
def show_diff(context: typer.Context, goal: Goal, work: Work, *, attempt: Attempt = None) -> None:
    """Show what an attempt changed, line by line."""
    console = console_of(context)
    request = ShowWorkDiff(ids.GoalId(goal), ids.WorkId(work), attempt)
    diff = console.ask(request)
    console.show(request.method, diff, changed(diff))


@app.command("accept")
def accept_work(
    context: typer.Context,
    goal: Goal,
    work: Work,
    *,
    dispose: Dispositions = None,
    acknowledge: Acknowledged = None,
    digest: Digest = None,
    yes: Yes = False,
) -> None:
    """Accept a work item on its proof, with an answer to every open finding and every doubt named."""
    console = console_of(context)
    answers = dict(map(_disposition, dispose or []))
    named = list(dict.fromkeys(acknowledge or []))
    with console.client() as client:
        if digest is not None and is_whole(digest):
            bound = ids.Digest(digest)
        else:
            view = client.ask(ShowWork(ids.GoalId(goal), ids.WorkId(work)))
            bound = bind(console, "Accept", _subject(view, console, dispose or [], named), digest=digest, yes=yes)
            answers |= _asked_about(console, [found for found in view.open_findings if found.id not in answers])
            named += _acknowledged(console, [doubt for doubt in view.doubts if doubt.name not in named])
        request = AcceptWork(
            key=new_key(),
            goal=ids.GoalId(goal),
            work=ids.WorkId(work),
            digest=bound,
            dispositions=answers,
            acknowledged=tuple(named),
        )
        change = client.ask(request)
    console.show(request.method, change, done(change, "accepted"))


@app.command("reopen")
def reopen_work(context: typer.Context, goal: Goal, work: Work, *, finding: Findings = None) -> None:
    """Send a work item back with what is wrong with it."""
    console = console_of(context)
    again = ("harnctl", "work", "reopen", goal, work)
    findings = finding or lines(console, about=f"what is wrong with {work} of {goal}", again=again, option="--finding")
    request = ReopenWork(key=new_key(), goal=ids.GoalId(goal), work=ids.WorkId(work), findings=tuple(findings))
    change = console.ask(request)
    console.show(request.method, change, done(change, "reopened"))


@app.command("retry")
def retry_work(context: typer.Context, goal: Goal, work: Work, *, guidance: Guidance = None) -> None:
    """Try a blocked work item again."""
    console = console_of(context)
    again = ("harnctl", "work", "retry", goal, work)
    said = words(console, guidance, about="guidance", again=again) if guidance is not None else ""
    request = RetryWork(key=new_key(), goal=ids.GoalId(goal), work=ids.WorkId(work), guidance=said)
    change = console.ask(request)
    console.show(request.method, change, done(change, "tries again"))


@app.command("resolve")
def resolve_work(context: typer.Context, goal: Goal, work: Work, *, note: Note = None) -> None:
    """Say that what blocked a work item is gone: it goes on where it stopped."""
    console = console_of(context)
    again = ("harnctl", "work", "resolve", goal, work)
    said = words(console, note, about="a note", again=again, option="--note") if note is not None else ""
    request = ResolveWork(key=new_key(), goal=ids.GoalId(goal), work=ids.WorkId(work), note=said)
    change = console.ask(request)
    console.show(request.method, change, done(change, "goes on"))


@app.command("cancel")
def cancel_work(context: typer.Context, goal: Goal, work: Work, *, reason: Reason = None, yes: Yes = False) -> None:
    """Give a work item up."""
    console = console_of(context)
    again = ("harnctl", "work", "cancel", goal, work)
    why = words(console, reason, about=f"why {work} of {goal} is given up", again=again, option="--reason")
    agree(console, f"Give up {work} of {goal} for good?", yes=yes, again=(*again, "--reason", why))
    request = CancelWork(key=new_key(), goal=ids.GoalId(goal), work=ids.WorkId(work), reason=why)
    change = console.ask(request)
    console.show(request.method, change, done(change, "cancelled"))


def _subject(view: WorkView, console: Console, dispose: list[str], named: list[str]) -> Subject:
    """Return what an accept is about."""
    answers = [word for answer in dispose for word in ("--dispose", answer)]
    answers += [word for doubt in named for word in ("--acknowledge", doubt)]
    return Subject(
        name=f"{view.work} of {view.goal}",
        digest=view.proof_digest if view.state is WorkState.IN_REVIEW else None,
        state=view.state,
        blocks=render.result(view, console.now()),
        again=("harnctl", "work", "accept", view.goal, view.work, *answers),
        look=f"harnctl work show {view.goal} {view.work}",
        undecidable="work.not_in_review",
        stale="work.stale_proof",
    )


def _asked_about(console: Console, findings: list[FindingView]) -> dict[str, str]:
    """Ask a person about each finding; where nobody can be asked, the daemon says which answers it lacks."""
    if not console.is_interactive:
        return {}
    answers = ((found.id, console.question(f"{found.id}: {found.text}  fixed, or why not now?")) for found in findings)
    return {name: answer if answer == FIXED else DEFERRED + answer for name, answer in answers if answer}


def _acknowledged(console: Console, doubts: list[DoubtView]) -> list[str]:
    """Ask a person about each doubt; a yes to the work is none to them, nor is --yes."""
    if not console.is_interactive:
        return []
    return [doubt.name for doubt in doubts if console.confirm(f"{doubt.name} ({doubt.said}): accept it all the same?")]
