"""What happened during a review is told in words, from the events as they are stored."""

import json
from pathlib import Path

import pytest

from harnctl.render.review_story import TELLERS

GOLDEN = Path(__file__).parents[1] / "domain" / "goal" / "golden"


@pytest.mark.parametrize("tag", sorted(TELLERS))
def test_every_stored_event_of_a_review_can_be_told(tag):
    body = json.loads((GOLDEN / f"{tag.replace('/', '.')}.json").read_text(encoding="utf-8"))
    said = TELLERS[tag](body)
    assert said is None or ("{" not in said and said.strip() == said)


def test_a_review_reads_as_a_story():
    opened = {"plan": 1, "round": 2, "seats": [{"reviewer": "critic"}, {"reviewer": "skeptic"}]}
    opinion = {"verdict": "revise", "rationale": "Too large.", "findings": [{"code": "size"}]}
    said = [
        TELLERS["review.opened/1"](opened),
        TELLERS["review_job.called/1"]({"reviewer": "critic", "attempt": 1}),
        TELLERS["review_job.completed/1"]({"plan": 1, "reviewer": "critic", "assessment": opinion}),
        TELLERS["plan.reviewed/1"]({"plan": 1, "outcome": "revision_exhausted", "blocking": 1, "advisory": 2}),
        TELLERS["plan.overridden/1"]({"plan": 1, "by": "ada", "reason": "It is small enough."}),
    ]
    assert said == [
        "plan 1 is read by critic and skeptic, each alone (round 2)",
        None,
        "critic says revise to plan 1, with 1 finding",
        "the review of plan 1 is over: revision exhausted, with 1 blocking finding, 2 advisory ones",
        "ada lets plan 1 through all the same: It is small enough.",
    ]
