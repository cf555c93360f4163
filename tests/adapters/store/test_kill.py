"""SIGKILL: what was acknowledged is there, what was not is there whole or not at all."""

import signal
import subprocess
import sys
from pathlib import Path

from harnd.adapters.store import SqliteStore
from harnd.adapters.store.chain import verify
from harnd.adapters.store.threaded import threaded_runner
from tests.kit.stores import BILLING, SetClock

ROOT = Path(__file__).parents[3]


def killed_while_appending(path: Path, *, after: int) -> int:
    """Kill an appender in mid-run and return the last version it had acknowledged."""
    command = [sys.executable, "-m", "tests.kit.appender", str(path)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as appender:
        assert appender.stdout is not None
        for _ in range(after):
            appender.stdout.readline()
        appender.send_signal(signal.SIGKILL)
        told = appender.stdout.read().split()
    return int(told[-1]) if told else after * 3


async def test_a_kill_in_the_middle_of_appends_loses_no_acknowledged_event(tmp_path):
    path = tmp_path / "harnd.db"
    acknowledged = 0
    for after in (1, 7, 40):
        acknowledged = max(acknowledged, killed_while_appending(path, after=after))

        async with threaded_runner(path) as runner:
            versions = [event.version for event in await SqliteStore(runner, SetClock()).read(BILLING)]
            goals = await SqliteStore(runner, SetClock()).goals()
            broken = await runner.run(verify)

        assert len(versions) >= acknowledged
        assert versions == list(range(1, len(versions) + 1))
        assert len(versions) % 3 == 0  # appends of three are whole
        assert ([row.version for row in goals], broken) == ([len(versions)], None)
