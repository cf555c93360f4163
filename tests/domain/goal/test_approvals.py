"""Approvals: a person is asked before an attempt goes on, decides once, and exactly what was approved goes on once."""

from typing import Any

import pytest
from msgspec.structs import replace

from harnd.domain.goal import commands as c
from harnd.domain.goal import events as e
from harnd.domain.goal.deadlines import deadlines
from harnd.domain.goal.due import RunAttempt, due
from harnd.domain.goal.fingerprint import fingerprint
from harnd.domain.goal.goal import Goal
from harnd.domain.goal.inbox import asks
from harnd.domain.goal.position import position
from harnd.domain.goal.reasons.item import reason_of
from harnd.domain.goal.rules.tick import stepped
from harnd.domain.goal.work import Standing
from protocol import bounds
from protocol.ids import WorkId
from protocol.values import (
    ApprovalState,
    AttemptOutcome,
    FailureClass,
    Instant,
    NextAction,
    ParkCause,
    Phase,
    Risk,
    Unit,
    WorkState,
)
from tests.kit.given import (
    MINUTE,
    T0,
    Given,
    asked,
    asking,
    cancel_goal,
    cancel_work,
    deny,
    draft,
    failed,
    give,
    item,
    later,
    live,
    pause_at_once,
    pause_goal,
    reopen,
    resolve,
    resume_goal,
    retry_work,
    succeeded,
    tick,
    use,
    working,
)

A = WorkId("p1.a")
HOUR_S = 3600


def state(goal: Goal, number: int = 1) -> ApprovalState:
    return goal.approvals[number - 1].state


def approved(**intent: Any) -> Goal:
    goal = asking(**intent)
    return live(goal, give(goal))


def going_on(**intent: Any) -> Goal:
    """Approved, and the attempt runs again."""
    return live(approved(**intent), tick())


def consumed() -> Goal:
    goal = going_on()
    return live(goal, use(goal))


def expired(**intent: Any) -> Goal:
    return live(asking(**intent), tick(later(24 * HOUR_S)), at=later(24 * HOUR_S))


# --- asking


def test_asking_and_parking_are_one_append_and_a_decision_is_bound_to_all_it_is_about():
    goal = working()
    live_goal = live(goal, asked("p1.a", "Publish it?"))
    (approval,) = live_goal.approvals
    assert (approval.state, approval.question, approval.risk) == (ApprovalState.PENDING, "Publish it?", Risk.MEDIUM)
    assert (item(live_goal, "p1.a").standing, live_goal.state_of(item(live_goal, "p1.a"))) == (
        Standing.AWAITING_APPROVAL,
        WorkState.AWAITING_APPROVAL,
    )
    others = [
        live(goal, asked("p1.a", "Publish that?")),
        live(goal, asked("p1.a", "Publish it?", of="something else")),
    ]
    assert len({each.approvals[0].digest for each in (live_goal, *others)}) == 3


def test_what_waits_for_a_person_is_owed_nothing_and_meters_nothing():
    goal = asking()
    assert due(goal, T0) == ()
    assert not goal.calls_running
    assert goal.ledger.entries[Unit.ATTEMPTS].reserved == 1
    assert stepped(goal, T0)[1] == []


@pytest.mark.parametrize(
    ("risk", "seconds"),
    [
        (Risk.LOW, 24 * HOUR_S),
        (Risk.MEDIUM, 24 * HOUR_S),
        (Risk.HIGH, 4 * HOUR_S),
        (Risk.CRITICAL, HOUR_S),
    ],
)
def test_what_more_hangs_on_is_asked_for_a_shorter_time(risk, seconds):
    goal = asking(risk=risk)
    assert goal.approvals[0].expires_at == later(seconds)
    assert deadlines(goal, T0) == (later(seconds),)
    assert state(live(goal, tick(later(seconds - 1)))) is ApprovalState.PENDING
    assert state(live(goal, tick(later(seconds)))) is ApprovalState.EXPIRED


def test_where_it_stands_who_is_asked_and_when_that_ends():
    goal = asking()
    where = position(goal, T0)
    assert (where.phase, where.next_action) == (Phase.AWAITING_ATTENTION, NextAction.DECIDE_APPROVAL)
    assert where.reason == "attempt 1 at p1.a asks, before stage ask is passed: Publish it?"
    assert where.wake_at == later(24 * HOUR_S)
    assert where.verbs[:3] == tuple(f"harnctl approval {word} billing 1" for word in ("show", "approve", "deny"))
    assert reason_of(goal, item(goal, "p1.a"), T0).next_automatic_at == later(24 * HOUR_S)
    (ask,) = asks(goal, T0)
    assert (ask.kind, ask.subject, ask.digest) == ("approval", "approval/1", goal.approvals[0].digest)
    assert ask.summary == "p1.a asks (medium risk): Publish it?"


