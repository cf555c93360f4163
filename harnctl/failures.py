"""Failures that harnctl finds by itself, before or without a daemon; those of a daemon are `harnctl.client.errors`."""

from collections.abc import Mapping
from typing import Final

from harnctl.client.errors import ClientError
from protocol.errors import Exit

INTERRUPTED: Final = 130  # what a shell reports of a program that Ctrl-C ended

# Codes that only this program says.  They never cross the wire, so `protocol.errors` does not list them.
EXITS: Final[Mapping[str, Exit]] = {
    "usage": Exit.USAGE,
    "config.invalid": Exit.CONFIGURATION,
    "config.unchecked": Exit.FAILURE,  # the installed harnd could not look at it
    "decision.unconfirmed": Exit.USAGE,  # no terminal to ask on, and nothing on the command line that decides
    "decision.declined": Exit.FAILURE,
    "directory.gone": Exit.CONFIGURATION,
    "demo.failed": Exit.FAILURE,
    "feature.not_built": Exit.REFUSED,
    "file.exists": Exit.CONFLICT,
    "file.unreadable": Exit.CONFIGURATION,
    "file.unwritable": Exit.FAILURE,
    "output.lost": Exit.FAILURE,  # standard output takes nothing more
    "repository.missing": Exit.CONFIGURATION,
    "service.daemon_runs": Exit.CONFLICT,  # one that systemd did not start has the socket
    "service.failed": Exit.FAILURE,
    "service.foreign": Exit.CONFLICT,  # a unit of that name is not ours
    "service.no_answer": Exit.TRY_LATER,
    "service.no_journal": Exit.CONFIGURATION,
    "service.no_manager": Exit.TRY_LATER,
    "service.no_program": Exit.CONFIGURATION,
    "service.no_systemd": Exit.CONFIGURATION,
    "service.not_installed": Exit.NOT_FOUND,
    "service.unseen": Exit.CONFIGURATION,  # the manager reads no units where they would be written
    "service.unwritable": Exit.CONFIGURATION,
    "socket.no_path": Exit.CONFIGURATION,
}


class Failure(ClientError):
    """Something that harnctl will not or cannot do."""

    @property
    def exit(self) -> Exit:
        """What harnctl exits with."""
        return EXITS[self.code]


def exit_of(error: ClientError) -> Exit:
    """Tell what harnctl exits with for any error."""
    return EXITS.get(error.code, error.exit)
