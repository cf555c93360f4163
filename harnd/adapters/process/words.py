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

ENV: Final = "env"  # finds the interpreters of scripts that name no path
NOT_FOUND: Final = 127  # its exit code when it does not


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


def not_found(argv: tuple[str, ...], *, cwd: str, path: str) -> str:
    """Say what env(1) looked for in vain on behalf of a script that ended with `NOT_FOUND`; empty when it found it."""
    found = _find(argv[0], cwd=cwd, path=path)
    lack = _lack(found, path) if found is not None else ""
    return lack and f"{argv[0]} was not started: {lack}."


def obstacle(program: str, path: str) -> str | None:
    """Say why a program, by name or absolute path, cannot be started; None when nothing is in the way."""
    found = _find(program, cwd="/", path=path)
    if found is not None and found.is_file() and os.access(found, os.X_OK) and not _lack(found, path):
        return None
    reason = os.strerror(errnos.ENOENT if found is None else errnos.EACCES)
    return f"{program} cannot be started: {_unusable(program, cwd='/', path=path, reason=reason)}."


def _unusable(program: str, *, cwd: str, path: str, reason: str) -> str:
    found = _find(program, cwd=cwd, path=path)
    if found is None and "/" in program:
        return reason
    if found is None:
        return f"no executable of that name on PATH ({path})"
    return _lack(found, path) or f"{found}: {reason}"


def _find(program: str, *, cwd: str, path: str) -> Path | None:
    if "/" in program:
        file = Path(cwd, program)
        return file if file.exists() else None
    found = shutil.which(program, path=path)
    return Path(found) if found else None


def _lack(program: Path, path: str) -> str:
    """Say which interpreter a script asks for in vain; empty for a binary, and when there is one."""
    match _first_words(program):
        case [interpreter, *_] if not Path(interpreter).exists():
            return f"{program} asks for the interpreter {interpreter}, which is not there"
        case [interpreter, *asked] if Path(interpreter).name == ENV:
            wanted = asked[1:] if asked[:1] == ["-S"] else asked
            # Further options and assignments of env(1) are not understood here, and what they ask for is not judged.
            if wanted and not wanted[0].startswith("-") and "=" not in wanted[0] and not _on_path(wanted[0], path):
                return f"{program} asks for {wanted[0]}, and there is no executable of that name on PATH ({path})"
        case _:
            pass
    return ""


def _on_path(name: str, path: str) -> bool:
    return shutil.which(name, path=path) is not None


def _first_words(program: Path) -> list[str]:
    """Return the words behind the `#!` of a script."""
    try:
        with program.open("rb") as file:
            first = file.readline(256)
    except OSError:
        return []
    return [os.fsdecode(word) for word in first[2:].split()] if first.startswith(b"#!") else []


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
