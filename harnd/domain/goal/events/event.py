"""What every event is."""

import msgspec


class Event(msgspec.Struct, frozen=True, omit_defaults=True):
    """Anything that happened."""
