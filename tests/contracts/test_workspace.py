"""What every workspace holds, whatever it is made of: each sentence of the port, once."""

from pathlib import Path
from typing import NamedTuple

import anyio
import pytest

from harnd.domain.digest import digest_of_bytes
from harnd.domain.review.touched import Area, differences
from harnd.ports.errors import MissingError, MovedError
from harnd.ports.workspace import (
    Clash,
    KeptRefs,
    Listing,
    Merge,
    Occupied,
    Patch,
    Recording,
    Refused,
    Snapshot,
    Trouble,
)
from protocol.ids import CommitId, GoalId
from tests.kit.repositories import BILLING, FIRST, GitHouse, House, MemoryHouse, place

NOWHERE = CommitId("0123456789" * 4)
GOAL_BRANCH = "refs/heads/harn/billing"


class Kind(NamedTuple):
    backend: str
    house: str


@pytest.fixture(params=[Kind("asyncio", "git"), Kind("asyncio", "memory"), Kind("trio", "memory")], ids="-".join)
def kind(request: pytest.FixtureRequest) -> Kind:
    return Kind(*request.param)


@pytest.fixture
def anyio_backend(kind: Kind) -> str:
    return kind.backend


@pytest.fixture
def house(kind: Kind, tmp_path: Path) -> House:
    return GitHouse(tmp_path) if kind.house == "git" else MemoryHouse()


async def recorded(house: House, name: str, content: bytes, *, work: str = "p1.export") -> CommitId:
    """Let an attempt at `work` write one file, and record it."""
    where = await house.workspace.open_worktree(place(house, work), house.base)
    house.write(where, name, content)
    recording = await house.workspace.record(place(house, work), house.base, f"Write {name}")
    assert isinstance(recording, Recording)
    return recording.commit


# --- a repository is looked at before anything starts


async def test_a_branch_is_resolved_to_its_commit_and_the_repository_to_its_path(house: House):
    assert await house.workspace.examine(house.path, "main") == (house.base, house.path)
    assert await house.workspace.examine(house.path, "HEAD") == (house.base, house.path)
    assert await house.workspace.examine(house.path, house.base) == (house.base, house.path)


async def test_a_ref_that_is_not_there_is_trouble(house: House):
    trouble = await house.workspace.examine(house.path, "release")
    assert isinstance(trouble, Trouble)
    assert trouble.code == "workspace.no_ref"
    assert "'release'" in trouble.message


async def test_a_directory_without_a_repository_is_trouble(house: House, tmp_path: Path):
    trouble = await house.workspace.examine(str(tmp_path), "main")
    assert isinstance(trouble, Trouble)
    assert trouble.code == "workspace.no_repository"


async def test_asking_about_no_repository_is_missing(house: House, tmp_path: Path):
    with pytest.raises(MissingError):
        await house.workspace.branch(str(tmp_path), BILLING)


# --- the goal's branch


async def test_the_goals_branch_is_made_once(house: House):
    assert await house.workspace.open_branch(house.path, BILLING, house.base) == house.base
    moved = await recorded(house, "a.txt", b"a")
    await house.workspace.advance(house.path, BILLING, house.base, moved)
    house.restart()
    assert await house.workspace.open_branch(house.path, BILLING, house.base) == moved
    assert await house.workspace.branch(house.path, BILLING) == moved


async def test_a_goal_without_a_branch_is_missing(house: House):
    with pytest.raises(MissingError):
        await house.workspace.branch(house.path, BILLING)


async def test_a_name_that_a_goal_had_leaves_traces_until_they_are_removed(house: House):
    assert await house.workspace.traces(house.path, BILLING) == ()
    await house.workspace.open_branch(house.path, BILLING, house.base)
    await recorded(house, "a.txt", b"a")
    assert await house.workspace.traces(house.path, BILLING) == (
        "refs/harnd/goals/billing",
        "refs/harnd/recorded/billing",
        "refs/heads/harn-attempt/billing",
        "refs/heads/harn/billing",
    )
    house.set_ref(GOAL_BRANCH, None)
    await house.workspace.discard(place(house))
    assert await house.workspace.traces(house.path, BILLING) == (
        "refs/harnd/goals/billing",
        "refs/harnd/recorded/billing",
    )
    assert await house.workspace.traces(house.path, GoalId("bill")) == ()


