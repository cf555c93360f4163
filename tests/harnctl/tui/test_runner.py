"""Errands at a daemon: one decision under one key, and no daemon that is asked without a pause."""

from pathlib import Path

import anyio

from harnctl.tui import messages as m
from harnctl.tui.errands import ReadInbox, Send, Write
from harnctl.tui.model import Decision
from harnctl.tui.runner import OTHER_DAEMON, Runner
from harnctl.tui.things import Subject
from harnctl.tui.writing import UNSENT
from protocol.errors import Refusal
from protocol.ids import IdempotencyKey
from protocol.notices import EventNotice
from protocol.requests import ApprovePlan, SubscribeEvents
from tests.kit.screens import BILLING, NEW, PLAN
from tests.kit.scripted_daemon import ScriptedDaemon, golden

BUSY = Refusal("store.unavailable", "the store is busy")
DECISION = Decision(
    Subject.of(PLAN), "Approve it", ApprovePlan(key=UNSENT, goal=BILLING, plan=1, digest=NEW), NEW
)  # fmt: skip


async def never(wanted: Write) -> m.NotWritten:
    raise AssertionError(f"nobody writes {wanted.about}: {wanted.draft}")


def a_runner(socket: Path) -> tuple[Runner, list[m.Message]]:
    said: list[m.Message] = []
    return Runner(socket, said.append, never), said


def keys(daemon: ScriptedDaemon) -> list[IdempotencyKey]:
    return [request.key for request in daemon.asked if isinstance(request, ApprovePlan)]


async def test_a_decision_that_is_put_off_is_sent_again_under_its_key(daemon):
    daemon.answers("plan.approve", BUSY, BUSY, golden("plan.approve"))
    runner, said = a_runner(daemon.path)
    await runner.greet(0.0)

    await runner.run(Send(DECISION))
    await runner.aclose()

    assert said == [m.Decided(DECISION, golden("plan.approve"))]
    assert len(keys(daemon)) == 3
    assert len(set(keys(daemon))) == 1


async def test_a_daemon_that_puts_it_off_is_not_pressed(daemon):
    daemon.answers("plan.approve", BUSY)
    runner, said = a_runner(daemon.path)
    await runner.greet(0.0)

    with anyio.move_on_after(0.5):
        await runner.run(Send(DECISION))
    with anyio.CancelScope(shield=True):
        await runner.aclose()

    assert said == []
    assert 1 <= len(keys(daemon)) < 8


async def test_a_decision_is_not_sent_to_a_daemon_with_another_state(daemon):
    here = golden("status.show")
    daemon.answers("status.show", here, golden("status.show", state_dir="/elsewhere"))
    daemon.answers("plan.approve", BUSY)
    runner, said = a_runner(daemon.path)
    await runner.greet(0.0)

    await runner.run(Send(DECISION))
    await runner.aclose()

    (refused,) = said
    assert isinstance(refused, m.Refused)
    assert (refused.code, len(keys(daemon))) == (OTHER_DAEMON, 1)


async def test_events_are_followed_from_the_beginning_of_a_store_that_began_anew(daemon):
    event = golden("events.list").events[0]
    daemon.answers("inbox.list", golden("inbox.list", after=event.seq - 1), golden("inbox.list", after=0))
    daemon.told.append([EventNotice(event)])
    heard = anyio.Event()
    followed = anyio.Event()

    def dispatch(message: m.Message) -> None:
        if isinstance(message, m.Happened):
            (followed if heard.is_set() else heard).set()

    runner = Runner(daemon.path, dispatch, never)
    inbox = await runner.greet(0.0)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(runner.follow, inbox)
        with anyio.fail_after(10):
            await heard.wait()
            daemon.told.append([EventNotice(event)])  # to the next subscription
            await runner.run(ReadInbox())
            await followed.wait()
        tasks.cancel_scope.cancel()
    await runner.aclose()

    assert [one.after for one in daemon.asked if isinstance(one, SubscribeEvents)] == [event.seq - 1, 0]
