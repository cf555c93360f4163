"""Blocks fit the screen they are laid out for, down to none at all (cases G03, G05, G09)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harnctl.render.blocks import Command, Fields, Gap, Heading, Line, Paragraph, Span, Style, Table, Verbatim
from harnctl.render.cells import cut, pad, width, wrap
from harnctl.render.layout import lines
from harnctl.render.screen import FLOOR, Screen

FAMILY = "👩\u200d👩\u200d👧"
WIDE = f"日本語 {FAMILY} 🇩🇪 e\u0301"
GOALS = Table(
    ("GOAL", "PHASE", "REASON"),
    (
        (Span("billing-export"), Span("! awaiting attention", Style.ASKS), Span("plan 2 waits for your decision")),
        (Span("docs"), Span("● running", Style.BUSY), Span(f"{WIDE} runs its attempt")),
    ),
)
EVERYTHING = (
    Heading(WIDE),
    Line((Span(WIDE), Span(" and more of it", Style.FAINT))),
    Paragraph(f"{WIDE}\n{WIDE * 9}", indent=40),
    Fields((("name", WIDE), ("a long field", "x" * 99))),
    GOALS,
    Gap(),
)


def laid_out(*blocks, columns=80, **screen):
    return list(lines(blocks, Screen(columns=columns, **screen)))


def test_a_table_with_room_is_a_table():
    assert laid_out(GOALS) == [
        "GOAL            PHASE                 REASON",
        "billing-export  ! awaiting attention  plan 2 waits for your decision",
        f"docs            ● running             {WIDE} runs its attempt",
    ]


def test_a_sentence_is_cut_and_a_name_is_not():
    assert laid_out(GOALS, columns=60)[1:] == [
        "billing-export  ! awaiting attention  plan 2 waits for your…",
        f"docs            ● running             {WIDE} runs i…",
    ]


def test_at_forty_columns_the_sentence_has_a_line_of_its_own():
    assert laid_out(GOALS, columns=40) == [
        "billing-export  ! awaiting attention",
        "  plan 2 waits for your decision",
        "docs  ● running",
        f"  {WIDE} runs its attempt",
    ]


@pytest.mark.parametrize("columns", [1, 2, 7, FLOOR - 1])
def test_a_screen_too_small_says_so_and_is_laid_out_for_the_floor(columns):
    first, *rest = laid_out(*EVERYTHING, columns=columns)
    assert first == "too small"[:columns]
    assert rest == laid_out(*EVERYTHING, columns=FLOOR)


@pytest.mark.parametrize("columns", [FLOOR + 2, 39, 40, 41, 80, 1000])
def test_only_a_name_or_a_command_is_wider_than_the_screen(columns):
    assert all(width(line) <= columns for line in laid_out(*EVERYTHING, columns=columns))


def test_on_a_full_screen_a_long_command_goes_on_below():
    why, *parts = laid_out(Command(("git", "diff", "a" * 40), why="see"), columns=FLOOR, cells=True)
    assert (why, "".join(part.removeprefix("  ") for part in parts)) == ("see:", f"git diff {'a' * 40}")
    assert max(map(len, parts)) <= FLOOR


def test_a_command_is_never_cut_and_reads_the_same_in_a_shell():
    command = Command(("harnctl", "goal", "create", "my goals/it's.toml"), why="try")
    assert laid_out(command, columns=FLOOR) == ["try:", """  harnctl goal create 'my goals/it'"'"'s.toml'"""]


def test_an_ascii_screen_spells_the_marks_and_keeps_the_states_apart():
    assert laid_out(GOALS, unicode=False, columns=60)[:2] == [
        "GOAL            PHASE                 REASON",
        "billing-export  ! awaiting attention  plan 2 waits for yo...",
    ]
    assert "* running" in laid_out(GOALS, unicode=False)[2]


def test_colour_wraps_what_is_shown_and_changes_no_word():
    bare, painted = laid_out(GOALS), laid_out(GOALS, colour=True)
    assert painted[1] == "billing-export  \x1b[33m! awaiting attention\x1b[0m  plan 2 waits for your decision"
    for style in Style:
        painted = [line.replace(f"\x1b[{style.value}m", "") for line in painted]
    assert [line.replace("\x1b[0m", "").rstrip() for line in painted] == bare


def test_a_log_keeps_its_lines_and_loses_its_powers():
    assert laid_out(Verbatim("\x1b[31mred\x1b[0m\n\ttabbed [bold]\r\n")) == [
        r"\x1b[31mred\x1b[0m",
        "\ttabbed [bold]" + r"\r",
        "",
    ]


EVIL = "\x1b]0;t\x07\x9b2J\u202e"


@pytest.mark.parametrize(
    "block",
    [
        Heading(EVIL),
        Line((Span(EVIL),)),
        Paragraph(EVIL),
        Fields(((EVIL, EVIL),)),
        Table((EVIL, EVIL), ((Span(EVIL), Span(EVIL)),)),
        Verbatim(EVIL),
        Command((EVIL,), why=EVIL),
    ],
    ids=lambda block: type(block).__name__,
)
@pytest.mark.parametrize("columns", [1, 40, 200])
def test_no_block_lets_a_character_act(block, columns):
    assert all(line.isprintable() for line in laid_out(block, columns=columns))


@given(st.text(), st.integers(0, 30))
def test_cutting_never_takes_more_room_than_there_is(text, columns):
    assert width(cut(text, columns, end="…")) <= max(columns, 0)


@given(st.text(st.characters(exclude_categories=["C", "Z"])), st.integers(1, 12))
def test_wrapping_ends_and_loses_nothing_but_spaces(text, columns):
    assert "".join(wrap(text, columns)) == text


def test_a_family_is_one_character_of_two_columns():
    assert (width(FAMILY), cut(FAMILY * 3, 5, end="…"), pad(FAMILY, 4)) == (2, FAMILY * 2 + "…", FAMILY + "  ")
    assert list(wrap(FAMILY * 2, 1)) == [FAMILY, FAMILY]
