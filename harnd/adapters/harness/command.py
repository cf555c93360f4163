"""The harness `command`: any program that takes its prompt as a file and answers on standard output.

Its options are

    argv                the program and its arguments; `{prompt_file}` stands for the path of the prompt (of a review
                        job, that of `prompt.md` itself), and, where the specialist has them, `{model}` and `{effort}`;
                        other braces stay as they are
    fresh_context       false when the program remembers earlier calls (default true)
    read_only_launch    true when the program cannot write (default false)
    quiet               true when it says nothing before its answer: the limits on silence do not hold then

It is given the prompt and nothing else; standard input is at its end.  It reports, gates and resumes nothing.
"""

import re
from collections.abc import Mapping
from typing import Final

from harnd.adapters.harness.options import BadOptionsError, Options, flag, words
from harnd.adapters.harness.reports import Report, Speech
from harnd.ports.sessions import Capabilities, SessionTask
from protocol import bounds

SPEECH = Speech.WHOLE
OPTIONS_SCHEMA: Final[Mapping[str, object]] = {
    "type": "object",
    "required": ["argv"],
    "additionalProperties": False,
    "properties": {
        "argv": {
            "type": "array",
            "items": {"type": "string"},
            "minItems": 1,
            "maxItems": bounds.ARGV_WORDS,
            "description": "the program and its arguments",
        },
        **{
            name: {"type": "boolean", "description": what}
            for name, what in (
                ("fresh_context", "whether it starts without history"),
                ("read_only_launch", "whether it cannot write"),
                ("quiet", "whether it says nothing before its answer"),
            )
        },
    },
}
_PLACEHOLDER = re.compile(r"\{(prompt_file|model|effort)\}")
_OPTIONS = frozenset({"argv", "fresh_context", "read_only_launch", "quiet"})


def capabilities(options: Options) -> Capabilities:
    """Declare what the program can do, as far as the operator says so."""
    return Capabilities(
        fresh_context=flag(options, "fresh_context", default=True),
        read_only_launch=flag(options, "read_only_launch", default=False),
    )


def command_line(task: SessionTask, prompt_path: str) -> list[str]:
    """Fill the placeholders of `argv`; raises `BadOptionsError`."""
    options = dict(task.options)
    if unknown := sorted(options.keys() - _OPTIONS):
        raise BadOptionsError(f"the harness command has no option {', '.join(unknown)}")
    known = {"prompt_file": prompt_path, "model": task.model, "effort": task.effort}

    def fill(match: re.Match[str]) -> str:
        value = known[match[1]]
        if value is None:
            raise BadOptionsError(f"argv names {match[0]}, and the specialist has no {match[1]}")
        return value

    return [_PLACEHOLDER.sub(fill, word) for word in words(options, "argv")]


def is_quiet(options: Options) -> bool:
    """Tell whether silence means nothing."""
    return flag(options, "quiet", default=False)


def read_report(line: bytes) -> Report | None:
    """Understand nothing: the program has no language but its answer."""
    del line
    return None
