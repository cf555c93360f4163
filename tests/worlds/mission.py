"""Worlds as plain values: a repository, what its agents and planners will do, and what the operator will decide.

Everything that is to happen is written down here before it does.  `enrolment` makes the files of real goals out of it,
`oracle` computes from it alone how they must end.  Nothing of harnd is imported.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple, TypeAlias


class Blob(NamedTuple):
    """What lies at a path: git's mode (a file, an executable file, a link) and the bytes."""

    mode: str
    content: bytes


Tree: TypeAlias = Mapping[str, Blob]
FILE, EXECUTABLE, LINK = "100644", "100755", "120000"


# --- what an agent does to its worktree; paths hold undecodable bytes as `os.fsdecode` does


@dataclass(frozen=True)
class Write:
    """Put these bytes into a file."""

    path: str
    content: bytes
    executable: bool = False


@dataclass(frozen=True)
class Link:
    """Make a symbolic link, which need not lead anywhere."""

    path: str
    to: str


@dataclass(frozen=True)
class Delete:
    """Remove a file."""

    path: str


@dataclass(frozen=True)
class Append:
    """Add a line to the end of a file."""

    path: str
    line: str


@dataclass(frozen=True)
class Line:
    """Replace one line of a file, counted from 0."""

    path: str
    number: int
    line: str


Deed: TypeAlias = Write | Link | Delete | Append | Line


class Trouble(StrEnum):
    """What an attempt does instead of its work."""

    BAD = "bad"  # its proof fails
    HOOK = "hook"  # the repository's hook refuses its commit
    IDLE = "idle"  # it changes nothing and says that it is done
    EXIT = "exit"  # it leaves half of its work and exits
    NOISE = "noise"  # it prints what nobody can read and exits
    REFUSAL = "refusal"  # it says that it will not, and exits
    STALL = "stall"  # it falls silent
    ENDLESS_TALK = "endless talk"  # it goes on talking until its time is up


class Kind(StrEnum):
    """A template that is special in how it prepares or proves."""

    FLAKY = "flaky"  # a proof fails when it is first run in a checkout, and passes when it is run again there
    RED = "red"  # the proof must fail without the work
    KEPT = "kept"  # a stage prepares what is kept, and the proof needs it


class Manner(StrEnum):
    """How an agent goes about its work when it does it."""

    PLAIN = "plain"
    COMMITS = "commits"  # it commits in its worktree by itself
    LEAVES = "leaves"  # it leaves a process behind that wants to live for ten minutes


class Finding(StrEnum):
    """When the operator sends work back to be amended."""

    IN_REVIEW = "in review"  # instead of accepting it
    INTEGRATED = "integrated"  # after it has come onto the goal's branch
    FINISHED = "finished"  # after the mission was met


class Fate(StrEnum):
    """What becomes of an item in the end."""

    DONE = "done"
    LOST = "lost"  # once its attempts are used up the planner finds another way, which is the next step
    GIVEN_UP = "given up"  # once its attempts are used up the operator gives up: the item, and then the goal
    ENDLESS = "endless"  # its agent never ends, and the operator cancels the goal while it runs


@dataclass(frozen=True)
class Item:
    """One work item that the planner proposes."""

    key: str
    deeds: tuple[Deed, ...]
    needs: tuple[str, ...] = ()  # keys of earlier items, of this step or of those before
    troubles: tuple[Trouble, ...] = ()  # what goes wrong first, attempt by attempt
    template: str = "small"
    manner: Manner = Manner.PLAIN
    finding: Finding | None = None
    amended: tuple[Deed, ...] = ()  # what is done once the finding is told
    clashes_with: str = ""  # the earlier item beside which this one cannot be merged
    fate: Fate = Fate.DONE
    declares: tuple[str, ...] = ()  # paths; none: those of its deeds
    takes: float = 0.0  # seconds

    @property
    def paths(self) -> tuple[str, ...]:
        """Return the paths that the plan declares for it."""
        return self.declares or tuple(dict.fromkeys(deed.path for deed in self.deeds))


class Planning(StrEnum):
    """How one request for a plan goes."""

    APPLY = "apply"
    STUMBLE = "stumble"  # the first answer is no plan; the corrected one is
    REJECTED = "rejected"  # the operator turns the proposal down
    QUESTION = "question"  # the planner asks instead
    GARBAGE = "garbage"  # no answer is a plan
    MUTE = "mute"  # there is no answer at all
    COMPLETE = "complete"


@dataclass(frozen=True)
class Request:
    """One request for a plan: how it goes, and, where work is proposed, the step (from 0)."""

    planning: Planning
    step: int = -1


@dataclass(frozen=True)
class Mission:
    """One goal."""

    goal: str
    steps: tuple[tuple[Item, ...], ...]
    requests: tuple[Request, ...]
    max_attempts: int = 2
    parallel_work: int = 2
    agent_concurrency: int = 3
    own: bool = False  # the first step is the operator's own graph, which nobody plans
    retries: bool = False  # harnd would try blocked work again; the operator is quicker than its first pause

    def items(self) -> Iterator[Item]:
        """Yield every item in the order of the plans."""
        for step in self.steps:
            yield from step

    def blocks(self, item: Item, failures: int) -> bool:
        """Tell whether after so many failures nothing more happens until the operator says so."""
        return failures >= self.max_attempts or item.troubles[failures - 1] is Trouble.REFUSAL

    def words_needed(self, item: Item) -> int:
        """Count how often the operator must ask for another attempt, so that the item gets done."""
        blocked = sum(self.blocks(item, failures) for failures in range(1, len(item.troubles) + 1))
        return blocked + bool(item.clashes_with)

    def item(self, key: str) -> Item:
        """Return the item of that key."""
        return next(item for item in self.items() if item.key == key)


@dataclass(frozen=True)
class Hook:
    """What the repository's pre-commit hook does: it trims the lines of every `.txt`, and refuses a word."""

    formats: bool = False
    adds: bool = True  # what it formatted it also adds to the commit
    refuses: bool = False

    @property
    def exists(self) -> bool:
        """Tell whether there is a hook at all."""
        return self.formats or self.refuses


@dataclass(frozen=True)
class World:
    """One repository and the goals that are carried out in it at the same time."""

    seed: int
    base: Tree
    missions: tuple[Mission, ...]
    hook: Hook = Hook()
    specials: frozenset[str] = field(default_factory=frozenset)  # what it was made to hold, to be told

    def mission(self, goal: str) -> Mission:
        """Return the mission of that goal."""
        return next(mission for mission in self.missions if mission.goal == goal)


def guidance_for(subject: str) -> str:
    """Word what the operator says about a plan or an item that is to be tried again."""
    return f"the operator's word about {subject}"


def finding_about(key: str) -> str:
    """Word what the operator finds in an item's work."""
    return f"the work on {key} is to be amended"
