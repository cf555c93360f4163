"""Verbs of later releases: known by name, refused in one sentence, and left out of the help.

A name that is refused today cannot mean something else tomorrow, and a script that tries one is told why it failed.
"""

from collections.abc import Iterable
from typing import Final

import typer

from harnctl.failures import Failure

AT_THE_TOP: Final = (
    *("watch", "drain", "backup", "restore", "verify", "export", "import", "gate", "mcp", "schema"),
    *("completion", "review", "review-job", "policy"),
)


def refuse(app: typer.Typer, verbs: Iterable[str]) -> None:
    """Have verbs refused, with whatever follows them."""
    anything = {"ignore_unknown_options": True, "allow_extra_args": True}
    for verb in verbs:
        app.command(verb, hidden=True, add_help_option=False, context_settings=anything)(_refused)


def _refused(context: typer.Context) -> None:
    verb = context.command_path.removeprefix("harnctl ")
    raise Failure("feature.not_built", f"`{verb}` is not part of this release", fix="harnctl --help")
