"""Thirty defects of an earlier system of this kind, each a requirement here.

A test for each, with the defect told in its docstring; it would fail on that defect.  Those whose place is not the
domain are named at the end, with the file that holds their test, and so is the one half that waits for its part.
"""

import ast
import re
from pathlib import Path
from typing import Final

import msgspec
import pytest

from harnd.domain.digest import canonical
from harnd.domain.goal import commands as c
from harnd.domain.goal import events as e
from harnd.domain.goal.answer import read_candidate
from harnd.domain.goal.briefing import briefing
from harnd.domain.goal.codec import UnreadableEventError, decode, encode, fold
from harnd.domain.goal.decide import decide
from harnd.domain.goal.due import RunAttempt, due
from harnd.domain.goal.evolve import evolve
from harnd.domain.goal.fingerprint import fingerprint
from harnd.domain.goal.goal import Ending, Goal
from harnd.domain.goal.inbox import asks
from harnd.domain.goal.ledger import Entry
from harnd.domain.goal.planner_schema import planner_schema
from harnd.domain.goal.position import position
from harnd.domain.goal.proof import Proof
from harnd.domain.goal.usage import Usage
from harnd.domain.goal.work import Standing
from protocol.ids import InstanceId, WorkId
from protocol.values import AttemptOutcome, FailureClass, Micros, NextAction, Phase, PlanStatus, Trigger, Unit, Verdict
from tests.kit.given import (
    T0,
    Given,
    a_goal,
    a_plan,
    a_proof,
    a_specialist,
    accept,
    an_intent,
    answered,
    applied,
    approve,
    attend,
    blocked,
    cancel_goal,
    cancel_work,
    cancelled,
    completion,
    create,
    draft,
    failed,
    in_review,
    integrating,
    item,
    later,
    live,
    lost,
    milestone_met,
    planning,
    proposed,
    question,
    reassessing,
    reject,
    reopen,
    retry_plan,
    succeeded,
    success,
    the_plan,
    tick,
    unanswered,
    unfinished,
    working,
)

TWO = (draft("a"), draft("b"), draft("c", "a", "b"))
PLANNER = a_specialist("planner")


def upstream_three_times() -> Goal:
    goal = planning()
    for call in (1, 2, 3):
        goal = live(goal, unanswered(FailureClass.UPSTREAM, call=call), at=later(call * 300))
        goal = live(goal, tick(later(call * 300 + 299)), at=later(call * 300 + 299))
    return goal


@pytest.mark.parametrize(
    "goal",
    [
        live(planning(), unanswered(FailureClass.ENVIRONMENT)),
        live(planning(), unanswered(FailureClass.DECISION)),
        upstream_three_times(),
    ],
    ids=["environment", "decision", "upstream"],
)
def test_1_a_planner_that_could_not_be_called_is_called_again_when_a_person_says_so(goal: Goal):
    """A planner that failed for want of its environment, or three times upstream, could never be called again."""
    assert position(goal, later(10_000)).next_action is NextAction.RETRY_PLAN
    again = live(goal, retry_plan(""), tick(), at=later(10_000))
    assert the_plan(again).status is PlanStatus.REQUESTED


def test_2_requests_that_nobody_pays_for_leave_the_last_request():
    """Failures that were not charged still counted against the number of requests, and ready goals could not go on."""
    goal = planning(replans=1)
    for plan in (1, 2, 3, 4):
        goal = live(goal, unanswered(FailureClass.ENVIRONMENT, plan=plan), retry_plan("", plan=plan), tick())
    assert goal.ledger.entries[Unit.PLANNER_CALLS] == Entry(1, reserved=1)
    assert the_plan(live(goal, answered(a_plan(), plan=5))).status is PlanStatus.PROPOSED


@pytest.mark.parametrize("failure", [FailureClass.ENVIRONMENT, FailureClass.DECISION, FailureClass.QUOTA])
def test_3_work_that_waits_for_a_person_calls_no_planner(failure: FailureClass):
    """Work that only waited for a ruling counted as dead, and the planner was called to replace it."""
    goal = blocked(failure)
    Given(goal).when(tick()).then_nothing()
    assert position(goal, T0).next_action is NextAction.RESOLVE_BLOCKED


def test_4_what_runs_is_told_whatever_else_is_blocked():
    """Work running elsewhere was no category of its own, and the goal read as blocked."""
    goal = live(working(*TWO), failed("p1.a", FailureClass.REFUSAL))
    assert position(goal, T0).phase is Phase.RUNNING


