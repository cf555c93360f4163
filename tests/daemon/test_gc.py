"""What may go, what stays, and what each goal takes, over a real store and repositories in memory."""

from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Final

import anyio.lowlevel
import msgspec
import pytest

from harnd.daemon.gc import Collector
from harnd.daemon.gc.survey import DIGESTS
from harnd.daemon.loading import Loader
from harnd.ports.errors import UnavailableError
from harnd.ports.keeping import Kept
from harnd.ports.keeping import Shelf as Keeps
from harnd.ports.workspace import Place, Recording
from protocol import requests as ask
from protocol.bounds import GARBAGE_LISTED
from protocol.ids import CommitId, Digest, GoalId, WorkId
from protocol.values import SECOND, FailureClass, Instant, Micros, Phase
from protocol.views import DiskRow, GarbageItem, GarbageKind, GcView
from tests.kit import given as g
from tests.kit.shelf import Shelf, shelf

BILLING, A = GoalId("billing"), WorkId("p1.a")
REPOSITORY: Final = "/srv/billing"
HOUR: Final = 3600
DAY: Final = 24 * HOUR
TTL = Micros(14 * DAY * SECOND)


@pytest.fixture
async def house() -> AsyncIterator[Shelf]:
    async with shelf() as made:
        made.workspace.make(REPOSITORY, {"README.md": b"# Shop\n"})
        yield made


def base_of(house: Shelf) -> CommitId:
    return house.workspace.repository(REPOSITORY).refs["refs/heads/main"]


async def enrolled(house: Shelf, goal: str = "billing") -> None:
    """A goal whose one work item is being tried for the first time."""
    intent = msgspec.structs.replace(g.an_intent(goal=goal), base_commit=base_of(house))
    plan = g.a_plan()
    await house.live(g.create(intent), g.tick(), g.answered(plan), g.approve(plan), g.tick(), goal=goal)


def place(attempt: int = 1, goal: str = "billing", work: WorkId = A) -> Place:
    return Place(REPOSITORY, GoalId(goal), work, attempt)


async def at_work(house: Shelf, attempt: int = 1, goal: str = "billing") -> str:
    """Open the worktree of an attempt, with a file that nobody has saved."""
    path = await house.workspace.open_worktree(place(attempt, goal), base_of(house))
    house.workspace.files(path)["draft.txt"] = b"unsaved"
    return path


def collector(house: Shelf) -> Collector:
    return Collector(house.world, Loader(house.world.store), "/nowhere")


async def would_go(house: Shelf, older_than: Micros = TTL) -> list[tuple[GarbageKind, str]]:
    return [(item.kind, item.name) for item in (await house.ask(ask.ShowGc(older_than=older_than))).items]


async def collected(house: Shelf, older_than: Micros = TTL) -> GcView:
    """Clear away, and find nothing more."""
    gone = await collector(house).collect(older_than)
    again = await collector(house).collect(older_than)
    assert (again.items, sum(row.things for row in again.rows)) == ((), 0)
    return gone


# --- worktrees


async def test_what_an_attempt_left_goes_with_everything_in_it_rescued(house: Shelf):
    await enrolled(house)
    await at_work(house)
    await house.live(g.failed("p1.a"), g.tick())  # its worktree could not be tidied away, and another attempt runs
    second = await at_work(house, 2)
    assert await would_go(house) == [(GarbageKind.WORKTREES, "p1.a.1")]
    gone = await collected(house)
    assert gone.items == (
        GarbageItem(kind=GarbageKind.WORKTREES, name="p1.a.1", goal=BILLING, bytes=len(b"# Shop\nunsaved")),
    )
    known = house.workspace.repository(REPOSITORY)
    [snapshot] = [at for ref, at in known.refs.items() if ref.startswith("refs/harnd/rescue/billing/p1.a.1/snapshot-")]
    assert known.commit(snapshot).files["draft.txt"] == b"unsaved"
    assert house.workspace.files(second)["draft.txt"] == b"unsaved"


async def test_to_look_removes_nothing(house: Shelf):
    await enrolled(house)
    path = await at_work(house)
    await house.live(g.cancel_goal())
    await house.blobs.put(b"nobody names it")
    house.outputs.lie("goal+billing+plan+1+call+1", "billing")
    house.at(15 * DAY)
    before = dict(house.workspace.repository(REPOSITORY).refs), dict(house.blobs.kept), dict(house.outputs.there)
    view = await house.ask(ask.ShowGc(older_than=TTL))
    assert [row.things for row in view.rows] == [1, 0, 1, 0, 1]
    assert not view.removed
    after = dict(house.workspace.repository(REPOSITORY).refs), dict(house.blobs.kept), dict(house.outputs.there)
    assert after == before
    assert house.workspace.files(path)["draft.txt"] == b"unsaved"


# --- what is prepared


async def prepares(house: Shelf) -> str:
    async def build(path: str) -> bool:
        await anyio.lowlevel.checkpoint()
        house.preparations.files(path)["lib.py"] = b"0123456789"
        return True

    name = Digest("ab" * 32)
    assert await house.preparations.get(name, build)
    return name


