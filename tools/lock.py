"""Lock: writes requirements.lock from pyproject.toml.

Every dependency of the package, of its extras and of its build backend is pinned
with the hash of every file published for it, for each python and platform harnd
can run on.  The lock names no index: where packages come from is a matter of
whoever installs it.

It is run by `make lock`, which lends it a virtual environment of its own; nothing
else needs uv.
"""

import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LOCK = ROOT / "requirements.lock"
HEADER = """\
# Every dependency of harnd, its extras and its build backend, pinned by hash.
# Written by `make lock` from pyproject.toml: change that file, not this one.
#
#     python -m pip install --require-hashes -r requirements.lock
"""


def resolve(build_requires: list[str]) -> str:
    """Ask uv for pins that hold on every python from 3.11 on; an existing lock is kept to where it still fits."""
    with_previous_pins = ["--output-file", str(LOCK)]
    command = [
        *(sys.executable, "-m", "uv", "--quiet", "pip", "compile", "pyproject.toml", "-"),
        *("--all-extras", "--universal", "--python-version", "3.11", "--generate-hashes"),
        *("--no-annotate", "--no-header", "--no-emit-index-url", "--no-emit-find-links"),
        *with_previous_pins,
        *sys.argv[1:],
    ]
    # uv overwrites the file as well; its text is read back, so that the header can be put above it.
    subprocess.run(command, cwd=ROOT, input="\n".join(build_requires), text=True, check=True)
    return LOCK.read_text(encoding="utf-8")


def main() -> None:
    """Write the lock anew; arguments such as `--upgrade` are passed on to uv."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    pins = resolve(project["build-system"]["requires"])
    LOCK.write_text(HEADER + pins.replace(HEADER, ""), encoding="utf-8")


if __name__ == "__main__":
    main()
