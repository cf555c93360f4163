"""The graph of a plan, at a glance."""

import pytest
from msgspec.structs import replace

from harnctl.render.graph import graph, steps
from harnctl.render.layout import lines
from harnctl.render.screen import Screen
from protocol.ids import WorkKey
from protocol.views import PlanItem
from tests.kit.scripted_daemon import golden


def an_item(key: str, *after: str) -> PlanItem:
    one: PlanItem = golden("plan.show").items[0]
    return replace(one, key=WorkKey(key), dependencies=tuple(map(WorkKey, after)))


def drawn(*items: PlanItem, root: str = "", columns: int = 80) -> list[str]:
    return list(lines(graph(items, WorkKey(root)), Screen(columns=columns)))


def test_an_item_stands_below_what_it_waits_for_and_is_indented_by_the_steps_before_it():
    report, slug = an_item("report", "slug", "wrap"), an_item("slug")

    assert drawn(report, slug, an_item("wrap", "slug"), root="report") == [
        "  slug",
        "    → wrap  after slug",
        "      → report  after slug, wrap  (root)",
    ]


def test_one_item_is_no_graph():
    assert drawn(an_item("slug")) == []


def test_work_of_an_earlier_plan_is_named_and_counts_no_step():
    assert drawn(an_item("a", "p1.old"), an_item("b")) == ["  a  after p1.old", "  b"]


def test_a_long_chain_is_indented_only_so_far():
    chain = [an_item("i0"), *(an_item(f"i{at}", f"i{at - 1}") for at in range(1, 12))]

    assert drawn(*chain)[-1] == "          → i11  after i10"


@pytest.mark.parametrize("items", [(an_item("a", "b"), an_item("b", "a")), (an_item("a", "a"), an_item("b"))])
def test_a_circle_that_no_daemon_proposes_is_drawn_all_the_same(items):
    assert {*steps(items)} == {"a", "b"}
    assert len(drawn(*items)) == 2


def test_what_does_not_fit_is_cut():
    (first, *_) = drawn(an_item("a", *(f"p1.dependency-{at}" for at in range(20))), an_item("b"), columns=40)

    assert first.endswith("…")
