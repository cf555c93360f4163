"""Writing: longer words of a person, from the command line, a pipe or their editor."""

import os
import shlex
import subprocess
import tempfile
from pathlib import Path

from harnctl.console import Console
from harnctl.failures import Failure

PIPED = "-"


def words(
    console: Console, given: str | None, *, about: str, again: tuple[str, ...], option: str = "--guidance"
) -> str:
    """Return what the person has to say: as given, from standard input for `-`, else from their editor.

    `again` is the command to type where nobody can be asked, up to the words that are missing.
    """
    if given is None and console.is_interactive:
        return edited(console, about=about)
    text = console.stdin.read() if given == PIPED else given
    if text is None or not text.strip():
        piped = f", or {option} - and the text on standard input" if option != "--finding" else ""
        raise Failure("usage", f"{about}: give {option} TEXT{piped}", fix=shlex.join((*again, option, "TEXT")))
    return text.strip()


def edited(console: Console, *, about: str) -> str:
    """Open the person's editor and return what they wrote; an empty text takes everything back."""
    editor = console.environ.get("VISUAL") or console.environ.get("EDITOR") or "vi"
    with tempfile.TemporaryDirectory(prefix="harnctl-") as directory:
        draft = Path(directory) / "words.md"
        draft.write_text(f"\n# {about}\n# Lines that begin with # are left out; an empty text changes nothing.\n")
        _run([*shlex.split(editor), os.fspath(draft)])
        written = draft.read_text(encoding="utf-8", errors="replace")
    text = "\n".join(line for line in written.splitlines() if not line.startswith("#")).strip()
    if not text:
        raise Failure("decision.declined", "nothing was written, so nothing was changed")
    return text


def _run(command: list[str]) -> None:
    try:
        ended = subprocess.run(command, check=False)
    except OSError as error:
        raise Failure("usage", f"the editor {command[0]} does not start: {error.strerror}", fix="set EDITOR") from error
    if ended.returncode:
        raise Failure("decision.declined", f"the editor ended with {ended.returncode}, so nothing was changed")
