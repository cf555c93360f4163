"""Real daemons: `python -m harnd` on a state directory of its own, a small repository, and agents that follow a script.

`Home` is what a daemon leaves on disk, and outlives every one of them.  A `Gate` stops an agent in the middle of its
work until the test lets it go on, so that nothing here waits for a time to pass.
"""

import os
import select
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from harnctl.client import Client, new_key
from harnd.adapters.process.leftovers import digest_of, marked
from harnd.adapters.store.chain import link
from harnd.ports.store import Recorded
from protocol.ids import GoalId, IdempotencyKey, WorkId
from protocol.replies import GoalCreated
from protocol.requests import AcceptWork, ApprovePlan, CreateGoal, ShowGoal, ShowPlan, ShowWork
from protocol.values import PlanStatus, WorkState
from protocol.views import EventView, GoalView
from tests.kit.planner_rules import completes, proposes

ROOT = Path(__file__).parents[2]
PATIENCE_S = 40.0
BILLING = GoalId("billing")
WORK = WorkId("p1.change")

GOAL = """
goal = "{goal}"
title = "Change one file"
repository = "../repository"
base = "main"
team = "team.toml"
templates = ["change.toml"]

[mission]
objective = "The file is changed."
acceptance = ["The file is there."]
max_milestones = 1

[replanning]
planner = "planner"
max_replans = 6

[limits]
parallel_work = 2
"""

TEAM = """
[planner]
harness = "scripted"
script = "{script}"

[maker]
harness = "scripted"
script = "{script}"
"""

CHANGE = """
name = "change"
purpose = "Change a file."
root = true

[[stages]]
kind = "agent"
name = "make"
specialist = "maker"
prompt = "{{ work.title }}"

[[proofs]]
name = "there"
argv = ["test", "-s", "{{ goal.id }}.txt"]
"""

PLANNER = proposes("Plan request", "- milestones: 1 left of 1") + completes("p1.change")

MAKER = """
[[rule]]
matches = 'Item p1.change of goal (?P<goal>\\S+), attempt'
do = [{ write = "{{goal}}.txt", text = "changed" }]
answer = "Done."
"""