def test_of_very_many_changed_paths_the_first_are_kept_and_all_are_counted():
    report = asked("p1.a")
    many = tuple(f"src/{number:04}" for number in range(bounds.PATHS_KEPT + 1))
    goal = live(working(), _with_changed(report, many))
    assert (len(goal.approvals[0].changed), goal.approvals[0].changed_in_all) == (bounds.PATHS_KEPT, len(many))


def test_of_changed_paths_too_long_for_one_frame_as_many_are_kept_as_there_is_room_for():
    many = tuple(f"{number:03}/{'x' * 4_000}" for number in range(20))
    goal = live(working(), _with_changed(asked("p1.a"), many))
    assert (goal.approvals[0].changed, goal.approvals[0].changed_in_all) == (many[:8], 20)


def _with_changed(command: c.ReportAttempt, paths: tuple[str, ...]) -> c.ReportAttempt:
    assert command.report.asks is not None
    return replace(command, report=replace(command.report, asks=replace(command.report.asks, changed=paths)))


# --- the answer


def test_an_approved_attempt_goes_on_where_it_stopped_with_the_next_step():
    goal = asking()
    Given(goal).when(give(goal)).then(
        e.ApprovalApproved(approval=1, digest=goal.approvals[0].digest, by="ada"),
    )
    after = approved()
    assert position(after, T0).next_action is NextAction.RESUME
    Given(after).when(tick()).then(e.GoalTicked(), e.AttemptResumed(work=A, attempt=1, by="ada"))
    assert [type(effect) for effect in due(going_on(), T0)] == [RunAttempt]


def test_what_is_denied_ends_at_nobodys_cost_and_the_reason_reaches_the_next_attempt():
    goal = asking()
    answer = Given(goal).when(deny(goal, reason="Not on a Friday."))
    ended = answer.events[-1]
    assert isinstance(ended, e.AttemptEnded)
    assert (ended.outcome, ended.failure, ended.charged) == (AttemptOutcome.FAILED, FailureClass.DECISION, False)
    assert ended.detail == "ada denied what stage ask asked: Not on a Friday."
    after = live(goal, deny(goal, reason="Not on a Friday."))
    assert (item(after, "p1.a").standing, state(after)) == (Standing.BLOCKED, ApprovalState.DENIED)
    assert after.left(Unit.ATTEMPTS) == working().left(Unit.ATTEMPTS) + 1
    Given(after).when(resolve("p1.a")).then_refused("work.not_resolvable")
    assert item(live(after, retry_work("p1.a"), tick()), "p1.a").standing is Standing.RUNNING


def test_the_first_decision_wins_and_the_same_again_is_the_same_answer():
    asked_now = asking()
    yes, no = live(asked_now, give(asked_now)), live(asked_now, deny(asked_now))
    Given(yes).when(give(yes, by="grace")).then_nothing()
    Given(no).when(deny(no, reason="never", by="grace")).then_nothing()
    Given(yes).when(deny(yes)).then_refused("approval.decided", "approval 1 was approved by ada; that stands")
    Given(no).when(give(no)).then_refused("approval.decided", "approval 1 was denied by ada; that stands")


def test_a_decision_about_something_else_is_refused():
    goal = asking()
    other = live(working(), asked("p1.a", of="something else"))
    Given(goal).when(give(other)).then_refused("approval.stale")
    Given(working()).when(give(goal)).then_refused("approval.unknown")
    Given(goal).when(deny(goal, reason=" ")).then_refused("text.reason_missing")


def test_an_answer_that_comes_too_late_is_refused_even_before_anybody_noticed():
    goal = asking()
    late = later(24 * HOUR_S)
    assert state(goal) is ApprovalState.PENDING
    assert goal.approvals[0].state_at(late) is ApprovalState.EXPIRED
    Given(goal).when(give(goal, at=late)).then_refused("approval.expired")
    Given(goal).when(deny(goal, at=late)).then_refused("approval.expired")
    Given(goal).when(give(goal, at=Instant(late - 1))).then(
        e.ApprovalApproved(approval=1, digest=goal.approvals[0].digest, by="ada")
    )


