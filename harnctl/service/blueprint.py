"""The blueprint of an installation: the units as they should be, drawn up from what the shell and the command line say.

The daemon must find what the person's harnctl finds.  So whatever names a state directory or a socket here, argument
or variable, is an argument there, and the socket that systemd makes is the one that harnctl would look for.
"""

import os
from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct

from harnctl.client.place import absolute, find_state, program
from harnctl.service.surroundings import Departure, handed_on, recorded_path, temporary_directories
from harnctl.service.units import SERVICE, SOCKET, service_unit, socket_unit
from protocol import socket_path as places


class Blueprint(Struct, frozen=True):
    """What `service install` is to bring about."""

    units: dict[str, str]  # text by name, the socket first
    command: tuple[str, ...]
    state: str
    socket: str
    path: tuple[str, ...]
    departures: tuple[Departure, ...]
    variables: tuple[str, ...]  # names of the others that are recorded


def draw_up(environ: Mapping[str, str], *, state: Path | None, socket: Path | None, listen: Path) -> Blueprint:
    """Draw the units up; `listen` is the socket that harnctl looks at.  Raises `Failure` for what no unit can hold."""
    kept = find_state(environ, state)
    command = [*program()]
    if named := environ.get(places.CONFIG):
        command += ["--config", str(absolute(named, environ))]
    if state or environ.get(places.STATE):
        command += ["--state", str(kept)]
    if socket or environ.get(places.SOCKET):
        command += ["--socket", str(listen)]
    recorded = recorded_path(environ.get("PATH", ""), temporary=temporary_directories(environ))
    others = dict(handed_on(environ))
    runtime = environ.get("XDG_RUNTIME_DIR") or f"/run/user/{os.getuid()}"
    return Blueprint(
        units={
            SOCKET: socket_unit(str(listen), runtime=runtime),
            SERVICE: service_unit(command, {"PATH": os.pathsep.join(recorded.path), **others}),
        },
        command=tuple(command),
        state=str(kept),
        socket=str(listen),
        path=recorded.path,
        departures=recorded.departures,
        variables=tuple(others),
    )
