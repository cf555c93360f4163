"""Assignments: what an agent is told, the same after a restart; a retry is told what was wrong."""

import msgspec
import pytest

from harnd.domain.digest import digest_of_bytes
from harnd.domain.goal.assignment import agent_prompt, names_of, texts_wanted
from harnd.domain.goal.events import OpenFinding
from harnd.domain.goal.goal import Goal
from harnd.domain.goal.names import AttemptNames, GoalNames, MilestoneNames, MissionNames, Names, WorkNames
from harnd.domain.goal.proof import Evidence, Proof
from harnd.domain.goal.template import AgentStage
from protocol import bounds
from protocol.ids import Digest, SpecialistName, WorkId, WorkKey
from protocol.values import FailureClass, Micros, Verdict
from tests.kit.given import (
    a_proof,
    a_specialist,
    applied,
    asked,
    commit,
    criteria,
    deny,
    draft,
    failed,
    in_review,
    integrated,
    integrating,
    item,
    live,
    lost,
    milestone_met,
    parked,
    proved,
    reopen,
    retry_work,
    succeeded,
    tick,
    working,
)

PRINTED = "2 tests failed: test_total, test_vat"
OUTPUT = digest_of_bytes(PRINTED.encode())
TEXTS = {OUTPUT: PRINTED}
EARLIER = (
    "What was made before is not in this worktree, which starts from what is accepted by now. "
    f"It is the commit {commit('p1.a')}, kept under refs/harnd/rescue/billing/p1.a.1/; "
    f"read it with `git diff {commit('base')} {commit('p1.a')}`."
)
DENIED = "The operator denied what stage ask asked (Publish it?): Not before the audit."
MAKER = a_specialist("maker", instructions="Write tests first.")


def bad_proof(name: str = "x") -> Proof:
    proof = a_proof(name, verdict=Verdict.UNSATISFIED, of=["WC-1", "WC-2"])
    evidence = (Evidence("tests", "failed", Micros(1), exit_code=1, output=OUTPUT),)
    return msgspec.structs.replace(proof, evidence=evidence)


def feedback(goal: Goal, work: str = "p1.a", texts: dict[Digest, str] = TEXTS) -> tuple[str, ...]:
    entry = item(goal, work)
    return names_of(goal, entry, len(entry.attempts), {}, texts).feedback


# --- the names a text may use


def test_a_text_may_name_the_goal_its_step_the_work_and_the_try():
    goal = working(draft("a", paths=["src"]))
    assert names_of(goal, item(goal, "p1.a"), 1, {"plan": "an answer"}, {}) == Names(
        goal=GoalNames(id=goal.intent.goal, title="Export the billing"),
        mission=MissionNames(objective="Bills can be exported.", acceptance=criteria("AC", "Bills are exported.")),
        milestone=MilestoneNames(
            sequence=1, title="Step 1", objective="Reach step 1.", acceptance=criteria("MC", "Step 1 is there.")
        ),
        work=WorkNames(
            id=WorkId("p1.a"),
            key=WorkKey("a"),
            title="Do a",
            objective="Make a work.",
            acceptance=criteria("WC", "It works."),
            paths=("src",),
        ),
        attempt=AttemptNames(number=1),
        outputs={"plan": "an answer"},
    )


# --- what a retry is told


def test_a_first_attempt_is_told_of_nothing_wrong():
    assert feedback(working()) == ()


def test_a_retry_is_told_which_criteria_failed_and_what_was_printed():
    goal = live(working(), succeeded("p1.a", proof=bad_proof()), tick())
    assert feedback(goal) == (
        "The last one failed (proof): the proof does not hold: tests failed",
        "Criteria not satisfied: WC-1, WC-2",
        f"It printed:\n{PRINTED}",
        EARLIER,
    )