class Home:
    """A state directory, a repository and the files of goals, under one short path."""

    def __init__(self) -> None:
        self.root = Path(tempfile.mkdtemp(prefix="hd-")).resolve()
        self.state = self.root / "state"
        self.socket = self.root / "s"
        self.database = self.state / "harnd.db"
        self.repository = self.root / "repository"
        self.environ = {"PATH": os.environ["PATH"], "HOME": str(self.root), "PYTHONPATH": str(ROOT)}
        self.daemons: list[Daemon] = []
        self.write("goal/change.toml", CHANGE)
        self.write("goal/team.toml", TEAM.format(script=self.root / "script.toml"))
        self.agents(MAKER)
        self.write("repository/README.md", "# Billing\n")
        self.git("init", "--quiet", "--initial-branch=main")
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", "first")

    def write(self, name: str, text: str) -> Path:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def agents(self, rules: str) -> None:
        """Say what whoever is not the planner does."""
        self.write("script.toml", PLANNER + rules)

    def git(self, *words: str, at: Path | None = None) -> str:
        identity = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org")
        command = ("git", "-C", str(at or self.repository), *identity, *words)
        environ = {"PATH": os.environ["PATH"], "HOME": str(self.root)}
        return subprocess.run(command, env=environ, check=True, capture_output=True, text=True).stdout.strip()

    def command(self, *more: str) -> list[str]:
        return [sys.executable, "-m", "harnd", "--state", str(self.state), "--socket", str(self.socket), *more]

    def start(self, *more: str, environ: Mapping[str, str] | None = None, through: tuple[str, ...] = ()) -> "Daemon":
        """Start a daemon and wait until it serves."""
        daemon = Daemon([*through, *self.command("--grace", "1", *more)], {**self.environ, **(environ or {})})
        self.daemons.append(daemon)
        daemon.wait_until("daemon.ready")
        return daemon

    def refused(self, *more: str, through: tuple[str, ...] = ()) -> tuple[int, str]:
        """Start a daemon that does not come up; return its exit code and all that it said."""
        command = [*through, *self.command(*more)]
        done = subprocess.run(
            command, cwd=ROOT, env=self.environ, capture_output=True, text=True, timeout=PATIENCE_S, check=False
        )
        return done.returncode, done.stdout + done.stderr

    def client(self) -> Client:
        return Client(self.socket)

    def enrolment(
        self, goal: str = BILLING, *, key: IdempotencyKey | None = None, title: str = "", limits: str = ""
    ) -> CreateGoal:
        """Ask for a goal with the files of this home."""
        text = GOAL.format(goal=goal).replace("Change one file", title or "Change one file") + limits
        files = {name: (self.root / "goal" / name).read_bytes() for name in ("team.toml", "change.toml")}
        return CreateGoal(
            key=key or new_key(),
            files={"goal.toml": text.encode(), **files},
            main="goal.toml",
            directory=str(self.root / "goal"),
        )

    def create(self, goal: str = BILLING, *, limits: str = "") -> GoalCreated:
        with self.client() as client:
            return client.ask(self.enrolment(goal, limits=limits))

    def show(self, goal: str = BILLING) -> GoalView:
        with self.client() as client:
            return client.ask(ShowGoal(GoalId(goal)))

    def gate(self) -> "Gate":
        """Have the maker stop on its way until it is let through."""
        return Gate(self)

    def processes(self) -> list[int]:
        """Whatever still runs for a daemon of this home."""
        return sorted({found.pid for found in marked(digest_of(self.state))})

    def stored(self) -> list[tuple[str, str]]:
        """All events there are, as (goal, tag), read from beside."""
        with closing(sqlite3.connect(f"file:{self.database}?mode=ro", uri=True)) as conn:
            return conn.execute("SELECT stream, tag FROM events ORDER BY seq").fetchall()

    def poison(self, goal: str) -> None:
        """Write an event that no harnd of today can read into a stream, as a newer one would."""
        with closing(sqlite3.connect(self.database)) as conn, conn:
            seq, previous = conn.execute("SELECT seq, chain FROM events ORDER BY seq DESC LIMIT 1").fetchone()
            row = conn.execute("SELECT max(version), max(at) FROM events WHERE stream = ?", (goal,)).fetchone()
            event = Recorded(
                seq + 1, GoalId(goal), row[0] + 1, row[1], "goal.ascended/9", b'{"type":"goal.ascended/9"}'
            )
            conn.execute(
                "INSERT INTO events (seq, stream, version, at, tag, body, chain) VALUES (?, ?, ?, ?, ?, ?, ?)",
                (event.seq, goal, event.version, event.at, event.tag, event.body.decode(), link(previous, event)),
            )
            conn.execute("UPDATE goals SET version = ?, due = 1 WHERE goal = ?", (event.version, goal))

    def close(self) -> None:
        for daemon in self.daemons:
            daemon.end()
        shutil.rmtree(self.root)


