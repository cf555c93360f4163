"""Group F: what went wrong with git and worktrees in other systems of this kind, each told again here as a test."""

import shutil
import sys
from dataclasses import replace
from pathlib import Path

import anyio
import anyio.to_thread
import msgspec
import pytest

from harnd.adapters.git import files
from harnd.daemon.gc import Collector
from harnd.daemon.loading import Loader
from harnd.domain.goal.assignment import agent_prompt, names_of
from harnd.domain.goal.template import AgentStage
from harnd.ports.errors import MovedError, UnavailableError
from harnd.ports.workspace import Clash, Merge, Place, Recording, Refused, Trouble
from protocol.ids import CommitId, GoalId, SpecialistName
from protocol.values import SECOND, Micros
from tests.kit import given as g
from tests.kit import screens
from tests.kit.repositories import BILLING, FIRST, GitHouse, open_workspace, place
from tests.kit.scripted_daemon import golden
from tests.kit.shelf import Shelf, shelf

FIVE = ("p1.a", "p1.b", "p1.c", "p1.d", "p1.e")


@pytest.fixture
def house(tmp_path: Path) -> GitHouse:
    return GitHouse(tmp_path)


async def work(house: GitHouse, at: Place, name: str = "", content: bytes = b"x") -> CommitId:
    """Open a worktree, write one file in it, and record it."""
    where = await house.workspace.open_worktree(at, house.base)
    house.write(where, name or f"{at.work}.txt", content)
    recording = await house.workspace.record(at, house.base, f"Work on {at.work}")
    assert isinstance(recording, Recording)
    return recording.commit


# --- F01: a worktree is registered and its directory gone


async def test_f01_a_worktree_whose_directory_is_gone_is_opened_again(house: GitHouse):
    where = await house.workspace.open_worktree(place(house), house.base)
    shutil.rmtree(where)
    house.restart()
    assert await house.workspace.open_worktree(place(house), house.base) == where
    assert house.read(where) == FIRST


async def test_f01_a_gone_directory_elsewhere_does_not_hold_the_branch(house: GitHouse, tmp_path: Path):
    house.git("worktree", "add", "--quiet", "-b", place(house).branch, str(tmp_path / "elsewhere"))
    shutil.rmtree(tmp_path / "elsewhere")
    assert house.read(await house.workspace.open_worktree(place(house), house.base)) == FIRST


async def test_f01_a_branch_in_use_elsewhere_is_told_with_the_path(house: GitHouse, tmp_path: Path):
    house.git("worktree", "add", "--quiet", "-b", place(house).branch, str(tmp_path / "elsewhere"))
    with pytest.raises(UnavailableError, match=str(tmp_path / "elsewhere")):
        await house.workspace.open_worktree(place(house), house.base)


# --- F03: items that start together share one repository


async def test_f03_five_items_that_start_and_record_at_once_all_succeed(house: GitHouse):
    done: dict[str, CommitId] = {}

    async def one(name: str) -> None:
        done[name] = await work(house, place(house, name))

    async with anyio.create_task_group() as tasks:
        for name in FIVE:
            tasks.start_soon(one, name)
    assert {name: house.content(commit) for name, commit in done.items()} == {
        name: {**FIRST, f"{name}.txt": b"x"} for name in FIVE
    }


async def test_f03_a_lock_that_is_let_go_in_time_is_no_failure(house: GitHouse, tmp_path: Path):
    """The git on the PATH lets the lock go once a command has failed at it."""
    await house.workspace.open_branch(house.path, BILLING, house.base)
    to = await work(house, place(house))
    lock, tools = house.lock(house.top / ".git/refs/heads/harn/billing"), tmp_path / "bin"
    letting_go = f'{shutil.which("git")} "$@"; code=$?; case "$*" in *update-ref*) rm -f {lock};; esac; exit $code'
    house.program(tools / "git", letting_go)
    house.workspace = open_workspace(house.state, house.environ | {"PATH": f"{tools}:{house.hands['PATH']}"})
    await house.workspace.advance(house.path, BILLING, house.base, to)
    assert await house.workspace.branch(house.path, BILLING) == to


