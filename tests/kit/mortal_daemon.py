"""A daemon with one session and no way to say goodbye: `mortal_daemon STATE TASK`."""

import sys
from pathlib import Path

import anyio
import msgspec

from harnd.adapters.harness.sessions import HarnessSessions
from harnd.adapters.process.kernel import become_subreaper
from harnd.adapters.process.spawner import Spawner
from harnd.ports.sessions import SessionTask
from protocol.ids import InstanceId


def main() -> None:
    become_subreaper()
    spawner = Spawner(Path(sys.argv[1]), InstanceId("mortal"))
    anyio.run(HarnessSessions(spawner).run, msgspec.json.decode(sys.argv[2], type=SessionTask))


if __name__ == "__main__":
    main()
