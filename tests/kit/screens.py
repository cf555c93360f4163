"""Screens: the states that the TUI can be in, each reached by living, and what it shows and does in them.

    python -m tests.kit.screens

writes the pictures and the key table in `tests/harnctl/tui` anew; read what changed before it is committed.
"""

import os
import time
from collections.abc import Callable, Iterable
from pathlib import Path

from msgspec.structs import replace

from harnctl.tui import messages as m
from harnctl.tui.drawing import draw
from harnctl.tui.errands import Errand, Look
from harnctl.tui.keys import bindings
from harnctl.tui.model import Browsing, Link, Model, Size
from harnctl.tui.things import ApprovalThing, GoalThing, Page, PlanThing, Subject, Thing, WorkThing
from harnctl.tui.update import update
from protocol.ids import Digest, GoalId
from protocol.replies import Done
from protocol.values import SECOND, FailureClass, Instant, Phase, PlanStatus, Risk, Unit, WorkState
from protocol.views import BudgetRow, BudgetView, GoalList, InboxItem, InboxKind, InboxView, PlanView, WorkView
from tests.kit.scripted_daemon import golden

HERE = Path(__file__).parents[1] / "harnctl" / "tui"
NOW = Instant(1_790_003_600 * SECOND)  # an hour past what the golden messages tell of
BILLING = GoalId("billing-export")
SIZES = {"narrow": Size(40, 16), "usual": Size(80, 24), "wide": Size(132, 40)}
NEW = Digest("c0ffee" + "0" * 58)


# --- what a daemon would say


def item(kind: InboxKind, subject: str, *, goal: GoalId = BILLING, minutes: int = 5, summary: str = "") -> InboxItem:
    return InboxItem(
        goal=goal,
        kind=kind,
        subject=subject,
        summary=summary or f"{subject} waits",
        since=Instant(NOW - minutes * 60 * SECOND),
        digest=None,
        verb=f"harnctl why {goal}",
    )


PLAN = item(InboxKind.PLAN, "plan/1", minutes=90)
QUESTION = item(InboxKind.ATTENTION, "plan/2", goal=GoalId("search"), minutes=60)
FAILED = item(InboxKind.ATTENTION, "plan/3", goal=GoalId("docs"), minutes=45)
WORK = item(InboxKind.WORK, "p1.parser", minutes=30)
BLOCKED = item(InboxKind.BLOCKED, "p1.writer", minutes=20)
APPROVAL = replace(
    item(InboxKind.APPROVAL, "approval/1", minutes=25),
    risk=Risk.HIGH,
    expires_at=Instant(NOW + 3 * 3_600 * SECOND),
)
STUCK = item(InboxKind.BLOCKED, "p1.reader", minutes=15)  # nothing is wrong with the work
BUDGET = item(InboxKind.BUDGET, "budget/attempts", goal=GoalId("reports"), minutes=10)
PARKED = item(InboxKind.PARKED, "old", goal=GoalId("old"), minutes=3 * 24 * 60)
EVERY_KIND = (PARKED, PLAN, QUESTION, FAILED, WORK, APPROVAL, BLOCKED, STUCK, BUDGET)


def plan(**changes: object) -> PlanView:
    shown: PlanView = golden("plan.show", **changes)
    return shown


def work(**changes: object) -> WorkView:
    shown: WorkView = golden("work.show", **changes)
    return shown


def budget(goal: GoalId = BILLING, *, attempts: int = 20) -> BudgetView:
    def row(unit: Unit, limit: int, left: int) -> BudgetRow:
        return BudgetRow(unit=unit, limit=limit, spent=limit - left, reserved=0, left=left)

    hour = 3_600 * SECOND
    rows = (
        row(Unit.ATTEMPTS, attempts, attempts - 20),
        row(Unit.AGENT_CALLS, 100, 60),
        row(Unit.PLANNER_CALLS, 5, 3),
        row(Unit.TICKS, 5_000, 4_000),
        row(Unit.ACTIVE_RUNTIME_US, 24 * hour, 20 * hour),
    )
    return BudgetView(goal=goal, rows=rows, tokens=None, cost=None)


QUESTION_PLAN = plan(
    goal=GoalId("search"), plan=2, status=PlanStatus.ATTENTION, digest=None, decision=None, milestone=None, items=(),
    root=None, question="Which index should it use?", problems=(),
)  # fmt: skip
FAILED_PLAN = plan(
    goal=GoalId("docs"), plan=3, status=PlanStatus.FAILED, digest=None, decision=None, milestone=None, items=(),
    root=None, failure=FailureClass.SCHEMA, detail="no answer could be read", rationale="",
)  # fmt: skip
BLOCKED_WORK = work(state=WorkState.BLOCKED, proof_digest=None, reason="blocked by a failed proof", open_findings=())
STUCK_WORK = work(
    work="p1.reader", state=WorkState.BLOCKED, proof_digest=None, open_findings=(), resolvable=True,
    reason="p1.reader is blocked (quota): none is left; wait for the quota to come back, then resolve it",
)  # fmt: skip
PROVED_WORK = work(open_findings=())


