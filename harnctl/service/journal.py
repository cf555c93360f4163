"""The journal: what the daemon logged under systemd, line by line."""

import json
from collections.abc import Iterator
from typing import Final, cast

from harnctl.failures import Failure
from harnctl.service.manager import UserManager
from harnctl.service.report import JournalLine
from harnctl.service.units import SERVICE
from protocol.values import Instant

_FIELDS: Final = "MESSAGE,_PID,__REALTIME_TIMESTAMP"

_NONE: Final = "No journal files were found"  # which journalctl itself does not take for an error


def read(manager: UserManager, *, lines: int, follow: bool) -> Iterator[JournalLine]:
    """Yield the last lines of the journal, and with `follow` those that come; raises `Failure` when there is none."""
    words = ["--unit", SERVICE, "--lines", str(lines), "--output", "json", f"--output-fields={_FIELDS}"]
    with manager.journal([*words, *(["--follow"] if follow else [])]) as running:
        if running.stdout is None or running.stderr is None:
            raise RuntimeError("the journal was opened with pipes")
        heard = False
        for text in running.stdout:
            if (line := _line(text)) is not None:
                heard = True
                yield line
        complaint = " ".join(running.stderr.read().split())
        if (running.wait() or _NONE in complaint) and not heard:
            said = f"your user manager keeps no journal that can be read: {complaint or 'journalctl does not say why'}"
            raise Failure("service.no_journal", said, fix="systemctl --user status harnd.service")


def _line(text: str) -> JournalLine | None:
    try:
        entry = json.loads(text)
    except ValueError:
        return None
    if not isinstance(entry, dict):
        return None
    fields = cast("dict[str, object]", entry)
    at, pid = str(fields.get("__REALTIME_TIMESTAMP", "")), str(fields.get("_PID", ""))
    return JournalLine(
        at=Instant(int(at) if at.isdecimal() else 0),
        pid=int(pid) if pid.isdecimal() else None,
        text=_text(fields.get("MESSAGE")),
    )


def _text(message: object) -> str:
    """Return a message, which is a list of bytes where it is no text, and null where it is very long."""
    if isinstance(message, list):
        octets = [byte for byte in cast("list[object]", message) if isinstance(byte, int) and 0 <= byte < 256]  # noqa: PLR2004
        return bytes(octets).decode(errors="replace")
    return message if isinstance(message, str) else ""
