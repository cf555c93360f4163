"""The `Workspace` port on real repositories, through the git command."""

from harnd.adapters.git.workspace import GitWorkspace

__all__ = ["GitWorkspace"]
