"""A second daemon as a program: takes the lock, says so, and holds it until its input ends."""

import sys
from pathlib import Path

from harnd.adapters.store import Identity, hold_lock
from protocol.ids import InstanceId

if __name__ == "__main__":
    with hold_lock(Path(sys.argv[1]), Identity.of_this_process(InstanceId("second"), "9.9")):
        sys.stdout.write("held\n")
        sys.stdout.flush()
        sys.stdin.read()
