"""Which control group harnd moves into, and when it stays where it is."""

from pathlib import Path

import pytest

from harnd.daemon.cgroup import is_unit, leaf

UNIFIED = "29 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n"
HYBRID = (
    "32 31 0:29 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n"
    "41 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw\n"
)
V1 = "32 31 0:29 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n"
BELOW = "29 23 0:26 /user.slice/user-1000.slice /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n"
SPACES = "29 23 0:26 / /mnt/control\\040groups rw - cgroup2 cgroup2 rw\n"

UNIT = "/user.slice/user-1000.slice/user@1000.service/app.slice/harnd.service"


@pytest.mark.parametrize(
    ("cgroup", "mountinfo", "found"),
    [
        (f"0::{UNIT}\n", UNIFIED, f"/sys/fs/cgroup{UNIT}/daemon"),
        (f"12:pids:{UNIT}\n1:name=systemd:{UNIT}\n0::{UNIT}\n", HYBRID, f"/sys/fs/cgroup/unified{UNIT}/daemon"),
        (f"0::{UNIT}\n", BELOW, "/sys/fs/cgroup/user@1000.service/app.slice/harnd.service/daemon"),
        (f"0::{UNIT}\n", SPACES, f"/mnt/control groups{UNIT}/daemon"),
    ],
)
def test_harnd_moves_into_a_leaf_of_the_service_that_it_is(cgroup, mountinfo, found):
    assert leaf(cgroup, mountinfo) == Path(found)


@pytest.mark.parametrize(
    ("cgroup", "mountinfo"),
    [
        ("", UNIFIED),
        ("0::/\n", UNIFIED),  # a container with a namespace of its own
        ("0::/../../harnd.service\n", UNIFIED),  # and one that looks out of it
        (f"12:pids:{UNIT}\n1:name=systemd:{UNIT}\n", V1),
        (f"12:pids:{UNIT}\n1:name=systemd:{UNIT}\n0::/\n", HYBRID),  # hybrid, but nobody uses the unified part
        (f"0::{UNIT}\n", V1),  # not mounted
        (f"0::{UNIT}\n", ""),
        ("0::/system.slice/harnd.service\n", BELOW),  # mounted, but not the part that we are in
        ("0::/user.slice/user-1000.slice/session-3.scope\n", UNIFIED),
        ("0::/user.slice/user-1000.slice/user@1000.service/app.slice/vte-spawn-1.scope\n", UNIFIED),
        (f"0::{UNIT}/daemon\n", UNIFIED),  # there already
        (f"0::{UNIT} (deleted)\n", UNIFIED),
        ("nonsense", "29 23\n - cgroup2 cgroup2\n"),
    ],
)
def test_harnd_stays_where_it_is_everywhere_else(cgroup, mountinfo):
    assert leaf(cgroup, mountinfo) is None


@pytest.mark.parametrize(
    ("environ", "notifies", "is_one"),
    [
        ({"INVOCATION_ID": "0a", "SYSTEMD_EXEC_PID": "77"}, False, True),
        ({"INVOCATION_ID": "0a", "SYSTEMD_EXEC_PID": "76"}, True, False),  # a shell of some unit started us
        ({"INVOCATION_ID": "0a"}, True, True),  # systemd before 248
        ({"INVOCATION_ID": "0a"}, False, False),
        ({"SYSTEMD_EXEC_PID": "77"}, True, False),
        ({}, False, False),
    ],
)
def test_only_the_process_that_systemd_started_is_the_unit(environ, notifies, is_one):
    assert is_unit(environ, pid=77, notifies=notifies) is is_one
