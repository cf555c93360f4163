"""Surroundings: what of the shell's environment goes into the unit.

A user manager does not know what a login shell set up; an agent that is found there would not be found by the service.
So `PATH` is recorded, less what will not be there tomorrow, and with it the other variables that harnd hands on to
agents and that the manager does not set itself.  Keys and other secrets are on no list: a unit file is no place for
them.
"""

import os
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final

from msgspec import Struct

from harnctl.service.quoting import is_writable

_PATHS: Final = tuple(f"XDG_{name}_HOME" for name in ("CONFIG", "DATA", "CACHE", "STATE"))  # relative ones are ignored
_OTHERS: Final = (
    "XDG_CONFIG_DIRS",
    *("LANG", "LANGUAGE", "TZ"),
    *("SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "NODE_EXTRA_CA_CERTS"),
)
_LOCALE: Final = "LC_"
FALLBACK: Final = ("/usr/local/bin", "/usr/bin", "/bin")  # as harnd's own


class Departure(Struct, frozen=True):
    """An entry of `PATH` that is not recorded as it stands."""

    entry: str
    because: str
    instead: str = ""  # the directory that is recorded in its place


class Recorded(Struct, frozen=True):
    """The directories to look for programs in, and what became of the others."""

    path: tuple[str, ...]
    departures: tuple[Departure, ...]


def recorded_path(path: str, *, temporary: Iterable[str]) -> Recorded:
    """Sort out which entries of `PATH` a service can rely on."""
    short_lived = [os.path.realpath(directory) for directory in temporary]
    kept: list[str] = []
    departures: list[Departure] = []
    for entry in dict.fromkeys(path.split(os.pathsep)):
        directory, departure = _sorted_out(entry, short_lived)
        if departure is not None:
            departures.append(departure)
        if directory and directory not in kept:
            kept.append(directory)
    return Recorded(tuple(kept) or FALLBACK, tuple(departures))


def _sorted_out(entry: str, temporary: list[str]) -> tuple[str, Departure | None]:
    if not entry.startswith("/"):
        return "", Departure(entry, "is relative")
    if not is_writable(entry):
        return "", Departure(entry, "cannot stand in a unit file")
    if not Path(entry).is_dir():
        return "", Departure(entry, "is not there")
    if not _is_below(os.path.normpath(entry), temporary):
        return entry, None
    # Version managers make a link a shell in the runtime directory; what it leads to stays.
    target = os.path.realpath(entry)
    if _is_below(target, temporary) or not is_writable(target):
        return "", Departure(entry, "lies in a temporary directory")
    return target, Departure(entry, "lies in a temporary directory", instead=target)


def _is_below(path: str, directories: list[str]) -> bool:
    return any(path == directory or path.startswith(f"{directory}/") for directory in directories)


def temporary_directories(environ: Mapping[str, str]) -> tuple[str, ...]:
    """Return the directories whose content goes away by itself."""
    named = (environ.get("TMPDIR"), environ.get("XDG_RUNTIME_DIR"), f"/run/user/{os.getuid()}", tempfile.gettempdir())
    return ("/tmp", "/var/tmp", "/dev/shm", *filter(None, named))  # noqa: S108 - nothing is made there


def handed_on(environ: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yield the other variables that an agent sees when harnd is started from this shell."""
    for name in sorted(environ):
        value = environ[name]
        if not value or not is_writable(value):
            continue
        if name in _OTHERS or name.startswith(_LOCALE) or (name in _PATHS and value.startswith("/")):
            yield name, value
