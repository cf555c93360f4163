"""`harnctl init`: the files of a first goal, ready to be edited.

They go to `.harnd/` at the top of the repository, out of the way of the code.  Nothing is overwritten unless asked,
and then only what would be written; no daemon is needed.
"""

import json
import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Final

import msgspec
import typer

from harnctl.commands.files import absolute
from harnctl.commands.options import console_of
from harnctl.failures import Failure
from harnctl.render.blocks import Block, Gap, Line, Paragraph, Span, Style, command
from harnctl.render.sanitise import sanitise
from protocol.bounds import TITLE_CHARS

STARTER: Final = Path(__file__).parents[1] / "starter"
PLACE: Final = ".harnd"
MAIN: Final = "goal.toml"
ID_CHARS: Final = 63

Where = Annotated[Path | None, typer.Argument(metavar="[DIR]", help="Where to write; .harnd in the repository.")]
Force = Annotated[bool, typer.Option("--force", help="Overwrite files that are there.")]


class Begun(msgspec.Struct, frozen=True):
    """What `init` wrote."""

    goal: str
    repository: str
    files: tuple[str, ...]


def init(context: typer.Context, directory: Where = None, *, force: Force = False) -> None:
    """Write the files of a first goal into this repository."""
    console = console_of(context)
    top = _top_of_repository(directory or Path())
    place = directory or top / PLACE
    goal = goal_id(top.name)
    written = {place / name: filled(text, goal=goal, top=top, place=place) for name, text in starter_files()}
    _write(written, force=force)
    begun = Begun(goal, str(top), tuple(map(_near, written)))
    console.show("init", begun, _told(begun))


def goal_id(name: str) -> str:
    """Make a goal's id out of the name of a directory."""
    words = re.sub(r"[^a-z0-9]+", "-", name.lower())
    return words.strip("-")[:ID_CHARS].rstrip("-") or "goal"


def filled(text: str, *, goal: str, top: Path, place: Path) -> str:
    """Fill a starter file in: the goal's name, and where its repository lies from there."""
    title = sanitise(f"What is next for {top.name}")[:TITLE_CHARS]
    repository = os.path.relpath(top.resolve(), place.resolve())
    text = text.replace("@GOAL@", goal).replace("@TITLE@", json.dumps(title, ensure_ascii=False)[1:-1])
    return text.replace('repository = "."', f"repository = {json.dumps(repository, ensure_ascii=False)}", 1)


def starter_files() -> Iterator[tuple[str, str]]:
    """Yield every starter file by its relative name."""
    for path in sorted(STARTER.rglob("*.toml")):
        yield path.relative_to(STARTER).as_posix(), path.read_text(encoding="utf-8")


def _top_of_repository(start: Path) -> Path:
    """Return the top of the working tree that `start` is in, whether or not `start` is there yet."""
    near = absolute(start)
    while not os.path.isdir(near):  # noqa: PTH112 - `is_dir` raises for a name that is too long
        near = near.parent
    found = subprocess.run(["git", "-C", near, "rev-parse", "--show-toplevel"], capture_output=True, check=False)
    if found.returncode:
        raise Failure("repository.missing", f"{near} is in no git repository", fix="git init")
    return Path(os.fsdecode(found.stdout.removesuffix(b"\n")))


def _write(written: dict[Path, str], *, force: bool) -> None:
    there = [_near(path) for path in written if os.path.lexists(path)]
    if there and not force:
        raise Failure("file.exists", f"{', '.join(there)}: already there, and nothing was written", fix="add --force")
    try:
        for path, text in written.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise Failure("file.unwritable", f"{error.filename} cannot be written: {error.strerror}") from error


def _near(path: Path) -> str:
    """Write a path the short way when it lies below the current directory."""
    here = Path.cwd()
    return str(path.absolute().relative_to(here)) if path.absolute().is_relative_to(here) else str(path.absolute())


def _told(begun: Begun) -> Iterator[Block]:
    yield from (Line((Span("wrote ", Style.GOOD), Span(path))) for path in begun.files)
    yield Gap()
    yield Paragraph("Say in them what you want and how it is proven, and name your agent.  Then:")
    main = next(path for path in begun.files if Path(path).name == MAIN)
    yield command("goal", "create", main)
