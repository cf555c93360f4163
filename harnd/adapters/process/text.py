"""Text from a process: bytes made into characters that every store, file name and terminal of ours can take."""

import hashlib
from typing import Final

from harnd.ports.sessions import Output
from protocol import bounds
from protocol.ids import Digest

LOST: Final = "\N{REPLACEMENT CHARACTER}"


def decode(raw: bytes) -> str:
    """Decode UTF-8; what is not a character, and NUL, becomes a visible mark."""
    return raw.decode("utf-8", "replace").replace("\0", LOST)


def output_of(raw: bytes) -> Output:
    """Show an output that is at hand whole."""
    shown = bounds.OUTPUT_SHOWN_BYTES
    digest = Digest(hashlib.sha256(raw[: bounds.OUTPUT_CAP_BYTES]).hexdigest())
    if len(raw) <= 2 * shown:
        return Output(decode(raw), "", len(raw), 0, digest)
    return Output(decode(raw[:shown]), decode(raw[-shown:]), len(raw), len(raw) - 2 * shown, digest)


NOTHING: Final = output_of(b"")
