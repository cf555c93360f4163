"""Recording: the one commit that holds an item's work, made with the repository's own hooks.

What is recorded is the content of the worktree, on top of the base (or of the attempt's last recording), whatever the
agent did to get there:

- its own commits are folded into the recording, so that hooks see everything even if it skipped them (the commits
  themselves are kept by rescue refs);
- a detached HEAD, another branch, or a merge, rebase, cherry-pick or revert in progress is left: the attempt's branch
  is where HEAD goes.  Conflicts that nobody resolved refuse the recording;
- a repository made inside the worktree is folded in as the plain files it holds, and its `.git` is moved beside the
  worktree.  A clone of somebody else's refuses the recording; declared submodules stay what they are;
- what `git add` does not take (a name, an encoding, a filter that is not there) refuses the recording;
- where the repository goes without git-lfs, whole content in the place of a pointer refuses the recording;
- ignored files are left out, unless the agent added them by force;
- files that a hook rewrites are recorded as rewritten, and the hooks see them again, once.

Hooks run inside the worktree as they would for a person; `core.hooksPath` is read from the configuration that all
worktrees share, so an agent cannot turn hooks off for its own worktree alone.

A relative `core.hooksPath` means files of the worktree itself, which the agent may have written.  So the commit is a
command of the attempt like any other: with the environment and the marks of agents, bounded in time and output, and
ended with all that it started, also when the daemon dies.
"""

import os
import secrets
from pathlib import Path
from typing import Final

from harnd.adapters.git import pointers, ref_names
from harnd.adapters.git.command import ENVIRONMENT, GitFailedError, patiently, text, unless_locked
from harnd.adapters.git.content import Content, NotTakenError
from harnd.adapters.git.identity import Identity, operators
from harnd.adapters.git.process import Finished
from harnd.adapters.git.repository import Change, Repository
from harnd.adapters.git.rescue import keep_commits
from harnd.domain.goal.keys import record_key
from harnd.ports.errors import UnavailableError
from harnd.ports.sessions import CommandRunner, CommandTask, Ending, Output
from harnd.ports.workspace import Place, Recording, Refused
from protocol.ids import CommitId, TreeId
from protocol.values import SECOND, Micros

PASSES: Final = 2  # a hook that rewrites files sees what it wrote once more
HOOKS_S: Final = 900
WORDS: Final = ("commit", "--quiet", "--cleanup=whitespace")
REFUSING_HOOKS: Final = ("pre-commit", "prepare-commit-msg", "commit-msg")


async def record(
    repository: Repository, place: Place, *, base: CommitId, message: str, path: Path, commands: CommandRunner
) -> Recording | Refused:
    """Commit the worktree's content on the attempt's branch; the caller holds the turn and has ended the agent."""
    content = await Content.open(repository, place, path)
    if conflicts := await content.conflicts():
        return Refused(f"a merge left conflicts that nobody has resolved: {', '.join(conflicts)}")
    if clones := await content.clones():
        return Refused(f"clones of other repositories lie in the worktree: {', '.join(clones)}")
    start = await start_of(repository, place, base)
    await _fold_commits(content, place, start)
    try:
        refused = await _commit_all(content, place, start, Committer(content, place, message, commands))
    except NotTakenError as error:
        return Refused(f"git does not take in what lies in the worktree: {error}")
    if refused is not None:
        return refused
    commit = await repository.ref(ref_names.attempt_ref(place)) or start
    await repository.move([Change(ref_names.recorded(place), commit)])
    return Recording(commit, await repository.tree(commit), await repository.changed(base, commit))


async def start_of(repository: Repository, place: Place, base: CommitId) -> CommitId:
    """Return the commit to build on: the attempt's last recording if there is one, else the base."""
    last = await repository.ref(ref_names.recorded(place))
    return last if last is not None and await repository.contains(last, base) else base


async def _fold_commits(content: Content, place: Place, start: CommitId) -> None:
    """Put HEAD and the attempt's branch at `start`; commits that this leaves behind are kept."""
    repository, branch = content.repository, ref_names.attempt_ref(place)
    tips = [tip for tip in (await content.head(), await repository.ref(branch)) if tip is not None]
    await keep_commits(repository, ref_names.rescues(place), tips, beyond=[start])
    await content.settle(place)
    await repository.move([Change(branch, start)])


