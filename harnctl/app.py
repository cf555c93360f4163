"""The command line: every verb under its noun, and one place where every ending becomes an exit code.

Starting must be quick, so a verb is loaded when its name is on the command line; all others are one line of the help.
The options of every verb (`--json`, `--state`, `--socket`) may stand before or after it.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Annotated, Final

import typer
from typer.core import TyperCommand, TyperGroup, TyperOption
from typer.main import get_command

from harnctl.client import ClientError
from harnctl.commands import later
from harnctl.commands.options import console_of
from harnctl.console import Console, Lost, Undecided, turn_away
from harnctl.failures import INTERRUPTED, Failure
from harnctl.render.blocks import Paragraph, Verbatim
from protocol.errors import Exit
from protocol.socket_path import SOCKET, STATE

NAME: Final = "harnctl"
HELP: Final = "Speak to harnd, which carries long-running goals through coding agents."
PIPE_CLOSED: Final = 141  # and of one whose reader went away

# Where each verb is (a module of `harnctl.commands` and a name in it), and its line of the help.
VERBS: Final[Mapping[str, tuple[str, str, str]]] = {
    "init": ("init", "init", "Write the files of a first goal into this repository."),
    "demo": ("demo", "demo", "Carry a small goal through a scripted agent, without an account."),
    "doctor": ("doctor", "show_doctor", "Check this machine, the way to the daemon, and the daemon."),
    "status": ("daemon", "show_status", "Show the daemon in one look."),
    "inbox": ("inbox", "list_inbox", "List everything that waits for you, by risk and age."),
    "why": ("inbox", "show_why", "Show what holds a goal or a work item, and what would change it."),
    "goal": ("goal", "app", "Goals: what harnd is to bring about."),
    "plan": ("plan", "app", "Plans: proposals for the next milestone."),
    "work": ("work", "app", "Work: the items of a plan and their proofs."),
    "approval": ("approval", "app", "Approvals: what work asks of you before it goes on."),
    "budget": ("daemon", "show_budget", "Show what a goal may spend and has spent."),
    "tui": ("tui", "tui", "Answer what waits for you, across all goals, on a full screen."),
    "events": ("events", "list_events", "List what happened, oldest first; Ctrl-C only ends the listing."),
    "service": ("service", "app", "Service: harnd under your own systemd, from log-in or boot on."),
    "ps": ("daemon", "list_processes", "List every live process that harnd started."),
    "gc": ("gc", "clear_away", "Clear away what is not needed any more; nothing unsaved goes."),
    "config": ("config", "app", "The daemon's configuration: what holds, and whether a file is right."),
}


def run(argv: Sequence[str], console: Console) -> int:
    """Run one command line and return what to exit with."""
    before_operands = argv[: argv.index("--")] if "--" in argv else argv
    console.json = "--json" in before_operands  # known before parsing, which may fail
    try:
        code = _run(argv, console)
        console.out.flush()
    except BrokenPipeError:  # `harnctl events | head`: nobody reads on, which is no error
        turn_away(console.out)
        return PIPE_CLOSED
    except Lost as lost:  # while an error was reported
        return console.fail(lost)
    return code


def _run(argv: Sequence[str], console: Console) -> int:
    command = command_tree(argv)
    try:
        with command.make_context(NAME, list(argv), obj=console) as context:
            command.invoke(context)
    except typer.Exit as ended:
        return ended.exit_code
    except Undecided:
        console.tell([Paragraph("nothing was decided")])
        return INTERRUPTED
    except KeyboardInterrupt:
        console.tell([Paragraph("interrupted; what harnd is doing goes on")])
        return INTERRUPTED
    except ClientError as error:
        return console.fail(error)
    except typer.TyperException as error:
        return _misused(console, error)
    return Exit.DONE


def command_tree(named: Collection[str]) -> TyperGroup:
    """Return the tree of commands, complete where a verb is among the words of the command line."""
    # No markup anywhere, and no rich for the help.
    app = typer.Typer(help=HELP, no_args_is_help=True, add_completion=False, rich_markup_mode=None)
    app.callback()(top)
    for verb in VERBS:
        _add(app, verb, loaded=verb in named)
    later.refuse(app, (verb for verb in later.AT_THE_TOP if verb in named))
    tree = get_command(app)
    if not isinstance(tree, TyperGroup):
        raise TypeError("harnctl has verbs")
    for command in _every(tree):
        command.params.extend(_common_options())
    return tree


def _print_version(context: typer.Context, *, wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version  # noqa: PLC0415 - it loads half of the email package

        console_of(context).say([Paragraph(f"{NAME} {version('harnd')}")])
        raise typer.Exit


Version = Annotated[
    bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Show the version and exit.")
]


def top(*, version: Version = False) -> None:
    """Take the options that stand before a verb."""


def _add(app: typer.Typer, verb: str, *, loaded: bool) -> None:
    module, name, line = VERBS[verb]
    if not loaded:
        app.command(verb, help=line)(_unnamed)
        return
    found = getattr(import_module(f"harnctl.commands.{module}"), name)
    if isinstance(found, typer.Typer):
        app.add_typer(found, name=verb, help=line)
    else:
        app.command(verb, help=line)(found)


def _unnamed() -> None:
    """Stand for a verb that is not on the command line."""


def _every(command: TyperGroup | TyperCommand) -> Iterator[TyperGroup | TyperCommand]:
    yield command
    if isinstance(command, TyperGroup):
        for below in command.commands.values():
            if isinstance(below, TyperGroup | TyperCommand):
                yield from _every(below)


def _common_options() -> Iterator[TyperOption]:
    for name, metavar, told in (
        ("--json", None, "Answer with one JSON document."),
        ("--state", "DIR", f"The daemon's state directory, instead of {STATE}."),
        ("--socket", "PATH", f"The daemon's socket, instead of {SOCKET}."),
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
