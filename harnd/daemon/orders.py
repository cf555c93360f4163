"""Orders: what a signal asks of the daemon.

HUP asks for the configuration to be read again, unless it means that the terminal is gone: whoever started harnd in a
terminal and closes it does not want a daemon that goes on unseen.  Which of the two it means is told by the terminal,
which the kernel takes away from a process before it sends the signal.
"""

import os
import signal
from enum import Enum
from typing import Final

SIGNALS: Final = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


class Order(Enum):
    """What is asked for."""

    RELOAD = "reload"
    DRAIN = "drain"  # for the second time: stop now
    STOP_NOW = "stop_now"


class Terminal:
    """The terminal that this process was started from, if it was."""

    def __init__(self) -> None:
        """Look for it; under `nohup` nobody wants to know what becomes of it."""
        self._had = signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN and _is_there()

    def __repr__(self) -> str:
        return f"<Terminal {'gone' if self.is_gone else 'there' if self._had else 'none'}>"

    @property
    def is_gone(self) -> bool:
        """Tell whether there was one and is none any more."""
        return self._had and not _is_there()


def order_of(received: signal.Signals, terminal: Terminal) -> Order:
    """Read one signal."""
    match received:
        case signal.SIGINT:
            return Order.STOP_NOW
        case signal.SIGHUP if not terminal.is_gone:
            return Order.RELOAD
        case _:
            return Order.DRAIN


def _is_there() -> bool:
    try:
        os.close(os.open("/dev/tty", os.O_RDWR | os.O_NOCTTY | os.O_CLOEXEC | os.O_NONBLOCK))
    except OSError:
        return False
    return True
