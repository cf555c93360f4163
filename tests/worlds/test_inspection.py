"""The inspection, held by examples: each thing that must not be is found when it is there."""

import subprocess
import tempfile
from pathlib import Path

import pytest

from protocol.ids import GoalId
from protocol.values import Instant
from protocol.views import EventView
from tests.worlds import inspection
from tests.worlds.daemon import WorldDaemon, surroundings
from tests.worlds.generate import BASE
from tests.worlds.mission import Hook, Item, Mission, Planning, Request, World, Write
from tests.worlds.place import OPERATORS_BRANCH, Place

ITEM = Item("a", (Write("a", b""),))
WORLD = World(0, BASE, (Mission("goal", ((ITEM,),), (Request(Planning.APPLY, 0),)),), Hook(formats=True))


@pytest.fixture
def place():
    with tempfile.TemporaryDirectory(prefix="harnd-world-") as root:
        yield Place(Path(root).resolve(), WORLD)


def event(tag, **body):
    return EventView(seq=1, goal=GoalId("goal"), version=1, at=Instant(0), tag=tag, body=body)


def sign(place, line):
    folder = place.goal_folder("goal")
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "journal").open("a") as journal:
        journal.write(f"{line}\n")


def test_a_tree_is_read_with_every_name_and_mode(place):
    assert place.tree("main") == BASE


def test_the_operator_is_in_the_middle_of_something(place):
    status = place.git("status", "--porcelain", "--branch", "--ignored").decode().splitlines()
    assert status == [
        f"## {OPERATORS_BRANCH}",
        " D README.md",
        "MM notes.md",
        '?? "untracked file"',
        "!! ignored/",
    ]


MEDDLING = {
    "a byte": ("checkout", lambda place: (place.repository / "ignored" / "cache").write_text("warM\n")),
    "a mode": ("checkout", lambda place: (place.repository / "tool.sh").chmod(0o644)),
    "the index": ("administration", lambda place: place.git("add", "notes.md")),
    "a setting": ("administration", lambda place: place.git("config", "core.editor", "true")),
    "a hook": ("hooks", lambda place: (place.repository / ".git/hooks/pre-commit").unlink()),
    "a new branch": ("refs", lambda place: place.git("branch", "another")),
    "a lost tag": ("refs", lambda place: place.git("tag", "--delete", "v0")),
    "a worktree": ("worktrees", lambda place: place.git("worktree", "add", "--detach", place.root / "elsewhere")),
}


@pytest.mark.parametrize(("what", "meddle"), MEDDLING.values(), ids=MEDDLING)
def test_whatever_is_the_operators_is_looked_at(place, what, meddle):
    before = place.operators()
    assert place.operators() == before

    meddle(place)

    after = place.operators()
    assert [name for name in before if before[name] != after[name]] == [what]


def test_harnds_own_refs_are_nothing_of_the_operators(place):
    before = place.operators()
    for ref in ("refs/heads/harn/goal", "refs/heads/harn-attempt/goal/p1.a.1", "refs/harnd/goals/goal"):
        place.git("update-ref", ref, "main")
    assert place.operators() == before


def test_a_process_is_of_the_family_by_the_home_it_was_given(place):
    daemon = WorldDaemon(place.root)
    assert daemon.family() == []
    with subprocess.Popen(["sleep", "60"], env=surroundings(place.root)) as child:
        assert daemon.family() == [f"{child.pid}: sleep 60 "]
        child.kill()


def test_a_commit_under_no_ref_is_found(place):
    loose = place.git("commit-tree", "-m", "loose", "main^{tree}").decode().strip()
    sign(place, f'{{"commit": "{loose}"}}')
    kept = place.git("rev-parse", "main").decode().strip()

    found = list(inspection.unreachable(place, WORLD, [event("attempt.ended/1", commit=kept)]))

    assert found == [f"{loose} is under no ref"]


def test_an_agent_that_was_started_twice_is_found(place):
    for session in ("one/goal/x", "two/goal/x", "two/goal/y"):
        sign(place, f'{{"session": "{session}"}}')
    assert list(inspection.started_twice(place, WORLD)) == ["2 agents were started under goal/x"]


def test_an_effect_that_ended_twice_is_found():
    ended = [event("attempt.ended/1", work="p1.a", attempt=number) for number in (1, 2, 2)]
    assert list(inspection.ended_twice(ended)) == [
        "happened 2 times: ('goal', 'attempt.ended/1', 'p1.a', 2, None, None, None)"
    ]
