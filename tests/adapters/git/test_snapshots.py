"""A snapshot is the tree of the recording that would be made now, and a look that leaves everything where it was."""

import os
from pathlib import Path

import pytest

from harnd.adapters.git import files
from harnd.ports.errors import MissingError
from harnd.ports.workspace import Recording, Refused, Snapshot
from tests.kit.repositories import FIRST, GitHouse, place


async def opened(house: GitHouse) -> str:
    return await house.workspace.open_worktree(place(house), house.base)


async def seen(house: GitHouse) -> Snapshot:
    """Take a snapshot twice, and see that it left everything as it was and says the same."""
    before = everything(house)
    snapshot = await house.workspace.snapshot(place(house), house.base)
    assert everything(house) == before
    assert await house.workspace.snapshot(place(house), house.base) == snapshot
    return snapshot


def everything(house: GitHouse) -> dict[str, tuple[str, bytes]]:
    """Read every file in harnd's directory and in the repository, but for objects."""
    found = (file for top in (house.state, house.top) for file in top.rglob("*") if "objects" not in file.parts)
    return {str(file): (files.mode(file), file.read_bytes() if file.is_file() else b"") for file in found}


def link(where: str, name: str, to: str | Path) -> None:
    Path(where, name).symlink_to(to)


def made_at(file: Path) -> int:
    return file.stat().st_mtime_ns


def set_time(file: Path, at: int) -> None:
    os.utime(file, ns=(at, at))


def make_directory(path: Path) -> None:
    path.mkdir()


def content(house: GitHouse, snapshot: Snapshot) -> dict[str, bytes]:
    return house.content(snapshot.tree)


async def assert_recorded_alike(house: GitHouse, snapshot: Snapshot) -> None:
    recording = await house.workspace.record(place(house), house.base, "Work")
    assert isinstance(recording, Recording)
    assert Snapshot(recording.tree, recording.changed) == snapshot


# --- what an agent did with commits, branches and the index


async def test_commits_of_the_agent_and_a_detached_head_are_seen_through_and_left(house: GitHouse):
    where = await opened(house)
    house.git("checkout", "--quiet", "--detach", at=where)
    house.write(where, "a.txt", b"a")
    own = house.commit("agent: a", at=where)
    house.write(where, "b.txt", b"b")
    snapshot = await seen(house)
    assert snapshot.changed == ("a.txt", "b.txt")
    assert house.git("rev-parse", "HEAD", at=where).strip() == own
    await assert_recorded_alike(house, snapshot)


async def test_what_is_staged_stays_staged(house: GitHouse):
    where = await opened(house)
    house.write(where, "a.txt", b"a")
    house.git("add", "a.txt", at=where)
    house.write(where, "a.txt", b"later")
    status = house.git("status", "--porcelain", at=where)
    snapshot = await seen(house)
    assert house.git("status", "--porcelain", at=where) == status == "AM a.txt\n"
    assert content(house, snapshot)["a.txt"] == b"later"
    await assert_recorded_alike(house, snapshot)


@pytest.mark.parametrize("locked", ["index", "HEAD"])
async def test_a_lock_left_by_a_killed_git_is_in_nobodys_way(house: GitHouse, locked: str):
    where = await opened(house)
    house.write(where, "a.txt", b"a")
    lock = house.lock(house.administration(where) / locked)
    snapshot = await seen(house)
    assert files.exists(lock)
    await assert_recorded_alike(house, snapshot)


async def test_what_a_snapshot_that_was_cut_short_left_is_cleared(house: GitHouse):
    where = await opened(house)
    house.write(where, "a.txt", b"a")
    left = Path(f"{where}.snapshot")
    house.write(str(left.parent), left.name, b"half an index")
    house.lock(left)
    assert (await house.workspace.snapshot(place(house), house.base)).changed == ("a.txt",)
    assert not files.exists(left)
    assert not files.exists(Path(f"{left}.lock"))


async def test_a_broken_index_is_read_past_and_left(house: GitHouse):
    where = await opened(house)
    house.write(where, "a.txt", b"a")
    house.write(str(house.administration(where)), "index", b"not an index")
    await assert_recorded_alike(house, await seen(house))


@pytest.mark.parametrize("flag", ["--assume-unchanged", "--skip-worktree"])
async def test_changes_hidden_by_an_index_flag_are_seen(house: GitHouse, flag: str):
    where = await opened(house)
    house.git("update-index", flag, "README.md", at=where)
    house.write(where, "README.md", b"hidden")
    snapshot = await seen(house)
    assert snapshot.changed == ("README.md",)
    await assert_recorded_alike(house, snapshot)