async def test_f03_a_lock_of_somebody_elses_is_named_and_never_removed(house: GitHouse):
    await house.workspace.open_branch(house.path, BILLING, house.base)
    to = await work(house, place(house))
    lock = house.lock(house.top / ".git/refs/heads/harn/billing")
    with pytest.raises(UnavailableError, match=r"refs/heads/harn/billing\.lock': File exists"):
        await house.workspace.advance(house.path, BILLING, house.base, to)
    assert files.exists(lock)
    assert await house.workspace.branch(house.path, BILLING) == house.base


async def test_f03_the_operators_stale_index_lock_is_none_of_harnds_business(house: GitHouse):
    lock = house.lock(house.top / ".git/index")
    await house.workspace.open_branch(house.path, BILLING, house.base)
    to = await work(house, place(house))
    await house.workspace.advance(house.path, BILLING, house.base, to)
    await house.workspace.discard(place(house))
    assert files.exists(lock)


async def test_f03_a_lock_in_a_worktree_where_somebody_is_at_work_stays(house: GitHouse):
    where = await house.workspace.open_worktree(place(house), house.base)
    house.write(where, "a.txt", b"a")
    lock = house.lock(house.administration(where) / "index")
    with house.at_work(where), pytest.raises(UnavailableError, match=str(lock)):
        await house.workspace.record(place(house), house.base, "Work")
    assert files.exists(lock)


# --- F05: somebody writes the configuration all the while


def write_configuration(house: GitHouse) -> None:
    for n in range(100):
        house.git("config", "test.counter", str(n))


async def test_f05_worktrees_are_made_while_another_process_writes_the_configuration(house: GitHouse):
    paths: list[str] = []

    async def one(name: str) -> None:
        paths.append(await house.workspace.open_worktree(place(house, name), house.base))

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(anyio.to_thread.run_sync, write_configuration, house)
        for name in FIVE[:4]:
            tasks.start_soon(one, name)
    assert [house.read(path) for path in paths] == [FIRST] * 4
    assert house.git("config", "test.counter").strip() == "99"  # and harnd was in nobody's way


async def test_f05_a_worktree_cannot_be_made_half(house: GitHouse):
    """A smudge filter that fails ends the checkout in the middle."""
    house.write(house.path, ".gitattributes", b"*.md filter=broken\n")
    house.base = house.commit("filter")
    house.git("config", "filter.broken.smudge", "false")
    house.git("config", "filter.broken.required", "true")
    with pytest.raises(UnavailableError, match="broken"):
        await house.workspace.open_worktree(place(house), house.base)
    assert house.git("worktree", "list", "--porcelain").count("worktree ") == 1
    house.git("config", "--unset", "filter.broken.required")
    where = await house.workspace.open_worktree(place(house), house.base)
    assert house.read(where).keys() == {*FIRST, ".gitattributes"}


# --- F07: nothing is lost in a clean-up


async def test_f07_a_dirty_worktree_leaves_a_snapshot(house: GitHouse):
    where = await house.workspace.open_worktree(place(house), house.base)
    house.write(where, "draft.txt", b"unsaved")
    await house.workspace.discard(place(house))
    [snapshot] = [to for ref, to in house.refs().items() if "/snapshot-" in ref]
    assert house.content(snapshot) == {**FIRST, "draft.txt": b"unsaved"}


async def test_f07_the_only_commit_of_a_detached_head_stays_reachable(house: GitHouse):
    where = await house.workspace.open_worktree(place(house), house.base)
    house.git("checkout", "--quiet", "--detach", at=where)
    house.write(where, "only.txt", b"here")
    own = house.commit("agent: on no branch", at=where)
    await house.workspace.discard(place(house))
    house.git("reflog", "expire", "--expire=now", "--all")
    house.git("gc", "--quiet", "--prune=now")
    assert house.content(own) == {**FIRST, "only.txt": b"here"}


OLD = Micros(14 * 24 * 3600 * SECOND)


async def cleared(shelf: Shelf) -> tuple[list[tuple[GoalId | None, str]], tuple[str, ...]]:
    """Clear away everything that is old: what went, and what is said of what stays."""
    gone = await Collector(shelf.world, Loader(shelf.world.store), "/nowhere").collect(OLD)
    return [(item.goal, item.name) for item in gone.items], gone.stays


