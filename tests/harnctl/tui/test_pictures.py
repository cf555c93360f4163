"""What the screen shows in every state, at three sizes.  `python -m tests.kit.screens` writes the pictures anew."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from wcwidth import wcwidth

from harnctl.render.blocks import Span
from harnctl.render.cells import apart, drawn, width
from harnctl.render.sanitise import sanitise
from harnctl.tui import messages as m
from harnctl.tui.drawing import draw
from harnctl.tui.model import Model, Size
from harnctl.tui.pages import MOST, rows_of
from harnctl.tui.rows import fit
from harnctl.tui.things import Page, PlanThing, WorkThing
from protocol.ids import GoalId
from protocol.values import SECOND, Instant
from protocol.views import InboxKind
from tests.kit import screens
from tests.kit.screens import BILLING, HERE, NOW, PLAN, SIZES, STATES, WORK, item, listing, on, picture, press, tell
from tests.kit.scripted_daemon import golden

EVIL = "\x1b]0;owned\x07\x1b[2J\x9b5A\u202e\u200b\U000e0041\U0001f468\u200d\U0001f469 <b>[bold]{{x}}\t\r\n"
KEPT = {path.stem: path.read_text(encoding="utf-8") for path in sorted((HERE / "screens").glob("*.txt"))}


@pytest.fixture(scope="module")
def taken():
    screens.at_greenwich()
    return screens.pictures()


def test_every_picture_is_one_of_a_state(taken):
    assert sorted(taken) == sorted(KEPT)


@pytest.mark.parametrize("name", KEPT)
def test_a_state_looks_as_its_picture(taken, name):
    assert taken[name] == KEPT[name]


@pytest.mark.parametrize("columns", [1, 2, 7, 39, 40, 41, 79, 80, 81, 500])
@pytest.mark.parametrize("rows", [1, 9, 10, 11, 24, 90])
def test_every_state_fills_every_screen_exactly(columns, rows):
    for state, make in STATES.items():
        model = tell(make(SIZES["usual"]), m.Resized(Size(columns, rows)))

        assert [sum(drawn(span.text) for span in row) for row in draw(model)] == [columns] * rows, state


def hostile() -> Model:
    """A goal whose every text was written by somebody who means harm."""
    evil = item(InboxKind.PLAN, "plan/1", summary=EVIL)
    plan = screens.plan(rationale=EVIL, question=EVIL, guidance=EVIL, detail=EVIL)
    milestone = plan.milestone
    assert milestone is not None
    items = tuple(replace(one, title=EVIL, objective=EVIL, paths=(EVIL,)) for one in plan.items)
    plan = replace(plan, milestone=replace(milestone, title=EVIL, objective=EVIL), items=items)
    model = listing(evil)
    assert model.chosen is not None
    return tell(model, m.Looked(model.chosen, model.page, PlanThing(plan)))


@pytest.mark.parametrize("columns", [40, 80, 132])
def test_nothing_that_anybody_wrote_acts_on_the_terminal(columns):
    model = tell(hostile(), m.Resized(Size(columns, 60)), m.Refused(None, "internal", EVIL, EVIL))

    rows = draw(model)

    assert all(span.text.isprintable() for row in rows for span in row)
    assert [sum(drawn(span.text) for span in row) for row in rows] == [columns] * 60
    assert "\\x1b]0;owned" in picture(model)
    assert "[bold]{{x}}" in picture(model)


def test_a_line_of_ten_thousand_columns_is_wrapped_and_can_be_scrolled_through():
    wide = screens.plan(rationale="w" * 10_000)
    model = listing(PLAN)
    assert model.chosen is not None
    model = tell(model, m.Looked(model.chosen, model.page, PlanThing(wide)), m.Pressed("enter"), m.Pressed("G"))

    assert "WC-1" in picture(model)


def test_a_filter_is_shown_as_it_is_typed_whatever_was_pasted():
    model = tell(listing(PLAN, item(InboxKind.WORK, "p1.a", goal=GoalId("other"))), m.Pressed("/"), m.Pasted(EVIL))

    assert all(span.text.isprintable() for row in draw(model) for span in row)


@given(st.text())
def test_apart_no_text_takes_more_room_than_it_was_given(text):
    shown = apart(sanitise(text))

    assert drawn(shown) <= width(shown)
    assert drawn(shown) == sum(max(wcwidth(char), 0) for char in shown)


@given(st.text(), st.integers(0, 30))
def test_a_row_is_as_wide_as_the_terminal_draws_it(text, columns):
    row = fit((Span(apart(sanitise(text))),), columns)

    assert sum(drawn(span.text) for span in row) == columns


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\U0001f468\U0001f3fd\u200d\U0001f469\u200d\U0001f467", "\U0001f468\U0001f469\U0001f467"),
        ("\U0001f1e9\U0001f1ea", "DE"),
        ("\u2764\ufe0f", "\u2764"),
        ("1\ufe0f\u20e3", "1"),
        ("na\u00efve \u6f22\u5b57", "na\u00efve \u6f22\u5b57"),
    ],
)
def test_joined_pictures_are_taken_apart(text, shown):
    assert apart(text) == shown


def test_a_thousand_items_are_a_window_around_the_chosen_one():
    goals = [GoalId(f"g{number:04}") for number in range(1_000)]
    model = listing(*(item(InboxKind.PLAN, "plan/1", goal=goal) for goal in goals))

    middle = screens.press(model, *["down"] * 500)

    assert "> plan      g0500" in picture(middle)
    assert "g0495" in picture(middle)
    assert "g0999" in picture(screens.press(middle, "G"))
    assert picture(screens.press(middle, "g")).splitlines()[1].startswith("> plan      g0000")


def test_an_item_of_a_goal_names_the_goal_once():
    assert f"> budget    {BILLING} " in picture(listing(item(InboxKind.BUDGET, BILLING)))


def test_time_alone_lays_no_diff_and_no_log_out_again():
    for keys in ("d", "dd"):
        before = press(on(WORK), *keys)
        after = tell(before, m.Ticked(Instant(before.now + 10 * SECOND)))
        assert before.thing is not None
        assert after.thing is not None

        first, second = (
            rows_of(thing, before.page, now=now, columns=60, unicode=True)
            for thing, now in ((before.thing, before.now), (after.thing, after.now))
        )
        assert first is second


def test_a_page_has_no_more_rows_than_a_person_scrolls_through():
    long = golden("work.diff", text="+x\n" * 100_000)
    rows = rows_of(WorkThing(screens.work(), diff=long), Page.DIFF, now=NOW, columns=60, unicode=True)

    assert len(rows) == MOST + 1
    assert rows[-1][0].text == "… and more: the command line shows all of it"