async def test_a_change_within_the_moment_of_the_last_one_is_seen(house: GitHouse):
    """Same size and same time: only by the index's own time does git know that it must read the file again."""
    where = await opened(house)
    house.git("config", "core.trustctime", "false")
    file, index = Path(where, "README.md"), house.administration(where) / "index"
    at = made_at(file)
    house.write(where, "README.md", FIRST["README.md"].replace(b"o", b"i"))
    for each in (file, index):
        set_time(each, at)
    assert (await seen(house)).changed == ("README.md",)


@pytest.mark.parametrize("damage", ["removed", "replaced", "repository"])
async def test_a_damaged_link_to_the_repository_is_no_obstacle_and_left(house: GitHouse, damage: str):
    where = await opened(house)
    house.remove(where, ".git")
    if damage == "replaced":
        house.write(where, ".git", b"nonsense")
    elif damage == "repository":
        house.git("init", "--quiet", at=where)
    house.write(where, "a.txt", b"a")
    await assert_recorded_alike(house, await seen(house))


async def test_a_lost_registration_is_no_obstacle(house: GitHouse):
    where = await opened(house)
    house.write(where, "a.txt", b"a")
    files.remove_tree(house.administration(where))
    await assert_recorded_alike(house, await seen(house))


# --- what an agent did with files


async def test_ignored_files_are_left_out_unless_they_were_added_by_force(house: GitHouse):
    where = await opened(house)
    house.write(where, ".gitignore", b"*.log\n")
    house.write(where, "debug.log", b"noise")
    house.write(where, "kept.log", b"wanted")
    house.git("add", "--force", "kept.log", at=where)
    house.write(where, "kept.log", b"wanted, later")
    snapshot = await seen(house)
    assert snapshot.changed == (".gitignore", "kept.log")
    await assert_recorded_alike(house, snapshot)


async def test_kinds_of_files_count_as_content(house: GitHouse):
    where = await opened(house)
    link(where, "link", "README.md")
    house.program(Path(where, "src/main.py"), "echo hello")
    os.mkfifo(Path(where, "pipe"))
    house.remove(where, "README.md")
    house.write(where, "README.md/now.txt", b"a directory")
    snapshot = await seen(house)
    assert snapshot.changed == ("README.md", "README.md/now.txt", "link", "src/main.py")
    await assert_recorded_alike(house, snapshot)


async def test_names_that_are_no_text_are_kept(house: GitHouse):
    where = await opened(house)
    name = os.fsdecode(b"caf\xe9\n.txt")
    house.write(where, name, b"x")
    snapshot = await seen(house)
    assert snapshot.changed == (name,)
    await assert_recorded_alike(house, snapshot)


async def test_very_many_files_are_seen(house: GitHouse):
    where = await opened(house)
    for number in range(5000):
        house.write(where, f"many/{number % 50}/{number}.txt", b"%d" % number)
    snapshot = await house.workspace.snapshot(place(house), house.base)
    assert len(snapshot.changed) == 5000
    await assert_recorded_alike(house, snapshot)


@pytest.mark.parametrize("commits", [True, False], ids=["with-commits", "without"])
async def test_a_repository_made_inside_is_seen_as_its_files_and_left(house: GitHouse, commits: bool):
    where = await opened(house)
    house.write(where, ".gitignore", b"node_modules/\n")
    house.write(where, "app/package.json", b"{}")
    house.write(where, "app/node_modules/x.js", b"noise")
    house.write(where, "app/.gitignore", b"*.tmp\n")
    house.write(where, "app/a.tmp", b"noise")
    house.write(where, "app/inner/deep.txt", b"deep")
    link(where, "app/link", "inner")
    os.mkfifo(Path(where, "app/pipe"))
    house.remove(where, "src/main.py")
    house.git("init", "--quiet", at=f"{where}/app/inner")
    house.git("init", "--quiet", at=f"{where}/app")
    if commits:
        house.git("add", "package.json", at=f"{where}/app")
        house.git("-c", "user.name=x", "-c", "user.email=x@x", "commit", "--quiet", "-m", "scaffold", at=f"{where}/app")
    snapshot = await seen(house)
    paths = (".gitignore", "app/.gitignore", "app/inner/deep.txt", "app/link", "app/package.json", "src/main.py")
    assert snapshot.changed == paths
    assert files.exists(Path(where, "app/inner/.git"))
    await assert_recorded_alike(house, snapshot)


