"""What a plan changes about the last one is told item by item, in marks and in words."""

import msgspec
import pytest

from harnctl.render.layout import lay_out
from harnctl.render.plan_diff import compared
from harnctl.render.screen import Screen
from protocol.ids import CriterionId, TemplateName, WorkKey
from protocol.views import CriterionView, PlanItem, PlanMilestone, PlanView
from tests.kit.scripted_daemon import golden

SCREEN = Screen(columns=80, colour=False, unicode=True)


def criteria(*texts: str) -> tuple[CriterionView, ...]:
    return tuple(CriterionView(CriterionId(f"WC-{number}"), text) for number, text in enumerate(texts, 1))


def an_item(key: str, **changes: object) -> PlanItem:
    plain = PlanItem(
        key=WorkKey(key),
        title=f"Do {key}",
        objective=f"Make {key} work.",
        acceptance=criteria("It works."),
        dependencies=(),
        template=TemplateName("change"),
        paths=(f"src/{key}",),
    )
    return msgspec.structs.replace(plain, **changes)


def a_plan(number: int, *items: PlanItem, **changes: object) -> PlanView:
    view: PlanView = golden("plan.show", plan=number)
    milestone = PlanMilestone(sequence=1, title="Step", objective="Reach it.", acceptance=criteria("It is there."))
    plain = msgspec.structs.replace(view, milestone=milestone, items=items, root=items[-1].key if items else None)
    return msgspec.structs.replace(plain, **changes)


def told(plan: PlanView, before: PlanView | None) -> list[str]:
    lines = ("".join(span.text for span in row) for row in lay_out(compared(plan, before), SCREEN))
    return [line.rstrip() for line in lines if line.strip()]


FIRST = a_plan(1, an_item("a"), an_item("b", dependencies=(WorkKey("a"),)))


def test_an_item_that_came_is_told_in_full_and_one_that_went_by_its_name():
    after = a_plan(2, an_item("a"), an_item("c", dependencies=(WorkKey("a"),), paths=()))
    assert told(after, FIRST) == [
        "plan 2 against plan 1",
        "2 items: 1 added, 1 removed, 0 changed, 1 as before",
        "items",
        "  + added  c  Do c",
        "    Make c work.",
        "    with change, after a, in any path",
        "    WC-1  It works.",
        "  - removed  b  Do b",
    ]


@pytest.mark.parametrize(
    ("changes", "lines"),
    [
        ({"title": "Do it"}, ["    title", "      - Do b", "      + Do it"]),
        ({"objective": "Less."}, ["    objective", "      - Make b work.", "      + Less."]),
        ({"acceptance": criteria("It works.", "It is fast.")}, ["    criteria", "      + It is fast."]),
        ({"acceptance": criteria("It is fast.")}, ["    criteria", "      - It works.", "      + It is fast."]),
        ({"dependencies": ()}, ["    after", "      - a"]),
        ({"template": TemplateName("chore")}, ["    template", "      - change", "      + chore"]),
        ({"paths": ("src/b", "docs")}, ["    paths", "      + docs"]),
    ],
    ids=["title", "objective", "one more criterion", "another criterion", "after", "template", "paths"],
)
def test_each_part_of_an_item_that_differs_is_told_with_what_it_was(changes, lines):
    after = a_plan(2, FIRST.items[0], msgspec.structs.replace(FIRST.items[1], **changes))
    assert told(after, FIRST)[1:] == [
        "2 items: 0 added, 0 removed, 1 changed, 1 as before",
        "items",
        f"  ~ changed  b  {changes.get('title', 'Do b')}",
        *lines,
    ]


def test_what_only_stands_elsewhere_is_no_change():
    before = a_plan(1, an_item("a", acceptance=criteria("One.", "Two."), paths=("x", "y")), an_item("b"))
    after = a_plan(
        3, an_item("b"), an_item("a", acceptance=criteria("Two.", "One."), paths=("y", "x")), root=WorkKey("b")
    )
    assert told(after, before) == ["plan 3 against plan 1", "Nothing differs but, it may be, the rationale."]


def test_another_root_among_the_same_items_is_told():
    after = msgspec.structs.replace(FIRST, plan=2, root=WorkKey("a"))
    assert told(after, FIRST)[2:] == ["items", "    root", "      - b", "      + a"]


def test_a_criterion_that_stood_twice_and_stands_once_is_told():
    before = a_plan(1, an_item("a", acceptance=criteria("Same.", "Same.")))
    assert told(a_plan(2, an_item("a", acceptance=criteria("Same."))), before)[-2:] == ["    criteria", "      - Same."]


def test_the_milestone_comes_first():
    milestone = PlanMilestone(sequence=2, title="Leap", objective="Reach it.", acceptance=criteria("It is seen."))
    after = msgspec.structs.replace(FIRST, plan=2, milestone=milestone)
    assert told(after, FIRST)[2:] == [
        "milestone",
        "  ~ changed",
        "    sequence",
        "      - 1",
        "      + 2",
        "    title",
        "      - Step",
        "      + Leap",
        "    criteria",
        "      - It is there.",
        "      + It is seen.",
    ]


def test_without_work_there_is_nothing_to_compare():
    assert told(a_plan(2), FIRST) == ["Plan 2 proposes no work, so there is nothing to compare."]
    assert told(FIRST, None) == ["Plan 1 is the first that proposes work: all of it is new."]


def test_hostile_words_are_shown_and_do_not_act():
    after = a_plan(2, FIRST.items[0], msgspec.structs.replace(FIRST.items[1], title="\x1b[2J\u202eok\n+ added  z"))
    said = "\n".join(told(after, FIRST))
    assert "\x1b" not in said
    assert "\\x1b[2J\\u202eok" in said
    assert "\n+ added  z" not in said