@pytest.mark.parametrize("after", ["proposed", "recovered"])
def test_5_a_plan_that_was_to_be_applied_unasked_is_applied_after_a_crash_too(after: str):
    """A crash between the proposal and its application made it a person's matter for ever."""
    goal = proposed(auto_apply=True)
    if after == "recovered":  # whatever lived between the two has died
        goal = live(goal, attend("second"), at=later(9))
    events = decide(goal, tick(later(10)))
    assert [event.by for event in events if isinstance(event, e.PlanApplied)] == ["replanning.auto_apply"]
    assert asks(goal, later(10)) == ()


@pytest.mark.parametrize("command", [approve(a_plan()), reject(a_plan())], ids=["approve", "reject"])
def test_6_an_answer_that_asks_is_never_a_proposal(command: c.GoalCommand):
    """A planner's question came to be proposed; nothing could apply it, and what was applied unasked threw at it."""
    goal = live(planning(auto_apply=True), answered(question()))
    assert (the_plan(goal).status, position(goal, T0).next_action) == (PlanStatus.ATTENTION, NextAction.RETRY_PLAN)
    Given(goal).when(tick()).then_nothing()
    Given(goal).when(command).then_refused("plan.not_proposed")


def test_7_an_outage_of_the_vendor_is_not_paid_for():
    """An outage became a question to a person and a charged request."""
    goal = upstream_three_times()
    assert goal.ledger.entries[Unit.PLANNER_CALLS] == Entry(5)
    assert goal.ledger.entries[Unit.AGENT_CALLS] == Entry(50)


def test_8_a_goal_that_cannot_be_read_is_told_from_one_that_can():
    """One unreadable goal aborted the sweep over all of them; reading is per goal, and says so."""
    with pytest.raises(UnreadableEventError):
        fold([(T0, encode(e.GoalTicked())[1].replace(b"/1", b"/9"))])


def test_10_ticks_and_runtime_bound_a_goal_over_its_whole_life():
    """Cycles and runtime were counted per invocation, so that a service that went round and round bounded nothing."""
    goal = a_goal(ticks=2, active_runtime=10_000_000)
    goal = live(live(goal, tick()), answered(question()), at=later(4))
    goal = live(goal, attend("second"), retry_plan(), tick(later(9)), at=later(9))
    assert goal.ledger.entries[Unit.TICKS] == Entry(2, spent=2)
    goal = live(goal, answered(a_plan(), plan=2), at=later(14))
    assert goal.active_runtime(later(10**6)) == 9_000_000
    goal = live(goal, approve(a_plan(), plan=2), at=later(14))
    Given(goal).when(tick(later(14))).then_nothing()


def test_10_a_deadline_reaches_what_is_already_running():
    """The deadline did not interrupt what had been started."""
    goal = working(active_runtime=10_000_000)
    assert [effect.runtime_left for effect in due(goal, later(7)) if isinstance(effect, RunAttempt)] == [3_000_000]
    assert position(goal, later(7)).wake_at == later(10)


def test_11_whatever_a_person_cancels_is_owed_no_more():
    """Cancelling only wrote an event, and the processes went on."""
    assert due(cancelled(working(*TWO)), T0) == ()
    assert due(cancelled(planning()), T0) == ()
    after = live(working(*TWO), cancel_work("p1.a"))
    assert [effect.key for effect in due(after, T0)] == ["goal/billing/work/p1.b/attempt/1"]


def test_12_a_late_writer_changes_nothing():
    """Nothing fenced off a writer that came late: its result overwrote that of its successor."""
    goal = live(working(), lost("p1.a"), tick(), succeeded("p1.a", 2))
    Given(goal).when(failed("p1.a", FailureClass.PROOF, 1)).then(
        e.AttemptSuperseded(work=WorkId("p1.a"), attempt=1, outcome=AttemptOutcome.FAILED)
    )
    assert item(live(goal, failed("p1.a", FailureClass.PROOF, 1)), "p1.a").standing is Standing.IN_REVIEW


def test_13_only_a_person_releases_a_question():
    """A question was latched to the number of events, and any append, such as a look around, released it."""
    goal = live(planning(), answered(question("Which?")))
    for command in (attend("second"), tick(later(10**6)), answered(a_plan()), create(goal.intent)):
        goal = live(goal, command, at=later(10**6))
    goal = evolve(goal, e.GoalAttended(InstanceId("third")), later(10**6))
    assert (the_plan(goal).asks, position(goal, later(10**6)).next_action) == (True, NextAction.RETRY_PLAN)
    assert not the_plan(live(goal, retry_plan())).asks