@pytest.mark.parametrize("state", ["whole", "emptied", "gone"])
async def test_a_submodule_stays_one(house: GitHouse, tmp_path: Path, state: str):
    other = GitHouse(tmp_path / "other")
    where = await opened(house)
    house.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", other.path, "lib", at=where)
    house.write(where, "app/package.json", b"{}")
    house.git("init", "--quiet", at=f"{where}/app")  # beside it, a repository that is none
    if state != "whole":
        files.remove_tree(Path(where, "lib"))
    if state == "emptied":
        make_directory(Path(where, "lib"))
    snapshot = await seen(house)
    if state == "whole":
        assert house.git("ls-tree", snapshot.tree, "lib").startswith("160000 commit")
    await assert_recorded_alike(house, snapshot)


# --- what a recording would refuse


async def test_a_clone_is_refused_by_a_recording_and_seen_as_its_files(house: GitHouse):
    where = await opened(house)
    house.git("clone", "--quiet", house.path, "vendor/lib", at=where)
    snapshot = await seen(house)
    assert snapshot.changed == ("vendor/lib/README.md", "vendor/lib/src/main.py")
    house.write(where, "vendor/lib/README.md", b"other")
    assert (await seen(house)).tree != snapshot.tree
    assert isinstance(await house.workspace.record(place(house), house.base, "Work"), Refused)


async def test_conflicts_are_seen_with_their_markers(house: GitHouse):
    where = await opened(house)
    house.git("checkout", "--quiet", "-b", "theirs", at=where)
    house.write(where, "README.md", b"# Theirs\n")
    theirs = house.commit("theirs", at=where)
    house.git("checkout", "--quiet", place(house).branch, at=where)
    house.write(where, "README.md", b"# Ours\n")
    house.commit("ours", at=where)
    house.git("merge", theirs, at=where, check=False)
    assert b"<<<<<<<" in content(house, await seen(house))["README.md"]
    assert "Unmerged paths" in house.git("status", at=where)


async def test_a_pointer_whose_filter_is_not_there_is_seen_as_it_is(house: GitHouse):
    pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 5\n"
    house.git("config", "filter.lfs.process", "/nowhere/git-lfs filter-process")
    house.git("config", "filter.lfs.clean", "/nowhere/git-lfs clean")
    house.git("config", "filter.lfs.required", "true")
    where = await opened(house)
    house.write(where, ".gitattributes", b"*.bin filter=lfs\n")
    house.write(where, "app/a.bin", pointer)
    house.git("init", "--quiet", at=f"{where}/app")
    snapshot = await seen(house)
    assert content(house, snapshot) == {**FIRST, ".gitattributes": b"*.bin filter=lfs\n", "app/a.bin": pointer}
    assert isinstance(await house.workspace.record(place(house), house.base, "Work"), Refused)


async def test_a_filter_has_its_say_as_in_a_recording(house: GitHouse):
    house.git("config", "filter.loud.clean", "tr a-z A-Z")
    where = await opened(house)
    house.write(where, ".gitattributes", b"*.txt filter=loud\n")
    house.write(where, "a.txt", b"words")
    snapshot = await seen(house)
    assert content(house, snapshot)["a.txt"] == b"WORDS"
    await assert_recorded_alike(house, snapshot)


@pytest.mark.parametrize("nested", [True, False], ids=["in-a-repository", "plain"])
async def test_a_file_that_vanishes_while_git_reads_is_met_by_looking_again(house: GitHouse, nested: bool):
    where = await opened(house)
    house.git("config", "filter.eats.clean", f"rm -f '{where}/app/z.txt'; cat")
    house.write(where, ".gitattributes", b"*.eat filter=eats\n")
    for name in ("app/a.eat", "app/z.txt"):
        house.write(where, name, b"x")
    if nested:
        house.git("init", "--quiet", at=f"{where}/app")
    snapshot = await house.workspace.snapshot(place(house), house.base)
    assert snapshot.changed == (".gitattributes", "app/a.eat")
    await assert_recorded_alike(house, snapshot)


async def test_no_hook_runs(house: GitHouse):
    ran = house.top.parent / "ran"
    where = await opened(house)
    for name in ("pre-commit", "post-index-change", "reference-transaction"):
        house.hook(name, f"echo {name} >> {ran}")
    house.write(where, "a.txt", b"a")
    await seen(house)
    assert not files.exists(ran)


async def test_a_worktree_that_is_a_link_to_another_place_is_none(house: GitHouse, tmp_path: Path):
    where = await opened(house)
    files.remove_tree(Path(where))
    link(where, "", tmp_path)
    with pytest.raises(MissingError):
        await house.workspace.snapshot(place(house), house.base)
