"""Every way out: for every phase, class of failure and verb, what comes next, and that there always is something."""

import pytest

from harnd.domain.goal.due import due
from protocol.values import FailureClass, Phase
from tests.domain.goal.walking import check_way_out
from tests.kit.ways_out import SITUATIONS, TABLE, VERBS, Row, Situation, situations, table

LOOKING = ("plan show", "plan diff", "work show", "work log", "work diff", "approval show", "goal show", "budget")
FOUND = tuple(situations())


def named(found: Situation) -> str:
    return f"{found.name} · {found.failure}"


def test_the_table_is_what_the_rules_say():
    assert table(FOUND) == TABLE.read_text(encoding="utf-8"), "look at what changed: python -m tests.kit.ways_out"


def test_every_phase_and_every_class_has_its_rows():
    assert {name.partition(",")[0] for name in SITUATIONS} == {phase.value for phase in Phase}
    for phase in Phase:
        assert {found.failure for found in FOUND if found.stands.phase is phase} == set(FailureClass), phase


@pytest.mark.parametrize("found", FOUND, ids=named)
def test_a_situation_is_in_the_phase_it_is_named_after(found: Situation):
    assert found.stands.phase == found.name.partition(",")[0]


@pytest.mark.parametrize("found", FOUND, ids=named)
def test_whatever_is_offered_is_not_refused(found: Situation):
    rows = {row.verb: row for row in found.rows}
    offered = [" ".join(verb.removeprefix("harnctl ").split()[:2]) for verb in found.stands.verbs]
    deciding = [verb for verb in offered if not verb.startswith(LOOKING)]
    fuller = "goal extend" in deciding  # what it makes possible is offered beside it, to be typed after it
    refused = [verb for verb in deciding if rows[verb].refused and not (fuller and "budget" in rows[verb].refused)]
    assert refused == []


@pytest.mark.parametrize("found", FOUND, ids=named)
def test_no_state_is_without_a_way_out(found: Situation):
    check_way_out(found.goal, found.now)
    if found.goal.ending is not None or due(found.goal, found.now) or found.stands.phase is Phase.READY:
        return
    assert found.stands.wake_at is not None or any(leads_on(found, row) for row in found.rows)


def leads_on(found: Situation, row: Row) -> bool:
    """A verb that is offered, is not refused and changes where the goal stands; giving the goal up does not count."""
    offered = any(row.verb in verb for verb in found.stands.verbs)
    return offered and row.after is not None and row.after != found.stands and row.verb != "goal cancel"


def test_every_verb_of_a_person_leads_somewhere_from_somewhere():
    useful = {row.verb for found in FOUND for row in found.rows if row.after not in (None, found.stands)}
    assert useful == VERBS.keys()