def thing_of(subject: Subject, page: Page) -> Thing:
    """What a daemon would show of a subject."""
    match subject.kind:
        case InboxKind.PLAN:
            before = plan(plan=0, items=plan().items[:1]) if page is Page.DIFF else None
            return PlanThing(plan(), before)
        case InboxKind.ATTENTION:
            return PlanThing(QUESTION_PLAN if subject.goal == "search" else FAILED_PLAN)
        case InboxKind.APPROVAL:
            return ApprovalThing(golden("approval.show"))
        case InboxKind.WORK | InboxKind.BLOCKED:
            blocked = STUCK_WORK if subject.name == STUCK.subject else BLOCKED_WORK
            view = work() if subject.kind is InboxKind.WORK else blocked
            diff = golden("work.diff") if page is Page.DIFF else None
            log = golden("work.log") if page is Page.LOG else None
            return WorkThing(view, diff, log)
        case _:
            shown = golden("goal.show", goal=subject.goal)
            return GoalThing(shown, golden("why.show", target=subject.goal), budget(subject.goal))


# --- living


def tell(model: Model, *messages: m.Message) -> Model:
    """Take messages one after the other, and answer every look the way a daemon would."""
    for message in messages:
        model, errands = update(model, message)
        model = update(answered(model, errands), m.Shown()).model
    return model


def answered(model: Model, errands: Iterable[Errand]) -> Model:
    for errand in errands:
        if isinstance(errand, Look):
            looked = m.Looked(errand.subject, errand.page, thing_of(errand.subject, errand.page))
            model = tell(model, looked)
    return model


def press(model: Model, *keys: str) -> Model:
    return tell(model, *map(m.Pressed, keys))


def begun(size: Size = SIZES["usual"], *, unicode: bool = True) -> Model:
    return Model(now=NOW, size=size, unicode=unicode)


def listing(*items: InboxItem, size: Size = SIZES["usual"], unicode: bool = True) -> Model:
    """A TUI that has read this inbox."""
    start = tell(begun(size, unicode=unicode), m.Linked(Link.LIVE))
    return tell(start, m.Listed(InboxView(items), golden("goal.list")))


def on(one: InboxItem, *keys: str, size: Size = SIZES["usual"]) -> Model:
    """A TUI with every kind of item, of which one is chosen, after some keys."""
    model = press(listing(*EVERY_KIND, size=size), *["down"] * EVERY_KIND.index(one))
    opened = size.is_wide or not keys or keys[0] == "enter"
    return press(model, *keys) if opened else press(model, "enter", *keys)  # what is decided is on the screen


def writing(one: InboxItem, key: str, text: str, size: Size = SIZES["usual"]) -> Model:
    """A TUI after a person wrote something for a decision."""
    return tell(on(one, key, size=size), m.Written(text))


def extending(size: Size, *keys: str) -> Model:
    return press(tell(on(BUDGET, "x", size=size), m.Budgeted(budget(GoalId("reports")))), *keys)


def stale(size: Size) -> Model:
    confirming = on(PLAN, "a", size=size)
    assert confirming.chosen is not None
    return tell(confirming, m.Looked(confirming.chosen, Page.SUMMARY, PlanThing(plan(digest=NEW))))


def paused(size: Size, *keys: str) -> Model:
    """Somebody paused the goals of which one is chosen."""
    model = on(BLOCKED, "enter", size=size)
    rows = tuple(replace(row, phase=Phase.PAUSED) for row in model.goals.goals)
    return press(tell(model, m.Listed(InboxView(EVERY_KIND), GoalList(rows))), *keys)


def undecided(size: Size) -> Model:
    """A decision was sent and not answered yet."""
    return tell(press(on(PLAN, "a", size=size), "y"), m.Linked(Link.GONE))


def decided(size: Size) -> Model:
    model = press(on(PLAN, "a", size=size), "y")
    assert model.sending is not None
    done = Done(goal=BILLING, subject="plan/1", version=9, said=("Milestone 1 begins.",))
    rest = m.Listed(InboxView(EVERY_KIND[:1] + EVERY_KIND[2:]), golden("goal.list"))
    return tell(model, m.Decided(model.sending, done), rest)


