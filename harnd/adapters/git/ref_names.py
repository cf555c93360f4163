"""What harnd calls its refs and directories.  Every name follows from the goal and the attempt, so a crash loses none.

`refs/heads/harn/<goal>` and `refs/heads/harn-attempt/<goal>/<work>.<n>` are branches for people to see.  Under
`refs/harnd/` lies what keeps objects alive or remembers:

    goals/<goal>                               where harnd itself last moved the goal's branch to
    recorded/<goal>/<work>.<n>                 the last commit that `record` made, hooks included
    merge/<goal>/<work>.<n>/<commit>           a merge that is nobody's branch yet
    rescue/<goal>/<work>.<n>/commit-<commit>   a commit of the attempt that the goal's branch does not contain
    rescue/<goal>/<work>.<n>/snapshot-<tree>   uncommitted files; no hook has seen them
    rescue/<goal>/<work>.<n>/nested/<digest>/  the refs of a repository that the agent made inside its worktree
    rescue/<goal>/moved/commit-<commit>        where somebody else had moved the goal's branch to
"""

from typing import Final

from harnd.ports.workspace import Occupied, Place
from protocol import ids
from protocol.ids import GoalId, WorkId

BRANCHES: Final = "refs/heads/"
GOAL_BRANCHES: Final = f"{BRANCHES}{ids.GOAL_BRANCHES}"
ATTEMPT_BRANCHES: Final = "refs/heads/harn-attempt/"
OWN: Final = "refs/harnd/"
GOALS: Final = "refs/harnd/goals/"
RESCUES: Final = ids.RESCUES
SNAPSHOT: Final = "snapshot-"
WORK_DIRECTORY: Final = "work"  # of the attempt itself; its checkouts lie beside it, named by their purpose


def goal_ref(goal: GoalId | str) -> str:
    """Name the goal's branch in full."""
    return f"{BRANCHES}{ids.goal_branch(goal)}"


def goal_record(goal: GoalId | str) -> str:
    """Name the ref that remembers where harnd moved the goal's branch."""
    return f"{GOALS}{goal}"


def attempt_ref(place: Place) -> str:
    """Name the attempt's branch in full."""
    return f"{BRANCHES}{place.branch}"


def recorded(place: Place) -> str:
    """Name the ref that remembers the attempt's last recording."""
    return f"{OWN}recorded/{_attempt(place)}"


def merges(place: Place) -> str:
    """Name the folder of refs that keep the attempt's merges alive."""
    return f"{OWN}merge/{_attempt(place)}/"


def rescues(place: Place) -> str:
    """Name the folder of refs that keep what the attempt left behind."""
    return ids.rescued_under(place.goal, place.work, place.attempt)


def kept_for(goal: GoalId) -> tuple[str, ...]:
    """Name the folders of refs that keep a goal's commits until its branch contains them."""
    return tuple(f"{OWN}{kind}/{goal}/" for kind in ("merge", "recorded", "rescue"))


def traces(goal: GoalId) -> tuple[str, ...]:
    """Name the refs and folders of refs that a goal starts from when they exist; rescues are none of them."""
    remembered = (f"{OWN}{kind}/{goal}" for kind in ("merge", "recorded"))
    return tuple(sorted((goal_ref(goal), f"{ATTEMPT_BRANCHES}{goal}", goal_record(goal), *remembered)))


def directory(place: Place | Occupied) -> str:
    """Name the attempt's directory, relative to the root of all worktrees."""
    return _attempt(place)


def _attempt(place: Place | Occupied) -> str:
    return f"{place.goal}/{place.work}.{place.attempt}"


def occupied(goal: str, attempt: str) -> Occupied | None:
    """Read the name of a directory back, or None when it is nobody's."""
    work, _, number = attempt.rpartition(".")
    return Occupied(GoalId(goal), WorkId(work), int(number)) if work and number.isdecimal() else None
