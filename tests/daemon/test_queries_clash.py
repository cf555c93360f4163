"""Whoever reads of work in review is told when it would clash with what the goal's branch has by now."""

from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Final

import msgspec
import pytest

from harnd.adapters.memory_repository import Commit
from harnd.daemon.loading import Loader
from harnd.daemon.queries import Queries
from harnd.daemon.queries.foretelling import Foreteller
from harnd.ports.errors import UnavailableError
from protocol import requests as ask
from protocol.ids import CommitId, GoalId, WorkId
from tests.kit import given as g
from tests.kit.shelf import ABOUT, Chosen, Shelf, shelf

BILLING, A, B = GoalId("billing"), WorkId("p1.a"), WorkId("p1.b")
REPOSITORY: Final = "/srv/billing"
SAID: Final = "it would clash with what is on harn/billing by now: README.md"


def committed(house: Shelf, files: dict[str, bytes]) -> CommitId:
    known = house.workspace.repository(REPOSITORY)
    return known.add(Commit({"README.md": b"# Shop\n"} | files, (known.refs["refs/heads/main"],), "work"))


def made(work: str, commit: CommitId):
    report = g.succeeded(work)
    return msgspec.structs.replace(report, report=msgspec.structs.replace(report.report, commit=commit))


@pytest.fixture
async def house() -> AsyncIterator[Shelf]:
    """Two items were made from one base; the first is accepted and on the goal's branch."""
    async with shelf() as here:
        base = here.workspace.make(REPOSITORY, {"README.md": b"# Shop\n"})
        plan = g.a_plan(g.draft("a"), g.draft("b"), g.draft("end", "a", "b"))
        intent = msgspec.structs.replace(g.an_intent(parallel_work=2), base_commit=base)
        await here.live(g.create(intent), g.tick(), g.answered(plan), g.approve(plan), g.tick())
        yield here


async def brought_in(house: Shelf, *, a: dict[str, bytes], b: dict[str, bytes]) -> None:
    first, second = committed(house, a), committed(house, b)
    await house.live(made("p1.b", second), made("p1.a", first), g.accept("p1.a"), g.tick())
    report = g.proved("p1.a")
    await house.live(msgspec.structs.replace(report, commit=first), g.moved("p1.a"))


async def told(house: Shelf) -> tuple[tuple[str, ...], str, str, list[str], list[str]]:
    """What the item, the reasons of item and goal, the inbox, and the goal say."""
    work = await house.ask(ask.ShowWork(BILLING, B))
    item = await house.ask(ask.ShowWhy("billing/p1.b"))
    goal = await house.ask(ask.ShowWhy("billing"))
    inbox = [each.summary for each in (await house.ask(ask.ListInbox())).items]
    shown = [each.summary for each in (await house.ask(ask.ShowGoal(BILLING))).attention]
    return work.would_clash, item.condition, goal.condition, inbox, shown


async def test_a_clash_is_told_wherever_somebody_reads_of_the_item(house: Shelf):
    await brought_in(house, a={"README.md": b"# Store\n"}, b={"README.md": b"# Market\n"})
    assert await told(house) == (
        ("README.md",),
        f"p1.b is proved and waits to be accepted; {SAID}",
        f"proved and waiting to be accepted: p1.b; {SAID}",
        [f"Do b: proved, to be accepted; {SAID}"],
        [f"Do b: proved, to be accepted; {SAID}"],
    )


async def test_what_goes_together_is_told_as_ever(house: Shelf):
    await brought_in(house, a={"a.txt": b"a"}, b={"b.txt": b"b"})
    assert await told(house) == (
        (),
        "p1.b is proved and waits to be accepted",
        "proved and waiting to be accepted: p1.b",
        ["Do b: proved, to be accepted"],
        ["Do b: proved, to be accepted"],
    )


async def test_nothing_of_it_is_stored(house: Shelf):
    await brought_in(house, a={"README.md": b"# Store\n"}, b={"README.md": b"# Market\n"})
    before = await house.world.store.newest(), await house.world.store.inbox()
    await told(house)
    assert (await house.world.store.newest(), await house.world.store.inbox()) == before
    assert [row.summary for row in before[1]] == ["Do b: proved, to be accepted"]


async def test_a_repository_that_does_not_tell_leaves_it_unknown_and_hides_nothing(house: Shelf):
    await brought_in(house, a={"README.md": b"# Store\n"}, b={"README.md": b"# Market\n"})
    inner = house.world.workspace

    class Mute:
        def __getattr__(self, name: str):
            return getattr(inner, name)

        async def foretell(self, *_: str) -> tuple[str, ...]:
            raise UnavailableError("the disk is gone")

    house.queries = Queries(
        replace(house.world, workspace=Mute()), roster=house.acting, about=ABOUT, configuration=Chosen()
    )
    work = await house.ask(ask.ShowWork(BILLING, B))
    assert work.would_clash == ()
    assert work.unknowns[-1] == "whether it would clash with what is on the goal's branch by now: git did not tell"
    assert [each.summary for each in (await house.ask(ask.ListInbox())).items] == ["Do b: proved, to be accepted"]


async def test_git_is_asked_once_about_two_commits_and_never_without_need(house: Shelf):
    asked: list[tuple[str, ...]] = []
    inner = house.world.workspace

    class Counting:
        def __getattr__(self, name: str):
            return getattr(inner, name)

        async def foretell(self, repository: str, onto: CommitId, commit: CommitId) -> tuple[str, ...]:
            asked.append((onto, commit))
            return await inner.foretell(repository, onto, commit)

    foreteller = Foreteller(Counting())
    await brought_in(house, a={"README.md": b"# Store\n"}, b={"README.md": b"# Market\n"})
    goal = await Loader(house.world.store).load(BILLING)
    for _ in range(3):
        assert await foreteller.clashes(goal, goal.work[B]) == ("README.md",)
        assert await foreteller.clashes(goal, goal.work[A]) == ()  # it is on the branch
    assert len(asked) == 1