async def test_f07_what_is_old_goes_only_when_it_is_finished_idle_and_saved(house: GitHouse):
    """One worktree holds a draft, another a commit on no branch; both are far older than anything is kept."""
    async with shelf() as goals:
        goals.world = replace(goals.world, workspace=house.workspace)
        plan = g.a_plan(g.draft("a"), g.draft("b"), g.draft("end", "a", "b"))
        intent = msgspec.structs.replace(g.an_intent(), repository=house.path, base_commit=house.base)
        await goals.live(g.create(intent), g.tick(), g.answered(plan), g.approve(plan), g.tick())
        await house.workspace.open_branch(house.path, BILLING, house.base)
        dirty, detached = [
            await house.workspace.open_worktree(place(house, work), house.base) for work in ("p1.a", "p1.b")
        ]
        house.write(dirty, "draft.txt", b"unsaved")
        house.git("checkout", "--quiet", "--detach", at=detached)
        house.write(detached, "only.txt", b"here")
        own = house.commit("agent: on no branch", at=detached)

        goals.at(1000 * 24 * 3600)
        assert await cleared(goals) == ([], ())  # unfinished, and so in nobody's way
        await goals.live(g.cancel_goal())
        with house.at_work(dirty):
            assert await cleared(goals) == (
                [(BILLING, "p1.b.1")],
                ("p1.a.1 of billing (worktrees) stays: it is in use",),
            )
            assert house.read(dirty)["draft.txt"] == b"unsaved"
        assert await cleared(goals) == ([(BILLING, "p1.a.1")], ())
        assert await house.workspace.occupied() == ()

        goals.at(2000 * 24 * 3600)
        assert await cleared(goals) == ([], ())
        refs = house.refs()
        assert refs[f"refs/harnd/rescue/billing/p1.b.1/commit-{own}"] == own
        saved = [house.content(at) for ref, at in refs.items() if "/p1.a.1/snapshot-" in ref]
        assert {**FIRST, "draft.txt": b"unsaved"} in saved


# --- F09: started from a hook of another repository


async def test_f09_the_repository_of_the_hook_that_started_harnd_stays_untouched(tmp_path: Path):
    other = GitHouse(tmp_path / "other")
    inherited = {
        "GIT_DIR": f"{other.path}/.git",
        "GIT_WORK_TREE": other.path,
        "GIT_INDEX_FILE": f"{other.path}/.git/index",
        "GIT_COMMON_DIR": f"{other.path}/.git",
        "GIT_OBJECT_DIRECTORY": f"{other.path}/.git/objects",
        "GIT_NAMESPACE": "elsewhere",
        "GIT_PREFIX": "src/",
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "core.hooksPath",
        "GIT_CONFIG_VALUE_0": "/nowhere",
    }
    house = GitHouse(tmp_path / "own", environ=inherited)
    house.hook("pre-commit", f'test "$(git rev-parse --path-format=absolute --git-common-dir)" = {house.path}/.git')
    before = {file: file.read_bytes() for file in other.top.rglob("*") if file.is_file()}
    assert await house.workspace.examine(house.path, "main") == (house.base, house.path)
    await house.workspace.open_branch(house.path, BILLING, house.base)
    to = await work(house, place(house))
    await house.workspace.advance(house.path, BILLING, house.base, to)
    await house.workspace.discard(place(house))
    assert {file: file.read_bytes() for file in other.top.rglob("*") if file.is_file()} == before


# --- F11: names that git quotes

ODD = {
    "\u00e4.txt": b"umlaut",
    "my notes.md": b"space",
    "new\nline.txt": b"newline",
    'quo"te.txt': b"quote",
    b"raw-\xff.bin".decode("utf-8", "surrogateescape"): b"not utf-8",
    " lead": b"a space first",
    "-dash": b"an option?",
    ":(top)magic": b"a pathspec?",
    "back\\slash": b"backslash",
    "tab\tand*star[x]": b"a pattern?",
}


