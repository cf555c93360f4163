"""The oracle and the generator, held by examples: what is foretold must be right before anything is held against it."""

import ast
from pathlib import Path

import pytest

from tests.worlds.generate import BASE, SPECIALS, generate
from tests.worlds.mission import (
    EXECUTABLE,
    FILE,
    LINK,
    Append,
    Blob,
    Delete,
    Fate,
    Finding,
    Hook,
    Item,
    Kind,
    Line,
    Link,
    Mission,
    Planning,
    Request,
    Trouble,
    World,
    Write,
)
from tests.worlds.oracle import Outcome, Tries, differences, foretell

APPLY, COMPLETE = Request(Planning.APPLY, 0), Request(Planning.COMPLETE)
FIRST = {"list.txt": Blob(FILE, b"one\ntwo\n"), "run": Blob(EXECUTABLE, b"#!")}


def told(*items, requests=(APPLY, COMPLETE), steps=None, hook=Hook(), base=FIRST, **more) -> Outcome:  # noqa: B008 - frozen
    mission = Mission("goal", steps or (items,), requests, **more)
    return foretell(World(0, base, (mission,), hook), mission)


def test_a_mission_of_one_item():
    assert told(Item("a", (Write("new", b"here"),))) == Outcome(
        phase="succeeded",
        tree={**FIRST, "new": Blob(FILE, b"here")},
        milestones=1,
        requests=2,
        accepted=("p1.a",),
        tries={"p1.a": Tries(failed=0, succeeded=1)},
        clashes={},
        agent_calls=3,
        attempts=1,
        acknowledged={},
        red_first=(),
    )


@pytest.mark.parametrize(
    ("deed", "path", "blob"),
    [
        (Write("run", b"text"), "run", Blob(FILE, b"text")),
        (Write("new", b"\0", executable=True), "new", Blob(EXECUTABLE, b"\0")),
        (Link("new", "no/where"), "new", Blob(LINK, b"no/where")),
        (Append("list.txt", "three"), "list.txt", Blob(FILE, b"one\ntwo\nthree\n")),
        (Line("list.txt", 0, "uno"), "list.txt", Blob(FILE, b"uno\ntwo\n")),
        (Delete("run"), "run", None),
    ],
)
def test_what_a_deed_makes_of_the_tree(deed, path, blob):
    assert told(Item("a", (deed,))).tree == {name: at for name, at in ({**FIRST, path: blob}).items() if at is not None}


def test_lines_follow_one_another_in_the_order_of_the_plan():
    outcome = told(Item("a", (Append("list.txt", "a"),)), Item("b", (Append("list.txt", "b"),), needs=("a",)))
    assert outcome.tree["list.txt"].content == b"one\ntwo\na\nb\n"


def test_every_failed_attempt_is_paid_for():
    outcome = told(Item("a", (Write("new", b""),), troubles=(Trouble.BAD, Trouble.EXIT)))
    assert (outcome.tries, outcome.attempts, outcome.agent_calls) == ({"p1.a": Tries(failed=2, succeeded=1)}, 3, 5)


def test_a_finding_takes_one_more_attempt():
    outcome = told(Item("a", (Write("new", b"a"),), finding=Finding.IN_REVIEW, amended=(Write("new", b"b"),)))
    assert (outcome.tree["new"].content, outcome.tries) == (b"b", {"p1.a": Tries(succeeded=2)})


def test_a_clash_takes_one_more_attempt_and_names_its_paths():
    sides = Item("a", (Append("list.txt", "a"),)), Item("b", (Append("list.txt", "b"),), clashes_with="a")
    outcome = told(*sides)
    assert (outcome.clashes, outcome.tries["p1.b"]) == ({"p1.b": ("list.txt",)}, Tries(succeeded=2))


def test_a_hook_trims_the_texts_that_are_touched_and_nothing_else():
    base = {"a.txt": Blob(FILE, b"a \n"), "b.txt": Blob(FILE, b"b \n"), "c": Blob(FILE, b"c \n")}
    items = Item("a", (Append("a.txt", "more\t"),)), Item("c", (Write("c", b"d \n"),))
    outcome = told(*items, base=base, hook=Hook(formats=True))
    assert {path: blob.content for path, blob in outcome.tree.items()} == {
        "a.txt": b"a\nmore\n",
        "b.txt": b"b \n",
        "c": b"d \n",
    }


