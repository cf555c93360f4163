"""What a model, a repository or a process wrote is read on a terminal and does nothing there (cases G01, G03, G13)."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harnctl.render.sanitise import INVISIBLE, MARKS, Lines, sanitise

KEPT_JOINERS = "\u200c\u200d"
KEPT_SELECTORS = "\ufe0e\ufe0f"
# Letters that meet the rules for joiners, selectors and marks far more often than chance would.
EDGES = st.sampled_from(
    "a1#\u094d\u0915\u0301\u20e3\u200c\u200d\ufe0e\ufe0f\u0627❤👩🚀\U0001f3fd\U0001f3f4\U000e0067\x1b\n\t"
)
ANYTHING = st.characters(codec=None) | st.characters(categories=["Cc", "Cf", "Cs", "Mn", "Zl", "Zp"])
TEXTS = st.text(EDGES) | st.text(ANYTHING)
LINES = st.sampled_from(Lines)

ACTS = [
    ("\x1b]52;c;Y3VybCBldmls\x07", r"\x1b]52;c;Y3VybCBldmls\x07"),  # writes the clipboard
    (
        "\x1b]8;;https://evil.example\x1b\\docs\x1b]8;;\x1b\\",
        r"\x1b]8;;https://evil.example\x1b\docs\x1b]8;;\x1b" + "\\",
    ),
    ("\x1b]0;root@host\x07", r"\x1b]0;root@host\x07"),  # changes the title
    ("\x1b[2J\x1b[10A\x1b[6n", r"\x1b[2J\x1b[10A\x1b[6n"),  # clears, moves, asks for a report on stdin
    ("\x1bP+q544e\x1b\\", r"\x1bP+q544e\x1b" + "\\"),
    ("\x1b]0;no end", r"\x1b]0;no end"),
    ("\x1bc", r"\x1bc"),  # resets the terminal
    ("\x9b2J\x9d0;t\x9c\x90q\x9c", r"\x9b2J\x9d0;t\x9c\x90q\x9c"),  # the 8-bit forms
    ("\x00\x07\x08\x0b\x0e\x7f\x85", r"\x00\x07\x08\x0b\x0e\x7f\x85"),
    ("one\rtwo", r"one\rtwo"),
    ("rm \u202ecod.exe\u202c", r"rm \u202ecod.exe\u202c"),
    ("\u2066a\u2069\u061c\u200e", r"\u2066a\u2069\u061c\u200e"),
    ("cu\u200brl\u2060\ufeff\u00ad", r"cu\u200brl\u2060\ufeff\xad"),
    ("\U000e0041\U000e007f", r"\U000e0041\U000e007f"),  # tag characters
    ("a\U000e0100", r"a\U000e0100"),  # an ideographic selector where there is no ideograph
    ("\u3164\u115f\uffa0", r"\u3164\u115f\uffa0"),  # letters that draw nothing
    ("\u2028\u2029", r"\u2028\u2029"),
    ("\udc9b", r"\udc9b"),
    ("\ue000\ufffe\U0010ffff", r"\ue000\ufffe\U0010ffff"),
    ("a\x1b\u0301", r"a\x1b\u0301"),  # and on the last letter of an escape
    ("1\x1b\ufe0f", r"1\x1b\ufe0f"),
    ("\u0301alone", r"\u0301alone"),  # would sit on what stands before the text
]

READS = [
    "plain text, ~!@#$%^&*()`'\"\\<>[]{}|",
    "{provider}/{type}[/{nestedType}]/read [/INST] [bold",
    "na\u00efve cafe\u0301 \u00a0 \u2014 \u201cquoted\u201d \u2026",
    "Ж 日本語 한국어 ไทยที่ עִבְרִית العربية ქართული አማርኛ தமிழ்",
    "क्षि क्\u200dष क्\u200cष",
    "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",  # Persian for "I want"
    "👍🏽 🇩🇪 🇯🇵",
    "👩\u200d👩\u200d👧 🧑🏽\u200d🚀 ❤\ufe0f\u200d🔥 🏳\ufe0f\u200d🌈 🙂\u200d↔\ufe0f",
    "1\ufe0f\u20e3 #\ufe0f\u20e3 ☎\ufe0e ‼\ufe0f",
    "→ ≤ ∑ ½ € №",
]


@pytest.mark.parametrize(("text", "shown"), ACTS)
def test_what_would_act_is_shown_as_an_escape(text, shown):
    assert sanitise(text) == shown


@pytest.mark.parametrize("text", READS)
def test_ordinary_text_of_every_script_stays_as_it_is(text):
    assert sanitise(text) == text


@pytest.mark.parametrize(
    "text", ["a\u200db", "a\u200cb", "👩\u200dx", "👩\u200d", "\u200d👩", "a\ufe0f", "❤\ufe0f\ufe0f"]
)
def test_a_joiner_or_selector_without_visible_work_is_an_escape(text):
    assert "\\u" in sanitise(text)


def test_marks_pile_up_to_eight_and_no_further():
    assert sanitise("e" + "\u0301" * (MARKS + 2)) == "e" + "\u0301" * MARKS + "\\u0301" * 2


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("ls" + "\xa0" * 300 + "; rm", "ls[300 blanks]; rm"),
        ("ls" + " \u3000" * 5 + "; rm", "ls[10 blanks]; rm"),
        ("\u2800" * 9, "[9 blanks]"),
        ("a" + "\xa0" * 8 + "b", "a" + "\xa0" * 8 + "b"),
        ("é" + " " * 80 + "x", "é" + " " * 80 + "x"),  # a column of a table or of code
    ],
)
def test_g13_padding_is_shown_as_its_length(text, shown):
    assert sanitise(text) == shown


def test_joiners_do_not_let_marks_pile_up():
    assert "\\u" in sanitise("क" + "\u094d\u200d" * MARKS)


def test_newline_and_tab_stay_only_where_many_lines_are_wanted():
    assert sanitise("a\n\tb\r") == r"a\n\tb\r"
    assert sanitise("a\n\tb\r", Lines.MANY) == "a\n\tb" + r"\r"


@given(TEXTS, LINES)
def test_nothing_that_acts_or_hides_comes_out(text, lines):
    shown = sanitise(text, lines)
    for at, char in enumerate(shown):
        if char in lines.value:
            continue
        assert unicodedata.category(char) not in {"Cc", "Cs", "Co", "Cn", "Zl", "Zp"}
        assert unicodedata.category(char) != "Cf" or (char in KEPT_JOINERS and at > 0)
        assert ord(char) not in INVISIBLE or (char in KEPT_SELECTORS and at > 0)


@given(TEXTS, LINES)
def test_doing_it_twice_changes_nothing_more(text, lines):
    assert sanitise(sanitise(text, lines), lines) == sanitise(text, lines)


@given(TEXTS)
def test_what_was_sanitised_for_many_lines_can_be_sanitised_for_one(text):
    assert sanitise(sanitise(text, Lines.MANY)) == sanitise(text)


@given(st.text(st.characters(categories=["L", "N", "P", "S"], codec="utf-8")))
def test_letters_digits_and_symbols_are_never_touched(text):
    assert sanitise(text) == text or any(ord(char) in INVISIBLE for char in text)