async def test_a_branch_cannot_start_where_nothing_is(house: House):
    with pytest.raises(MissingError):
        await house.workspace.open_branch(house.path, BILLING, NOWHERE)


async def test_advancing_names_where_the_branch_must_be(house: House):
    await house.workspace.open_branch(house.path, BILLING, house.base)
    a, b = await recorded(house, "a.txt", b"a", work="p1.a"), await recorded(house, "b.txt", b"b", work="p1.b")
    await house.workspace.advance(house.path, BILLING, house.base, a)
    with pytest.raises(MovedError):
        await house.workspace.advance(house.path, BILLING, house.base, b)
    assert await house.workspace.branch(house.path, BILLING) == a


async def test_advancing_again_is_success(house: House):
    await house.workspace.open_branch(house.path, BILLING, house.base)
    a = await recorded(house, "a.txt", b"a")
    await house.workspace.advance(house.path, BILLING, house.base, a)
    house.restart()
    await house.workspace.advance(house.path, BILLING, house.base, a)
    assert await house.workspace.branch(house.path, BILLING) == a


async def test_two_advances_at_once_leave_one_winner(house: House):
    await house.workspace.open_branch(house.path, BILLING, house.base)
    commits = [await recorded(house, f"{name}.txt", b"x", work=f"p1.{name}") for name in "abc"]
    won: list[CommitId] = []

    async def advance(to: CommitId) -> None:
        try:
            await house.workspace.advance(house.path, BILLING, house.base, to)
        except MovedError:
            return
        won.append(to)

    async with anyio.create_task_group() as tasks:
        for commit in commits:
            tasks.start_soon(advance, commit)
    assert won == [await house.workspace.branch(house.path, BILLING)]


# --- an attempt's worktree


async def test_a_worktree_holds_the_files_of_its_base(house: House):
    where = await house.workspace.open_worktree(place(house), house.base)
    assert house.read(where) == FIRST
    assert house.refs()["refs/heads/harn-attempt/billing/p1.export.1"] == house.base


async def test_opening_a_worktree_again_finds_the_work_in_it(house: House):
    where = await house.workspace.open_worktree(place(house), house.base)
    house.write(where, "new.txt", b"half done")
    house.restart()
    assert await house.workspace.open_worktree(place(house), house.base) == where
    assert house.read(where) == {**FIRST, "new.txt": b"half done"}


async def test_a_worktree_is_there_from_when_it_is_opened_to_when_it_is_discarded(house: House):
    there = [await house.workspace.has_worktree(place(house))]
    await house.workspace.open_worktree(place(house), house.base)
    there.append(await house.workspace.has_worktree(place(house)))
    await house.workspace.checkout(place(house), house.base, "proof")
    await house.workspace.discard(place(house))
    assert [*there, await house.workspace.has_worktree(place(house))] == [False, True, False]


async def test_opening_one_worktree_twice_at_once_makes_it_once(house: House):
    paths: list[str] = []

    async def one() -> None:
        paths.append(await house.workspace.open_worktree(place(house), house.base))

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(one)
        tasks.start_soon(one)
    assert paths == [paths[0]] * 2
    assert house.read(paths[0]) == FIRST


async def test_attempts_do_not_see_one_another(house: House):
    one = await house.workspace.open_worktree(place(house, attempt=1), house.base)
    other = await house.workspace.open_worktree(place(house, attempt=2), house.base)
    house.write(one, "README.md", b"mine")
    assert house.read(other) == FIRST
    assert house.read(house.path) == FIRST


# --- recording


