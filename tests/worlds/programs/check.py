"""The proof of the worlds: whether what an item was to do can be seen in the current directory.

    check ORDERS KEY

It exits 0 when it can, and otherwise says what is wrong, in the words that a bad attempt left.
"""

import json
import os
import sys
from base64 import b64decode
from pathlib import Path


def main():
    """Look for the work of one item, as it was ordered or as it was amended."""
    orders, key = json.loads(Path(sys.argv[1]).read_text()), sys.argv[2]
    wrong = Path(f"{key}.wrong")
    if wrong.exists():
        sys.exit(f"{wrong} says: {wrong.read_text()}")
    wanted = [deeds for deeds in (orders[key]["deeds"], orders[key]["amended"]) if deeds]
    lacking = [[what for deed in deeds if (what := lacks(**deed))] for deeds in wanted]
    if all(lacking):
        sys.exit("\n".join(lacking[0]))


def lacks(do, path, **how):
    """Say what a deed's place lacks, or nothing."""
    return "" if globals()[f"did_{do}"](Path(path), **how) else f"{do} {path!r}: not done"


def did_write(file, content, executable):
    if not file.is_file() or os.access(file, os.X_OK) != executable:
        return False
    return trimmed(file.read_bytes()) == trimmed(b64decode(content))


def did_link(file, to):
    return file.is_symlink() and str(file.readlink()) == to


def did_delete(file):
    return not os.path.lexists(file)


def did_append(file, line):
    return line in file.read_text().split("\n")


def did_line(file, number, line):
    return file.read_text().split("\n")[number] == line


def trimmed(content):
    """A hook may have trimmed the lines."""
    return b"\n".join(line.rstrip(b" \t") for line in content.split(b"\n"))


if __name__ == "__main__":
    main()
