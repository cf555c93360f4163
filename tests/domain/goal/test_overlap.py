"""Declared paths: who could touch the same file, and what was changed without being declared."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harnd.domain.goal.overlap import covers, overlap, undeclared

# --- overlap


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("src", "src"),
        ("src", "src/"),
        ("src", "src/deep/x.py"),
        ("src", "SRC/x"),
        ("src/*.py", "src/x.py"),
        ("src/a*", "src/ab"),
        ("src/**", "src"),
        ("src/**/x.py", "src/deep"),
        ("**/x.py", "anything"),
        ("*", "anything"),
        ("src/[ab].py", "src/a.py"),
        (".", "src"),
        ("./src", "src/x"),
        ("src//x", "src/x"),
        ("src/./x", "src/x"),
        ("./", "README.md"),
    ],
)
def test_what_could_meet_overlaps_whoever_is_first(one, other):
    assert overlap([one], [other])
    assert overlap([other], [one])


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("src", "docs"),
        ("src", "src2"),
        ("src/a", "src/ab"),
        ("src/a.py", "src/b.py"),
        ("src/*.py", "docs/*.py"),
        ("src/a*", "src/b*"),
        ("./src", "./docs"),
    ],
)
def test_what_cannot_meet_does_not(one, other):
    assert not overlap([one], [other])
    assert not overlap([other], [one])


def test_one_pair_is_enough():
    assert overlap(["docs", "src/a"], ["tests", "src"])
    assert not overlap(["docs", "src/a"], ["tests", "src/b"])


def test_an_item_that_declares_nothing_could_touch_anything():
    assert overlap([], ["src"])
    assert overlap(["src"], [])
    assert overlap([], [])


WORDS = st.sampled_from(["a", "b", "ab", "A", "*", "a*", "**", "?", ".", "x.py", "*.py"])
GLOBS = st.lists(WORDS, min_size=1, max_size=4).map("/".join)
PATHS = st.lists(st.sampled_from(["a", "b", "ab", "x.py"]), min_size=1, max_size=4).map("/".join)


@given(GLOBS, GLOBS, PATHS)
def test_two_that_both_include_a_path_overlap(one, other, path):
    if covers(one, path) and covers(other, path):
        assert overlap([one], [other])


@given(GLOBS, GLOBS)
def test_overlap_has_no_order(one, other):
    assert overlap([one], [other]) == overlap([other], [one])


# --- what a declared path includes


@pytest.mark.parametrize(
    ("declared", "path"),
    [
        ("src", "src"),
        ("src", "src/deep/x.py"),
        ("src/", "src/x.py"),
        ("./src", "src/x.py"),
        (".", "anything/at/all"),
        ("README.md", "README.md"),
        ("src/*.py", "src/x.py"),
        ("src/**", "src/deep/x.py"),
        ("**/*.py", "src/deep/x.py"),
        ("src/?.py", "src/x.py"),
        ("src/[id]/page.tsx", "src/[id]/page.tsx"),
    ],
)
def test_a_file_a_folder_or_a_glob_includes_a_path(declared, path):
    assert covers(declared, path)


@pytest.mark.parametrize(
    ("declared", "path"),
    [("src", "src2/x"), ("src/x", "src"), ("src/*.py", "src/x.txt"), ("src", "SRC/x"), ("a.py", "axpy"), ("s", "src")],
)
def test_and_no_other(declared, path):
    assert not covers(declared, path)


def test_changes_outside_are_told_in_their_order():
    assert undeclared(["z", "src/x", "a"], ["src", "docs"]) == ("z", "a")


def test_with_nothing_declared_everything_was_to_be_expected():
    assert undeclared(["z", "a"], []) == ()
