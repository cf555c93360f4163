"""The performance: a goal created, followed by its events and decided about, until it ends or can go no further."""

from harnctl.client import Client, new_key
from harnctl.commands.files import gather
from harnctl.demo.chaos import Chaos
from harnctl.demo.daemon import Daemon
from harnctl.demo.decisions import Operator
from harnctl.demo.place import GOAL, Place
from harnctl.demo.story import Narrator, Tally
from harnctl.failures import Failure
from harnctl.render.story import told
from protocol.ids import WorkId
from protocol.requests import CreateGoal, ShowGoal, ShowWorkLog
from protocol.values import Phase
from protocol.views import EventView

STUCK = (Phase.BLOCKED, Phase.BUDGET_EXHAUSTED)
ASKS = ("plan.attention/1", "plan.failed/1", "integration.parked/1")  # which no script of ours leads to
SAID = ("goal.created/1", "work.created/1", "work.accepted/1")  # by whoever did it, or with the plan


def enrol(place: Place, daemon: Daemon) -> tuple[str, ...]:
    """Create the demo's goal, and return what is said of it."""
    gathered = gather(place.goal_file)
    request = CreateGoal(key=new_key(), files=gathered.files, main=gathered.main, directory=gathered.directory)
    return daemon.ask(request).said


class Performance:
    """One run of the demo's goal."""

    def __init__(
        self, place: Place, daemon: Daemon, *, narrator: Narrator, operator: Operator, chaos: Chaos | None
    ) -> None:
        """Take everything that is needed; nothing happens yet."""
        self._place = place
        self._daemon = daemon
        self._narrator = narrator
        self._operator = operator
        self._chaos = chaos
        self.tally = Tally()

    def run(self) -> None:
        """Play it to the end; raises `Declined` when the person says no, and `Failure` when it is stuck."""
        for sentence in enrol(self._place, self._daemon):
            self._narrator.tell(sentence)
        with Client(self._place.socket).events(goal=GOAL) as events:
            for event in events:
                self.tally.count(event)
                if self._chaos is not None:
                    self._chaos.saw(event)
                self._tell(event)
                self._act(event)
                if event.tag == "plan.completed/1":
                    return

    def _tell(self, event: EventView) -> None:
        text = None if event.tag in SAID else told(event)
        if text is None:
            return
        if event.tag == "plan.proposed/1":
            self._narrator.chapter(text)
        else:
            self._narrator.tell(text)

    def _act(self, event: EventView) -> None:
        match event.tag:
            case "plan.proposed/1":
                self._operator.decide_plan(GOAL, event.body["plan"])
            case "attempt.ended/1" if event.body["outcome"] == "succeeded":
                self._operator.decide_work(GOAL, WorkId(event.body["work"]))
            case "attempt.ended/1":
                self._explain(event)
            case tag if tag in ASKS:
                self._check()
            case _:
                pass

    def _explain(self, event: EventView) -> None:
        """Show what a failed proof printed, as the next attempt will be shown it; or stop when there is no next."""
        if event.body["failure"] == "proof":
            log = self._daemon.ask(ShowWorkLog(GOAL, WorkId(event.body["work"]), event.body["attempt"]))
            printed = [line for part in log.parts for line in (part.head + part.tail).splitlines()]
            complaint = next((line for line in printed if line.startswith("AssertionError")), "")
            self._narrator.tell(f"what it printed is told to the next attempt: {complaint}")
        self._check()

    def _check(self) -> None:
        goal = self._daemon.ask(ShowGoal(GOAL))
        asks = any(item.kind not in {"plan", "work"} for item in goal.attention)
        if asks or goal.phase in STUCK:
            raise Failure("demo.failed", f"{GOAL} is {goal.phase}: {goal.reason}")
