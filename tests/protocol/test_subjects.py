"""Subjects: each names one thing, and is read back as that and as nothing else."""

import pytest

from protocol import subjects
from protocol.ids import WorkId
from protocol.values import Unit

NAMED = {
    "plan/2": (2, None, None, None),
    "approval/11": (None, 11, None, None),
    "budget/active_runtime_us": (None, None, Unit.ACTIVE_RUNTIME_US, None),
    "p1.parser": (None, None, None, WorkId("p1.parser")),
    "billing": (None, None, None, None),
    "plan": (None, None, None, None),
}


@pytest.mark.parametrize("subject", NAMED)
def test_a_subject_names_one_thing(subject: str):
    readings = (subjects.plan_in, subjects.approval_in, subjects.budget_in, subjects.work_in)
    assert tuple(reading(subject) for reading in readings) == NAMED[subject]


def test_what_is_written_is_what_is_read():
    assert (subjects.plan(2), subjects.approval(11)) == ("plan/2", "approval/11")
    assert [subjects.budget_in(subjects.budget(unit)) for unit in Unit] == list(Unit)