def test_a_retry_is_told_what_the_failing_stage_printed_and_what_differed_around_it():
    goal = live(working(), failed("p1.a", output=OUTPUT, reports=("a ref moved",)), tick())
    assert feedback(goal) == (
        "The last one failed (proof): no luck",
        f"It printed:\n{PRINTED}",
        "Around the attempt: a ref moved",
    )


def test_a_person_is_heard_first():
    goal = live(working(), failed("p1.a", FailureClass.REFUSAL), retry_work("p1.a", "It is allowed."), tick())
    assert feedback(goal) == ("The operator says: It is allowed.", "The last one failed (refusal): no luck")


def test_findings_are_told_under_their_ids():
    goal = live(in_review(), reopen("p1.a", "It is slow.", "It is ugly."), tick())
    assert feedback(goal) == ("The operator found (f1): It is slow.", "The operator found (f2): It is ugly.", EARLIER)
    assert item(goal, "p1.a").findings[1] == OpenFinding("f2", "It is ugly.")


def test_an_attempt_that_was_cut_short_does_not_hide_what_was_wrong():
    goal = live(working(), failed("p1.a", output=OUTPUT), tick(), lost("p1.a", 2), tick())
    assert feedback(goal) == ("The last one failed (proof): no luck", f"It printed:\n{PRINTED}")
    assert texts_wanted(item(goal, "p1.a")) == (OUTPUT,)


def test_a_first_attempt_that_was_cut_short_says_nothing_about_the_work():
    assert feedback(live(working(), lost("p1.a"), tick())) == ()


def test_what_a_person_denied_is_told_although_nobody_pays():
    asking = live(working(), asked("p1.a"))
    again = live(asking, deny(asking, reason="Not before the audit."), retry_work("p1.a"), tick())
    assert feedback(again)[0] == DENIED


def test_what_a_person_denied_neither_hides_what_failed_nor_is_hidden_by_it():
    goal = live(working(), failed("p1.a", output=OUTPUT), tick(), asked("p1.a", attempt=2))
    goal = live(goal, deny(goal, reason="Not before the audit."), retry_work("p1.a"), tick())
    assert feedback(goal)[:3] == (DENIED, "The last one failed (proof): no luck", f"It printed:\n{PRINTED}")
    goal = live(goal, failed("p1.a", attempt=3), tick())
    assert feedback(goal)[0] == DENIED


def test_a_clash_is_told_with_its_paths():
    goal = live(integrating(), parked("p1.a", 1, "src/a", "src/b"), retry_work("p1.a"), tick())
    assert feedback(goal) == (
        "It could not be brought together with the rest (decision): it clashes",
        "Clashing paths: src/a, src/b",
        EARLIER,
    )


def test_what_was_made_is_told_until_something_newer_was():
    clashed = live(integrating(), parked("p1.a", 1, "src/a"), retry_work("p1.a"), tick())
    again = live(clashed, failed("p1.a", attempt=2), tick())
    assert [line for line in feedback(again) if line.startswith("What was")] == [EARLIER]
    made = live(clashed, succeeded("p1.a", 2), reopen("p1.a", "It is slow."), tick())
    assert " kept under refs/harnd/rescue/billing/p1.a.2/;" in feedback(made)[-1]


def test_what_is_on_the_goals_branch_is_in_the_worktree_and_not_told():
    goal = live(milestone_met(), reopen("p1.a", "It is slow."), tick())
    assert feedback(goal) == ("The operator found (f1): It is slow.",)


def test_an_attempt_that_changed_nothing_left_nothing_to_read():
    goal = live(working(), failed("p1.a", commit=commit("base")), tick())
    assert feedback(goal) == ("The last one failed (proof): no luck",)


def test_a_proof_that_failed_on_the_integrated_tree_is_told_with_its_output():
    goal = live(integrating(), proved("p1.a", proof=bad_proof()), tick())
    assert feedback(goal) == (
        (
            "It could not be brought together with the rest (proof): "
            "the proof does not hold on the integrated tree: tests failed"
        ),
        f"tests printed:\n{PRINTED}",
        EARLIER,
    )
    assert texts_wanted(item(goal, "p1.a")) == (OUTPUT,)


