"""Idempotency keys: one for each change that a person wants, however often it must be sent."""

import os

from protocol.ids import IdempotencyKey


def new_key() -> IdempotencyKey:
    """Make a key that nobody used before.  Build the request once and ask with it again: the key is part of it."""
    return IdempotencyKey(os.urandom(16).hex())
