"""A user manager of a test's own: a real `systemd --user`, apart from the machine's, and gone with the test.

It runs in a cgroup and a mount namespace of its own, so it neither sees nor moves anything that it did not start; the
mounts only have it believe that the machine was booted with systemd.  `systemctl --user` reaches it by its runtime
directory, without a bus.  It works on cgroup v2 and on the hybrid layout, and needs root.

Between it and the test stands a keeper, a process of this module.  When its standard input ends, whatever the test came
to, it ends the manager, kills what is left in the cgroup, and removes the cgroup.
"""

import os
import re
import select
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]
PATIENCE_S: Final = 40.0
SYSTEMD: Final = next((p for p in map(Path, ("/usr/lib/systemd/systemd", "/lib/systemd/systemd")) if p.exists()), None)
ALIVE: Final = "is-up"

# Into the cgroups, out of the machine's mounts, and then to be the manager.
START: Final = """
for cgroup in $CGROUPS; do echo $$ > "$cgroup/cgroup.procs" || exit 3; done
exec unshare --mount --propagation private sh -c '
  mount -t tmpfs tmpfs /run/systemd && mkdir /run/systemd/system /run/systemd/journal || exit 4
  mount --bind "$XDG_RUNTIME_DIR/journal" /run/systemd/journal || exit 5
  exec env -i HOME="$HOME" XDG_RUNTIME_DIR="$XDG_RUNTIME_DIR" PATH="$PATH" NOTIFY_SOCKET="$NOTIFY_SOCKET" \
    "$SYSTEMD" --user --unit=basic.target --log-target=journal --log-level=info'
"""


@cache
def obstacle() -> str:
    """Say what a person must do before a private user manager can run here; nothing when one can."""
    if SYSTEMD is None or not all(map(shutil.which, ("systemctl", "unshare", "mount"))):
        return "install systemd and util-linux to test against a real user manager"
    if os.geteuid():
        return "run these tests as root, which a container will do, to give a user manager cgroups of its own"
    try:
        made = _made(f"harnd-test-probe-{os.getpid()}")
    except OSError as error:
        return f"mount cgroups writable to test against a real user manager ({error})"
    _remove(made)
    tried = subprocess.run(["unshare", "--mount", "true"], check=False, capture_output=True)
    return (
        "" if not tried.returncode else "allow unshare(CLONE_NEWNS), which takes CAP_SYS_ADMIN, to run a user manager"
    )


class Journal:
    """What the manager and its services would have written to the journal, line by line.

    It stands where journald would: a datagram socket that the manager logs to, and a stream for each service's output.
    """

    def __init__(self, place: Path) -> None:
        place.mkdir(mode=0o700)
        self.lines: list[str] = []
        self._heard = threading.Condition()
        self._messages = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._messages.bind(str(place / "socket"))
        self._outputs = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._outputs.bind(str(place / "stdout"))
        self._outputs.listen()
        for listen in (self._listen, self._accept):
            threading.Thread(target=listen, daemon=True).start()

    def _listen(self) -> None:
        while message := self._messages.recv(1 << 20):
            fields = dict(line.split("=", 1) for line in message.decode(errors="replace").split("\n") if "=" in line)
            self._keep(fields.get("MESSAGE", ""))

    def _accept(self) -> None:
        with suppress(OSError):  # closed
            while True:
                threading.Thread(target=self._read, args=(self._outputs.accept()[0],), daemon=True).start()

    def _read(self, stream: socket.socket) -> None:
        with stream, stream.makefile(errors="replace") as lines:
            name, *_ = [next(lines, "").rstrip("\n") for _ in range(7)]  # the header, sd-journal's stream protocol
            for line in lines:
                self._keep(f"{name}: {line.rstrip()}")

    def _keep(self, line: str) -> None:
        with self._heard:
            self.lines.append(line)
            self._heard.notify_all()

    def wait_for(self, *words: str, times: int = 1) -> str:
        """Wait until so many lines have all these words; return the last of them."""

        def found() -> list[str]:
            return [line for line in self.lines if all(word in line for word in words)]

        with self._heard:
            self._heard.wait_for(lambda: len(found()) >= times, timeout=PATIENCE_S)
            lines = found()
        assert len(lines) >= times, f"{words} was not said {times} times:\n" + "\n".join(self.lines)
        return lines[times - 1]

    def close(self) -> None:
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as last:
            last.sendto(b"", self._messages.getsockname())
        self._outputs.shutdown(socket.SHUT_RDWR)
        self._outputs.close()
        self._messages.close()


