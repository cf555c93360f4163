"""A demo watched: the person decides in the TUI, and leaves it when they have seen enough."""

import threading
from contextlib import suppress

import anyio

from harnctl.client import Client, ClientError
from harnctl.console import Console
from harnctl.demo.chaos import Chaos
from harnctl.demo.daemon import START_S, Daemon
from harnctl.demo.decisions import Declined
from harnctl.demo.performance import enrol
from harnctl.demo.place import GOAL, Place
from harnctl.demo.story import Tally
from protocol.bounds import EVENTS_PER_PAGE
from protocol.errors import Exit
from protocol.requests import ListEvents, ShowGoal
from protocol.values import Phase

WELCOME = "A demo.  What waits for you appears by itself: read it, press a, then y.  ? explains every key, q leaves."


class Watched:
    """One run of the demo's goal, in the TUI."""

    def __init__(self, place: Place, daemon: Daemon, console: Console, *, chaos: Chaos | None) -> None:
        """Take everything that is needed; nothing happens yet."""
        self._place = place
        self._daemon = daemon
        self._console = console
        self._chaos = chaos
        self.tally = Tally()

    def run(self) -> None:
        """Show it until the person leaves; raises `Declined` when they leave before its end."""
        enrol(self._place, self._daemon)
        if self._chaos is not None:
            threading.Thread(target=self._watch, args=(self._chaos,), daemon=True).start()
        code = self._shown()
        if self._chaos is not None:
            self._chaos.end()
        self._count()
        if code not in {Exit.DONE, Exit.FAILURE}:
            raise KeyboardInterrupt
        if self._daemon.ask(ShowGoal(GOAL)).phase is not Phase.SUCCEEDED:
            raise Declined("the TUI was left before the end", ("why", GOAL))

    def _shown(self) -> int:
        from harnctl.tui.app import Tui  # noqa: PLC0415 - prompt_toolkit is loaded for nobody else

        return anyio.run(Tui(self._place.socket, self._console, welcome=WELCOME, patience_s=START_S).run)

    def _watch(self, chaos: Chaos) -> None:
        """Have the daemon killed while it is looked at."""
        with suppress(ClientError):  # at the end nobody answers
            for event in Client(self._place.socket).events(0, goal=GOAL):
                chaos.saw(event)

    def _count(self) -> None:
        after, more = 0, True
        while more:
            page = self._daemon.ask(ListEvents(after=after, limit=EVENTS_PER_PAGE.ceiling, goal=GOAL))
            for event in page.events:
                self.tally.count(event)
            after, more = page.next_after, page.next_after != after
