"""The stage: everything that one demo needs, set up, played on and cleared, with the daemon stopped whatever happens.

What came of it is the last line, one JSON object.  What happened is kept on disk and is never removed here.
"""

import json
import signal
from collections.abc import Generator
from contextlib import contextmanager, suppress
from types import FrameType

import msgspec

from harnctl.client import ClientError
from harnctl.console import Console
from harnctl.demo.chaos import Chaos
from harnctl.demo.daemon import Daemon
from harnctl.demo.decisions import Declined, Operator
from harnctl.demo.outcome import Outcome, processes_left, tree_of, worktrees_left
from harnctl.demo.performance import Performance
from harnctl.demo.place import GOAL, make_place
from harnctl.demo.story import Narrator
from harnctl.demo.summary import ending, left_off, opening
from harnctl.demo.watched import Watched
from harnctl.failures import INTERRUPTED
from harnctl.render.blocks import Verbatim
from protocol.errors import Exit
from protocol.requests import ShowGoal
from protocol.values import Phase


class Stage:
    """One demo, from an empty directory to its last line."""

    def __init__(self, console: Console, *, seed: int | None, yes: bool, tui: bool) -> None:
        """Set everything up; nothing is started yet."""
        self._console = console
        self._narrator = Narrator(console)
        self._place = make_place(console.environ)
        self._daemon = Daemon(self._place)
        self._operator = Operator(console, self._narrator, self._daemon, yes=yes)
        self._seed = seed
        tell = _say_nothing if tui else self._narrator.tell  # the screen is the TUI's while that is shown
        self._chaos = Chaos(seed, self._daemon, tell) if seed is not None else None
        self._performance: Performance | Watched = (
            Watched(self._place, self._daemon, console, chaos=self._chaos)
            if tui
            else Performance(
                self._place, self._daemon, narrator=self._narrator, operator=self._operator, chaos=self._chaos
            )
        )
        self._again: tuple[str, ...] = ("why", GOAL)  # the first thing to type, when it did not go to the end

    def perform(self) -> int:
        """Play to an end, stop the daemon, say what came of it, and return what to exit with."""
        self._narrator.show(*opening(self._place, seed=self._seed, alone=self._operator.alone))
        phase = None
        with _signals_as_interrupts():
            try:
                code = self._played()
                phase = self._phase()
            finally:
                self._clear()
        outcome = self._outcome(phase)
        if code == Exit.DONE:
            self._narrator.show(*ending(self._place, outcome, self._performance.tally))
        else:
            self._narrator.show(*left_off(self._place, self._again, items=self._performance.tally.items))
        self._say_last(outcome)
        return Exit.FAILURE if code == Exit.DONE and not outcome.is_good else code

    def _played(self) -> int:
        """Play, and return what to exit with as far as that is known."""
        try:
            self._narrator.tell("harnd starts, with a state directory and a socket of its own")
            self._daemon.start()
            self._performance.run()
        except Declined as declined:
            self._again = declined.again
            return Exit.NEEDS_PERSON
        except ClientError as error:
            return self._console.fail(error)
        except KeyboardInterrupt:
            self._narrator.tell("interrupted")
            return INTERRUPTED
        return Exit.DONE

    def _phase(self) -> Phase | None:
        if self._chaos is not None:
            self._chaos.end()
        with suppress(ClientError):
            return self._daemon.ask(ShowGoal(GOAL)).phase
        return None

    def _clear(self) -> None:
        """End what was started, and only then say so: whoever listened may be gone."""
        try:
            if self._chaos is not None:
                self._chaos.end()
        finally:
            self._daemon.stop()
        self._narrator.tell("harnd was asked to end, by TERM, and has ended")

    def _outcome(self, phase: Phase | None) -> Outcome:
        tally = self._performance.tally
        return Outcome(
            phase=phase,
            tree=tree_of(self._place),
            milestones=tally.milestones,
            attempts=tally.attempts,
            events=tally.events,
            kills=self._chaos.kills if self._chaos is not None else 0,
            processes_left=processes_left(self._place),
            worktrees_left=worktrees_left(self._place),
            seconds=round(self._narrator.seconds, 1),
            seed=self._seed,
            directory=str(self._place.root),
        )

    def _say_last(self, outcome: Outcome) -> None:
        line = json.dumps(msgspec.to_builtins(outcome))
        self._console.show("demo", outcome, [Verbatim(line)])


def _say_nothing(_text: str) -> None:
    """Keep what would be said to oneself."""


@contextmanager
def _signals_as_interrupts() -> Generator[None]:
    """Have TERM and HUP do what Ctrl-C does, so that a demo that is ended ends its daemon."""

    def interrupt(_number: int, _frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    before = {number: signal.signal(number, interrupt) for number in (signal.SIGTERM, signal.SIGHUP)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
