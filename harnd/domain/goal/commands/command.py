"""What every command is."""

import msgspec


class Command(msgspec.Struct, frozen=True):
    """Anything that can be asked."""
