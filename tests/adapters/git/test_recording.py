"""Whatever state an agent leaves its worktree in, the content is recorded, by harnd, with hooks, on the base."""

from pathlib import Path

import pytest

from harnd.adapters.git import files
from harnd.ports.workspace import Merge, Recording, Refused
from tests.kit.repositories import FIRST, GitHouse, place

BRANCH = "refs/heads/harn-attempt/billing/p1.export.1"
RESCUE = "refs/harnd/rescue/billing/p1.export.1/"


async def opened(house: GitHouse) -> str:
    return await house.workspace.open_worktree(place(house), house.base)


async def recorded(house: GitHouse) -> Recording:
    recording = await house.workspace.record(place(house), house.base, "Work on the export")
    assert isinstance(recording, Recording)
    return recording


async def refused(house: GitHouse) -> str:
    refusal = await house.workspace.record(place(house), house.base, "Work on the export")
    assert isinstance(refusal, Refused)
    return refusal.output


def assert_on_branch(house: GitHouse, recording: Recording, files: dict[str, bytes]) -> None:
    """The recording holds exactly `files`, in one commit on the base, at the tip of the attempt's branch."""
    assert house.content(recording.commit) == files
    assert house.refs()[BRANCH] == recording.commit
    assert house.git("rev-parse", f"{recording.commit}^").strip() == house.base


# --- what an agent did with commits and branches


async def test_commits_of_the_agent_are_folded_in_and_kept(house: GitHouse):
    where = await opened(house)
    house.write(where, "a.txt", b"a")
    own = house.commit("agent: a", at=where)
    house.write(where, "b.txt", b"b")
    assert_on_branch(house, await recorded(house), {**FIRST, "a.txt": b"a", "b.txt": b"b"})
    assert house.refs()[f"{RESCUE}commit-{own}"] == own


async def test_work_on_a_detached_head_is_recorded(house: GitHouse):
    where = await opened(house)
    house.git("checkout", "--quiet", "--detach", at=where)
    house.write(where, "a.txt", b"a")
    own = house.commit("agent: detached", at=where)
    assert_on_branch(house, await recorded(house), {**FIRST, "a.txt": b"a"})
    assert f"{RESCUE}commit-{own}" in house.refs()
    assert house.git("symbolic-ref", "HEAD", at=where).strip() == BRANCH


async def test_work_on_another_branch_is_recorded_and_that_branch_left_alone(house: GitHouse):
    where = await opened(house)
    house.git("checkout", "--quiet", "-b", "feature", at=where)
    house.write(where, "a.txt", b"a")
    own = house.commit("agent: feature", at=where)
    assert_on_branch(house, await recorded(house), {**FIRST, "a.txt": b"a"})
    assert house.refs()["refs/heads/feature"] == own


async def test_a_deleted_attempt_branch_comes_back(house: GitHouse):
    where = await opened(house)
    house.git("checkout", "--quiet", "--detach", at=where)
    house.git("update-ref", "-d", BRANCH)
    house.write(where, "a.txt", b"a")
    assert_on_branch(house, await recorded(house), {**FIRST, "a.txt": b"a"})


async def test_a_convincing_title_on_an_empty_commit_records_nothing(house: GitHouse):
    where = await opened(house)
    house.git("commit", "--quiet", "--allow-empty", "--message", "Implement the whole export", at=where)
    recording = await recorded(house)
    assert (recording.commit, recording.changed) == (house.base, ())


async def conflict(house: GitHouse, where: str, command: str) -> None:
    """Let the agent meet a conflict in README.md."""
    house.git("checkout", "--quiet", "-b", "theirs", at=where)
    house.write(where, "README.md", b"# Theirs\n")
    theirs = house.commit("theirs", at=where)
    house.git("checkout", "--quiet", place(house).branch, at=where)
    house.write(where, "README.md", b"# Ours\n")
    house.commit("ours", at=where)
    house.git(command, theirs, at=where, check=False)