class Daemon:
    """One process of harnd, and what it says."""

    def __init__(self, command: list[str], environ: Mapping[str, str]) -> None:
        self.process = subprocess.Popen(
            command, cwd=ROOT, env=environ, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
        )
        self.lines: list[str] = []
        self._heard = threading.Condition()
        self._listener = threading.Thread(target=self._listen, daemon=True)
        self._listener.start()

    @property
    def pid(self) -> int:
        return self.process.pid

    @property
    def said(self) -> str:
        return "\n".join(self.lines)

    def _listen(self) -> None:
        assert self.process.stderr is not None
        with self.process.stderr as stderr:
            for line in stderr:
                with self._heard:
                    self.lines.append(line.rstrip("\n"))
                    self._heard.notify_all()
        with self._heard:
            self.lines.append("")  # nothing more is said
            self._heard.notify_all()

    def wait_until(self, *words: str) -> str:
        """Wait for a line of the log that has all these words, and return it."""

        def found() -> str | None:
            if self.lines and not self.lines[-1]:
                raise AssertionError(f"the daemon ended before it said {words}:\n{self.said}")
            return next((line for line in self.lines if all(word in line for word in words)), None)

        with self._heard:
            self._heard.wait_for(lambda: found() is not None, timeout=PATIENCE_S)
            line = found()
        assert line is not None, f"it did not say {words}:\n{self.said}"
        return line

    def signal(self, number: signal.Signals) -> None:
        self.process.send_signal(number)

    def ended(self) -> int:
        """Wait for its end; return its exit code."""
        code = self.process.wait(PATIENCE_S)
        self._listener.join(PATIENCE_S)
        return code

    def stop(self) -> None:
        """Ask it to end in good order, and see that it does."""
        self.signal(signal.SIGTERM)
        assert self.ended() == 0, self.said

    def kill(self) -> None:
        self.signal(signal.SIGKILL)
        self.ended()

    def end(self) -> None:
        """Be sure that it is gone, whatever the test came to."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
            try:
                self.process.wait(10)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        self._listener.join(10)


class Gate:
    """Two pipes: at one the agent says that it has arrived, at the other it waits to be let through."""

    def __init__(self, home: Home) -> None:
        self._here, self._through = home.root / "here", home.root / "through"
        for pipe in (self._here, self._through):
            os.mkfifo(pipe)
        steps = [f'{{ write = "{pipe}", text = "x" }}' for pipe in (self._here, self._through)]
        home.agents(MAKER.replace("do = [", f"do = [{', '.join(steps)}, "))

    def wait(self) -> None:
        """Wait until an agent stands at the gate."""
        _hear(self._here)

    def open(self) -> None:
        """Let the agent through that stands there."""
        _hear(self._through)


def _hear(pipe: Path) -> None:
    descriptor = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        poll = select.poll()
        poll.register(descriptor, select.POLLIN)
        assert poll.poll(PATIENCE_S * 1_000), f"nobody came to {pipe}"
        os.read(descriptor, 1)
    finally:
        os.close(descriptor)


@contextmanager
def seen_to_end(pids: list[int]) -> Iterator[None]:
    """Pin these processes, and wait after the block until every one of them has ended."""
    pinned = [os.pidfd_open(pid) for pid in pids]
    try:
        yield
        for pid, descriptor in zip(pids, pinned, strict=True):
            assert select.select([descriptor], [], [], PATIENCE_S)[0], f"process {pid} goes on"
    finally:
        for descriptor in pinned:
            os.close(descriptor)


def follow(client: Client, tag: str, *, goal: str = BILLING, after: int = 0, **body: Any) -> EventView:
    """Wait for an event of a goal, by its tag without the version and by what it says; return it."""
    with client.events(after, goal=GoalId(goal)) as events:
        for event in events:
            if event.tag.partition("/")[0] == tag and body.items() <= event.body.items():
                return event
    raise AssertionError("the events ended")


def approve(client: Client, plan: int = 1, *, goal: str = BILLING) -> None:
    """Wait for a plan and approve it, unless somebody has."""
    follow(client, "plan.proposed", goal=goal, plan=plan)
    view = client.ask(ShowPlan(GoalId(goal), plan))
    if view.status is PlanStatus.PROPOSED:
        assert view.digest is not None
        client.ask(ApprovePlan(key=new_key(), goal=GoalId(goal), plan=plan, digest=view.digest))


def carry(client: Client, goal: str = BILLING) -> GoalView:
    """Decide everything with yes until the goal has ended; return the goal."""
    approve(client, goal=goal)
    follow(client, "attempt.ended", goal=goal, outcome="succeeded")
    work = client.ask(ShowWork(GoalId(goal), WORK))
    if work.state is WorkState.IN_REVIEW:
        assert work.proof_digest is not None
        client.ask(AcceptWork(key=new_key(), goal=GoalId(goal), work=WORK, digest=work.proof_digest))
    approve(client, 2, goal=goal)
    follow(client, "plan.completed", goal=goal)
    return client.ask(ShowGoal(GoalId(goal)))
