"""`python -m harnctl`, and the `harnctl` on the path."""

import io
import os
import sys

from harnctl.app import run
from harnctl.console import Console


def main() -> None:
    """Run the command line of this process."""
    _open_what_is_closed()
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a character that cannot be shown is no reason to fail
    sys.exit(run(sys.argv[1:], Console(out=sys.stdout, err=sys.stderr, stdin=sys.stdin, environ=os.environ)))


def _open_what_is_closed() -> None:
    """Stand nothing in for a stream that whoever started this closed; Python has None for it."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_RDWR), mode, encoding="utf-8"))


if __name__ == "__main__":
    main()
