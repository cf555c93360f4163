"""Whatever is pressed and whatever happens meanwhile, in any order: what always holds of the TUI."""

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from msgspec.structs import replace

from harnctl.render.cells import width
from harnctl.tui import messages as m
from harnctl.tui.drawing import draw
from harnctl.tui.entry import FILTER_CHARS
from harnctl.tui.errands import Errand, Look, Quit, ReadBudget, ReadInbox, Send, Write
from harnctl.tui.keys import is_on_screen
from harnctl.tui.model import Browsing, Confirming, Disposing, Extending, Link, Model, Size, Writing, matching
from harnctl.tui.things import GoalThing, PlanThing, Subject, Thing, WorkThing
from harnctl.tui.update import update
from protocol.ids import Digest
from protocol.replies import Done
from protocol.requests import AcceptWork, ApprovePlan, RejectPlan
from protocol.values import SECOND, Instant
from protocol.views import InboxItem, InboxKind, InboxView
from tests.kit import screens
from tests.kit.screens import EVERY_KIND, KEYS, OTHERS, WORK, begun, thing_of
from tests.kit.scripted_daemon import golden

KNOWN = (  # what people press one after the other; everything else comes in between
    *(["a"], ["a", "y"], ["a", "f"], ["a", "f", "y"], ["a", "l", "n", "o", "enter", "y"], ["r"], ["o"], ["y"]),
    *(["t"], ["t", "y"], ["t", "e"], ["x"], ["5", "enter"], ["5", "enter", "y"], ["e"], ["escape"], ["d"], ["enter"]),
    *(["enter", key, "y"] for key in "at"),
    *(["down"], ["down", "down"], ["up"], ["G"], ["/", "s", "enter"], ["/", "backspace", "enter"], ["left"]),
)
USUAL = st.sampled_from((Size(80, 24), Size(120, 40), Size(60, 20), Size(79, 12)))
ANY = st.builds(Size, st.sampled_from((1, 39, 40, 79, 80, 120)), st.sampled_from((1, 9, 10, 24, 50)))
AWAY, WHY = "", "it cannot be read"


pytestmark = pytest.mark.timeout(180)  # one that fails is made small first


class World:
    """A daemon as far as the TUI can tell: what waits, and how often each of it has changed."""

    def __init__(self) -> None:
        self.items: list[InboxItem] = list(EVERY_KIND)
        self._changed: dict[tuple[str, str], int] = {}

    def change(self, one: InboxItem) -> None:
        key = (one.goal, one.subject)
        self._changed[key] = self._changed.get(key, 0) + 1

    def thing(self, look: Look) -> Thing:
        found, changed = thing_of(look.subject, look.page), self._changed.get((look.subject.goal, look.subject.name), 0)
        digest = Digest(f"{changed:064x}")
        match found:
            case PlanThing(view=plan, before=before) if changed:
                return PlanThing(replace(plan, digest=digest), before)
            case WorkThing(view=work) if changed and work.proof_digest is not None:
                return replace(found, view=replace(work, proof_digest=digest))
            case GoalThing() if changed:
                return replace(found, budget=screens.budget(look.subject.goal, attempts=20 + changed))
            case _:
                return found


