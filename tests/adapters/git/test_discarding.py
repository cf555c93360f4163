"""Nothing that an attempt made is lost with its worktree."""

import errno
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from harnd.adapters.git import files
from harnd.ports.errors import PortError, UnavailableError
from harnd.ports.workspace import Occupied, Recording, Refused
from protocol.ids import WorkId, rescued_under
from tests.kit.repositories import BILLING, FIRST, GitHouse, place

RESCUE = "refs/harnd/rescue/billing/p1.export.1/"


async def opened(house: GitHouse) -> str:
    await house.workspace.open_branch(house.path, BILLING, house.base)
    return await house.workspace.open_worktree(place(house), house.base)


def kept(house: GitHouse, kind: str) -> list[str]:
    return [to for ref, to in house.refs().items() if ref.startswith(f"{RESCUE}{kind}-")]


async def test_a_commit_that_only_the_log_of_head_remembers_is_kept(house: GitHouse):
    where = await opened(house)
    house.git("checkout", "--quiet", "--detach", at=where)
    house.write(where, "a.txt", b"a")
    own = house.commit("agent: detached", at=where)
    house.git("checkout", "--quiet", place(house).branch, at=where)
    await house.workspace.discard(place(house))
    assert kept(house, "commit") == [own]


async def test_one_ref_keeps_a_line_of_commits(house: GitHouse):
    where = await opened(house)
    made: list[str] = []
    for name in "abc":
        house.write(where, name, b"x")
        made.append(house.commit(f"agent: {name}", at=where))
    await house.workspace.discard(place(house))
    assert kept(house, "commit") == made[-1:]


async def test_a_snapshot_holds_tracked_and_untracked_files_and_no_ignored_ones(house: GitHouse):
    where = await opened(house)
    house.hook("pre-commit", "exit 1")
    house.write(where, ".gitignore", b"*.log\n")
    house.write(where, "debug.log", b"noise")
    house.write(where, "new/file.txt", b"new")
    house.remove(where, "README.md")
    await house.workspace.discard(place(house))
    [snapshot] = kept(house, "snapshot")
    files = {".gitignore": b"*.log\n", "new/file.txt": b"new", "src/main.py": FIRST["src/main.py"]}
    assert house.content(snapshot) == files


async def test_a_snapshot_can_never_be_integrated(house: GitHouse):
    where = await opened(house)
    house.write(where, "draft.txt", b"unseen by any hook")
    await house.workspace.discard(place(house))
    [snapshot] = kept(house, "snapshot")
    later = house.git("commit-tree", "-p", snapshot, "-m", "laundered", f"{snapshot}^{{tree}}").strip()
    for commit in map(type(house.base), (snapshot, later)):
        with pytest.raises(PortError, match="never integrated"):
            await house.workspace.merge(place(house), house.base, commit)
        with pytest.raises(PortError, match="never integrated"):
            await house.workspace.advance(house.path, BILLING, house.base, commit)


async def test_a_worktree_with_somebody_at_work_inside_stays(house: GitHouse):
    where = await opened(house)
    with house.at_work(where):
        await house.workspace.discard(place(house))
        assert house.read(where) == FIRST
    await house.workspace.discard(place(house))
    assert house.read(where) == {}


async def test_a_clone_inside_is_kept_as_its_files(house: GitHouse):
    where = await opened(house)
    house.git("clone", "--quiet", house.path, "vendor", at=where)
    await house.workspace.discard(place(house))
    [snapshot] = kept(house, "snapshot")
    assert house.content(snapshot) == {**FIRST, **{f"vendor/{name}": content for name, content in FIRST.items()}}


async def test_a_worktree_whose_directory_is_gone_is_forgotten_and_its_commits_kept(house: GitHouse):
    where = await opened(house)
    house.write(where, "a.txt", b"a")
    recording = await house.workspace.record(place(house), house.base, "Work")
    assert isinstance(recording, Recording)
    files.rename(Path(where), Path(f"{where}-moved"))
    await house.workspace.discard(place(house))
    assert kept(house, "commit") == [recording.commit]
    assert where not in house.git("worktree", "list", "--porcelain")


async def test_a_discard_cut_short_after_the_directory_was_renamed_is_finished(house: GitHouse):
    where = await opened(house)
    house.write(where, "a.txt", b"a")
    own = house.commit("agent: a", at=where)
    attempt = Path(where).parent
    files.rename(attempt, Path(f"{attempt}.gone"))
    assert await house.workspace.occupied() == (Occupied(BILLING, WorkId("p1.export"), 1),)
    await house.workspace.discard(place(house))
    assert kept(house, "commit") == [own]
    assert files.is_empty(attempt.parent)


async def test_nothing_is_left_on_disk_or_registered(house: GitHouse):
    where = await opened(house)
    await house.workspace.checkout(place(house), house.base, "proof")
    await house.workspace.checkout(place(house), house.base, "integrated")
    await house.workspace.discard(place(house))
    assert files.is_empty(Path(where).parents[1])
    assert house.git("worktree", "list", "--porcelain").count("worktree ") == 1
    assert sorted(house.refs()) == ["refs/harnd/goals/billing", "refs/heads/harn/billing", "refs/heads/main"]


