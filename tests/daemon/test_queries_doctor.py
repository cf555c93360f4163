"""The doctor: each finding of the daemon about its machine, its store and its agents, well and unwell."""

import os
import socket
from collections.abc import AsyncIterator
from pathlib import Path

import msgspec
import pytest

from harnd.adapters.store import Identity, hold_lock
from harnd.daemon.queries import doctor, machine
from harnd.ports.errors import UnavailableError
from harnd.ports.store import Health
from protocol import requests as ask
from protocol.ids import GoalId, HarnessName, InstanceId
from protocol.views import CheckResult, CheckView
from tests.kit import given as g
from tests.kit.shelf import Shelf, shelf

OK, WARN, FAIL, UNKNOWN = CheckResult.OK, CheckResult.WARN, CheckResult.FAIL, CheckResult.UNKNOWN


@pytest.fixture
async def house() -> AsyncIterator[Shelf]:
    async with shelf() as made:
        yield made


def program(folder: Path, name: str, body: str) -> Path:
    file = folder / name
    file.write_text(f"#!/bin/sh\n{body}\n")
    file.chmod(0o755)
    return file


# --- git


@pytest.mark.parametrize(
    ("body", "result", "said"),
    [
        ("echo git version 2.38.0", OK, "this is git version 2.38.0"),
        ("echo git version 3.0", OK, "this is git version 3.0"),
        ("echo git version 2.37.9", FAIL, "this is git version 2.37.9, which cannot merge without a checkout"),
        ("echo git version 1.99", FAIL, "this is git version 1.99, which cannot merge without a checkout"),
        ("echo hello", UNKNOWN, "git said 'hello' when asked for its version"),
        ("echo no luck >&2; exit 1", UNKNOWN, "git said 'no luck' when asked for its version"),
        ("echo git version 2.40.0; exit 1", UNKNOWN, "git said 'git version 2.40.0' when asked for its version"),
        ('echo git version 2.40.0 "$GIT_DIR"', OK, "this is git version 2.40.0"),
    ],
)
async def test_git_is_asked_for_its_version(tmp_path: Path, body, result, said):
    program(tmp_path, "git", body)
    check = await machine.git({"PATH": str(tmp_path), "GIT_DIR": "/elsewhere"})
    assert (check.name, check.result, check.said) == ("daemon.git", result, said)
    assert bool(check.fix) == (result is not OK)


async def test_a_git_that_is_not_there(tmp_path: Path):
    check = await machine.git({"PATH": str(tmp_path)})
    assert (check.result, check.said) == (FAIL, "git does not start: No such file or directory")


# --- the state directory, its lock and its disk


@pytest.mark.parametrize(("mode", "result"), [(0o700, OK), (0o500, OK), (0o750, FAIL), (0o701, FAIL), (0o1777, FAIL)])
def test_nobody_else_may_enter_the_state_directory(tmp_path: Path, mode, result):
    tmp_path.chmod(mode)
    check = machine.state_directory(tmp_path)
    assert (check.name, check.result) == ("daemon.state", result)
    assert check.fix == ("" if result is OK else f"chmod 700 {tmp_path}")


def test_a_state_directory_that_went_away(tmp_path: Path):
    check = machine.state_directory(tmp_path / "gone")
    assert (check.result, check.said) == (FAIL, f"{tmp_path / 'gone'} cannot be looked at: No such file or directory")


def test_the_lock_is_tried_and_not_given_away(tmp_path: Path):
    identity = Identity.of_this_process(InstanceId("me"), "0.1.0")
    lock = tmp_path / "lock"
    with hold_lock(tmp_path, identity):
        for _ in range(2):  # also after it was tried once
            assert machine.lock(lock) == CheckView(
                name="daemon.lock", result=OK, said=f"{lock} keeps a second daemon out", fix=""
            )
    assert machine.lock(lock).result is FAIL  # nobody holds it, so it kept nobody out
    with hold_lock(tmp_path, identity):
        pass


