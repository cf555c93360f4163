"""Who reviews plans: what a goal file may say of it, and all that is wrong with it at once."""

from harnd.domain.checking import flaws
from harnd.domain.files.goal_file import GoalFile
from harnd.domain.files.keys import FILES
from harnd.domain.files.panel import StartsFresh, always, problems_of_panel, review_of
from harnd.domain.files.schemas.goal import REVIEW
from harnd.domain.files.source import At, Source, read_source, top
from harnd.domain.goal.intent import ReviewPolicy
from protocol.ids import CommitId, SpecialistName
from tests.kit.goal_files import GOAL, goal_files, read

TEAM = """\
[planner]
harness = "command"
argv = ["plan"]
[critic]
harness = "command"
argv = ["read"]
[skeptic]
harness = "command"
argv = ["read"]
fresh_context = false
"""


def table(name: str, text: str) -> At:
    source = read_source(name, text.encode())
    assert isinstance(source, Source)
    return top(source)


def said(review: str, *, goal: str = GOAL, team: str | None = TEAM, fresh: StartsFresh = always) -> list[str]:
    found = problems_of_panel(
        table("goal.toml", f"{goal}\n[review]\n{review}\n"), table("team.toml", team) if team else None, fresh
    )
    return [f"{problem.place}: {problem.code}: {problem.message}" for problem in found]


def test_a_panel_that_fits_is_a_policy():
    review = table("goal.toml", '[review]\nreviewers = ["critic", "skeptic"]\nmax_revision_rounds = 1')["review"]
    assert list(flaws(review.value, REVIEW, dialect=FILES)) == []
    assert review_of(review) == ReviewPolicy((SpecialistName("critic"), SpecialistName("skeptic")), 1)
    assert said('reviewers = ["critic", "skeptic"]') == []


def test_revisions_are_none_unless_they_are_asked_for():
    assert review_of(table("goal.toml", '[review]\nreviewers = ["critic"]')["review"]).max_revision_rounds == 0


def test_without_a_table_there_is_nothing_to_say():
    assert list(problems_of_panel(table("goal.toml", GOAL), None)) == []


def test_every_mistake_is_said_at_once_with_the_sum():
    goal = GOAL + "\n[limits]\nanswers_per_work = 12\n"
    reviewers = '["critic", "nobody", "planner", "critic", "skeptic"]'
    found = said(
        f"reviewers = {reviewers}\nmax_revision_rounds = 2",
        goal=goal,
        fresh=lambda _harness, options: ("fresh_context", "false") not in options,
    )
    assert found == [
        (
            "review.reviewers[1]: reference.unknown: `nobody` is not in the team; "
            "there is one of 'critic', 'planner', 'skeptic'"
        ),
        "review.reviewers[2]: review.planner: `planner` is the planner, who cannot review what it wrote",
        "review.reviewers[3]: review.twice: `critic` reviews already; one reviewer has one vote",
        (
            "review.reviewers[4]: review.not_fresh: the harness of `skeptic` remembers earlier calls "
            "(`fresh_context = false`); a reviewer must not"
        ),
        (
            "limits.answers_per_work: review.too_few: is 12, expected at least 1 + 5 · (2 + 1) + 2 = 18: the planner's "
            "answer, every reviewer's of each candidate (`review.reviewers`), and 2 more of the planner's "
            "(`review.max_revision_rounds`)"
        ),
    ]


def test_the_sum_may_be_reached_exactly():
    review = 'reviewers = ["critic"]\nmax_revision_rounds = 1'
    assert said(review, goal=GOAL + "\n[limits]\nanswers_per_work = 4\n") == []
    assert len(said(review, goal=GOAL + "\n[limits]\nanswers_per_work = 3\n")) == 1


def test_plans_that_nobody_makes_are_reviewed_by_nobody():
    alone = GOAL.partition("[replanning]")[0]
    assert said('reviewers = ["critic"]', goal=alone) == [
        "replanning: missing: is missing, expected who plans, as `planner`: there are no other plans to review"
    ]


def test_what_its_own_schema_refuses_is_reported_once():
    review = "reviewers = 1\nmax_revision_rounds = 9"
    assert said(review) == []
    refused = [code for _, code, _ in flaws({"reviewers": 1, "max_revision_rounds": 9}, REVIEW, dialect=FILES)]
    assert refused == ["type", "range"]


def test_a_policy_goes_into_the_intent_and_is_absent_without_one():
    file = read(goal_files())
    assert isinstance(file, GoalFile)
    intent = file.intent(repository="/srv/x", base_commit=CommitId("0" * 40))
    assert intent.review is None
