"""The pre-commit hook of the worlds: `hook [formats] [adds] [refuses]`.

It trims the lines of every `.txt` that is about to be committed, with or without adding what it trimmed, and refuses
a commit that holds a word.
"""

import os
import subprocess
import sys
from pathlib import Path


def main():
    """Look at every file that is about to be committed."""
    words = sys.argv[1:]
    listed = ["git", "diff", "--cached", "--name-only", "-z", "--diff-filter=ACMR"]
    names = subprocess.run(listed, check=True, capture_output=True).stdout.split(b"\0")
    files = [Path(os.fsdecode(name)) for name in names if name]
    plain = [file for file in files if file.is_file() and not file.is_symlink()]
    if "refuses" in words:
        said = [line for file in plain for line in file.read_bytes().split(b"\n") if b"FORBIDDEN" in line]
        if said:
            sys.exit(f"the repository does not take this: {said[0].decode()}")
    if "formats" in words:
        trim([file for file in plain if file.suffix == ".txt"], add="adds" in words)


def trim(files, add):
    """Trim the lines of texts; of those that change, add what was made of them."""
    for file in files:
        before = file.read_bytes()
        after = b"\n".join(line.rstrip(b" \t") for line in before.split(b"\n"))
        if after != before:
            file.write_bytes(after)
            if add:
                subprocess.run(["git", "--literal-pathspecs", "add", "--", file], check=True)


if __name__ == "__main__":
    main()
