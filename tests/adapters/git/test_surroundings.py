"""What an agent does outside its own branch is seen; what is harnd's is put back, all else reported."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from protocol.ids import CommitId, GoalId
from tests.kit.repositories import BILLING, GitHouse, place

Deed = Callable[[GitHouse], object]


async def after(house: GitHouse, deed: Deed) -> list[str]:
    """Return the first words of what is reported once `deed` is done."""
    before = await house.workspace.surroundings(house.path)
    deed(house)
    return [line.split(":")[0] for line in await house.workspace.restore(house.path, before)]


def commit_in_checkout(house: GitHouse) -> None:
    house.write(house.path, "README.md", b"committed")
    house.commit("in the operator's checkout")


def stash(house: GitHouse) -> None:
    house.write(house.path, "README.md", b"x")
    house.git("stash")


def stage(house: GitHouse) -> None:
    house.write(house.path, "README.md", b"x")
    house.git("add", "README.md")


DEEDS: dict[str, tuple[Deed, list[str]]] = {
    "nothing": (lambda _: None, []),
    "reads": (lambda house: house.git("status"), []),
    "tag": (lambda house: house.git("tag", "v1"), ["ref"]),
    "stash": (stash, ["ref"]),
    "commit": (commit_in_checkout, ["ref"]),
    "config": (lambda house: house.git("config", "alias.x", "!true"), ["config"]),
    "attributes": (lambda house: house.write(house.path, ".git/info/attributes", b"* filter=x"), ["config"]),
    "hook": (lambda house: house.hook("post-checkout", "true"), ["hooks"]),
    "mode": (lambda house: (house.top / "README.md").chmod(0o755), ["checkout"]),
    "untracked": (lambda house: house.write(house.path, "new/deep/file.txt", b"x"), ["checkout"]),
    "removed": (lambda house: house.remove(house.path, "README.md"), ["checkout"]),
    "staged": (stage, ["checkout"]),
    "switched": (lambda house: house.git("checkout", "--quiet", "-b", "other"), ["ref", "head"]),
    "detached": (lambda house: house.git("checkout", "--quiet", "--detach"), ["head"]),
}


@pytest.mark.parametrize("deed", DEEDS)
async def test_a_deed_outside_the_branch_is_seen_for_what_it_is(house: GitHouse, deed: str):
    do, words = DEEDS[deed]
    assert await after(house, do) == words


async def test_an_edit_of_a_file_that_was_already_edited_is_seen(house: GitHouse):
    house.write(house.path, "README.md", b"by the operator")
    assert await after(house, lambda h: h.write(h.path, "README.md", b"by an agent....")) == ["checkout"]


async def test_the_edited_files_are_named(house: GitHouse):
    before = await house.workspace.surroundings(house.path)
    house.write(house.path, "README.md", b"x")
    house.write(house.path, "new\nline", b"x")
    [line] = await house.workspace.restore(house.path, before)
    assert line.endswith("changed: 'README.md', 'new\\nline'")


async def test_a_hook_outside_the_default_folder_is_seen(house: GitHouse):
    house.git("config", "core.hooksPath", ".husky")
    assert await after(house, lambda h: h.hook("pre-commit", "true", ".husky")) == ["hooks", "checkout"]


async def test_looking_leaves_the_operators_index_alone(house: GitHouse):
    index = house.top / ".git/index"
    (house.top / "README.md").touch()
    before = index.read_bytes()
    await house.workspace.surroundings(house.path)
    assert index.read_bytes() == before


async def test_settings_of_the_operators_do_not_run_programs(house: GitHouse, tmp_path: Path):
    spy = tmp_path / "spy"
    spy.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\n")
    spy.chmod(0o755)
    house.git("config", "core.fsmonitor", str(spy))
    await house.workspace.surroundings(house.path)
    assert not (tmp_path / "ran").exists()


async def test_settings_of_the_operators_do_not_change_what_is_read(house: GitHouse):
    stash(house)
    for name, value in (("status.showStash", "true"), ("status.branch", "true"), ("color.ui", "always")):
        house.git("config", name, value)
    assert await after(house, lambda h: h.write(h.path, "README.md", b"y")) == ["checkout"]


def moved(house: GitHouse) -> CommitId:
    """Make a commit that nobody integrated."""
    tree = f"{house.base}^{{tree}}"
    return CommitId(house.git("commit-tree", "-p", house.base, "-m", "by an agent", tree).strip())


async def test_a_commit_that_a_goals_branch_is_taken_off_is_kept(house: GitHouse):
    await house.workspace.open_branch(house.path, BILLING, house.base)
    fake = moved(house)
    assert await after(house, lambda h: h.set_ref("refs/heads/harn/billing", fake)) == ["undone"]
    assert house.refs()[f"refs/harnd/rescue/billing/moved/commit-{fake}"] == fake


async def test_a_forged_memory_is_not_believed(house: GitHouse):
    """An agent that moves the branch back, and harnd's memory of it too, is found out by what it was before."""
    await house.workspace.open_branch(house.path, BILLING, house.base)
    ahead = moved(house)
    await house.workspace.advance(house.path, BILLING, house.base, ahead)

    def rewind(house: GitHouse) -> None:
        house.set_ref("refs/heads/harn/billing", house.base)
        house.set_ref("refs/harnd/goals/billing", house.base)

    assert await after(house, rewind) == ["undone"]
    assert await house.workspace.branch(house.path, BILLING) == ahead