# --- nobody answers


def test_what_nobody_answered_stays_where_it_is_and_can_be_asked_anew():
    goal = expired()
    where = position(goal, later(24 * HOUR_S))
    assert where.next_action is NextAction.RESOLVE_BLOCKED
    assert where.reason == (
        "p1.a is blocked (decision): nobody answered approval 1 within 1d; "
        "settle what stands against it, then resolve it"
    )
    assert item(goal, "p1.a").parked is not None
    again = live(goal, resolve("p1.a"), tick(), asked("p1.a"))
    assert [each.state for each in again.approvals] == [ApprovalState.EXPIRED, ApprovalState.PENDING]


@pytest.mark.parametrize("held", [pause_goal(), None], ids=["paused", "without steps"])
def test_it_expires_also_where_no_step_may_be_taken_and_costs_none(held):
    late = later(24 * HOUR_S)
    goal = live(asking(), held) if held else asking(ticks=3)
    assert position(goal, T0).wake_at == late
    Given(goal).when(tick(late)).then(e.ApprovalExpired(approval=1))
    after = live(goal, tick(late), at=late)
    assert after.left(Unit.TICKS) == goal.left(Unit.TICKS)
    assert item(live(after, resolve("p1.a"), at=late), "p1.a").standing is Standing.PARKED


def test_what_expires_beside_other_moves_is_stored_with_them():
    late = later(24 * HOUR_S)
    goal = asking(draft("a"), draft("b"), draft("c", "a", "b"), parallel_work=1)
    Given(live(goal, pause_goal(), resume_goal())).when(tick(late)).then(
        e.GoalTicked(),
        e.ApprovalExpired(approval=1),
        e.AttemptStarted(
            work=WorkId("p1.b"), attempt=1, base=goal.head, generation=1, calls=1, set_aside=goal.ledger.expected(1)
        ),
    )


def test_whoever_is_asked_again_is_told_why():
    nobody = live(expired(), resolve("p1.a"), tick(), asked("p1.a"))
    changed = live(going_on(), asked("p1.a", of="something else"))
    for goal, why in ((nobody, "nobody answered in time"), (changed, "what was approved has changed since")):
        (ask,) = asks(goal, T0)
        assert ask.summary == f"p1.a asks again, because {why} (medium risk): Publish it?"
        said = f"attempt 1 at p1.a asks again, because {why}, before stage ask is passed: Publish it?"
        assert reason_of(goal, item(goal, "p1.a"), T0).condition == said


def test_another_attempt_and_another_stage_ask_for_the_first_time():
    denied = live(asking(), deny(asking()), retry_work("p1.a"), tick(), asked("p1.a", attempt=2))
    assert denied.why_asked_again(denied.approvals[-1]) == ""
    other = asked("p1.a")
    elsewhere = live(consumed(), replace(other, report=replace(other.report, stage="later")))
    assert elsewhere.why_asked_again(elsewhere.approvals[-1]) == ""


def test_it_is_told_how_long_was_waited_whenever_the_question_was_stored():
    goal = live(working(), asked("p1.a", risk=Risk.HIGH), at=later(5))
    late = live(goal, tick(later(4 * HOUR_S)), at=later(4 * HOUR_S))
    assert item(late, "p1.a").blocked_detail == "nobody answered approval 1 within 4h"


# --- its use


def test_exactly_what_was_approved_goes_on_and_only_once():
    goal = going_on()
    Given(goal).when(use(goal)).then(e.ApprovalConsumed(approval=1))
    Given(live(goal, use(goal))).when(use(goal)).then_nothing()


def test_what_has_changed_since_is_not_what_was_approved_and_is_asked_anew():
    goal = going_on()
    Given(goal).when(use(goal, of="something else")).then_nothing()
    events = Given(goal).when(asked("p1.a", of="something else")).events
    assert events[0] == e.ApprovalCancelled(approval=1, reason="what was approved has changed since")
    after = live(goal, asked("p1.a", of="something else"))
    assert [each.state for each in after.approvals] == [ApprovalState.CANCELLED, ApprovalState.PENDING]
    Given(after).when(use(after, 1)).then_nothing()