class Living(RuleBasedStateMachine):
    """A person, a daemon and an editor, each of whom takes their time."""

    def __init__(self) -> None:
        super().__init__()
        self.world = World()
        self.model: Model = begun()
        self.owed: list[Errand] = []  # errands that wait for their answer

    def tell(self, message: m.Message) -> None:
        before = self.model
        self.model, errands = update(before, message)
        if isinstance(before.mode, Browsing) and isinstance(self.model.mode, Writing | Confirming | Disposing):
            assert before.thing is not None
            assert is_on_screen(before), "nobody saw what it is about"
        for errand in errands:
            if isinstance(errand, Send):
                self.is_meant(before, message, errand)
            if not isinstance(errand, Quit):
                self.owed.append(errand)

    @staticmethod
    def is_meant(before: Model, message: m.Message, errand: Send) -> None:
        assert message == m.Pressed("y")
        assert isinstance(before.mode, Confirming)
        assert errand.decision == before.mode.decision
        assert before.sending is None
        assert before.mode.seen, "it was typed before the question was on the screen"
        assert before.size.is_enough
        thing, request = before.thing, errand.decision.request
        assert thing is not None, "nothing is drawn"
        assert errand.decision.subject == before.chosen
        assert thing.stamp == before.mode.about.thing.stamp
        if isinstance(request, ApprovePlan | RejectPlan | AcceptWork):
            assert request.digest == thing.digest

    def take(self, kind: type[Errand]) -> Errand:
        at = next(at for at, errand in enumerate(self.owed) if isinstance(errand, kind))
        return self.owed.pop(at)

    def owes(self, kind: type[Errand]) -> int:
        return sum(isinstance(errand, kind) for errand in self.owed)

    # --- the person

    @initialize(size=USUAL, down=st.integers(0, len(EVERY_KIND)))
    def comes(self, size: Size, down: int) -> None:
        self.tell(m.Resized(size))
        self.tell(m.Linked(Link.LIVE))
        self.catches_up()
        self.presses(["down"] * down)
        self.catches_up()

    @rule(keys=st.lists(st.sampled_from((*KEYS, *OTHERS)), min_size=1, max_size=3))
    def fumbles(self, keys: list[str]) -> None:
        self.presses(keys)

    @rule(keys=st.sampled_from(KNOWN))
    def presses_as_usual(self, keys: list[str]) -> None:
        self.catches_up()
        for key in keys:
            self.tell(m.Shown())
            self.tell(m.Pressed(key))
        self.tell(m.Shown())

    @rule(keys=st.sampled_from(KNOWN))
    def presses(self, keys: list[str]) -> None:
        for key in keys:
            self.tell(m.Pressed(key))

    @rule(text=st.text(max_size=150) | st.sampled_from(("ay\ny\n", "docs", "90m")))
    def pastes(self, text: str) -> None:
        self.tell(m.Pasted(text))

    @rule(size=USUAL | ANY)
    def resizes(self, size: Size) -> None:
        self.tell(m.Resized(size))

    @rule(seconds=st.sampled_from((1, 29, 31, 3_600)))
    def waits(self, seconds: int) -> None:
        self.tell(m.Ticked(Instant(self.model.now + seconds * SECOND)))

    @precondition(lambda self: self.owes(Write))
    @rule(text=st.sampled_from(("", "Start smaller.", "no test\n\nno docs")))
    def closes_the_editor(self, text: str) -> None:
        self.take(Write)
        self.tell(m.Written(text) if text else m.NotWritten("nothing was written"))

    # --- the daemon

    @rule()
    def catches_up(self) -> None:
        """Every read is answered, and those that follow from it."""
        while self.owes(ReadInbox) or self.owes(Look):
            self.lists(None) if self.owes(ReadInbox) else self.shows(None)

    @rule(at=st.integers(0, 9), to=st.integers(0, 9), one=st.sampled_from(EVERY_KIND))
    def goes_on(self, at: int, to: int, one: InboxItem) -> None:
        """Something happens: a thing changes, leaves, or comes back at another place."""
        if one in self.world.items and at % 2:
            self.world.items.remove(one)
        elif one not in self.world.items:
            self.world.items.insert(to, one)
        self.world.change(one)
        self.happened(one)

    @rule(one=st.sampled_from(EVERY_KIND))
    def changes(self, one: InboxItem) -> None:
        self.world.change(one)
        self.happened(one)

    @rule(kind=st.sampled_from((InboxKind.WORK, InboxKind.BLOCKED)))
    def asks_for_something_else(self, kind: InboxKind) -> None:
        """A thing waits for another kind of answer than before."""
        self.world.items = [replace(one, kind=kind) if one.subject == WORK.subject else one for one in self.world.items]
        self.happened(WORK)

    def happened(self, one: InboxItem) -> None:
        if self.model.link is Link.LIVE:
            self.tell(m.Happened(one.goal))

    @rule(link=st.sampled_from((Link.LIVE, Link.GONE)))
    def comes_or_goes(self, link: Link) -> None:
        self.tell(m.Linked(link))

    @precondition(lambda self: self.owes(ReadInbox))
    @rule(why=st.sampled_from((None, None, None, AWAY, WHY)))
    def lists(self, why: str | None) -> None:
        self.take(ReadInbox)
        listed = m.Listed(InboxView(tuple(self.world.items)), golden("goal.list"))
        self.tell(listed if why is None else m.NotListed(why))

    @precondition(lambda self: self.owes(Look))
    @rule(why=st.sampled_from((None, None, None, AWAY, WHY)))
    def shows(self, why: str | None) -> None:
        look = self.take(Look)
        assert isinstance(look, Look)
        looked = m.Looked(look.subject, look.page, self.world.thing(look))
        self.tell(looked if why is None else m.NotLooked(look.subject, why))

    @precondition(lambda self: self.owes(ReadBudget))
    @rule(there=st.booleans())
    def tells_a_budget(self, there: bool) -> None:
        asked = self.take(ReadBudget)
        assert isinstance(asked, ReadBudget)
        answer = m.Budgeted(screens.budget(asked.goal))
        self.tell(answer if there else m.Refused(None, "internal", "it went wrong"))

    @precondition(lambda self: self.owes(Send))
    @rule(code=st.sampled_from((None, None, "plan.stale", "work.findings_open")))
    def answers(self, code: str | None) -> None:
        sent = self.take(Send)
        assert isinstance(sent, Send)
        about = sent.decision.subject
        if code is None:
            self.world.items = [one for one in self.world.items if Subject.of(one) != about]
            self.tell(m.Decided(sent.decision, Done(goal=about.goal, subject=about.name, version=9, said=())))
        else:
            self.tell(m.Refused(sent.decision, code, "no"))

    # --- what holds

    @invariant()
    def at_most_one_of_each_is_under_way(self) -> None:
        assert self.owes(ReadInbox) == self.model.reading
        assert self.owes(Look) == self.model.looking
        assert self.owes(Send) == (self.model.sending is not None)
        assert self.owes(Write) <= 1

    @invariant()
    def the_screen_is_filled_exactly(self) -> None:
        size = self.model.size
        assert [sum(width(span.text) for span in row) for row in draw(self.model)] == [size.columns] * size.rows

    @invariant()
    def everything_is_within_its_bounds(self) -> None:
        model = self.model
        assert model.visible == matching(model.inbox or (), model.filter)
        assert len(model.filter) <= FILTER_CHARS
        assert model.at >= 0
        assert model.scroll >= 0
        assert not (model.chosen is None and model.visible)
        names = [Subject.of(item) for item in model.visible]
        assert model.chosen not in names or names[model.at] == model.chosen
        if isinstance(model.mode, Extending):
            assert 0 <= model.mode.at < 4

    @invariant()
    def what_is_being_decided_is_what_is_drawn(self) -> None:
        mode = self.model.mode
        if isinstance(mode, Confirming):
            assert self.model.thing is not None
            assert mode.about.thing.stamp == self.model.thing.stamp
            assert mode.decision.subject == self.model.chosen

    def teardown(self) -> None:
        """Once everything is answered, the screen shows what there is."""
        self.tell(m.Linked(Link.GONE))
        self.tell(m.Linked(Link.LIVE))
        self.catches_up()
        assert self.model.inbox == tuple(self.world.items)
        chosen = self.model.chosen
        assert chosen is None or self.model.thing == self.world.thing(Look(chosen, self.model.page))


TestLiving = Living.TestCase
TestLiving.settings = settings(max_examples=60, stateful_step_count=40, deadline=None)
