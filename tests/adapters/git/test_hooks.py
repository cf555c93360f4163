"""Hooks may be files that an agent wrote: they run as the attempt does, and end with the commit and with the daemon."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import anyio
import anyio.to_thread
import pytest

from harnd.adapters.git import GitWorkspace, recording
from harnd.adapters.process.environment import HOME, SESSION
from harnd.adapters.process.leftovers import digest_of, marked, sweep
from harnd.adapters.process.text import NOTHING, output_of
from harnd.ports.errors import UnavailableError
from harnd.ports.sessions import CommandTask, Ended, Ending
from harnd.ports.workspace import Recording, Refused
from protocol.ids import InstanceId
from protocol.values import Micros
from tests.kit.agents import ROOT, cancelled_when
from tests.kit.ending import ends
from tests.kit.repositories import FIRST, GitHouse, open_workspace, place

SECRET = "MODEL_API_KEY"
RECORD = "first/goal/billing/work/p1.export/attempt/1/record/"

# A child of the hook's own session and one that left it; then the hook signals, and waits for both, once.
SLOW_ONCE = """
printf x >> {outside}/runs
[ -e {outside}/resumed ] && exit 0
: > {outside}/resumed
sleep 600 &
setsid sleep 600 &
printf '' > {outside}/signal
wait
"""
PROCESSES = 5  # the shim, git, the hook and the two


@pytest.fixture
def house(tmp_path: Path) -> GitHouse:
    """A repository whose hooks are files of its checkouts, and a daemon with something to keep to itself."""
    made = GitHouse(tmp_path, environ={SECRET: "sesame"})
    made.git("config", "core.hooksPath", ".husky")
    made.hook("pre-commit", "exit 0", ".husky")
    made.base = made.commit("husky")
    return made


async def rewritten(house: GitHouse, script: str, name: str = "pre-commit") -> None:
    """Let an agent write the hook anew, and some work."""
    where = await house.workspace.open_worktree(place(house), house.base)
    house.program(Path(where, ".husky", name), script)
    house.write(where, "a.txt", b"a")


async def record(house: GitHouse) -> Recording | Refused:
    return await house.workspace.record(place(house), house.base, "Work on the export")


async def signalled(outside: Path) -> None:
    await anyio.to_thread.run_sync((outside / "signal").read_text)


def variables(file: Path) -> dict[str, str]:
    return dict(line.split("=", 1) for line in file.read_text().splitlines())


async def test_a_hook_sees_the_environment_of_an_attempt_and_what_git_adds(house: GitHouse, tmp_path: Path):
    await rewritten(house, f"env > {tmp_path}/seen")
    assert isinstance(await record(house), Recording)
    seen = variables(tmp_path / "seen")
    assert SECRET not in seen
    assert (seen[HOME], seen[SESSION].startswith(RECORD)) == (digest_of(house.state), True)
    assert {name: seen[name] for name in ("HOME", "GIT_AUTHOR_NAME")} == {
        "HOME": house.hands["HOME"],
        "GIT_AUTHOR_NAME": "Ada",
    }
    assert house.hands["PATH"] in seen["PATH"]  # behind git's own
    assert "GIT_INDEX_FILE" in seen


@pytest.mark.parametrize("name", ["pre-commit", "post-commit"])
async def test_what_a_hook_leaves_running_ends_with_the_commit(house: GitHouse, tmp_path: Path, name: str):
    await rewritten(house, f"setsid sleep 600 & echo $! > {tmp_path}/pid", name)
    assert isinstance(await record(house), Recording)
    assert ends(int((tmp_path / "pid").read_text()))
    assert marked(digest_of(house.state)) == []


async def test_a_hook_that_kills_its_own_shim_leaves_nothing_and_can_be_recorded_again(house: GitHouse, tmp_path: Path):
    shim = "$(sed -n 's/^PPid:\\s*//p' /proc/$PPID/status)"
    await rewritten(house, f"[ -e {tmp_path}/done ] && exit; : > {tmp_path}/done; kill -9 {shim}")
    assert isinstance(await record(house), Refused)  # it is the hook's doing, and the agent is told
    assert marked(digest_of(house.state)) == []
    assert isinstance(await record(house), Recording)


async def test_a_cancelled_recording_ends_its_hooks_and_is_made_again(house: GitHouse, tmp_path: Path):
    os.mkfifo(tmp_path / "signal")
    await rewritten(house, SLOW_ONCE.format(outside=tmp_path))
    await cancelled_when(partial(signalled, tmp_path), partial(record, house))
    assert marked(digest_of(house.state)) == []
    assert isinstance(await record(house), Recording)


async def test_a_killed_daemon_takes_its_hooks_along_and_the_next_one_records_once(house: GitHouse, tmp_path: Path):
    os.mkfifo(tmp_path / "signal")
    await rewritten(house, SLOW_ONCE.format(outside=tmp_path))
    with mortal_daemon(house) as daemon:
        await signalled(tmp_path)
        before = marked(digest_of(house.state))
        daemon.kill()
    assert len(before) == PROCESSES
    assert [found for found in before if not ends(found.pid)] == []
    sweep(house.state, InstanceId("next"))

    house.workspace = open_workspace(house.state, house.environ, InstanceId("next"))
    made = await record(house)

    assert isinstance(made, Recording)
    assert house.git("rev-list", f"{house.base}..{place(house).branch}").split() == [made.commit]
    assert {*house.content(made.commit)} == {*FIRST, ".husky/pre-commit", "a.txt"}
    assert (tmp_path / "runs").read_text() == "xx"


@contextmanager
def mortal_daemon(house: GitHouse) -> Iterator["subprocess.Popen[bytes]"]:
    """Have a daemon in a process of its own record; the caller kills it."""
    program = [sys.executable, "-m", "tests.kit.mortal_recorder", str(house.state), house.path, house.base]
    with subprocess.Popen(program, cwd=ROOT, env=house.environ) as daemon:
        yield daemon


class Ends:
    """A runner whose every command ends like this."""

    def __init__(self, ended: Ended) -> None:
        self._ended = ended

    async def run(self, task: CommandTask) -> Ended:
        return self._ended


def ending(house: GitHouse, how: Ending) -> GitWorkspace:
    ended = Ended(how, None, NOTHING, output_of(b"linting\n"), Micros(1), detail="It was lost.")
    return GitWorkspace(house.state, environ=house.environ, commands=Ends(ended))


async def test_hooks_that_do_not_end_in_time_refuse(house: GitHouse):
    house.workspace = ending(house, Ending.TIMED_OUT)
    await rewritten(house, "exit 0")
    assert await record(house) == Refused(f"The hooks did not end within {recording.HOOKS_S} s.\nlinting\n")


@pytest.mark.parametrize("how", [Ending.LOST, Ending.NOT_STARTED, Ending.INTERRUPTED])
async def test_a_commit_that_did_not_come_to_its_end_is_no_refusal(house: GitHouse, how: Ending):
    house.workspace = ending(house, how)
    await rewritten(house, "exit 0")
    with pytest.raises(UnavailableError, match="It was lost"):
        await record(house)
