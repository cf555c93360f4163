"""Enrolment: the files of a real goal, made from a mission: goal, team, templates, the planner's script, the orders.

The planner is `scripted` and answers by the number of the request; the agents are a program of their own, reached
through `command`.  An answer that follows upon an operator's word is given only when that word is in the prompt.
"""

import json
import sys
from base64 import b64encode
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, assert_never

from tests.worlds.mission import (
    Append,
    Deed,
    Delete,
    Fate,
    Item,
    Kind,
    Line,
    Link,
    Mission,
    Planning,
    Trouble,
    Write,
    finding_about,
    guidance_for,
)

PROGRAMS = Path(__file__).parent / "programs"
BARE = (sys.executable, "-IS")  # starts in 20 ms
BRISK_SILENCE_S = 2
BRISK_S = 6
WORDS_BEFORE = (Planning.REJECTED, Planning.QUESTION, Planning.GARBAGE, Planning.MUTE)  # upon which a word follows


def write_files(mission: Mission, folder: Path, repository: Path) -> dict[str, bytes]:
    """Write what the agents need into `folder`, and return the files that enrol the goal from there."""
    folder.mkdir(parents=True)
    (folder / "orders.json").write_text(json.dumps({item.key: order(mission, item) for item in mission.items()}))
    (folder / "script.json").write_text(json.dumps({"rule": list(_rules(mission))}))
    texts = {"goal.toml": _goal(mission, repository), "team.toml": _team(folder)}
    texts |= {f"{name}.toml": _template(mission, name, folder) for name in TEMPLATES}
    return {name: text.encode() for name, text in texts.items()}


# --- the orders of the agents


def order(mission: Mission, item: Item) -> Mapping[str, Any]:
    """Write down for the agent and the proof what one item is about."""
    return {
        "deeds": [deed_words(deed) for deed in item.deeds],
        "amended": [deed_words(deed) for deed in item.amended],
        "finding": finding_about(item.key),
        "troubles": [trouble.name.lower() for trouble in item.troubles],
        "marks": list(marks(item)),
        "guidance": guidance_for(item.key),
        "wants_guidance_after": [number for number in range(1, len(item.troubles) + 1) if mission.blocks(item, number)],
        "endless": item.fate is Fate.ENDLESS,
        "manner": item.manner.value,
        "takes": item.takes,
    }


def deed_words(deed: Deed) -> Mapping[str, Any]:
    """Write a deed down for the programs."""
    match deed:
        case Write(path=path, content=content, executable=executable):
            text = b64encode(content).decode()
            return {"do": "write", "path": path, "content": text, "executable": executable}
        case Link(path=path, to=to):
            return {"do": "link", "path": path, "to": to}
        case Delete(path=path):
            return {"do": "delete", "path": path}
        case Append(path=path, line=line):
            return {"do": "append", "path": path, "line": line}
        case Line(path=path, number=number, line=line):
            return {"do": "line", "path": path, "number": number, "line": line}
        case _:
            assert_never(deed)


def marks(item: Item) -> Iterator[str]:
    """Yield the words by which an attempt knows of each failure before it."""
    for number, trouble in enumerate(item.troubles, start=1):
        if trouble is Trouble.IDLE:
            yield "the attempt changed nothing"
        else:
            yield f"[trouble {number} with {item.key}: {trouble}]"


# --- the planner's script


def _rules(mission: Mission) -> Iterator[Mapping[str, Any]]:
    for number, request in enumerate(mission.requests, start=1):
        when = [f"Plan request {number}, trigger "]
        if number > 1 and mission.requests[number - 2].planning in WORDS_BEFORE:
            when.append(guidance_for(f"plan {number - 1}"))
        rule = {"when": when, "do": [{"say": "thinking"}, {"sleep": 0.1}]}
        match request.planning:
            case Planning.APPLY:
                yield rule | {"answer": proposal(mission, request.step)}
            case Planning.REJECTED:
                yield rule | {"answer": hasty(mission, request.step)}
            case Planning.STUMBLE:
                yield rule | {"when": [*when, "# Correction"], "answer": proposal(mission, request.step)}
                yield rule | {"answer": two_roots(mission, request.step)}
            case Planning.QUESTION:
                asked = f"Which way, after {number - 1} plans?"
                yield rule | {"answer": {"decision": "attention", "rationale": "Unsure.", "question": asked}}
            case Planning.GARBAGE:
                yield rule | {"answer": 'Well, {"decision": "apply", perhaps'}
            case Planning.MUTE:
                yield rule | {"exit": 3}
            case Planning.COMPLETE:
                yield rule | {"answer": _completion(mission)}
            case _:
                assert_never(request.planning)


def work_ids(mission: Mission) -> dict[str, str]:
    """Map each key to the id that the work has once the plan that proposes it is approved."""
    applied = {0: 0} if mission.own else {}
    applied |= {
        request.step: number
        for number, request in enumerate(mission.requests, start=1)
        if request.planning in (Planning.APPLY, Planning.STUMBLE)
    }
    return {item.key: f"p{applied[index]}.{item.key}" for index, step in enumerate(mission.steps) for item in step}


def proposal(mission: Mission, step: int) -> dict[str, Any]:
    """Word the plan for one step."""
    return {
        "decision": "apply",
        "rationale": f"Step {step + 1} is next.",
        "milestone": {
            "sequence": step + 1,
            "title": f"Step {step + 1}",
            "objective": f"Everything of step {step + 1} is there.",
            "acceptance": ["it is there"],
        },
        "work": drafts(mission, step),
    }


