"""Schemas: every key of the three kinds of files, with its bounds, its default and what it is for.

What must hold between two keys or two files is `agreement`'s matter.  The stages and parts that are designed and not
built are declared too, to be refused by name.
"""

from collections.abc import Mapping
from typing import Final

from harnd.domain.dialect import Schema
from harnd.domain.files.keys import lasting, not_built, of_form, several, table, text, whole, yes_or_no
from harnd.domain.files.source import At
from protocol import bounds, ids

_FORM: Final = "small letters, digits, dashes and underscores"
_OUTPUT: Final = r"[a-z][a-z0-9_]{0,31}"  # so that `outputs.name` can be written
_LINE: Final = r"^[^\x00-\x1f\x7f-\x9f]*$"  # it is shown on terminals
_WORD: Final = r"[^\x00]*"
_REPOSITORY_PATH: Final = r"(?!/)(?!.*(?:^|/)\.\.?(?:/|$))[^\x00\\\n]+"
_REF: Final = r"[^\s\x00-\x1f\x7f-][^\s\x00-\x1f\x7f]*"


def _criteria(what: str, ceiling: int, *, least: int = 0) -> Schema:
    return several(what, text("a criterion", bounds.CRITERION_CHARS), ceiling, least=least, distinct=True)


def _argv(what: str) -> Schema:
    return several(what, of_form("a word without NUL", _WORD), bounds.ARGV_WORDS, least=1)


# --- goal.toml

_MISSION: Final = table(
    {
        "objective": text("what is to be true in the end", bounds.OBJECTIVE_CHARS),
        "acceptance": _criteria("what must hold for the mission to be met: `AC-1`, `AC-2` …", bounds.CRITERIA, least=1),
        "invariants": _criteria("what must hold all the way: `INV-1` …", bounds.INVARIANTS),
        "non_goals": _criteria("what is not to be done: `NG-1` …", bounds.INVARIANTS),
        "max_milestones": whole("how many milestones there may be", bounds.MILESTONES),
    },
    required=("objective", "acceptance"),
    description="the mission",
    without="a goal without a mission, around a root of work that you write yourself; give `[mission]`",
)

_REPLANNING: Final = table(
    {
        "planner": of_form("the specialist who plans, a name in the team file", ids.NAME),
        "max_replans": whole("how many plans may be asked for in all; more than `max_milestones`", bounds.REPLANS),
        "work_per_plan": whole("how many work items one plan may have", bounds.WORK_PER_PLAN),
        "planned_work": whole("how many work items all plans may have together", bounds.PLANNED_WORK),
        "auto_apply": not_built("plans are applied by a person; leave it out or false", unless=(False,)),
    },
    required=("planner",),
    description="what the planner may do, with its `planner`",
)

_LIMITS: Final = table(
    {
        "attempts": whole("how many attempts at work items", bounds.ATTEMPTS),
        "agent_calls": whole("how many calls of agents, planner included", bounds.AGENT_CALLS),
        "answers_per_work": whole("how many agents' answers for one work item", bounds.ANSWERS_PER_WORK),
        "parallel_work": whole("how many work items at once", bounds.PARALLEL_WORK),
        "agent_concurrency": whole("how many agents at once", bounds.AGENT_CONCURRENCY),
        "active_runtime": lasting("how long calls and attempts may run in all", bounds.ACTIVE_RUNTIME_S),
        "ticks": whole("how many steps of the goal itself", bounds.TICKS),
        "tokens": not_built("a limit in tokens; bound `agent_calls` and `active_runtime`"),
        "money": not_built("a limit in money; bound `agent_calls` and `active_runtime`"),
    },
    description="bounds over the goal's whole life",
)

_AUTOMATION: Final = table(
    {
        "accept_passing_proof": not_built("work is accepted by a person", unless=(False,)),
        "resume_approved": not_built("approved work always resumes", unless=(True,)),
        "retry_blocked": not_built("blocked work is retried by a person", unless=(False,)),
    },
)

