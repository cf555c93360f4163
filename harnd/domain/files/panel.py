"""The panel of a goal file: who reviews plans, whether all of them can, and whether the answers suffice.

What is wrong is said all at once.  A value that its own schema refuses is passed over here.
"""

from collections.abc import Callable, Iterator
from typing import TypeAlias

from harnd.domain.files.goal_file import options_of
from harnd.domain.files.recipe import unknown_specialist
from harnd.domain.files.reporting import Options
from harnd.domain.files.source import At
from harnd.domain.goal.intent import ReviewPolicy
from harnd.domain.problem import Problem
from protocol import bounds
from protocol.ids import HarnessName, SpecialistName

StartsFresh: TypeAlias = Callable[[HarnessName, Options], bool]
"""Whether a harness starts without history under a specialist's options."""


def always(_harness: HarnessName, _options: Options) -> bool:
    """Expect every harness to start without history."""
    return True


def review_of(review: At) -> ReviewPolicy:
    """Build the policy of a table in which nothing is wrong."""
    return ReviewPolicy(
        reviewers=tuple(map(SpecialistName, review["reviewers"].texts())),
        max_revision_rounds=review["max_revision_rounds"].whole(bounds.REVISION_ROUNDS.default),
    )


def problems_of_panel(goal: At, team: At | None, starts_fresh: StartsFresh = always) -> Iterator[Problem]:
    """Say what does not fit together where plans are to be reviewed."""
    if "review" not in goal:
        return
    review = goal["review"]
    if "replanning" not in goal:
        message = "is missing, expected who plans, as `planner`: there are no other plans to review"
        yield goal["replanning"].problem("missing", message)
    yield from _reviewers(review["reviewers"], goal["replanning"]["planner"].text(), team, starts_fresh)
    yield from _too_few_answers(review, goal["limits"]["answers_per_work"])


def _reviewers(reviewers: At, planner: str, team: At | None, starts_fresh: StartsFresh) -> Iterator[Problem]:
    members = team.entries() if team is not None else {}
    seen: set[str] = set()
    for at in reviewers.items():
        name = at.text()
        yield from unknown_specialist(at, frozenset(members) if team is not None else None)
        if name and name in seen:
            yield at.problem("review.twice", f"`{name}` reviews already; one reviewer has one vote")
        seen.add(name)
        if name and name == planner:
            yield at.problem("review.planner", f"`{name}` is the planner, who cannot review what it wrote")
        member = members.get(name)
        if member is not None and not starts_fresh(HarnessName(member["harness"].text()), options_of(member)):
            message = f"the harness of `{name}` remembers earlier calls (`fresh_context = false`); a reviewer must not"
            yield at.problem("review.not_fresh", message)


def _too_few_answers(review: At, answers: At) -> Iterator[Problem]:
    """Count every answer that one plan may take: the planner's, and each reviewer's of each candidate."""
    allowed = answers.whole(bounds.ANSWERS_PER_WORK.default)
    policy = review_of(review)
    count, rounds = len(policy.reviewers), policy.max_revision_rounds
    least, _, most = bounds.REVISION_ROUNDS
    sound = bounds.REVIEWERS.least <= count <= bounds.REVIEWERS.ceiling and least <= rounds <= most
    if sound and bounds.ANSWERS_PER_WORK.least <= allowed < policy.answers:
        message = (
            f"is {allowed}, expected at least 1 + {count} · ({rounds} + 1) + {rounds} = {policy.answers}: "
            "the planner's answer, every reviewer's of each candidate (`review.reviewers`), "
            f"and {rounds} more of the planner's (`review.max_revision_rounds`)"
        )
        yield answers.problem("review.too_few", message)
