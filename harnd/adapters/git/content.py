"""The content of an attempt's worktree, taken into its index whatever state an agent left it in.

The worktree is addressed by its path and its administrative directory, never through the `.git` file inside it: an
agent may have written that.  The caller holds the repository's turn and has ended the agent.
"""

import hashlib
import os
import shutil
from pathlib import Path
from typing import Final

import structlog
from anyio import to_thread

from harnd.adapters.git import files, ref_names, worktrees
from harnd.adapters.git.command import WRITING, GitFailedError, LockHeldError, entries, text
from harnd.adapters.git.repository import Repository
from harnd.ports.errors import MissingError, UnavailableError
from harnd.ports.workspace import Place, storable
from protocol.ids import CommitId, TreeId

IN_PROGRESS: Final = (
    "AUTO_MERGE",
    "BISECT_LOG",
    "BISECT_START",
    "CHERRY_PICK_HEAD",
    "MERGE_HEAD",
    "MERGE_MODE",
    "MERGE_MSG",
    "REBASE_HEAD",
    "REVERT_HEAD",
    "SQUASH_MSG",
    "rebase-apply",
    "rebase-merge",
    "sequencer",
)
LOCKS: Final = ("index.lock", "HEAD.lock")
SUBMODULE: Final = "160000 "  # how its entries in the index begin
NESTED_IN_NESTED: Final = 10

ANY_NAME: Final = ("-c", "core.protectNTFS=false", "-c", "core.protectHFS=false")
MACHINES_FAULT: Final = (
    "No space left on device",
    "Disk quota exceeded",
    "Input/output error",
    "Read-only file system",
)

log = structlog.get_logger()


class NotTakenError(UnavailableError):
    """git does not take what lies in the worktree into its index; the message is what git said."""


