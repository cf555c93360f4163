"""Arguments and options that several verbs share, and the console that every verb speaks through."""

import re
from typing import Annotated, Final, TypeAlias

import typer

from harnctl.console import Console
from protocol.ids import DIGEST

PREFIX: Final = 8  # digits of a digest below which two could be mixed up

Goal: TypeAlias = Annotated[str, typer.Argument(metavar="GOAL", help="The goal's id.")]
Plan: TypeAlias = Annotated[int, typer.Argument(metavar="PLAN", help="The plan's number.")]
Work: TypeAlias = Annotated[str, typer.Argument(metavar="WORK", help="The work item's id, such as p1.parser.")]
Yes: TypeAlias = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")]
Reason: TypeAlias = Annotated[
    str | None, typer.Option("--reason", metavar="TEXT", help="Why; it is kept; - reads it from stdin.")
]
Guidance: TypeAlias = Annotated[
    str | None, typer.Option("--guidance", metavar="TEXT", help="What to do differently; - reads it from stdin.")
]
Findings: TypeAlias = Annotated[
    list[str] | None, typer.Option("--finding", metavar="TEXT", help="What is wrong; may be repeated.")
]


def console_of(context: typer.Context) -> Console:
    """Return the console of this run."""
    console = context.obj
    if not isinstance(console, Console):
        raise TypeError("a verb runs under harnctl.app.run")
    return console


def _digest(given: str | None) -> str | None:
    if given is None or re.fullmatch(DIGEST, given) or re.fullmatch(f"[0-9a-f]{{{PREFIX},63}}", given):
        return given
    raise typer.BadParameter(f"a digest is the first {PREFIX} to 64 hex digits of what was shown")


Digest: TypeAlias = Annotated[
    str | None,
    typer.Option("--digest", metavar="HEX", callback=_digest, help="What was read; at least 8 digits of its digest."),
]
