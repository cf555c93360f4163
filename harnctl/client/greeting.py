"""Greetings that fail: which of them mean that two installs got mixed up, and which one is running."""

from pathlib import Path

from harnctl.client.door import Peer
from harnctl.client.errors import ClientError, ProtocolError, Refused, VersionMismatch
from protocol.errors import Family, family_of
from protocol.methods import MAX_VERSION, MIN_VERSION

# What a daemon of another age says to a greeting that it cannot read.
ESTRANGED = (Family.PARSE, Family.MESSAGE, Family.METHOD, Family.PARAMETERS)


def explain(error: Refused | ProtocolError, *, peer: Peer, path: Path) -> ClientError:
    """Turn a failed greeting into the error that names the running daemon; one that is about something else stays."""
    found: dict[str, object] = {"socket": str(path), "pid": peer.pid, "program": peer.program}
    if error.code == "version.mismatch":
        return VersionMismatch(f"{error.message} ({path})", fix=error.fix, details={**found, **error.details})
    if family_of(error.code) not in ESTRANGED:
        return error
    return VersionMismatch(
        f"what answers at {path} (pid {peer.pid}: {peer.program}) does not speak the protocol of this client, "
        f"version {_versions()}: {error.message}",
        fix=_replacing(peer),
        details={**found, **error.details, "said": error.code},
    )


def _replacing(peer: Peer) -> str:
    if peer.is_manager:  # behind socket activation the other end is the manager, whose end is the person's log-out
        return "systemctl --user restart harnd.service"
    return f"stop process {peer.pid} and start the harnd that was installed with this client"


def _versions() -> str:
    return str(MIN_VERSION) if MIN_VERSION == MAX_VERSION else f"{MIN_VERSION} to {MAX_VERSION}"
