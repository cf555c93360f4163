"""The place of a world: one directory, with the repository as its operator left it, and git to look into it."""

import os
import stat
import subprocess
from pathlib import Path

from tests.worlds.daemon import surroundings
from tests.worlds.enrolment import BARE, PROGRAMS
from tests.worlds.mission import EXECUTABLE, FILE, LINK, Blob, Hook, World

OPERATORS_BRANCH = "operator/at-work"


class Place:
    """Where one world happens; its repository's name has a space in it."""

    def __init__(self, root: Path, world: World) -> None:
        self.root = root
        self.repository = root / "the repository"
        self.repository.mkdir()
        (root / "home").mkdir()
        self._environ = surroundings(root)
        self._make(world)

    def goal_folder(self, goal: str) -> Path:
        """Return where the files of a goal lie."""
        return self.root / "goals" / goal

    def git(self, *words: str | Path, check: bool = True) -> bytes:
        """Ask git about the repository, without changing anything by the way, and return what it says."""
        command = ["git", "--no-optional-locks", *words]
        done = subprocess.run(command, cwd=self.repository, env=self._environ, capture_output=True, check=False)
        if check and done.returncode:
            raise AssertionError(f"git {' '.join(map(str, words))}: {os.fsdecode(done.stderr)}")
        return done.stdout

    # --- looking

    def tree(self, commit: str) -> dict[str, Blob]:
        """Read every path and blob of a commit."""
        listing = self.git("ls-tree", "-r", "-z", commit).split(b"\0")
        found: dict[str, Blob] = {}
        for entry in filter(None, listing):
            facts, _, path = entry.partition(b"\t")
            mode, _, name = facts.decode().split(" ")
            found[os.fsdecode(path)] = Blob(mode, self.git("cat-file", "blob", name))
        return found

    def operators(self) -> dict[str, object]:
        """Tell of everything that is the operator's: files, index, HEAD, configuration, hooks, refs and worktrees."""
        return {
            "checkout": _files(self.repository),
            "administration": {
                name: (self.repository / ".git" / name).read_bytes() for name in ("HEAD", "index", "config")
            },
            "hooks": _files(self.repository / ".git" / "hooks"),
            "refs": {name: at for name, at in self.refs().items() if not _is_harnds(name)},
            "worktrees": self.git("worktree", "list", "--porcelain"),
        }

    def refs(self) -> dict[str, str]:
        """Return every ref and where it is."""
        listing = self.git("for-each-ref", "--format=%(refname) %(objectname)").decode().splitlines()
        return {name: at for name, _, at in (line.partition(" ") for line in listing)}

    # --- making

    def _make(self, world: World) -> None:
        self.git("init", "--quiet", "--initial-branch=main")
        self.git("config", "user.name", "An operator")
        self.git("config", "user.email", "operator@example.org")
        for path, blob in world.base.items():
            _lay(self.repository / path, blob)
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", "As it was")
        self._be_at_work()
        if world.hook.exists:
            _install(self.repository / ".git" / "hooks" / "pre-commit", world.hook)

    def _be_at_work(self) -> None:
        """Leave the checkout as people do: on another branch, with changes staged, made, new and ignored."""
        self.git("switch", "--quiet", "--create", OPERATORS_BRANCH)
        (self.repository / "notes.md").write_text("half a thought\n")
        (self.repository / ".gitignore").write_text("ignored/\n")
        self.git("add", "notes.md", ".gitignore")
        self.git("commit", "--quiet", "--message", "Half a thought")
        (self.repository / "notes.md").write_text("half a thought, and another\n")
        self.git("add", "notes.md")
        (self.repository / "notes.md").write_text("half a thought, another, and a third\n")
        (self.repository / "README.md").unlink()
        (self.repository / "untracked file").write_bytes(b"\0\1\2")
        (self.repository / "ignored").mkdir()
        (self.repository / "ignored" / "cache").write_text("warm\n")
        self.git("tag", "v0", "main")


def _lay(file: Path, blob: Blob) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    if blob.mode == LINK:
        file.symlink_to(os.fsdecode(blob.content))
    else:
        file.write_bytes(blob.content)
        file.chmod(0o755 if blob.mode == EXECUTABLE else 0o644)


def _install(file: Path, hook: Hook) -> None:
    words = [word for word in ("formats", "adds", "refuses") if getattr(hook, word)]
    argv = " ".join(f"'{word}'" for word in (*BARE, str(PROGRAMS / "hook.py"), *words))
    file.write_text(f"#!/bin/sh\nexec {argv}\n")
    file.chmod(0o755)


def _files(folder: Path) -> dict[str, Blob]:
    found: dict[str, Blob] = {}
    for file in sorted(folder.rglob("*")):
        if ".git" in file.relative_to(folder).parts or file.is_dir():
            continue
        if file.is_symlink():
            found[str(file.relative_to(folder))] = Blob(LINK, os.fsencode(file.readlink()))
        else:
            mode = EXECUTABLE if file.stat().st_mode & stat.S_IXUSR else FILE
            found[str(file.relative_to(folder))] = Blob(mode, file.read_bytes())
    return found


def _is_harnds(ref: str) -> bool:
    return ref.startswith(("refs/heads/harn/", "refs/heads/harn-attempt/", "refs/harnd/"))
