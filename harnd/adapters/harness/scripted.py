"""The harness `scripted`: an agent that follows a script instead of a model, for demonstrations and tests.

Its options are `script`, the path of a script (see `script`), and what the agent is to be taken for: `fresh_context`
and `read_only_launch` (both true unless said).  The agent is a program of harnd's own; it takes its prompt as a file,
that of a review job is `prompt.md` itself, and reports a line of JSON for everything it does.
"""

from collections.abc import Mapping
from typing import Final

import msgspec

from harnd.adapters.harness import scripted_agent
from harnd.adapters.harness.options import BadOptionsError, Options, flag, word
from harnd.adapters.harness.reports import Answered, Progressed, Report, Speech, Stop
from harnd.adapters.process.bare import program
from harnd.ports.sessions import Capabilities, SessionTask
from protocol.values import MicroDollars

SPEECH = Speech.LINES
OPTIONS_SCHEMA: Final[Mapping[str, object]] = {
    "type": "object",
    "required": ["script"],
    "additionalProperties": False,
    "properties": {
        "script": {"type": "string", "minLength": 1, "description": "the absolute path of the script"},
        "fresh_context": {"type": "boolean", "description": "whether it starts without history"},
        "read_only_launch": {"type": "boolean", "description": "whether it cannot write"},
    },
}
_OPTIONS = frozenset({"script", "fresh_context", "read_only_launch"})


class _Line(msgspec.Struct):
    type: str
    text: str = ""
    stop: Stop = Stop.FINISHED
    tokens: int | None = None
    cost: MicroDollars | None = None


def capabilities(options: Options) -> Capabilities:
    """Declare what the agent can do: it tells what it used, and remembers nothing unless it is to be taken for so."""
    return Capabilities(
        reports_tokens=True,
        reports_cost=True,
        fresh_context=flag(options, "fresh_context", default=True),
        read_only_launch=flag(options, "read_only_launch", default=True),
    )


def command_line(task: SessionTask, prompt_path: str) -> list[str]:
    """Start the agent on its script and its prompt; raises `BadOptionsError`."""
    options = dict(task.options)
    if unknown := sorted(options.keys() - _OPTIONS):
        raise BadOptionsError(f"the harness scripted has no option {', '.join(unknown)}")
    return [*program(scripted_agent.__name__), word(options, "script"), prompt_path]


def is_quiet(options: Options) -> bool:
    """Tell whether silence means nothing; the agent reports whatever it does."""
    del options
    return False


def read_report(line: bytes) -> Report | None:
    """Understand one line; None when it is not the agent's."""
    try:
        read = _DECODER.decode(line)
    except msgspec.MsgspecError:
        return None
    match read.type:
        case "answer":
            return Answered(read.text, read.stop, read.tokens, read.cost)
        case "started" | "did":
            return Progressed()
        case _:
            return None


_DECODER = msgspec.json.Decoder(_Line)
