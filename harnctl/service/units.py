"""Units: the texts of `harnd.service` and `harnd.socket`, filled in, marked and told apart from a person's own.

The templates are valid units as they stand, and `systemd/` in the repository shows the same files.  A written unit
begins with a mark that holds the digest of the rest, so a unit that somebody changed is not taken for one of ours.
"""

import hashlib
import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final

from harnctl.service import quoting

SERVICE: Final = "harnd.service"
SOCKET: Final = "harnd.socket"
UNITS: Final = (SOCKET, SERVICE)  # in the order in which they are started

_TEMPLATES: Final = Path(__file__).parent / "templates"
_DIGITS: Final = 16
_MARK: Final = '# Written by "harnctl service install" ({digest}); change it with "systemctl --user edit {unit}".\n'
_MARKED: Final = re.compile(r'# Written by "harnctl service install" \(([0-9a-f]{16})\);.*\n')


def service_unit(command: Sequence[str], environment: Mapping[str, str]) -> str:
    """Write `harnd.service` for a command of absolute path; raises `Failure` for what no unit can hold."""
    words = [quoting.program(command[0]), *map(quoting.argument, command[1:])]
    variables = [quoting.assignment(name, value) for name, value in environment.items()]
    text = _filled(template(SERVICE), "Environment", variables)
    return _marked(SERVICE, _filled(text, "ExecStart", [" ".join(words)]))


def socket_unit(listen: str, *, runtime: str) -> str:
    """Write `harnd.socket` for a path; below the runtime directory it is said by specifier, since that may move."""
    below = listen.removeprefix(runtime.rstrip("/"))
    path = f"%t{quoting.bare(below)}" if below != listen and below.startswith("/") else quoting.bare(listen)
    return _marked(SOCKET, _filled(template(SOCKET), "ListenStream", [path]))


def template(unit: str) -> str:
    """Return a unit as it ships."""
    return (_TEMPLATES / unit).read_text(encoding="utf-8")


def is_ours(text: str) -> bool:
    """Tell whether a unit is as `service install` wrote it, this time or an earlier one."""
    found = _MARKED.match(text)
    return found is not None and found[1] == _digest(text[found.end() :])


def is_marked(text: str) -> bool:
    """Tell whether a unit was written by `service install` and may have been changed since."""
    return _MARKED.match(text) is not None


def state_of(text: str) -> str | None:
    """Return the state directory that a unit names; None when it leaves it to the daemon, or cannot be understood."""
    found = re.search(r"^ExecStart=(.*)$", text, re.MULTILINE) if is_marked(text) else None
    try:
        words = [*map(quoting.read, shlex.split(found[1]))] if found else []
    except ValueError:  # a quote that somebody left open
        return None
    return words[words.index("--state") + 1] if "--state" in words[:-1] else None


def _filled(text: str, key: str, values: Iterable[str]) -> str:
    """Put values in the place of the only line of a key, a line each."""
    lines = "\n".join(f"{key}={value}" for value in values)
    filled, times = re.subn(rf"^{key}=.*$", lambda _: lines, text, flags=re.MULTILINE)
    if times != 1:
        raise ValueError(f"{key} stands {times} times in the template")
    return filled


def _marked(unit: str, text: str) -> str:
    return _MARK.format(digest=_digest(text), unit=unit) + text


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8")).hexdigest()[:_DIGITS]