def test_14_every_plan_that_makes_work_is_a_milestone_with_the_next_sequence():
    """Only accepted milestones counted against their number, and a second plan could take the sequence of the first."""
    goal = applied(milestones=1)
    assert goal.ledger.entries[Unit.MILESTONES] == Entry(1, spent=1)
    second = a_plan(sequence=2)
    answer = read_candidate(reassessing(milestones=1), Trigger.MILESTONE, canonical(msgspec.to_builtins(second)))
    assert isinstance(answer, tuple)
    repeated = read_candidate(reassessing(), Trigger.MILESTONE, unfinished(a_plan(sequence=1)))
    assert isinstance(repeated, tuple)
    assert [problem.place for problem in repeated] == ["milestone.sequence"]


def test_14_completion_shows_accepted_work_for_every_criterion_of_the_mission():
    """Acceptance was stored and never looked at again; nothing mapped a criterion to evidence."""
    goal = reassessing(acceptance=["Exported.", "Read."])
    answer = read_candidate(goal, Trigger.MILESTONE, canonical(msgspec.to_builtins(completion("p1.a"))))
    assert isinstance(answer, tuple)
    prompt = briefing(goal, the_plan(goal), PLANNER)
    assert "- WC-1 It works. — satisfied by check" in prompt


def test_15_a_planner_remembers_earlier_milestones_and_all_guidance():
    """A planner saw the active graph only: earlier milestones and older words of the operator were gone."""
    second = a_plan(draft("b"), sequence=2)
    goal = live(proposed(milestones=3), reject(a_plan(), "in small steps"), tick())
    first = a_plan(draft("x"))
    goal = live(
        goal, answered(first, plan=2), approve(first, plan=2), tick(), succeeded("p2.x"), accept("p2.x"), tick()
    )
    goal = live(goal, c.ReportProved(WorkId("p2.x"), 1, goal.head, a_proof("x").tree, a_proof("x")))
    goal = live(goal, c.ReportMoved(WorkId("p2.x"), 1), tick(), answered(second, plan=3), approve(second, plan=3))
    prompt = briefing(goal, the_plan(goal), PLANNER)
    assert "- about plan 1: in small steps" in prompt
    assert "# Milestone 1: Step 1" in prompt
    assert "# Milestone 2: Step 2" in prompt


def test_16_what_is_owed_carries_no_prompt():
    """Prompts travelled as one word of the command line, and one that was too long burnt its slot."""
    words = [text for effect in (*due(planning(), T0), *due(working(), T0)) for text in msgspec.structs.astuple(effect)]
    assert max(len(str(word)) for word in words) < 100


def test_17_an_answer_of_any_length_is_kept_by_its_digest():
    """Results over sixteen kibibytes could not be read again, so that a resumed run asked for them again."""
    event = live_event(planning(), answered(a_plan()), e.PlannerReturned)
    assert re.fullmatch("[0-9a-f]{64}", str(event.reply))


def test_18_a_torn_event_is_refused_and_not_taken_for_the_end():
    """A torn last line made a record unreadable for ever, or was passed over."""
    body = encode(e.GoalCancelled("ada", "not needed"))[1]
    for cut in range(len(body)):
        with pytest.raises(UnreadableEventError):
            decode(body[:cut])


def test_19_usage_is_kept_per_attempt_and_unknown_is_not_zero():
    """Costs were bounded per run only and reported nowhere, and what was unknown counted as nothing."""
    goal = live(working(), failed("p1.a", usage=Usage(calls=1, tokens=7)))
    assert item(goal, "p1.a").attempts[0].usage == Usage(calls=1, tokens=7, cost=None)


def test_19_tokens_and_money_have_budgets_of_a_goal_and_what_is_unknown_is_counted():
    """No goal could be bounded in tokens or money, and what a vendor did not report was nowhere."""
    goal = live(a_goal(tokens=1_000, money=9), tick(), answered(question(), tokens=1_000), retry_plan())
    assert goal.ledger.entries[Unit.MICRO_DOLLARS] == Entry(9, untold=1)
    assert position(goal, T0).next_action is NextAction.ANSWER_BUDGET


def test_23_limits_grow_and_a_success_is_gone_on_with():
    """Everything was immutable: a small change meant a new goal and the loss of what was done."""
    assert live(a_goal(), c.ExtendGoal(add={Unit.ATTEMPTS: 3}, by="ada")).limit(Unit.ATTEMPTS) == 23
    assert live(success(), c.ReopenGoal(work=None, findings=("slow",), by="ada")).ending is None