def test_a_lock_that_is_not_there_is_unknown(tmp_path: Path):
    assert machine.lock(tmp_path / "lock").result is UNKNOWN


@pytest.mark.parametrize(
    ("free", "result"),
    [(machine.DISK_LOW, OK), (machine.DISK_LOW - 1, WARN), (machine.DISK_FULL, WARN), (machine.DISK_FULL - 1, FAIL)],
)
def test_room_on_the_disk_has_two_marks(free, result):
    assert machine.room(Path("/state"), free).result is result


def test_the_disk_is_measured_where_the_state_lies(tmp_path: Path):
    assert machine.disk(tmp_path).name == "daemon.disk"
    assert machine.disk(tmp_path / "gone").result is UNKNOWN


# --- the socket and the PATH


def test_a_private_socket_is_well(tmp_path: Path):
    tmp_path.chmod(0o700)
    path = tmp_path / "s"
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        path.chmod(0o600)
        assert machine.socket_file(path).result is OK
        path.chmod(0o660)
        assert machine.socket_file(path) == CheckView(
            name="daemon.socket",
            result=FAIL,
            said=f"others may reach {path}",
            fix=f"chmod 700 {tmp_path}; chmod 600 {path}",
        )
        path.chmod(0o600)
        tmp_path.chmod(0o755)
        assert machine.socket_file(path).result is FAIL


def test_a_socket_that_was_removed_or_replaced(tmp_path: Path):
    path = tmp_path / "s"
    assert machine.socket_file(path).said == f"{path} cannot be looked at: No such file or directory"
    path.touch()
    assert machine.socket_file(path).said == f"{path} is no socket any more"


def test_the_path_of_the_daemon_is_told(tmp_path: Path):
    gone = tmp_path / "gone"
    assert machine.search_path({"PATH": f"{tmp_path}:{gone}"}) == CheckView(
        name="daemon.path",
        result=OK,
        said=f"programs are looked for in {tmp_path}:{gone}; not there: {gone}",
        fix="",
    )
    assert machine.search_path({}).result is WARN


# --- the store


@pytest.mark.parametrize(
    ("version", "race"),
    [
        ((3, 6, 23), False),
        ((3, 7, 0), True),
        ((3, 40, 1), True),
        ((3, 44, 5), True),
        ((3, 44, 6), False),
        ((3, 45, 0), True),
        ((3, 50, 6), True),
        ((3, 50, 7), False),
        ((3, 51, 2), True),
        ((3, 51, 3), False),
        ((3, 52, 0), False),
    ],
)
def test_the_versions_with_the_race_are_known(version, race):
    assert doctor.has_race(version) is race


RACE = "can lose pages when two connections write; harnd opens one, so let nothing else write to it"
GROWN = "its log has grown to 64 MiB, because something keeps it from folding"


class Measured:
    """A store that says what it was told to, or nothing."""

    def __init__(self, **changes: object) -> None:
        plain = Health(engine="SQLite 3.51.3", schema=1, events=44, size_bytes=90112, wal_bytes=0)
        self._health = msgspec.structs.replace(plain, **changes)

    async def health(self) -> Health:
        return self._health


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        (
            {},
            [
                ("daemon.store", OK, "44 events in 88 KiB, schema 1, log 0 KiB"),
                ("daemon.sqlite", OK, "SQLite 3.51.3 is free of known faults that harnd could meet"),
            ],
        ),
        (
            {"engine": "SQLite 3.51.2", "wal_bytes": 64 * 2**20 + 1},
            [
                (
                    "daemon.store",
                    WARN,
                    f"44 events in 88 KiB, schema 1; {GROWN}",
                ),
                (
                    "daemon.sqlite",
                    OK,
                    f"SQLite 3.51.2 {RACE}",
                ),
            ],
        ),
        (
            {"engine": "a database"},
            [
                ("daemon.store", OK, "44 events in 88 KiB, schema 1, log 0 KiB"),
                ("daemon.sqlite", UNKNOWN, "the version of 'a database' cannot be read"),
            ],
        ),
    ],
    ids=["well", "grown", "unreadable"],
)
async def test_the_store_is_measured(changes, expected):
    checks = await doctor.of_store(Measured(**changes))
    assert [(check.name, check.result, check.said) for check in checks] == expected


