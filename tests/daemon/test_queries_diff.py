"""What an attempt changed, read from the repository by the commits that are stored."""

from collections.abc import AsyncIterator

import msgspec
import pytest

from harnd.adapters.memory_repository import Commit
from protocol import requests as ask
from protocol.bounds import DIFF_BYTES
from protocol.errors import Refusal
from protocol.ids import CommitId, GoalId, WorkId
from protocol.replies import WorkDiff
from protocol.values import FailureClass
from tests.kit import given as g
from tests.kit.shelf import Shelf, shelf

BILLING, A = GoalId("billing"), WorkId("p1.a")
REPOSITORY = "/srv/billing"


@pytest.fixture
async def house() -> AsyncIterator[Shelf]:
    """A goal whose work is being tried for the first time."""
    async with shelf() as made:
        base = made.workspace.make(REPOSITORY, {"README.md": b"# Shop\n"})
        plan, intent = g.a_plan(), msgspec.structs.replace(g.an_intent(), base_commit=base)
        await made.live(g.create(intent), g.tick(), g.answered(plan), g.approve(plan), g.tick())
        yield made


def committed(house: Shelf, text: bytes) -> CommitId:
    """Commit a change of the one file."""
    repository = house.workspace.repository(REPOSITORY)
    return repository.add(Commit({"README.md": text}, (base_of(house),), "work"))


def base_of(house: Shelf) -> CommitId:
    return CommitId(house.workspace.repository(REPOSITORY).refs["refs/heads/main"])


async def refused(house: Shelf, attempt: int | None = None) -> Refusal:
    with pytest.raises(Refusal) as refusal:
        await house.ask(ask.ShowWorkDiff(BILLING, A, attempt))
    return refusal.value


async def test_what_an_attempt_changed_is_shown_against_its_base(house: Shelf):
    commit = committed(house, b"# Store\n")
    await house.live(g.failed("p1.a", commit=commit))

    assert await house.ask(ask.ShowWorkDiff(BILLING, A)) == WorkDiff(
        goal=BILLING,
        work=A,
        attempt=1,
        base=base_of(house),
        commit=commit,
        text="diff --git a/README.md b/README.md\n--- a/README.md\n+++ b/README.md\n@@ -1 +1 @@\n-# Shop\n+# Store\n",
        omitted_bytes=0,
    )


async def test_without_a_number_it_is_the_newest_attempt_that_left_a_commit(house: Shelf):
    commit = committed(house, b"# Store\n")
    await house.live(g.failed("p1.a", commit=commit), g.tick(), g.failed("p1.a", FailureClass.SCHEMA, 2), g.tick())
    assert (await house.ask(ask.ShowWorkDiff(BILLING, A))).attempt == 1
    wrong = await refused(house, 2)
    assert (wrong.code, wrong.message) == ("work.no_commit", "attempt 2 at p1.a left no commit")
    assert wrong.fix == "harnctl work log billing p1.a --attempt 2"
    wrong = await refused(house, 3)
    assert (wrong.code, wrong.message) == ("work.no_commit", "attempt 3 at p1.a is not over")


async def test_an_attempt_that_is_not_there_and_one_that_runs_have_no_diff(house: Shelf):
    assert (await refused(house)).message == "attempt 1 at p1.a is not over"
    assert (await refused(house, 2)).code == "work.no_attempt"


async def test_a_commit_that_the_repository_lost_is_a_refusal(house: Shelf):
    await house.live(g.failed("p1.a", commit=g.commit("gone")))
    wrong = await refused(house)
    assert (wrong.code, wrong.fix) == ("work.no_commit", f"see whether {REPOSITORY} is the repository it was")


async def test_a_repository_that_is_gone_is_a_refusal(house: Shelf):
    plan = g.a_plan()
    intent = msgspec.structs.replace(g.an_intent(goal="docs"), repository="/srv/docs")
    life = (
        g.create(intent),
        g.tick(),
        g.answered(plan),
        g.approve(plan),
        g.tick(),
        g.failed("p1.a", commit=g.commit("a")),
    )
    await house.live(*life, goal="docs")
    with pytest.raises(Refusal) as wrong:
        await house.ask(ask.ShowWorkDiff(GoalId("docs"), A))
    assert (wrong.value.code, wrong.value.message) == ("work.no_commit", "no repository at /srv/docs")


async def test_a_long_diff_is_cut_and_says_so(house: Shelf):
    await house.live(g.failed("p1.a", commit=committed(house, b"line\n" * DIFF_BYTES)))
    diff = await house.ask(ask.ShowWorkDiff(BILLING, A))
    assert len(diff.text) <= DIFF_BYTES
    assert diff.omitted_bytes > DIFF_BYTES