async def test_a_recording_is_the_whole_worktree_on_the_attempts_branch(house: House):
    where = await house.workspace.open_worktree(place(house), house.base)
    house.write(where, "docs/new.md", b"new")
    house.write(where, "README.md", b"changed")
    house.remove(where, "src/main.py")
    recording = await house.workspace.record(place(house), house.base, "Work")
    assert isinstance(recording, Recording)
    assert recording.changed == ("README.md", "docs/new.md", "src/main.py")
    assert house.content(recording.commit) == {"README.md": b"changed", "docs/new.md": b"new"}
    assert recording.tree == await house.workspace.tree(house.path, recording.commit)
    assert house.refs()["refs/heads/harn-attempt/billing/p1.export.1"] == recording.commit


async def test_recording_again_finds_the_same_commit(house: House):
    where = await house.workspace.open_worktree(place(house), house.base)
    house.write(where, "a.txt", b"a")
    first = await house.workspace.record(place(house), house.base, "Work")
    house.restart()
    assert await house.workspace.record(place(house), house.base, "Work") == first


async def test_a_correction_in_the_same_worktree_is_recorded_on_top(house: House):
    first = await recorded(house, "a.txt", b"a")
    second = await recorded(house, "b.txt", b"b")
    assert house.content(second) == {**FIRST, "a.txt": b"a", "b.txt": b"b"}
    assert second != first


async def test_an_attempt_that_changed_nothing_is_recorded_as_its_base(house: House):
    await house.workspace.open_worktree(place(house), house.base)
    recording = await house.workspace.record(place(house), house.base, "Nothing")
    assert recording == Recording(house.base, await house.workspace.tree(house.path, house.base), ())


async def test_a_hook_that_refuses_is_heard_and_can_be_satisfied_later(house: House):
    where = await house.workspace.open_worktree(place(house), house.base)
    house.write(where, "key.txt", b"secret")
    house.refuse("no secrets here")
    refused = await house.workspace.record(place(house), house.base, "Work")
    assert isinstance(refused, Refused)
    assert "no secrets here" in refused.output
    house.refuse(None)
    assert isinstance(await house.workspace.record(place(house), house.base, "Work"), Recording)


# --- snapshots


async def test_a_snapshot_is_what_a_recording_would_hold(house: House):
    where = await house.workspace.open_worktree(place(house), house.base)
    house.write(where, "docs/new.md", b"new")
    house.write(where, "README.md", b"changed")
    house.remove(where, "src/main.py")
    seen = await house.workspace.snapshot(place(house), house.base)
    recording = await house.workspace.record(place(house), house.base, "Work")
    assert isinstance(recording, Recording)
    assert seen == Snapshot(recording.tree, ("README.md", "docs/new.md", "src/main.py"))
    assert recording.changed == seen.changed
    house.restart()
    assert await house.workspace.snapshot(place(house), house.base) == seen


async def test_a_snapshot_changes_nothing(house: House):
    where = await house.workspace.open_worktree(place(house), house.base)
    house.write(where, "a.txt", b"a")
    house.refuse("no hook is asked")
    files, refs = house.read(where), house.refs()
    await house.workspace.snapshot(place(house), house.base)
    assert (house.read(where), house.refs()) == (files, refs)


async def test_the_same_content_is_the_same_tree_and_any_other_is_another(house: House):
    where = await house.workspace.open_worktree(place(house), house.base)
    untouched = Snapshot(await house.workspace.tree(house.path, house.base), ())
    assert await house.workspace.snapshot(place(house), house.base) == untouched
    house.write(where, "a.txt", b"a")
    one = await house.workspace.snapshot(place(house), house.base)
    house.write(where, "a.txt", b"b")
    assert (await house.workspace.snapshot(place(house), house.base)).tree not in {one.tree, untouched.tree}
    house.write(where, "a.txt", b"a")
    assert await house.workspace.snapshot(place(house), house.base) == one
    house.remove(where, "a.txt")
    assert await house.workspace.snapshot(place(house), house.base) == untouched