async def test_what_was_prepared_goes_when_nobody_used_it_for_long_enough(house: Shelf):
    name = await prepares(house)
    house.at(13 * DAY)
    await prepares(house)  # found, and used
    house.at(27 * DAY)
    assert await would_go(house) == []
    house.at(27 * DAY + 1)
    gone = await collected(house)
    assert gone.items == (GarbageItem(kind=GarbageKind.PREPARED, name=name, goal=None, bytes=10),)
    assert await prepares(house) == name  # and is built again


async def test_what_an_attempt_under_way_was_told_of_stays_whatever_is_asked_for(house: Shelf):
    await enrolled(house)
    house.at(HOUR)
    await prepares(house)
    house.at(100 * DAY)
    assert await would_go(house, older_than=Micros(0)) == []
    await house.live(g.cancel_goal())
    assert [kind for kind, _ in await would_go(house, older_than=Micros(0))] == [GarbageKind.PREPARED]


# --- worktrees that stay


@pytest.mark.parametrize("failure", [FailureClass.ENVIRONMENT, FailureClass.AUTH, FailureClass.DECISION])
async def test_the_last_attempt_of_an_item_that_is_not_over_stays(house: Shelf, failure: FailureClass):
    """It may be parked, and go on where it stopped."""
    await enrolled(house)
    await at_work(house)
    await house.live(g.failed("p1.a", failure))
    house.at(100 * DAY)
    assert await would_go(house) == []
    await collected(house)
    assert await house.workspace.occupied() != ()


async def test_a_branch_without_a_directory_goes_and_its_commit_is_rescued(house: Shelf):
    await enrolled(house)
    path = await at_work(house)
    recording = await house.workspace.record(place(), base_of(house), "work")
    assert isinstance(recording, Recording)
    house.workspace.lose(path)
    await house.live(g.cancel_goal())
    assert await would_go(house) == [(GarbageKind.WORKTREES, "p1.a.1")]
    await collected(house)
    refs = house.workspace.repository(REPOSITORY).refs
    assert [name for name in refs if name.startswith("refs/heads/harn-attempt/")] == []
    assert refs[f"refs/harnd/rescue/billing/p1.a.1/commit-{recording.commit}"] == recording.commit


async def test_no_ref_goes_that_alone_keeps_a_commit_whatever_became_of_its_goal(house: Shelf):
    await enrolled(house)
    await at_work(house)
    await house.workspace.discard(place())
    await house.live(g.cancel_goal())
    kept = {name for name in house.workspace.repository(REPOSITORY).refs if "/rescue/" in name}
    assert kept
    house.at(1000 * DAY)
    gone = await collected(house)
    assert kept <= house.workspace.repository(REPOSITORY).refs.keys()
    assert gone.goals[0].rescued == len(kept)


async def test_a_ref_whose_commit_is_on_the_goals_branch_goes(house: Shelf):
    await enrolled(house)
    known = house.workspace.repository(REPOSITORY)
    known.refs["refs/heads/harn/billing"] = base_of(house)
    known.refs["refs/harnd/rescue/billing/p1.a.1/commit-x"] = base_of(house)
    assert await would_go(house) == [(GarbageKind.REFS, "refs/harnd/rescue/billing/p1.a.1/commit-x")]
    await collected(house)
    assert "refs/harnd/rescue/billing/p1.a.1/commit-x" not in known.refs


# --- outputs


@pytest.mark.parametrize(("age", "goes"), [(14 * DAY, False), (14 * DAY + 1, True)])
async def test_outputs_go_when_their_goal_ended_long_enough_ago(house: Shelf, age: int, goes: bool):
    await enrolled(house)
    house.outputs.lie("goal+billing+plan+1+call+1", "billing")
    house.at(100)
    await house.live(g.cancel_goal())
    house.at(100 + age)
    assert (await would_go(house) != []) is goes
    await collected(house)
    assert (house.outputs.there == {}) is goes


async def test_outputs_of_a_goal_that_goes_on_stay_however_old(house: Shelf):
    await enrolled(house)
    await house.live(g.failed("p1.a", FailureClass.AUTH))
    house.outputs.lie("goal+billing+plan+1+call+1", "billing")
    house.at(1000 * DAY)
    assert await would_go(house) == []


async def test_outputs_of_no_goal_stay(house: Shelf):
    house.outputs.lie("goal+docs+plan+1+call+1", "docs")
    house.at(1000 * DAY)
    assert await would_go(house) == []


# --- texts


async def test_a_text_that_no_event_names_goes_when_it_is_old_enough(house: Shelf):
    lonely = await house.blobs.put(b"nobody names it")
    house.at(14 * DAY)
    assert await would_go(house) == []
    house.at(14 * DAY + 1)
    assert await would_go(house) == [(GarbageKind.TEXTS, lonely)]
    await collected(house)
    assert house.blobs.kept == {}


async def test_a_text_that_an_event_names_stays_also_when_its_goal_ended(house: Shelf):
    """A goal that succeeded may be reopened, and the next attempt is told what failed."""
    said = await house.blobs.put(b"what failed")
    await enrolled(house)
    await house.live(g.failed("p1.a", output=said), g.cancel_goal())
    house.at(1000 * DAY)
    await collected(house)
    assert await house.world.blobs.get(said) == b"what failed"


