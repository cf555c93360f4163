"""What every key and every message does.  `keys.txt` has the whole table of keys; here are the rules in it."""

import itertools

import pytest
from msgspec.structs import replace

from harnctl.editing.plan_text import plan_text
from harnctl.tui import messages as m
from harnctl.tui.errands import Look, Quit, ReadBudget, ReadInbox, Send, Write
from harnctl.tui.model import Browsing, Confirming, Link, Model, Pane, Said, Size, Tone, Writing
from harnctl.tui.things import ApprovalThing, Nothing, Page, PlanThing, Subject, WorkThing
from harnctl.tui.update import update
from harnctl.tui.writing import UNSENT
from protocol.ids import GoalId
from protocol.replies import Done
from protocol.requests import (
    AcceptWork,
    ApprovePlan,
    DenyApproval,
    EditPlan,
    ExtendGoal,
    GiveApproval,
    PauseGoal,
    RejectPlan,
    ReopenWork,
    ResolveWork,
    ResumeGoal,
    RetryPlan,
    RetryWork,
)
from protocol.values import SECOND, ApprovalState, Instant, PlanStatus, Unit
from protocol.views import DoubtView, InboxKind, InboxView, ProblemView
from tests.kit import screens
from tests.kit.screens import (
    APPROVAL,
    BILLING,
    BLOCKED,
    BUDGET,
    EVERY_KIND,
    FAILED,
    HERE,
    KEYS,
    NEW,
    NOW,
    OTHERS,
    PLAN,
    QUESTION,
    SIZES,
    STATES,
    STUCK,
    STUCK_WORK,
    WORK,
    extending,
    key_table,
    listing,
    on,
    plan,
    press,
    tell,
    work,
    writing,
)
from tests.kit.scripted_daemon import golden
from tests.kit.tui_manual import MANUAL, rewritten

DIGEST = plan().digest or NEW  # the golden ones have theirs
PROOF = work().proof_digest or NEW
USUAL = SIZES["usual"]


def sent(model: Model) -> object:
    """What is sent when the decision that waits is confirmed."""
    _, errands = update(model, m.Pressed("y"))
    (errand,) = errands
    assert isinstance(errand, Send)
    return errand.decision.request


def listed(*items, after=0):
    return m.Listed(InboxView(items, after), golden("goal.list"))


# --- keys