async def test_files_that_cannot_be_removed_stay_and_everything_else_goes(
    house: GitHouse, monkeypatch: pytest.MonkeyPatch
):
    """Files of another user's in a directory of theirs: root, in a container, say."""
    where = await opened(house)

    def refuse(path: Path) -> None:
        if files.exists(path):
            raise PermissionError(errno.EPERM, "Operation not permitted", str(path))

    with monkeypatch.context() as patched:
        patched.setattr(files, "remove_tree", refuse)
        Path(where).with_name("proof").mkdir()
        with pytest.raises(UnavailableError, match="Operation not permitted"):
            await house.workspace.checkout(place(house), house.base, "proof")
        await house.workspace.discard(place(house))
    assert files.exists(Path(f"{Path(where).parent}.gone"))
    assert sorted(house.refs()) == ["refs/harnd/goals/billing", "refs/heads/harn/billing", "refs/heads/main"]
    await house.workspace.discard(place(house))
    assert files.is_empty(Path(where).parents[1])


def link_to_a(where: str) -> None:
    Path(where, "link").symlink_to("a.txt")


def odd_name(where: str) -> None:
    Path(where, "git~1").mkdir()
    Path(where, "git~1/f").write_bytes(b"x")


def special_file(where: str) -> None:
    Path(where, "README.md").unlink()
    os.mkfifo(Path(where, "README.md"))


def absent_filter(where: str) -> None:
    Path(where, ".gitattributes").write_bytes(b"*.bin filter=lfs")
    Path(where, "a.bin").write_bytes(b"x")


def odd_encoding(where: str) -> None:
    Path(where, ".gitattributes").write_bytes(b"*.txt working-tree-encoding=UTF-16")


@pytest.mark.parametrize("leave", [odd_name, special_file, absent_filter, odd_encoding])
async def test_what_git_does_not_add_is_refused_to_the_agent_and_kept_byte_by_byte(
    house: GitHouse, leave: Callable[[str], None]
):
    where = await opened(house)
    house.write(where, "a.txt", b"odd")
    link_to_a(where)
    leave(where)
    refusal = await house.workspace.record(place(house), house.base, "Work")
    assert isinstance(refusal, Refused)
    assert refusal.output.startswith("git does not take in what lies in the worktree: ")
    left = {name: content for name, content in house.read(where).items() if name != "link"}
    await house.workspace.discard(place(house))
    [snapshot] = kept(house, "snapshot")
    assert house.content(snapshot) == {**left, "link": b"a.txt"}


@pytest.mark.parametrize("inside", ["lib", "."])
async def test_commits_of_a_repository_that_the_agent_made_inside_are_kept(house: GitHouse, inside: str):
    where = await opened(house)
    nested = Path(where, inside)
    if inside == ".":
        house.remove(where, ".git")
    house.git("init", "--quiet", str(nested))
    for name, value in (("user.name", "a"), ("user.email", "a@example.org")):
        house.git("config", name, value, at=nested)
    house.write(str(nested), "secret", b"one")
    lost = house.commit("agent: precious", at=nested)
    house.git("commit", "--quiet", "--amend", "--message", "another", at=nested)
    assert isinstance(await house.workspace.record(place(house), house.base, "Work"), Recording)
    await house.workspace.discard(place(house))
    assert lost in {to for ref, to in house.refs().items() if ref.startswith(f"{RESCUE}nested/")}


async def test_what_an_attempt_made_can_be_read_from_the_worktree_of_the_next(house: GitHouse):
    where = await house.workspace.open_worktree(place(house), house.base)
    house.write(where, "README.md", b"# Store\n")
    recording = await house.workspace.record(place(house), house.base, "Rename it")
    assert isinstance(recording, Recording)
    await house.workspace.discard(place(house))
    house.git("reflog", "expire", "--expire=now", "--all")
    house.git("gc", "--quiet", "--prune=now")
    assert kept(house, "commit") == [recording.commit]
    assert rescued_under("billing", "p1.export", 1) == RESCUE
    again = await house.workspace.open_worktree(place(house, attempt=2), house.base)
    patch = house.git("diff", house.base, recording.commit, at=again)
    assert "-# Shop\n+# Store\n" in patch
    house.git("apply", "-", at=again, given=patch.encode())
    assert house.read(again)["README.md"] == b"# Store\n"


async def test_a_git_that_cannot_look_is_not_taken_for_one_that_found_nothing(house: GitHouse):
    """What was not found would not be rescued, and then be deleted."""
    where = await opened(house)
    house.write(where, "a.txt", b"a")
    only = house.commit("agent: the only one", at=where)
    configuration = house.top / ".git/config"
    right = configuration.read_bytes()
    configuration.write_bytes(right + b"[broken\n")
    with pytest.raises(UnavailableError, match="bad config"):
        await house.workspace.discard(place(house))
    with pytest.raises(UnavailableError, match="bad config"):
        await house.workspace.tree(house.path, only)
    configuration.write_bytes(right)
    await house.workspace.discard(place(house))
    assert kept(house, "commit") == [only]