@pytest.mark.parametrize(
    ("before", "calls"),
    [(Planning.REJECTED, 1), (Planning.QUESTION, 1), (Planning.GARBAGE, 2), (Planning.MUTE, 2)],
)
def test_a_request_that_comes_to_nothing_takes_a_number_and_its_calls(before, calls):
    outcome = told(Item("a", (Write("new", b""),)), requests=(Request(before, 0), APPLY, COMPLETE))
    assert (outcome.accepted, outcome.requests, outcome.agent_calls) == (("p2.a",), 3, 3 + calls)


def test_a_plan_that_is_corrected_takes_one_more_call():
    outcome = told(Item("a", (Write("new", b""),)), requests=(Request(Planning.STUMBLE, 0), COMPLETE))
    assert (outcome.requests, outcome.agent_calls) == (2, 4)


def test_steps_have_the_numbers_of_their_plans():
    steps = (Item("a", (Write("a", b""),)),), (Item("b", (Write("b", b""),), needs=("a",)),)
    outcome = told(steps=steps, requests=(APPLY, Request(Planning.REJECTED, 1), Request(Planning.APPLY, 1), COMPLETE))
    assert (outcome.accepted, outcome.milestones) == (("p1.a", "p3.b"), 2)


@pytest.mark.parametrize(("fate", "tries"), [(Fate.GIVEN_UP, Tries(failed=2)), (Fate.ENDLESS, Tries())])
def test_what_depends_on_the_item_that_ends_the_goal_is_never_begun(fate, tries):
    items = (
        Item("a", (Write("a", b""),)),
        Item("b", (Write("b", b""),), fate=fate, troubles=(Trouble.BAD,) * 2),
        Item("c", (Write("c", b""),), needs=("b",)),
        Item("d", (Write("d", b""),), needs=("a", "c")),
    )
    outcome = told(*items, requests=(APPLY,))
    assert (outcome.phase, outcome.accepted) == ("cancelled", ("p1.a",))
    assert outcome.tries == {"p1.a": Tries(succeeded=1), "p1.b": tries, "p1.c": Tries(), "p1.d": Tries()}
    assert outcome.tree == {**FIRST, "a": Blob(FILE, b"")}


def test_what_is_lost_in_one_step_is_gone_about_otherwise_in_the_next():
    steps = (
        (Item("a", (Write("a", b""),), fate=Fate.LOST, troubles=(Trouble.BAD,) * 2), Item("b", (), needs=("a",))),
        (Item("c", (Write("c", b""),)),),
    )
    outcome = told(steps=steps, requests=(APPLY, Request(Planning.APPLY, 1), COMPLETE))
    assert (outcome.phase, outcome.milestones, outcome.accepted) == ("succeeded", 2, ("p2.c",))
    assert outcome.tries == {"p1.a": Tries(failed=2), "p1.b": Tries(), "p2.c": Tries(succeeded=1)}
    assert outcome.tree == {**FIRST, "c": Blob(FILE, b"")}


def test_what_is_found_on_a_finished_mission_is_amended_and_the_planner_asked_once_more():
    item = Item("a", (Write("a", b"1"),), finding=Finding.FINISHED, amended=(Write("a", b"2"),))
    outcome = told(item, requests=(APPLY, COMPLETE, COMPLETE))
    assert (outcome.phase, outcome.requests, outcome.agent_calls) == ("succeeded", 3, 5)
    assert outcome.tries == {"p1.a": Tries(succeeded=2)}
    assert outcome.tree["a"] == Blob(FILE, b"2")


def test_what_is_flaky_is_acknowledged_and_what_must_fail_first_was_seen_to():
    items = Item("a", (Write("a", b""),), template=Kind.FLAKY), Item("b", (Write("b", b""),), template=Kind.RED)
    outcome = told(*items)
    assert (outcome.acknowledged, outcome.red_first) == ({"p1.a": ("WC-1",)}, ("p1.b",))


def test_the_operators_own_graph_is_the_first_milestone_and_takes_no_request():
    steps = (Item("a", (Write("a", b""),)),), (Item("b", (Write("b", b""),), needs=("a",)),)
    outcome = told(steps=steps, requests=(Request(Planning.APPLY, 1), COMPLETE), own=True)
    assert (outcome.accepted, outcome.milestones, outcome.requests) == (("p0.a", "p1.b"), 2, 2)
    assert (outcome.attempts, outcome.agent_calls) == (2, 4)


def test_equal_outcomes_differ_in_nothing():
    item = Item("a", (Write("new", b"here"),))
    assert differences(told(item), told(item)) == []