async def test_what_a_snapshot_says_is_changed_counts_from_the_base_across_recordings(house: House):
    await recorded(house, "a.txt", b"a")
    where = await house.workspace.open_worktree(place(house), house.base)
    house.write(where, "b.txt", b"b")
    assert (await house.workspace.snapshot(place(house), house.base)).changed == ("a.txt", "b.txt")


async def test_of_a_worktree_or_a_base_that_is_not_there_no_snapshot_is_taken(house: House):
    with pytest.raises(MissingError):
        await house.workspace.snapshot(place(house), house.base)
    await house.workspace.open_worktree(place(house), house.base)
    with pytest.raises(MissingError):
        await house.workspace.snapshot(place(house), NOWHERE)


# --- pointers


async def test_files_that_hold_a_pointer_are_told_from_those_that_hold_their_content(house: House):
    where = await house.workspace.open_worktree(place(house), house.base)
    assert await house.workspace.pointers(place(house)) == ()
    house.write(where, ".gitattributes", b"*.bin filter=lfs\n")
    house.write(where, "there.bin", b"content")
    for name in ("z.bin", "a.bin"):
        house.write(where, name, b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 9\n")
    files = house.read(where)
    assert await house.workspace.pointers(place(house)) == ("a.bin", "z.bin")
    assert house.read(where) == files


async def test_no_pointers_lie_where_there_is_no_worktree(house: House):
    with pytest.raises(MissingError):
        await house.workspace.pointers(place(house))


# --- checkouts


async def test_a_checkout_is_exactly_a_commit_and_replaces_the_old_one(house: House):
    a = await recorded(house, "a.txt", b"a")
    where = await house.workspace.checkout(place(house), a, "proof")
    house.write(where, "built.bin", b"left by a proof")
    assert await house.workspace.checkout(place(house), house.base, "proof") == where
    assert house.read(where) == FIRST


def differing(before: Listing, after: Listing) -> list[str]:
    return [str(one) for one in differences(Area.WORKTREE, before.named(), after.named())]


async def test_two_listings_of_a_checkout_tell_what_was_done_to_it(house: House):
    where = await house.workspace.checkout(place(house), house.base, "review")
    before = await house.workspace.listing(place(house), "review")
    assert await house.workspace.listing(place(house), "review") == before
    assert {"README.md", "src/main.py"} <= before.named().keys()
    house.write(where, "src/main.py", b"print('bye')\n")
    house.write(where, "new.txt", b"")
    house.remove(where, "README.md")

    after = await house.workspace.listing(place(house), "review")

    assert differing(before, after) == [
        "worktree: removed README.md",
        "worktree: added new.txt",
        "worktree: changed src/main.py",
    ]


async def test_a_listing_tells_one_commit_from_another_with_the_same_files(house: House):
    a = await recorded(house, "a.txt", b"a")
    await house.workspace.checkout(place(house), house.base, "review")
    before = await house.workspace.listing(place(house), "review")
    await house.workspace.checkout(place(house), a, "review")
    after = await house.workspace.listing(place(house), "review")
    assert differing(before, after) == ["worktree: changed .git/HEAD", "worktree: added a.txt"]


async def test_paths_of_a_commit_are_digested_without_a_checkout(house: House):
    a = await recorded(house, "docs/a [1].txt", b"a\r\n")
    asked = ("docs/a [1].txt", "README.md", "nowhere.md", "docs/a *")
    assert await house.workspace.digests(house.path, a, asked) == {
        "docs/a [1].txt": digest_of_bytes(b"a\r\n"),
        "README.md": digest_of_bytes(FIRST["README.md"]),
    }
    assert await house.workspace.digests(house.path, house.base, ("docs/a [1].txt",)) == {}
    with pytest.raises(MissingError):
        await house.workspace.digests(house.path, NOWHERE, asked)


async def test_a_checkout_that_is_gone_has_no_listing(house: House):
    with pytest.raises(MissingError):
        await house.workspace.listing(place(house), "review")


async def test_checkouts_for_two_purposes_stand_side_by_side(house: House):
    a = await recorded(house, "a.txt", b"a")
    proof = await house.workspace.checkout(place(house), a, "proof")
    base = await house.workspace.checkout(place(house), house.base, "base")
    assert house.read(proof) == {**FIRST, "a.txt": b"a"}
    assert house.read(base) == FIRST


async def test_a_commit_that_is_not_there_cannot_be_checked_out(house: House):
    with pytest.raises(MissingError):
        await house.workspace.checkout(place(house), NOWHERE, "proof")


# --- merging


async def test_a_commit_that_contains_the_other_is_the_merge(house: House):
    a = await recorded(house, "a.txt", b"a")
    tree = await house.workspace.tree(house.path, a)
    assert await house.workspace.merge(place(house), house.base, a) == Merge(a, tree)
    assert await house.workspace.merge(place(house), a, house.base) == Merge(a, tree)


async def test_two_sides_come_together_the_same_way_every_time(house: House):
    a, b = await recorded(house, "a.txt", b"a", work="p1.a"), await recorded(house, "b.txt", b"b", work="p1.b")
    merge = await house.workspace.merge(place(house, "p1.b"), a, b)
    assert isinstance(merge, Merge)
    assert house.content(merge.commit) == {**FIRST, "a.txt": b"a", "b.txt": b"b"}
    house.restart()
    assert await house.workspace.merge(place(house, "p1.b"), a, b) == merge
    assert await house.workspace.merge(place(house, "p1.b"), a, merge.commit) == merge


async def test_two_sides_that_contradict_each_other_clash_by_path(house: House):
    a = await recorded(house, "README.md", b"# Mine\n", work="p1.a")
    b = await recorded(house, "README.md", b"# Yours\n", work="p1.b")
    assert await house.workspace.merge(place(house, "p1.b"), a, b) == Clash(("README.md",))


# --- reading


async def test_a_clash_is_foretold_and_nothing_is_written(house: House):
    here = await recorded(house, "a.txt", b"here", work="p1.a")
    there = await recorded(house, "a.txt", b"there", work="p1.b")
    elsewhere = await recorded(house, "b.txt", b"b", work="p1.c")
    before = house.refs()
    assert await house.workspace.foretell(house.path, here, there) == ("a.txt",)
    assert await house.workspace.foretell(house.path, here, elsewhere) == ()
    assert await house.workspace.foretell(house.path, house.base, here) == ()
    assert await house.workspace.foretell(house.path, here, house.base) == ()
    assert house.refs() == before
    assert isinstance(await house.workspace.merge(place(house, "p1.b"), here, there), Clash)


async def test_nothing_is_foretold_of_commits_that_are_not_there(house: House):
    for pair in ((house.base, NOWHERE), (NOWHERE, house.base)):
        with pytest.raises(MissingError):
            await house.workspace.foretell(house.path, *pair)


async def test_the_tree_of_no_commit_is_missing(house: House):
    with pytest.raises(MissingError):
        await house.workspace.tree(house.path, NOWHERE)


# --- patches

PLENTY = 100_000


async def test_a_patch_shows_what_came_and_what_went(house: House):
    a = await recorded(house, "README.md", b"# Store\n")
    patch = await house.workspace.diff(house.path, house.base, a, PLENTY)
    assert patch.text.startswith("diff --git a/README.md b/README.md\n")
    assert patch.text.endswith("--- a/README.md\n+++ b/README.md\n@@ -1 +1 @@\n-# Shop\n+# Store\n")
    assert patch.omitted_bytes == 0


async def test_a_patch_tells_new_files_from_those_that_are_gone(house: House):
    a = await recorded(house, "new.txt", b"one\ntwo")
    there = (await house.workspace.diff(house.path, house.base, a, PLENTY)).text
    assert "new file mode 100644\n" in there
    assert there.endswith("--- /dev/null\n+++ b/new.txt\n@@ -0,0 +1,2 @@\n+one\n+two\n\\ No newline at end of file\n")
    back = (await house.workspace.diff(house.path, a, house.base, PLENTY)).text
    assert "deleted file mode 100644\n" in back
    assert "+++ /dev/null\n" in back


async def test_between_a_commit_and_itself_nothing_differs(house: House):
    assert await house.workspace.diff(house.path, house.base, house.base, PLENTY) == Patch("", 0)


async def test_a_binary_file_is_named_and_not_shown(house: House):
    a = await recorded(house, "logo.png", b"\x89PNG\0\x01secret")
    patch = await house.workspace.diff(house.path, house.base, a, PLENTY)
    assert patch.text.endswith("Binary files /dev/null and b/logo.png differ\n")
    assert "secret" not in patch.text


async def test_text_that_is_no_utf8_is_shown_byte_by_byte(house: House):
    a = await recorded(house, "latin.txt", "caf\u00e9 \u4e16\n".encode() + b"caf\xe9\r\x0c\x85\n")
    patch = await house.workspace.diff(house.path, house.base, a, PLENTY)
    assert patch.text.endswith("@@ -0,0 +1,2 @@\n+caf\u00e9 \u4e16\n+caf\\xe9\r\x0c\\x85\n")


async def test_a_long_patch_ends_with_a_whole_line_and_says_what_is_missing(house: House):
    a = await recorded(house, "long.txt", b"".join(b"line %d \xc3\xa9\n" % n for n in range(1_000)))
    whole = await house.workspace.diff(house.path, house.base, a, PLENTY)
    size = len(whole.text.encode())
    for limit in (200, 201, 202, 203, 4_096, size - 1):
        patch = await house.workspace.diff(house.path, house.base, a, limit)
        shown = patch.text.encode()
        assert whole.text.startswith(patch.text)
        assert patch.text.endswith("\n")
        assert len(shown) <= limit
        assert len(shown) + patch.omitted_bytes == size
    assert await house.workspace.diff(house.path, house.base, a, size) == whole


async def test_a_patch_from_or_to_no_commit_is_missing(house: House):
    for base, commit in ((house.base, NOWHERE), (NOWHERE, house.base)):
        with pytest.raises(MissingError):
            await house.workspace.diff(house.path, base, commit, PLENTY)


async def test_a_patch_of_no_repository_is_missing(house: House, tmp_path: Path):
    with pytest.raises(MissingError):
        await house.workspace.diff(str(tmp_path), house.base, house.base, PLENTY)


# --- what lies around an attempt


async def test_an_attempt_that_minds_its_own_business_leaves_no_difference(house: House):
    await house.workspace.open_branch(house.path, BILLING, house.base)
    before = await house.workspace.surroundings(house.path)
    await recorded(house, "a.txt", b"a")
    assert await house.workspace.surroundings(house.path) == before
    assert await house.workspace.restore(house.path, before) == ()


async def test_harnds_own_moves_are_not_taken_for_an_agents(house: House):
    await house.workspace.open_branch(house.path, BILLING, house.base)
    before = await house.workspace.surroundings(house.path)
    a = await recorded(house, "a.txt", b"a")
    await house.workspace.advance(house.path, BILLING, house.base, a)
    house.restart()
    assert await house.workspace.restore(house.path, before) == ()
    assert await house.workspace.branch(house.path, BILLING) == a


@pytest.mark.parametrize("deleted", [True, False], ids=["deleted", "moved"])
async def test_a_goals_branch_that_somebody_else_moved_is_put_back(house: House, deleted: bool):
    await house.workspace.open_branch(house.path, BILLING, house.base)
    before = await house.workspace.surroundings(house.path)
    a = await recorded(house, "a.txt", b"a")
    house.set_ref(GOAL_BRANCH, None if deleted else a)
    lines = await house.workspace.restore(house.path, before)
    assert [line.split(":")[0] for line in lines] == ["undone"]
    assert await house.workspace.branch(house.path, BILLING) == house.base
    assert await house.workspace.restore(house.path, before) == ()


async def test_a_branch_under_harnds_name_that_is_no_goals_is_reported_and_left_alone(house: House):
    before = await house.workspace.surroundings(house.path)
    a = await recorded(house, "a.txt", b"a")
    house.set_ref("refs/heads/harn/idea", a)
    assert await house.workspace.restore(house.path, before) == (f"ref: refs/heads/harn/idea was absent and is {a}",)
    assert house.refs()["refs/heads/harn/idea"] == a


async def test_the_operators_own_refs_are_reported_and_left_alone(house: House):
    before = await house.workspace.surroundings(house.path)
    a = await recorded(house, "a.txt", b"a")
    house.set_ref("refs/heads/feature", a)
    assert await house.workspace.restore(house.path, before) == (f"ref: refs/heads/feature was absent and is {a}",)
    assert house.refs()["refs/heads/feature"] == a


async def test_edits_in_the_operators_checkout_are_seen(house: House):
    before = await house.workspace.surroundings(house.path)
    house.write(house.path, "README.md", b"by absolute path")
    lines = await house.workspace.restore(house.path, before)
    assert [line.split(":")[0] for line in lines] == ["checkout"]
    assert house.read(house.path)["README.md"] == b"by absolute path"


# --- discarding


async def test_discarding_keeps_commits_that_the_goal_does_not_have(house: House):
    await house.workspace.open_branch(house.path, BILLING, house.base)
    a = await recorded(house, "a.txt", b"a")
    await house.workspace.discard(place(house))
    refs = house.refs()
    assert refs[f"refs/harnd/rescue/billing/p1.export.1/commit-{a}"] == a
    assert "refs/heads/harn-attempt/billing/p1.export.1" not in refs


async def test_discarding_integrated_work_leaves_nothing_behind(house: House):
    await house.workspace.open_branch(house.path, BILLING, house.base)
    a = await recorded(house, "a.txt", b"a")
    await house.workspace.advance(house.path, BILLING, house.base, a)
    await house.workspace.checkout(place(house), a, "proof")
    await house.workspace.discard(place(house))
    assert not [ref for ref in house.refs() if "p1.export.1" in ref]


async def test_discarding_an_attempt_that_changed_nothing_leaves_nothing_behind(house: House):
    await house.workspace.open_branch(house.path, BILLING, house.base)
    await house.workspace.open_worktree(place(house), house.base)
    await house.workspace.record(place(house), house.base, "Nothing")
    await house.workspace.discard(place(house))
    assert not [ref for ref in house.refs() if "p1.export.1" in ref]


async def test_discarding_keeps_uncommitted_files_as_a_snapshot(house: House):
    await house.workspace.open_branch(house.path, BILLING, house.base)
    where = await house.workspace.open_worktree(place(house), house.base)
    house.write(where, "draft.txt", b"not yet")
    await house.workspace.discard(place(house))
    kept = [to for ref, to in house.refs().items() if "/rescue/billing/p1.export.1/snapshot-" in ref]
    assert [house.content(commit) for commit in kept] == [{**FIRST, "draft.txt": b"not yet"}]


async def test_an_attempt_whose_end_was_lost_with_the_daemon_finds_its_recording_again(house: House):
    await house.workspace.open_branch(house.path, BILLING, house.base)
    a = await recorded(house, "a.txt", b"a")
    await house.workspace.discard(place(house))
    house.restart()
    where = await house.workspace.open_worktree(place(house), house.base)
    assert house.read(where) == {**FIRST, "a.txt": b"a"}
    recording = await house.workspace.record(place(house), house.base, "Write a.txt")
    assert recording == Recording(a, await house.workspace.tree(house.path, a), ("a.txt",))


async def test_what_was_kept_is_let_go_once_the_goal_contains_it(house: House):
    await house.workspace.open_branch(house.path, BILLING, house.base)
    a = await recorded(house, "a.txt", b"a", work="p1.a")
    b = await recorded(house, "b.txt", b"b", work="p1.b")
    merge = await house.workspace.merge(place(house, "p1.b"), a, b)
    assert isinstance(merge, Merge)
    await house.workspace.discard(place(house, "p1.a"))
    await house.workspace.discard(place(house, "p1.b"))
    await house.workspace.advance(house.path, BILLING, house.base, a)
    await house.workspace.advance(house.path, BILLING, a, merge.commit)
    assert not [ref for ref in house.refs() if "p1.a" in ref or "p1.b" in ref]


async def test_discarding_again_or_without_an_attempt_is_no_trouble(house: House):
    await house.workspace.open_branch(house.path, BILLING, house.base)
    await recorded(house, "a.txt", b"a")
    await house.workspace.discard(place(house))
    after = house.refs()
    house.restart()
    await house.workspace.discard(place(house))
    await house.workspace.discard(place(house, "p1.never"))
    assert house.refs() == after


# --- what is left of attempts


async def test_an_attempt_weighs_something_until_it_is_discarded(house: House):
    one = Occupied(BILLING, place(house).work, 1)
    assert await house.workspace.weight(one) == 0
    await house.workspace.open_worktree(place(house), house.base)
    assert await house.workspace.weight(one) > 0
    assert await house.workspace.occupied() == (one,)
    await house.workspace.discard(place(house))
    assert await house.workspace.weight(one) == 0


async def test_refs_are_told_apart_by_what_only_they_keep(house: House):
    await house.workspace.open_branch(house.path, BILLING, house.base)
    assert await house.workspace.kept_refs(house.path, BILLING) == KeptRefs((), (), ())
    done = await recorded(house, "a.txt", b"a", work="p1.a")
    kept = await recorded(house, "b.txt", b"b", work="p1.b")
    await house.workspace.discard(place(house, "p1.b"))
    house.set_ref("refs/heads/harn/billing", done)
    found = await house.workspace.kept_refs(house.path, BILLING)
    assert found == KeptRefs(
        attempts=(Occupied(BILLING, place(house, "p1.a").work, 1),),
        merged=("refs/harnd/recorded/billing/p1.a.1",),
        rescued=(f"refs/harnd/rescue/billing/p1.b.1/commit-{kept}",),
    )
    assert await house.workspace.kept_refs(house.path, GoalId("bill")) == KeptRefs((), (), ())


async def test_only_refs_of_which_nothing_depends_are_forgotten(house: House):
    await house.workspace.open_branch(house.path, BILLING, house.base)
    done = await recorded(house, "a.txt", b"a", work="p1.a")
    kept = await recorded(house, "b.txt", b"b", work="p1.b")
    for work in ("p1.a", "p1.b"):
        await house.workspace.discard(place(house, work))
    house.set_ref("refs/heads/harn/billing", done)
    gone = ("refs/harnd/recorded/billing/p1.a.1", f"refs/harnd/rescue/billing/p1.a.1/commit-{done}")
    assert await house.workspace.forget_merged(house.path, BILLING) == gone
    assert await house.workspace.forget_merged(house.path, BILLING) == ()
    assert not {*gone} & house.refs().keys()
    assert house.refs()[f"refs/harnd/rescue/billing/p1.b.1/commit-{kept}"] == kept


async def test_without_the_goals_branch_nothing_counts_as_kept_by_it(house: House):
    await recorded(house, "a.txt", b"a")
    await house.workspace.discard(place(house))
    before = house.refs()
    assert (await house.workspace.kept_refs(house.path, BILLING)).merged == ()
    assert await house.workspace.forget_merged(house.path, BILLING) == ()
    assert house.refs() == before
