"""`python -m harnctl`, and the `harnctl` on the path."""

import io
import os
import sys

from harnctl.app import run
from harnctl.console import Console


def main() -> None:
    """Run the command line of this process."""
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a character that cannot be shown is no reason to fail
    sys.exit(run(sys.argv[1:], Console(out=sys.stdout, err=sys.stderr, stdin=sys.stdin, environ=os.environ)))


if __name__ == "__main__":
    main()
