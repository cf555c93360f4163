"""The oracle: how a mission must end, computed from its description alone, one thing after the other.

It knows no crash, no process and no two things at once, and imports nothing of harnd: whatever the daemon went through,
its goal must end like this.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import assert_never

from tests.worlds.mission import (
    EXECUTABLE,
    FILE,
    LINK,
    Append,
    Blob,
    Deed,
    Delete,
    Fate,
    Hook,
    Item,
    Kind,
    Line,
    Link,
    Mission,
    Planning,
    Request,
    Tree,
    World,
    Write,
)

SCHEMA_ATTEMPTS = 2  # answers of a planner until its request has failed
CALLS = {Planning.STUMBLE: 2, Planning.GARBAGE: SCHEMA_ATTEMPTS, Planning.MUTE: SCHEMA_ATTEMPTS}
CARRIED_OUT = (Planning.APPLY, Planning.STUMBLE)


@dataclass(frozen=True)
class Tries:
    """The attempts at one item that were paid for."""

    failed: int = 0
    succeeded: int = 0


@dataclass(frozen=True)
class Outcome:
    """Everything about a goal that no crash may change."""

    phase: str
    tree: Tree  # of the goal's branch
    milestones: int
    requests: int  # plans asked for
    accepted: tuple[str, ...]  # work ids, sorted
    tries: dict[str, Tries]  # by work id
    clashes: dict[str, tuple[str, ...]]  # by work id: the paths that were in the way
    agent_calls: int  # that were paid for
    attempts: int  # that were paid for
    acknowledged: dict[str, tuple[str, ...]]  # by work id, where anything was
    red_first: tuple[str, ...]  # accepted work whose proof was seen to fail without it, sorted


def foretell(world: World, mission: Mission) -> Outcome:
    """Say how the mission ends."""
    return _Telling(world, mission).outcome()


class _Telling:
    def __init__(self, world: World, mission: Mission) -> None:
        self._mission = mission
        self._hook = world.hook
        self._tree = dict(world.base)
        self._ids: dict[str, str] = {}
        self._tries: dict[str, Tries] = {}
        self._clashes: dict[str, tuple[str, ...]] = {}
        self._accepted: set[str] = set()
        self._milestones = 0
        self._planner_calls = 0

    def outcome(self) -> Outcome:
        done = [self._done(0, self._mission.steps[0])] if self._mission.own else []
        done += [self._answered(number, request) for number, request in enumerate(self._mission.requests, start=1)]
        attempts = sum(tries.failed + tries.succeeded for tries in self._tries.values())
        return Outcome(
            phase="succeeded" if all(done) else "cancelled",
            tree=self._tree,
            milestones=self._milestones,
            requests=len(self._mission.requests),
            accepted=tuple(sorted(self._ids[key] for key in self._accepted)),
            tries=self._tries,
            clashes=self._clashes,
            agent_calls=attempts + self._planner_calls,  # every template asks one agent
            attempts=attempts,
            acknowledged={self._ids[key]: ("WC-1",) for key in self._accepted_of(Kind.FLAKY)},
            red_first=tuple(sorted(self._ids[key] for key in self._accepted_of(Kind.RED))),
        )

    def _accepted_of(self, kind: Kind) -> list[str]:
        return [key for key in self._accepted if self._mission.item(key).template == kind]

    def _answered(self, number: int, request: Request) -> bool:
        """Go through one request for a plan and what comes of it; tell whether the mission goes on."""
        self._planner_calls += CALLS.get(request.planning, 1)
        if request.planning not in CARRIED_OUT:
            return True
        return self._done(number, self._mission.steps[request.step])

    def _done(self, number: int, step: tuple[Item, ...]) -> bool:
        """Carry out a step under the number of its plan."""
        self._milestones += 1
        self._ids |= {item.key: f"p{number}.{item.key}" for item in step}
        done = [self._carried_out(item) for item in step]
        return all(done) or any(item.fate is Fate.LOST for item in step)

    def _carried_out(self, item: Item) -> bool:
        name = self._ids[item.key]
        reached = all(key in self._accepted for key in item.needs)
        self._tries[name] = self._tried(item) if reached else Tries()
        if not reached or item.fate is not Fate.DONE:
            return False
        self._accepted.add(item.key)
        if item.clashes_with:
            self._clashes[name] = tuple(sorted(deed.path for deed in item.deeds))
        self._do(item.deeds)
        if item.finding is not None:
            self._do(item.amended)
        return True

    def _tried(self, item: Item) -> Tries:
        match item.fate:
            case Fate.ENDLESS:
                return Tries()
            case Fate.GIVEN_UP | Fate.LOST:
                return Tries(failed=self._mission.max_attempts)
            case Fate.DONE:
                again = (item.finding is not None) + bool(item.clashes_with)
                return Tries(failed=len(item.troubles), succeeded=1 + again)

    def _do(self, deeds: tuple[Deed, ...]) -> None:
        for deed in deeds:
            do(self._tree, deed)
        touched = [deed.path for deed in deeds if deed.path in self._tree]
        for path in touched:
            self._tree[path] = formatted(path, self._tree[path], self._hook)


def differences(found: Outcome, foretold: Outcome) -> list[str]:
    """Say everything in which an outcome is not the one that was foretold; nothing at all when they are equal."""
    said: list[str] = []
    for name, theirs in vars(found).items():
        ours = vars(foretold)[name]
        if isinstance(ours, Mapping):
            said += [
                f"{name} of {key!r}: {theirs.get(key)}, foretold {ours.get(key)}"
                for key in sorted({*theirs, *ours})
                if theirs.get(key) != ours.get(key)
            ]
        elif theirs != ours:
            said.append(f"{name}: {theirs}, foretold {ours}")
    return said


def do(tree: dict[str, Blob], deed: Deed) -> None:
    """Change a tree as an agent does."""
    match deed:
        case Write(path=path, content=content, executable=executable):
            tree[path] = Blob(EXECUTABLE if executable else FILE, content)
        case Link(path=path, to=to):
            tree[path] = Blob(LINK, to.encode())
        case Delete(path=path):
            del tree[path]
        case Append(path=path, line=line):
            tree[path] = Blob(tree[path].mode, tree[path].content + line.encode() + b"\n")
        case Line(path=path, number=number, line=line):
            lines = tree[path].content.split(b"\n")
            lines[number] = line.encode()
            tree[path] = Blob(tree[path].mode, b"\n".join(lines))
        case _:
            assert_never(deed)


def formatted(path: str, blob: Blob, hook: Hook) -> Blob:
    """Trim the lines of a text as the repository's hook does."""
    if not hook.formats or not path.endswith(".txt") or blob.mode == LINK:
        return blob
    return Blob(blob.mode, b"\n".join(line.rstrip(b" \t") for line in blob.content.split(b"\n")))