def test_every_key_in_every_state_does_what_the_table_says():
    assert key_table() == (HERE / "keys.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("state", STATES)
def test_only_y_sends_and_only_what_is_being_confirmed(state):
    before = STATES[state](USUAL)
    sending = {
        key for key in (*KEYS, *OTHERS) if any(isinstance(one, Send) for one in update(before, m.Pressed(key)).errands)
    }

    assert sending == ({"y"} if isinstance(before.mode, Confirming) else set())


@pytest.mark.parametrize("state", [name for name, make in STATES.items() if isinstance(make(USUAL).mode, Browsing)])
def test_no_single_key_decides_while_browsing(state):
    before = STATES[state](USUAL)

    for first, second in itertools.product((*KEYS, *OTHERS), ("enter", " ", "a", "escape")):
        model = press(before, first)
        assert not any(isinstance(errand, Send) for errand in update(model, m.Pressed(second)).errands)


@pytest.mark.parametrize("text", ["y", "ay", "y\n", "a\ny\n", "q"])
@pytest.mark.parametrize("state", STATES)
def test_a_paste_decides_nothing_and_leaves_nothing(state, text):
    _, errands = update(STATES[state](USUAL), m.Pasted(text))

    assert not any(isinstance(errand, Send | Quit | Write) for errand in errands)


@pytest.mark.parametrize("key", [*KEYS, *OTHERS])
def test_a_screen_that_is_too_small_to_see_anything_decides_nothing(key):
    small = tell(on(PLAN, "a"), m.Resized(Size(30, 8)))

    assert not any(isinstance(errand, Send) for errand in update(small, m.Pressed(key)).errands)


def test_q_and_ctrl_c_leave():
    assert update(on(PLAN), m.Pressed("q")).errands == (Quit(),)
    assert update(on(PLAN), m.Pressed("ctrl-c")).errands == (Quit(interrupted=True),)


def test_ctrl_c_takes_back_what_was_begun_and_leaves_only_then():
    model = press(on(PLAN, "a"), "ctrl-c")

    assert model.mode == Browsing()
    assert update(model, m.Pressed("ctrl-c")).errands == (Quit(interrupted=True),)


def test_keys_belong_to_the_editor_while_it_is_open():
    model = on(PLAN, "r")

    assert isinstance(model.mode, Writing)
    assert all(update(model, m.Pressed(key)) == (model, ()) for key in KEYS)


def test_a_yes_that_was_typed_before_the_question_was_drawn_is_no_answer_to_it():
    model = on(PLAN)
    for key in ("a", " ", "d", "a", "y"):  # in one go, as a paste without brackets comes
        model, errands = update(model, m.Pressed(key))
        assert errands == ()

    assert model.said == Said("it was not on the screen yet: press y again", Tone.ASKS)
    assert isinstance(update(update(model, m.Shown()).model, m.Pressed("y")).errands[0], Send)


@pytest.mark.parametrize("key", ["a", "r", "x"])
def test_below_80_columns_a_thing_is_opened_before_anything_is_decided_about_it(key):
    narrow = listing(PLAN, size=SIZES["narrow"])

    closed = press(narrow, key)
    assert (closed.mode, closed.pane) == (Browsing(), Pane.LIST)
    assert closed.said is not None
    assert "enter opens it" in closed.said.text
    assert update(press(narrow, "enter"), m.Pressed(key)) != (press(narrow, "enter"), ())


# --- what is sent


def test_approve_binds_to_the_digest_that_was_drawn():
    assert sent(on(PLAN, "a")) == ApprovePlan(key=UNSENT, goal=BILLING, plan=1, digest=DIGEST)


def test_reject_sends_what_was_written():
    assert sent(writing(PLAN, "r", "Start smaller.")) == RejectPlan(
        key=UNSENT, goal=BILLING, plan=1, digest=DIGEST, guidance="Start smaller."
    )


def test_a_question_is_answered_with_what_was_written():
    expected = RetryPlan(key=UNSENT, goal=GoalId("search"), plan=2, guidance="The trigram one.")
    assert sent(writing(QUESTION, "t", "The trigram one.")) == expected


def test_a_failed_plan_is_asked_for_again_without_a_word():
    assert sent(on(FAILED, "t")) == RetryPlan(key=UNSENT, goal=GoalId("docs"), plan=3, guidance="")


def test_a_retry_takes_words_when_the_person_has_some():
    model = tell(on(FAILED, "t", "e"), m.Written("One item only."))

    assert sent(model) == RetryPlan(key=UNSENT, goal=GoalId("docs"), plan=3, guidance="One item only.")


def test_work_is_accepted_with_an_answer_to_every_finding():
    assert sent(on(WORK, "a", "f")) == AcceptWork(
        key=UNSENT, goal=BILLING, work=work().work, digest=PROOF, dispositions={"f1": "fixed"}
    )
    assert sent(on(WORK, "a", "l", *"no time ", "enter")) == AcceptWork(
        key=UNSENT, goal=BILLING, work=work().work, digest=PROOF, dispositions={"f1": "deferred: no time"}
    )


def test_work_without_findings_is_accepted_at_once():
    model = on(WORK)
    assert model.chosen is not None
    model = tell(model, m.Looked(model.chosen, Page.SUMMARY, WorkThing(screens.PROVED_WORK)))

    assert sent(press(model, "a")) == AcceptWork(key=UNSENT, goal=BILLING, work=work().work, digest=PROOF)


def doubtful(count: int) -> Model:
    """Work in review with so many doubts, as it is drawn."""
    model = on(WORK)
    assert model.chosen is not None
    doubts = tuple(DoubtView(name=f"tests/{number}.py", said="changed") for number in range(count))
    return tell(model, m.Looked(model.chosen, Page.SUMMARY, WorkThing(work(open_findings=(), doubts=doubts))))


def test_accepting_acknowledges_the_doubts_that_are_shown_with_it():
    model = press(doubtful(2), "a")

    assert isinstance(model.mode, Confirming)
    assert model.mode.decision.words == "tests/0.py all the same: changed\ntests/1.py all the same: changed"
    assert sent(model) == AcceptWork(
        key=UNSENT, goal=BILLING, work=work().work, digest=PROOF, acknowledged=("tests/0.py", "tests/1.py")
    )


def test_more_doubts_than_are_seen_at_once_are_not_acknowledged_by_one_key():
    model = press(doubtful(5), "a")

    assert isinstance(model.mode, Browsing)
    assert model.said is not None
    assert model.said.text == f"5 doubts to acknowledge: harnctl work accept {BILLING} {work().work}"


def test_a_finding_is_not_left_for_later_without_a_reason():
    assert press(on(WORK, "a", "l"), " ", "enter").mode == press(on(WORK, "a", "l"), " ").mode


def test_work_is_reopened_with_a_finding_a_line():
    model = writing(WORK, "o", "\n no test\n\nsetup.cfg is touched \n")

    assert sent(model) == ReopenWork(
        key=UNSENT, goal=BILLING, work=work().work, findings=("no test", "setup.cfg is touched")
    )


def test_an_approval_is_given_on_the_digest_that_was_drawn_and_denied_with_a_reason():
    digest = golden("approval.show").digest

    assert sent(on(APPROVAL, "a")) == GiveApproval(key=UNSENT, goal=BILLING, approval=1, digest=digest)
    assert sent(writing(APPROVAL, "r", "Not before the audit.")) == DenyApproval(
        key=UNSENT, goal=BILLING, approval=1, digest=digest, reason="Not before the audit."
    )


@pytest.mark.parametrize("state", [each for each in ApprovalState if each is not ApprovalState.PENDING])
@pytest.mark.parametrize("key", ["a", "r"])
def test_an_approval_that_waits_no_more_is_not_answered(state, key):
    model = on(APPROVAL)
    assert model.chosen is not None
    over = m.Looked(model.chosen, Page.SUMMARY, ApprovalThing(golden("approval.show", state=state)))

    assert press(tell(model, over), key).mode == Browsing()


def test_an_answer_to_an_approval_whose_time_is_over_meanwhile_is_taken_back():
    model = on(APPROVAL, "a")
    assert model.chosen is not None
    over = ApprovalThing(golden("approval.show", state=ApprovalState.EXPIRED))

    model = tell(model, m.Looked(model.chosen, Page.SUMMARY, over))

    assert model.mode == Browsing()
    assert model.said is not None
    assert "changed while you decided" in model.said.text


def test_blocked_work_is_tried_again():
    assert sent(on(BLOCKED, "t")) == RetryWork(key=UNSENT, goal=BILLING, work=work().work, guidance="")


def test_what_blocked_work_that_can_go_on_is_said_to_be_gone():
    assert sent(on(STUCK, "s")) == ResolveWork(key=UNSENT, goal=BILLING, work=STUCK_WORK.work, note="")
    noted = tell(on(STUCK, "s", "e"), m.Written("The token is renewed."))
    assert sent(noted) == ResolveWork(key=UNSENT, goal=BILLING, work=STUCK_WORK.work, note="The token is renewed.")


def test_work_with_nothing_to_go_on_with_is_not_resolved():
    model = on(BLOCKED, "s")

    assert model.mode == Browsing()
    assert model.said == Said("s does nothing about what is shown", Tone.ASKS)


def test_a_goal_is_paused_and_resumed_by_one_key_that_never_does_the_other():
    assert sent(on(PLAN, "p")) == PauseGoal(key=UNSENT, goal=BILLING)
    assert sent(screens.paused(USUAL, "p")) == ResumeGoal(key=UNSENT, goal=BILLING)
    why = tell(on(PLAN, "p", "e"), m.Written("The disk is full."))
    assert sent(why) == PauseGoal(key=UNSENT, goal=BILLING, reason="The disk is full.")


def test_a_pause_binds_to_no_plan():
    model = on(PLAN, "p")

    assert isinstance(model.mode, Confirming)
    assert model.mode.decision.digest is None


def test_a_goal_that_nobody_knows_of_is_not_paused():
    assert on(BUDGET, "p").mode == Browsing()


# --- a plan of one's own

MINE = 'decision = "complete"\nrationale = "# It is done."\n'


def test_the_editor_opens_on_the_plan_as_it_is_and_what_is_written_is_bound_to_its_digest():
    model = on(PLAN)
    opened = update(model, m.Pressed("e")).errands

    assert opened == (Write(f"the plan, as TOML (plan 1 of {BILLING})", plan_text(plan()), whole=True),)
    assert sent(writing(PLAN, "e", MINE)) == EditPlan(
        key=UNSENT, goal=BILLING, plan=1, file=MINE.encode(), digest=DIGEST
    )


def test_a_plan_that_asks_is_answered_with_one_of_ones_own():
    assert sent(writing(QUESTION, "e", MINE)) == EditPlan(
        key=UNSENT, goal=GoalId("search"), plan=2, file=MINE.encode(), digest=None
    )


def test_a_plan_that_was_left_as_it_is_changes_nothing():
    model = writing(PLAN, "e", plan_text(plan()))

    assert (model.mode, model.said, model.drafts) == (Browsing(), Said("nothing was changed", Tone.ASKS), ())


def test_what_is_wrong_with_a_plan_stands_at_its_top_when_the_editor_opens_again():
    model = press(writing(PLAN, "e", MINE), "y")
    problem = ProblemView(code="plan.no_evidence", message="is wanted for AC-1", place="evidence", line=2)
    model = tell(model, m.Refused(model.sending, "plan.invalid_edit", "one problem", problems=(problem,)))

    (opened,) = update(model, m.Pressed("e")).errands
    assert isinstance(opened, Write)
    assert opened.draft == f"#! line 3: evidence is wanted for AC-1\n{MINE}"
    assert sent(tell(press(model, "e"), m.Written(opened.draft))) == EditPlan(
        key=UNSENT, goal=BILLING, plan=1, file=MINE.encode(), digest=DIGEST
    )


def test_a_plan_that_was_written_is_no_guidance_for_another():
    model = press(writing(PLAN, "e", MINE), "escape")

    (opened,) = update(model, m.Pressed("r")).errands
    assert isinstance(opened, Write)
    assert opened.draft == ""


def test_a_budget_is_extended_by_what_is_typed():
    model = extending(USUAL, *"12", "down", "down", "down", *"90m", "enter")

    assert sent(model) == ExtendGoal(
        key=UNSENT, goal=GoalId("reports"), add={Unit.ATTEMPTS: 12, Unit.ACTIVE_RUNTIME_US: 90 * 60 * SECOND}
    )


@pytest.mark.parametrize("typed", ["", "0", "x"])
def test_an_amount_that_is_none_is_asked_for_again(typed):
    model = extending(USUAL, *typed, "enter")

    assert model.said is not None
    assert model.said.tone is Tone.ASKS


def test_the_form_begins_at_the_budget_that_is_used_up():
    assert screens.picture(extending(USUAL, *"7")).count("> attempts + 7_") == 1


# --- what changes meanwhile


@pytest.mark.parametrize("keys", ["a", "r"])
def test_a_decision_about_what_changed_is_taken_back_and_the_new_one_shown(keys):
    model = on(PLAN, "a") if keys == "a" else writing(PLAN, "r", "No.")
    assert model.chosen is not None

    model = tell(model, m.Looked(model.chosen, Page.SUMMARY, PlanThing(plan(digest=NEW))))

    assert model.mode == Browsing()
    assert isinstance(model.thing, PlanThing)
    assert model.thing.view.digest == NEW
    assert model.said is not None
    assert "changed while you decided" in model.said.text
    assert update(model, m.Pressed("y")).errands == ()


def test_a_decision_about_what_cannot_be_shown_any_more_is_taken_back():
    model = on(PLAN, "a")
    assert model.chosen is not None

    model = tell(model, m.NotLooked(model.chosen, "it cannot be read"))

    assert model.mode == Browsing()
    assert model.said is not None
    assert "nothing was done, and it cannot be read now" in model.said.text
    assert update(model, m.Pressed("y")).errands == ()


def test_a_look_that_shows_the_same_thing_leaves_the_decision_alone():
    model = on(PLAN, "a")
    assert model.chosen is not None

    assert tell(model, m.Looked(model.chosen, Page.SUMMARY, PlanThing(plan()))).mode == model.mode


def test_words_written_for_what_changed_meanwhile_are_kept_for_the_new_one():
    model = on(PLAN, "r")
    assert model.chosen is not None
    model = tell(model, m.Looked(model.chosen, Page.SUMMARY, PlanThing(plan(digest=NEW))), m.Written("Start smaller."))

    assert model.mode == Browsing()
    assert update(model, m.Pressed("r")).errands == (
        Write(f"what should be planned instead (plan 1 of {BILLING})", "Start smaller."),
    )


def test_what_was_refused_keeps_its_words_and_what_was_taken_drops_them():
    model = press(writing(PLAN, "r", "Start smaller."), "y")
    assert model.sending is not None
    refused = tell(model, m.Refused(model.sending, "plan.stale", "it changed"))
    done = tell(model, m.Decided(model.sending, Done(goal=BILLING, subject="plan/1", version=4, said=())))

    assert dict(refused.drafts) == {(BILLING, "plan/1"): "Start smaller."}
    assert done.drafts == ()


def test_a_conflict_is_told_as_one_and_the_thing_is_looked_at_again():
    model = press(on(PLAN, "a"), "y")
    assert model.sending is not None

    after, errands = update(model, m.Refused(model.sending, "plan.stale", "plan 1 has the digest c0ffee now"))

    assert after.said is not None
    assert after.said.tone is Tone.ASKS
    assert after.said.text.endswith("nothing was done, and this is how it is now  [plan.stale]")
    assert Look(Subject.of(PLAN), Page.SUMMARY) in errands


def test_one_decision_is_sent_at_a_time():
    model = press(on(PLAN, "a", "y"), "down", "down", "down")

    assert model.chosen == Subject.of(WORK)
    after, errands = update(model, m.Pressed("a"))
    assert (after.mode, errands) == (Browsing(), ())
    assert after.said == Said("one decision is on its way: press it again when that is answered", Tone.ASKS)


def test_a_key_of_movement_that_does_nothing_does_not_speak_of_deciding():
    narrow = press(listing(PLAN, size=SIZES["narrow"]), "escape")

    assert narrow.said == Said("esc does nothing about what is shown", Tone.ASKS)


def test_a_key_that_does_nothing_now_says_why():
    unread = replace(on(PLAN), thing=None)

    assert press(on(FAILED), "a").said == Said("a does nothing about what is shown", Tone.ASKS)
    assert press(unread, "a").said == Said("it is not read yet: press it again when it is shown", Tone.ASKS)
    assert press(on(PLAN), "z").said is None


def test_what_was_said_is_gone_with_the_next_key_that_does_something():
    assert press(on(FAILED), "a", "down").said is None
    assert extending(USUAL, "enter", "7").said is None


def test_a_question_is_answered_and_a_failed_plan_is_asked_for_again():
    assert "t answer" in screens.picture(on(QUESTION))
    assert "t retry" in screens.picture(on(FAILED))


def test_what_was_accepted_a_moment_ago_stays_the_one_that_is_decided_about():
    model = press(on(WORK, "a", "f"), "y")
    assert model.sending is not None
    model = tell(model, m.Decided(model.sending, Done(goal=BILLING, subject=WORK.subject, version=4, said=())))
    model = tell(press(model, "o"), listed(*(one for one in EVERY_KIND if one is not WORK)), m.Written("No test."))

    assert model.chosen == Subject.of(WORK)
    assert sent(model) == ReopenWork(key=UNSENT, goal=BILLING, work=work().work, findings=("No test.",))


def test_the_list_moves_on_once_the_person_is_done_deciding():
    model = on(PLAN, "a")
    model = tell(model, listed(*(one for one in EVERY_KIND if one is not PLAN)))

    assert model.said is None
    assert press(model, "n").said == Said(f"plan 1 of {BILLING} no longer waits for you", Tone.ASKS)


def test_words_come_back_when_the_same_thing_asks_for_something_else():
    model = writing(WORK, "o", "No test.")
    blocked = replace(WORK, kind=InboxKind.BLOCKED)
    model = tell(press(model, "n"), listed(*(blocked if one is WORK else one for one in EVERY_KIND)))

    (errand,) = [one for one in update(model, m.Pressed("o")).errands if isinstance(one, Write)]
    assert errand.draft == "No test."


def test_what_somebody_else_grants_meanwhile_is_shown_and_takes_a_decision_back():
    form = extending(USUAL, "7")
    more = screens.budget(GoalId("reports"), attempts=30)

    assert ReadBudget(GoalId("reports")) in update(form, m.Happened(GoalId("reports"))).errands
    shown = tell(form, m.Budgeted(more))
    assert "37 then" in screens.picture(shown)
    assert sent(press(shown, "enter")) == ExtendGoal(key=UNSENT, goal=GoalId("reports"), add={Unit.ATTEMPTS: 7})
    back = tell(press(form, "enter"), m.Budgeted(more))
    assert back.mode == Browsing()
    assert back.said == Said("the limits of reports changed while you decided: nothing was done", Tone.ASKS)


# --- the list


def test_the_first_thing_is_chosen_when_the_list_comes():
    assert listing(PLAN, WORK).chosen == Subject.of(PLAN)


def test_after_the_persons_own_decision_the_next_thing_is_chosen():
    model = press(on(PLAN, "a"), "y")
    assert model.sending is not None
    done = m.Decided(model.sending, Done(goal=BILLING, subject="plan/1", version=4, said=()))

    model = tell(model, done, listed(*(one for one in EVERY_KIND if one is not PLAN)))

    assert model.chosen == Subject.of(QUESTION)


def test_what_somebody_else_decided_stays_chosen_so_that_no_key_falls_on_its_neighbour():
    model = tell(on(PLAN), listed(*(one for one in EVERY_KIND if one is not PLAN)))

    assert model.chosen == Subject.of(PLAN)
    assert model.said is not None
    assert model.said.text == f"plan 1 of {BILLING} no longer waits for you"
    assert press(model, "down").chosen == Subject.of(QUESTION)


def test_a_thing_that_asks_for_something_else_by_now_is_still_the_one():
    other = replace(WORK, subject=BLOCKED.subject)
    model = listing(PLAN, BLOCKED)

    model = tell(press(model, "down"), listed(PLAN, other))

    assert model.chosen == Subject.of(other)


def test_what_waits_on_after_a_decision_is_no_longer_left_when_somebody_else_decides_it():
    model = press(on(PLAN, "a"), "y")
    assert model.sending is not None
    done = m.Decided(model.sending, Done(goal=BILLING, subject="plan/1", version=4, said=()))
    model = tell(replace(model, reading=False), done, listed(*EVERY_KIND))

    model = tell(model, listed(*(one for one in EVERY_KIND if one is not PLAN)))

    assert model.chosen == Subject.of(PLAN)


def test_a_list_that_was_read_before_the_decision_says_nothing_about_what_came_of_it():
    model = press(on(PLAN, "a"), "y")
    assert model.sending is not None
    done = m.Decided(model.sending, Done(goal=BILLING, subject="plan/1", version=4, said=()))
    model = tell(replace(model, reading=True), done, listed(*EVERY_KIND))

    model = tell(model, listed(*(one for one in EVERY_KIND if one is not PLAN)))

    assert model.chosen == Subject.of(QUESTION)


def test_words_are_kept_when_another_decision_is_made():
    model = press(writing(PLAN, "r", "Start smaller."), "n")
    extended = tell(press(model, "x"), m.Budgeted(screens.budget()), *map(m.Pressed, ("5", "enter", "y")))
    assert extended.sending is not None
    done = tell(extended, m.Decided(extended.sending, Done(goal=BILLING, subject=BILLING, version=4, said=())))

    assert dict(done.drafts) == {(BILLING, "plan/1"): "Start smaller."}


def test_the_choice_stays_when_items_come_before_it():
    model = tell(listing(WORK), listed(PLAN, QUESTION, WORK))

    assert (model.chosen, model.at) == (Subject.of(WORK), 2)


def test_the_list_moves_under_a_decision_and_the_arrow_keys_go_on_from_what_is_chosen():
    model = tell(on(BLOCKED, "t"), listed(*EVERY_KIND[3:]))

    assert press(model, "y", "up").chosen == Subject.of(APPROVAL)
    assert press(model, "y", "down").chosen == Subject.of(STUCK)


def test_a_filter_hides_and_escape_brings_back():
    model = press(listing(*EVERY_KIND), "/", *"docs")

    assert [one.goal for one in model.visible] == ["docs"]
    assert model.chosen == Subject.of(FAILED)
    assert len(press(model, "escape").visible) == len(EVERY_KIND)
    assert len(press(model, "enter").visible) == 1
    assert len(press(model, "backspace", "enter").visible) == 1


# --- the daemon


def test_an_event_is_followed_by_one_look_at_the_list_and_one_at_the_thing_of_its_goal():
    model = replace(on(PLAN), reading=False)

    assert update(model, m.Happened(BILLING)).errands == (ReadInbox(), Look(Subject.of(PLAN), Page.SUMMARY))
    assert update(model, m.Happened(GoalId("other"))).errands == (ReadInbox(),)


def test_however_many_events_come_one_read_is_under_way_and_one_follows():
    model = replace(on(PLAN), reading=False)
    model, first = update(model, m.Happened(GoalId("other")))
    for _ in range(1_000):
        model, more = update(model, m.Happened(GoalId("other")))
        assert more == ()

    model, after = update(model, listed(*EVERY_KIND))
    _, last = update(model, listed(*EVERY_KIND))

    assert (first, after, last) == ((ReadInbox(),), (ReadInbox(),), ())


def test_a_daemon_that_comes_back_is_looked_at_anew():
    model = tell(replace(on(PLAN), reading=False), m.Linked(Link.GONE))

    assert update(model, m.Linked(Link.LIVE)).errands == (ReadInbox(), Look(Subject.of(PLAN), Page.SUMMARY))


def test_a_decision_stays_under_way_while_the_daemon_is_away():
    model = tell(press(on(PLAN, "a"), "y"), m.Linked(Link.GONE), m.Linked(Link.LIVE))

    assert model.sending is not None


def test_a_list_that_is_old_is_read_again_when_a_person_is_there_and_never_by_itself():
    model = replace(on(PLAN), reading=False)
    soon, late = (tell(model, m.Ticked(Instant(NOW + seconds * SECOND))) for seconds in (29, 30))

    assert update(soon, m.Pressed("?")).errands == ()
    assert update(late, m.Pressed("?")).errands == (ReadInbox(),)
    assert update(model, m.Ticked(late.now)).errands == ()
    assert update(tell(late, m.Linked(Link.GONE)), m.Pressed("?")).errands == ()


def test_a_look_that_comes_too_late_is_for_nobody():
    model = on(PLAN)
    late = m.Looked(Subject.of(WORK), Page.SUMMARY, WorkThing(work()))

    assert tell(model, late).thing == model.thing


def test_a_page_that_is_not_read_yet_claims_nothing():
    unread = press(on(PLAN), "d")
    unread = replace(unread, thing=PlanThing(plan()))

    assert "reading …" in screens.picture(unread)
    assert "first" not in screens.picture(unread)


def test_a_page_that_has_nothing_to_show_says_why_and_the_thing_can_be_decided_all_the_same():
    model = press(on(WORK), "d")
    model = replace(model, thing=WorkThing(screens.PROVED_WORK, diff=Nothing("the commit is gone")))

    assert "the commit is gone" in screens.picture(model)
    assert isinstance(press(model, "a").mode, Confirming)


def test_what_fails_while_the_daemon_is_there_is_said_and_what_fails_because_it_is_not_is_not():
    model = on(PLAN)
    away = tell(model, m.Linked(Link.GONE))
    assert model.chosen is not None

    assert "the store is busy" in screens.picture(tell(model, m.NotLooked(model.chosen, "the store is busy")))
    assert tell(model, m.NotListed("the store is busy")).said == Said("the store is busy", Tone.BAD)
    assert tell(away, m.NotLooked(model.chosen, "nobody answers")).thing == away.thing
    assert tell(away, m.NotListed("nobody answers")).said == away.said


def test_a_thing_that_cannot_be_read_says_why():
    model = on(PLAN)
    assert model.chosen is not None

    assert "there is no such goal" in screens.picture(tell(model, m.NotLooked(model.chosen, "there is no such goal")))


def test_a_budget_that_comes_after_the_person_went_on_opens_nothing():
    model = press(on(BUDGET, "x"), "up")

    assert tell(model, m.Budgeted(screens.budget(GoalId("reports")))).mode == Browsing()


def test_a_plan_that_was_decided_elsewhere_offers_nothing_to_decide():
    model = on(PLAN)
    assert model.chosen is not None
    model = tell(model, m.Looked(model.chosen, Page.SUMMARY, PlanThing(plan(status=PlanStatus.APPLIED))))

    assert press(model, "a").mode == Browsing()


# --- moving


def test_scrolling_ends_at_both_ends():
    model = on(WORK, "enter")
    down = press(model, *["down"] * 500)

    assert press(down, "up").scroll == down.scroll - 1
    assert press(down, *["pageup"] * 50).scroll == 0
    assert press(model, "G").scroll == down.scroll


def test_a_thing_that_became_shorter_is_scrolled_from_what_is_drawn_of_it():
    longer = screens.plan(rationale="w" * 10_000)
    model = listing(PLAN)
    chosen = model.chosen
    assert chosen is not None
    model = press(tell(model, m.Looked(chosen, model.page, PlanThing(longer))), "enter", "G")
    model = tell(model, m.Looked(chosen, model.page, PlanThing(plan())))

    assert screens.picture(press(model, "up")) != screens.picture(model)


def test_another_choice_begins_at_the_top_of_its_first_page():
    model = press(on(WORK, "d", "enter", "G", "escape"), "down")

    assert (model.page, model.scroll, model.pane) == (Page.SUMMARY, 0, Pane.LIST)


def test_a_larger_screen_shows_no_emptiness_below_the_end():
    model = tell(on(WORK, "enter", "G"), m.Resized(Size(132, 90)))

    assert model.scroll == 0


def test_the_goal_of_a_budget_is_asked_for_its_ledger():
    assert update(on(BUDGET), m.Pressed("x")).errands == (ReadBudget(GoalId("reports")),)


def test_the_manual_has_every_key():
    manual = MANUAL.read_text(encoding="utf-8")

    assert manual == rewritten(manual)