async def test_a_store_that_does_not_answer_is_a_failure_and_its_version_unknown(house: Shelf):
    class Broken(Measured):
        async def health(self) -> Health:
            raise UnavailableError("the disk is gone")

    store, engine = await doctor.of_store(Broken())
    assert (store.result, engine.result) == (FAIL, UNKNOWN)


# --- the agents


def team(*argvs: tuple[str, ...], harness: str = "command"):
    """Intents have two members; their harness options are what the doctor looks at."""
    intent = g.an_intent()
    members = tuple(
        msgspec.structs.replace(member, harness=HarnessName(harness), options=(("argv", argv),))
        for member, argv in zip(intent.team, argvs, strict=True)
    )
    return msgspec.structs.replace(intent, team=members)


async def agents(house: Shelf) -> list[tuple[str, CheckResult, str]]:
    checks = (await house.ask(ask.ShowDoctor())).checks
    return [(c.name, c.result, c.said) for c in checks if c.name.partition(".")[0] in {"harness", "guard", "goal"}]


GUARDED = "a guard keeps its agents from operator verbs; one that leaves the process tree on purpose gets past it"


async def test_without_goals_there_are_no_agents(house: Shelf):
    assert await agents(house) == []


async def test_an_agent_of_harnds_own_needs_no_program(house: Shelf):
    await house.live(g.create(g.an_intent()))
    assert await agents(house) == [
        ("harness.scripted", OK, "its agent is part of harnd (for billing)"),
        ("guard.scripted", OK, GUARDED),
    ]


async def test_programs_of_agents_are_looked_for_once_each(house: Shelf):
    house.knows("command")
    house.seen.obstacles = {"claude": "claude cannot be started: no executable of that name on PATH (/bin)."}
    await house.live(g.create(team(("claude", "-p"), ("./agent",))))
    other = msgspec.structs.replace(team(("claude",), ("/opt/codex",)), goal=GoalId("docs"))
    await house.live(g.create(other), goal="docs")
    assert await agents(house) == [
        ("harness.command", UNKNOWN, "./agent is looked for in each worktree (for billing)"),
        ("harness.command", OK, "/opt/codex can be started (for docs)"),
        (
            "harness.command",
            FAIL,
            "claude cannot be started: no executable of that name on PATH (/bin) (for billing, docs)",
        ),
        ("guard.command", OK, GUARDED),
    ]


async def test_a_harness_that_this_harnd_lacks_is_a_failure(house: Shelf):
    await house.live(g.create(team(("claude",), ("claude",), harness="telepathy")))
    assert await agents(house) == [
        ("harness.telepathy", FAIL, "there is no harness telepathy that takes the options given for billing"),
        ("guard.telepathy", OK, GUARDED),
    ]


async def test_goals_that_are_over_need_no_agents(house: Shelf):
    await house.live(g.create(g.an_intent()), g.cancel_goal())
    assert await agents(house) == []


async def test_a_goal_that_cannot_be_read_is_a_finding(house: Shelf):
    await house.live(g.create(g.an_intent()))
    await house.poison("billing", after=1)
    ((name, result, said),) = await agents(house)
    assert (name, result) == ("goal.billing", UNKNOWN)
    assert said.startswith("an event of goal billing cannot be read by this harnd: ")


async def test_the_whole_examination_tells_its_time(house: Shelf):
    house.at(9)
    view = await house.ask(ask.ShowDoctor())
    assert view.at == g.later(9)
    names = [check.name for check in view.checks]
    assert names == [f"daemon.{name}" for name in ("git", "state", "lock", "disk", "socket", "path", "store", "sqlite")]
    assert os.environ["PATH"] in view.checks[5].said
