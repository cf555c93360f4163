"""A plan file that was sent: it becomes what the rules are asked, or everything wrong with it is told at once."""

import msgspec
import pytest

from harnctl.editing.plan_text import plan_text
from harnd.daemon.editing import edited
from harnd.daemon.queries.plans import view_of
from harnd.domain.rejected import Rejected
from protocol import requests as wire
from protocol.errors import Refusal
from protocol.ids import IdempotencyKey
from protocol.views import ProblemView
from tests.kit.given import a_plan, draft, proposed

OWN = a_plan(draft("a"), draft("b", "a"))


def an_edit(text: str, *, plan: int = 1) -> wire.EditPlan:
    goal = proposed(OWN)
    key = IdempotencyKey("k" * 32)
    return wire.EditPlan(key=key, goal=goal.intent.goal, plan=plan, file=text.encode(), digest=view_of(goal, 1).digest)


def refusal(request: wire.EditPlan) -> Refusal:
    with pytest.raises(Refusal) as refused:
        edited(proposed(OWN), request, "ada")
    return refused.value


def test_a_file_that_reads_is_asked_of_the_rules_under_the_digest_it_was_made_from():
    request = an_edit(plan_text(view_of(proposed(OWN), 1)))
    asked = edited(proposed(OWN), request, "ada")
    assert (asked.plan, asked.candidate, asked.by, asked.digest) == (1, OWN, "ada", request.digest)


@pytest.mark.parametrize("number", [0, 2])
def test_a_plan_that_is_not_there_is_refused_before_its_file_is_read(number):
    with pytest.raises(Rejected, match=f"^plan.unknown: goal billing has no plan {number}$") as refused:
        edited(proposed(OWN), an_edit("[[", plan=number), "ada")
    assert refused.value.fix == "harnctl plan list billing"


def test_all_that_is_wrong_is_told_with_its_line():
    text = plan_text(view_of(proposed(OWN), 1)).replace('title = "Do a"', 'title = ""').replace('"src/b"', '"/etc"')
    found = refusal(an_edit(text))
    assert (found.code, found.message) == ("plan.invalid_edit", "the plan has 2 problems; nothing was changed")
    problems = msgspec.convert(found.details["problems"], list[ProblemView])
    assert [(each.place, text.splitlines()[each.line - 1]) for each in problems] == [
        ("work[0].title", 'title = ""'),
        ("work[1].paths[0]", 'paths = ["/etc"]'),
    ]


def test_what_is_no_toml_is_one_problem_at_its_place():
    found = refusal(an_edit('decision = "apply"\nrationale = '))
    (problem,) = msgspec.convert(found.details["problems"], list[ProblemView])
    assert problem.line == 2