def test_what_was_used_stays_used_when_the_attempt_is_cut_short_later():
    goal = live(consumed(), pause_at_once(), resume_goal(), tick())
    assert goal.approvals[0].consumed
    assert item(goal, "p1.a").standing is Standing.RUNNING
    done = live(goal, succeeded("p1.a"))
    assert (state(done), item(done, "p1.a").standing) == (ApprovalState.APPROVED, Standing.IN_REVIEW)


def test_an_approval_that_waits_to_be_used_outlives_a_pause():
    held = live(going_on(), pause_at_once())
    assert state(held) is ApprovalState.APPROVED
    goal = live(held, resume_goal(), tick())
    Given(goal).when(use(goal)).then(e.ApprovalConsumed(approval=1))


# --- every other end


@pytest.mark.parametrize(
    "command",
    [retry_work("p1.a"), cancel_work("p1.a"), cancel_goal(), reopen("p1.a", "Do it in another way.")],
    ids=lambda command: type(command).__name__,
)
@pytest.mark.parametrize("made", [asking, approved], ids=["pending", "approved"])
def test_however_else_an_attempt_ends_what_it_asked_is_cancelled_with_it(command, made):
    goal = made()
    events = Given(goal).when(command).events
    ended = next(index for index, event in enumerate(events) if isinstance(event, e.AttemptEnded))
    assert events[ended - 1] == e.ApprovalCancelled(approval=1, reason="attempt 1 at p1.a ended")
    after = live(goal, command)
    assert state(after) is ApprovalState.CANCELLED
    Given(after).when(give(after)).then_refused("approval.cancelled")


def test_an_attempt_that_fails_before_it_used_its_approval_takes_it_along():
    goal = live(going_on(), failed("p1.a"))
    assert state(goal) is ApprovalState.CANCELLED


# --- holding and automation


def test_a_paused_goal_takes_answers_and_goes_on_once_it_is_resumed():
    goal = live(asking(), pause_goal())
    answered = live(goal, give(goal))
    assert stepped(answered, T0)[1] == []
    assert item(live(answered, resume_goal(), tick()), "p1.a").standing is Standing.RUNNING


def test_where_nothing_resumes_by_itself_a_person_says_when():
    goal = approved(resume_approved=False)
    assert stepped(goal, T0)[1] == []
    where = position(goal, T0)
    assert (where.phase, where.next_action) == (Phase.AWAITING_ATTENTION, NextAction.RESUME)
    assert where.reason == "ada approved what attempt 1 at p1.a asked, and it may go on"
    assert "harnctl work resolve billing p1.a" in where.verbs
    assert [(ask.kind, ask.subject) for ask in asks(goal, T0)] == [("blocked", "p1.a")]
    assert item(live(goal, resolve("p1.a"), tick()), "p1.a").standing is Standing.RUNNING


def test_before_it_is_answered_there_is_nothing_to_resolve():
    Given(asking()).when(resolve("p1.a")).then_refused("work.not_resolvable")


# --- quiescence


def test_every_step_of_an_approval_changes_the_fingerprint_and_nothing_else_wakes_it():
    pending = asking()
    states = [working(), pending, approved(), going_on(), consumed(), live(pending, deny(pending)), expired()]
    seen = [fingerprint(goal, T0) for goal in states]
    assert len(set(seen)) == len(seen)
    assert fingerprint(pending, later(24 * HOUR_S - 1)) == fingerprint(pending, T0)
    assert fingerprint(pending, later(24 * HOUR_S)) != fingerprint(pending, T0)


def test_others_go_on_while_one_asks():
    goal = asking(draft("a"), draft("b"), draft("c", "a", "b"))
    assert item(live(goal, tick()), "p1.b").standing is Standing.RUNNING
    where = position(live(goal, tick()), T0)
    assert (where.phase, where.wake_at is not None) == (Phase.RUNNING, True)


def test_files_of_the_operator_that_changed_meanwhile_are_told_before_anybody_is_asked():
    report = asked("p1.a")
    strayed = replace(report, report=replace(report.report, strayed=("src/a/x.py",)))
    goal = live(working(), strayed)
    assert (goal.approvals, item(goal, "p1.a").blocked) == ((), FailureClass.PERMISSION)


def test_parking_says_how_long_it_ran_and_what_it_used():
    (_, parked) = Given(working()).when(asked("p1.a")).events
    assert isinstance(parked, e.AttemptParked)
    assert (parked.cause, parked.stage, parked.ran, parked.usage.calls) == (ParkCause.APPROVAL, "ask", MINUTE, 1)