async def test_f11_every_name_is_recorded_as_it_is(house: GitHouse):
    where = await house.workspace.open_worktree(place(house), house.base)
    for name, content in ODD.items():
        house.write(where, name, content)
    recording = await house.workspace.record(place(house), house.base, "Odd names")
    assert isinstance(recording, Recording)
    assert recording.changed == tuple(sorted(ODD))
    assert house.content(recording.commit) == FIRST | ODD


async def test_f11_every_name_is_ignored_or_forced_as_it_is(house: GitHouse):
    where = await house.workspace.open_worktree(place(house), house.base)
    house.write(where, ".gitignore", b"*\n")
    for name, content in ODD.items():
        house.write(where, name, content)
        house.git("--literal-pathspecs", "add", "--force", "--", name, at=where)
    recording = await house.workspace.record(place(house), house.base, "Odd names")
    assert isinstance(recording, Recording)
    assert recording.changed == tuple(sorted(ODD))


async def test_f11_every_name_is_seen_in_the_operators_checkout(house: GitHouse):
    for name, content in ODD.items():
        before = await house.workspace.surroundings(house.path)
        house.write(house.path, name, content)
        assert await house.workspace.surroundings(house.path) != before
    before = await house.workspace.surroundings(house.path)
    house.write(house.path, "new\nline.txt", b"changed")  # an edit of a file that is there already
    assert await house.workspace.surroundings(house.path) != before


async def test_f11_every_name_can_clash(house: GitHouse):
    sides: list[CommitId] = []
    for side in (b"a", b"b"):
        at = place(house, f"p1.{side.decode()}")
        where = await house.workspace.open_worktree(at, house.base)
        for name in ODD:
            house.write(where, name, side)
        recording = await house.workspace.record(at, house.base, "Odd names")
        assert isinstance(recording, Recording)
        sides.append(recording.commit)
    assert await house.workspace.merge(place(house, "p1.b"), *sides) == Clash(tuple(sorted(ODD)))


# --- F13: git-lfs is not on the PATH of the service


async def test_f13_a_repository_with_large_files_names_git_lfs(house: GitHouse, tmp_path: Path):
    house.write(house.path, "assets/.gitattributes", b"*.bin filter=lfs diff=lfs merge=lfs -text\n")
    house.commit("large files")
    only_git = tmp_path / "bin"
    only_git.mkdir()
    (only_git / "git").symlink_to(shutil.which("git") or "")
    house.workspace = open_workspace(house.state, {"PATH": str(only_git)})
    found = await house.workspace.examine(house.path, "main")
    assert isinstance(found, Trouble)
    assert found.code == "workspace.no_filter"
    assert "git-lfs" in found.message
    assert "git config harnd.lfsPointers true" in found.message


POINTER = b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 5\n"

# A stand-in for `git-lfs filter-process`, which turns contents round both ways (see gitattributes(5), "Long Running
# Filter Process").
GIT_LFS = """
import sys

def packets():
    while (size := int(sys.stdin.buffer.read(4) or b"0", 16)) > 4:
        yield sys.stdin.buffer.read(size - 4)

def answer(*lines):
    for line in lines:
        sys.stdout.buffer.write(b"%04x" % (len(line) + 4) + line)
    sys.stdout.buffer.write(b"0000")
    sys.stdout.buffer.flush()

list(packets())
answer(b"git-filter-server\\n", b"version=2\\n")
list(packets())
answer(b"capability=clean\\n", b"capability=smudge\\n")
while list(packets()):
    content = b"".join(packets())
    answer(b"status=success\\n")
    answer(content[::-1])
    answer()
"""


async def test_f13_large_files_go_through_git_lfs_without_any_configuration_of_the_users(
    house: GitHouse, tmp_path: Path
):
    tools = tmp_path / "bin"
    tools.mkdir()
    (tools / "git-lfs").write_text(f"#!{sys.executable}\n{GIT_LFS}")
    (tools / "git-lfs").chmod(0o755)
    house.write(house.path, ".gitattributes", b"*.bin filter=lfs\n")
    house.base = house.commit("large files")
    house.workspace = open_workspace(house.state, house.environ | {"PATH": f"{tools}:{house.hands['PATH']}"})
    assert await house.workspace.examine(house.path, "main") == (house.base, house.path)
    commit = await work(house, place(house), "big.bin", b"hello")
    assert house.content(commit)["big.bin"] == b"olleh"
    assert house.read(await house.workspace.checkout(place(house), commit, "proof"))["big.bin"] == b"hello"


