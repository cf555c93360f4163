"""Group D: what went wrong with durability in other systems of this kind.

Most of these are facts about the store and are told there; `TOLD` says where, and a test holds that they are.  The
rest follows here.  What waits for a later part is in NOT_APPLICABLE.md.
"""

import ast
import re
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from harnd.adapters.store import SqliteStore, append, open_store
from harnd.adapters.store.chain import verify
from harnd.adapters.store.database import establish, settle
from harnd.adapters.store.leases import acquire
from harnd.adapters.store.threaded import threaded_runner
from protocol.values import Instant
from tests.kit.stores import BILLING, ME, TTL, SetClock, change, fact

ROOT = Path(__file__).parents[2]
STORE = "tests/adapters/store"
EVENTS = "tests/contracts/test_event_store.py"
SCHEMA = f"{STORE}/test_schema.py"

TOLD = {
    "D01": (
        f"{STORE}/test_threaded.py::test_a_write_waits_for_another_writer_and_then_succeeds",
        f"{STORE}/test_threaded.py::test_a_write_that_waited_in_vain_is_unavailable_and_the_store_goes_on",
    ),
    "D03": (
        f"{STORE}/test_threaded.py::test_no_read_leaves_a_transaction_open",
        f"{STORE}/test_threaded.py::test_the_log_stays_within_bounds_while_nobody_reads_for_long",
        f"{STORE}/test_threaded.py::test_health_shows_a_log_that_a_long_reader_holds_up",
    ),
    "D05": (
        "tests/cases/test_cases_d.py::test_d05_a_record_torn_at_any_byte_is_gone_whole_and_the_next_is_not_glued_to_it",
        f"{STORE}/test_full_disk.py::test_a_log_that_may_not_grow_is_unavailable_and_loses_nothing",
        f"{STORE}/test_full_disk.py::test_what_was_refused_for_want_of_space_does_not_come_back_after_a_restart",
        "tests/adapters/process/test_trouble.py::test_a_result_that_no_shim_stored_is_corrupt",
    ),
    "D07": (
        f"{STORE}/test_blob_files.py::test_a_blob_is_flushed_before_it_gets_its_name_and_the_name_after",
        f"{STORE}/test_database.py::test_what_is_no_database_is_corrupt_and_left_as_it_is",
        "tests/contracts/test_blobs.py::test_other_bytes_than_were_put_are_corrupt",
        "tests/domain/goal/test_codec.py::test_what_cannot_be_understood_is_never_passed_over",
    ),
    "D09": (f"{STORE}/test_lock.py::test_a_file_system_that_grants_every_lock_is_refused",),
    "D11": (
        f"{EVENTS}::test_usurping_takes_every_lease_out_of_other_hands",
        f"{EVENTS}::test_the_fence_of_a_usurped_lease_is_refused_before_anybody_acquires_again",
    ),
    "D13": (
        f"{STORE}/test_lock.py::test_of_many_that_start_at_once_one_gets_the_directory",
        f"{STORE}/test_lock.py::test_a_second_daemon_is_refused_and_told_who_holds_the_directory",
    ),
    "D15": (
        f"{SCHEMA}::test_a_newer_schema_is_refused_by_name_and_nothing_is_written",
        f"{SCHEMA}::test_a_newer_schema_that_is_still_in_the_log_is_refused_and_the_log_is_not_folded_in",
    ),
    "D19": (
        f"{STORE}/test_lock.py::test_an_identity_with_a_pid_that_lives_blocks_nobody_and_signals_nobody",
        f"{STORE}/test_lock.py::test_an_unreadable_identity_neither_blocks_nor_hides_the_holder",
    ),
}
CASES = {f"D{number:02}" for number in range(1, 20, 2)}


def names_of_tests(path: str) -> set[str]:
    nodes = ast.walk(ast.parse((ROOT / path).read_text(encoding="utf-8")))
    return {node.name for node in nodes if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}


@pytest.mark.parametrize("case", sorted(TOLD))
def test_a_case_is_told_where_the_table_says(case: str):
    missing = [name for name in TOLD[case] if name.partition("::")[2] not in names_of_tests(name.partition("::")[0])]
    assert missing == []


def test_every_case_is_told_or_waits_with_a_reason():
    waiting = (ROOT / "tests/cases/NOT_APPLICABLE.md").read_text(encoding="utf-8")
    listed = set(re.findall(r"^\| (D\d\d) \|", waiting, re.MULTILINE))
    assert (TOLD.keys() | listed, TOLD.keys() & listed) == (CASES, set())


# --- D05: half a record is left, and the next one is glued to it


@pytest.fixture
def torn(tmp_path: Path) -> tuple[Path, int]:
    """A store that was never closed, with two appends of three events in its log; where the second one begins."""
    path = tmp_path / "whole" / "harnd.db"
    path.parent.mkdir()
    establish(path)
    with closing(sqlite3.connect(path, isolation_level=None)) as conn:
        settle(conn)
        acquire(conn, BILLING, ME, now=Instant(0), ttl=TTL)
        append.append(conn, change(facts=(fact(1), fact(2), fact(3))))
        begins = path.with_name("harnd.db-wal").stat().st_size
        append.append(conn, change(expected=3, facts=(fact(4), fact(5), fact(6))))
        shutil.copytree(path.parent, tmp_path / "killed")  # while it is open: what a kill leaves
    return tmp_path / "killed" / "harnd.db", begins


@pytest.mark.parametrize("damage", ["cut", "zeros"])
@pytest.mark.parametrize("part", [0.0, 0.01, 0.3, 0.5, 0.99, 1.0])
async def test_d05_a_record_torn_at_any_byte_is_gone_whole_and_the_next_is_not_glued_to_it(
    torn: tuple[Path, int], part: float, damage: str
):
    path, begins = torn
    log = path.with_name("harnd.db-wal")
    content = log.read_bytes()
    kept = begins + int((len(content) - begins) * part)
    log.write_bytes(content[:kept] + (b"" if damage == "cut" else b"\0" * (len(content) - kept)))
    path.with_name("harnd.db-shm").unlink()  # it does not outlive the machine
    whole = [1, 2, 3, 4, 5, 6] if part == 1 else [1, 2, 3]

    async with open_store(path, SetClock()) as store:
        assert [event.version for event in await store.read(BILLING)] == whole
        await store.usurp(ME)
        lease = await store.acquire(BILLING, ME, TTL)
        await store.append(change(expected=len(whole), fence=lease.fence, facts=(fact(7),)))

    async with threaded_runner(path) as runner:
        events = await SqliteStore(runner, SetClock()).read(BILLING)
        assert [event.body for event in events] == [fact(n).body for n in (*whole, 7)]
        assert await runner.run(verify) is None
