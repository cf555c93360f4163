"""Clearing away: what piled up and is needed by nothing, found and let go; and what each goal takes on the disk.

Nothing unsaved is ever let go: a worktree is discarded as ever, with what only it holds under a rescue ref first, and
no ref goes that alone keeps a commit.  Nothing goes that a goal which is not over may still ask for.  Everything may
be cut short at any point and done again; the next time it finds what is left.
"""

from harnd.daemon.gc.collector import Collector

__all__ = ["Collector"]
