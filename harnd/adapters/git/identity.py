"""Whose name stands on a commit: the operator's on their items' work, harnd's on everything it makes for itself."""

from typing import Final, NamedTuple

from harnd.adapters.git.repository import Repository


class Identity(NamedTuple):
    """A name and an address, as git wants them."""

    name: str
    email: str

    def environment(self) -> dict[str, str]:
        """Give the variables that make git use it for author and committer."""
        return {
            "GIT_AUTHOR_NAME": self.name,
            "GIT_AUTHOR_EMAIL": self.email,
            "GIT_COMMITTER_NAME": self.name,
            "GIT_COMMITTER_EMAIL": self.email,
        }


HARND: Final = Identity("harnd", "harnd@localhost")


async def operators(repository: Repository) -> Identity:
    """Return the identity that the operator configured, for this repository or for all; else harnd's."""
    name = await repository.git.setting_of_operator(repository.top, "user.name")
    email = await repository.git.setting_of_operator(repository.top, "user.email")
    return Identity(name, email) if name and email else HARND