@pytest.mark.parametrize("command", ["merge", "rebase", "cherry-pick"])
async def test_unresolved_conflicts_refuse_the_recording(house: GitHouse, command: str):
    where = await opened(house)
    await conflict(house, where, command)
    assert "README.md" in await refused(house)
    assert b"<<<<<<<" in house.read(where)["README.md"]


@pytest.mark.parametrize("command", ["merge", "rebase", "cherry-pick"])
async def test_an_operation_in_progress_is_left_and_resolved_files_are_recorded(house: GitHouse, command: str):
    where = await opened(house)
    await conflict(house, where, command)
    house.write(where, "README.md", b"# Both\n")
    assert_on_branch(house, await recorded(house), {**FIRST, "README.md": b"# Both\n"})
    assert "in progress" not in house.git("status", at=where)
    assert "All conflicts fixed" not in house.git("status", at=where)


# --- what an agent did with files


async def test_ignored_files_are_left_out_unless_they_were_added_by_force(house: GitHouse):
    where = await opened(house)
    house.write(where, ".gitignore", b"*.log\n")
    house.write(where, "debug.log", b"noise")
    house.write(where, "kept.log", b"wanted")
    house.git("add", "--force", "kept.log", at=where)
    house.write(where, "kept.log", b"wanted, later")
    assert_on_branch(house, await recorded(house), {**FIRST, ".gitignore": b"*.log\n", "kept.log": b"wanted, later"})


@pytest.mark.parametrize("flag", ["--assume-unchanged", "--skip-worktree"])
async def test_changes_hidden_by_an_index_flag_are_recorded(house: GitHouse, flag: str):
    where = await opened(house)
    house.git("update-index", flag, "README.md", at=where)
    house.write(where, "README.md", b"hidden")
    assert_on_branch(house, await recorded(house), {**FIRST, "README.md": b"hidden"})


async def test_a_broken_index_is_made_anew(house: GitHouse):
    where = await opened(house)
    house.write(where, "a.txt", b"a")
    house.write(str(house.administration(where)), "index", b"not an index")
    assert_on_branch(house, await recorded(house), {**FIRST, "a.txt": b"a"})


@pytest.mark.parametrize("commits", [True, False], ids=["with-commits", "without"])
async def test_a_repository_made_inside_is_recorded_as_its_files(house: GitHouse, commits: bool):
    where = await opened(house)
    house.write(where, "app/package.json", b"{}")
    house.write(where, "app/inner/deep.txt", b"deep")
    house.git("init", "--quiet", at=f"{where}/app/inner")
    house.git("init", "--quiet", at=f"{where}/app")
    if commits:
        house.git("add", "package.json", at=f"{where}/app")
        house.git("-c", "user.name=x", "-c", "user.email=x@x", "commit", "--quiet", "-m", "scaffold", at=f"{where}/app")
    files = {**FIRST, "app/package.json": b"{}", "app/inner/deep.txt": b"deep"}
    assert_on_branch(house, await recorded(house), files)


@pytest.mark.parametrize("added", [True, False], ids=["added", "untracked"])
async def test_a_clone_inside_the_worktree_is_refused_by_name(house: GitHouse, added: bool):
    where = await opened(house)
    house.git("clone", "--quiet", house.path, "vendor/lib", at=where)
    if added:
        house.git("add", "--all", at=where)
    assert "vendor/lib" in await refused(house)


async def test_a_declared_submodule_stays_one(house: GitHouse, tmp_path: Path):
    other = GitHouse(tmp_path / "other")
    where = await opened(house)
    house.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", other.path, "lib", at=where)
    recording = await recorded(house)
    assert recording.changed == (".gitmodules", "lib")
    assert house.git("ls-tree", recording.commit, "lib").startswith("160000 commit")


