"""A worktree is whole or not there, wherever a crash struck; nobody else's is touched."""

import shutil
from pathlib import Path

import pytest

from harnd.ports.errors import UnavailableError
from tests.kit.repositories import FIRST, GitHouse, place

BRANCH = "refs/heads/harn-attempt/billing/p1.export.1"


async def opened(house: GitHouse) -> str:
    return await house.workspace.open_worktree(place(house), house.base)


async def test_it_lies_under_the_state_and_says_whose_it_is(house: GitHouse):
    assert await opened(house) == f"{house.state}/worktrees/billing/p1.export.1/work"


async def test_a_checkout_cut_short_is_made_anew(house: GitHouse):
    where = await opened(house)
    house.write(str(house.administration(where)), "locked", b"initializing")
    house.remove(where, "README.md")
    assert await opened(house) == where
    assert house.read(where) == FIRST
    assert "locked" not in house.git("worktree", "list", "--porcelain")


async def test_a_branch_without_a_worktree_gets_one_and_keeps_its_commits(house: GitHouse):
    where = await opened(house)
    house.write(where, "a.txt", b"a")
    own = house.commit("agent: a", at=where)
    house.git("worktree", "remove", "--force", where)
    assert house.read(await opened(house)) == {**FIRST, "a.txt": b"a"}
    assert house.refs()[BRANCH] == own


@pytest.mark.parametrize("damage", ["unlinked", "unregistered", "both", "adopted by half"])
async def test_work_under_way_outlives_whatever_tied_it_to_the_repository(house: GitHouse, damage: str):
    where = await opened(house)
    administration = house.administration(where)
    house.write(where, "a.txt", b"a")
    if damage in ("unlinked", "both"):
        house.remove(where, ".git")
    if damage != "unlinked":
        shutil.rmtree(administration)
    if damage == "adopted by half":
        house.git("worktree", "add", "--quiet", "--no-checkout", f"{where}.blank", place(house).branch)
    assert await opened(house) == where
    assert house.read(where) == {**FIRST, "a.txt": b"a"}
    assert house.git("symbolic-ref", "HEAD", at=where).strip() == BRANCH
    listed = house.git("worktree", "list", "--porcelain").splitlines()
    assert [line for line in listed if "p1.export" in line and line.startswith("worktree ")] == [f"worktree {where}"]


async def test_a_directory_that_is_no_worktree_is_set_aside(house: GitHouse):
    where = f"{house.state}/worktrees/billing/p1.export.1/work"
    house.write(where, "somebody.txt", b"mine")
    assert house.read(await opened(house)) == FIRST
    assert house.read(f"{where}.aside-1") == {"somebody.txt": b"mine"}


async def test_a_branch_checked_out_elsewhere_is_told_with_the_place(house: GitHouse, tmp_path: Path):
    house.git("worktree", "add", "--quiet", "-b", place(house).branch, str(tmp_path / "elsewhere"))
    with pytest.raises(UnavailableError, match=str(tmp_path / "elsewhere")):
        await opened(house)


async def test_other_missing_worktrees_stay_registered(house: GitHouse, tmp_path: Path):
    unplugged = tmp_path / "unplugged"
    house.git("worktree", "add", "--quiet", "-b", "disk", str(unplugged))
    shutil.rmtree(unplugged)
    await house.workspace.discard(place(house)) if await opened(house) else None
    assert str(unplugged) in house.git("worktree", "list", "--porcelain")


def read_only(folder: Path) -> None:
    folder.chmod(0o500)


async def test_a_checkout_replaces_what_cannot_be_written(house: GitHouse):
    """A module cache is read-only, and cannot be removed before it is made writable."""
    where = await house.workspace.checkout(place(house), house.base, "proof")
    house.write(where, "cache/module/file.txt", b"cached")
    for folder in ("cache/module", "cache"):
        read_only(Path(where, folder))
    assert await house.workspace.checkout(place(house), house.base, "proof") == where
    assert house.read(where) == FIRST


@pytest.mark.parametrize("purpose", ["work", "../x", "", "a/b", ".git"])
async def test_a_purpose_is_a_plain_name(house: GitHouse, purpose: str):
    with pytest.raises(ValueError, match="no name for a checkout"):
        await house.workspace.checkout(place(house), house.base, purpose)


async def test_a_sparse_checkout_of_the_operators_does_not_make_attempts_sparse(house: GitHouse):
    house.git("sparse-checkout", "set", "docs")
    where = await opened(house)
    assert house.read(where) == FIRST
    house.write(where, "a.txt", b"a")
    house.git("add", "--all", at=where)
    assert house.git("status", "--porcelain", at=where).strip() == "A  a.txt"
