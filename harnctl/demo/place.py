"""The place of a demo: one fresh directory, with a repository to work on and the files of a goal.

`<root>/` holds `repository`, `goal`, `home`, `state`, `harnd.sock` and `harnd.log`.  It is private and is never removed
here: what came of a demo is there to be looked at.
"""

import os
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, cast

from harnctl.failures import Failure
from protocol.bounds import SOCKET_PATH_BYTES
from protocol.ids import GoalId

FILES: Final = Path(__file__).parent / "files"
REPOSITORY: Final = "repository.toml"  # a table for each file
GOAL_FILES: Final = ("goal.toml", "team.toml", "templates/tool.toml", "templates/whole.toml", "script.toml")
GOAL: Final = GoalId("textkit")
PACKAGES: Final = str(Path(__file__).parents[2])  # where the daemon that was installed with this client lies
KEPT: Final = ("USER", "LOGNAME", "LANG", "LANGUAGE", "TZ", "TMPDIR")  # of the environment, and LC_*


@dataclass(frozen=True)
class Place:
    """Where one demo happens."""

    root: Path
    environment: Mapping[str, str]  # of everything that is started

    @property
    def repository(self) -> Path:
        """The repository that the goal is about."""
        return self.root / "repository"

    @property
    def goal_file(self) -> Path:
        """The file that says what the goal is."""
        return self.root / "goal" / "goal.toml"

    @property
    def state(self) -> Path:
        """The daemon's state directory."""
        return self.root / "state"

    @property
    def socket(self) -> Path:
        """The daemon's socket."""
        return self.root / "harnd.sock"

    @property
    def log(self) -> Path:
        """What every daemon of this demo wrote."""
        return self.root / "harnd.log"

    def git(self, *words: str) -> str:
        """Ask git about the repository, as nobody in particular, and return what it says."""
        command = ("git", "-C", str(self.repository), "-c", "user.name=demo", "-c", "user.email=demo@localhost", *words)
        done = subprocess.run(command, env=self.environment, capture_output=True, text=True, check=False)
        if done.returncode:
            raise Failure("demo.failed", f"git {words[0]} failed: {done.stderr.strip()}", fix=f"ls {self.root}")
        return done.stdout


def make_place(environ: Mapping[str, str]) -> Place:
    """Make a fresh place under the system's directory for such things, with everything written."""
    root = Path(tempfile.mkdtemp(prefix="harnd-demo-")).resolve()
    place = Place(root, _environment(environ, home=root / "home"))
    if len(os.fsencode(place.socket)) > SOCKET_PATH_BYTES:
        fix = "set TMPDIR to a shorter path"
        raise Failure("socket.no_path", f"{place.socket} is longer than {SOCKET_PATH_BYTES} bytes", fix=fix)
    (root / "home").mkdir()
    _write_goal(place)
    _make_repository(place)
    return place


def _environment(environ: Mapping[str, str], *, home: Path) -> Mapping[str, str]:
    """Make an environment that leads nowhere but here: not to the person's home, configuration or daemon."""
    kept = {name: value for name, value in environ.items() if name in KEPT or name.startswith("LC_")}
    programs = (str(Path(sys.executable).parent), environ.get("PATH", os.defpath))  # a python3 that is new enough
    nowhere = {"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull}
    return kept | nowhere | {"HOME": str(home), "PATH": os.pathsep.join(programs), "PYTHONPATH": PACKAGES}


def _write_goal(place: Place) -> None:
    """Copy the goal's files, and tell the team where its script lies."""
    script = place.goal_file.with_name("script.toml")
    for name in GOAL_FILES:
        text = (FILES / name).read_text(encoding="utf-8").replace("@SCRIPT@", str(script))
        _write(place.goal_file.parent / name, text)


def _make_repository(place: Place) -> None:
    written = tomllib.loads((FILES / REPOSITORY).read_text(encoding="utf-8"))
    for name, file in cast("dict[str, dict[str, str]]", written).items():
        _write(place.repository / name, file["text"])
    place.git("init", "--quiet", "--initial-branch=main")
    place.git("add", "--all")
    place.git("commit", "--quiet", "--message", "Say in tests what three tools are to do")


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