@pytest.mark.parametrize("damage", ["removed", "replaced", "repository", "redirected"])
async def test_a_damaged_link_to_the_repository_is_mended(house: GitHouse, tmp_path: Path, damage: str):
    where = await opened(house)
    house.remove(where, ".git")
    if damage == "replaced":
        house.write(where, ".git", b"nonsense")
    elif damage == "repository":
        house.git("init", "--quiet", at=where)
    elif damage == "redirected":
        house.write(where, ".git", b"gitdir: %s/.git\n" % bytes(GitHouse(tmp_path / "other").top))
    house.write(where, "a.txt", b"a")
    assert_on_branch(house, await recorded(house), {**FIRST, "a.txt": b"a"})


async def test_a_lost_registration_is_made_again(house: GitHouse):
    where = await opened(house)
    house.write(where, "a.txt", b"a")
    files.remove_tree(house.administration(where))
    assert_on_branch(house, await recorded(house), {**FIRST, "a.txt": b"a"})


@pytest.mark.parametrize("locked", ["index", "HEAD", "branch"])
async def test_a_lock_left_by_a_killed_git_is_removed(house: GitHouse, locked: str):
    where = await opened(house)
    house.write(where, "a.txt", b"a")
    house.lock(house.top / ".git" / BRANCH if locked == "branch" else house.administration(where) / locked)
    assert_on_branch(house, await recorded(house), {**FIRST, "a.txt": b"a"})


# --- whose name, and which message


async def test_the_operator_is_the_author(house: GitHouse):
    house.write(await opened(house), "a.txt", b"a")
    commit = (await recorded(house)).commit
    assert house.git("show", "--no-patch", "--format=%an <%ae> %cn <%ce>", commit).strip() == (
        "Ada <ada@example.org> Ada <ada@example.org>"
    )


async def test_harnd_signs_when_the_operator_has_no_name(house: GitHouse):
    house.git("config", "--unset", "user.name")
    house.write(await opened(house), "a.txt", b"a")
    commit = (await recorded(house)).commit
    assert house.git("show", "--no-patch", "--format=%an <%ae>", commit).strip() == "harnd <harnd@localhost>"


async def test_nothing_about_a_name_is_asked_where_only_configured_ones_are_taken(house: GitHouse):
    house.git("config", "--remove-section", "user")
    house.git("config", "user.useConfigOnly", "true")
    house.write(await opened(house), "a.txt", b"a")
    commit = (await recorded(house)).commit
    assert house.git("show", "--no-patch", "--format=%an %cn", commit).strip() == "harnd harnd"


async def test_an_operator_who_signs_holds_nothing_up_and_is_not_signed_for(house: GitHouse, tmp_path: Path):
    """A key that asks for its passphrase would wait for nobody; what harnd makes is not the operator's signature."""
    asks = house.program(tmp_path / "asks", f"touch '{tmp_path}/asked'; cat; exit 1")
    for name in ("commit.gpgSign", "tag.gpgSign", "merge.verifySignatures", "log.showSignature"):
        house.git("config", name, "true")
    house.git("config", "gpg.program", str(asks))
    house.git("config", "user.signingKey", "0xdeadbeef")
    house.write(await opened(house), "a.txt", b"a")
    commit = (await recorded(house)).commit
    other = await house.workspace.open_worktree(place(house, "p1.other"), house.base)
    house.write(other, "b.txt", b"b")
    second = await house.workspace.record(place(house, "p1.other"), house.base, "Other")
    assert isinstance(second, Recording)
    merge = await house.workspace.merge(place(house, "p1.other"), commit, second.commit)
    assert isinstance(merge, Merge)
    await house.workspace.discard(place(house))
    for made in (commit, merge.commit):
        assert "gpgsig" not in house.git("cat-file", "commit", made)
    assert not (tmp_path / "asked").exists()


async def test_lines_of_the_message_that_look_like_comments_stay(house: GitHouse):
    house.write(await opened(house), "a.txt", b"a")
    recording = await house.workspace.record(place(house), house.base, "Fix\n\n#7 was the cause\n")
    assert isinstance(recording, Recording)
    assert house.git("show", "--no-patch", "--format=%B", recording.commit).strip() == "Fix\n\n#7 was the cause"


