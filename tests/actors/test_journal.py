"""The journal: decide → append → evolve, and nothing else turns a decision into a fact."""

import anyio
import pytest

from harnd.actors.journal import Journal, Promise
from harnd.domain.goal import commands as c
from harnd.domain.rejected import Rejected
from harnd.ports.errors import FencedError, KeyReusedError, UnavailableError
from harnd.ports.store import Once
from protocol.ids import Digest, IdempotencyKey, WorkId
from tests.kit.bench import Bench
from tests.kit.given import a_plan, answered, approve, cancel_goal, create, tick
from tests.kit.stores import BILLING, ME, OTHER, TTL

KEY = IdempotencyKey("k1")
CANCEL = cancel_goal("enough")


def promised(payload: str = "aa", key: IdempotencyKey = KEY) -> Promise:
    return Promise(key, Digest(payload * 32), lambda goal: f"version {goal.version}".encode())


async def test_a_command_is_decided_stored_and_then_folded_in(bench):
    journal = await bench.journal()
    assert await journal.goal() is None

    await journal.submit(create(bench.intent()))
    await journal.submit(tick(bench.clock.now()))

    assert bench.store.appended == [("goal.created",), ("goal.ticked", "plan.requested", "planner.called")]
    assert await journal.goal() == await bench.stored()
    assert repr(journal) == "<Journal billing version=4 fence=1>"


async def test_what_was_stored_is_told_after_it_is_stored(bench):
    journal = await bench.journal()

    await journal.submit(create(bench.intent()))

    assert bench.heard == await bench.store.read(BILLING)


async def test_what_was_not_stored_is_told_to_nobody(bench):
    journal = await bench.journal()
    bench.store.breaks("append", UnavailableError("full"))

    with pytest.raises(UnavailableError):
        await journal.submit(create(bench.intent()))

    assert bench.heard == []


async def test_a_rejected_command_changes_nothing(bench):
    await bench.lived()
    journal = await bench.journal()
    before = await journal.goal()

    with pytest.raises(Rejected, match=r"work.unknown"):
        await journal.submit(c.RetryWork(work=WorkId("p9.nothing"), guidance="", by="ada"), promised())

    assert (bench.store.appended, await bench.store.answered(KEY)) == ([], None)
    assert await journal.goal() == before == await bench.stored()


async def test_a_command_that_already_holds_appends_nothing(bench):
    await bench.lived(CANCEL)
    journal = await bench.journal()

    assert await journal.submit(CANCEL) == []

    assert bench.store.appended == []


# --- conflicts


async def two_journals(bench: Bench) -> tuple[Journal, Journal]:
    """Two that have read the goal under one lease, so that only the version stands in the other's way."""
    lease = await bench.store.acquire(BILLING, ME, TTL)
    journals = bench.journal_under(lease), bench.journal_under(lease)
    for journal in journals:
        await journal.goal()
    return journals


async def test_after_a_conflict_the_goal_is_read_again_and_the_command_decided_again(bench):
    await bench.lived(tick(), answered(a_plan()))
    journal, other = await two_journals(bench)
    await other.submit(approve(a_plan()))
    bench.store.appended.clear()

    await journal.submit(CANCEL)

    assert bench.store.appended == [("goal.cancelled",)]
    assert await journal.goal() == await bench.stored()
    assert (await bench.stored()).generation == 1


async def test_a_command_that_no_longer_fits_after_a_conflict_is_rejected(bench):
    await bench.lived(tick(), answered(a_plan()))
    journal, other = await two_journals(bench)
    await other.submit(CANCEL)

    with pytest.raises(Rejected, match=r"goal.ended"):
        await journal.submit(approve(a_plan()))

    assert await journal.goal() == await bench.stored()


async def test_an_append_under_a_lost_lease_is_fenced_and_writes_nothing(bench):
    await bench.lived()
    journal = await bench.journal(holder=ME)
    await bench.store.usurp(OTHER)
    await bench.store.acquire(BILLING, OTHER, TTL)

    with pytest.raises(FencedError):
        await journal.submit(CANCEL)

    assert bench.store.appended == []


# --- when nobody knows


async def test_a_cancelled_append_throws_the_state_away(bench):
    await bench.lived()
    journal = await bench.journal()
    bench.store.unanswered = True
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(journal.submit, CANCEL)
        await anyio.wait_all_tasks_blocked()
        tasks.cancel_scope.cancel()
    bench.store.unanswered = False

    assert await journal.goal() == await bench.stored()
    assert (await bench.stored()).ended_reason == "enough"
    assert await journal.submit(CANCEL) == []


async def test_after_a_failed_append_the_goal_is_read_again_before_the_next_command(bench):
    await bench.lived()
    journal = await bench.journal()
    bench.store.breaks("append", UnavailableError("full"))
    with pytest.raises(UnavailableError):
        await journal.submit(CANCEL)
    bench.store.breaks("read", UnavailableError("still full"))

    with pytest.raises(UnavailableError, match="still full"):
        await journal.submit(CANCEL)

    await journal.submit(CANCEL)
    assert await journal.goal() == await bench.stored()


# --- promises


async def test_the_answer_to_a_request_is_stored_in_the_append_it_is_about(bench):
    await bench.lived()
    journal = await bench.journal()

    await journal.submit(CANCEL, promised())

    assert bench.store.appended == [("goal.cancelled",)]
    assert await bench.store.answered(KEY) == Once(KEY, Digest("aa" * 32), b"version 2")


async def test_a_request_that_changes_nothing_is_answered_for_ever_all_the_same(bench):
    await bench.lived(CANCEL)
    journal = await bench.journal()

    assert await journal.submit(CANCEL, promised()) == []

    assert bench.store.appended == [()]
    assert await bench.store.answered(KEY) == Once(KEY, Digest("aa" * 32), b"version 2")


async def test_an_append_that_fails_stores_no_answer(bench):
    await bench.lived()
    journal = await bench.journal()
    bench.store.breaks("append", UnavailableError("full"))

    with pytest.raises(UnavailableError):
        await journal.submit(CANCEL, promised())

    assert await bench.store.answered(KEY) is None


async def test_a_repeat_of_an_answered_request_changes_nothing(bench):
    await bench.lived()
    journal = await bench.journal()
    await journal.submit(CANCEL, promised())
    before = await bench.stored()

    assert await journal.submit(CANCEL, promised()) == ()

    assert bench.store.appended == [("goal.cancelled",)]
    assert await bench.stored() == before
    assert await bench.store.answered(KEY) == Once(KEY, Digest("aa" * 32), b"version 2")


async def test_a_key_that_was_used_for_another_request_is_refused(bench):
    await bench.lived()
    journal = await bench.journal()
    await journal.submit(CANCEL, promised("aa"))

    with pytest.raises(KeyReusedError):
        await journal.submit(CANCEL, promised("bb"))

    assert bench.store.appended == [("goal.cancelled",)]