async def test_a_goal_that_starts_meanwhile_is_no_difference(house: GitHouse):
    before = await house.workspace.surroundings(house.path)
    await house.workspace.open_branch(house.path, GoalId("search"), house.base)
    await house.workspace.open_worktree(place(house, goal=GoalId("search")), house.base)
    assert await house.workspace.restore(house.path, before) == ()


async def test_what_is_told_of_a_name_that_is_no_text_can_be_stored(house: GitHouse):
    before = await house.workspace.surroundings(house.path)
    house.git("update-ref", os.fsdecode(b"refs/heads/w\xff"), house.base)
    [line] = await house.workspace.restore(house.path, before)
    assert line == rf"ref: refs/heads/w\xff was absent and is {house.base}"


async def test_a_branch_of_the_operators_under_harnds_name_is_told_and_left_alone(house: GitHouse):
    house.git("branch", "harn/yesterday")
    before = await house.workspace.surroundings(house.path)
    house.git("switch", "--quiet", "--create", "harn/idea")
    commit_in_checkout(house)
    house.git("branch", "--delete", "harn/yesterday")
    tip = house.git("rev-parse", "HEAD").strip()
    lines = await house.workspace.restore(house.path, before)
    assert [line.split(":")[0] for line in lines] == ["ref", "ref", "head"]
    assert house.refs() == {"refs/heads/main": house.base, "refs/heads/harn/idea": tip}


async def test_a_goals_branch_that_the_operator_has_checked_out_is_not_moved_under_them(house: GitHouse):
    await house.workspace.open_branch(house.path, BILLING, house.base)
    house.git("switch", "--quiet", "harn/billing")
    assert await after(house, commit_in_checkout) == ["ref"]
    assert house.git("status", "--porcelain") == ""


async def test_a_goals_branch_that_is_deleted_with_its_record_comes_back_while_an_attempt_runs(house: GitHouse):
    await house.workspace.open_branch(house.path, BILLING, house.base)
    await house.workspace.open_worktree(place(house), house.base)

    def forget(house: GitHouse) -> None:
        house.set_ref("refs/heads/harn/billing", None)
        house.set_ref("refs/harnd/goals/billing", None)

    assert await after(house, forget) == ["undone"]
    assert await house.workspace.branch(house.path, BILLING) == house.base
