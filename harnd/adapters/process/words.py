"""Words for a person: one sentence on why a program was not started, or how it was ended."""

import errno as errnos
import os
import shutil
from pathlib import Path
from typing import Final

from harnd.ports.sessions import Ending
from protocol.values import SECOND, Micros

SHIM_KILLED: Final = "shim"  # what was in the way of a result while the daemon lived
RECEIPT_REMOVED: Final = "receipt"


def unwatched(what: str) -> str:
    """Say how the agent, or whoever else it was, broke the watch over it; empty when nobody did."""
    match what:
        case "shim":
            return "How it ended is not known: its shim was killed."
        case "receipt":
            return "How it ended is not known: its receipt was removed."
        case _:
            return ""


def not_started(argv: tuple[str, ...], *, cwd: str, path: str, what: str, errno: int) -> str:
    """Say what was in the way, naming the program and where it was looked for."""
    program, reason = argv[0], os.strerror(errno)
    match what, errno:
        case "cwd", _:
            return f"{program} was not started: the directory {cwd} to start it in: {reason}."
        case "stdin", _:
            return f"{program} was not started: its standard input: {reason}."
        case _, errnos.ENOENT | errnos.ENOTDIR | errnos.EACCES:
            return f"{program} was not started: {_unusable(program, cwd=cwd, path=path, reason=reason)}."
        case _, errnos.ENOEXEC:
            return f"{program} was not started: it is neither a binary for this machine nor a script with a #! line."
        case _, errnos.E2BIG:
            return f"{program} was not started: its arguments and environment are larger than the kernel allows."
        case _:
            return f"{program} was not started: {reason}."


def obstacle(program: str, path: str) -> str | None:
    """Say why a program, by name or absolute path, cannot be started; None when nothing is in the way."""
    found = _find(program, cwd="/", path=path)
    if found is not None and found.is_file() and os.access(found, os.X_OK):
        interpreter = _interpreter(found)
        if not interpreter or Path(interpreter).exists():
            return None
    reason = os.strerror(errnos.ENOENT if found is None else errnos.EACCES)
    return f"{program} cannot be started: {_unusable(program, cwd='/', path=path, reason=reason)}."


def _unusable(program: str, *, cwd: str, path: str, reason: str) -> str:
    found = _find(program, cwd=cwd, path=path)
    if found is None and "/" in program:
        return reason
    if found is None:
        return f"no executable of that name on PATH ({path})"
    if (interpreter := _interpreter(found)) and not Path(interpreter).exists():
        return f"{found} asks for the interpreter {interpreter}, which is not there"
    return f"{found}: {reason}"


def _find(program: str, *, cwd: str, path: str) -> Path | None:
    if "/" in program:
        file = Path(cwd, program)
        return file if file.exists() else None
    found = shutil.which(program, path=path)
    return Path(found) if found else None


def _interpreter(program: Path) -> str:
    try:
        with program.open("rb") as file:
            first = file.readline(256)
    except OSError:
        return ""
    words = first.removeprefix(b"#!").split() if first.startswith(b"#!") else []
    return os.fsdecode(words[0]) if words else ""


def ended(ending: Ending, *, killed: int, limit: Micros, last_words: str) -> str:
    """Say how it ended when it did not simply exit; empty when it did."""
    seconds = f"{limit / SECOND:g} s"
    match ending:
        case Ending.EXITED:
            return f"Processes it left running, ended by harnd: {killed}." if killed else ""
        case Ending.TIMED_OUT:
            return f"It was still running after {seconds} and was ended."
        case Ending.SILENT_AT_START:
            said = f"; the last it showed: {last_words}" if last_words else ""
            return f"It wrote no line within {seconds} of its start; it may need an interactive set-up first{said}"
        case Ending.STALLED:
            return f"It fell silent for {seconds} and was ended."
        case Ending.LOST:
            return "The daemon died while it ran, and everything it had started was ended."
        case Ending.INTERRUPTED:
            return "It was interrupted by a stop."
        case Ending.NOT_STARTED:
            return "It was not started."