def drafts(mission: Mission, step: int) -> list[dict[str, Any]]:
    """Word the items of one step, as a planner does or the operator."""
    inside = {item.key for item in mission.steps[step]}
    ids = work_ids(mission)
    return [
        {
            "key": item.key,
            "title": f"Do {item.key}",
            "objective": f"See to {item.key}.",
            "acceptance": ["it can be seen"],
            "dependencies": [key if key in inside else ids[key] for key in item.needs],
            "template": item.template,
            "paths": list(item.paths),
        }
        for item in mission.steps[step]
    ]


def hasty(mission: Mission, step: int) -> dict[str, Any]:
    """Word a plan that is not the one that is proposed next: what was rejected is not taken again."""
    plan = proposal(mission, step)
    return plan | {"milestone": plan["milestone"] | {"objective": "As fast as can be."}}


def two_roots(mission: Mission, step: int) -> dict[str, Any]:
    """Word a plan that reads well and cannot be carried out."""
    plan = proposal(mission, step)
    return plan | {"work": [*plan["work"], plan["work"][-1] | {"key": "another-end"}]}


def _completion(mission: Mission) -> dict[str, Any]:
    ids = work_ids(mission)
    roots = [step[-1] for step in mission.steps if all(item.fate is Fate.DONE for item in step)]
    claim = {"criterion": "AC-1", "work": [ids[root.key] for root in roots], "note": "It was proved."}
    return {"decision": "complete", "rationale": "Nothing is missing.", "evidence": [claim]}


# --- what a person would write


def _goal(mission: Mission, repository: Path) -> str:
    return f"""\
goal = {_text(mission.goal)}
title = "A generated mission"
repository = {_text(str(repository))}
base = "main"
team = "team.toml"
templates = [{", ".join(_text(f"{name}.toml") for name in TEMPLATES)}]

[mission]
objective = "Everything that was ordered is there."
acceptance = ["it is there"]
max_milestones = {len(mission.steps)}

[replanning]
planner = "planner"
max_replans = {max(len(mission.requests), len(mission.steps)) + 1}
work_per_plan = 12
planned_work = 40

[limits]
parallel_work = {mission.parallel_work}
agent_concurrency = {mission.agent_concurrency}
active_runtime = "30m"

[automation]
retry_blocked = {json.dumps(mission.retries)}
{"".join(map(_own, drafts(mission, 0))) if mission.own else ""}"""


def _own(draft: Mapping[str, Any]) -> str:
    return "\n[[work]]\n" + "".join(f"{key} = {json.dumps(value)}\n" for key, value in draft.items())


def _team(folder: Path) -> str:
    agent = [*BARE, str(PROGRAMS / "agent.py"), str(folder / "orders.json"), "{prompt_file}"]
    return f"""\
[planner]
harness = "scripted"
script = {_text(str(folder / "script.json"))}
timeout = "2m"

[builder]
harness = "command"
argv = {json.dumps(agent)}
timeout = "5m"

[brisk]
harness = "command"
argv = {json.dumps(agent)}
timeout = "{BRISK_S}s"
silence = "{BRISK_SILENCE_S}s"
"""


TEMPLATES = ("small", "careful", "brisk", "inner", *Kind)


def _template(mission: Mission, name: str, folder: Path) -> str:
    head = f"""\
name = "{name}"
purpose = "Work of the kind {name}."
root = {"false" if name == "inner" else "true"}
max_attempts = {mission.max_attempts}
"""
    stages = _agent_stage("brisk" if name == "brisk" else "builder")
    check = (*BARE, str(PROGRAMS / "check.py"), str(folder / "orders.json"), "{{ work.key }}")
    proofs = _proof("seen", check, also="red_then_green = true\n" if name == Kind.RED else "")
    if name == Kind.FLAKY:
        proofs += _proof("moody", (*BARE, str(PROGRAMS / "moody.py")), also="reruns = 2\n")
    if name == Kind.KEPT:
        keep = (*BARE, str(PROGRAMS / "keep.py"), "README.md")
        stages = f"{_prepare('kept', keep, files=('README.md',))}{stages}"
        proofs += _proof("kept", (*keep, "HARND_PREPARED_KEPT"))
    if name == "careful":
        stages = f"{_command('prepare', 'made')}{stages}{_command('command', 'looked')}"
        proofs += _proof("base", ("test", "-e", "README.md"))
    return head + stages + proofs


def _agent_stage(specialist: str) -> str:
    prompt = "{{ work.title }}\\n\\n{{ work.objective }}"
    return f'\n[[stages]]\nkind = "agent"\nname = "build"\nspecialist = "{specialist}"\nprompt = "{prompt}"\n'


def _command(kind: str, name: str) -> str:
    return f'\n[[stages]]\nkind = "{kind}"\nname = "{name}"\nargv = ["git", "status", "--porcelain"]\n'


def _prepare(name: str, argv: tuple[str, ...], *, files: tuple[str, ...]) -> str:
    head = f'\n[[stages]]\nkind = "prepare"\nname = "{name}"\n'
    return f"{head}argv = {json.dumps(argv)}\nfiles = {json.dumps(files)}\n"


def _proof(name: str, argv: tuple[str, ...], *, also: str = "") -> str:
    return f'\n[[proofs]]\nname = "{name}"\nargv = {json.dumps(argv)}\n{also}'


def _text(text: str) -> str:
    return json.dumps(text)  # what JSON escapes, TOML's basic strings escape alike
