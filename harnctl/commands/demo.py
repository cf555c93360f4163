"""`harnctl demo`: a small goal carried through by a daemon of its own, with agents that follow a script.

Everything happens in a fresh directory, which is kept; the person's own daemon, home and repositories are not touched.
"""

import random
from typing import Annotated

import typer

from harnctl.commands.options import Yes, console_of
from harnctl.console import Console
from harnctl.demo.stage import Stage
from harnctl.failures import Failure

SEEDS = 10_000

WithChaos = Annotated[bool, typer.Option("--chaos", help="Kill the daemon again and again; CHAOS=1 does the same.")]
InTui = Annotated[bool, typer.Option("--tui", help="Decide in the TUI; TUI=1 does the same.")]
Seed = Annotated[int | None, typer.Option("--seed", metavar="N", help="Which kills to repeat; SEED=N does the same.")]


def demo(
    context: typer.Context, *, chaos: WithChaos = False, seed: Seed = None, tui: InTui = False, yes: Yes = False
) -> None:
    """Carry a small goal through a scripted agent, without an account."""
    console = console_of(context)
    chosen = _seed(console, seed) if chaos or _is_set(console, "CHAOS") else None
    in_tui = tui or _is_set(console, "TUI")
    if in_tui and not console.has_screen:
        raise Failure("usage", "a demo in the TUI needs a terminal at both ends", fix="harnctl demo")
    stage = Stage(console, seed=chosen, yes=yes or _is_set(console, "YES"), tui=in_tui)
    raise typer.Exit(stage.perform())


def _is_set(console: Console, name: str) -> bool:
    return console.environ.get(name, "") not in {"", "0"}


def _seed(console: Console, given: int | None) -> int:
    named = console.environ.get("SEED", "")
    if given is None and named:
        if not named.isdecimal():
            raise Failure("usage", f"SEED is a whole number, not {named!r}")
        return int(named)
    return random.SystemRandom().randrange(SEEDS) if given is None else given
