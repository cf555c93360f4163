"""Looking up: what is not there is told with the verb that lists what is, whoever asks."""

import pytest

from harnd.domain.goal.lookup import approval_numbered, item_named, plan_numbered
from harnd.domain.rejected import Rejected
from protocol.ids import WorkId
from tests.kit.given import asking


def test_what_is_there_is_returned():
    goal = asking()
    assert plan_numbered(goal, 1) is goal.plans[0]
    assert approval_numbered(goal, 1) is goal.approvals[0]
    assert item_named(goal, WorkId("p1.a")) is goal.work[WorkId("p1.a")]


@pytest.mark.parametrize("number", [-1, 0, 2, 2**53 - 1])
def test_a_plan_of_another_number_is_told_with_the_list(number):
    with pytest.raises(Rejected, match=f"^plan.unknown: goal billing has no plan {number}$") as refused:
        plan_numbered(asking(), number)
    assert refused.value.fix == "harnctl plan list billing"


@pytest.mark.parametrize("number", [-1, 0, 2, 2**53 - 1])
def test_an_approval_of_another_number_is_told_with_the_list_of_all(number):
    with pytest.raises(Rejected, match=f"^approval.unknown: goal billing has no approval {number}$") as refused:
        approval_numbered(asking(), number)
    assert refused.value.fix == "harnctl approval list billing --all"


def test_work_of_another_name_is_told_with_the_list():
    with pytest.raises(Rejected, match=r"^work.unknown: goal billing has no work p1\.z$") as refused:
        item_named(asking(), WorkId("p1.z"))
    assert refused.value.fix == "harnctl work list billing"
