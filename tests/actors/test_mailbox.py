"""Mailboxes and answers, on both event loops."""

import anyio
import pytest
from anyio.lowlevel import checkpoint

from harnd.actors.mailbox import Answer, ClosedMailboxError, Mailbox


@pytest.fixture(params=["asyncio", "trio"])
def anyio_backend(request):
    return request.param


async def test_messages_are_read_in_the_order_they_were_told():
    box = Mailbox[str]()
    for word in ("one", "two", "three"):
        await box.tell(word)

    assert box.waiting == 3
    assert [await box.next() for _ in range(3)] == ["one", "two", "three"]
    box.close()


async def test_who_tells_a_full_mailbox_waits_for_room():
    box = Mailbox[int](capacity=1)
    told = []

    async def tell(number):
        await box.tell(number)
        told.append(number)

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(tell, 1)
        await anyio.wait_all_tasks_blocked()
        tasks.start_soon(tell, 2)
        await anyio.wait_all_tasks_blocked()
        assert told == [1]

        assert (await box.next(), await box.next()) == (1, 2)
    assert told == [1, 2]
    box.close()


async def test_a_nudge_never_waits_and_is_lost_on_a_full_mailbox():
    box = Mailbox[str](capacity=1)
    box.nudge("look")
    box.nudge("look again")

    assert (box.next_nowait(), box.next_nowait()) == ("look", None)
    box.close()


async def test_a_closed_mailbox_takes_nothing_more():
    box = Mailbox[str]()
    assert repr(box) == "<Mailbox waiting=0>"
    box.close()

    with pytest.raises(ClosedMailboxError):
        await box.tell("hello")
    box.nudge("hello")
    assert (box.closed, repr(box)) == (True, "<Mailbox waiting=0 closed>")


async def test_who_waits_for_room_is_told_when_the_mailbox_closes():
    box = Mailbox[int](capacity=1)
    await box.tell(1)

    async with anyio.create_task_group() as tasks:

        async def wait_for_room():
            with pytest.raises(ClosedMailboxError):
                await box.tell(2)

        tasks.start_soon(wait_for_room)
        await anyio.wait_all_tasks_blocked()
        box.close()


async def test_an_answer_is_awaited_until_it_is_given():
    answer, heard = Answer[str](), []

    async with anyio.create_task_group() as tasks:

        async def listen():
            heard.append(await answer.wait())

        tasks.start_soon(listen)
        await anyio.wait_all_tasks_blocked()
        assert heard == []
        answer.give("yes")
    assert heard == ["yes"]


async def test_a_refusal_is_raised_where_the_answer_is_awaited():
    answer = Answer[str]()
    answer.refuse(LookupError("no such thing"))

    with pytest.raises(LookupError, match="no such thing"):
        await answer.wait()


@pytest.mark.parametrize("later", ["give", "refuse"])
async def test_only_the_first_word_counts(later):
    yes, no = Answer[str](), Answer[str]()
    yes.give("first")
    no.refuse(LookupError("first"))
    for answer in (yes, no):
        answer.give("second") if later == "give" else answer.refuse(KeyError("second"))
        await checkpoint()

    assert await yes.wait() == "first"
    with pytest.raises(LookupError, match="first"):
        await no.wait()
