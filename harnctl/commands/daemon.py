"""`harnctl status`, `ps` and `budget`: the daemon in one look, what runs, and what is spent."""

import typer

from harnctl.commands.options import Goal, console_of
from harnctl.render import daemon as render
from protocol import ids
from protocol.requests import ListProcesses, ShowBudget, ShowStatus


def show_status(context: typer.Context) -> None:
    """Show the daemon in one look."""
    console = console_of(context)
    status = console.ask(ShowStatus())
    console.show(ShowStatus.method, status, render.status(status))


def list_processes(context: typer.Context) -> None:
    """List every live process that harnd started."""
    console = console_of(context)
    processes = console.ask(ListProcesses())
    console.show(ListProcesses.method, processes, render.processes(processes))


def show_budget(context: typer.Context, goal: Goal) -> None:
    """Show what a goal may spend and has spent."""
    console = console_of(context)
    request = ShowBudget(ids.GoalId(goal))
    budget = console.ask(request)
    console.show(request.method, budget, render.budget(budget))
