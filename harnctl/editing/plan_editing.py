"""Editing a plan: the person's editor on its text, again and again until the daemon takes it or they give up.

What was written is never lost: until it was taken it stays in a file of its own, which is named when something goes
wrong.
"""

import os
import shlex
import tempfile
from collections.abc import Callable
from pathlib import Path

from harnctl.client import Refused
from harnctl.console import Console
from harnctl.editing.plan_text import plan_text, with_problems, without_problems
from harnctl.editing.terminal import edit
from harnctl.failures import Failure
from harnctl.render.blocks import Paragraph
from harnctl.render.error import problems
from protocol.replies import Done
from protocol.views import PlanView, ProblemView

INVALID = "plan.invalid_edit"


def edited(console: Console, plan: PlanView, send: Callable[[bytes], Done]) -> Done:
    """Have a plan edited and sent; raises `Failure` when nothing was changed, and whatever refuses it at last."""
    text = plan_text(plan)
    file = _file(plan)
    try:
        done = _until_taken(console, file, text, send)
    except BaseException:
        if without_problems(_kept(file)) in ("", text):
            file.unlink(missing_ok=True)
        else:
            again = shlex.join(("harnctl", "plan", "edit", plan.goal, str(plan.plan), "--file", str(file)))
            console.say([Paragraph(f"What was written is kept in {file}: {again}")])
        raise
    file.unlink(missing_ok=True)
    return done


def _until_taken(console: Console, file: Path, text: str, send: Callable[[bytes], Done]) -> Done:
    found: tuple[ProblemView, ...] = ()
    while True:
        _write(file, with_problems(text, found))
        edit(console, file)
        written = without_problems(_read(file))
        if written == text:
            raise Failure("decision.declined", "nothing was changed")
        try:
            return send(written.encode())
        except Refused as refused:
            text, found = written, tuple(problems(refused))
            if refused.code != INVALID or not found:
                raise


def _kept(file: Path) -> str:
    try:
        return file.read_bytes().decode(errors="replace")
    except OSError:
        return ""


def _file(plan: PlanView) -> Path:
    try:
        descriptor, name = tempfile.mkstemp(prefix=f"harnctl-{plan.goal}-plan-{plan.plan}-", suffix=".toml")
        os.close(descriptor)
    except OSError as error:
        raise _unwritable(error) from error
    return Path(name)


def _write(file: Path, text: str) -> None:
    try:
        file.write_text(text, encoding="utf-8")
    except OSError as error:
        raise _unwritable(error) from error


def _read(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise Failure("decision.declined", "what was written is not UTF-8, so nothing was changed") from error
    except OSError as error:
        said = f"the editor took {file} away, so nothing was changed"
        raise Failure("decision.declined", said) from error


def _unwritable(error: OSError) -> Failure:
    said = f"no file can be made to write in: {error.strerror or error}"
    return Failure("file.unwritable", said, fix="set TMPDIR")
