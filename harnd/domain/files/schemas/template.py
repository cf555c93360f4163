"""The keys of a template file: stages and proofs."""

from collections.abc import Mapping
from typing import Final

from harnd.domain.dialect import Schema
from harnd.domain.files.keys import lasting, not_built, of_form, several, table, text, whole, yes_or_no
from harnd.domain.files.schemas.forms import FORM, OUTPUT, REPOSITORY_PATH, argv
from protocol import bounds, ids
from protocol.values import Risk

_STAGE_NAME: Final = of_form(f"the stage's name, of {FORM}", ids.NAME)
_OUTPUT_NAME: Final = of_form("a name of small letters, digits and underscores", OUTPUT)
_COMMAND_TIMEOUT: Final = lasting("how long the command may take", bounds.COMMAND_TIMEOUT_S)


def _stage(kind: str, keys: Mapping[str, Schema], *required: str) -> Schema:
    return table({"kind": {"const": kind}, "name": _STAGE_NAME, **keys}, required=("name", *required))


_PREPARE: Final = _stage(
    "prepare",
    {
        "argv": argv("the command that builds what proofs need"),
        "timeout": _COMMAND_TIMEOUT,
        "files": several(
            "the files and folders of the repository that the result depends on; with them it is built once and kept",
            of_form("a path in the repository, without `..`", REPOSITORY_PATH, maxLength=bounds.PATH_CHARS),
            bounds.DECLARED_PATHS,
            uniqueItems=True,
        ),
    },
    "argv",
)
_AGENT: Final = _stage(
    "agent",
    {
        "specialist": of_form("who does it, a name in the team file", ids.NAME),
        "prompt": text("what the agent is asked", bounds.PERSON_FILE_BYTES),
        "inputs": several(
            "outputs of earlier stages that the prompt names", _OUTPUT_NAME, bounds.STAGES, uniqueItems=True
        ),
        "output": _OUTPUT_NAME,
    },
    "specialist",
    "prompt",
)
_COMMAND: Final = _stage(
    "command",
    {"argv": argv("the command, which must exit 0"), "timeout": _COMMAND_TIMEOUT, "output": _OUTPUT_NAME},
    "argv",
)
_PARALLEL: Final = _stage(
    "parallel",
    {"stages": several("`agent` and `command` stages", {"oneOf": [_AGENT, _COMMAND]}, bounds.STAGES, least=1)},
    "stages",
)
_APPROVE: Final = _stage(
    "approve",
    {
        "question": text("what a person is asked before the attempt goes on", bounds.QUESTION_CHARS),
        "risk": {
            "type": "string",
            "enum": [str(risk) for risk in Risk],
            "default": str(Risk.MEDIUM),
            "description": "how much hangs on the answer; the more, the shorter it is waited for",
        },
    },
    "question",
)


def _stage_not_built(kind: str, what: str) -> Schema:
    return {"type": "object", "properties": {"kind": {"const": kind, **not_built(what)}}}


STAGES: Final[Mapping[str, Schema]] = {
    "prepare": _PREPARE,
    "agent": _AGENT,
    "command": _COMMAND,
    "parallel": _PARALLEL,
    "approve": _APPROVE,
    "review": _stage_not_built("review", "a stage that reviews; leave the stage out"),
}

PROOF: Final = table(
    {
        "name": of_form(f"the proof's name, of {FORM}", ids.NAME),
        "argv": argv("the command whose exit code 0 is the proof"),
        "timeout": _COMMAND_TIMEOUT,
        "proves": several(
            "the criteria of the work item that it satisfies; none named: all",
            of_form(f"`WC-1` to `WC-{bounds.CRITERIA}`", f"WC-(?:{'|'.join(map(str, range(1, bounds.CRITERIA + 1)))})"),
            bounds.CRITERIA,
            uniqueItems=True,
        ),
        "red_then_green": yes_or_no(
            "whether it must fail on the commit that the work item started from, where it is run first", default=False
        ),
        "reruns": whole(
            "how often it is run again when it does not pass; one that passes then is flaky, and satisfies nothing",
            bounds.RERUNS,
        ),
    },
    required=("name", "argv"),
)

TEMPLATE: Final = table(
    {
        "name": of_form(f"the template's name, of {FORM}", ids.NAME),
        "purpose": text("what kind of work it is for; the planner reads it", bounds.GUIDANCE_CHARS),
        "root": yes_or_no("whether it may stand at the end of a plan", default=False),
        "max_attempts": whole("how many attempts at one work item", bounds.TEMPLATE_ATTEMPTS),
        "stages": several("what is done, in order", {"oneOf": list(STAGES.values())}, bounds.STAGES, least=1),
        "proofs": several("the commands that prove it", PROOF, bounds.PROOF_COMMANDS, least=1),
        "protected_paths": several(
            "files, folders and globs of the repository; who accepts work that changed any names each that it changed",
            of_form("a path in the repository, without `..`", REPOSITORY_PATH, maxLength=bounds.PATH_CHARS),
            bounds.DECLARED_PATHS,
            uniqueItems=True,
        ),
    },
    required=("name", "purpose", "stages", "proofs"),
)
