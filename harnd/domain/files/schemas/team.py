"""The keys of a team file, with the options of the harness that each member names."""

from collections.abc import Mapping
from typing import Final

from harnd.domain.dialect import Schema
from harnd.domain.files.keys import lasting, not_built, of_form, several, table, text, whole
from harnd.domain.files.schemas.forms import FORM
from harnd.domain.files.source import At
from protocol import bounds, ids

SPECIALIST: Final[Mapping[str, Schema]] = {
    "harness": {"type": "string", "description": "the way to reach the agent"},
    "model": text("the model, in the harness's own words", bounds.TITLE_CHARS),
    "effort": text("how hard the model thinks, in the harness's own words", bounds.LABEL_CHARS),
    "instructions": text("what this specialist is told before every task", bounds.INSTRUCTIONS_CHARS),
    "env": several(
        "the environment variables that are passed on to the agent, by name",
        of_form("the name of an environment variable", ids.ENV_NAME),
        bounds.ENV_NAMES,
        distinct=True,
    ),
    "timeout": lasting("how long one call may take", bounds.AGENT_TIMEOUT_S),
    "startup_silence": lasting("how long a call may say nothing at first", bounds.STARTUP_SILENCE_S),
    "silence": lasting("how long a call may say nothing in between", bounds.SILENCE_S),
    "max_turns": whole("how many turns one call may take", bounds.MAX_TURNS),
    "schema_attempts": whole("how often an answer of the wrong form is asked for", bounds.SCHEMA_ATTEMPTS),
}

_PLANNED_HARNESSES: Final = ("claude", "codex", "opencode", "gemini", "qwen", "acp", "openai_http")


def team(members: At, harnesses: Mapping[str, Schema]) -> Schema:
    """Declare a team file: each member may also have the options of the harness that it names."""
    return {
        "type": "object",
        "properties": {name: _specialist(member, harnesses) for name, member in members.entries().items()},
        "propertyNames": of_form(f"a name of {FORM}", ids.NAME),
        "minProperties": 1,
        "maxProperties": bounds.SPECIALISTS,
    }


def _specialist(member: At, harnesses: Mapping[str, Schema]) -> Schema:
    harness = member["harness"].value
    options = harnesses.get(harness) if isinstance(harness, str) else None
    if options is not None:
        required = ("harness", *options.get("required", ()))
        return table({**SPECIALIST, **options.get("properties", {})}, required=required)
    named: Schema = {**SPECIALIST["harness"], "enum": sorted(harnesses)}
    if harness in _PLANNED_HARNESSES:
        named = not_built(f"the harness `{harness}`; there are {', '.join(sorted(harnesses))}")
    # Whose options the other keys are is not known, so none of them can be called unknown.
    return {**table({**SPECIALIST, "harness": named}, required=("harness",)), "additionalProperties": True}
