"""What can go wrong between a client and its daemon: three families, one handler each."""

from collections.abc import Mapping

from protocol.errors import Exit, exit_code


class ClientError(Exception):
    """Something was asked and not answered.  `code` is stable and one of `protocol.errors`; the rest is for people."""

    def __init__(self, code: str, message: str, *, fix: str = "", details: Mapping[str, object] | None = None) -> None:
        """Say in one sentence what happened and, where there is one, what to do or type."""
        super().__init__(f"{code}: {message}")
        self.code = code
        self.message = message
        self.fix = fix
        self.details: Mapping[str, object] = details or {}

    @property
    def exit(self) -> Exit:
        """What a program that meets this error exits with."""
        return exit_code(self.code)


class Unreachable(ClientError):
    """No daemon answers.  Unless it is `Lost` or `Late`, nothing was asked.  Start it and ask again."""

    def __init__(self, message: str, *, fix: str = "", details: Mapping[str, object] | None = None) -> None:
        """Say who does not answer where."""
        super().__init__("daemon.unreachable", message, fix=fix, details=details)


class Barred(Unreachable):
    """The place is not one where this user's daemon can be, or another user's process is there: waiting is no help."""


class Lost(Unreachable):
    """The connection ended before the answer came.  Whether a change was made is not known: ask with its key again."""


class Late(Unreachable):
    """No answer came in time, and the connection was given up.  A change may still be made, as with `Lost`."""


class Refused(ClientError):
    """The daemon said no, under its own code; nothing was changed.  Of the family `try_later` it is for now only."""


class ProtocolError(ClientError):
    """The peer does not speak the protocol, or another version of it.  The connection is closed."""


class VersionMismatch(ProtocolError):
    """Client and daemon have no version in common, as two installs that got mixed up."""

    def __init__(self, message: str, *, fix: str = "", details: Mapping[str, object] | None = None) -> None:
        """Name both versions, and where the running daemon comes from."""
        super().__init__("version.mismatch", message, fix=fix, details=details)
