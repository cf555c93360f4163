"""Verbs of later releases: known by name, refused in one sentence, and left out of the help.

A name that is refused today cannot mean something else tomorrow, and a script that tries one is told why it failed.
"""

from collections.abc import Mapping
from typing import Final

import typer

from harnctl.failures import Failure

VERBS: Final[Mapping[str, str]] = {
    "": """
        tui watch gc drain backup restore verify export import gate mcp schema completion
        approval review review-job policy config service
    """,
    "goal": "fork extend reopen pause resume archive",
    "plan": "diff edit",
    "work": "resolve",
}


def refuse(context: typer.Context) -> None:
    """Say that a verb is not there yet."""
    verb = context.command_path.removeprefix("harnctl ")
    raise Failure("feature.not_built", f"`{verb}` is not part of this release", fix="harnctl --help")


def add_to(app: typer.Typer, noun: str = "") -> None:
    """Add what is refused under a noun, or at the top."""
    anything = {"ignore_unknown_options": True, "allow_extra_args": True}
    for verb in VERBS[noun].split():
        app.command(verb, hidden=True, add_help_option=False, context_settings=anything)(refuse)