def test_every_difference_is_said():
    found = told(Item("a", (Write("new", b"here"),), troubles=(Trouble.BAD,)))
    foretold = told(Item("a", (Write("other", b"there"),)))
    assert differences(found, foretold) == [
        "tree of 'new': Blob(mode='100644', content=b'here'), foretold None",
        "tree of 'other': None, foretold Blob(mode='100644', content=b'there')",
        "tries of 'p1.a': Tries(failed=1, succeeded=1), foretold Tries(failed=0, succeeded=1)",
        "agent_calls: 4, foretold 3",
        "attempts: 2, foretold 1",
    ]


# --- independence, and what the worlds are made of


@pytest.mark.parametrize("name", ["oracle", "mission", "generate"])
def test_what_foretells_knows_nothing_of_harnd(name):
    tree = ast.parse(Path(__file__).with_name(f"{name}.py").read_text())
    imported = {
        node.module.split(".")[0] for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module
    }
    imported |= {
        alias.name.split(".")[0] for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names
    }
    assert imported & {"harnd", "harnctl", "protocol"} == set()


def test_a_world_follows_from_its_seed():
    assert generate(7) == generate(7)
    assert len({str(generate(seed)) for seed in range(20)}) == 20


def features(world):
    """What a world holds, read off its missions."""
    items = [item for mission in world.missions for item in mission.items()]
    troubles = {trouble for item in items for trouble in item.troubles}
    plannings = {request.planning for mission in world.missions for request in mission.requests}
    deeds = {type(deed) for item in items for deed in item.deeds}
    held = {
        "a clash": any(item.clashes_with for item in items),
        "a merge": sum(deed.path == "table.txt" for item in items for deed in item.deeds) > 1,
        "attempts used up": any(
            len(item.troubles) >= mission.max_attempts and item.fate is Fate.DONE
            for mission in world.missions
            for item in mission.items()
        ),
        "an item given up": any(item.fate is Fate.GIVEN_UP for item in items),
        "a goal cancelled in the middle": any(item.fate is Fate.ENDLESS for item in items),
        "two goals at once": len(world.missions) > 1,
        "a rejected plan": Planning.REJECTED in plannings,
        "a question": Planning.QUESTION in plannings,
        "a planner that talks garbage": bool(plannings & {Planning.GARBAGE, Planning.MUTE}),
        "a finding in review": any(item.finding is Finding.IN_REVIEW for item in items),
        "a finding on integrated work": any(item.finding is Finding.INTEGRATED for item in items),
        "a finding on a finished mission": any(item.finding is Finding.FINISHED for item in items),
        "a recovery": any(item.fate is Fate.LOST for item in items),
        "a hook that formats": world.hook.formats,
        "a hook that refuses": world.hook.refuses and Trouble.HOOK in troubles,
        "an agent that falls silent": Trouble.STALL in troubles,
        "an agent that talks without end": Trouble.ENDLESS_TALK in troubles,
        "a link, a program, a deletion": {Link, Delete} <= deeds,
        "a flaky proof": any(item.template == Kind.FLAKY for item in items),
        "a proof that must fail first": any(item.template == Kind.RED for item in items),
        "something prepared and kept": any(item.template == Kind.KEPT for item in items),
        "the operator's own graph": any(mission.own for mission in world.missions),
        "blocked work that harnd would try again": any(
            mission.retries and any(len(item.troubles) >= mission.max_attempts for item in mission.items())
            for mission in world.missions
        ),
    }
    return {name for name, holds in held.items() if holds}


@pytest.mark.parametrize("seed", range(200))
def test_a_world_holds_what_it_says(seed):
    world = generate(seed)
    assert world.specials - features(world) == set()


def test_twenty_worlds_in_a_row_hold_everything():
    worlds = [generate(seed) for seed in range(20)]
    assert set().union(*map(features, worlds)) == set(SPECIALS)
    items = [item for world in worlds for mission in world.missions for item in mission.items()]
    assert {trouble for item in items for trouble in item.troubles} == set(Trouble)
    assert {len(mission.steps) for world in worlds for mission in world.missions} >= {1, 2, 3}


@pytest.mark.parametrize("seed", range(200))
def test_every_plan_can_be_carried_out(seed):
    """Names are used once, needs come first, and the last item of a step is the only one that nobody needs."""
    for mission in generate(seed).missions:
        known: set[str] = set()
        for step in mission.steps:
            for item in step:
                assert set(item.needs) <= known
                known.add(item.key)
            needed = {key for item in step for key in item.needs}
            assert [item.key for item in step if item.key not in needed] == [step[-1].key]
            assert step[-1].template != "inner"
        written = [deed.path for item in mission.items() for deed in item.deeds if deed.path not in BASE]
        assert len(written) == len(set(written))