async def test_f13_pointers_alone_are_checked_out_when_the_repository_asks_for_it_and_the_item_is_told(
    house: GitHouse, tmp_path: Path
):
    tools = tmp_path / "bin"
    tools.mkdir()
    for name in ("git", "cat"):
        (tools / name).symlink_to(shutil.which(name) or "")
    house.write(house.path, ".gitattributes", b"*.bin filter=lfs diff=lfs merge=lfs -text\n")
    house.write(house.path, "big.bin", POINTER)
    house.base = house.commit("large files")
    house.workspace = open_workspace(house.state, house.environ | {"PATH": str(tools)})
    assert isinstance(await house.workspace.examine(house.path, "main"), Trouble)
    with pytest.raises(UnavailableError, match="git-lfs"):
        await house.workspace.open_worktree(place(house), house.base)

    house.git("config", "harnd.lfsPointers", "true")
    assert await house.workspace.examine(house.path, "main") == (house.base, house.path)
    where = await house.workspace.open_worktree(place(house), house.base)
    assert house.read(where)["big.bin"] == POINTER
    assert await house.workspace.pointers(place(house)) == ("big.bin",)
    item = g.working()
    prompt = agent_prompt(
        g.a_specialist("maker"),
        AgentStage("make", SpecialistName("maker"), "Make it."),
        names_of(item, g.item(item, "p1.a"), 1, {}, {}),
        pointers=await house.workspace.pointers(place(house)),
    )
    assert "# Large files\n" in prompt
    assert "- 'big.bin'\n" in prompt


async def test_f13_without_git_lfs_pointers_are_recorded_and_whole_content_in_their_place_is_refused(house: GitHouse):
    house.write(house.path, ".gitattributes", b"*.bin filter=lfs\n")
    house.write(house.path, "big.bin", POINTER)
    house.write(house.path, "wrong.bin", b"was recorded whole before")
    house.base = house.commit("large files")
    house.git("config", "harnd.lfsPointers", "true")
    where = await house.workspace.open_worktree(place(house), house.base)
    house.write(where, "big.bin", POINTER.replace(b"00", b"11"))
    house.write(where, "new/huge.bin", b"content")
    refused = await house.workspace.record(place(house), house.base, "Work")
    assert isinstance(refused, Refused)
    assert refused.output.startswith("new/huge.bin would be recorded whole")
    house.remove(where, "new/huge.bin")
    recording = await house.workspace.record(place(house), house.base, "Work")
    assert isinstance(recording, Recording)
    assert recording.changed == ("big.bin",)
    assert house.content(recording.commit)["big.bin"] == POINTER.replace(b"00", b"11")


# --- F15: the agent worked in the operator's checkout


async def test_f15_an_edit_by_absolute_path_is_seen_and_the_empty_commit_records_nothing(house: GitHouse):
    before = await house.workspace.surroundings(house.path)
    where = await house.workspace.open_worktree(place(house), house.base)
    house.write(house.path, "README.md", b"# Done\n")
    house.git("commit", "--quiet", "--allow-empty", "--message", "Rewrite the README", at=where)
    recording = await house.workspace.record(place(house), house.base, "Rewrite the README")
    assert isinstance(recording, Recording)
    assert (recording.commit, recording.changed) == (house.base, ())
    [line] = await house.workspace.restore(house.path, before)
    assert line.startswith("checkout: ")
    assert "'README.md'" in line
    assert house.read(house.path)["README.md"] == b"# Done\n"


async def test_f15_a_commit_in_the_operators_checkout_is_seen(house: GitHouse):
    before = await house.workspace.surroundings(house.path)
    house.write(house.path, "README.md", b"# Done\n")
    to = house.commit("agent: in the wrong place")
    assert await house.workspace.restore(house.path, before) == (f"ref: refs/heads/main was {house.base} and is {to}",)


# --- F17: hooks run for every commit that can be integrated


