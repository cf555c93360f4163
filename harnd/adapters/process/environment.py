"""The environment of what harnd starts: what is on the list, what was configured, and who it belongs to.

The daemon's own environment is a matter of where it was started from: a login shell, a service manager, a git hook.
None of that may reach an agent unless somebody asked for it.
"""

from collections.abc import Iterable, Mapping
from typing import Final

SESSION: Final = "HARND_SESSION"  # `<instance>/<effect key>`: whose process this is
HOME: Final = "HARND_HOME"  # which state directory's

_WHO_AND_WHERE: Final = ("PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "TZ", "TMPDIR")
# XDG_RUNTIME_DIR is left out: it leads to the session bus and to other people's sockets.
_XDG: Final = tuple(f"XDG_{name}" for name in ("CONFIG_HOME", "DATA_HOME", "CACHE_HOME", "STATE_HOME", "CONFIG_DIRS"))
_CERTIFICATES: Final = (
    *("SSL_CERT_FILE", "SSL_CERT_DIR"),
    *("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "NODE_EXTRA_CA_CERTS"),
)
ALLOWED: Final = frozenset({*_WHO_AND_WHERE, *_XDG, *_CERTIFICATES})

GIT_LOCATION: Final = frozenset(
    {
        *("GIT_DIR", "GIT_WORK_TREE", "GIT_IMPLICIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_COMMON_DIR", "GIT_NAMESPACE"),
        *("GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_QUARANTINE_PATH", "GIT_SHALLOW_FILE"),
        *("GIT_PREFIX", "GIT_INTERNAL_SUPER_PREFIX", "GIT_CEILING_DIRECTORIES", "GIT_DISCOVERY_ACROSS_FILESYSTEM"),
        *("GIT_GRAFT_FILE", "GIT_REPLACE_REF_BASE", "GIT_NO_REPLACE_OBJECTS", "GIT_TEMPLATE_DIR", "GIT_EXEC_PATH"),
        *("GIT_CONFIG", "GIT_CONFIG_PARAMETERS", "GIT_CONFIG_COUNT"),
    }
)
"""What makes git answer for another repository than it stands in: `git rev-parse --local-env-vars`, and more."""


def is_git_location(name: str) -> bool:
    """Tell whether a variable would lead git elsewhere; it gets through on no list."""
    return name in GIT_LOCATION or name.startswith(("GIT_CONFIG_KEY_", "GIT_CONFIG_VALUE_"))


def environment(
    source: Mapping[str, str],
    added: Iterable[tuple[str, str]],
    *,
    home: str,
    session: str,
) -> dict[str, str]:
    """Make the environment of one session from the daemon's `source` and what was `added`, later additions winning."""
    made = {name: value for name, value in source.items() if name in ALLOWED or name.startswith("LC_")}
    if not any(made.get(name) for name in ("LANG", "LC_ALL", "LC_CTYPE")):
        made["LANG"] = "C.UTF-8"  # a service has no locale, and an agent without one writes question marks
    made["TERM"] = "dumb"
    made.setdefault("PATH", "/usr/local/bin:/usr/bin:/bin")
    made.update((name, value) for name, value in added if not is_git_location(name))
    return made | {HOME: home, SESSION: session}