def test_20_accepted_work_is_brought_in_by_itself_one_after_the_other():
    """Integration never happened by itself, nor in any order."""
    goal = live(working(*TWO), succeeded("p1.b"), accept("p1.b"), succeeded("p1.a"), accept("p1.a"), tick())
    assert [effect.key for effect in due(goal, T0)] == ["goal/billing/work/p1.b/integration/1"]
    assert goal.queue == ("p1.b", "p1.a")


def test_21_only_what_harnd_proved_is_success():
    """Verification was what the script said of itself."""
    claimed = c.AttemptReport(
        AttemptOutcome.SUCCEEDED, Micros(1), Usage(calls=1), detail="all tests pass", changed=("src/a/x.py",)
    )
    goal = live(working(), c.ReportAttempt(WorkId("p1.a"), 1, claimed))
    assert item(goal, "p1.a").attempts[0].failure is FailureClass.PROOF
    empty = Proof(goal.head, a_proof("x").tree, (), ())
    assert item(live(working(), succeeded("p1.a", proof=empty)), "p1.a").standing is Standing.OPEN


def test_22_everything_that_waits_for_a_person_is_in_one_inbox():
    """There was no inbox; a person had to poll files."""
    goal = live(working(*TWO), succeeded("p1.a"), failed("p1.b", FailureClass.AUTH))
    assert [(ask.kind, ask.subject) for ask in asks(goal, T0)] == [("work", "p1.a"), ("blocked", "p1.b")]


@pytest.mark.parametrize(
    "goal",
    [milestone_met(), reassessing(), live(reassessing(), answered(completion("p1.a"), plan=2))],
    ids=["met", "requested", "proposed"],
)
def test_25_reopening_takes_back_the_plan_in_the_same_append(goal: Goal):
    """Work was reopened in one record and the plan in another; a crash between them stranded the item."""
    events = decide(goal, reopen("p1.a"))
    assert [type(event) for event in events][-1] is e.WorkReopened
    after = live(goal, reopen("p1.a"), tick())
    assert (item(after, "p1.a").standing, after.plan is not None and after.plan.open_call) == (Standing.RUNNING, None)


def test_25_a_mission_that_succeeded_is_reopened_with_its_work_in_one_append():
    """Under a finished mission the item was reopened and nothing else, and a second try was refused."""
    events = decide(success(), reopen("p1.a"))
    assert [type(event) for event in events] == [e.GoalReopened, e.WorkReopened]
    after = live(success(), reopen("p1.a"), tick())
    assert (after.ending, item(after, "p1.a").standing) == (None, Standing.RUNNING)


def test_26_a_finding_that_is_not_disposed_of_is_a_persons_matter_and_no_loop():
    """An automatic acceptance threw on an open finding in every tick, for ever."""
    goal = live(in_review(), reopen("p1.a"), tick(), succeeded("p1.a", 2))
    Given(goal).when(tick()).then_nothing()
    assert position(goal, T0).next_action is NextAction.DECIDE_WORK
    Given(goal).when(accept("p1.a")).then_refused("work.findings_open")


def test_29_the_next_planner_is_told_the_rejected_candidate_and_why():
    """After a rejection the next planner got a status and a reason, and made the same mistakes again."""
    goal = live(proposed(), reject(a_plan(), "the export must stream"), tick())
    prompt = briefing(goal, the_plan(goal), PLANNER)
    assert "The operator: the export must stream" in prompt
    assert '"objective": "Make a work."' in prompt


def test_30_an_agent_has_the_time_that_its_specialist_was_given():
    """Planning had five minutes whatever was needed."""
    intent = an_intent()
    assert {member.name: member.timeout for member in intent.team} == {
        "maker": 1_800_000_000,
        "planner": 1_800_000_000,
    }


# --- and what they have in common


def test_an_equal_fingerprint_is_what_keeps_a_goal_at_rest():
    """Many of them came from going round without need: a step is taken for a fact that changed, and for no other."""
    goal = live(planning(), answered(question()))
    assert fingerprint(live(goal, tick(later(10**6))), later(10**6)) == fingerprint(goal, T0)


def test_nothing_ends_a_mission_but_its_completion_and_a_person():
    endings = {
        live(planning(), unanswered(FailureClass.REFUSAL)).ending,
        blocked().ending,
        milestone_met(milestones=1).ending,
        live(integrating(), cancel_goal()).ending,
        success().ending,
    }
    assert endings == {None, Ending.CANCELLED, Ending.SUCCEEDED}


def test_what_is_unknown_is_neither_satisfied_nor_unsatisfied():
    proof = a_proof("x", verdict=Verdict.UNKNOWN)
    assert item(live(working(), succeeded("p1.a", proof=proof)), "p1.a").attempts[0].failure is FailureClass.PROOF


