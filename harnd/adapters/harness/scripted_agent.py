"""The scripted agent: a program that does what a script says for its prompt.

    scripted_agent SCRIPT PROMPT_FILE

It works in the current directory, reports on standard output and keeps no state.  It exits with the rule's code, with
64 when no rule matches, with 65 when the script cannot be read, and with 66 when the prompt cannot.  It imports
little, so that many can be started.
"""

import os
import signal
import sys
import time
from pathlib import Path
from typing import NoReturn

from harnd.adapters.harness.script import (
    Delete,
    Hang,
    Leave,
    Print,
    Say,
    Sleep,
    Step,
    Turn,
    Write,
    answer_line,
    progress_line,
    turn_for,
)
from harnd.adapters.harness.script_reader import ScriptError, read_script

NO_RULE = 64
BAD_SCRIPT = 65
NO_PROMPT = 66


def main() -> None:
    """Read the script and the prompt, act, answer."""
    script_path, prompt_path = Path(sys.argv[1]), Path(sys.argv[2])
    try:
        script = read_script(script_path.read_text(encoding="utf-8"), name=script_path.name)
    except (OSError, UnicodeDecodeError) as error:
        _give_up(BAD_SCRIPT, f"{script_path}: {error}")
    except ScriptError as error:
        _give_up(BAD_SCRIPT, "\n".join(error.problems))
    try:
        prompt = prompt_path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        _give_up(NO_PROMPT, f"{prompt_path}: {error}")
    turn = turn_for(script, prompt)
    if turn is None:
        _give_up(NO_RULE, f"no rule of {script_path} matches the prompt")
    sys.exit(_play(turn))


def _give_up(code: int, why: str) -> NoReturn:
    _write(2, f"{why}\n")
    sys.exit(code)


def _play(turn: Turn) -> int:
    if turn.stubborn:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    for step in turn.steps:
        _do(step)
    if turn.answer is not None:
        _write(1, answer_line(turn))
    return turn.exit


def _do(step: Step) -> None:
    match step:
        case Write(path=path, text=text, append=append):
            _put(Path(path), text, append=append)
            _write(1, progress_line(f"{'appended to' if append else 'wrote'} {path}"))
        case Delete(path=path):
            Path(path).unlink(missing_ok=True)
            _write(1, progress_line(f"deleted {path}"))
        case Say(text=text):
            _write(1, progress_line(text))
        case Print(text=text, stream=stream):
            _write(1 if stream == "stdout" else 2, text)
        case Hang():
            signal.pause()
        case Sleep(seconds=seconds):
            time.sleep(seconds)
        case Leave(seconds=seconds, lineage=lineage):
            _leave(seconds, lineage)


def _put(path: Path, text: str, *, append: bool) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a" if append else "w", encoding="utf-8", newline="") as file:
        file.write(text)


def _leave(seconds: float, lineage: str) -> None:
    """Leave a process behind; it holds on to our output, as careless tools do."""
    if child := os.fork():
        if lineage == "orphan":
            os.waitpid(child, 0)
        return
    if lineage != "child":
        os.setsid()
    if lineage == "orphan" and os.fork():
        os._exit(0)
    time.sleep(seconds)
    os._exit(0)


def _write(stream: int, text: str) -> None:
    chunk = text.encode("utf-8", "replace")
    while chunk:
        chunk = chunk[os.write(stream, chunk) :]
