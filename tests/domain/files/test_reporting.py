"""Limits in tokens and money: read exactly, and refused where nobody reports what they bound."""

import pytest

from harnd.domain.files.amounts import micro_dollars
from harnd.domain.files.goal_file import GoalFile
from harnd.domain.files.reading import read_goal
from harnd.domain.files.reporting import Reported, Reporting, said_once
from protocol.ids import CommitId, HarnessName
from tests.kit.goal_files import GOAL, HARNESSES, goal_files, problems_of, read

LIMITED = GOAL + '\n[limits]\ntokens = 200_000\nmoney = "12.50 USD"\n'
BOUNDED = LIMITED + 'agent_calls = 20\nactive_runtime = "2h"\n'


def reporting(*, tokens: bool = True, money: bool = True, but: str = "") -> Reporting:
    """A harness that reports so, unless the program of a specialist is called `but`."""

    def told(harness: HarnessName, options: tuple[tuple[str, str | tuple[str, ...]], ...]) -> Reported:
        assert harness == "command"
        return Reported() if but in str(options) and but else Reported(tokens, money)

    return told


# --- amounts


@pytest.mark.parametrize(
    ("written", "micro"),
    [
        (12, 12_000_000),
        (12.5, 12_500_000),
        (0.1, 100_000),
        (0.000001, 1),
        ("12.50 USD", 12_500_000),
        ("12 USD", 12_000_000),
        ("0.000001USD", 1),
        ("999999.999999 USD", 999_999_999_999),
    ],
)
def test_an_amount_is_exact(written, micro):
    assert micro_dollars(written) == micro


@pytest.mark.parametrize(
    "written",
    [
        *(True, None, [], {}, 0.0000001, 1e308, float("inf"), float("nan")),
        *("12.50", "12,50 USD", "$12", "-1 USD", "1e3 USD", " 1 USD", "1 USD ", "1.0000001 USD", "USD", "٣ USD"),
    ],
)
def test_what_is_no_amount_is_none(written):
    assert micro_dollars(written) is None


# --- limits


def test_limits_are_absent_unless_they_are_written():
    limits = read(goal_files()).limits
    assert (limits.tokens, limits.money) == (None, None)


def test_limits_that_every_harness_reports_stand_alone():
    goal = read_goal(goal_files(goal=LIMITED), harnesses=HARNESSES, reporting=reporting())
    assert isinstance(goal, GoalFile)
    assert (goal.limits.tokens, goal.limits.money) == (200_000, 12_500_000)


@pytest.mark.parametrize(
    ("told", "places"),
    [
        (reporting(money=False), ["limits.money"]),
        (reporting(tokens=False), ["limits.tokens"]),
        (reporting(but="plan"), ["limits.tokens", "limits.money"]),
    ],
    ids=["no money", "no tokens", "one of the team tells nothing"],
)
def test_what_a_member_cannot_report_is_refused(told, places):
    problems = read_goal(goal_files(goal=LIMITED), harnesses=HARNESSES, reporting=told)
    assert isinstance(problems, list)
    assert [(problem.code, problem.place) for problem in problems] == [("limits.unreportable", at) for at in places]


@pytest.mark.parametrize("one", ["agent_calls = 20\n", 'active_runtime = "2h"\n'])
def test_both_other_bounds_are_wanted(one):
    assert {problem.code for problem in problems_of(goal_files(goal=LIMITED + one))} == {"limits.unreportable"}


def test_with_both_it_is_taken_and_said_once():
    goal = read(goal_files(goal=BOUNDED))
    intent = goal.intent(repository="/srv/x", base_commit=CommitId("ab" * 20))
    assert intent.limits.tokens == 200_000
    told = said_once(intent, reporting(money=False, but="plan"))
    assert [sentence.partition(":")[0] for sentence in told] == [
        "The limit in tokens holds what is reported; the harness of `planner` does not report it",
        "The limit in money holds what is reported; the harnesses of `builder`, `planner` do not report it",
    ]
    assert {sentence.partition(": ")[2] for sentence in told} == {
        "those calls are counted as unknown, and agent calls and active runtime bound them."
    }
    assert said_once(intent, reporting()) == ()


def test_without_such_a_limit_nothing_is_said():
    intent = read(goal_files()).intent(repository="/srv/x", base_commit=CommitId("ab" * 20))
    assert said_once(intent, reporting(tokens=False, money=False)) == ()


def test_a_team_that_is_not_there_is_told_as_that_alone():
    files = {name: text for name, text in goal_files(goal=LIMITED).items() if name != "team.toml"}
    assert {problem.code for problem in problems_of(files)} == {"file.missing"}