GOAL: Final = table(
    {
        "goal": of_form("the goal's id, of small letters, digits and dashes, at most 63", ids.GOAL_ID),
        "title": text("one line that says what the goal is", bounds.TITLE_CHARS, pattern=_LINE),
        "repository": text("the git repository, from the directory of this file", bounds.PATH_CHARS, default="."),
        "base": of_form("the branch, tag or commit to start from", _REF, maxLength=bounds.PATH_CHARS, default="HEAD"),
        "labels": several(
            "words to find the goal by", text("a label", bounds.LABEL_CHARS), bounds.LABELS, distinct=True
        ),
        "team": text("the team file, from the directory of this file", bounds.PATH_CHARS),
        "templates": several(
            "the template files, from the directory of this file",
            text("a file", bounds.PATH_CHARS),
            bounds.TEMPLATES,
            least=1,
            uniqueItems=True,
        ),
        "mission": _MISSION,
        "replanning": _REPLANNING,
        "limits": _LIMITS,
        "automation": _AUTOMATION,
        "review": not_built("the review of plans by a panel; leave `[review]` out"),
        "change_review": not_built("the review of changes; leave `[change_review]` out"),
        "policy": not_built("rules for what agents may do; leave `[policy]` out"),
        "parent": not_built("a goal that goes on from another; leave `parent` out"),
        "root": not_built("a root of work that you write yourself; state a `[mission]` instead"),
        "work": not_built("a graph of work that you write yourself; state a `[mission]` instead"),
    },
    required=("goal", "title", "team", "templates", "mission", "replanning"),
)

# --- team.toml

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
        "propertyNames": of_form(f"a name of {_FORM}", ids.NAME),
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


# --- template files

_STAGE_NAME: Final = of_form(f"the stage's name, of {_FORM}", ids.NAME)
_OUTPUT_NAME: Final = of_form("a name of small letters, digits and underscores", _OUTPUT)
_COMMAND_TIMEOUT: Final = lasting("how long the command may take", bounds.COMMAND_TIMEOUT_S)


def _stage(kind: str, keys: Mapping[str, Schema], *required: str) -> Schema:
    return table({"kind": {"const": kind}, "name": _STAGE_NAME, **keys}, required=("name", *required))


_PREPARE: Final = _stage(
    "prepare",
    {
        "argv": _argv("the command that builds what proofs need"),
        "timeout": _COMMAND_TIMEOUT,
        "files": several(
            "the files of the repository that the result depends on",
            of_form("a path in the repository, without `..`", _REPOSITORY_PATH, maxLength=bounds.PATH_CHARS),
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
    {"argv": _argv("the command, which must exit 0"), "timeout": _COMMAND_TIMEOUT, "output": _OUTPUT_NAME},
    "argv",
)
_PARALLEL: Final = _stage(
    "parallel",
    {"stages": several("`agent` and `command` stages", {"oneOf": [_AGENT, _COMMAND]}, bounds.STAGES, least=1)},
    "stages",
)


def _stage_not_built(kind: str, what: str) -> Schema:
    return {"type": "object", "properties": {"kind": {"const": kind, **not_built(what)}}}


STAGES: Final[Mapping[str, Schema]] = {
    "prepare": _PREPARE,
    "agent": _AGENT,
    "command": _COMMAND,
    "parallel": _PARALLEL,
    "review": _stage_not_built("review", "a stage that reviews; leave the stage out"),
    "approve": _stage_not_built("approve", "a stage that waits for a person; work is accepted by a person in any case"),
}

_RED_THEN_GREEN: Final = not_built("proofs that must fail on the base", unless=(False,))

PROOF: Final = table(
    {
        "name": of_form(f"the proof's name, of {_FORM}", ids.NAME),
        "argv": _argv("the command whose exit code 0 is the proof"),
        "timeout": _COMMAND_TIMEOUT,
        "proves": several(
            "the criteria of the work item that it satisfies; none named: all",
            of_form(f"`WC-1` to `WC-{bounds.CRITERIA}`", f"WC-(?:{'|'.join(map(str, range(1, bounds.CRITERIA + 1)))})"),
            bounds.CRITERIA,
            uniqueItems=True,
        ),
        "red_then_green": _RED_THEN_GREEN,
    },
    required=("name", "argv"),
)

TEMPLATE: Final = table(
    {
        "name": of_form(f"the template's name, of {_FORM}", ids.NAME),
        "purpose": text("what kind of work it is for; the planner reads it", bounds.GUIDANCE_CHARS),
        "root": yes_or_no("whether it may stand at the end of a plan", default=False),
        "max_attempts": whole("how many attempts at one work item", bounds.TEMPLATE_ATTEMPTS),
        "stages": several("what is done, in order", {"oneOf": list(STAGES.values())}, bounds.STAGES, least=1),
        "proofs": several("the commands that prove it", PROOF, bounds.PROOF_COMMANDS, least=1),
        "protected_paths": not_built("paths that no attempt may edit unseen"),
        "red_then_green": _RED_THEN_GREEN,
    },
    required=("name", "purpose", "stages", "proofs"),
)
