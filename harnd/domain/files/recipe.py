"""Recipes: what must hold within one template, between its stages, proofs and texts."""

from collections.abc import Iterable, Iterator

from harnd.domain.description import nearest, one_of
from harnd.domain.files.source import At
from harnd.domain.goal import names
from harnd.domain.goal.rendering import problems_in
from harnd.domain.goal.template import variable
from harnd.domain.problem import Problem


def problems_of_recipe(template: At, *, members: frozenset[str] | None, answers: int | None) -> Iterator[Problem]:
    """Say what is wrong; `members` is None when the team is not known, `answers` when the limit is not."""
    stages = list(template["stages"].items())
    singles = [single for stage in stages for single in _singles(stage)]
    yield from _repeated([at["name"] for stage in stages for at in _with_own(stage)], "stage")
    yield from _repeated([at["name"] for at in template["proofs"].items()], "proof")
    yield from _repeated([at["output"] for at in singles], "output")
    for single in singles:
        yield from unknown_specialist(single["specialist"], members)
    yield from _directories(stages)
    yield from _flow(stages)
    for proof in template["proofs"].items():
        yield from _argv(proof, offered=names.WITHOUT_AGENTS)
    yield from _answers(template, singles, answers)


def unknown_specialist(at: At, members: frozenset[str] | None) -> Iterator[Problem]:
    """Say that a specialist is in no team file."""
    name = at.text()
    if name and members is not None and name not in members:
        hint = nearest(name, members) or f"; there is {one_of(sorted(members))}"
        yield at.problem("reference.unknown", f"`{name}` is not in the team{hint}")


def _singles(stage: At) -> list[At]:
    """Take a stage apart into those that run one process each."""
    return list(stage["stages"].items()) if stage["kind"].text() == "parallel" else [stage]


def _with_own(stage: At) -> list[At]:
    return [stage, *_singles(stage)] if stage["kind"].text() == "parallel" else [stage]


def _repeated(places: Iterable[At], noun: str) -> Iterator[Problem]:
    first: dict[str, At] = {}
    for at in places:
        name = at.text()
        if name and first.setdefault(name, at) is not at:
            yield at.problem("duplicate", f"`{name}` is the name of an earlier {noun}")


def _directories(stages: Iterable[At]) -> Iterator[Problem]:
    """Refuse two stages that would be told to later ones under one variable."""
    first: dict[str, str] = {}
    for stage in stages:
        name = stage["name"].text()
        if stage["kind"].text() == "prepare" and stage["files"].texts():
            earlier = first.setdefault(variable(name), name)
            if earlier != name:
                message = f"`{name}` and `{earlier}` both build what `{variable(name)}` is to name"
                yield stage["name"].problem("duplicate", message)


def _flow(stages: Iterable[At]) -> Iterator[Problem]:
    """Follow outputs to those who use them: earlier stages only, and of parallel ones none another's."""
    outputs: list[str] = []
    for stage in stages:
        singles = _singles(stage)
        for single in singles:
            yield from _stage(single, outputs)
        outputs += [single["output"].text() for single in singles if single["output"].text()]


def _stage(stage: At, outputs: list[str]) -> Iterator[Problem]:
    match stage["kind"].text():
        case "agent":
            yield from _inputs(stage["inputs"], outputs)
            yield from _text(stage["prompt"], offered=names.ALL, outputs=stage["inputs"].texts())
        case "command":
            yield from _argv(stage, offered=names.ALL, outputs=outputs)
        case "approve":
            yield from _text(stage["question"], offered=names.ALL, outputs=outputs)
        case "prepare":  # it runs again in the clean checkouts of proofs
            yield from _argv(stage, offered=names.WITHOUT_AGENTS)
        case _:
            pass


def _inputs(inputs: At, outputs: list[str]) -> Iterator[Problem]:
    for at in inputs.items():
        name = at.text()
        if name and name not in outputs:
            hint = nearest(name, outputs) or (f"; there is {one_of(outputs)}" if outputs else "; there is none")
            yield at.problem("reference.unknown", f"`{name}` is not the output of an earlier stage{hint}")


def _argv(at: At, *, offered: frozenset[str], outputs: Iterable[str] = ()) -> Iterator[Problem]:
    for word in at["argv"].items():
        yield from _text(word, offered=offered, outputs=outputs)


def _text(at: At, *, offered: frozenset[str], outputs: Iterable[str]) -> Iterator[Problem]:
    for line, code, message in problems_in(at.text(), offered=offered, outputs=tuple(outputs)):
        yield at.problem(code, message, text_line=line)


def _answers(template: At, singles: Iterable[At], answers: int | None) -> Iterator[Problem]:
    """Refuse a template of which not even one attempt could be paid for."""
    wanted = sum(single["kind"].text() == "agent" for single in singles)
    if answers is not None and wanted > answers:
        message = f"ask {wanted} agents in one attempt, expected at most the {answers} of `limits.answers_per_work`"
        yield template["stages"].problem("template.too_many_answers", message)
