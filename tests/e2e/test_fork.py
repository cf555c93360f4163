"""Goals that go on from another: from its branch, knowing what was accepted there, in any phase of it."""

import pytest

from harnctl.client import Refused, new_key
from protocol.ids import GoalId
from protocol.requests import CancelGoal, ShowGoal
from protocol.values import Phase
from tests.kit.daemons import BILLING, Home, follow
from tests.kit.own_graphs import HEAD, WORK, accept, create, harnctl, request

pytestmark = pytest.mark.timeout(120)

CHILD = GoalId("billing-2")
UNSAID = HEAD.replace('base = "main"\n', "")  # where it starts from
MORE = """
[[work]]
key = "export"
title = "Export them otherwise"
objective = "Bills are exported."
acceptance = ["It is there."]
template = "change"
"""


def half_done(home: Home) -> None:
    """A goal whose first item is on its branch, and whose second is being worked on or in review."""
    home.start()
    create(home, HEAD + WORK)
    accept(home, "p0.lines")
    with home.client() as client:
        follow(client, "work.integrated", work="p0.lines")


@pytest.mark.parametrize("over", [True, False], ids=["cancelled", "still at work"])
def test_a_goal_goes_on_from_the_branch_of_another_in_any_phase(home, over):
    half_done(home)
    parent = home.show()
    if over:
        with home.client() as client:
            client.ask(CancelGoal(key=new_key(), goal=BILLING, reason="another way"))

    created = create(home, UNSAID + MORE, goal=CHILD, parent=BILLING)

    assert f"It goes on from billing at {parent.head[:12]}, with 1 accepted item." in created.said
    child = home.show(CHILD)
    assert (child.base_ref, child.base_commit) == ("harn/billing", parent.head)
    assert child.parent is not None
    assert (child.parent.goal, child.parent.intent_digest) == (BILLING, parent.intent_digest)
    assert [(one.work, one.title, one.commit) for one in child.parent.accepted] == [
        ("p0.lines", "Write lines", parent.head)
    ]
    accept(home, "p0.export", goal=CHILD)
    with home.client() as client:
        follow(client, "goal.succeeded", goal=CHILD)
        assert client.ask(ShowGoal(CHILD)).phase is Phase.SUCCEEDED
    assert home.git("ls-tree", "--name-only", "harn/billing-2").split() == ["README.md", "billing-2.txt", "billing.txt"]
    assert home.git("rev-parse", "harn/billing") == parent.head


def test_a_file_may_name_the_parent_itself_and_start_elsewhere(home):
    half_done(home)
    create(home, HEAD.replace("base =", 'parent = "billing"\nbase =') + MORE, goal=CHILD)
    child = home.show(CHILD)
    assert (child.base_ref, child.base_commit) == ("main", home.git("rev-parse", "main"))
    assert child.parent is not None
    assert child.parent.goal == BILLING


def test_the_verb_says_what_it_goes_on_from(home):
    half_done(home)
    home.write("goal/next.toml", (UNSAID + MORE).replace("{goal}", CHILD))

    said = harnctl(home, "goal", "fork", "billing", str(home.root / "goal" / "next.toml"))

    assert "created billing-2" in said
    assert "with 1 accepted item" in said
    assert "goes on from" in harnctl(home, "goal", "show", "billing-2")


def test_asking_twice_makes_one_goal(home):
    half_done(home)
    asked = request(home, HEAD + MORE, goal=CHILD, parent=BILLING)
    with home.client() as client:
        assert client.ask(asked) == client.ask(asked)
    assert [tag for goal, tag in home.stored() if goal == CHILD].count("goal.created/1") == 1


@pytest.mark.parametrize(
    ("spoil", "goal", "parent", "code"),
    [
        (("", ""), CHILD, "nobody", "goal.no_parent"),
        (("", ""), BILLING, BILLING, "goal.own_parent"),
        (("base =", 'parent = "another"\nbase ='), CHILD, BILLING, "goal.parent_differs"),
        (("../repository", "../elsewhere"), CHILD, BILLING, "goal.parent_elsewhere"),
    ],
)
def test_what_cannot_be_a_parent_is_refused_and_nothing_is_written(home, spoil, goal, parent, code):
    half_done(home)
    home.write("elsewhere/README.md", "# Elsewhere\n")
    at = home.root / "elsewhere"
    home.git("init", "--quiet", "--initial-branch=main", at=at)
    home.git("add", "--all", at=at)
    home.git("commit", "--quiet", "--message", "first", at=at)
    with pytest.raises(Refused) as refused:
        create(home, (HEAD + MORE).replace(*spoil), goal=goal, parent=parent)
    assert refused.value.code == code
    assert CHILD not in {name for name, _ in home.stored()}
