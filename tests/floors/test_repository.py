"""The repository is whole: nothing in it leans on what lies beside it, and its links resolve."""

import re
import subprocess
import sys
from pathlib import Path

from tools import write_failures

ROOT = Path(__file__).resolve().parents[2]
# A path that climbs out, or starts at the root of somebody's machine, to a neighbouring checkout.
BESIDE = re.compile(rb"(?<![\w.-])(?:\.\.|/\w+)/(?:shared|main)/")


def files() -> list[Path]:
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return [path for name in sorted(set(listed.split("\0")) - {""}) if (path := ROOT / name).is_file()]


def test_no_file_names_a_folder_beside_the_repository():
    assert [str(path.relative_to(ROOT)) for path in files() if BESIDE.search(path.read_bytes())] == []


def test_the_lock_pins_by_hash_and_names_no_index():
    lines = (ROOT / "requirements.lock").read_text(encoding="utf-8").splitlines()
    said = [line for line in lines if line and not line.startswith(("#", "    --hash=sha256:"))]
    assert [line for line in said if not re.fullmatch(r"[a-z0-9-]+==\S+(?: ; .+)? \\", line)] == []


def test_every_link_resolves():
    checked = subprocess.run(
        [sys.executable, "tools/check_links.py"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert checked.returncode == 0, checked.stdout


def test_the_table_of_failures_is_what_the_rules_go_by():
    """After a change of the rows: `python -m tools.write_failures`."""
    written = write_failures.PAGE.read_text(encoding="utf-8")
    assert write_failures.page(written) == written