async def test_a_text_in_an_event_that_cannot_be_read_stays(house: Shelf):
    said = await house.blobs.put(b"of a later harnd")
    await enrolled(house)
    body = f'{{"type":"goal.ascended/9","text":"{said}"}}'.encode()
    events = await house.world.store.read(BILLING)
    await house.poison("billing", after=len(events), body=body)
    house.at(1000 * DAY)
    gone = await collected(house)
    assert said in house.blobs.kept
    assert [told.partition(":")[0] for told in gone.stays] == ["everything of billing stays"]


async def test_a_text_that_an_attempt_under_way_may_yet_name_stays(house: Shelf):
    house.at(100)
    await enrolled(house)
    house.at(200)
    said = await house.blobs.put(b"said by an attempt that runs")
    house.at(100 * DAY)
    assert await would_go(house) == []
    await house.live(g.cancel_work("p1.a"))
    assert await would_go(house) == [(GarbageKind.TEXTS, said)]


async def test_a_text_of_this_hour_stays_whatever_is_asked_for(house: Shelf):
    await house.blobs.put(b"put by a request that has not stored its event yet")
    house.at(HOUR)
    assert await would_go(house, Micros(0)) == []
    house.at(HOUR + 1)
    assert len(await would_go(house, Micros(0))) == 1


# --- what cannot be judged or removed


async def test_one_repository_that_is_gone_leaves_its_goal_alone_and_holds_up_no_other(house: Shelf):
    await enrolled(house)
    await enrolled(house, "docs")
    for goal in ("billing", "docs"):
        await at_work(house, goal=goal)
        await house.live(g.cancel_goal(), goal=goal)
    inner = house.world.workspace

    class Gone:
        def __getattr__(self, name: str):
            return getattr(inner, name)

        async def kept_refs(self, repository: str, goal: GoalId):
            if goal == "billing":
                raise UnavailableError("no repository at /srv/billing")
            return await inner.kept_refs(repository, goal)

    house.world = replace(house.world, workspace=Gone())
    gone = await collector(house).collect(TTL)
    assert [item.goal for item in gone.items] == ["docs"]
    assert gone.stays == ("worktrees and refs of billing stay: no repository at /srv/billing",)
    assert [row.rescued for row in gone.goals] == [None, 0]


async def test_what_cannot_be_removed_is_said_and_the_rest_goes(house: Shelf):
    await house.blobs.put(b"one")
    other = await house.blobs.put(b"other")
    inner = house.blobs

    class Stuck:
        async def inventory(self) -> tuple[Kept, ...]:
            return await inner.inventory()

        async def let_go(self, name: str, *, written_before: Instant) -> bool:
            if name == other:
                raise UnavailableError("the disk is read-only")
            return await inner.let_go(name, written_before=written_before)

    house.world = replace(house.world, shelves={Keeps.TEXTS: Stuck()})
    house.at(15 * DAY)
    gone = await collector(house).collect(TTL)
    assert gone.rows[-1].things == 1
    assert gone.stays == (f"{other} (texts) stays: the disk is read-only",)
    assert list(inner.kept) == [other]


async def test_worktrees_of_no_goal_are_named_and_left_alone(house: Shelf):
    await at_work(house, goal="ghost")
    gone = await collected(house)
    assert gone.stays == ("1 worktree of ghost stays: there is no such goal",)
    assert len(await house.workspace.occupied()) == 1


# --- what is said


async def test_what_each_goal_takes_is_told(house: Shelf):
    said = await house.blobs.put(b"0123456789")
    await enrolled(house)
    await at_work(house)
    await house.live(g.failed("p1.a", output=said), g.tick())
    house.outputs.lie("goal+billing+plan+1+call+1", "billing")
    house.outputs.lie("goal+docs+plan+1+call+1", "docs")
    view = await house.ask(ask.ShowGc())
    assert view.goals == (DiskRow(goal=BILLING, phase=Phase.RUNNING, worktrees=14, outputs=100, texts=10, rescued=0),)
    assert view.database
    assert (view.free, view.older_than) == (None, TTL)


async def test_of_very_many_things_the_largest_are_named_and_all_are_counted(house: Shelf):
    for number in range(GARBAGE_LISTED + 3):
        await house.blobs.put(b"x" * (number + 1))
    house.at(15 * DAY)
    view = await house.ask(ask.ShowGc())
    assert (len(view.items), view.omitted, view.rows[-1].things) == (GARBAGE_LISTED, 3, GARBAGE_LISTED + 3)
    assert [item.bytes for item in view.items[:2]] == [GARBAGE_LISTED + 3, GARBAGE_LISTED + 2]


def test_a_digest_is_found_wherever_it_stands():
    digest = Digest("9f" * 32)
    body = f'{{"a":"{digest}","b":["{digest}x"],"c":"{digest}0"}}'.encode()
    assert DIGESTS.findall(body) == [digest.encode()] * 2
