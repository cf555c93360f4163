"""Case E11 with a whole process: a follower that was stopped costs the daemon nothing, and misses nothing."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import anyio
from anyio import to_thread

from tests.daemon.speaking import event, office

ROOT = Path(__file__).parents[2]
COUNT = 10_000
BATCH = 500


@contextmanager
def follower_of(path: Path) -> "Generator[subprocess.Popen[str]]":
    command = (sys.executable, "-m", "harnctl", "--json", "--socket", str(path), "events", "--follow")
    environ = {"PATH": os.environ["PATH"], "HOME": str(path.parent)}
    with subprocess.Popen(command, cwd=ROOT, env=environ, stdout=subprocess.PIPE, text=True) as follower:
        try:
            yield follower
        finally:
            follower.kill()


async def test_e11_a_follower_that_is_stopped_is_dropped_and_goes_on_without_a_gap(tmp_path):
    async with office(tmp_path) as here:
        other = await here.client()
        with follower_of(here.path) as follower:
            here.commit(event(1))
            seen = [await _next(follower)]
            follower.send_signal(signal.SIGSTOP)
            for first in range(2, COUNT, BATCH):
                here.commit(*(event(seq) for seq in range(first, first + BATCH)))
                assert "result" in await other.ask("goal.list")  # nobody else is held up
                assert here.desk.given < 2_000  # all that is ever fetched for the one that is stopped
            follower.send_signal(signal.SIGCONT)
            last = len(here.desk.events)
            while seen[-1] < last:
                seen.append(await _next(follower))
    assert seen == list(range(1, last + 1))


async def _next(follower: "subprocess.Popen[str]") -> int:
    assert follower.stdout is not None
    with anyio.fail_after(30):
        line = await to_thread.run_sync(follower.stdout.readline)
    return int(json.loads(line)["seq"])
