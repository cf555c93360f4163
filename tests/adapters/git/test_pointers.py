"""Which files are pointers of git-lfs, whatever an agent left them as; and what the setting is read from."""

from pathlib import Path

import pytest

from harnd.adapters.git import files
from harnd.ports.errors import UnavailableError
from harnd.ports.workspace import Recording
from tests.kit.repositories import FIRST, GitHouse, place

POINTER = b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 5\n"


def link(where: str, name: str, to: str) -> None:
    Path(where, name).symlink_to(to)


async def opened(house: GitHouse) -> str:
    where = await house.workspace.open_worktree(place(house), house.base)
    house.write(where, ".gitattributes", b"*.bin filter=lfs\n")
    return where


async def test_only_small_files_of_git_lfs_that_begin_as_a_pointer_are_one(house: GitHouse):
    where = await opened(house)
    house.write(where, "yes.bin", POINTER)
    house.write(where, "quoted.md", POINTER)
    house.write(where, "content.bin", b"\0" + POINTER)
    house.write(where, "long.bin", POINTER.ljust(1024))
    house.write(where, "longest.bin", POINTER.ljust(1023))
    house.write(where, "empty.bin", b"")
    link(where, "link.bin", "yes.bin")
    assert await house.workspace.pointers(place(house)) == ("longest.bin", "yes.bin")


async def test_names_are_names_and_a_file_that_is_gone_is_none(house: GitHouse):
    where = await opened(house)
    for name in (":(top)x.bin", "new\nline.bin", "gone.bin"):
        house.write(where, name, POINTER)
    house.git("-c", "filter.lfs.clean=cat", "add", "--all", at=where)
    house.remove(where, "gone.bin")
    assert await house.workspace.pointers(place(house)) == (":(top)x.bin", "new\nline.bin")


async def test_a_lock_and_a_broken_index_are_in_nobodys_way(house: GitHouse):
    where = await opened(house)
    house.write(where, "a.bin", POINTER)
    index = house.administration(where) / "index"
    house.write(str(index.parent), "index", b"not an index")
    lock = house.lock(index)
    assert await house.workspace.pointers(place(house)) == ("a.bin",)
    assert files.exists(lock)
    assert index.read_bytes() == b"not an index"


async def test_the_setting_holds_from_when_it_is_made_until_it_is_taken_back(house: GitHouse):
    house.write(house.path, ".gitattributes", b"*.bin filter=lfs\n")
    house.write(house.path, "a.bin", POINTER)
    house.base = house.commit("large")
    house.git("config", "filter.lfs.smudge", "/nowhere/git-lfs smudge")
    house.git("config", "filter.lfs.process", "/nowhere/git-lfs filter-process")
    with pytest.raises(UnavailableError):
        await house.workspace.open_worktree(place(house), house.base)
    house.git("config", "harnd.lfsPointers", "yes")
    where = await house.workspace.open_worktree(place(house), house.base)
    assert house.read(where) == {**FIRST, ".gitattributes": b"*.bin filter=lfs\n", "a.bin": POINTER}
    assert isinstance(await house.workspace.record(place(house), house.base, "Nothing"), Recording)
    await house.workspace.surroundings(house.path)
    for value in ("no", "perhaps"):
        house.git("config", "harnd.lfsPointers", value)
        with pytest.raises(UnavailableError):
            await house.workspace.open_worktree(place(house, attempt=2), house.base)
