"""Reloads: the configuration of a running daemon read again, one time after the other, and in nobody's way.

The file is read beside the loop and taken on it, so no reader of the configuration sees half of one.  Signals are heard
meanwhile, also when the file system hangs.  However often it is asked for while one runs, one more follows: it reads
what the last of them meant.
"""

import anyio

from harnd.daemon import logs
from harnd.daemon.configuration import Configuration
from harnd.daemon.detached import detached
from harnd.daemon.logs import log
from harnd.daemon.notify import ServiceManager
from harnd.daemon.status_line import StatusLine


class Reloads:
    """Those of one daemon."""

    def __init__(self, configuration: Configuration, manager: ServiceManager, line: StatusLine) -> None:
        """Begin with none asked for; the manager hears of each, and afterwards how the daemon stands."""
        self._configuration = configuration
        self._manager = manager
        self._line = line
        self._asked = anyio.Event()
        self._reads = False
        self._scope = anyio.CancelScope()

    def __repr__(self) -> str:
        return f"<Reloads {'reading' if self._reads else 'waiting'} ended={self._scope.cancel_called}>"

    def ask(self) -> None:
        """Ask for one; a daemon that drains makes none any more."""
        if self._scope.cancel_called:
            _log_refusal()
        else:
            self._asked.set()

    def end(self) -> None:
        """Make none any more, and take nothing of the one that runs."""
        if self._asked.is_set() or self._reads:
            _log_refusal()
        self._scope.cancel()

    async def run(self) -> None:
        """Reload as often as it is asked for, until the end."""
        with self._scope:
            while True:
                await self._asked.wait()
                self._asked = anyio.Event()  # before reading: whoever asks meanwhile means a later file
                await self._reload()

    async def _reload(self) -> None:
        configuration = self._configuration
        self._manager.reloading("reading the configuration again")
        self._reads = True
        found = await detached(configuration.read)
        self._reads = False
        configuration.take(found)
        for problem in configuration.problems:
            log.error("config.problem", said=str(problem))
        if configuration.problems:
            log.error("config.kept", problems=len(configuration.problems))
        else:
            logs.write_from(configuration.settings.log_level)
            log.info("config.reloaded", waiting_for_a_restart=",".join(configuration.waiting))
        if self._manager.listens:
            self._manager.ready(await self._line.text())


def _log_refusal() -> None:
    log.info("config.not_reloaded", reason="the daemon is draining")