def test_a_branch_that_is_not_offered_is_not_in_the_schema():
    schema = planner_schema(planning(), Trigger.INITIAL)
    assert "complete" not in str(schema)


def live_event(goal: Goal, command: c.GoalCommand, kind: type[e.PlannerReturned]) -> e.PlannerReturned:
    (event,) = (event for event in decide(goal, command) if isinstance(event, kind))
    return event


ELSEWHERE: Final[dict[int, tuple[str, ...]]] = {
    5: ("tests/sim/test_simulation.py::test_a_crash_at_any_point_of_what_is_applied_unasked_ends_in_the_same_outcome",),
    8: (
        "tests/e2e/test_daemon_trouble.py::test_a_goal_that_cannot_be_read_parks_itself_while_another_comes_to_its_end",
    ),
    9: (
        "tests/actors/test_roster.py::test_a_goal_whose_agent_works_for_hours_holds_up_no_other",
        "tests/actors/test_roster.py::test_no_other_goal_notices_that_one_is_poisoned",
    ),
    11: (
        "tests/adapters/process/test_trouble.py::test_a_mute_program_that_ignores_requests_is_killed_with_its_tree",
        "tests/adapters/process/test_daemon_death.py::test_a_killed_daemon_leaves_no_process",
        "tests/actors/test_goal_supervisor.py::test_a_cancelled_goal_withdraws_everything_and_rests",
    ),
    12: (
        "tests/contracts/test_event_store.py::test_a_newer_grant_fences_the_older_one",
        "tests/contracts/test_event_store.py::test_a_late_release_does_not_free_a_newer_grant",
        "tests/adapters/process/test_daemon_death.py::test_a_process_that_is_not_who_it_was_is_not_signalled",
    ),
    16: ("tests/adapters/process/test_trouble.py::test_a_large_prompt_arrives_whole",),
    17: (
        "tests/adapters/process/test_trouble.py::test_an_answer_that_must_be_an_object_is_not_clipped",
        "tests/contracts/test_sessions.py::test_a_finished_key_gives_its_stored_result",
    ),
    20: (
        "tests/contracts/test_workspace.py::test_attempts_do_not_see_one_another",
        "tests/actors/test_integrator.py::test_two_items_of_one_base_are_brought_together_and_the_whole_is_proved",
    ),
    21: ("tests/actors/test_prover.py::test_commands_run_on_a_clean_checkout_of_exactly_the_commit",),
    23: (
        "tests/e2e/test_fork.py::test_a_goal_goes_on_from_the_branch_of_another_in_any_phase",
        "tests/e2e/test_extending.py::test_the_command_that_the_inbox_names_brings_the_goal_on_and_empties_the_inbox",
    ),
    24: (
        "tests/daemon/test_gc.py::test_outputs_go_when_their_goal_ended_long_enough_ago",
        "tests/daemon/test_queries.py::test_a_log_that_grows_is_noted",
    ),
    27: (
        "tests/daemon/test_early_signals.py::test_an_early_signal_stops_a_daemon_as_asked",
        "tests/e2e/test_daemon_life.py::test_a_drain_lets_an_agent_finish_and_starts_nothing_more",
        "tests/e2e/test_daemon_life.py::test_int_stops_at_once",
    ),
    28: (
        "tests/daemon/test_queries_goals.py::test_a_plan_in_full_after_a_reply_that_was_refused",
        "tests/harnctl/test_verbs.py::test_every_item_of_a_plan_and_every_problem_of_its_replies_is_shown",
    ),
    30: ("tests/actors/test_planner.py::test_a_call_has_the_time_that_the_planner_was_given",),
}
WAITING: Final = {
    6: "a panel's revision that asks: reviews of plans, with which a revision must not return what cannot be applied",
    28: "findings of reviewers: reviews of plans, with which `plan show` lists them",
}
ROOT: Final = Path(__file__).parents[3]


def functions_of(path: str) -> set[str]:
    functions = ast.walk(ast.parse((ROOT / path).read_text(encoding="utf-8")))
    return {node.name for node in functions if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}


def test_every_one_of_the_thirty_has_a_test():
    here = str(Path(__file__).relative_to(ROOT))
    told = {int(found[1]) for name in functions_of(here) if (found := re.match(r"test_(\d+)_", name))}
    assert told | ELSEWHERE.keys() == set(range(1, 31))
    assert told | ELSEWHERE.keys() >= WAITING.keys()


@pytest.mark.parametrize("named", [name for names in ELSEWHERE.values() for name in names])
def test_what_is_told_elsewhere_is_there(named: str):
    path, _, name = named.partition("::")
    assert name in functions_of(path)
