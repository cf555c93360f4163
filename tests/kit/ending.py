"""Whether a process has come to its end."""

import os
import select


def ends(pid: int) -> bool:
    """Tell whether a process has ended or is about to, as one does that was killed a moment ago."""
    try:
        handle = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    readable, _, _ = select.select([handle], [], [], 10)
    os.close(handle)
    return bool(readable)
