"""Candidates: what is approved is a digest of everything; what is compared leaves out what can be reworded."""

import msgspec
import pytest

from harnd.domain.digest import digest_of
from harnd.domain.goal.candidate import Candidate, Complete, WorkDraft, normalised_digest
from protocol.ids import TemplateName
from tests.kit.given import a_plan, completion, draft, question

PLAN = a_plan(draft("a"), draft("b", "a"))


def with_work(**changes: object) -> Candidate:
    first: WorkDraft = msgspec.structs.replace(PLAN.work[0], **changes)
    return msgspec.structs.replace(PLAN, work=(first, *PLAN.work[1:]))


def with_milestone(**changes: object) -> Candidate:
    return msgspec.structs.replace(PLAN, milestone=msgspec.structs.replace(PLAN.milestone, **changes))


def with_claim(**changes: object) -> Complete:
    done = completion("p1.a")
    return msgspec.structs.replace(done, evidence=(msgspec.structs.replace(done.evidence[0], **changes),))


REWORDED: dict[str, tuple[Candidate, Candidate]] = {
    "rationale": (PLAN, msgspec.structs.replace(PLAN, rationale="Other reasons.")),
    "title of an item": (PLAN, with_work(title="Other words")),
    "title of the milestone": (PLAN, with_milestone(title="Other words")),
    "sequence of the milestone": (PLAN, with_milestone(sequence=2)),
    "rationale of a completion": (completion("p1.a"), msgspec.structs.replace(completion("p1.a"), rationale="Yes.")),
    "note of a claim": (completion("p1.a"), with_claim(note="Look.")),
    "rationale of a question": (question(), msgspec.structs.replace(question(), rationale="Hm.")),
}
CHANGED: dict[str, tuple[Candidate, Candidate]] = {
    "key": (PLAN, with_work(key="z")),
    "objective of an item": (PLAN, with_work(objective="Make it fly.")),
    "acceptance of an item": (PLAN, with_work(acceptance=("It flies.",))),
    "dependencies": (PLAN, with_work(dependencies=("p1.z",))),
    "template": (PLAN, with_work(template=TemplateName("chore"))),
    "paths": (PLAN, with_work(paths=("docs",))),
    "objective of the milestone": (PLAN, with_milestone(objective="Fly.")),
    "acceptance of the milestone": (PLAN, with_milestone(acceptance=("It flies.",))),
    "order of the items": (a_plan(draft("a"), draft("b")), a_plan(draft("b"), draft("a"))),
    "another item": (PLAN, a_plan(draft("a"), draft("b", "a"), draft("c", "b"))),
    "evidence of a claim": (completion("p1.a"), completion("p1.b")),
    "question": (question(), question("Why?")),
    "branch": (PLAN, question()),
}


@pytest.mark.parametrize("name", REWORDED)
def test_what_can_be_reworded_is_the_same_plan_under_another_digest(name):
    before, after = REWORDED[name]
    assert normalised_digest(before) == normalised_digest(after)
    assert digest_of(before) != digest_of(after)


@pytest.mark.parametrize("name", CHANGED)
def test_everything_else_makes_another_plan(name):
    before, after = CHANGED[name]
    assert normalised_digest(before) != normalised_digest(after)
    assert digest_of(before) != digest_of(after)


def test_a_digest_is_of_the_canonical_form():
    assert digest_of(PLAN) == digest_of(msgspec.convert(msgspec.to_builtins(PLAN), type(PLAN)))