async def _commit_all(content: Content, place: Place, start: CommitId, committer: "Committer") -> Refused | None:
    repository, branch = content.repository, ref_names.attempt_ref(place)
    unchanged = await repository.tree(start)
    tree, refused = await content.take_in(start), None
    if repository.pointers_only and (whole := await _filled_in(content, unchanged, tree)):
        said = f"{', '.join(whole)} would be recorded whole, where git-lfs keeps large files elsewhere"
        return Refused(f"{said}; this repository goes without git-lfs ({pointers.SETTING}): leave their pointers")
    for _ in range(PASSES):
        await repository.move([Change(branch, start)])
        if tree == unchanged:
            return None
        refused = await committer.commit()
        committed = tree if refused else await repository.tree(branch)
        tree = await content.take_in_tracked()
        if tree == committed:
            break
    return refused


async def _filled_in(content: Content, before: TreeId, tree: TreeId) -> tuple[str, ...]:
    """List the files that belong to git-lfs and were changed to something else than a pointer."""
    changed = await content.repository.changed(before, tree)
    names = {*await content.filtered_by(pointers.FILTER)} & {*changed}
    return tuple(sorted(names - {*await pointers.among(content.path, names)}))


class Committer:
    """Has what the index of the worktree holds committed, with hooks."""

    def __init__(self, content: Content, place: Place, message: str, commands: CommandRunner) -> None:
        self._content = content
        self._place = place
        self._message = message
        self._commands = commands

    async def commit(self) -> Refused | None:
        """Commit once, or return what the hooks said against it; raises `GitFailedError` when nobody could refuse."""
        hooks = await hooks_path(self._content.repository)
        identity = await operators(self._content.repository)

        async def once() -> Finished:
            return await self._run(hooks, identity)

        finished = await patiently(once)
        if finished.code == 0:
            return None
        if not _can_refuse(self._content.path / hooks):
            raise GitFailedError(WORDS, finished)
        late = "" if finished.code is not None else f"The hooks did not end within {HOOKS_S} s.\n"
        return Refused(late + text(finished.stderr))

    async def _run(self, hooks: str, identity: Identity) -> Finished:
        git, place = self._content.repository.git, self._place
        task = CommandTask(
            # A stored result says nothing about now: a commit that was made may have been put back since, and what
            # hooks refused may have been mended.  Hence a key of its own for every run.
            key=record_key(place.goal, place.work, place.attempt, run=secrets.token_hex(8)),
            argv=git.command(*WORDS, f"--message={self._message}", hooks=hooks),
            cwd=str(self._content.path),
            timeout=Micros(HOOKS_S * SECOND),
            env=tuple((ENVIRONMENT | identity.environment()).items()),
        )
        ended = await self._commands.run(task)
        if ended.ending not in {Ending.EXITED, Ending.TIMED_OUT}:
            raise UnavailableError(f"git commit in {task.cwd}: {ended.detail}")
        said = _whole(ended.stdout) + _whole(ended.stderr)  # the first is empty: git sends what hooks say to the second
        return unless_locked(WORDS, Finished(ended.exit_code, b"", said.encode()))


def _whole(output: Output) -> str:
    gap = f"\n... {output.omitted_bytes} bytes left out ...\n" if output.omitted_bytes else ""
    return f"{output.head}{gap}{output.tail}"


def _can_refuse(hooks: Path) -> bool:
    return any(os.access(hooks / name, os.X_OK) for name in REFUSING_HOOKS)


async def hooks_path(repository: Repository) -> str:
    """Return where the repository's hooks lie; a relative path is meant from the top of each worktree."""
    config = str(repository.common / "config")
    words = ("config", "--file", config, "--includes", "--type=path", "--null", "--get", "core.hooksPath")
    finished = await repository.git.run(repository.common, *words)
    return text(finished.stdout).removesuffix("\0") or str(repository.common / "hooks")