class Content:
    """What lies in the worktree at `path`."""

    def __init__(
        self, repository: Repository, place: Place, *, path: Path, administration: Path, index: Path | None = None
    ) -> None:
        self._place = place
        self.repository = repository
        self.path = path
        self._administration = administration
        self._index = index or administration / "index"
        self._env = {"GIT_DIR": str(administration), "GIT_WORK_TREE": str(path), "GIT_LITERAL_PATHSPECS": "1"}
        self._env["GIT_INDEX_FILE"] = str(self._index)

    @classmethod
    async def open(cls, repository: Repository, place: Place, path: Path) -> "Content":
        """Find the attempt's worktree and mend what ties it to the repository; raises `MissingError`."""
        if not files.is_directory(path):
            raise MissingError(f"the worktree {path} is gone")
        try:
            administration = worktrees.administration(repository, path)
        except MissingError:
            await worktrees.adopt(repository, place, path)
            administration = worktrees.administration(repository, path)
        content = cls(repository, place, path=path, administration=administration)
        await content._mend_link()
        content._remove_stale_locks(place)
        await content._drop_broken_index()
        return content

    async def _mend_link(self) -> None:
        link, wanted = self.path / ".git", os.fsencode(f"gitdir: {self._administration}\n")
        if files.is_directory(link):
            await self._keep_commits_of(link)
            files.set_aside(link, self._beside("own"))
        if not link.is_file() or link.is_symlink() or link.read_bytes() != wanted:
            link.unlink(missing_ok=True)
            link.write_bytes(wanted)

    def _remove_stale_locks(self, place: Place) -> None:
        """Remove what a killed git left locked here: the agent's, or the commit that ended with its daemon.

        Such a lock is ours to remove: the worktree and its branch are harnd's, nobody else has the turn, and nobody is
        at work inside.
        """
        branch = self.repository.common / f"{ref_names.attempt_ref(place)}.lock"
        for lock in (*(self._administration / name for name in LOCKS), branch):
            if lock.exists() and not files.processes_inside(self.path):
                log.warning("workspace.stale_lock_removed", path=str(lock))
                lock.unlink(missing_ok=True)

    async def _drop_broken_index(self) -> None:
        finished = await self.repository.git.run(self.path, "ls-files", "-z", env=self._env)
        if finished.code:
            log.warning("workspace.broken_index_removed", path=str(self._index))
            self._index.unlink(missing_ok=True)

    def _beside(self, kind: str) -> str:
        """Name the place beside the worktree where a repository that the agent made in it is put."""
        return f"{self.path}.{kind}"

    async def ask(self, *words: str, given: bytes = b"") -> bytes:
        """Ask git something about this worktree."""
        return await self.repository.git.ask(self.path, *words, given=given, env=self._env)

    async def change(self, *words: str, given: bytes = b"") -> bytes:
        """Have git change the index or HEAD of this worktree."""
        return await self.repository.git.change(self.path, *words, given=given, env=self._env)

    async def head(self) -> CommitId | None:
        """Return the commit that HEAD is at, by whatever way."""
        finished = await self.repository.git.run(self.path, "rev-parse", "--verify", "--quiet", "HEAD", env=self._env)
        return CommitId(text(finished.stdout).strip()) if finished.code == 0 else None

    async def past_heads(self) -> tuple[CommitId, ...]:
        """List every commit that HEAD has been at, as far as its log remembers."""
        words = ("log", "--walk-reflogs", "--format=%H", "HEAD")
        finished = await self.repository.git.run(self.path, *words, env=self._env)
        return tuple(CommitId(line) for line in text(finished.stdout).split()) if finished.code == 0 else ()

    async def settle(self, place: Place) -> None:
        """Put HEAD on the attempt's branch and forget whatever operation is in progress; files stay as they are."""
        await self.change("symbolic-ref", "HEAD", ref_names.attempt_ref(place))
        for name in IN_PROGRESS:
            state = self._administration / name
            if state.is_dir():
                shutil.rmtree(state)
            else:
                state.unlink(missing_ok=True)

    async def conflicts(self) -> tuple[str, ...]:
        """List the files that a merge left in conflict and nobody has resolved."""
        unmerged = {entry.partition("\t")[2] for entry in entries(await self.ask("ls-files", "-z", "--unmerged"))}
        return tuple(sorted(name for name in unmerged if _has_markers(self.path / name)))

    async def filtered_by(self, name: str) -> tuple[str, ...]:
        """List the files, ignored ones excepted, that pass through this filter; none when the index cannot be read."""
        words = ("ls-files", "-z", "--cached", "--others", "--exclude-standard", f":(attr:filter={name})")
        env = self._env | {"GIT_LITERAL_PATHSPECS": "0"}
        finished = await self.repository.git.run(self.path, *words, env=env)
        return entries(finished.stdout) if finished.code == 0 else ()

    async def clones(self) -> tuple[str, ...]:
        """List the directories that are clones of other repositories, or that other repositories reach into."""
        return tuple([name for name in await self._nested() if not await self._was_made_here(name)])

    async def take_in(self, start: str) -> TreeId:
        """Make the index the whole content of the worktree, seen from `start`, and return its tree.

        Directories that are repositories of their own are taken in as plain files.
        """
        forced = await self._added_by_force()
        await self.change("read-tree", "--reset", start)
        await self._unhide()
        await self._take_all()
        if forced:
            await self._add("--force", "--pathspec-from-file=-", "--pathspec-file-nul", given=forced)
        return await self._tree()

    async def _take_all(self) -> None:
        await self._fold_nested()
        await self._add("--all")

    async def take_in_raw(self, start: str) -> TreeId:
        """Make the index what can be read of the worktree, byte by byte, where `take_in` raised `NotTakenError`.

        No filter, no conversion and no rule about names has a say; files that are neither content nor links are left
        out, and so is what cannot be read.  Submodules stay as they are in `start`.
        """
        found = await self._found()
        commits = [
            entry for entry in entries(await self.ask("ls-tree", "-r", "-z", start)) if entry.startswith(SUBMODULE)
        ]
        await self.change("read-tree", "--empty")
        within = tuple([f"{_path(entry)}/" for entry in commits])
        names = sorted(name for name in found if not f"{name}/".startswith(within))
        lines = [*commits, *await self._stored(names)]
        given = os.fsencode("".join(f"{line}\0" for line in lines))
        await self.change(*ANY_NAME, "update-index", "-z", "--index-info", given=given)
        return await self._tree()

    async def _stored(self, names: list[str]) -> list[str]:
        """Store files as they are, and return their entries for the index."""
        modes = {name: await to_thread.run_sync(files.mode, self.path / name) for name in names}
        plain = [name for name, mode in modes.items() if mode in {"100644", "100755"}]
        listed = [name for name in plain if "\n" not in name]
        words = ("hash-object", "-w", "--no-filters")
        given = os.fsencode("".join(f"{self.path / name}\n" for name in listed))
        objects = text(await self.change(*words, "--stdin-paths", given=given)).split() if listed else []
        stored = dict(zip(listed, objects, strict=True))
        for name in set(plain) - stored.keys():
            stored[name] = text(await self.change(*words, "--", str(self.path / name))).strip()
        for name in [name for name, mode in modes.items() if mode == files.LINK]:
            target = os.fsencode((self.path / name).readlink())
            stored[name] = text(await self.change(*words[:2], "--stdin", given=target)).strip()
        return [f"{modes[name]} {to}\t{name}" for name, to in sorted(stored.items())]

    async def _found(self) -> set[str]:
        """List the files that the index knows, whether or not they are there, and those that it does not."""
        return {*entries(await self.ask("ls-files", "-z", "--cached")), *await self._others()}

    async def _others(self) -> tuple[str, ...]:
        """List the files that it does not know and no rule ignores; a directory that is a repository has a slash."""
        return entries(await self.ask("ls-files", "-z", "--others", "--exclude-standard"))

    async def _add(self, *words: str, given: bytes = b"") -> None:
        await self._take("add", *words, given=given)

    async def _take(self, *words: str, given: bytes) -> None:
        """Have git take files into the index; raises `NotTakenError` when it is them that it does not like."""
        try:
            await self.change(*words, given=given)
        except LockHeldError:
            raise
        except GitFailedError as error:
            if not error.stderr.strip() or any(fault in error.stderr for fault in MACHINES_FAULT):
                raise
            raise NotTakenError(error.stderr.strip()) from error

    async def take_in_tracked(self) -> TreeId:
        """Take changes of files that the index knows into it, and return its tree."""
        await self._add("--update")
        return await self._tree()

    async def _tree(self) -> TreeId:
        return TreeId(text(await self.change("write-tree")).strip())

    async def _added_by_force(self) -> bytes:
        """List ignored files that are tracked all the same."""
        listing = await self.ask("ls-files", "-z", "--cached", "--ignored", "--exclude-standard")
        present = [name for name in entries(listing) if files.exists(self.path / name)]
        return os.fsencode("".join(f"{name}\0" for name in present))

    async def _unhide(self) -> None:
        """Clear the index flags by which changes of a file go unnoticed."""
        tagged = [entry.split(" ", 1) for entry in entries(await self.ask("ls-files", "-z", "-v"))]
        hidden = os.fsencode("".join(f"{name}\0" for tag, name in tagged if tag.islower() or tag == "S"))
        if hidden:
            await self.change("update-index", "-z", "--no-assume-unchanged", "--stdin", given=hidden)
            await self.change("update-index", "-z", "--no-skip-worktree", "--stdin", given=hidden)

    # --- repositories inside the worktree

    async def _nested(self) -> tuple[str, ...]:
        """List the directories that are repositories, untracked or added as such, but for declared submodules."""
        tracked = (entry.partition("\t") for entry in entries(await self.ask("ls-files", "-z", "--stage")))
        found = {name.rstrip("/") for name in await self._others() if name.endswith("/")}
        found |= {name for mode, _, name in tracked if mode.startswith(SUBMODULE)}
        return tuple(sorted(name for name in found - await self._declared() if files.exists(self._inner(name))))

    async def _declared(self) -> set[str]:
        words = ("config", "--file", str(self.path / ".gitmodules"), "--null", "--get-regexp", r"^submodule\..*\.path$")
        finished = await self.repository.git.run(self.path, *words)
        return {entry.partition("\n")[2].rstrip("/") for entry in entries(finished.stdout)}

    async def _fold_nested(self) -> None:
        for _ in range(NESTED_IN_NESTED):
            found = await self._nested()
            if not found:
                return
            for name in found:
                if files.is_directory(self._inner(name)):
                    await self._keep_commits_of(self._inner(name))
                files.set_aside(self._inner(name), self._beside("nested"))
        raise UnavailableError(f"repositories lie too deep in one another in {self.path}")

    async def _keep_commits_of(self, inner: Path) -> None:
        """Fetch what a repository inside has ever been at into rescue refs, as far as it can be read."""
        git, at = self.repository.git, f"--git-dir={inner}"
        heads = await git.run(self.path, at, "log", "--walk-reflogs", "--all", "--format=%H")
        head = await git.run(self.path, at, "rev-parse", "--verify", "--quiet", "HEAD^{commit}")
        tips = sorted({*text(heads.stdout).split(), *text(head.stdout).split()})
        if not tips:
            return
        lines = "".join(f"update refs/kept/{tip} {tip}\n" for tip in tips)
        await git.run(self.path, at, "update-ref", "--stdin", given=lines.encode())
        # Named by what is in it, so that doing it again after a crash finds the same names.
        folder = f"{ref_names.rescues(self._place)}nested/{hashlib.sha256(lines.encode()).hexdigest()[:12]}/"
        words = ("fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules", str(inner))
        finished = await git.run(self.repository.common, *words, f"+refs/*:{folder}*", limits=WRITING)
        if finished.code:
            log.warning(
                "workspace.nested_not_fetched", path=storable(str(inner)), error=storable(text(finished.stderr))
            )

    async def _was_made_here(self, name: str) -> bool:
        inner = self._inner(name)
        if not files.is_directory(inner):
            return False
        remotes = ("config", "--file", str(inner / "config"), "--get-regexp", r"^remote\.")
        return not await self.repository.git.tells(self.path, *remotes)

    def _inner(self, name: str) -> Path:
        return self.path / name / ".git"


def _path(entry: str) -> str:
    return entry.partition("\t")[2]


def _has_markers(file: Path) -> bool:
    if file.is_symlink() or not file.is_file():
        return False
    lines = file.read_bytes().splitlines()
    return any(line.startswith(b"<<<<<<< ") for line in lines) and any(line.startswith(b">>>>>>> ") for line in lines)
