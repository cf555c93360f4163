"""The control group: under systemd harnd moves into a leaf of its unit's group, which then holds no process itself.

What harnd starts inherits the leaf; no agent has a group of its own, and what bounds them all together is the unit's.
Groups below a delegated one can be given limits only while it has no process of its own (cgroup v2, the rule of no
internal processes), so whoever wants to make one beside the leaf finds the way clear.  Nothing depends on it: where
there is no cgroup v2, no unit of our own or no permission, harnd stays where it is.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Final

LEAF: Final = "daemon"
_ESCAPED: Final = re.compile(r"\\([0-7]{3})")  # proc(5): white space and backslashes of a mount point


def is_unit(environment: Mapping[str, str], *, pid: int, notifies: bool) -> bool:
    """Tell whether systemd started this very process, and not somebody whose variables it inherited."""
    if not environment.get("INVOCATION_ID"):
        return False
    started = environment.get("SYSTEMD_EXEC_PID")  # since systemd 248
    return started == str(pid) if started else notifies


def leaf(cgroup: str, mountinfo: str) -> Path | None:
    """Return the directory of the leaf to move into, from what `/proc/self` says; None to stay.

    That is a group below the one we are in, when that one is a service's and can be seen from here.
    """
    ours = next((line.removeprefix("0::") for line in cgroup.splitlines() if line.startswith("0::")), "")
    if not ours.startswith("/") or not ours.endswith(".service") or "/../" in ours:
        return None  # cgroup v1 alone; a container; a scope, a session, or a leaf that we are in already
    for root, mount in _mounts(mountinfo):
        if PurePosixPath(ours).is_relative_to(root):
            return Path(mount) / PurePosixPath(ours).relative_to(root) / LEAF
    return None


def move_into(found: Path, *, pid: int) -> None:
    """Make a leaf and move a process there with all its threads; raises `OSError`."""
    found.mkdir(exist_ok=True)
    (found / "cgroup.procs").write_text(str(pid), "ascii")


def _mounts(mountinfo: str) -> Iterator[tuple[str, str]]:
    """Yield what of the unified hierarchy is mounted where."""
    for line in mountinfo.splitlines():
        mounted, _, kind = line.partition(" - ")
        words = mounted.split(" ")
        if kind.startswith("cgroup2 ") and len(words) > 4:  # noqa: PLR2004 - proc(5), fields 4 and 5
            yield _plain(words[3]), _plain(words[4])


def _plain(word: str) -> str:
    return _ESCAPED.sub(lambda match: chr(int(match[1], 8)), word)