class UserManager:
    """One `systemd --user`."""

    def __init__(self, home: Path) -> None:
        """Start it with this home directory, and wait until it is ready."""
        self.home, self.runtime = home, home / "run"
        self.runtime.mkdir(mode=0o700)
        self.environ = {"PATH": os.environ["PATH"], "HOME": str(home), "XDG_RUNTIME_DIR": str(self.runtime)}
        self.journal = Journal(self.runtime / "journal")
        keeper = [sys.executable, "-m", "tests.kit.user_manager", str(home)]
        pipe = subprocess.PIPE
        # A session of its own: what kills the tests from a terminal must not kill whoever tidies up after them.
        self._keeper = subprocess.Popen(
            keeper, cwd=ROOT, env=self.environ, stdin=pipe, stdout=pipe, text=True, start_new_session=True
        )
        assert self._keeper.stdout is not None
        said = self._keeper.stdout.readline().strip()
        assert said == ALIVE, f"systemd did not come up: {said or self._keeper.wait()}"

    def run(self, *command: str, code: int | None = 0, **environ: str) -> subprocess.CompletedProcess[str]:
        """Run a command in the manager's environment; it must end with `code`, unless that is None."""
        done = subprocess.run(
            command,
            cwd=ROOT,
            env={**self.environ, **environ},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=PATIENCE_S * 2,
            check=False,
        )
        assert code in {None, done.returncode}, f"{command}: {done.returncode}\n{done.stdout}{done.stderr}"
        return done

    def systemctl(self, *words: str, code: int | None = 0) -> str:
        return self.run("systemctl", "--user", *words, code=code).stdout.strip()

    def show(self, unit: str, name: str) -> str:
        return self.systemctl("show", unit, f"--property={name}", "--value")

    def drop_in(self, unit: str, text: str, *, name: str = "test") -> None:
        """Set something apart from the unit as it is written; the manager is told."""
        path = self.home / ".config/systemd/user" / f"{unit}.d" / f"{name}.conf"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        self.systemctl("daemon-reload")

    def processes(self, unit: str) -> set[int]:
        """Every process in a unit's cgroup and below."""
        control = self.show(unit, "ControlGroup")
        return _processes(base / control.lstrip("/") for base in _hierarchies()) if control else set()

    def close(self) -> None:
        """End it with everything that it started."""
        assert self._keeper.stdin is not None
        assert self._keeper.stdout is not None
        self._keeper.stdin.close()
        self._keeper.stdout.close()
        self._keeper.wait(PATIENCE_S * 2)
        self.journal.close()


# --- cgroups


@cache
def _hierarchies() -> tuple[Path, ...]:
    """Return where systemd keeps its groups: the one hierarchy of cgroup v2, or both of the hybrid layout."""
    mounts = Path("/proc/self/mountinfo").read_text().splitlines()
    found = [(line.split()[4], line.partition(" - ")[2].split()) for line in mounts]
    systemd = [Path(at) for at, kind in found if kind[0] == "cgroup" and "name=systemd" in kind[2].split(",")]
    return (*(Path(at) for at, kind in found if kind[0] == "cgroup2"), *systemd)


def _made(name: str) -> list[Path]:
    made = [base / name for base in _hierarchies()]
    if not made:
        raise FileNotFoundError("there are none")
    for path in made:
        path.mkdir()
    return made


def _processes(cgroups: Iterable[Path]) -> set[int]:
    found: set[int] = set()
    for cgroup in cgroups:
        for listed in cgroup.rglob("cgroup.procs"):
            with suppress(OSError):
                found.update(map(int, listed.read_text().split()))
    return found


def _remove(cgroups: Iterable[Path]) -> None:
    for cgroup in cgroups:
        below = sorted((path for path in cgroup.rglob("*") if path.is_dir()), key=lambda path: -len(path.parts))
        for path in (*below, cgroup):
            with suppress(OSError):
                path.rmdir()


# --- the keeper


def keep(home: Path, environ: Mapping[str, str]) -> None:
    """Run a manager until standard input ends."""
    cgroups = _made(re.sub(r"\W", "-", f"harnd-test-{home.name}"))
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as ready:
        ready.bind(str(home / "run" / "ready"))
        told = {
            "CGROUPS": " ".join(map(str, cgroups)),
            "SYSTEMD": str(SYSTEMD),
            "NOTIFY_SOCKET": str(home / "run/ready"),
        }
        manager = subprocess.Popen(["sh", "-c", START], env={**environ, **told}, stdin=subprocess.DEVNULL)
        try:
            _wait_for(ready, manager)
            sys.stdout.write(f"{ALIVE}\n")
            sys.stdout.flush()
            _hear_out(ready)
        finally:
            _end(manager, cgroups, environ)


def _wait_for(ready: socket.socket, manager: "subprocess.Popen[bytes]") -> None:
    """Wait until the manager says that it is ready."""
    deadline = time.monotonic() + PATIENCE_S
    ended = os.pidfd_open(manager.pid)
    try:
        while True:
            heard, _, _ = select.select([ready.fileno(), ended], [], [], max(deadline - time.monotonic(), 0))
            if ready.fileno() not in heard:
                sys.exit("the manager ended" if heard else "the manager is not ready")
            if b"READY=1" in ready.recv(65536).split(b"\n"):
                return
    finally:
        os.close(ended)


def _hear_out(ready: socket.socket) -> None:
    """Wait for the end of standard input; a manager that nobody listens to stands still when it says more."""
    while True:
        heard, _, _ = select.select([ready.fileno(), sys.stdin.fileno()], [], [])
        if sys.stdin.fileno() in heard:
            return
        ready.recv(65536)


def _end(manager: "subprocess.Popen[bytes]", cgroups: list[Path], environ: Mapping[str, str]) -> None:
    """End the manager in good order if that can be had, and in any case everything in its cgroups."""
    with suppress(OSError, subprocess.TimeoutExpired):
        subprocess.run(["systemctl", "--user", "exit"], env=environ, capture_output=True, timeout=5, check=False)
        manager.wait(10)
    deadline = time.monotonic() + PATIENCE_S
    while (left := _processes(cgroups)) and time.monotonic() < deadline:
        _kill(left)
    manager.wait(PATIENCE_S)
    _remove(cgroups)


def _kill(pids: Iterable[int]) -> None:
    """Kill processes and wait for each to be gone."""
    for pid in pids:
        with suppress(ProcessLookupError):
            descriptor = os.pidfd_open(pid)
            try:
                signal.pidfd_send_signal(descriptor, signal.SIGKILL)
                select.select([descriptor], [], [], 5)
            finally:
                os.close(descriptor)


if __name__ == "__main__":
    keep(Path(sys.argv[1]), os.environ)
