"""Examination: what would be in harnd's way in a repository, found before anything starts.

Shallow and partial clones, submodules, linked worktrees and SHA-256 repositories are no trouble.
"""

import os
import re
import shlex
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from harnd.adapters.git import files, pointers
from harnd.adapters.git.command import Git, GitFailedError, text
from harnd.adapters.git.repository import locate
from harnd.ports.errors import UnavailableError
from harnd.ports.workspace import Trouble, storable
from protocol.ids import CommitId

OLDEST_GIT: Final = (2, 38)  # `merge-tree --write-tree`
TAKEN: Final = ("harn", "harn-attempt")  # a branch of that name leaves no room for branches below it


class Found(Exception):
    """Some trouble was found; it ends the examination."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.trouble = Trouble(f"workspace.{code}", message)


class Examiner:
    """Looks at repositories with one git, for a daemon whose own files lie in `state`."""

    def __init__(self, git: Git, *, environ: Mapping[str, str], state: Path) -> None:
        self._git = git
        self._path = environ.get("PATH", os.defpath)
        self._state = state

    async def examine(self, path: str, ref: str) -> tuple[CommitId, str] | Trouble:
        """Resolve `ref` to a commit and `path` to the repository's canonical path, or say what is in the way."""
        try:
            await self._version()
            top, common = await self._locate(Path(path))
            commit = await self._resolve(top, ref)
            await self._room(top)
            await self._filters(top, common, commit)
        except Found as found:
            return found.trouble
        return commit, str(top)

    async def _version(self) -> None:
        try:
            said = text(await self._git.ask(Path("/"), "version"))
        except UnavailableError as error:
            raise Found("no_git", f"{error}; install git {_dotted(OLDEST_GIT)} or newer") from error
        numbers = re.search(r"(\d+)\.(\d+)", said)
        if numbers is None or (int(numbers[1]), int(numbers[2])) < OLDEST_GIT:
            raise Found("old_git", f"this is {said.strip()}; harnd needs {_dotted(OLDEST_GIT)} or newer")

    async def _locate(self, path: Path) -> tuple[Path, Path]:
        try:
            there = files.leads_to_directory(path)
        except OSError as error:  # a name that is too long, a directory on the way that is closed to harnd
            said = f"{path} cannot be reached ({error.strerror}); name the top directory of a git checkout"
            raise Found("no_directory", said) from error
        if not there:
            raise Found("no_directory", f"{path} is no directory; name the top directory of a git checkout")
        try:
            bare = await self._git.ask(path, "rev-parse", "--is-bare-repository")
            if bare.strip() == b"true":
                raise Found("bare", f"{path} is a bare repository; clone it and name the clone")
            top, common = await locate(self._git, path)
        except GitFailedError as error:
            raise _not_located(path, error.stderr.strip()) from error
        if not _is_text(top):  # an intent is text, and remembers where its repository is
            raise Found("unreadable", f"{top} has a byte in its path that is no UTF-8; rename the directory")
        if storable(str(top)) != str(top):
            raise Found("unreadable", f"the path {top} is no UTF-8; rename what is not, or harnd cannot store it")
        if top.is_relative_to(self._state):
            raise Found("inside_state", f"{top} lies in harnd's own directory {self._state}; name the original")
        if self._state.is_relative_to(top) and not await self._ignores(top, self._state):
            raise Found("holds_state", f"harnd's own directory {self._state} lies in {top}; have git ignore it")
        if not os.access(common, os.W_OK):
            raise Found("read_only", f"{common} cannot be written; harnd keeps its branches there")
        return top, common

    async def _ignores(self, top: Path, path: Path) -> bool:
        return await self._git.tells(top, "check-ignore", "--quiet", "--", f"{path}{os.sep}")

    async def _resolve(self, top: Path, ref: str) -> CommitId:
        words = ("rev-parse", "--verify", "--quiet", "--end-of-options")
        finished = await self._git.run(top, *words, f"{ref}^{{commit}}")
        if finished.code == 0:
            return CommitId(text(finished.stdout).strip())
        if (await self._git.run(top, *words, "HEAD")).code != 0 and not await self._git.ask(top, "for-each-ref"):
            raise Found("no_commit", f"{top} has no commit yet; make a first one")
        raise Found("no_ref", f"{top} has no commit called {ref!r}; name a branch, a tag or a commit of it")

    async def _room(self, top: Path) -> None:
        for name in TAKEN:
            if await self._git.tells(top, "show-ref", "--verify", "--quiet", f"refs/heads/{name}"):
                raise Found("name_taken", f"{top} has a branch called {name}, which harnd needs as a folder; rename it")

    async def _filters(self, top: Path, common: Path, commit: CommitId) -> None:
        used = await self._filters_used(top, common, commit)
        if pointers.FILTER in used and await pointers.without_git_lfs(self._git, common):
            used.discard(pointers.FILTER)
        for name in sorted(used):
            program = await self._program(top, name)
            if program and shutil.which(program, path=self._path) is None:
                raise Found(
                    "no_filter",
                    f"files of {top} pass through the filter {name}, and {program} is not on the PATH of harnd; "
                    f"install {program} or extend the PATH of the service{_or_pointers(name)}",
                )

    async def _filters_used(self, top: Path, common: Path, commit: CommitId) -> set[str]:
        words = ("grep", "-h", "-o", "-E", "-e", "filter=[^[:space:]]+", commit, "--", ":(glob)**/.gitattributes")
        finished = await self._git.run(top, *words)
        local = files.content(common / "info" / "attributes")
        return set(re.findall(r"filter=(\S+)", text(finished.stdout + local)))

    async def _program(self, top: Path, name: str) -> str:
        """Name the program that a required filter cannot do without; empty when the filter may be absent."""
        required = await self._setting(top, f"filter.{name}.required")
        if required.lower() not in {"true", "yes", "on", "1"}:
            return ""
        commands = [await self._setting(top, f"filter.{name}.{side}") for side in ("process", "smudge", "clean")]
        return next((_first_word(command) for command in commands if command.strip()), "")

    async def _setting(self, top: Path, name: str) -> str:
        finished = await self._git.run(top, "config", "--null", "--get", name)
        return text(finished.stdout).removesuffix("\0") if finished.code == 0 else ""


def _or_pointers(name: str) -> str:
    return f", or go without: git config {pointers.SETTING} true" if name == pointers.FILTER else ""


def _is_text(path: Path) -> bool:
    try:
        os.fspath(path).encode()
    except UnicodeEncodeError:
        return False
    return True


def _first_word(command: str) -> str:
    try:
        return shlex.split(command)[0]
    except ValueError:  # a quote that is not closed: the shell will say so
        return ""


def _not_located(path: Path, said: str) -> Found:
    if "dubious ownership" in said:
        return Found("foreign_owner", f"{path} belongs to another user; run harnd as its owner")
    if "must be run in a work tree" in said:
        return Found("no_checkout", f"{path} lies inside a repository's own files; name its top directory")
    if "not a git repository" in said:
        return Found("no_repository", f"{path} is no git repository; make it one, or name another directory")
    return Found("unreadable", f"git cannot read the repository at {path}; mend what it says: {said[:500]}")


def _dotted(version: tuple[int, int]) -> str:
    return f"git {version[0]}.{version[1]}"
