"""What the daemon's configuration file says of where the daemon is, for a client that has to find it.

Nothing else is looked at, and nothing is judged.  Where the file is no TOML, or has no path in one of the two keys,
that place is left to the rule; what else is wrong with it is not seen here, although no daemon starts with it.
`harnctl config check` tells.
"""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple, cast

from protocol.bounds import PERSON_FILE_BYTES
from protocol.socket_path import CONFIG, config_file, from_home


class Configured(NamedTuple):
    """Two places, each None when the file leaves it to the rule."""

    state: Path | None = None
    socket: Path | None = None


def configured(environ: Mapping[str, str]) -> Configured:
    """Read the file that this environment leads to; `environ` has a HOME."""
    named = environ.get(CONFIG)
    text = _text(from_home(named, environ) if named else config_file(environ))
    if text is None:
        return Configured()
    import tomllib  # noqa: PLC0415 - few people have a file, and every command would load it

    try:
        said = tomllib.loads(text).get("daemon")
    except ValueError:
        return Configured()
    if not isinstance(said, dict):
        return Configured()
    table = cast("dict[str, object]", said)
    return Configured(_place(table.get("state"), environ), _place(table.get("socket"), environ))


def _text(path: str) -> str | None:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)  # a pipe must keep nobody waiting
    except OSError:
        return None
    try:
        content = os.read(descriptor, PERSON_FILE_BYTES + 1)
        return content.decode() if len(content) <= PERSON_FILE_BYTES else None
    except (OSError, UnicodeDecodeError):
        return None
    finally:
        os.close(descriptor)


def _place(said: object, environ: Mapping[str, str]) -> Path | None:
    if not isinstance(said, str) or not said.startswith(("/", "~/")):
        return None
    return Path(from_home(said, environ))