async def test_f17_a_hook_sees_the_work_whoever_committed_it(house: GitHouse):
    house.hook("pre-commit", "if git diff --cached | grep -q FAKE-KEY; then echo a key; exit 1; fi")
    where = await house.workspace.open_worktree(place(house), house.base)
    house.write(where, "config.txt", b"FAKE-KEY\n")
    for message in ("by harnd", "by the agent"):
        refused = await house.workspace.record(place(house), house.base, "Configure")
        assert isinstance(refused, Refused)
        assert "a key" in refused.output
        house.commit(f"{message}, without hooks", at=where)


async def test_f17_a_rescue_snapshot_skips_hooks_and_lies_apart(house: GitHouse):
    house.hook("pre-commit", "exit 1")
    await house.workspace.open_branch(house.path, BILLING, house.base)
    where = await house.workspace.open_worktree(place(house), house.base)
    house.write(where, "config.txt", b"FAKE-KEY\n")
    await house.workspace.discard(place(house))
    kept = [ref for ref in house.refs() if ref.startswith("refs/harnd/rescue/billing/p1.export.1/")]
    assert [ref.rpartition("/")[2].split("-")[0] for ref in kept] == ["snapshot"]


# --- F19: the operator's checkout is theirs


@pytest.mark.parametrize("switch", [["checkout", "-b", "other"], ["checkout", "--detach"]], ids=["branch", "detached"])
async def test_f19_integration_goes_where_it_was_meant_to_whatever_is_checked_out(house: GitHouse, switch: list[str]):
    await house.workspace.open_branch(house.path, BILLING, house.base)
    a, b = await work(house, place(house, "p1.a")), await work(house, place(house, "p1.b"))
    house.git(*switch)
    before = await house.workspace.surroundings(house.path)
    await house.workspace.advance(house.path, BILLING, house.base, a)
    merge = await house.workspace.merge(place(house, "p1.b"), a, b)
    assert isinstance(merge, Merge)
    await house.workspace.advance(house.path, BILLING, a, merge.commit)
    assert await house.workspace.branch(house.path, BILLING) == merge.commit
    assert await house.workspace.restore(house.path, before) == ()
    assert house.read(house.path) == FIRST


async def test_f19_a_goals_branch_that_the_operator_looks_at_does_not_move_under_them(house: GitHouse):
    await house.workspace.open_branch(house.path, BILLING, house.base)
    to = await work(house, place(house))
    house.git("checkout", "--quiet", "harn/billing")
    with pytest.raises(UnavailableError, match=house.path):
        await house.workspace.advance(house.path, BILLING, house.base, to)
    assert house.git("status", "--porcelain") == ""
    house.git("checkout", "--quiet", "main")
    await house.workspace.advance(house.path, BILLING, house.base, to)


async def test_f19_a_goals_branch_that_somebody_moved_is_not_overwritten(house: GitHouse):
    await house.workspace.open_branch(house.path, BILLING, house.base)
    a, b = await work(house, place(house, "p1.a")), await work(house, place(house, "p1.b"))
    house.git("update-ref", "refs/heads/harn/billing", a)
    with pytest.raises(MovedError):
        await house.workspace.advance(house.path, BILLING, house.base, b)
    assert await house.workspace.branch(house.path, BILLING) == a


# --- F11: names of files that act on the terminal, in the full-screen view


def test_f11_a_hostile_name_of_a_file_is_shown_escaped_in_the_full_screen_view(monkeypatch: pytest.MonkeyPatch):
    name = "\x1b]0;owned\x07\u202egpj.sh\udcff\tx"
    patch = f"diff --git a/{name} b/{name}\n@@ -0,0 +1 @@\n+x\n"

    def shown(method: str, **changes: object):
        return golden(method, **({"text": patch} if method == "work.diff" else {}), **changes)

    monkeypatch.setattr(screens, "golden", shown)
    picture = screens.picture(screens.STATES["work-diff"](screens.SIZES["wide"]))
    assert r"a/\x1b]0;owned\x07\u202egpj.sh\udcff" in picture
    assert [char for char in picture if not char.isprintable() and char != "\n"] == []