STATES: dict[str, Callable[[Size], Model]] = {
    "connecting": begun,
    "empty": lambda size: listing(size=size),
    "plan": lambda size: on(PLAN, size=size),
    "plan-open": lambda size: on(PLAN, "enter", size=size),
    "plan-diff": lambda size: on(PLAN, "d", "enter", size=size),
    "plan-question": lambda size: on(QUESTION, "enter", size=size),
    "plan-failed": lambda size: on(FAILED, "enter", size=size),
    "approval": lambda size: on(APPROVAL, "enter", size=size),
    "giving": lambda size: on(APPROVAL, "a", size=size),
    "denying": lambda size: writing(APPROVAL, "r", "Not before the audit.", size),
    "work": lambda size: on(WORK, "enter", size=size),
    "work-diff": lambda size: on(WORK, "d", "enter", size=size),
    "work-log": lambda size: on(WORK, "d", "d", "enter", size=size),
    "blocked": lambda size: on(BLOCKED, "enter", size=size),
    "budget": lambda size: on(BUDGET, "enter", size=size),
    "budget-page": lambda size: on(BUDGET, "d", "enter", size=size),
    "parked": lambda size: on(PARKED, "enter", size=size),
    "approving": lambda size: on(PLAN, "a", size=size),
    "writing": lambda size: on(PLAN, "r", size=size),
    "rejecting": lambda size: writing(PLAN, "r", "Write the parser first.\n" * 6, size),
    "answering": lambda size: writing(QUESTION, "t", "The trigram one.", size),
    "retrying": lambda size: on(BLOCKED, "t", size=size),
    "resolving": lambda size: on(STUCK, "s", size=size),
    "editing": lambda size: writing(PLAN, "e", 'decision = "complete"\nrationale = "It is done already."\n', size),
    "pausing": lambda size: on(PLAN, "p", size=size),
    "paused": paused,
    "resuming": lambda size: paused(size, "p"),
    "disposing": lambda size: on(WORK, "a", size=size),
    "deferring": lambda size: on(WORK, "a", "l", *"no time", size=size),
    "accepting": lambda size: on(WORK, "a", "f", size=size),
    "reopening": lambda size: writing(WORK, "o", "no test for an empty ledger\nsetup.cfg is touched", size),
    "extending": lambda size: extending(size, *"12", "down"),
    "granting": lambda size: extending(size, *"12", "enter"),
    "filtering": lambda size: press(listing(*EVERY_KIND, size=size), "/", *"bill work"),
    "filtered-out": lambda size: press(listing(*EVERY_KIND, size=size), "/", *"zzz", "enter"),
    "helping": lambda size: on(PLAN, "?", size=size),
    "stale": stale,
    "sending": undecided,
    "decided": decided,
    "gone": lambda size: tell(on(PLAN, size=size), m.Linked(Link.GONE)),
}
KEYS = sorted({key for mode in STATES.values() for one in bindings(mode(SIZES["usual"]).mode) for key in one.keys})
OTHERS = ("1", "z", "ctrl-x", "f5")


def picture(model: Model) -> str:
    """What the screen shows, without its colours."""
    return "\n".join("".join(span.text for span in row).rstrip() for row in draw(model)) + "\n"


def pictures() -> dict[str, str]:
    """Every state at every size, under a file name."""
    found = {f"{state}-{name}": picture(make(size)) for state, make in STATES.items() for name, size in SIZES.items()}
    ascii_only = listing(*EVERY_KIND, unicode=False)
    return {**found, "too-small": picture(begun(Size(39, 12))), "plan-ascii": picture(press(ascii_only, "down"))}


def key_table() -> str:
    """What every key does in every state: the mode after it and what is owed, one line each, in words."""
    lines: list[str] = []
    for state, make in STATES.items():
        before = make(SIZES["usual"])
        lines.append(f"{state}:")
        for key in dict.fromkeys((*KEYS, *OTHERS)):
            after, errands = update(before, m.Pressed(key))
            if (told := _difference(before, after, errands)) != "nothing":
                lines.append(f"  {key!r:12} {told}")
    return "\n".join(lines) + "\n"


def _difference(before: Model, after: Model, errands: Iterable[Errand]) -> str:
    parts = [
        f"{name} {_short(getattr(after, name))}"
        for name in ("chosen", "page", "pane", "scroll", "filter", "mode", "sending", "said")
        if getattr(before, name) != getattr(after, name)
    ]
    return "; ".join([*parts, *(type(errand).__name__ for errand in errands)]) or "nothing"


def _short(value: object) -> str:
    if isinstance(value, Subject):
        return value.label
    if isinstance(value, Browsing):
        return "browsing"
    text = getattr(value, "label", None) or getattr(value, "text", None)
    decision = getattr(value, "decision", None)
    if decision is not None:
        return f"{type(value).__name__.lower()} ({decision.label})"
    if text or isinstance(value, str | int):
        return str(text or value)
    return "none" if value is None else str(getattr(value, "value", type(value).__name__.lower()))


def at_greenwich() -> None:
    """Tell times of the day as in the pictures."""
    os.environ["TZ"] = "UTC"
    time.tzset()


def main() -> None:
    at_greenwich()
    screens = HERE / "screens"
    screens.mkdir(exist_ok=True)
    for old in screens.glob("*.txt"):
        old.unlink()
    for name, text in pictures().items():
        (screens / f"{name}.txt").write_text(text, encoding="utf-8")
    (HERE / "keys.txt").write_text(key_table(), encoding="utf-8")


if __name__ == "__main__":
    main()
