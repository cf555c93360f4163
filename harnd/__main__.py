"""`harnd`: the daemon, in the foreground.

Exit codes: 0 stopped as asked · 1 a bug · 75 another daemon holds the state directory, or the store does not answer ·
78 it cannot start as it was asked to.
"""

import json
import os
import signal
import sys
import uuid
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import cast

import anyio

from harnd.daemon import cgroup, logs
from harnd.daemon.activation import ActivationRefused, address, passed_listeners
from harnd.daemon.arguments import Asked, read_arguments
from harnd.daemon.compose import hold_state, now
from harnd.daemon.configuration import Configuration, prospect
from harnd.daemon.lifecycle import Launch, live
from harnd.daemon.notify import ServiceManager
from harnd.daemon.orders import SIGNALS, Order, Terminal, order_of
from harnd.daemon.settings import ConfigError
from harnd.daemon.sink import open_standard_streams
from harnd.daemon.socket_path import SocketRefused
from harnd.ports.errors import AlreadyRunningError, CorruptError, PortError, StartRefusedError
from protocol.decoding import write
from protocol.ids import InstanceId


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the daemon until it is told to stop; return the exit code."""
    terminal = Terminal()
    for number in SIGNALS:
        signal.signal(number, lambda number, _frame: _early(signal.Signals(number), terminal))
    open_standard_streams()
    logs.configure(os.environ)
    manager = ServiceManager.taken_from(os.environ, pid=os.getpid())
    try:
        passed = passed_listeners(os.environ, pid=os.getpid())
        where = address(passed[0]) if passed else None
        asked = read_arguments(sys.argv[1:] if arguments is None else arguments, os.environ, passed=where)
        if asked.check:
            return _check(asked)
        configuration = Configuration(asked, now)
        logs.write_from(configuration.settings.log_level)
        if (unheard := configuration.settings.unheard) is not None:
            logs.log.warning("socket.unheard", said=str(unheard.value), by=unheard.place, serves=str(where))
        if cgroup.is_unit(os.environ, pid=os.getpid(), notifies=manager.listens):
            _move()
        instance = InstanceId(uuid.uuid4().hex)
        with hold_state(configuration.settings, instance, version("harnd")):
            anyio.run(live, Launch(configuration, instance, manager, terminal, passed))
    except Exception as error:
        cause = _alone(error)
        code = _code(cause)
        if code is None:
            raise
        logs.say("\n".join(f"harnd: {line}" for line in str(cause).splitlines()))
        manager.status(str(cause))
        return code
    return 0


def _early(number: signal.Signals, terminal: Terminal) -> None:
    # Until the lifecycle listens to signals itself: nothing is begun by then that an exit would leave half done.
    if order_of(number, terminal) is not Order.RELOAD:
        sys.exit(0)


def _move() -> None:
    """Move into a leaf of our unit's control group; where that does not work, stay and say so."""
    proc = Path("/proc/self")
    try:
        found = cgroup.leaf((proc / "cgroup").read_text("utf-8"), (proc / "mountinfo").read_text("utf-8"))
        if found is not None:
            cgroup.move_into(found, pid=os.getpid())
            logs.log.info("cgroup.moved", to=str(found))
    except (OSError, UnicodeError) as error:
        logs.log.warning("cgroup.stayed", reason=str(error))


def _check(asked: Asked) -> int:
    found = prospect(asked)
    print(json.dumps(write(found)))  # noqa: T201 - this is the answer
    return 78 if found.problems else 0


def _alone(error: Exception) -> Exception:
    """Return what a task ended with, out of the groups of the tasks around it."""
    group: list[Exception] = list(cast("ExceptionGroup[Exception]", error).exceptions) if _is_group(error) else []
    return _alone(group[0]) if len(group) == 1 else error


def _is_group(error: Exception) -> bool:
    return isinstance(error, ExceptionGroup)


def _code(cause: Exception) -> int | None:
    match cause:
        case AlreadyRunningError():  # before its family: another try may find the directory free
            return 75
        case ActivationRefused() | ConfigError() | SocketRefused() | StartRefusedError() | CorruptError():
            return 78
        case PortError():
            return 75
        case _:
            return None


if __name__ == "__main__":
    sys.exit(main())