# --- hooks


async def test_hooks_see_what_the_agent_committed_around_them(house: GitHouse):
    house.hook("pre-commit", "! git diff --cached | grep -q '^+AKIA'")
    where = await opened(house)
    house.write(where, "key.txt", b"AKIA0000\n")
    house.commit("agent: --no-verify", at=where)
    await refused(house)
    assert house.refs()[BRANCH] == house.base
    house.write(where, "key.txt", b"gone\n")
    assert_on_branch(house, await recorded(house), {**FIRST, "key.txt": b"gone\n"})


async def test_a_relative_hooks_path_is_meant_from_the_worktree(house: GitHouse):
    house.git("config", "core.hooksPath", ".husky")
    house.hook("pre-commit", "echo from the folder; exit 1", ".husky")
    house.base = house.commit("husky")
    house.write(await opened(house), "a.txt", b"a")
    assert "from the folder" in await refused(house)


async def test_an_agent_cannot_turn_hooks_off_for_its_worktree_alone(house: GitHouse):
    house.git("config", "extensions.worktreeConfig", "true")
    house.hook("pre-commit", "echo still here; exit 1")
    where = await opened(house)
    house.git("config", "--worktree", "core.hooksPath", "/dev/null", at=where)
    house.write(where, "a.txt", b"a")
    assert "still here" in await refused(house)


async def test_the_message_hook_is_heard(house: GitHouse):
    house.hook("commit-msg", 'grep -q JIRA "$1" || { echo "name a ticket"; exit 1; }')
    house.write(await opened(house), "a.txt", b"a")
    assert "name a ticket" in await refused(house)
    assert isinstance(await house.workspace.record(place(house), house.base, "JIRA-1: work"), Recording)


@pytest.mark.parametrize("after", ["exit 0", "exit 1", "git add --update"])
async def test_what_a_formatting_hook_rewrites_is_recorded(house: GitHouse, after: str):
    """It may fail when it has rewritten something, as pre-commit does, or succeed without adding what it wrote."""
    script = f"grep -q draft text.txt || exit 0\nsed -i s/draft/final/ text.txt; touch junk.tmp\n{after}"
    house.hook("pre-commit", script)
    where = await opened(house)
    house.write(where, "text.txt", b"draft\n")
    assert_on_branch(house, await recorded(house), {**FIRST, "text.txt": b"final\n"})


async def test_a_talkative_hook_is_cut_in_the_middle(house: GitHouse):
    house.hook("pre-commit", "echo beginning; yes | head -c 1000000; echo end; exit 1")
    house.write(await opened(house), "a.txt", b"a")
    output = await refused(house)
    assert output.startswith("beginning")
    assert output.endswith("end\n")
    assert len(output) < 20_000


async def test_other_hooks_do_not_run_when_harnd_works_for_itself(house: GitHouse):
    ran = house.top.parent / "ran"
    for name in ("post-checkout", "reference-transaction", "post-merge", "post-index-change", "pre-commit"):
        house.hook(name, f"echo {name} >> {ran}")
    await house.workspace.open_branch(house.path, place(house).goal, house.base)
    where = await opened(house)
    house.write(where, "a.txt", b"a")
    await house.workspace.checkout(place(house), house.base, "proof")
    await house.workspace.discard(place(house))
    assert not files.exists(ran)


async def test_changed_paths_are_counted_from_the_base_across_recordings(house: GitHouse):
    where = await opened(house)
    house.write(where, "a.txt", b"a")
    await recorded(house)
    house.write(where, "b.txt", b"b")
    assert (await recorded(house)).changed == ("a.txt", "b.txt")


async def test_line_endings_that_git_converts_are_recorded_converted(house: GitHouse):
    house.git("config", "core.safecrlf", "true")
    house.git("config", "core.autocrlf", "input")
    house.write(await opened(house), "a.txt", b"a\r\nb\r\n")
    assert house.git("show", f"{(await recorded(house)).commit}:a.txt") == "a\nb\n"
