"""A proof with moods: it fails when it is first run in a directory, and passes when it is run again there."""

import sys
from pathlib import Path

HERE_BEFORE = Path(".moody")  # in the checkout of the proof, which is made anew each time


def main():
    """Fail once."""
    if not HERE_BEFORE.exists():
        HERE_BEFORE.write_text("not today\n")
        sys.exit("not today")


if __name__ == "__main__":
    main()
