"""Text from a process: bytes made into characters that every store, file name and terminal of ours can take."""

LOST = "\N{REPLACEMENT CHARACTER}"


def decode(raw: bytes) -> str:
    """Decode UTF-8; what is not a character, and NUL, becomes a visible mark."""
    return raw.decode("utf-8", "replace").replace("\0", LOST)
