"""The manager: the one place that runs systemctl, loginctl and journalctl, and reads what they say.

All three speak plainly here: no pager, no colour, no translation.  A machine without systemd and a user without a
manager are two refusals with two ways out; neither is mistaken for a service that is not installed.
"""

import os
import pwd
import shlex
import shutil
import subprocess
from collections.abc import Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from msgspec import Struct

from harnctl.failures import Failure

_LOOK_S: Final = 20.0  # for an answer from memory
BOOTED: Final = Path("/run/systemd/system")  # sd_booted(3)
LINGERING: Final = Path("/var/lib/systemd/linger")
_PLAINLY: Final = {"LC_ALL": "C", "SYSTEMD_PAGER": "", "SYSTEMD_COLORS": "0", "SYSTEMD_URLIFY": "0"}


class Ended(Struct, frozen=True):
    """How a program ended and what it said."""

    code: int
    out: str
    err: str

    @property
    def said(self) -> str:
        """What it complained of, on one line."""
        return " ".join((self.err.strip() or self.out.strip() or f"it ended with {self.code}").split())


class UserManager:
    """The systemd of this user, through its own programs."""

    def __init__(self, environ: Mapping[str, str], *, lingering: Path = LINGERING) -> None:
        """Take note of the environment; nothing is run yet."""
        self._environ = dict(environ) | _PLAINLY
        self._path = environ.get("PATH", os.defpath)
        self._lingering = lingering
        usual = f"/run/user/{os.getuid()}"
        if not environ.get("XDG_RUNTIME_DIR") and Path(usual).is_dir():  # su, cron: the manager is there all the same
            self._environ["XDG_RUNTIME_DIR"] = usual

    @property
    def runtime(self) -> str | None:
        """The runtime directory, by which the manager is found."""
        return self._environ.get("XDG_RUNTIME_DIR")

    def unit_path(self) -> tuple[str, ...]:
        """Return the directories that the manager reads units from; raises `Failure` when there is no manager."""
        if shutil.which("systemctl", path=self._path) is None:
            raise Failure("service.no_systemd", "this machine has no systemctl", fix=_IN_THE_FOREGROUND)
        asked = self._run(("systemctl", "--user", "show", "--property=UnitPath", "--value"), limit_s=_LOOK_S)
        if not asked.code:
            return tuple(shlex.split(asked.out))
        if not BOOTED.is_dir():
            raise Failure("service.no_systemd", f"systemd does not run here: {asked.said}", fix=_IN_THE_FOREGROUND)
        said = f"your user manager does not answer: {asked.said}"
        raise Failure(
            "service.no_manager", said, fix="log in as yourself (not by su or sudo), or `loginctl enable-linger`"
        )

    def show(self, units: Sequence[str], properties: Iterable[str]) -> dict[str, dict[str, str]]:
        """Return properties of units by the unit's name, as the manager has them loaded."""
        command = ("systemctl", "--user", "show", *units, f"--property={','.join(('Id', *properties))}")
        shown: dict[str, dict[str, str]] = {unit: {} for unit in units}
        for block in self.checked(command, limit_s=_LOOK_S).split("\n\n"):
            found = dict(line.split("=", 1) for line in block.splitlines() if "=" in line)
            shown.setdefault(found.get("Id", ""), {}).update(found)
        return shown

    def checked(self, command: Sequence[str], *, limit_s: float) -> str:
        """Run a command and return what it said; raises `Failure` when it failed."""
        ended = self._run(command, limit_s=limit_s)
        if ended.code:
            said = f"`{shlex.join(command)}` failed: {ended.said}"
            raise Failure("service.failed", said, fix="see why: harnctl service logs")
        return ended.out

    def lingers(self) -> bool | None:
        """Tell whether the user's services outlive the last log-out; None when that cannot be found out."""
        user = pwd.getpwuid(os.getuid()).pw_name
        try:
            # A user who neither lingers nor is logged in is none that logind knows.
            asked = self._run(("loginctl", "show-user", user, "--property=Linger", "--value"), limit_s=_LOOK_S)
        except Failure:
            asked = Ended(1, "", "")
        answers = {"yes": True, "no": False}
        if not asked.code and (answer := answers.get(asked.out.strip())) is not None:
            return answer
        try:
            return (self._lingering / user).exists() if self._lingering.parent.is_dir() else None
        except OSError:
            return None

    @contextmanager
    def journal(self, words: Sequence[str]) -> Generator["subprocess.Popen[str]"]:
        """Run journalctl and give its output as it comes; it ends with the block."""
        command = ("journalctl", "--user", "--no-pager", *words)
        try:
            running = subprocess.Popen(
                [self._found("journalctl"), *command[1:]],
                env=self._environ,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                errors="replace",
            )
        except OSError as error:
            raise _absent("journalctl", error.strerror) from error
        with running:
            try:
                yield running
            finally:
                running.terminate()

    def _run(self, command: Sequence[str], *, limit_s: float) -> Ended:
        words = [self._found(command[0]), *command[1:]]
        try:
            done = subprocess.run(
                words, env=self._environ, stdin=subprocess.DEVNULL, capture_output=True, check=False, timeout=limit_s
            )
        except OSError as error:
            raise _absent(command[0], error.strerror) from error
        except subprocess.TimeoutExpired as error:
            raise Failure("service.no_answer", f"`{shlex.join(command)}` did not end in {limit_s:.0f} s") from error
        out, err = (text.decode(errors="replace") for text in (done.stdout, done.stderr))
        return Ended(done.returncode, out, err)

    def _found(self, program: str) -> str:
        if (found := shutil.which(program, path=self._path)) is None:
            raise _absent(program, "it is not on your PATH")
        return found


_IN_THE_FOREGROUND: Final = "run it in the foreground: harnd"


def _absent(program: str, why: str | None) -> Failure:
    return Failure(
        "service.no_program", f"{program} does not start: {why or 'nobody says why'}", fix=_IN_THE_FOREGROUND
    )
