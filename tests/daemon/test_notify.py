"""What a service manager is told, at a real socket; and that nobody is told anything when there is none."""

import os
import threading
import time

import anyio
import pytest

from harnd.daemon import notify
from harnd.daemon.notify import ServiceManager
from tests.kit.manager import manager


@pytest.fixture
def address(tmp_path):
    return str(tmp_path / "notify")


def taken(environ):
    return ServiceManager.taken_from(environ, pid=os.getpid())


# --- where it is


@pytest.mark.parametrize("abstract", [False, True])
def test_a_manager_hears_at_a_path_and_at_an_abstract_name(address, abstract):
    with manager(f"@harnd-test-{os.getpid()}" if abstract else address) as heard:
        taken(heard.environ).ready("2 goals")
        assert heard.next() == {"READY": "1", "STATUS": "2 goals"}


@pytest.mark.parametrize("environ", [{}, {"NOTIFY_SOCKET": ""}, {"NOTIFY_SOCKET": "vsock:2:1234"}])
def test_without_a_manager_nobody_is_told(environ):
    nobody = taken(environ)
    nobody.ready("")
    assert not nobody.listens


def test_a_manager_that_is_gone_is_no_error(address):
    with manager(address) as heard:
        environ = heard.environ
    gone = taken(environ)
    gone.ready("")
    gone.status("")
    gone.stopping("", within_s=1)


def test_a_manager_that_reads_nothing_delays_a_status_by_nothing(address):
    with manager(address) as heard:
        speaker = taken(heard.environ)
        for number in range(2_000):  # past any queue
            speaker.status(str(number))
        said = [message["STATUS"] for message in heard.waiting()]
    assert said == [str(number) for number in range(len(said))]
    assert 0 < len(said) < 2_000


def test_what_names_the_manager_is_removed_so_that_no_child_speaks_in_our_name(address):
    environ = {"NOTIFY_SOCKET": address, "WATCHDOG_USEC": "1000000", "WATCHDOG_PID": "1", "PATH": "/bin"}
    taken(environ)
    assert environ == {"PATH": "/bin"}


# --- what is said


def test_the_life_of_a_daemon_in_messages(address):
    with manager(address) as heard:
        speaker = ServiceManager(address, monotonic=lambda: 12_345_678)
        speaker.status("recovering")
        speaker.reloading("reading")
        speaker.ready("fine")
        speaker.stopping("draining", within_s=25)
        assert heard.waiting() == [
            {"STATUS": "recovering"},
            {"RELOADING": "1", "MONOTONIC_USEC": "12345", "STATUS": "reading"},
            {"READY": "1", "STATUS": "fine"},
            {"STOPPING": "1", "EXTEND_TIMEOUT_USEC": "25000000", "STATUS": "draining"},
        ]


def test_a_status_is_one_line_whatever_is_in_it(address):
    with manager(address) as heard:
        taken(heard.environ).status("one\nWATCHDOG=trigger\x1b[31m")
        assert heard.next() == {"STATUS": "one WATCHDOG=trigger [31m"}


# --- time


async def test_more_time_is_asked_for_until_the_daemon_is_ready_and_not_for_ever(address, monkeypatch):
    monkeypatch.setattr(notify, "EXTEND_EVERY_S", 0.001)
    monkeypatch.setattr(notify, "EXTENSIONS", 3)
    with manager(address) as heard:
        await taken(heard.environ).keep_waiting()
        assert heard.waiting() == [{"EXTEND_TIMEOUT_USEC": "30000000"}] * 3

        ready = taken(heard.environ)
        ready.ready("")
        await ready.keep_waiting()
        assert heard.waiting() == [{"READY": "1", "STATUS": ""}]


@pytest.mark.parametrize("named", [False, True])
async def test_the_watchdog_is_pinged_at_half_its_limit(address, named):
    with manager(address) as heard:
        environ = heard.environ | {"WATCHDOG_USEC": "100000"} | ({"WATCHDOG_PID": str(os.getpid())} if named else {})
        began = time.monotonic()
        pings: list[dict[str, str] | None] = []
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(taken(environ).keep_watchdog)
            pings += [await anyio.to_thread.run_sync(heard.next) for _ in range(4)]
            tasks.cancel_scope.cancel()
    assert pings == [{"WATCHDOG": "1"}] * 4
    assert time.monotonic() - began >= 0.15


@pytest.mark.parametrize(
    "watched",
    [
        {},
        {"WATCHDOG_USEC": "0"},
        {"WATCHDOG_USEC": "soon"},
        {"WATCHDOG_USEC": "9" * 5_000},
        {"WATCHDOG_USEC": "1000000", "WATCHDOG_PID": "1"},
    ],
)
async def test_a_watchdog_that_is_not_ours_is_not_pinged(address, watched):
    with manager(address) as heard:
        await taken(heard.environ | watched).keep_watchdog()
        assert heard.waiting() == []


async def test_a_loop_that_is_stuck_pings_nobody(address):
    """The loop is blocked for real; whoever pinged from beside it would be heard."""
    with manager(address) as heard:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(taken(heard.environ | {"WATCHDOG_USEC": "20000"}).keep_watchdog)
            assert await anyio.to_thread.run_sync(heard.next) == {"WATCHDOG": "1"}
            heard.waiting()
            threading.Event().wait(0.2)  # ten limits, in the thread of the loop
            assert heard.waiting() == []
            assert await anyio.to_thread.run_sync(heard.next) == {"WATCHDOG": "1"}
            tasks.cancel_scope.cancel()
