"""What a daemon refuses to start on: said in one sentence, with nothing started and nothing touched."""

import os
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from harnd.adapters.store.database import establish
from harnd.adapters.store.schema import known_migrations
from protocol.requests import ShowStatus
from tests.kit.daemons import Home

pytestmark = pytest.mark.timeout(120)  # some seconds each, and many more on a machine that is busy

UNPRIVILEGED = (sys.executable, "-m", "tests.kit.without_privilege")
ANOTHER, CANNOT = 75, 78


@pytest.fixture
def store(home: Home) -> Path:
    """A store that an earlier daemon left."""
    home.state.mkdir(mode=0o700)
    establish(home.database)
    return home.database


def set_pragma(path: Path, pragma: str) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as conn:
        conn.execute(f"PRAGMA {pragma}")
        conn.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def files(home: Home) -> dict[str, bytes]:
    """Everything of the state directory but its lock, which says nothing."""
    found = (path for path in home.state.rglob("*") if path.is_file() and path.name != "lock")
    return {str(path.relative_to(home.state)): path.read_bytes() for path in found}


def sentence(said: str) -> str:
    """The one line that was said, without the name of who says it."""
    (line,) = said.splitlines()
    assert line.startswith("harnd: ")
    return line.removeprefix("harnd: ")


# --- another daemon


def test_a_second_daemon_is_refused_names_the_holder_and_changes_nothing(home):
    first = home.start()
    before = files(home)

    code, said = home.refused()

    assert code == ANOTHER
    assert sentence(said).startswith("harnd 0.1.0 with pid ")
    assert f"with pid {first.pid} (instance " in said
    assert sentence(said).endswith(f"holds {home.state}")
    assert files(home) == before
    with home.client() as client:
        assert client.ask(ShowStatus()).pid == first.pid


# --- a store that is not ours to write


def newer(path: Path) -> str:
    newest = known_migrations()[-1].number
    set_pragma(path, f"user_version = {newest + 1}")
    return f"the store has schema {newest + 1}, this harnd knows schemas up to {newest}: start a newer one"


def foreign(path: Path) -> str:
    set_pragma(path, "application_id = 7")
    return "the database carries application id 7: it is not a store of harnd's"


def torn(path: Path) -> str:
    path.write_bytes(b"\0" * 64 + path.read_bytes()[64:])
    return f"{path} is no database"


def emptied(path: Path) -> str:
    path.write_bytes(b"")
    return f"{path} is no database"


@pytest.mark.parametrize("spoil", [newer, foreign, torn, emptied])
def test_a_store_that_is_not_ours_is_refused_and_left_as_it_is(home, store, spoil):
    expected = spoil(store)
    before = files(home)

    code, said = home.refused()

    assert code == CANNOT
    assert sentence(said).startswith(expected)
    assert {name: content for name, content in files(home).items() if name in before} == before
    assert home.database.read_bytes() == before["harnd.db"]


# --- a place that cannot be used


@pytest.fixture
def closed(home: Home) -> Iterator[Path]:
    """A state directory that its owner may not look into."""
    home.state.mkdir(mode=0o000)
    yield home.state
    home.state.chmod(0o700)


def test_a_state_directory_that_cannot_be_read_is_refused(home, closed):
    code, said = home.refused(through=UNPRIVILEGED)

    assert code == CANNOT
    assert sentence(said) == f"{closed} cannot be used as a state directory: Permission denied ({closed}/lock)"


def test_a_state_directory_that_is_a_file_is_refused(home):
    home.state.write_text("mine")

    code, said = home.refused()

    assert (code, sentence(said)) == (CANNOT, f"{home.state} is not a directory")
    assert home.state.read_text() == "mine"


def test_a_state_directory_below_a_file_is_refused(home):
    (home.root / "file").write_text("mine")
    home.state = home.root / "file" / "state"

    code, said = home.refused()

    reason = f"Not a directory ({home.state})"
    assert (code, sentence(said)) == (CANNOT, f"{home.state} cannot be used as a state directory: {reason}")


def test_a_state_directory_that_others_may_write_into_is_refused(home):
    home.state.mkdir()
    home.state.chmod(0o777)

    code, said = home.refused()

    assert code == CANNOT
    assert sentence(said) == f"{home.state} may be written by others (mode 777): chmod go-w it"
    assert list(home.state.iterdir()) == []


def test_a_socket_path_that_is_too_long_is_refused_before_anything_is_started(home, store):
    home.socket = home.root / ("s" * 120)
    before = files(home)

    code, said = home.refused()

    size = len(os.fsencode(home.socket))
    assert (code, sentence(said)) == (
        CANNOT,
        (
            f"{home.socket} is {size} bytes long, and a socket path has 107; "
            "choose a shorter --state or --socket [socket.too_long]"
        ),
    )
    assert files(home) == before


def test_a_file_where_the_socket_belongs_is_refused_and_kept_before_anything_is_started(home):
    home.socket.write_text("mine")

    code, said = home.refused()

    assert code == CANNOT
    *logged, last = said.splitlines()
    assert last == f"harnd: {home.socket} is not a socket of user {os.getuid()}: remove it or have it removed"
    assert [line for line in logged if "daemon.recovered" not in line] == []
    assert home.socket.read_text() == "mine"


def test_a_database_that_cannot_be_read_is_refused(home, store):
    store.chmod(0o000)

    code, said = home.refused(through=UNPRIVILEGED)

    assert code == CANNOT
    assert sentence(said) == f"{home.state} cannot be used as a state directory: Permission denied ({store})"


def test_a_store_that_turns_out_to_be_damaged_when_goals_are_looked_at_is_refused(home, store):
    with closing(sqlite3.connect(store)) as conn:
        (page,) = conn.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'goals'").fetchone()
        (size,) = conn.execute("PRAGMA page_size").fetchone()
        conn.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    with store.open("r+b") as file:
        file.seek((page - 1) * size)
        file.write(b"\xff" * size)

    code, said = home.refused()

    assert code == CANNOT
    assert said.splitlines()[-1] == "harnd: database disk image is malformed"