def test_a_text_that_is_not_at_hand_is_passed_over():
    assert feedback(live(working(), failed("p1.a", output=OUTPUT), tick()), texts={}) == (
        "The last one failed (proof): no luck",
    )


@pytest.mark.parametrize(("extra", "cut"), [(0, ""), (7, "[7 characters left out]\n")])
def test_of_a_long_output_the_end_is_told(extra, cut):
    shown = "e" * bounds.OUTPUT_SHOWN_BYTES
    goal = live(working(), failed("p1.a", output=OUTPUT), tick())
    assert feedback(goal, texts={OUTPUT: "b" * extra + shown})[1] == f"It printed:\n{cut}{shown}"


def test_each_wanted_text_is_wanted_once():
    goal = live(working(), failed("p1.a", output=OUTPUT, proof=bad_proof()), tick())
    assert texts_wanted(item(goal, "p1.a")) == (OUTPUT,)
    assert texts_wanted(item(applied(), "p1.a")) == ()


# --- the prompt


def prompt(goal: Goal, work: str = "p1.a", *, pointers: tuple[str, ...] = ()) -> str:
    entry = item(goal, work)
    stage = AgentStage("make", SpecialistName("maker"), "Make {{ work.title }} in {{ work.paths | join(', ') }}.\n")
    return agent_prompt(MAKER, stage, names_of(goal, entry, len(entry.attempts), {}, TEXTS), pointers=pointers)


def test_a_prompt_has_role_assignment_and_rules():
    text = prompt(working())
    assert text.startswith(
        "You are the specialist `maker`, working on one item of a larger plan.\n\n"
        "Write tests first.\n\n"
        "Item p1.a of goal billing, attempt 1, stage make.\n\n"
        "# Assignment\n\n"
        "Make Do a in src/a.\n\n"
        "# Rules\n\n"
    )
    assert "What was wrong before" not in text


def test_files_that_hold_pointers_are_named_before_the_rules():
    text = prompt(working(), pointers=("a.bin", "new\nline.bin"))
    told = text[text.index("# Large files") : text.index("# Rules")]
    assert told.endswith("Leave them as they are.\n\n- 'a.bin'\n- 'new\\nline.bin'\n\n")
    assert "Large files" not in prompt(working())


@pytest.mark.parametrize(("number", "last"), [(20, "- '19.bin'"), (21, "- and 1 more")])
def test_of_very_many_pointers_some_are_named_and_all_are_counted(number: int, last: str):
    text = prompt(working(), pointers=tuple(f"{each}.bin" for each in range(number)))
    assert text.partition("\n\n# Rules")[0].splitlines()[-1] == last


def test_a_retrys_prompt_says_what_to_mend_first():
    text = prompt(live(working(), failed("p1.a", output=OUTPUT), tick()))
    assert (
        "# What was wrong before\n\nThis is attempt 2. Mend this first:\n\n"
        f"- The last one failed (proof): no luck\n- It printed:\n{PRINTED}\n\n# Rules" in text
    )


def test_the_same_attempt_is_told_the_same_after_a_restart():
    goal = live(working(), failed("p1.a", output=OUTPUT), tick())
    assert prompt(goal) == prompt(goal)


def test_a_value_that_looks_like_a_template_stays_what_it_is():
    goal = working(draft("a", title="{{ goal.id }} {% for %}"))
    assert "Make {{ goal.id }} {% for %} in src/a." in prompt(goal)


def test_work_of_an_older_plan_keeps_its_milestone():
    goal = integrated(applied(draft("a"), draft("b", "a")), "p1.a", "p1.b")
    assert names_of(goal, item(goal, "p1.b"), 1, {}, {}).milestone.sequence == 1
