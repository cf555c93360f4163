"""Quoting: how systemd reads a line of a unit file, turned around.

Every value may hold spaces, quotes, backslashes, `$` and `%`.  What no line can hold (a line break, another control
character, bytes that are no UTF-8) is refused, never left out.  Sources: systemd.syntax(7), systemd.service(5),
"Command lines", and systemd.unit(5), "Specifiers".
"""

import re
from typing import Final

from harnctl.failures import Failure

_PLAIN: Final = re.compile(r"[\w/.:=@,+-]+", re.ASCII)
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f\ud800-\udfff]")  # a lone surrogate stands for a byte that is no UTF-8


def program(path: str) -> str:
    """Write the first word of a command line; variables are not expanded in it."""
    return _quoted(_writable(path).replace("%", "%%"))


def argument(text: str) -> str:
    """Write a further word of a command line."""
    return _quoted(_writable(text).replace("%", "%%").replace("$", "$$"))


def assignment(name: str, value: str) -> str:
    """Write what stands after `Environment=`; nothing is expanded in it but specifiers."""
    return _quoted(_writable(f"{name}={value}").replace("%", "%%"))


def bare(path: str) -> str:
    """Write a path that is the whole value of its line, which knows no quotes."""
    if path != path.strip() or path.endswith("\\"):
        raise _refusal(path, "its end would be read otherwise")
    return _writable(path).replace("%", "%%")


def read(word: str) -> str:
    """Read an unquoted word of a command line back."""
    return word.replace("$$", "$").replace("%%", "%")


def is_writable(text: str) -> bool:
    """Tell whether a unit file can hold this."""
    return _CONTROL.search(text) is None


def _writable(text: str) -> str:
    if not is_writable(text):
        raise _refusal(text, "it has a line break, another control character, or bytes that are no UTF-8")
    return text


def _refusal(text: str, why: str) -> Failure:
    return Failure("service.unwritable", f"{text!r} cannot stand in a unit file: {why}", fix="choose another path")


def _quoted(text: str) -> str:
    if _PLAIN.fullmatch(text):
        return text
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
