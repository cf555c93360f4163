"""Repositories for tests: made from nothing, with a home of their own, and the hands of an agent and an operator."""

import os
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

from harnd.adapters.commands import ProcessCommands
from harnd.adapters.git import GitWorkspace
from harnd.adapters.memory_workspace import MemoryWorkspace
from harnd.adapters.process.spawner import Spawner
from harnd.ports.workspace import Place, Workspace
from protocol.ids import CommitId, GoalId, InstanceId, WorkId
from tests.kit.agents import QUICK

BILLING = GoalId("billing")
FIRST_DAEMON = InstanceId("first")
FIRST = {"README.md": b"# Shop\n", "src/main.py": b"print('hello')\n"}


class House(Protocol):
    """A workspace, one repository at `path` with the commit `base`, and what others can do to it."""

    path: str
    base: CommitId

    @property
    def workspace(self) -> Workspace: ...
    def write(self, where: str, name: str, content: bytes) -> None: ...
    def remove(self, where: str, name: str) -> None: ...
    def read(self, where: str) -> dict[str, bytes]: ...
    def refs(self) -> dict[str, str]: ...
    def set_ref(self, name: str, to: str | None) -> None: ...
    def content(self, commit: str) -> dict[str, bytes]: ...
    def refuse(self, text: str | None) -> None: ...
    def restart(self) -> None: ...


def place(house: House, work: str = "p1.export", attempt: int = 1, goal: GoalId = BILLING) -> Place:
    return Place(house.path, goal, WorkId(work), attempt)


def open_workspace(state: Path, environ: Mapping[str, str], instance: InstanceId = FIRST_DAEMON) -> GitWorkspace:
    """Open the workspace of a daemon with this environment, hooks behind a shim."""
    commands = ProcessCommands(Spawner(state, instance, source=environ, grace=lambda: QUICK))
    return GitWorkspace(state, environ=environ, commands=commands)


class MemoryHouse:
    def __init__(self) -> None:
        self.workspace = MemoryWorkspace()
        self.path = "/repository"
        self.base = self.workspace.make(self.path, FIRST)

    def write(self, where: str, name: str, content: bytes) -> None:
        self.workspace.files(where)[name] = content

    def remove(self, where: str, name: str) -> None:
        del self.workspace.files(where)[name]

    def read(self, where: str) -> dict[str, bytes]:
        return dict(self.workspace.files(where))

    def refs(self) -> dict[str, str]:
        return dict(self.workspace.repository(self.path).refs)

    def set_ref(self, name: str, to: str | None) -> None:
        refs = self.workspace.repository(self.path).refs
        if to is None:
            del refs[name]
        else:
            refs[name] = CommitId(to)

    def content(self, commit: str) -> dict[str, bytes]:
        return dict(self.workspace.repository(self.path).commit(commit).files)

    def refuse(self, text: str | None) -> None:
        self.workspace.repository(self.path).hook = None if text is None else lambda _: text

    def restart(self) -> None:
        """Nothing of it lies in the daemon."""


class GitHouse:
    """A repository on disk; the daemon's environment is `environ`, the operator's and agents' is `hands`."""

    def __init__(
        self, folder: Path, environ: Mapping[str, str] | None = None, *, hands: Mapping[str, str] | None = None
    ) -> None:
        (folder / "home").mkdir(parents=True)
        self.hands = {"PATH": os.environ["PATH"], "HOME": str(folder / "home"), "LC_ALL": "C.UTF-8", **(hands or {})}
        self.environ = self.hands | dict(environ or {})
        self.state = folder.resolve() / "state"
        self.top = (folder / "repository").resolve()
        self.path = str(self.top)
        self.top.mkdir()
        self.git("init", "--quiet", "--initial-branch=main")
        self.git("config", "user.name", "Ada")
        self.git("config", "user.email", "ada@example.org")
        for name, content in FIRST.items():
            self.write(self.path, name, content)
        self.base = self.commit("first")
        self.restart()

    def restart(self) -> None:
        self.workspace = open_workspace(self.state, self.environ)

    def git(self, *words: str, at: str | Path | None = None, given: bytes = b"", check: bool = True) -> str:
        """Run git as the operator or an agent would."""
        done = subprocess.run(
            ["git", *words], cwd=at or self.top, env=self.hands, input=given, capture_output=True, check=False
        )
        if check and done.returncode:
            raise AssertionError(f"git {' '.join(words)}: {os.fsdecode(done.stderr)}")
        return os.fsdecode(done.stdout)

    @contextmanager
    def at_work(self, where: str) -> Iterator[None]:
        """Have a process sit in a directory."""
        with subprocess.Popen(["cat"], cwd=where, stdin=subprocess.PIPE) as busy:
            yield
            assert busy.poll() is None

    def administration(self, where: str) -> Path:
        """Find where the repository keeps a worktree's index."""
        return Path(self.git("rev-parse", "--absolute-git-dir", at=where).strip())

    def lock(self, file: Path) -> Path:
        """Leave a lock on a file, as a killed git does."""
        lock = file.with_name(f"{file.name}.lock")
        lock.touch()
        return lock

    def commit(self, message: str, *, at: str | Path | None = None) -> CommitId:
        self.git("add", "--all", at=at)
        self.git("commit", "--quiet", "--no-verify", "--message", message, at=at)
        return CommitId(self.git("rev-parse", "HEAD", at=at).strip())

    def write(self, where: str, name: str, content: bytes) -> None:
        file = Path(where, name)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)

    def remove(self, where: str, name: str) -> None:
        Path(where, name).unlink()

    def read(self, where: str) -> dict[str, bytes]:
        files = (file for file in Path(where).rglob("*") if file.is_file() and ".git" not in file.parts)
        return {str(file.relative_to(where)): file.read_bytes() for file in files}

    def refs(self) -> dict[str, str]:
        listing = self.git("for-each-ref", "--format=%(refname) %(objectname)").splitlines()
        return dict(line.split(" ") for line in listing)

    def set_ref(self, name: str, to: str | None) -> None:
        self.git("update-ref", "-d", name) if to is None else self.git("update-ref", name, to)

    def content(self, commit: str) -> dict[str, bytes]:
        found = self.git("ls-tree", "-r", "-z", "--name-only", commit).split("\0")
        return {name: os.fsencode(self.git("cat-file", "blob", f"{commit}:{name}")) for name in found if name}

    def hook(self, name: str, script: str, folder: str | Path = ".git/hooks") -> Path:
        """Install a hook of the repository."""
        return self.program(self.top / folder / name, script)

    def program(self, file: Path, script: str) -> Path:
        """Write a shell script that can be run."""
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"#!/bin/sh\n{script}\n")
        file.chmod(0o755)
        return file

    def refuse(self, text: str | None) -> None:
        if text is None:
            (self.top / ".git/hooks/pre-commit").unlink()
        else:
            self.hook("pre-commit", f"echo '{text}' >&2; exit 1")
