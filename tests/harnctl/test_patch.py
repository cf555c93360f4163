"""A patch is read by its marks, with colour or without, and nothing in it acts."""

import pytest

from harnctl.render.blocks import Style
from harnctl.render.patch import styled
from protocol.errors import Refusal
from tests.kit.scripted_daemon import golden

DIFF = ("work", "diff", "billing-export", "p1.parser")
PATCH = """\
diff --git a/a.sql b/a.sql
index 1..2 100644
--- a/a.sql
+++ b/a.sql
@@ -1,3 +1,3 @@
 select 1;
--- a comment that went
+++ odd
\\ No newline at end of file
diff --git a/b.bin b/b.bin
Binary files a/b.bin and b/b.bin differ
"""


def test_each_line_is_what_its_place_in_the_patch_makes_of_it():
    assert [style for _, style in styled(PATCH)] == [
        Style.STRONG,
        Style.FAINT,
        Style.FAINT,
        Style.FAINT,
        Style.BUSY,
        Style.PLAIN,
        Style.BAD,
        Style.GOOD,
        Style.PLAIN,
        Style.STRONG,
        Style.FAINT,
    ]
    assert "".join(f"{line}\n" for line, _ in styled(PATCH)) == PATCH


def test_the_marks_stand_without_colour_too(harnctl, daemon):
    ran = harnctl(*DIFF)
    assert "\n-def parse(text):\n+def parse(text: str):\n     return text\n" in ran.out
    assert "\x1b" not in ran.out


def test_at_a_terminal_what_came_and_what_went_stand_out(harnctl, daemon):
    out = harnctl(*DIFF, typed="", NO_COLOR="", TERM="xterm").out
    assert "\x1b[31m-def parse(text):\x1b[0m\n" in out
    assert "\x1b[32m+def parse(text: str):\x1b[0m\n" in out


def test_a_hostile_file_is_shown_and_does_not_act(harnctl, daemon):
    evil = "@@ -0,0 +1 @@\n+\x1b[2Jgone\r-not a line of its own\u202e\n"
    daemon.answers("work.diff", golden("work.diff", text=evil, omitted_bytes=0))
    assert "+\\x1b[2Jgone\\r-not a line of its own\\u202e\n" in harnctl(*DIFF).out


@pytest.mark.parametrize(
    ("text", "omitted", "said"), [("", 0, "none"), ("", 5, "left out"), (PATCH, 0, "1 added, 1 removed\n")]
)
def test_how_much_changed_is_said_in_words(harnctl, daemon, text, omitted, said):
    daemon.answers("work.diff", golden("work.diff", text=text, omitted_bytes=omitted))
    assert said in harnctl(*DIFF).out


def test_what_is_left_out_is_found_with_git(harnctl, daemon):
    assert harnctl(*DIFF).out.endswith("  git diff 0a1b2c3d4e5f 7c2d1f0e9b8a\n")


def test_an_attempt_without_a_commit_is_not_found(harnctl, daemon):
    daemon.answers("work.diff", Refusal("work.no_commit", "attempt 2 at p1.parser left no commit"))
    assert harnctl(*DIFF, "--attempt", "2").code == 4
