"""What is in harnd's way is found before anything starts, and told with what to do about it."""

import os
from pathlib import Path

import pytest

from harnd.ports.workspace import Trouble
from tests.kit.repositories import GitHouse, open_workspace


async def trouble(house: GitHouse, path: str | Path | None = None, ref: str = "main") -> str:
    """Return the code of the trouble, after looking that it says what to do."""
    found = await house.workspace.examine(str(path or house.path), ref)
    assert isinstance(found, Trouble)
    assert "; " in found.message
    return found.code


@pytest.mark.parametrize("ref", ["main", "HEAD", "refs/heads/main", "v1", "main~0"])
async def test_any_name_of_a_commit_resolves_to_it(house: GitHouse, ref: str):
    house.git("tag", "--annotate", "--message", "one", "v1")
    assert await house.workspace.examine(house.path, ref) == (house.base, house.path)


def link(path: Path, to: Path) -> Path:
    path.symlink_to(to)
    return path


async def test_a_folder_inside_and_a_link_lead_to_the_top(house: GitHouse, tmp_path: Path):
    for path in (house.top / "src", link(tmp_path / "link", house.top)):
        assert await house.workspace.examine(str(path), "main") == (house.base, house.path)


async def test_a_linked_worktree_of_the_operators_is_a_repository_of_its_own_place(house: GitHouse):
    other = house.top.with_name("other")
    house.git("worktree", "add", "--quiet", "-b", "side", str(other))
    assert await house.workspace.examine(str(other), "HEAD") == (house.base, str(other))


async def test_shallow_clones_and_submodules_are_no_trouble(house: GitHouse):
    house.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", house.path, "lib")
    tip, clone = house.commit("with a submodule"), house.top.with_name("clone")
    house.git("clone", "--quiet", "--depth=1", f"file://{house.path}", str(clone))
    assert await house.workspace.examine(str(clone), "main") == (tip, str(clone))


@pytest.mark.parametrize("ref", ["nope", "", "-x", "--all", "main^{tree}", "a b"])
async def test_a_ref_that_names_no_commit(house: GitHouse, ref: str):
    assert await trouble(house, ref=ref) == "workspace.no_ref"


async def test_no_directory(house: GitHouse, tmp_path: Path):
    assert await trouble(house, tmp_path / "absent") == "workspace.no_directory"


async def test_the_files_of_a_repository_are_no_checkout(house: GitHouse):
    assert await trouble(house, house.top / ".git") == "workspace.no_checkout"


async def test_a_bare_repository(house: GitHouse, tmp_path: Path):
    house.git("init", "--quiet", "--bare", str(tmp_path / "bare"))
    assert await trouble(house, tmp_path / "bare") == "workspace.bare"


async def test_a_repository_without_a_commit(house: GitHouse, tmp_path: Path):
    house.git("init", "--quiet", "--initial-branch=main", str(tmp_path / "new"))
    assert await trouble(house, tmp_path / "new") == "workspace.no_commit"


async def test_a_broken_configuration(house: GitHouse):
    (house.top / ".git/config").write_text("[core\n")
    assert await trouble(house) == "workspace.unreadable"


@pytest.mark.parametrize("name", ["harn", "harn-attempt"])
async def test_a_branch_that_leaves_no_room_for_harnds(house: GitHouse, name: str):
    house.git("branch", name)
    assert await trouble(house) == "workspace.name_taken"


async def test_a_repository_inside_harnds_own_directory(house: GitHouse):
    inside = house.state / "worktrees/clone"
    house.git("clone", "--quiet", house.path, str(inside))
    assert await trouble(house, inside) == "workspace.inside_state"


async def test_harnds_own_directory_inside_a_repository_must_be_ignored(house: GitHouse):
    house.workspace = open_workspace(house.top / ".harnd", house.environ)
    assert await trouble(house) == "workspace.holds_state"
    (house.top / ".git/info/exclude").write_text(".harnd/\n")
    assert await house.workspace.examine(house.path, "main") == (house.base, house.path)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a repository away: run it in a container")
async def test_a_repository_of_another_user(house: GitHouse):
    os.chown(house.top, 12345, 12345)
    os.chown(house.top / ".git", 12345, 12345)
    assert await trouble(house) == "workspace.foreign_owner"


def with_git(house: GitHouse, folder: Path, script: str | None) -> None:
    """Let harnd find only this git."""
    folder.mkdir()
    if script is not None:
        (folder / "git").write_text(f"#!/bin/sh\n{script}\n")
        (folder / "git").chmod(0o755)
    house.workspace = open_workspace(house.state, {"PATH": str(folder)})


async def test_no_git(house: GitHouse, tmp_path: Path):
    with_git(house, tmp_path / "bin", None)
    assert await trouble(house) == "workspace.no_git"


async def test_a_git_that_is_too_old(house: GitHouse, tmp_path: Path):
    with_git(house, tmp_path / "bin", "echo git version 2.37.9")
    assert await trouble(house) == "workspace.old_git"


@pytest.mark.parametrize("program", ["no-such-crypt", "'no-such-crypt'", '"no-such-crypt"'])
async def test_a_required_filter_of_the_repositorys_own(house: GitHouse, program: str):
    house.write(house.path, "secrets/.gitattributes", b"*.key filter=crypt diff=crypt\n")
    house.commit("encrypt")
    house.git("config", "filter.crypt.required", "true")
    house.git("config", "filter.crypt.smudge", f"{program} smudge")
    found = await house.workspace.examine(house.path, "main")
    assert isinstance(found, Trouble)
    assert (found.code, "install no-such-crypt" in found.message) == ("workspace.no_filter", True)


async def test_a_filter_that_may_be_absent_is_no_trouble(house: GitHouse):
    house.write(house.path, ".gitattributes", b"*.ipynb filter=strip\n")
    tip = house.commit("strip")
    house.git("config", "filter.strip.clean", "no-such-strip")
    assert await house.workspace.examine(house.path, "main") == (tip, house.path)


async def test_a_path_that_no_system_call_takes_is_no_directory(house: GitHouse, tmp_path: Path):
    assert await trouble(house, tmp_path / ("a" * 300)) == "workspace.no_directory"
    assert await trouble(house, tmp_path / "a\0b") == "workspace.no_directory"
    assert await trouble(house, tmp_path / "\ud800") == "workspace.no_directory"


async def test_a_repository_whose_path_is_no_text_is_refused(house: GitHouse, tmp_path: Path):
    house.top.rename(tmp_path / "odd\udcff")
    assert await trouble(house, link(tmp_path / "way", tmp_path / "odd\udcff")) == "workspace.unreadable"


async def test_a_path_that_is_no_text_is_told_in_text(house: GitHouse, tmp_path: Path):
    odd = house.top.rename(tmp_path / os.fsdecode(b"shop\xff"))
    found = await house.workspace.examine(str(link(tmp_path / "link", odd)), "main")
    assert isinstance(found, Trouble)
    assert (found.code, found.message.encode().count(rb"shop\xff")) == ("workspace.unreadable", 1)
