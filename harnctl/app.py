"""The command line: every verb under its noun, and one place where every ending becomes an exit code.

The options of every verb (`--json`, `--state`, `--socket`) may stand before or after it.  A verb imports for itself
what loads anyio, rich or prompt_toolkit: `harnctl --help` pays for everything that is imported here.
"""

import os
from collections.abc import Iterator, Sequence
from importlib import import_module
from pathlib import Path
from typing import Annotated, Final

import typer
from typer.core import TyperCommand, TyperGroup, TyperOption
from typer.main import get_command

from harnctl.client import ClientError
from harnctl.commands import daemon, doctor, events, goal, inbox, init, later, plan, work
from harnctl.commands.options import console_of
from harnctl.console import Console
from harnctl.failures import Failure
from harnctl.render.blocks import Paragraph, Verbatim
from protocol.errors import Exit

NAME: Final = "harnctl"
INTERRUPTED: Final = 130  # what a shell reports of a program that Ctrl-C ended
PIPE_CLOSED: Final = 141  # and of one whose reader went away

app = typer.Typer(
    help="Speak to harnd, which carries long-running goals through coding agents.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,  # no markup anywhere, and no rich for the help
)


def run_demo(context: typer.Context) -> None:
    """Carry a small goal through a scripted agent, without an account."""
    import_module("harnctl.commands.demo").demo(console_of(context))


app.command("init")(init.init)
app.command("demo")(run_demo)
app.command("doctor")(doctor.show_doctor)
app.command("status")(daemon.show_status)
app.command("inbox")(inbox.list_inbox)
app.command("why")(inbox.show_why)
app.command("budget")(daemon.show_budget)
app.command("events")(events.list_events)
app.command("ps")(daemon.list_processes)
app.add_typer(goal.app, name="goal")
app.add_typer(plan.app, name="plan")
app.add_typer(work.app, name="work")
later.add_to(app)
later.add_to(goal.app, "goal")
later.add_to(plan.app, "plan")
later.add_to(work.app, "work")


def _print_version(context: typer.Context, *, wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version  # noqa: PLC0415 - it reads the file system

        console_of(context).say([Paragraph(f"{NAME} {version('harnd')}")])
        raise typer.Exit


@app.callback()
def top(*, version: Annotated[bool, typer.Option("--version", callback=_print_version, is_eager=True)] = False) -> None:
    """Take the options that stand before a verb."""


def run(argv: Sequence[str], console: Console) -> int:
    """Run one command line and return what to exit with."""
    before_operands = argv[: argv.index("--")] if "--" in argv else argv
    console.json = "--json" in before_operands  # known before parsing, which may fail
    try:
        code = _run(argv, console)
        console.out.flush()
    except BrokenPipeError:  # `harnctl events | head`: nobody reads on, which is no error
        os.dup2(os.open(os.devnull, os.O_WRONLY), console.out.fileno())
        return PIPE_CLOSED
    return code


def _run(argv: Sequence[str], console: Console) -> int:
    command = command_tree()
    try:
        with command.make_context(NAME, list(argv), obj=console) as context:
            command.invoke(context)
    except typer.Exit as ended:
        return ended.exit_code
    except KeyboardInterrupt:
        console.tell([Paragraph("interrupted; what harnd is doing goes on")])
        return INTERRUPTED
    except ClientError as error:
        return console.fail(error)
    except typer.TyperException as error:
        return _misused(console, error)
    return Exit.DONE


def command_tree() -> TyperGroup:
    """Return the tree of commands, each with the options that all of them have."""
    tree = get_command(app)
    if not isinstance(tree, TyperGroup):
        raise TypeError("harnctl has verbs")
    for command in _every(tree):
        command.params.extend(_common_options())
    return tree


def _every(command: TyperGroup | TyperCommand) -> Iterator[TyperGroup | TyperCommand]:
    yield command
    if isinstance(command, TyperGroup):
        for below in command.commands.values():
            if isinstance(below, TyperGroup | TyperCommand):
                yield from _every(below)


def _common_options() -> Iterator[TyperOption]:
    for name, metavar, told in (
        ("--json", None, "Answer with one JSON document."),
        ("--state", "DIR", "The daemon's state directory, instead of HARND_STATE."),
        ("--socket", "PATH", "The daemon's socket, instead of HARND_SOCKET."),
    ):
        yield TyperOption(
            param_decls=[name],
            is_flag=metavar is None,
            type=bool if metavar is None else str,
            metavar=metavar,
            help=told,
            expose_value=False,
            callback=_remember,
        )


def _remember(context: typer.Context, option: typer.CallbackParam, value: object) -> None:
    """Keep what was said of the daemon; one that was said twice counts the last time."""
    console = console_of(context)
    match option.name, value:
        case "json", True:
            console.json = True
        case "state", str(path):
            console.state = Path(path)
        case "socket", str(path):
            console.socket = Path(path)
        case _:
            pass


def _misused(console: Console, error: typer.TyperException) -> int:
    """Report a command line that cannot be read, and how it could be."""
    context = getattr(error, "ctx", None)  # only some of these errors know where they happened
    path = str(getattr(context, "command_path", NAME))
    message = error.format_message()
    if message.startswith("Usage: "):  # nothing but a noun was typed, and the error is its help
        console.tell([Verbatim(message)])
        message = "Missing command."
    return console.fail(Failure("usage", message, fix=f"{path} --help"))
